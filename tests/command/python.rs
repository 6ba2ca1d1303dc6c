//! The Python for scripts that check the program's output.

use std::process::Command;
use std::sync::LazyLock;

/// An interpreter with NumPy: the one named in `HISTOSCOPE_PYTHON`, the system's, which Debian's and Ubuntu's package
/// is for, or the one in `PATH`. `scripts/setup` searches in the same order.
static WITH_NUMPY: LazyLock<String> = LazyLock::new(|| {
    let named = std::env::var("HISTOSCOPE_PYTHON").ok().filter(|name| !name.is_empty());
    let mut known = named.into_iter().chain(["/usr/bin/python3".to_owned(), "python3".to_owned()]);
    let has_numpy = |python: &String| {
        let output = command(python).args(["-c", "import numpy"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    known.find(has_numpy).expect("a python3 has NumPy: run scripts/setup, or name one in HISTOSCOPE_PYTHON")
});

/// Additions from the shell's settings or the home folder are ignored, so that the interpreter is the same for
/// everyone.
fn command(python: &str) -> Command {
    let mut command = Command::new(python);
    command.arg("-I").env("OPENBLAS_NUM_THREADS", "1");
    command
}

/// Returns a Python with NumPy.
pub fn python() -> Command {
    command(&WITH_NUMPY)
}

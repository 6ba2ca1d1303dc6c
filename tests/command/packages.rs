//! A Python with the packages of `tests/requirements.txt`, in a virtual environment under `target/`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The packages of the environment.
const REQUIREMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/requirements.txt");

/// The advice if the environment cannot be made.
const ADVICE: &str = "the packages come from the package index that pip is set up for, so this takes a network once; \
                      scripts/setup installs what Python itself lacks";

/// The environment's folder, made on first use.
static ENVIRONMENT: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("cargo's folder for tests is in target/");
    let base = base();
    let folder = target.join("python-venv");
    // Tests of several programs may need it at once. One makes it, and the others wait.
    let lock = File::create(target.join("python-venv.lock")).expect("target/ takes a file");
    lock.lock().expect("the lock can be waited for");
    let wanted = format!("{}\n{}", version(&base), fs::read_to_string(REQUIREMENTS).expect("tests/requirements.txt"));
    // Written last. An environment without it was never finished.
    let stamp = folder.join("made-of.txt");
    if fs::read_to_string(&stamp).is_ok_and(|made_of| made_of == wanted) {
        return folder;
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an environment that is of no use can be removed");
    }
    run(Command::new(&base).args(["-I", "-m", "venv"]).arg(&folder));
    let install = ["-I", "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--requirement"];
    run(Command::new(folder.join("bin/python")).args(install).arg(REQUIREMENTS));
    run(Command::new(folder.join("bin/python")).args(["-I", "-m", "pip", "--quiet", "check"]));
    fs::write(&stamp, wanted).expect("target/ takes a file");
    folder
});

/// Returns an interpreter that can make an environment, found in the same order as by `scripts/setup`.
fn base() -> String {
    let named = std::env::var("HISTOSCOPE_PYTHON").ok().filter(|name| !name.is_empty());
    let mut known = named.into_iter().chain(["/usr/bin/python3".to_owned(), "python3".to_owned()]);
    let can = |python: &String| {
        let script = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
        let output = Command::new(python).args(["-I", "-c", script]).output();
        output.is_ok_and(|output| output.status.success())
    };
    known.find(can).expect("a python3 of 3.11 or newer with venv: run scripts/setup, or name one in HISTOSCOPE_PYTHON")
}

/// Returns the version of an interpreter.
fn version(python: &str) -> String {
    let output = Command::new(python).args(["-I", "-c", "import sys; print(sys.base_prefix, sys.version)"]).output();
    String::from_utf8_lossy(&output.expect("the interpreter was found a moment ago").stdout).replace('\n', " ")
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; {ADVICE}"));
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(
        output.status.success(),
        "{command:?} failed, so that nothing was tested with Python's packages; {ADVICE}\n{said}"
    );
}

/// Returns the environment's Python, without additions from the shell's settings or the home folder.
pub fn python_with_packages() -> Command {
    let mut command = Command::new(ENVIRONMENT.join("bin/python"));
    command.arg("-I").env("OPENBLAS_NUM_THREADS", "1");
    command
}

/// Returns a program installed by a package, for example `ruff`.
pub fn program_of_package(name: &str) -> Command {
    Command::new(ENVIRONMENT.join("bin").join(name))
}

//! Running the built program as a user would, and reading its output.

#![allow(dead_code, reason = "every test file uses a part of it")]

pub mod packages;
pub mod python;

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than any run takes on a busy machine. A program that hangs fails its test instead of hanging it too.
const PATIENCE: Duration = Duration::from_secs(120);

/// The result of a run of the program.
#[derive(Debug)]
pub struct Run {
    /// The exit code; `None` if a signal ended the program.
    pub code: Option<i32>,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
}

/// Returns the program without a display, and with backtraces enabled. What it says does not depend on the caller's
/// environment.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_histoscope"));
    let display = ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"];
    // A narrow `COLUMNS` would wrap the help, and colours would be codes between the words.
    let words = ["COLUMNS", "LINES", "CLICOLOR_FORCE", "RUST_LOG", "RUST_LOG_STYLE"];
    for name in display.into_iter().chain(words) {
        command.env_remove(name);
    }
    // Graphics libraries complain on standard error if they have no folder for their sockets.
    command.env("RUST_BACKTRACE", "1").env("XDG_RUNTIME_DIR", env!("CARGO_TARGET_TMPDIR")).stdin(Stdio::null());
    command
}

/// Runs the program with these arguments to its end.
pub fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Run {
    finish(program().args(arguments))
}

/// Runs a prepared program to its end.
pub fn finish(command: &mut Command) -> Run {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let stdout = reader(child.stdout.take().expect("a pipe"));
    let stderr = reader(child.stderr.take().expect("a pipe"));
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the program can be waited for") {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            child.kill().expect("the program can be ended");
            panic!("{command:?} did not end");
        }
        thread::sleep(Duration::from_millis(3));
    };
    let text = |thread: thread::JoinHandle<String>| thread.join().expect("the output was read");
    Run { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

fn reader(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("the pipe can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Runs `snapshot FILE --json ARGUMENTS`, which must succeed without messages, except that the video ends before the
/// time. Returns its JSON.
pub fn figures(file: &Path, arguments: &[&str]) -> Value {
    let run = finish(program().arg("snapshot").arg(file).arg("--json").args(arguments));
    let told = run.stderr.lines().find(|line| !line.contains("; this is its last frame, at "));
    assert_eq!((run.code, told), (Some(0), None), "{} {arguments:?}", file.display());
    assert_eq!(run.stdout.lines().count(), 1, "one object on one line");
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error} in {}", run.stdout))
}

impl Run {
    /// Checks that the program failed properly: exit code 1 and one line that contains each of `words`.
    pub fn fails_with(&self, words: &[&str]) {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        assert!(self.stderr.starts_with("histoscope: ") && self.stderr.ends_with('\n'), "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        for word in ["panicked", "backtrace", "src/"] {
            assert!(!self.stderr.contains(word), "'{word}' in {self:?}");
        }
        for word in words {
            assert!(self.stderr.contains(word), "no '{word}' in {self:?}");
        }
    }
}

/// Returns the bundled sample.
pub fn sample() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.mp4"))
}

//! Waiting for conditions and for programs to end, with deadlines instead of fixed sleeps.

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The time after which an event counts as missing. It is far longer than needed, because the machine may be small and
/// busy. Only a failing test waits for all of it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Polls until there is an answer, and returns it. Panics with `what` at the deadline.
#[track_caller]
pub fn until<T>(what: &str, patience: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begin.elapsed() < patience, "waited {} s for {what}", patience.as_secs());
        // A program that is asked lets time pass by itself.
        thread::sleep(Duration::from_millis(2));
    }
}

/// Runs a program to its end. Returns its standard output, or the error. A program that hangs is killed, since xdotool
/// waits forever for a window that has gone.
pub fn output_of(command: &mut Command, patience: Duration) -> Result<Vec<u8>, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {name}: {error}; scripts/setup installs what this test needs"))?;
    // Both pipes are read to their ends while the program runs, since it would block on a full one.
    let mut outputs = [None, None];
    if let (Some(mut out), Some(mut err)) = (child.stdout.take(), child.stderr.take()) {
        outputs[0] = Some(thread::spawn(move || {
            let mut bytes = Vec::new();
            out.read_to_end(&mut bytes).map(|_| bytes)
        }));
        outputs[1] = Some(thread::spawn(move || {
            let mut bytes = Vec::new();
            err.read_to_end(&mut bytes).map(|_| bytes)
        }));
    }
    let begin = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begin.elapsed() < patience => thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                // These fail only if the program has just ended.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("{name} did not end within {} s", patience.as_secs()));
            }
            Err(error) => return Err(format!("cannot wait for {name}: {error}")),
        }
    };
    let [out, err] = outputs
        .map(|reader| reader.and_then(|reader| reader.join().ok()).and_then(|bytes| bytes.ok()).unwrap_or_default());
    if status.success() { Ok(out) } else { Err(format!("{name}: {status}: {}", String::from_utf8_lossy(&err).trim())) }
}

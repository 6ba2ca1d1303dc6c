//! Running `analyze` and reading its output.

use std::path::Path;

use serde_json::Value;

use crate::command::{Run, finish, program};

/// Runs `analyze CLIP ARGUMENTS`, with the CPU engine unless the arguments choose another.
pub fn analyze(clip: &Path, arguments: &[&str]) -> Run {
    let mut command = program();
    command.arg("analyze").arg(clip).args(arguments);
    if !arguments.contains(&"--engine") {
        command.args(["--engine", "cpu"]);
    }
    finish(&mut command)
}

/// Returns the output of a run that must succeed, without messages unless the file's name says that it is damaged.
pub fn output(clip: &Path, arguments: &[&str]) -> String {
    let run = analyze(clip, arguments);
    let is_damaged = clip.file_stem().is_some_and(|name| name == "damaged");
    let is_told = |line: &str| is_damaged && line.contains(" damaged, counted as decoded");
    let other = run.stderr.lines().find(|line| !is_told(line));
    assert_eq!((run.code, other), (Some(0), None), "{arguments:?}");
    run.stdout
}

/// Returns the records and the summary of a run that must succeed.
pub fn records(clip: &Path, arguments: &[&str]) -> (Vec<Value>, Value) {
    read_records(&output(clip, arguments))
}

/// Returns the records and the summary of a JSON Lines output.
pub fn read_records(text: &str) -> (Vec<Value>, Value) {
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
    let mut lines: Vec<Value> = text.lines().map(parse).collect();
    let summary = lines.pop().expect("a summary");
    assert_eq!(summary["type"], "summary");
    (lines, summary)
}

/// Returns the numbers of the frames.
pub fn numbers(records: &[Value]) -> Vec<u64> {
    records.iter().map(|record| record["frame"].as_u64().expect("a frame number")).collect()
}

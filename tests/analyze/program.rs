//! Running `analyze` and reading what it wrote.

use std::path::Path;

use serde_json::Value;

use crate::command::{Run, finish, program};

/// Runs `analyze CLIP ARGUMENTS`, with the CPU engine unless the arguments name another one.
pub fn analyze(clip: &Path, arguments: &[&str]) -> Run {
    let mut command = program();
    command.arg("analyze").arg(clip).args(arguments);
    if !arguments.contains(&"--engine") {
        command.args(["--engine", "cpu"]);
    }
    finish(&mut command)
}

/// The output of a run that must succeed, and in silence unless the file is called damaged.
pub fn output(clip: &Path, arguments: &[&str]) -> String {
    let run = analyze(clip, arguments);
    let is_damaged = clip.file_stem().is_some_and(|name| name == "damaged");
    let is_told = |line: &str| is_damaged && line.contains(" damaged, and counted with what the decoder put there");
    let other = run.stderr.lines().find(|line| !is_told(line));
    assert_eq!((run.code, other), (Some(0), None), "{arguments:?}");
    run.stdout
}

/// The records of a run that must succeed, and its summary.
pub fn records(clip: &Path, arguments: &[&str]) -> (Vec<Value>, Value) {
    read_records(&output(clip, arguments))
}

/// The records of a JSON Lines output, and its summary.
pub fn read_records(text: &str) -> (Vec<Value>, Value) {
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
    let mut lines: Vec<Value> = text.lines().map(parse).collect();
    let summary = lines.pop().expect("a summary");
    assert_eq!(summary["type"], "summary");
    (lines, summary)
}

/// The numbers of the frames.
pub fn numbers(records: &[Value]) -> Vec<u64> {
    records.iter().map(|record| record["frame"].as_u64().expect("a frame number")).collect()
}

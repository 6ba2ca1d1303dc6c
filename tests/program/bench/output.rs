//! The outputs of `histoscope bench`: its JSON, and the refusal of what no longer exists.

use std::fs;

use crate::command::{Run, finish, program};

/// Runs `bench` with these arguments and one repeat.
fn bench(arguments: &[&str]) -> Run {
    finish(program().args(["bench", "--repeats", "1"]).args(arguments))
}

#[test]
fn results_are_written_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("here.json");
    let run = bench(&["--size", "64x48", "--only", "scalar,race,floor", "-o", file.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((&json["schema"], json["runs"].as_array().unwrap().len()), (&1.into(), 1));
    let rows = json["runs"][0]["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row["method"].as_str().unwrap()).collect();
    assert_eq!(names, ["scalar", "race", "floor"].repeat(2), "luminance, and four channels");
}

#[test]
fn what_cannot_be_written_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("none").join("bench.json");
    bench(&["-o", nowhere.to_str().unwrap()]).fails_with(&["the folder", "does not exist"]);
    for name in ["bench.txt", "bench.html"] {
        let refused = bench(&["-o", name]);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
        assert!(refused.stderr.contains(&format!("'{name}' does not end in .json")), "{refused:?}");
    }
}

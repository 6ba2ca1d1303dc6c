//! `histoscope check`: its findings in clips whose faults are known, its outputs, profiles and exit codes.

mod editors;
mod faults;
mod flash_safety;
mod frozen;
mod known_faults;
mod outputs;
mod profiles;
mod sound;
mod tape;

use std::path::Path;

use crate::command::{Run, finish, program};

/// A profile in which every check is an error.
const EVERYTHING: &str = "
[black]
severity = \"error\"
threshold = 98
[frozen]
severity = \"error\"
shortest = 0.5
[flash]
severity = \"error\"
[exposure]
severity = \"error\"
threshold = 3
[clipped]
severity = \"error\"
threshold = 1
[range]
severity = \"error\"
threshold = 1
[peak]
severity = \"off\"
[black-level]
severity = \"error\"
threshold = 20
[bars]
severity = \"error\"
threshold = 2
[cadence]
severity = \"error\"
threshold = 4
[damaged]
severity = \"error\"
[gaps]
severity = \"error\"
threshold = 1.5
[timecode]
severity = \"error\"
[tags]
severity = \"error\"
";

/// Runs `check FILE ARGUMENTS`.
fn check(file: &Path, arguments: &[&str]) -> Run {
    finish(program().arg("check").arg(file).args(["--engine", "cpu", "--quiet"]).args(arguments))
}

/// A finding: the name of its check, and its first and last frame, if it is about some.
type Found = (String, Option<(u64, u64)>);

/// Returns the findings in a file by a profile that checks everything.
fn found(file: &Path) -> Vec<Found> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let profile = folder.path().join("profile.toml");
    std::fs::write(&profile, EVERYTHING).expect("a profile");
    found_by(file, profile.to_str().expect("UTF-8"))
}

/// Returns the findings in a file by this profile.
fn found_by(file: &Path, profile: &str) -> Vec<Found> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().join("findings.csv");
    let run = check(file, &["--profile", profile, "-o", output.to_str().expect("UTF-8")]);
    assert!(matches!(run.code, Some(0 | 4)) && run.stderr.is_empty(), "{run:?}");
    let mut reader = csv::Reader::from_path(output).expect("a table");
    let number = |text: &str| text.parse().ok();
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| (row[2].to_owned(), number(&row[6]).zip(number(&row[7])))).collect()
}

/// Returns the findings of one check.
fn of(found: &[Found], check: &str) -> Vec<(u64, u64)> {
    found.iter().filter(|(name, _)| name == check).map(|(_, frames)| frames.unwrap_or_default()).collect()
}

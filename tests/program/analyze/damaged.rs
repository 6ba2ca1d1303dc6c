//! Damaged shares: nothing panics, and no output contains other records than it claims.

use std::fs;
use std::path::{Path, PathBuf};

use histoscope::analysis::{OutputTarget, Stop, merge};

use crate::analyze::program::analyze;
use crate::common::Clip;
use crate::common::damage::mutated;

/// Returns a damaged copy. Damage is mostly near the beginning; for odd numbers it is mostly near the end, where a
/// table has its metadata.
fn mutant(bytes: &[u8], number: u64) -> Vec<u8> {
    let reversed = |bytes: Vec<u8>| bytes.into_iter().rev().collect();
    if number.is_multiple_of(2) {
        mutated(bytes.to_vec(), number)
    } else {
        reversed(mutated(reversed(bytes.to_vec()), number))
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Counts the records in an output of lines.
fn records(text: &str, ending: &str) -> u64 {
    let others = match ending {
        "jsonl" => 1,
        // The output for a whole file does not state its part.
        "csv" => 1 + text.lines().filter(|line| line.starts_with("# ")).count(),
        _ => 2,
    };
    (text.lines().count() - others) as u64
}

#[test]
fn damaged_shares_are_refused_or_hold_what_the_result_says() {
    let clip = Clip::moving("clip.mp4", "64x48", 2.0, "-c:v libx264 -pix_fmt yuv420p");
    let (mut refused, mut joined) = (0, 0);
    for (ending, arguments) in [
        ("jsonl", &["--bins"][..]),
        ("csv", &[]),
        ("json", &["--bins"]),
        ("ffprobe.json", &["--format", "ffprobe"]),
        ("parquet", &["--bins"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = [["--to", "20f"], ["--from", "20f"]].map(|part| {
            let path = folder.path().join(format!("{}.{ending}", part[0].trim_start_matches('-')));
            let run = analyze(clip.path(), &[arguments, &part, &["-o", path.to_str().unwrap()]].concat());
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
            path
        });
        let (whole, out) = (fs::read(&first).unwrap(), folder.path().join("out"));
        let there = files(folder.path());
        merge(&[first.clone(), second.clone()], &OutputTarget::File(out.clone()), &Stop::new(), true).unwrap();
        let undamaged = fs::read(&out).unwrap();
        fs::remove_file(&out).unwrap();
        for number in 0..400 {
            fs::write(&first, mutant(&whole, number)).unwrap();
            match merge(&[first.clone(), second.clone()], &OutputTarget::File(out.clone()), &Stop::new(), true) {
                Ok(summary) => {
                    joined += 1;
                    let result = fs::read(&out).unwrap();
                    if ending == "parquet" {
                        // Any change to a table is noticed.
                        assert!(result == undamaged, "mutant {number} of {ending}");
                    } else {
                        let text = String::from_utf8_lossy(&result);
                        assert_eq!(records(&text, ending), summary.frames, "mutant {number} of {ending}");
                    }
                    fs::remove_file(&out).unwrap();
                }
                Err(error) => {
                    refused += 1;
                    assert!(
                        error.to_string().contains(&format!("to.{ending}")),
                        "mutant {number} of {ending}: {error}"
                    );
                }
            }
            assert_eq!(files(folder.path()), there, "mutant {number} of {ending} leaves something");
        }
    }
    assert!(refused > 1000 && joined > 100, "{refused} were refused, {joined} were joined");
}

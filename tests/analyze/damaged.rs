//! Shares and unfinished outputs that were damaged: read as far as they go, or refused; nothing panics, nothing is written that
//! holds other records than it says.

use std::fs;
use std::path::{Path, PathBuf};

use histoscope::analysis::{Stop, Target, merge};

use crate::common::{Clip, noise};
use crate::program::analyze;

/// Random numbers, the same ones for a seed.
struct Chance(u64, u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.1 += 1;
        let bytes: [u8; 8] = noise(8, self.0 * 1000 + self.1).try_into().expect("eight bytes");
        (u64::from_le_bytes(bytes) % limit.max(1) as u64) as usize
    }
}

/// A copy with one thing that befalls files: changed bytes, an end that is missing, a hole, a part that stands there twice, zeros.
fn mutant(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut chance = Chance(seed, 0);
    let mut changed = bytes.to_vec();
    // What tables say of themselves stands at their end.
    let area = if chance.below(2) == 0 { bytes.len() } else { bytes.len().min(2000) };
    let place = |chance: &mut Chance| bytes.len() - 1 - chance.below(area);
    let (a, b) = (place(&mut chance), place(&mut chance));
    let (from, to) = (a.min(b), a.max(b));
    match chance.below(5) {
        0 => {
            for _ in 0..=chance.below(6) {
                let at = place(&mut chance);
                changed[at] = chance.below(256) as u8;
            }
        }
        1 => changed.truncate(from),
        2 => _ = changed.drain(from..to),
        3 => {
            let twice = changed[from..to].to_vec();
            changed.splice(to..to, twice);
        }
        _ => changed[from..to].fill(0),
    }
    changed
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// How many records an output of lines holds.
fn records(text: &str, ending: &str) -> u64 {
    let others = match ending {
        "jsonl" => 1,
        // The whole of a file says nothing of itself.
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
        for seed in 0..400 {
            fs::write(&first, mutant(&whole, seed)).unwrap();
            match merge(&[first.clone(), second.clone()], &Target::File(out.clone()), &Stop::new()) {
                Ok(summary) => {
                    joined += 1;
                    if ending != "parquet" {
                        let text = String::from_utf8_lossy(&fs::read(&out).unwrap()).into_owned();
                        assert_eq!(records(&text, ending), summary.frames, "mutant {seed} of {ending}");
                    }
                    fs::remove_file(&out).unwrap();
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().contains(&format!("to.{ending}")), "mutant {seed} of {ending}: {error}");
                }
            }
            assert_eq!(files(folder.path()), there, "mutant {seed} of {ending} leaves something");
        }
    }
    assert!(refused > 1000 && joined > 100, "{refused} were refused, {joined} were joined");
}

//! The share of cuts found in synthetic clips, and the results of other programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::report::cuts::cuts;
use crate::report::montage::{RATE, Score, montage};
use crate::report::shots::load_scenes;

/// One shot in this many stays at the place of the one before: hardly any, then every third.
const STAYS: [usize; 2] = [1000, 3];

#[test]
fn nearly_every_cut_of_two_hundred_is_found_and_hardly_anything_else() {
    let montage = montage(1, 200, STAYS[1]);
    let (gradual, flashes) = (montage.gradual.len(), montage.flashes.len());
    assert!(montage.cuts.len() == 200 && gradual > 30 && flashes > 20, "{gradual} gradual, {flashes} flashes");
    let score = Score::of(&montage, &cuts(montage.clip.path(), &[]));
    assert!(score.recall() >= 0.97 && score.precision() >= 0.97, "{score:?}");
}

/// Returns the cuts that PySceneDetect finds with a detector.
fn scenedetect(file: &Path, detector: &str) -> Vec<u64> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new("python3");
    command.args(["-m", "scenedetect", "--quiet", "--input"]).arg(file).arg("--output").arg(folder.path());
    let output = command.args([detector, "list-scenes", "--filename", "scenes.csv"]).output().expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    load_scenes(&fs::read_to_string(folder.path().join("scenes.csv")).expect("the scenes"))
}

/// Returns the cuts that FFmpeg's filter scdet finds.
fn scdet(file: &Path) -> Vec<u64> {
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-nostdin", "-i"]).arg(file).args(["-vf", "scdet", "-f", "null", "-"]);
    let output = command.output().expect("the ffmpeg command is installed");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let times =
        text.lines().filter_map(|line| line.split_once("lavfi.scd.time:").map(|(_, time)| time.trim().to_owned()));
    times.map(|time| (time.parse::<f64>().expect("a time") * RATE as f64).round() as u64).collect()
}

#[test]
#[ignore = "prints how PySceneDetect, which is no part of the setup, and FFmpeg's scdet find the same cuts"]
fn what_others_find_in_the_same_clips() {
    for stays in STAYS {
        let mut sums: BTreeMap<&str, Score> = BTreeMap::new();
        let (mut frames, mut gradual, mut flashes) = (0, 0, 0);
        for seed in 1..=4 {
            let montage = montage(seed, 200, stays);
            frames += montage.frames;
            gradual += montage.gradual.len();
            flashes += montage.flashes.len();
            let file = montage.clip.path();
            for (name, found) in [
                ("histoscope report", cuts(file, &[])),
                ("PySceneDetect detect-content", scenedetect(file, "detect-content")),
                ("PySceneDetect detect-adaptive", scenedetect(file, "detect-adaptive")),
                ("PySceneDetect detect-hist", scenedetect(file, "detect-hist")),
                ("FFmpeg scdet", scdet(file)),
            ] {
                sums.entry(name).or_default().add(&Score::of(&montage, &found));
            }
        }
        println!("one in {stays} stays: {frames} frames, {gradual} dissolves and fades, {flashes} flashes");
        for (name, score) in sums {
            let Score { known, missed, flashes, gradual, elsewhere, .. } = &score;
            let [missed, flashes, gradual, elsewhere] = [missed, flashes, gradual, elsewhere].map(Vec::len);
            let (precision, recall) = (score.precision() * 100.0, score.recall() * 100.0);
            println!(
                "| {name} | {} of {known} | {recall:.1} % | {flashes} | {gradual} | {elsewhere} | {precision:.1} % |",
                known - missed
            );
        }
    }
}

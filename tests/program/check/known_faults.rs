//! The share of known faults that are found, and the results of FFmpeg's filters.

use std::path::Path;
use std::process::Command;

use crate::check::faults::{Faulty, RATE, faulty};
use crate::check::found;
use crate::common::Clip;

/// The checks whose findings the clips state.
const KINDS: [&str; 5] = ["black", "frozen", "flash", "clipped", "range"];

/// Results compared with the known faults.
#[derive(Debug, Default)]
struct Score {
    known: usize,
    found: usize,
    right: usize,
    wrong: Vec<String>,
}

impl Score {
    /// Compares stretches of frames, which must agree to the frame.
    fn add(&mut self, clip: &str, expected: &[(&'static str, (u64, u64))], found: &[(&str, (u64, u64))]) {
        let right = found.iter().filter(|found| expected.contains(found)).count();
        self.known += expected.len();
        self.found += found.len();
        self.right += right;
        let extra = found.iter().filter(|found| !expected.contains(found)).map(|found| format!("{clip}: {found:?}"));
        let missed = expected.iter().filter(|known| !found.contains(known));
        self.wrong.extend(extra.chain(missed.map(|known| format!("{clip}: missed {known:?}"))));
    }

    fn recall(&self) -> f64 {
        self.right as f64 / self.known.max(1) as f64
    }

    fn precision(&self) -> f64 {
        self.right as f64 / self.found.max(1) as f64
    }
}

/// Checks these clips and returns the score.
fn score(clips: &[Faulty]) -> Score {
    let mut score = Score::default();
    for (index, Faulty { clip, expected, .. }) in clips.iter().enumerate() {
        let all = found(clip.path());
        let stretches = all.iter().filter_map(|(check, frames)| Some((check.as_str(), (*frames)?)));
        let found: Vec<_> = stretches.filter(|(check, _)| KINDS.contains(check)).collect();
        score.add(&format!("clip {index}"), expected, &found);
    }
    score
}

#[test]
fn nearly_all_known_faults_are_found_and_hardly_anything_else() {
    let clips: Vec<_> = (1..=12).map(|seed| faulty(seed, 5)).collect();
    let score = score(&clips);
    assert!(score.known >= 60, "{score:?}");
    assert!(score.recall() >= 0.98 && score.precision() >= 0.98, "{score:#?}");
}

/// Returns the stretches that a filter of FFmpeg logs, by its words before the times of start and end.
fn filtered(file: &Path, filter: &str, [start, end]: [&str; 2]) -> Vec<(u64, u64)> {
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-nostdin", "-i"]).arg(file).args(["-vf", filter, "-f", "null", "-"]);
    let output = command.output().expect("the ffmpeg command is installed");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let frames = |words: &str| -> Vec<u64> {
        let times = text.split(words).skip(1).filter_map(|rest| rest.split_whitespace().next());
        times.map(|time| (time.parse::<f64>().expect("a time") * RATE as f64).round() as u64).collect()
    };
    frames(start).into_iter().zip(frames(end)).map(|(start, end)| (start, end.saturating_sub(1))).collect()
}

#[test]
#[ignore = "checks over 200 clips, and prints how FFmpeg's blackdetect and freezedetect find the same faults"]
fn two_hundred_clips_and_the_filters_of_ffmpeg() {
    let clips: Vec<_> = (100..305).map(|seed| faulty(seed, 3)).collect();
    let ours = score(&clips);
    let (mut black, mut frozen) = (Score::default(), Score::default());
    for (index, Faulty { clip, expected, .. }) in clips.iter().enumerate() {
        let name = format!("clip {index}");
        let of = |kind: &str| expected.iter().filter(|(check, _)| *check == kind).copied().collect::<Vec<_>>();
        let words = ["black_start:", "black_end:"];
        let found = filtered(clip.path(), "blackdetect=d=0.04:pix_th=0.1", words);
        black.add(&name, &of("black"), &found.iter().map(|span| ("black", *span)).collect::<Vec<_>>());
        let words = ["freeze_start: ", "freeze_end: "];
        let found = filtered(clip.path(), "freezedetect=n=-60dB:d=0.5", words);
        frozen.add(&name, &of("frozen"), &found.iter().map(|span| ("frozen", *span)).collect::<Vec<_>>());
    }
    println!("{} clips, {} faults", clips.len(), clips.iter().map(|clip| clip.faults).sum::<usize>());
    for (name, score) in [("histoscope check", &ours), ("blackdetect", &black), ("freezedetect", &frozen)] {
        let (precision, recall) = (100.0 * score.precision(), 100.0 * score.recall());
        println!("| {name} | {} of {} | {recall:.1} % | {precision:.1} % |", score.right, score.known);
    }
    assert!(ours.recall() >= 0.98 && ours.precision() >= 0.98, "{ours:#?}");
}

#[test]
fn frames_out_of_order_are_no_faults() {
    // Motion, noise and a fade are none of the findings.
    let clip = Clip::moving("clean.mkv", "96x54", 2.0, "-vf fade=in:0:20,noise=alls=10:allf=t -c:v ffv1");
    let all = found(clip.path());
    let stretches: Vec<_> = all.iter().filter(|(check, _)| ["frozen", "flash"].contains(&check.as_str())).collect();
    assert!(stretches.is_empty(), "{all:?}");
}

//! The share of known faults that are found, and the results of FFmpeg's filters.

use std::path::Path;
use std::process::Command;

use crate::check::faults::{Faulty, RATE, faulty, faulty_in};
use crate::check::{found, of};
use crate::common::Clip;

/// The checks whose findings the clips state.
const KINDS: [&str; 5] = ["black", "frozen", "flash", "clipped", "range"];

/// The filters of FFmpeg for the first three of these.
const FILTERS: [&str; 3] = ["blackdetect", "freezedetect", "scdet"];

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
    fn add(&mut self, clip: &str, kind: &str, expected: &[(u64, u64)], found: &[(u64, u64)]) {
        let right = found.iter().filter(|found| expected.contains(found)).count();
        self.known += expected.len();
        self.found += found.len();
        self.right += right;
        let extra =
            found.iter().filter(|found| !expected.contains(found)).map(|found| format!("{clip}: {kind} {found:?}"));
        let missed = expected.iter().filter(|known| !found.contains(known));
        self.wrong.extend(extra.chain(missed.map(|known| format!("{clip}: missed {kind} {known:?}"))));
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
        let found = found(clip.path());
        for kind in KINDS {
            let known = expected.iter().filter(|(check, _)| *check == kind).map(|(_, span)| *span);
            score.add(&format!("clip {index}"), kind, &known.collect::<Vec<_>>(), &of(&found, kind));
        }
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

/// Returns the log of a filter of FFmpeg.
fn log_of(file: &Path, filter: &str) -> String {
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-nostdin", "-i"]).arg(file).args(["-vf", filter, "-f", "null", "-"]);
    let output = command.output().expect("the ffmpeg command is installed");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the frames at the times that a log has after these words.
fn frames_after(log: &str, words: &str) -> Vec<u64> {
    let times = log.split(words).skip(1).filter_map(|rest| rest.split_whitespace().next());
    times.map(|time| (time.parse::<f64>().expect("a time") * RATE as f64).round() as u64).collect()
}

/// Returns the stretches that a filter of FFmpeg logs, by its words before the times of start and end. A stretch
/// without an end lasts until the clip's last frame.
fn stretches(log: &str, [start, end]: [&str; 2], last: u64) -> Vec<(u64, u64)> {
    let ends = frames_after(log, end).into_iter().map(|end| end.saturating_sub(1)).chain([last]);
    frames_after(log, start).into_iter().zip(ends).collect()
}

/// Returns the flashes according to scdet, which reports changes: two of them at most four frames apart.
fn flashes(log: &str) -> Vec<(u64, u64)> {
    let changes = frames_after(log, "lavfi.scd.time: ");
    let close = changes.windows(2).filter(|pair| pair[1] - pair[0] <= 4);
    close.map(|pair| (pair[0], pair[1] - 1)).collect()
}

/// Replaces stretches by the known ones that they match to within so many frames at either end.
fn rounded(found: &[(u64, u64)], known: &[(u64, u64)], slack: u64) -> Vec<(u64, u64)> {
    let is_near = |a: (u64, u64), b: (u64, u64)| a.0.abs_diff(b.0) <= slack && a.1.abs_diff(b.1) <= slack;
    found.iter().map(|&found| known.iter().copied().find(|&known| is_near(found, known)).unwrap_or(found)).collect()
}

/// FFmpeg's arguments for the codings of 301 clips.
const CODINGS: [&str; 7] = [
    "-c:v libx264 -crf 18 -pix_fmt yuv420p",
    "-c:v libx264 -crf 23 -pix_fmt yuv420p",
    "-c:v libx264 -crf 28 -pix_fmt yuv420p",
    "-c:v libx264 -crf 32 -pix_fmt yuv420p",
    "-c:v mpeg2video -b:v 8M -pix_fmt yuv420p",
    "-c:v prores_ks -pix_fmt yuv422p10le",
    "-c:v libx265 -x265-params log-level=none -crf 20 -pix_fmt yuv420p10le",
];

#[test]
#[ignore = "checks over 200 clips, and prints how FFmpeg's filters find the same faults"]
fn two_hundred_clips_and_the_filters_of_ffmpeg() {
    let clips: Vec<_> = (100..305).map(|seed| faulty(seed, 3)).collect();
    println!("{}", table(&clips, 0));
}

#[test]
#[ignore = "as above, for 301 clips in codecs that lose something"]
fn three_hundred_coded_clips_and_the_filters_of_ffmpeg() {
    let clips: Vec<_> = (1000..1301).map(|seed| faulty_in(CODINGS[seed as usize % 7], seed, 3)).collect();
    println!("{}", table(&clips, 3));
}

/// Returns how faults are found by `check`, whose stretches may be off by so many frames, and by filters of FFmpeg.
fn table(clips: &[Faulty], slack: u64) -> String {
    let mut ours = KINDS.map(|kind| (kind, Score::default()));
    let mut theirs = ["black", "frozen", "flash"].map(|kind| (kind, Score::default()));
    for (index, Faulty { clip, expected, frames, .. }) in clips.iter().enumerate() {
        let name = format!("clip {index}");
        let found = found(clip.path());
        let known = |kind: &str| -> Vec<_> {
            expected.iter().filter(|(check, _)| *check == kind).map(|(_, span)| *span).collect()
        };
        for (kind, score) in &mut ours {
            let known = known(kind);
            score.add(&name, kind, &known, &rounded(&of(&found, kind), &known, slack));
        }
        let last = frames - 1;
        let log = log_of(clip.path(), "blackdetect=d=0.04:pix_th=0.1,freezedetect=n=-60dB:d=0.5,scdet=t=10");
        let filtered = [
            stretches(&log, ["black_start:", "black_end:"], last),
            stretches(&log, ["freeze_start: ", "freeze_end: "], last),
            flashes(&log),
        ];
        for ((kind, score), filtered) in theirs.iter_mut().zip(filtered) {
            let known = known(kind);
            score.add(&name, kind, &known, &rounded(&filtered, &known, slack.max(1)));
        }
    }
    let faults: usize = clips.iter().map(|clip| clip.faults).sum();
    let mut table = format!("{} clips, {faults} faults", clips.len());
    let named = ours.iter().map(|score| ("check", score)).chain(FILTERS.into_iter().zip(&theirs));
    for (name, (kind, score)) in named {
        let (precision, recall) = (100.0 * score.precision(), 100.0 * score.recall());
        table += &format!("\n| `{kind}` | `{name}` | {} | {recall:.1} % | {precision:.1} % |", score.known);
    }
    let is_good = |score: &Score| score.recall() >= 0.98 && score.precision() >= 0.98;
    assert!(ours.iter().all(|(_, score)| is_good(score)), "{table}\n{ours:#?}");
    table
}

#[test]
fn frames_out_of_order_are_no_faults() {
    // Motion, noise and a fade are none of the findings.
    let clip = Clip::moving("clean.mkv", "96x54", 2.0, "-vf fade=in:0:20,noise=alls=10:allf=t -c:v ffv1");
    let all = found(clip.path());
    let stretches: Vec<_> = all.iter().filter(|(check, _)| ["frozen", "flash"].contains(&check.as_str())).collect();
    assert!(stretches.is_empty(), "{all:?}");
}

//! `histoscope bench --play`: a video played in real time without a display.

use serde_json::Value;

use crate::command::{Run, finish, program, sample};

/// Plays with these arguments on Mesa's software adapter.
fn play(arguments: &[&str]) -> Run {
    finish(program().args(["bench", "--adapter", "llvmpipe", "--play"]).args(arguments))
}

#[test]
fn playing_is_measured_in_a_view_of_any_size() {
    let sample = sample().to_str().unwrap();
    let run = play(&[sample, "--seconds", "2", "--size", "320x180", "--json"]);
    // A busy machine may have pictures that come late, which is said on standard error.
    assert_eq!(run.code, Some(0), "{run:?}");
    let figures: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(figures["size"], serde_json::json!([320, 180]));
    let count = |name: &str| figures[name].as_u64().unwrap_or_else(|| panic!("{name} in {figures}"));
    let (drawn, dropped) = (count("drawn"), count("dropped"));
    let played_secs = figures["played_secs"].as_f64().unwrap();
    assert!(drawn > 0 && played_secs >= 2.0, "{figures}");
    // The sample has 30 frames per second: each that came up was drawn, was dropped, or comes next.
    let expected = played_secs * 30.0;
    assert!((drawn + dropped) as f64 <= expected + 2.0, "{figures}");
    let delay = &figures["delay_ms"];
    let [median, p95, most] = ["median", "p95", "most"].map(|name| delay[name].as_f64().unwrap());
    assert!(0.0 < median && median <= p95 && p95 <= most, "{figures}");
}

#[test]
fn playing_ends_with_the_video_and_is_told_in_lines() {
    let folder = tempfile::tempdir().unwrap();
    let clip = folder.path().join("clip.mp4");
    let made = std::process::Command::new("ffmpeg")
        .args(["-v", "error", "-i", sample().to_str().unwrap(), "-t", "0.5", "-vf", "scale=320:180"])
        .arg(&clip)
        .status()
        .unwrap();
    assert!(made.success());
    let run = play(&[clip.to_str().unwrap(), "--seconds", "3000"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    // A small video has a window in which its histograms can be read.
    assert!(run.stdout.contains("view of 480×270 pixels"), "{}", run.stdout);
    for line in [
        "frames drawn",
        "frames dropped",
        "processor time per frame",
        "in the background",
        "GPU time per frame",
        "delay from due",
    ] {
        assert!(run.stdout.lines().any(|told| told.starts_with(line)), "{line}: {}", run.stdout);
    }
}

#[test]
fn a_missing_video_and_several_sizes_are_refused() {
    play(&["missing.mp4"]).fails_with(&["missing.mp4"]);
    let run = play(&[sample().to_str().unwrap(), "--size", "320x180,640x360"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("--size takes one size"), "{run:?}");
}

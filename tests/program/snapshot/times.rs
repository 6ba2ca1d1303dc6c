//! `--at` shows the frame that is on screen at this time.

use std::path::Path;

use crate::command::{figures, run, sample};
use crate::common::{Clip, odd, rest};
use histoscope_media::{Decoder, OpenOptions};

fn pts(clip: &Path, at: &str) -> (f64, Option<u64>) {
    let json = figures(clip, &["--at", at, "--engine", "cpu"]);
    (json["pts_seconds"].as_f64().expect("a number"), json["frame"].as_u64())
}

fn check(clip: &Path, at: &str, expected_secs: f64, expected_frame: u64) {
    let (secs, frame) = pts(clip, at);
    assert!((secs - expected_secs).abs() < 2e-3, "at {at}: {secs} instead of {expected_secs}");
    assert!(frame.is_none_or(|frame| frame == expected_frame), "at {at}: frame {frame:?}, not {expected_frame}");
}

#[test]
fn a_constant_rate() {
    // At 30 frames per second, frame 96 is on screen from 3.2 s until just before 3.2333 s.
    for (at, frame) in [("0", 0), ("0.033", 0), ("0.034", 1), ("3.2", 96), ("3.233", 96), ("3.234", 97), ("9.97", 299)]
    {
        check(sample(), at, frame as f64 / 30.0, frame);
    }
}

#[test]
fn a_frame_is_found_by_its_number() {
    for number in [0_u32, 1, 96, 299] {
        let (secs, frame) = pts(sample(), &format!("{number}f"));
        assert!((secs - f64::from(number) / 30.0).abs() < 2e-3, "frame {number}: {secs}");
        assert!(frame.is_none_or(|frame| frame == u64::from(number)), "frame {number}: {frame:?}");
    }
    let sample = sample().to_str().expect("plain");
    let run = run(["snapshot", sample, "--at", "300f"]);
    run.fails_with(&["sample.mp4", "there is no frame 300: the last one is 299"]);
}

#[test]
fn a_varying_rate() {
    // Frames at 0, 0.1, 0.4, 0.9 and 1.6 seconds.
    let arguments =
        "-vf settb=1/1000,setpts=N*N*100 -fps_mode passthrough -enc_time_base 1/1000 -c:v libx264 -preset ultrafast";
    let clip = Clip::moving("clip.mkv", "32x32", 0.2, arguments);
    for (at, secs, frame) in [
        ("0.09", 0.0, 0),
        ("0.1", 0.1, 1),
        ("0.39", 0.1, 1),
        ("0.4", 0.4, 2),
        ("0.89", 0.4, 2),
        ("0:00:00.95", 0.9, 3),
        ("00:01.59", 0.9, 3),
        ("0:01.6", 1.6, 4),
        ("75", 1.6, 4),
        ("1:00:00", 1.6, 4),
    ] {
        check(clip.path(), at, secs, frame);
    }
}

#[test]
fn after_the_end_stands_the_last_frame() {
    check(sample(), "10", 299.0 / 30.0, 299);
    check(sample(), "99999", 299.0 / 30.0, 299);
    for (at, is_told) in [("9.99", false), ("10", false), ("10.1", true), ("99999", true)] {
        let run = run(["snapshot", sample().to_str().unwrap(), "--at", at, "--engine", "cpu"]);
        assert_eq!(
            (run.code, run.stderr.contains("its last frame, at 9.967 s")),
            (Some(0), is_told),
            "{at}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_frame_that_a_cut_file_has_lost_is_an_error() {
    let clip =
        Clip::moving("whole.mp4", "160x96", 4.0, "-c:v libx264 -g 12 -bf 2 -pix_fmt yuv420p -movflags faststart");
    let bytes = clip.bytes();
    let cut = Clip::from_bytes("cut.mp4", &bytes[..bytes.len() * 55 / 100]);
    let path = cut.path().to_str().unwrap();
    let snapshot = |at: &str| run(["snapshot", path, "--engine", "cpu", "--at", at]);
    // What analyze says, with the last frame that is there.
    for at in ["3", "90f"] {
        snapshot(at).fails_with(&[
            "cut.mp4: it ends after 2.",
            "s of 4.000 s, so there is nothing at",
            "the last frame is",
        ]);
    }
    // Before the cut, all is well.
    for at in ["0", "1", "20f"] {
        let run = snapshot(at);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{at}: {run:?}");
    }
}

#[test]
fn the_first_frame_is_counted() {
    assert_eq!(pts(sample(), "0").1, Some(0));
}

#[test]
fn times_are_from_the_first_frame() {
    // The first frame's timestamp is an hour.
    let clip = Clip::moving("clip.mkv", "32x32", 1.0, "-output_ts_offset 3600 -c:v libx264 -preset ultrafast");
    let json = figures(clip.path(), &["--at", "0.5", "--engine", "cpu"]);
    assert!((json["pts_seconds"].as_f64().unwrap() - 3600.48).abs() < 2e-3, "{}", json["pts_seconds"]);
    assert!((json["time_seconds"].as_f64().unwrap() - 0.48).abs() < 2e-3, "{}", json["time_seconds"]);
}

#[test]
fn what_is_no_time_is_a_usage_error() {
    for at in ["-1", "x", "1:75", "nan", "1e3"] {
        let run = run(["snapshot", sample().to_str().unwrap(), "--at", at]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    }
}

#[test]
fn a_damaged_frame_is_called_so() {
    let arguments = "-vf noise=alls=12:allf=t -c:v libx264 -preset fast -pix_fmt yuv420p -g 24 -bf 2 -b:v 1M";
    let clip = odd::with_damage(&Clip::moving("clip.mkv", "256x144", 8.0, arguments), "damaged.mkv");
    // With several threads FFmpeg may report damage in other frames each time.
    let options = OpenOptions { threads: Some(1), ..OpenOptions::default() };
    let mut decoder = Decoder::open(clip.path(), &options).expect("a video");
    let frames = rest(&mut decoder);
    for is_damaged in [false, true] {
        let frame = frames.iter().find(|frame| frame.damaged == is_damaged).expect("such a frame");
        let at = format!("{:.3}", frame.time_secs + frame.duration_secs / 2.0);
        let arguments = ["--at", &at, "--engine", "cpu", "--threads", "1"];
        assert_eq!(figures(clip.path(), &arguments)["damaged"], is_damaged, "at {at}");
        let table = run([&["snapshot", clip.path().to_str().expect("plain")][..], &arguments].concat()).stdout;
        assert_eq!(table.contains("damaged: the decoder's substitute"), is_damaged, "{table}");
    }
}

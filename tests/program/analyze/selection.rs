//! The selection of frames, and of a region in them.

use histoscope_media::{Decoder, OpenOptions};
use serde_json::Value;

use crate::analyze::program::{analyze, numbers, output, records};
use crate::common::Clip;

/// Makes 250 frames of H.264 with open groups of pictures and B-frames.
fn long() -> Clip {
    let arguments = "-c:v libx264 -preset veryfast -g 25 -bf 3 -x264-params open-gop=1 -pix_fmt yuv420p";
    Clip::moving("long.mp4", "64x48", 10.0, arguments)
}

/// Makes the same clip with a variable frame rate, in milliseconds.
fn variable() -> Clip {
    let clip = long();
    let times = "-c:v libx264 -preset veryfast -g 30 -bf 3 -fps_mode vfr -vf";
    let filter = "select='not(eq(mod(n,7),3))',setpts='N*N*0.0005/TB+N*0.03/TB'";
    let made = clip.make("variable.mkv", &format!("-i @ {times} {filter}"));
    Clip::from_bytes("variable.mkv", &std::fs::read(made).unwrap())
}

#[test]
fn from_and_to_are_exact() {
    for clip in [long(), variable()] {
        let (all, _) = records(clip.path(), &[]);
        let count = all.len();
        for (from, to, expected) in [
            ("10f", "20f", 10..20),
            ("f24", "f26", 24..26),
            ("99f", "9999f", 99..count),
            ("0f", "1f", 0..1),
            ("0", "0.5", 0..all.iter().filter(|r| r["time_seconds"].as_f64().unwrap() < 0.4999).count()),
        ] {
            let (found, summary) = records(clip.path(), &["--from", from, "--to", to]);
            assert!(found == all[expected.clone()], "{from} to {to}: {:?}", numbers(&found));
            assert_eq!(
                (&summary["first_frame"], &summary["end_frame"]),
                (&expected.start.into(), &expected.end.into())
            );
            assert_eq!(summary["reached_end"], expected.end == count);
        }
        // A selection can begin with a frame's own time, and ends before it.
        for number in [1, 25, 77, 149] {
            let time = all[number]["time_seconds"].to_string();
            assert_eq!(
                numbers(&records(clip.path(), &["--from", &time, "--to", "150f"]).0).first(),
                Some(&(number as u64))
            );
            assert_eq!(numbers(&records(clip.path(), &["--to", &time]).0).last(), Some(&(number as u64 - 1)));
        }
    }
}

#[test]
fn times_between_frames_lead_to_the_next_one_however_coarse_the_ticks() {
    // A tick is a frame here, 0.04 s.
    let clip = Clip::moving("clip.avi", "32x32", 0.4, "-c:v ffv1 -pix_fmt yuv420p");
    for (from, to, expected) in [("0.06", "0.18", 2..5), ("0.04", "0.16", 1..4), ("0.0401", "0.1999", 2..5)] {
        let found = numbers(&records(clip.path(), &["--from", from, "--to", to]).0);
        assert_eq!(found, expected.collect::<Vec<_>>(), "{from} to {to}");
    }
}

#[test]
fn numbers_are_exact_where_packets_do_not_tell_them() {
    // VP8 has packets without a shown frame, so all frames before the selection are decoded.
    let clip = Clip::moving("clip.webm", "64x48", 3.0, "-c:v libvpx -auto-alt-ref 1 -lag-in-frames 16 -b:v 200k");
    let (all, _) = records(clip.path(), &[]);
    assert_eq!(all.len(), 75);
    assert!(records(clip.path(), &["--from", "40f", "--to", "2"]).0 == all[40..50]);
    // A pipe can be read only forwards.
    let mut command = crate::command::program();
    command.args(["analyze", "-", "--engine", "cpu", "--from", "30f", "--to", "33f"]);
    let run = crate::command::finish(command.stdin(std::fs::File::open(clip.path()).unwrap()));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(numbers(&crate::analyze::program::read_records(&run.stdout).0), [30, 31, 32]);
}

#[test]
fn every_and_keyframes_choose_by_the_frames_own_numbers() {
    let clip = long();
    let (all, _) = records(clip.path(), &[]);
    let chosen = |choose: &dyn Fn(&Value) -> bool| all.iter().filter(|r| choose(r)).cloned().collect::<Vec<_>>();
    let number = |record: &Value| record["frame"].as_u64().unwrap();
    assert!(records(clip.path(), &["--every", "7"]).0 == chosen(&|r| number(r) % 7 == 0));
    let part = chosen(&|r| number(r) % 7 == 0 && (30..100).contains(&number(r)));
    assert!(records(clip.path(), &["--every", "7", "--from", "30f", "--to", "100f"]).0 == part);
    let keys = chosen(&|r| r["key_frame"] == true);
    assert!((5..50).contains(&keys.len()), "{}", keys.len());
    assert!(records(clip.path(), &["--keyframes"]).0 == keys);
    assert!(records(clip.path(), &["--keyframes", "--jobs", "2"]).0 == keys);
}

#[test]
fn several_decoders_give_the_same() {
    for clip in [long(), variable()] {
        for format in ["jsonl", "csv", "ffprobe"] {
            let one = output(clip.path(), &["--format", format]);
            assert!(output(clip.path(), &["--format", format, "--jobs", "3"]) == one, "{format}");
        }
        let part = ["--from", "13f", "--to", "177f", "--every", "3"];
        let with_jobs = [&part[..], &["--jobs", "2"]].concat();
        assert!(output(clip.path(), &with_jobs) == output(clip.path(), &part));
    }
}

#[test]
fn regions_in_percent_are_those_in_pixels() {
    let clip = Clip::moving("clip.mkv", "80x60", 0.2, "-c:v ffv1 -pix_fmt yuv420p");
    let (percent, summary) = records(clip.path(), &["--region", "25%,10%,50%,50%"]);
    let (pixels, _) = records(clip.path(), &["--region", "20,6,40,30"]);
    assert!(percent == pixels);
    assert_eq!(summary["options"]["region"], "25%,10%,50%,50%");
    assert_eq!(pixels[0]["region"], serde_json::json!([20, 6, 40, 30]));
    assert_eq!((&pixels[0]["count"], &pixels[0]["width"]), (&1200.into(), &80.into()));
    let whole = records(clip.path(), &[]).0;
    assert!(records(clip.path(), &["--region", "0,0,100%,100%"]).0 == whole, "the whole picture is no region");
}

#[test]
fn bars_are_found_and_left_out() {
    let pad = "-vf pad=120:92:8:16:black -c:v ffv1 -pix_fmt yuv420p";
    let clip = Clip::moving("bars.mkv", "100x60", 2.0, pad);
    let run = analyze(clip.path(), &["--crop-bars"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    for words in ["16 rows above, 16 below", "8 columns left, 12 right", "100×60 pixels from 8,16"] {
        assert!(run.stderr.contains(words), "no {words} in {}", run.stderr);
    }
    let (found, summary) = crate::analyze::program::read_records(&run.stdout);
    assert_eq!(summary["options"]["bars_leave"], serde_json::json!([8, 16, 100, 60]));
    assert!(found == records(clip.path(), &["--region", "8,16,100,60"]).0);
    // Every share finds the bars of the whole file.
    let share = analyze(clip.path(), &["--crop-bars", "--from", "20f", "--to", "22f", "--quiet"]);
    assert_eq!(share.stderr, "");
    assert_eq!(crate::analyze::program::read_records(&share.stdout).0, found[20..22]);
    let plain = Clip::moving("plain.mkv", "100x60", 0.4, "-c:v ffv1 -pix_fmt yuv420p");
    assert!(analyze(plain.path(), &["--crop-bars"]).stderr.contains("no black bars"));
    let black = Clip::new("black.mkv", "-f lavfi -i color=black:size=32x32:duration=0.2 -c:v ffv1 -pix_fmt yuv420p");
    assert_eq!(
        crate::analyze::program::read_records(&analyze(black.path(), &["--crop-bars"]).stdout).0[0]["count"],
        1024
    );
}

/// The picture moves down in the middle of the clip, far from the only key frame.
#[test]
fn bars_are_those_of_frames_from_all_over_the_file() {
    let half = |y| format!("-f lavfi -i color=black:s=64x96:r=25:d=2,drawbox=x=0:y={y}:w=64:h=40:c=white:t=fill");
    let join = "-filter_complex [0][1]concat -c:v libx264 -g 999 -sc_threshold 0 -pix_fmt yuv420p";
    let clip = Clip::new("moves.mp4", &format!("{} {} {join}", half(16), half(32)));
    assert_eq!(records(clip.path(), &["--keyframes"]).0.len(), 1);
    let run = analyze(clip.path(), &["--crop-bars", "--every", "50"]);
    assert!(run.stderr.contains("16 rows above, 24 below"), "{run:?}");
}

#[test]
fn the_packets_tell_the_frames() {
    let clip = variable();
    let mut decoder = Decoder::open(clip.path(), &OpenOptions::default()).unwrap();
    let index = decoder.frame_index(|| true).unwrap().expect("an index");
    let mut found = Vec::new();
    while let Some(frame) = decoder.next_frame().unwrap() {
        found.push(frame.pts_ticks);
    }
    assert_eq!(index.pts, found);
    assert!(index.keys.len() > 3 && index.keys.iter().all(|key| found.contains(key)));
    assert_eq!(decoder.frame_index(|| false).unwrap().map(|index| index.pts.len()), Some(found.len()), "short enough");
}

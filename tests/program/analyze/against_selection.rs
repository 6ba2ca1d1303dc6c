//! `--against`: the pairs of frames that are compared, files that end before the other, and refused arguments.

use std::io::Read;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::analyze::against::{compare, compared};
use crate::analyze::program::{analyze, numbers, read_records};
use crate::command::program;
use crate::common::Clip;

const LOSSLESS: &str = "-c:v ffv1 -g 1 -pix_fmt yuv420p";

/// Makes 50 frames of different noise.
fn clip() -> Clip {
    Clip::noisy("clip.mkv", "64x48", "yuv420p", 50, LOSSLESS)
}

fn partners(records: &[Value]) -> Vec<(u64, u64)> {
    let number = |record: &Value, name: &str| record[name].as_u64().expect("a number");
    records.iter().map(|record| (number(record, "frame"), number(record, "against_frame"))).collect()
}

#[test]
fn a_known_offset_leads_to_the_same_frames() {
    let clip = clip();
    // The other file begins seven frames earlier, and is encoded again.
    let late = clip.make("late.mkv", &format!("-ss 0.28 -i @ {LOSSLESS}"));
    let (records, summary) = compared(&late, clip.path(), &["--offset", "7"], 0);
    assert_eq!(partners(&records), (0..43).map(|n| (n, n + 7)).collect::<Vec<_>>());
    assert_eq!(summary["comparison"]["identical"], true);
    assert_eq!(summary["options"]["against"]["offset"], 7);
    let (records, _) = compared(clip.path(), &late, &["--offset", "-7"], 0);
    assert_eq!(partners(&records), (0..43).map(|n| (n + 7, n)).collect::<Vec<_>>());
    // A different offset compares different frames, and leaves some without a partner.
    let run = compare(&late, clip.path(), &["--offset", "6"]);
    assert_eq!(run.code, Some(3));
    let (_, summary) = read_records(&run.stdout);
    assert_eq!(
        (&summary["comparison"]["differing"], &summary["comparison"]["only_in_against"]),
        (&json!(43), &json!(1))
    );
    assert!(run.stderr.contains("clip.mkv has 1 more frame at its end"), "{}", run.stderr);
    let none = compare(&late, clip.path(), &["--offset", "-43", "-q"]);
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.stderr.contains("no frames were compared") && none.stderr.contains("--offset"), "{}", none.stderr);
}

/// Two encodes of one clip; one begins later.
#[test]
fn an_offset_is_found() {
    let clip = Clip::moving("clip.mp4", "96x64", 6.0, "-c:v libx264 -crf 28 -bf 2 -pix_fmt yuv420p");
    let late = clip.make("late.mp4", "-ss 0.88 -i @ -c:v mpeg4 -q:v 6");
    for (ours, theirs, offset, arguments) in [
        (&*late, clip.path(), 22, &["--align", "30"][..]),
        (clip.path(), &*late, -22, &["--align", "30"]),
        (
            clip.path(),
            &*late,
            -22,
            &["--offset", "-30", "--align", "8", "--from", "40f", "--region", "25%,25%,50%,50%"],
        ),
    ] {
        let run = compare(ours, theirs, arguments);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stderr.contains(&format!("best match: offset {offset} (")), "{}", run.stderr);
        let (records, summary) = read_records(&run.stdout);
        assert_eq!(summary["options"]["against"]["offset"], offset);
        assert!(records.iter().all(|record| record["psnr_y"].as_f64().unwrap() > 25.0), "{}", run.stderr);
    }
    // A graded copy changes as the clip does.
    let sample = crate::command::sample();
    let grades = ["eq=gamma=1.1", "eq=gamma=0.8:saturation=1.4", "eq=contrast=1.2:brightness=-0.05"];
    for grade in grades {
        let graded = clip.make(
            "graded.mp4",
            &format!(
                "-ss 0.4 -i {} -vf {grade},format=yuv420p -c:v libx264 -crf 20 -preset ultrafast",
                sample.display()
            ),
        );
        let run = compare(sample, &graded, &["--align", "20", "--to", "1f"]);
        assert!(run.stderr.contains("best match: offset -12 ("), "{grade}: {}", run.stderr);
    }
    // In a still clip, no offset is better than the others. Without partners, nothing is matched.
    let still = Clip::new("still.mkv", "-f lavfi -i color=c=0x80ff20:s=64x48:d=2 -c:v ffv1 -pix_fmt yuv420p");
    compare(still.path(), still.path(), &["--align", "20", "-q"])
        .fails_with(&["still.mkv: not sure of the offset; 0 and ", "--offset"]);
    compare(still.path(), still.path(), &["--offset", "300", "--align", "9"])
        .fails_with(&["too short to be matched", "--offset"]);
}

#[test]
fn frames_that_only_one_file_has_are_a_difference() {
    let clip = clip();
    let short = clip.make("short.mkv", &format!("-i @ -frames:v 46 {LOSSLESS}"));
    for (ours, theirs, here, there) in [(clip.path(), &*short, 4, 0), (&*short, clip.path(), 0, 4)] {
        let run = compare(ours, theirs, &[]);
        assert_eq!(run.code, Some(3), "{run:?}");
        let (records, summary) = read_records(&run.stdout);
        assert_eq!((records.len(), summary["complete"].as_bool()), (46, Some(true)));
        let comparison = &summary["comparison"];
        assert_eq!((&comparison["only_in_input"], &comparison["only_in_against"]), (&json!(here), &json!(there)));
        assert_eq!((&comparison["differing"], &comparison["identical"]), (&json!(0), &json!(false)));
        let words = "same in 46 frames, sample by sample; ";
        assert!(run.stderr.contains(words) && run.stderr.contains("clip.mkv has 4 more frames"), "{}", run.stderr);
    }
    // The part that both files have is equal.
    compared(clip.path(), &short, &["--to", "46f"], 0);
    compared(clip.path(), &short, &["--from", "46f"], 3);
}

#[test]
fn selections_choose_frames_of_the_input_and_their_partners() {
    let clip = clip();
    let arguments = "-c:v libx264 -preset veryfast -g 20 -bf 3 -crf 35 -pix_fmt yuv420p";
    let other = clip.make("other.mp4", &format!("-i @ {arguments}"));
    let (all, _) = compared(clip.path(), &other, &[], 3);
    assert_eq!(all.len(), 50);
    let part = |arguments: &[&str]| compared(clip.path(), &other, arguments, 3).0;
    assert!(part(&["--from", "13f", "--to", "31f"]) == all[13..31]);
    assert!(part(&["--from", "0.6", "--to", "44f"]) == all[15..44]);
    let every: Vec<_> = all.iter().step_by(7).cloned().collect();
    assert!(part(&["--every", "7"]) == every);
    // The key frames are the input's.
    let keys = compared(&other, clip.path(), &["--keyframes"], 3).0;
    assert!(keys.len() >= 3 && keys.iter().all(|record| record["key_frame"] == true), "{:?}", numbers(&keys));
}

#[test]
fn shares_join_into_what_one_run_writes() {
    let clip = clip();
    let other = clip.make("other.mkv", &format!("-i @ -frames:v 45 -vf hue=s=0:enable=gt(n\\,30) {LOSSLESS}"));
    for format in ["jsonl", "csv", "json", "parquet"] {
        let whole = clip.folder().join(format!("whole.{format}"));
        let run = compare(clip.path(), &other, &["-q", "-o", whole.to_str().unwrap()]);
        assert_eq!(run.code, Some(3), "{run:?}");
        let mut merge = vec!["merge".to_owned()];
        for (index, (from, to)) in [("0f", "20f"), ("20f", "40f"), ("40f", "999f")].into_iter().enumerate() {
            let share = clip.folder().join(format!("share-{index}.{format}")).to_str().unwrap().to_owned();
            let code = compare(clip.path(), &other, &["--from", from, "--to", to, "-q", "-o", &share]).code;
            assert_eq!(code, Some(if index == 0 { 0 } else { 3 }), "{from}");
            merge.push(share);
        }
        let joined = clip.folder().join(format!("joined.{format}"));
        merge.extend(["-o".to_owned(), joined.to_str().unwrap().to_owned()]);
        let run = crate::command::run(&merge);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert!(std::fs::read(&joined).unwrap() == std::fs::read(&whole).unwrap(), "{format}");
    }
}

#[test]
fn a_file_that_ends_early_is_named_and_what_there_is_is_written() {
    let whole = Clip::moving("whole.mkv", "64x48", 2.0, "-c:v libx264 -g 12 -bf 2 -pix_fmt yuv420p");
    let bytes = whole.bytes();
    let cut = Clip::from_bytes("cut.mkv", &bytes[..bytes.len() * 6 / 10]);
    for (ours, theirs) in [(whole.path(), cut.path()), (cut.path(), whole.path())] {
        let run = compare(ours, theirs, &[]);
        assert_eq!(run.code, Some(1), "{run:?}");
        let line = run.stderr.lines().last().unwrap();
        assert!(line.contains("cut.mkv: it ends after") && line.contains("of 2.000 s"), "{line}");
        let (records, summary) = read_records(&run.stdout);
        assert!((10..45).contains(&records.len()), "{}", records.len());
        assert_eq!((&summary["complete"], &summary["frames"]), (&json!(false), &json!(records.len())));
        assert!(summary["reason"].as_str().unwrap().contains("it ends after"), "{summary}");
        assert_eq!(summary["comparison"]["compared"], records.len());
    }
    // The requested part is before the cut.
    compared(whole.path(), cut.path(), &["--to", "10f"], 0);
    compare(whole.path(), &whole.folder().join("missing.mkv"), &[]).fails_with(&["missing.mkv"]);
    let text = Clip::from_bytes("text.mp4", b"no video");
    compare(whole.path(), text.path(), &[]).fails_with(&["text.mp4"]);
}

#[test]
fn regions_that_the_other_picture_lacks_are_named() {
    let clip = clip();
    let small = clip.make("small.mkv", &format!("-i @ -vf scale=32:24 {LOSSLESS}"));
    let run = compare(clip.path(), &small, &["--region", "20,20,40,20", "-q"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("small.mkv") && run.stderr.contains("32×24"), "{}", run.stderr);
    compared(clip.path(), &small, &["--region", "25%,25%,50%,50%", "--to", "3f"], 3);
}

#[test]
fn what_does_not_go_with_a_comparison_is_refused() {
    let clip = clip();
    let path = clip.path().to_str().unwrap();
    let out = clip.folder().join("out.jsonl");
    for (arguments, said) in [
        (&["--format", "ffprobe"][..], "no fields for a comparison"),
        (&["--format", "qctools", "-o", out.to_str().unwrap()], "no fields for a comparison"),
        (&["--resume", "-o", out.to_str().unwrap()], "--resume cannot be used with --against"),
        (&["--jobs", "2"], "--jobs cannot be used with --against"),
        (&["--crop-bars"], "--crop-bars cannot be used with --against"),
        (&["--posterize=4"], "leave out the adjustments"),
        (&["--offset", "x"], "--offset"),
        (&["--align", "0"], "--align"),
    ] {
        let run = compare(clip.path(), clip.path(), arguments);
        assert_eq!((run.code, run.stderr.contains(said)), (Some(2), true), "{arguments:?}: {run:?}");
    }
    let alone = analyze(clip.path(), &["--offset", "3"]);
    assert_eq!((alone.code, alone.stderr.contains("--against")), (Some(2), true), "{alone:?}");
    let twice = crate::command::run(["analyze", "-", "--against", "-"]);
    assert_eq!((twice.code, twice.stderr.contains("can be read only once")), (Some(2), true), "{twice:?}");
    let aligned = crate::command::run(["analyze", "-", "--against", path, "--align", "9"]);
    assert_eq!((aligned.code, aligned.stderr.contains("save standard input")), (Some(2), true), "{aligned:?}");
    let several = crate::command::run(["analyze", path, path, "--against", "-"]);
    assert_eq!(several.code, Some(2), "{several:?}");
    // The records must not overwrite the other video.
    let other = clip.make("other.mkv", "-i @ -c copy");
    let run = compare(clip.path(), &other, &["--format", "csv", "-o", other.to_str().unwrap()]);
    run.fails_with(&["other.mkv", "name another file with -o"]);
}

#[test]
fn several_inputs_are_compared_with_one() {
    let clip = clip();
    let same = clip.make("same.mkv", "-i @ -c copy");
    let gray = clip.make("gray.mkv", &format!("-i @ -vf hue=s=0 {LOSSLESS}"));
    let run = |first: &std::path::Path| {
        let mut command = program();
        command.args(["analyze", "--engine", "cpu", "-q", "--against"]).arg(clip.path()).arg(first).arg(&same);
        crate::command::finish(&mut command).code
    };
    assert_eq!((run(&same), run(&gray)), (Some(0), Some(3)));
}

#[test]
fn a_reader_that_goes_away_leaves_the_question_open() {
    let clip = Clip::moving("clip.mkv", "64x48", 20.0, LOSSLESS);
    let mut command = program();
    command.args(["analyze", "--engine", "cpu", "--bins", "--against"]).arg(clip.path()).arg(clip.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut some = [0; 64];
    child.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(
        (ended.status.code(), said.contains("the reader of the records has closed the output")),
        (Some(1), true),
        "{said}"
    );
}

//! Timecodes of frames in the records, and selections by timecode.

use crate::analyze::program::{analyze, numbers, output, records};
use crate::common::Clip;
use crate::common::timecoded::{clip, counted, hevc};

const X264: &str = "-c:v libx264 -preset ultrafast -g 12";

fn told(records: &[serde_json::Value]) -> Vec<String> {
    records.iter().map(|record| record["timecode"].as_str().unwrap_or("none").to_owned()).collect()
}

#[test]
fn each_record_has_its_timecode() {
    let place = ("30000/1001", "00:00:59;20");
    for (name, arguments) in [("clip.mov", X264), ("clip.mkv", X264), ("clip.mxf", "-c:v mpeg2video -bf 2")] {
        let clip = clip(name, place, 40, arguments);
        let expected = counted(place, 40);
        for arguments in [&[][..], &["--jobs", "2"]] {
            assert_eq!(told(&records(clip.path(), arguments).0), expected, "{name} {arguments:?}");
        }
        assert_eq!(told(&records(clip.path(), &["--from", "33f"]).0), expected[33..], "{name}");
        let table = output(clip.path(), &["--format", "csv"]);
        let column = table.lines().next().unwrap().split(',').position(|name| name == "timecode").unwrap();
        let cells = table.lines().skip(1).filter(|line| !line.starts_with('#')).map(|line| line.split(',').nth(column));
        assert_eq!(cells.map(Option::unwrap).collect::<Vec<_>>(), expected, "{name}");
    }
    let none = Clip::moving("none.mp4", "32x32", 0.2, X264);
    assert!(records(none.path(), &[]).0.iter().all(|record| record["timecode"].is_null()));
}

#[test]
fn timecodes_name_the_frames_of_a_span() {
    let clip = clip("clip.mov", ("25", "23:59:59:00"), 60, X264);
    for (from, to, expected) in [
        ("23:59:59:05", "00:00:00:00", 5..25),
        ("23:59:58:00", "23:59:59:02", 0..2),
        ("00:00:01:00", "00:00:01:10", 50..60),
        ("00:00:01:05", "01:00:00:00", 55..60),
        ("1.0", "00:00:00:02", 25..27),
    ] {
        let found = numbers(&records(clip.path(), &["--from", from, "--to", to]).0);
        assert_eq!(found, expected.collect::<Vec<_>>(), "{from} to {to}");
    }
}

#[test]
fn timecodes_that_jump_are_looked_up() {
    let stated: Vec<_> =
        (0..30).map(|frame| if frame < 20 { [10, 0, 0, frame] } else { [12, 0, 0, frame - 20] }).collect();
    let clip = hevc("jump.hevc", &stated);
    for (arguments, expected) in [
        (&["--from", "12:00:00:03"][..], 23..30),
        (&["--from", "10:00:00:18", "--to", "12:00:00:02"], 18..22),
        (&["--from", "09:00:00:00", "--to", "10:00:00:02"], 0..2),
        (&["--from", "12:00:00:08", "--to", "12:00:00:10"], 28..30),
        (&["--from", "12:00:00:08", "--to", "13:00:00:00"], 28..30),
    ] {
        let found = numbers(&records(clip.path(), arguments).0);
        assert_eq!(found, expected.collect::<Vec<_>>(), "{arguments:?}");
    }
    let run = analyze(clip.path(), &["--from", "11:00:00:00"]);
    let expected = "jump.hevc: no frame has the timecode 11:00:00:00; the first one has 10:00:00:00";
    assert_eq!((run.code, run.stderr.lines().count()), (Some(1), 1), "{run:?}");
    assert!(run.stderr.contains(expected), "{run:?}");
}

#[test]
fn timecodes_that_lead_nowhere_are_refused() {
    let none = Clip::moving("none.mp4", "32x32", 0.4, X264);
    let run = analyze(none.path(), &["--from", "10:00:00:00"]);
    let expected = "none.mp4: its frames have no timecodes; use a time (1:02.5) or a frame number (250f) instead";
    assert!(run.code == Some(1) && run.stderr.contains(expected), "{run:?}");
    let clip = clip("clip.mov", ("25", "10:00:00:00"), 20, X264);
    for (arguments, code, expected) in [
        (&["--from", "10:00:00;00"][..], 1, "no frame has the timecode 10:00:00;00; the first one has 10:00:00:00"),
        (&["--from", "10:00:00:25"], 1, "no frame has the timecode 10:00:00:25"),
        (&["--from", "10:00:00:10", "--to", "10:00:00:05"], 1, "10:00:00:05"),
        (&["--from", "25:00:00:00"], 2, "'25:00:00:00' is neither a time, a timecode nor a frame number"),
    ] {
        let run = analyze(clip.path(), arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(code), ""), "{run:?}");
        assert!(run.stderr.contains(expected), "{run:?}");
    }
}

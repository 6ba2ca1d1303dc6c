//! Numbered pictures and tracks on the command line, and pictures in floating point.

use serde_json::Value;

use crate::analyze::program::{analyze, output, read_records};
use crate::command::{finish, program, run};
use crate::common::{Clip, noise};

/// Makes twenty numbered pictures, where the ninth is missing.
fn broken() -> Clip {
    let clip = Clip::blank("%06d.dpx");
    clip.make("%06d.dpx", "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.8");
    std::fs::remove_file(clip.folder().join("000009.dpx")).unwrap();
    clip
}

#[test]
fn a_missing_number_is_named_and_what_comes_before_it_is_counted() {
    let clip = broken();
    let other = clip.make("other.mkv", "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.2");
    for input in [clip.path(), clip.folder()] {
        for jobs in ["1", "3"] {
            let run = analyze(input, &["--jobs", jobs]);
            assert_eq!(run.code, Some(1), "{run:?}");
            let words = ["number 9 is missing (000009.dpx)", "the 11 pictures after it are ignored"];
            assert!(words.iter().all(|word| run.stderr.contains(word)), "{}", run.stderr);
            let (records, summary) = read_records(&run.stdout);
            assert_eq!((records.len(), &summary["complete"]), (8, &Value::Bool(false)));
            assert_eq!(records[7]["frame"], 7);
        }
    }
    let folder = clip.folder().join("out");
    let run = finish(program().arg("analyze").arg(clip.path()).arg(&other).arg("--out-dir").arg(&folder));
    assert_eq!(run.code, Some(1), "{run:?}");
    let (records, summary) = read_records(&std::fs::read_to_string(folder.join("other.mkv.jsonl")).unwrap());
    assert_eq!((records.len(), &summary["complete"]), (5, &Value::Bool(true)), "the other input goes on");
    for at in ["12f", "0.5"] {
        let run = finish(program().arg("snapshot").arg(clip.path()).args(["--at", at, "--json"]));
        run.fails_with(&["number 9 is missing", "000009.dpx"]);
    }
    let run = finish(program().arg("snapshot").arg(clip.path()).args(["--at", "7f", "--json"]));
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn rates_and_tracks_that_cannot_be_are_refused() {
    let clip = Clip::blank("%02d.png");
    clip.make("%02d.png", "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.2");
    let (records, _) = read_records(&output(clip.folder(), &["--frame-rate", "24000/1001"]));
    let second = records[1]["time_seconds"].as_f64().unwrap();
    assert!((second - 1001.0 / 24_000.0).abs() < 1e-9, "{second}");
    let wrong = analyze(clip.folder(), &["--frame-rate", "25/0"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("'25/0' is not a frame rate"), "{wrong:?}");
    let several = clip.make(
        "several.mkv",
        "-f lavfi -i testsrc2=size=64x48:duration=0.2 -f lavfi -i color=red:size=32x32:duration=0.2 -map 0 -map 1 -c:v ffv1",
    );
    analyze(&several, &["--track", "9"]).fails_with(&["several.mkv: there is no video track 9", "1 to 2"]);
    let (records, _) = read_records(&output(&several, &["--track", "2"]));
    assert_eq!(records[0]["channels"]["green"]["max"].as_u64(), Some(0));
    let parts = ["1", "2"].map(|track| {
        let path = clip.folder().join(format!("{track}.jsonl"));
        let (from, to) = if track == "1" { ("0f", "2f") } else { ("2f", "9f") };
        std::fs::write(&path, output(&several, &["--track", track, "--from", from, "--to", to])).unwrap();
        path
    });
    let merged = run(["merge".as_ref(), parts[0].as_os_str(), parts[1].as_os_str()]);
    assert_ne!(merged.code, Some(0), "shares of two tracks are not of one video: {merged:?}");
}

/// Returns a picture of 24 × 10 pixels in floating point: green, blue and red, from −0.5 to 1.5.
fn floats() -> Vec<f32> {
    noise(24 * 10 * 3 * 2, 5)
        .chunks_exact(2)
        .map(|two| f32::from(u16::from_le_bytes([two[0], two[1]])) / 32_768.0 - 0.5)
        .collect()
}

#[test]
fn floats_outside_their_range_are_counted_in_all_and_in_part() {
    let all = floats();
    let clip = Clip::blank("float.exr");
    let bytes: Vec<u8> = all.iter().flat_map(|value| value.to_le_bytes()).collect();
    std::fs::write(clip.folder().join("planes.bin"), bytes).unwrap();
    let input = "-f rawvideo -pixel_format gbrpf32le -video_size 24x10 -i @/planes.bin";
    clip.make("float.exr", &format!("{input} -c:v exr -format float -frames:v 1 -update 1"));
    let count = |plane: usize, x: std::ops::Range<usize>, y: std::ops::Range<usize>, is_outside: fn(f32) -> bool| {
        let at = |(x, y): (usize, usize)| all[plane * 240 + y * 24 + x];
        y.flat_map(|y| x.clone().map(move |x| (x, y))).filter(|place| is_outside(at(*place))).count() as u64
    };
    for engine in ["cpu", "gpu"] {
        for (region, x, y) in [(None, 0..24, 0..10), (Some("5,3,7,6"), 5..12, 3..9), (Some("23,9,1,1"), 23..24, 9..10)]
        {
            let mut arguments = vec!["--engine", engine, "--verify"];
            arguments.extend(region.iter().flat_map(|region| ["--region", region]));
            let run = analyze(clip.path(), &arguments);
            assert_eq!(run.code, Some(0), "{run:?}");
            assert!(run.stderr.contains("samples below 0 and above 1 are counted as 0 and 1"), "{}", run.stderr);
            let (records, _) = read_records(&run.stdout);
            for (plane, name) in [(2, "red"), (0, "green"), (1, "blue")] {
                let channel = &records[0]["channels"][name];
                let below = count(plane, x.clone(), y.clone(), |value| value < 0.0);
                let above = count(plane, x.clone(), y.clone(), |value| value > 1.0);
                let found = (channel["below_range"].as_u64(), channel["above_range"].as_u64());
                assert_eq!(found, (Some(below), Some(above)), "{engine} {region:?} {name}");
                assert!(region.is_some() || below + above > 100, "there is something to count");
            }
        }
        let run = finish(program().arg("snapshot").arg(clip.path()).args(["--json", "--engine", engine]));
        let figures: Value = serde_json::from_str(&run.stdout).unwrap();
        let red = &figures["channels"]["red"]["above_range"];
        assert_eq!(red.as_u64(), Some(count(2, 0..24, 0..10, |value| value > 1.0)), "{engine}");
    }
    let within =
        clip.make("within.exr", "-f lavfi -i color=gray:size=24x10 -c:v exr -format float -frames:v 1 -update 1");
    let run = analyze(&within, &[]);
    assert!(!run.stderr.contains("below 0"), "{}", run.stderr);
    let (records, _) = read_records(&run.stdout);
    assert_eq!(records[0]["channels"]["red"]["share_out_of_range"].as_f64(), Some(0.0));
}

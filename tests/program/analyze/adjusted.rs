//! Adjusted pictures: counts equal the plain definition, every record names the adjustments, and runs are never mixed
//! up.

use histoscope_core::adjust::{
    Adjustments, Blur, CameraLog, Clahe, Codes, Equalize, Lut, Otsu, Placing, Posterize, Reduction,
};
use histoscope_core::adjust::{ClassDisplay, Tone, reference};
use histoscope_core::picture::Picture;
use serde_json::Value;

use crate::analyze::program::{analyze, numbers, output, records};
use crate::command::Run;
use crate::common::{Clip, decode_all};

/// A small lookup table, a cube of three nodes per edge.
const LOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/look.cube");

/// Arguments, the adjustments they stand for, and their text in the records.
fn kinds() -> Vec<(&'static [&'static str], Adjustments, &'static str)> {
    let off = Adjustments::default();
    let equalize = |per_channel| Some(Tone::Equalize(Equalize { per_channel, time_constant_secs: 0.0 }));
    let posterize = Posterize { levels: 5, placing: Placing::Population };
    let threshold = |classes, shown| Some(Reduction::Otsu(Otsu { classes, shown }));
    vec![
        (&["--lut", LOOK], Adjustments { lut: Lut::open(LOOK.as_ref()).ok(), ..off }, "LUT look.cube 3³ (395b4142)"),
        (
            &["--camera-log", "s-log3"],
            Adjustments { lut: Some(Lut::of_camera(CameraLog::SLog3)), ..off },
            "S-Log3, S-Gamut3.Cine to BT.709",
        ),
        (&["--equalize"], Adjustments { tone: equalize(false), ..off }, "equalized"),
        (&["--equalize=channels:0"], Adjustments { tone: equalize(true), ..off }, "equalized by channel"),
        (
            &["--posterize", "5:population"],
            Adjustments { reduction: Some(Reduction::Posterize(posterize)), ..off },
            "5 levels by population",
        ),
        (&["--otsu", "4"], Adjustments { reduction: threshold(4, ClassDisplay::Tones), ..off }, "4 classes"),
        (
            &["--low-pass", "5x2", "--clahe", "4x2:3.5", "--otsu", "2:colors"],
            Adjustments {
                blur: Some(Blur { size: 5, runs: 2 }),
                tone: Some(Tone::Clahe(Clahe { tiles: (4, 2), clip_limit: 3.5 })),
                reduction: threshold(2, ClassDisplay::Colors),
                ..off
            },
            "low-pass 5×5 ×2, CLAHE 4×2 clip 3.5, 2 classes in false colours",
        ),
    ]
}

fn clip(format: &str) -> Clip {
    Clip::moving("clip.mkv", "66x50", 0.24, &format!("-c:v ffv1 -pix_fmt {format}"))
}

/// Returns the codes of an adjusted picture by the slow definition.
fn applied(picture: &Picture, adjustments: &Adjustments) -> Codes {
    reference::apply(reference::codes(picture), &adjustments.for_range(picture.colorimetry().range.value))
}

/// Compares a record's bins with those of codes.
fn check(record: &Value, codes: &Codes, name: &str) {
    for (channel, bins) in ["red", "green", "blue", "luminance"].into_iter().zip(reference::bins(codes)) {
        assert_eq!(record["channels"][channel]["bins"], Value::from(bins), "{name}: {channel}");
    }
}

#[test]
fn records_count_the_adjusted_picture() {
    for format in ["yuv420p", "yuv422p10le", "gbrp12le", "gray"] {
        let clip = clip(format);
        let frames = decode_all(clip.path());
        for (arguments, adjustments, told) in kinds() {
            let (records, summary) = records(clip.path(), &[&["--bins"], arguments].concat());
            assert_eq!((records.len(), &summary["options"]["adjustments"]), (6, &Value::from(told)));
            for (record, frame) in records.iter().zip(&frames) {
                let codes = applied(&frame.picture, &adjustments);
                check(record, &codes, &format!("{format}, {told}, {}", record["frame"]));
                assert_eq!((&record["adjustments"], &record["count"]), (&told.into(), &3300.into()));
                assert_eq!(record["pixel_format"], format, "that of the source");
                let classes = match adjustments.reduction {
                    Some(Reduction::Otsu(threshold)) => Some(threshold.classes as usize - 1),
                    _ => None,
                };
                assert_eq!(record["thresholds"].as_array().map(Vec::len), classes, "a threshold between two classes");
            }
        }
    }
}

#[test]
fn a_region_is_cut_out_of_the_whole_adjusted_picture() {
    let clip = clip("yuv420p");
    let frames = decode_all(clip.path());
    let (arguments, adjustments, _) = kinds()[0];
    let (records, _) = records(clip.path(), &[&["--bins", "--region", "3,5,21,17"], arguments].concat());
    for (record, frame) in records.iter().zip(&frames) {
        let whole = applied(&frame.picture, &adjustments);
        let rows = (5..22).flat_map(|y| &whole.rgb[y * 66 + 3..][..21]);
        check(record, &Codes { width: 21, height: 17, rgb: rows.copied().collect(), ..whole }, "region");
    }
}

#[test]
fn every_way_of_counting_says_the_same() {
    let clip = Clip::moving("clip.mp4", "96x64", 10.0, "-c:v libx264 -preset veryfast -g 25 -bf 2 -pix_fmt yuv420p");
    let arguments = ["--bins", "--equalize", "--otsu", "3", "--every", "20"];
    let one = output(clip.path(), &arguments);
    for more in [&["--jobs", "2"][..], &["--engine", "gpu"], &["--verify"]] {
        assert!(output(clip.path(), &[&arguments, more].concat()) == one, "{more:?}");
    }
    // A frame is the same whatever comes before it.
    let (all, _) = records(clip.path(), &arguments);
    let (some, _) = records(clip.path(), &[&arguments[..4], &["--every", "60", "--from", "50f"]].concat());
    assert_eq!(numbers(&some), [60, 120, 180, 240]);
    assert_eq!(
        some,
        all.iter().filter(|r| numbers(&some).contains(&r["frame"].as_u64().unwrap())).cloned().collect::<Vec<_>>()
    );
}

#[test]
fn a_wrong_count_of_an_adjusted_picture_is_found() {
    let clip = clip("yuv420p");
    for (arguments, ..) in kinds() {
        output(clip.path(), &[&["--verify"], arguments].concat());
        let run = analyze(clip.path(), &[&["--verify", "--spoil", "3"], arguments].concat());
        assert_eq!(run.code, Some(1), "{arguments:?}: {run:?}");
        assert!(run.stderr.contains("frame 3") && run.stderr.contains("reference counts"), "{}", run.stderr);
    }
}

#[test]
fn tables_have_columns_for_it_only_where_there_is_something_to_tell() {
    let clip = clip("yuv420p");
    let header = |arguments: &[&str]| {
        let text = output(clip.path(), &[&["--format", "csv"], arguments].concat());
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let names: Vec<_> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert!(rows.len() == 6 && rows.iter().all(|row| row.len() == names.len()));
        (names, rows[0].clone())
    };
    let (plain, _) = header(&[]);
    assert!(!plain.iter().any(|name| name == "adjustments" || name == "thresholds"));
    let (names, row) = header(&["--low-pass", "3", "--otsu", "3"]);
    let added: Vec<_> = names.iter().filter(|name| !plain.contains(name)).collect();
    assert_eq!(added, ["adjustments", "thresholds"]);
    let at = names.iter().position(|name| name == "adjustments").unwrap();
    assert_eq!((&row[at], names[at + 2].as_str()), ("low-pass 3×3, 3 classes", "count"));
    assert_eq!(row[at + 1].split(' ').map(str::parse::<u32>).filter(Result::is_ok).count(), 2);
    assert_eq!(&row[at + 2], "3300");
    let (names, _) = header(&["--posterize", "3"]);
    assert!(!names.contains(&"thresholds".to_owned()));
}

fn refused(run: &Run, words: &[&str]) {
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    for word in words {
        assert!(run.stderr.contains(word), "no '{word}' in {}", run.stderr);
    }
}

#[test]
fn what_records_cannot_say_is_wrong_usage() {
    let clip = clip("yuv420p");
    for (arguments, words) in [
        (&["--equalize=luminance:0.5"][..], &["0.5 s", "depend on the frames before it", "merged"][..]),
        (&["--equalize", "--format", "ffprobe"], &["--format ffprobe", "FFmpeg's own values"]),
        (&["--clahe", "8x8", "--components", "ycbcr"], &["R'G'B'", "leave out --components"]),
        (&["--otsu", "2", "--counted", "both"], &["analyze counts the adjusted picture", "run it twice"]),
        (&["--otsu", "2", "--counted", "source"], &["leave the adjustments out"]),
        (&["--counted", "result"], &["--counted chooses"]),
        (&["--low-pass", "8"], &["must be odd"]),
        (&["--clahe", "17x1"], &["1 to 16"]),
        (&["--posterize", "1"], &["2 to 16"]),
        (&["--otsu", "6"], &["2 to 5"]),
        (&["--equalize", "--clahe", "8x8"], &["cannot be used with"]),
        (&["--posterize", "2", "--otsu", "2"], &["cannot be used with"]),
    ] {
        refused(&analyze(clip.path(), arguments), words);
    }
}

/// Pictures with little or nothing to adjust.
#[test]
fn pictures_without_contrast_are_counted() {
    let source = |source: &str, format: &str| {
        let arguments = format!("-f lavfi -i {source}:d=0.08:r=25 -pix_fmt {format} -c:v ffv1");
        Clip::new("clip.mkv", &arguments)
    };
    let halves = "-f lavfi -i color=0x202020:s=20x30:d=0.08 -f lavfi -i color=0xd0d0d0:s=20x30:d=0.08 \
                  -filter_complex hstack,format=gray -c:v ffv1";
    let clips = [
        ("constant", source("color=0x705030:s=40x30", "yuv420p10le")),
        ("black", source("color=black:s=40x30", "yuv420p")),
        ("one pixel", Clip::noisy("clip.mkv", "1x1", "gbrp", 2, "-c:v ffv1")),
        ("fewer pixels than tiles", Clip::noisy("clip.mkv", "5x3", "yuv444p", 2, "-c:v ffv1")),
        ("two levels", Clip::new("clip.mkv", halves)),
    ];
    let more: [(&[&str], Adjustments, &str); 1] = [(
        &["--low-pass", "63x3", "--clahe", "16x16:100", "--posterize", "16"],
        Adjustments {
            blur: Some(Blur { size: 63, runs: 3 }),
            tone: Some(Tone::Clahe(Clahe { tiles: (16, 16), clip_limit: 100.0 })),
            reduction: Some(Reduction::Posterize(Posterize { levels: 16, placing: Placing::Width })),
            ..Adjustments::default()
        },
        "",
    )];
    for (name, clip) in &clips {
        let frames = decode_all(clip.path());
        for (arguments, adjustments, _) in kinds().into_iter().chain(more) {
            let (records, _) = records(clip.path(), &[&["--bins", "--verify"], arguments].concat());
            assert_eq!(records.len(), frames.len());
            let codes = applied(&frames[0].picture, &adjustments);
            check(&records[0], &codes, &format!("{name}, {arguments:?}"));
        }
    }
    let (two, _) = records(clips[4].1.path(), &["--equalize"]);
    let luminance = &two[0]["channels"]["luminance"];
    assert_eq!(
        (&luminance["min"], &luminance["max"], &luminance["share_lowest"]),
        (&0.into(), &255.into(), &0.5.into())
    );
    let (one, _) = records(clips[0].1.path(), &["--equalize"]);
    let (source, _) = records(clips[0].1.path(), &[]);
    assert_eq!(one[0]["channels"]["red"]["median"], source[0]["channels"]["red"]["median"], "one colour stays");
}

//! Matrices derived from primaries, and matrices that are not linear in the codes, against the standards' formulas in
//! NumPy and against zimg. Pictures that cannot be converted are counted as coded.

use std::path::Path;

use serde_json::Value;

use crate::analyze::program::{analyze, output, read_records, records as records_of};
use crate::command::python::python;
use crate::command::{finish, program};
use crate::common::Clip;

/// The tags of a clip.
#[derive(Debug, Clone, Copy)]
struct Tags {
    matrix: &'static str,
    transfer: &'static str,
    primaries: &'static str,
    range: &'static str,
}

/// Makes noise of every code, with these tags.
fn noise(format: &str, tags: Tags) -> Clip {
    let Tags { matrix, transfer, primaries, range } = tags;
    let set = format!("setparams=colorspace={matrix}:color_trc={transfer}:color_primaries={primaries}");
    let raw = if format.ends_with("le") { "yuv444p16le" } else { format };
    // Scaled down to legal words, and tagged only afterwards, so that nothing is converted because of the tags.
    let coding = format!("-vf format={format},{set} -c:v ffv1 -strict -2");
    with_range(&Clip::noisy("coded.mkv", "66x46", raw, 1, &coding), range)
}

/// Returns the same pictures tagged with this range. Newer versions of FFmpeg would convert ranges that its FFV1
/// encoder does not accept.
fn with_range(clip: &Clip, range: &str) -> Clip {
    let range = if range == "full" { "pc" } else { "tv" };
    let path = clip.make("clip.mkv", &format!("-i @ -c copy -color_range {range}"));
    Clip::from_bytes("clip.mkv", &std::fs::read(path).expect("a clip"))
}

/// Fails if more than this share of a channel's pixels is in a different bin than NumPy computes.
fn compare(clip: &Path, folder: &Path, format: &str, tags: Tags, most: f64) {
    let records = folder.join("records.jsonl");
    std::fs::write(&records, output(clip, &["--bins"])).expect("the folder takes a file");
    let Tags { matrix, transfer, primaries, range } = tags;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/analyze/matrices.py");
    let mut command = python();
    command.arg(script).arg(clip).args([format, matrix, transfer, primaries, range]);
    let run = command.arg(&records).arg(most.to_string()).output().expect("the interpreter was found");
    assert!(run.status.success(), "{format} {tags:?}: {}", String::from_utf8_lossy(&run.stderr));
}

const RANGES: [&str; 2] = ["limited", "full"];

#[test]
fn matrices_of_primaries_are_those_of_the_standard() {
    for (format, primaries) in [("yuv420p", "bt2020"), ("yuv422p10le", "smpte432"), ("yuv444p12le", "film")] {
        for range in RANGES {
            let tags = Tags { matrix: "chroma-derived-nc", transfer: "bt709", primaries, range };
            let clip = noise(format, tags);
            compare(clip.path(), clip.folder(), format, tags, 0.01);
        }
    }
    for range in RANGES {
        let tags = Tags { matrix: "smpte2085", transfer: "smpte2084", primaries: "bt2020", range };
        let clip = noise("yuv444p10le", tags);
        compare(clip.path(), clip.folder(), "yuv444p10le", tags, 0.002);
    }
}

#[test]
fn constant_luminance_and_ictcp_are_those_of_the_standards() {
    let kinds = [
        ("bt2020c", "bt2020-10", "bt2020"),
        ("bt2020c", "smpte2084", "bt2020"),
        ("chroma-derived-c", "arib-std-b67", "bt2020"),
        ("chroma-derived-c", "bt709", "bt709"),
        ("ictcp", "smpte2084", "bt2020"),
        ("ictcp", "arib-std-b67", "bt2020"),
    ];
    for (number, (matrix, transfer, primaries)) in kinds.into_iter().enumerate() {
        for (format, range) in [
            ("yuv420p", RANGES[number % 2]),
            ("yuv444p10le", "limited"),
            ("yuv422p10le", "full"),
            ("yuv420p12le", RANGES[number % 2]),
            ("yuv444p12le", RANGES[(number + 1) % 2]),
        ] {
            let tags = Tags { matrix, transfer, primaries, range };
            let clip = noise(format, tags);
            compare(clip.path(), clip.folder(), format, tags, 0.002);
        }
    }
}

/// Returns the bins of a channel of the first record.
fn bins(records: &str, channel: &str) -> Vec<i64> {
    let record: Value = serde_json::from_str(records.lines().next().expect("a record")).expect("JSON");
    serde_json::from_value(record["channels"][channel]["bins"].clone()).expect("bins")
}

/// Returns the mean distance, in codes, by which samples would have to move to turn one histogram into the other.
fn distance(a: &[i64], b: &[i64]) -> f64 {
    let (mut carried, mut moved) = (0_i64, 0_i64);
    for (a, b) in a.iter().zip(b) {
        carried += a - b;
        moved += carried.abs();
    }
    assert_eq!(carried, 0, "both hold the same number of samples");
    moved as f64 / a.iter().sum::<i64>() as f64
}

/// zimg's tables of PQ are coarser than ours. It is no measure of constant luminance and HLG, since there it converts
/// via the light of a display and changes gray, which the standards keep.
#[test]
fn zimg_converts_them_alike() {
    // Colours without a dark component, where single precision is too coarse, on some processors more than on others.
    let cases = [("ictcp", 0.5, "val/3+maxval/3"), ("chroma-derived-nc", 0.02, "val/2+maxval/4")];
    for (matrix, most, milder) in cases {
        let transfer = "smpte2084";
        for (depth, range) in [("10le", "limited"), ("12le", "full")] {
            let light = format!(
                "transferin={transfer}:primariesin=2020:transfer={transfer}:primaries=2020:dither=none:agamma=0"
            );
            let make = format!("zscale=matrixin=gbr:rangein=full:matrix={matrix}:range={range}:{light}");
            let milder = ["r", "g", "b"].map(|channel| format!("{channel}={milder}")).join(":");
            let filter = format!(
                "scale=flags=neighbor,format=gbrp{depth},lutrgb={milder},{make},format=yuv444p{depth},setparams=range=tv"
            );
            let coded = Clip::moving("coded.mkv", "160x90", 0.04, &format!("-vf {filter} -c:v ffv1 -strict -2"));
            let clip = with_range(&coded, range);
            let back = format!("zscale=matrixin={matrix}:rangein={range}:matrix=gbr:range=full:{light}");
            let zimg = clip.make("zimg.mkv", &format!("-i @ -vf {back},format=gbrp{depth} -c:v ffv1 -strict -2"));
            let (ours, theirs) = (output(clip.path(), &["--bins"]), output(&zimg, &["--bins"]));
            // A different matrix is far from correct.
            let other = output(clip.path(), &["--bins", "--matrix", "bt709"]);
            for channel in ["red", "green", "blue"] {
                let codes = distance(&bins(&ours, channel), &bins(&theirs, channel));
                assert!(codes <= most, "{matrix} {transfer} {depth} {range}: {channel} {codes} codes from zimg");
                let wrong = distance(&bins(&other, channel), &bins(&theirs, channel));
                assert!(wrong > 3.0, "{matrix} {transfer} {depth} {range}: {channel} {wrong} codes by another matrix");
            }
        }
    }
}

#[test]
fn every_engine_counts_the_same_of_converted_pictures_and_of_their_codes() {
    let tags = Tags { matrix: "ictcp", transfer: "smpte2084", primaries: "bt2020", range: "limited" };
    let clip = noise("yuv420p10le", tags);
    for engine in ["gpu", "cpu"] {
        for more in [&[][..], &["--components", "ycbcr"], &["--region", "3,5,30,21", "--components", "ycbcr"]] {
            let arguments: Vec<_> = ["--verify", "--engine", engine].into_iter().chain(more.iter().copied()).collect();
            output(clip.path(), &arguments);
        }
    }
    // Code values are those of the planes, whatever the matrix.
    let plain = noise("yuv420p10le", Tags { matrix: "bt709", ..tags });
    let coded = |clip: &Clip| output(clip.path(), &["--bins", "--components", "ycbcr"]);
    let (ours, theirs) = (coded(&clip), coded(&plain));
    for channel in ["y", "cb", "cr"] {
        assert_eq!(bins(&ours, channel), bins(&theirs, channel), "{channel}");
    }
    assert_ne!(bins(&ours, "red"), bins(&theirs, "red"));
}

#[test]
fn a_matrix_that_cannot_be_read_is_no_other() {
    for (tags, reason) in [
        (
            Tags { matrix: "ictcp", transfer: "bt709", primaries: "bt2020", range: "limited" },
            "the matrix ictcp needs the transfer function PQ or HLG",
        ),
        (
            Tags { matrix: "chroma-derived-nc", transfer: "bt709", primaries: "unknown", range: "limited" },
            "the matrix chroma-derived-nc needs primaries, which are not stated",
        ),
    ] {
        let clip = noise("yuv420p", tags);
        let counted = analyze(clip.path(), &["--bins"]);
        assert_eq!(counted.code, Some(0), "{counted:?}");
        assert!(counted.stderr.contains(reason) && counted.stderr.contains("no R'G'B'"), "{}", counted.stderr);
        let (records, summary) = read_records(&counted.stdout);
        assert_eq!(summary["options"]["components"], "ycbcr");
        let record = &records[0];
        let channels: Vec<_> = record["channels"].as_object().expect("channels").keys().cloned().collect();
        assert_eq!(channels, ["y", "cb", "cr"]);
        assert_eq!((&record["matrix"], &record["matrix_source"]), (&tags.matrix.into(), &"tagged".into()));
        // Choosing a different one is up to the user.
        let (chosen, _) = records_of(clip.path(), &["--matrix", "bt709"]);
        assert_eq!((&chosen[0]["matrix"], &chosen[0]["matrix_source"]), (&"bt709".into(), &"overridden".into()));
        assert!(chosen[0]["channels"]["red"].is_object());
        // A single frame, and a report of all.
        let snapshot = finish(program().arg("snapshot").arg(clip.path()).args(["--json", "--engine", "cpu"]));
        assert_eq!(snapshot.code, Some(0));
        assert!(snapshot.stderr.contains(reason), "{}", snapshot.stderr);
        let figures: Value = serde_json::from_str(&snapshot.stdout).expect("JSON");
        assert!(figures["channels"]["cb"].is_object() && figures["channels"]["red"].is_null(), "{figures}");
        let page = clip.folder().join("report.html");
        let report = finish(program().arg("report").arg(clip.path()).args(["--engine", "cpu", "-o"]).arg(&page));
        assert_eq!(report.code, Some(0), "{}", report.stderr);
        assert!(std::fs::read_to_string(&page).expect("a page").contains(reason));
        let adjusted = analyze(clip.path(), &["--equalize"]);
        assert_eq!(adjusted.code, Some(1));
        assert!(adjusted.stderr.contains(reason) && adjusted.stderr.contains("--matrix"), "{}", adjusted.stderr);
    }
}

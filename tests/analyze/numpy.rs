//! Every record of many kinds of clips, against what an independent NumPy script computes from FFmpeg's raw frames.

use std::path::Path;

use crate::command::python::python;
use crate::common::Clip;
use crate::program::output;

/// Runs `analyze CLIP --bins ARGUMENTS` and the script, which must agree.
fn compare(clip: &Clip, format: &str, (matrix, range): (&str, &str), region: Option<&str>, arguments: &[&str]) {
    let mut all = vec!["--bins"];
    all.extend_from_slice(arguments);
    if let Some(region) = region {
        all.extend(["--region", region]);
    }
    let records = clip.folder().join("records.jsonl");
    std::fs::write(&records, output(clip.path(), &all)).expect("the folder takes a file");
    let run = script(clip.path(), format, (matrix, range), &records, region);
    assert!(run.status.success(), "{format} {arguments:?} {region:?}: {}", String::from_utf8_lossy(&run.stderr));
    assert!(String::from_utf8_lossy(&run.stdout).contains("are equal"));
}

fn script(
    clip: &Path,
    format: &str,
    (matrix, range): (&str, &str),
    records: &Path,
    region: Option<&str>,
) -> std::process::Output {
    python()
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/analyze/records.py"))
        .arg(clip)
        .args([format, matrix, range])
        .arg(records)
        .args(region)
        .output()
        .expect("the interpreter was found a moment ago")
}

/// Noise of every code, in a format that FFV1 keeps as it is.
fn noise(format: &str, size: &str) -> Clip {
    // Words of 16 bits are scaled down to legal ones.
    let raw = match format {
        "gray10le" => "gray16le",
        "gbrp10le" => "gbrp16le",
        deep if deep.ends_with("le") => "yuv444p16le",
        other => other,
    };
    Clip::noisy("clip.mkv", size, raw, 3, &format!("-c:v ffv1 -strict -2 -pix_fmt {format}"))
}

const KINDS: [(&str, (&str, &str)); 11] = [
    ("gray", ("bt601", "full")),
    ("gray10le", ("bt601", "full")),
    ("yuv420p", ("bt601", "limited")),
    ("yuv420p10le", ("bt601", "limited")),
    ("yuv422p", ("bt601", "limited")),
    ("yuv422p10le", ("bt601", "limited")),
    ("yuv444p", ("bt601", "limited")),
    ("yuv444p10le", ("bt601", "limited")),
    ("gbrp", ("rgb", "full")),
    ("gbrp10le", ("rgb", "full")),
    ("yuv420p12le", ("bt601", "limited")),
];

#[test]
fn every_kind_of_source_is_counted_as_numpy_counts_it() {
    for (format, color) in KINDS {
        compare(&noise(format, "67x45"), format, color, None, &[]);
    }
}

#[test]
fn regions_that_begin_anywhere_are_counted_as_numpy_counts_them() {
    for (format, color) in KINDS {
        let clip = noise(format, "40x30");
        let regions: &[&str] = match format {
            "yuv420p" => &["0,0,40,30", "3,5,21,17", "4,6,20,10", "39,29,1,1", "1,0,1,30", "2,1,3,3"],
            _ => &["3,5,21,17", "39,29,1,1"],
        };
        for region in regions {
            compare(&clip, format, color, Some(region), &[]);
        }
    }
    let clip = noise("yuv411p", "41x9");
    for region in ["5,1,2,3", "7,0,34,9", "6,2,7,1"] {
        compare(&clip, "yuv411p", ("bt601", "limited"), Some(region), &["--components", "ycbcr"]);
    }
}

#[test]
fn coded_components_come_beside_the_others() {
    for (format, color) in KINDS {
        if !format.starts_with("gbr") {
            let clip = noise(format, "35x27");
            compare(&clip, format, color, None, &["--components", "ycbcr"]);
            compare(&clip, format, color, Some("3,1,9,11"), &["--components", "ycbcr"]);
        }
    }
}

/// Saturation and what lies outside the targets, whoever counts, of any part of the picture.
#[test]
fn figures_of_the_vectorscope_are_those_that_numpy_computes() {
    for (format, color) in KINDS {
        let clip = noise(format, "20x14");
        for engine in ["cpu", "gpu"] {
            let arguments = ["--scopes", "vectorscope", "--engine", engine, "--verify"];
            compare(&clip, format, color, None, &arguments);
            compare(&clip, format, color, Some("3,5,11,7"), &arguments);
        }
    }
    let clip = Clip::noisy("clip.mkv", "24x16", "yuv444p", 2, "-c:v ffv1 -colorspace bt2020nc -color_range pc");
    let color = ("bt2020nc", "full");
    compare(&clip, "yuv444p", color, None, &["--scopes", "vectorscope", "--components", "ycbcr", "--jobs", "2"]);
}

#[test]
fn the_gpu_says_the_same() {
    for (format, color) in [("yuv420p", ("bt601", "limited")), ("yuv422p10le", ("bt601", "limited"))] {
        let clip = noise(format, "67x45");
        compare(&clip, format, color, None, &["--engine", "gpu", "--components", "ycbcr"]);
        compare(&clip, format, color, Some("3,5,50,31"), &["--engine", "gpu", "--components", "ycbcr"]);
        compare(&clip, format, color, None, &["--engine", "gpu", "--jobs", "2"]);
    }
}

#[test]
fn tags_and_b_frames_are_followed() {
    let arguments = "-c:v libx264 -bf 3 -pix_fmt yuv420p -color_range pc -colorspace bt709 -color_primaries bt709 \
                     -color_trc bt709";
    let clip = Clip::moving("clip.mp4", "96x64", 0.8, arguments);
    compare(&clip, "yuvj420p", ("bt709", "full"), None, &["--components", "ycbcr"]);
}

#[test]
fn the_script_sees_a_wrong_number() {
    let clip = noise("yuv420p", "16x16");
    let good = output(clip.path(), &["--bins", "--scopes", "vectorscope"]);
    let records = clip.folder().join("records.jsonl");
    let color = ("bt601", "limited");
    for (from, to) in [
        ("\"p75\":", "\"p75\":1"),
        ("\"bins\":[", "\"bins\":[1"),
        ("\"pts_ticks\":", "\"pts_ticks\":7"),
        ("\"saturation_mean\":", "\"saturation_mean\":1"),
        ("\"outside_targets\":", "\"outside_targets\":1"),
    ] {
        std::fs::write(&records, good.replacen(from, to, 1)).expect("the folder takes a file");
        let run = script(clip.path(), "yuv420p", color, &records, None);
        assert!(!run.status.success(), "{to} was not noticed");
    }
    std::fs::write(&records, &good).expect("the folder takes a file");
    assert!(script(clip.path(), "yuv420p", color, &records, None).status.success());
    assert!(!script(clip.path(), "yuv420p", ("bt709", "limited"), &records, None).status.success());
}

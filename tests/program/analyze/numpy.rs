//! Every record of many kinds of clips, against an independent NumPy script that reads FFmpeg's raw frames.

use std::path::{Path, PathBuf};

use crate::analyze::program::output;
use crate::command::python::python;
use crate::common::Clip;

/// A run on a clip: the counted region of the picture, and further arguments.
type Case<'a> = (Option<&'a str>, &'a [&'a str]);

/// Runs `analyze CLIP --bins ARGUMENTS` for each case. The script must agree with all of them. It is started once,
/// since starting takes longer than a case, and later cases reuse its results.
fn compare(clip: &Clip, format: &str, (matrix, range): (&str, &str), cases: &[Case<'_>]) {
    let mut compared = Vec::new();
    for (index, (region, arguments)) in cases.iter().enumerate() {
        let region_arguments = region.iter().flat_map(|region| ["--region", region]);
        let all: Vec<_> = ["--bins"].into_iter().chain(arguments.iter().copied()).chain(region_arguments).collect();
        let records = clip.folder().join(format!("records{index}.jsonl"));
        std::fs::write(&records, output(clip.path(), &all)).expect("the folder takes a file");
        compared.push((records, *region));
    }
    let run = script(clip.path(), format, (matrix, range), &compared);
    assert!(run.status.success(), "{format} {cases:?}: {}", String::from_utf8_lossy(&run.stderr));
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert_eq!(said.lines().filter(|line| line.ends_with("are equal")).count(), cases.len(), "{said}");
}

fn script(
    clip: &Path,
    format: &str,
    (matrix, range): (&str, &str),
    compared: &[(PathBuf, Option<&str>)],
) -> std::process::Output {
    let mut command = python();
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/analyze/records.py"));
    command.arg(clip).args([format, matrix, range]);
    for (records, region) in compared {
        command.arg(records).arg(region.unwrap_or("-"));
    }
    command.output().expect("the interpreter was found a moment ago")
}

/// Makes noise of every code, in a format that FFV1 keeps unchanged.
fn noise(format: &str, size: &str) -> Clip {
    noise_with(format, size, "")
}

/// Makes such noise with further arguments of FFmpeg.
fn noise_with(format: &str, size: &str, arguments: &str) -> Clip {
    // Words of 16 bits are scaled down to legal ones.
    let raw = match format {
        "gray10le" => "gray16le",
        "gbrp10le" => "gbrp16le",
        deep if deep.ends_with("le") => "yuv444p16le",
        other => other,
    };
    Clip::noisy("clip.mkv", size, raw, 3, &format!("{arguments} -c:v ffv1 -strict -2 -pix_fmt {format}"))
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
        compare(&noise(format, "67x45"), format, color, &[(None, &[])]);
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
        let cases: Vec<Case<'_>> = regions.iter().map(|region| (Some(*region), &[][..])).collect();
        compare(&clip, format, color, &cases);
    }
    let clip = noise("yuv411p", "41x9");
    let coded: &[&str] = &["--components", "ycbcr"];
    let cases = ["5,1,2,3", "7,0,34,9", "6,2,7,1"].map(|region| (Some(region), coded));
    compare(&clip, "yuv411p", ("bt601", "limited"), &cases);
}

#[test]
fn coded_components_come_beside_the_others() {
    for (format, color) in KINDS {
        if !format.starts_with("gbr") {
            let clip = noise(format, "35x27");
            let coded: &[&str] = &["--components", "ycbcr"];
            compare(&clip, format, color, &[(None, coded), (Some("3,1,9,11"), coded)]);
        }
    }
}

/// Red, green and blue stay as they are: only the fourth channel, and the names, follow the option.
#[test]
fn luminance_has_the_weights_that_are_asked() {
    let tags = [
        "",
        "color_primaries=bt2020",
        "color_primaries=bt2020:color_trc=smpte2084",
        "color_trc=arib-std-b67",
        "color_primaries=smpte432:color_trc=smpte2084",
    ];
    for (format, color) in KINDS.into_iter().filter(|(format, _)| !format.starts_with("gray")) {
        let clip = noise(format, "67x45");
        let asked: Vec<[&str; 4]> = ["bt709", "bt2020", "auto"]
            .into_iter()
            .flat_map(|weights| ["cpu", "gpu"].map(|engine| ["--luminance-weights", weights, "--engine", engine]))
            .collect();
        // The tags matter only to one of the choices.
        for tags in tags.into_iter().take(if format.starts_with("yuv420p") { tags.len() } else { 1 }) {
            let clip = match tags {
                "" => &clip,
                _ => &noise_with(format, "67x45", &format!("-vf setparams={tags}")),
            };
            let cases: Vec<Case<'_>> = asked.iter().map(|arguments| (Some("3,5,61,37"), &arguments[..])).collect();
            compare(clip, format, color, &cases);
        }
    }
}

/// Makes interlaced noise in a format that FFV1 keeps unchanged, with each frame flagged.
fn interlaced(format: &str, size: &str, order: &str) -> Clip {
    let arguments = format!("-vf setfield={order} -c:v ffv1 -strict -2 -pix_fmt {format}");
    let raw = if format.ends_with("le") { "yuv444p16le" } else { format };
    Clip::noisy("clip.mkv", size, raw, 2, &arguments)
}

#[test]
fn interlaced_chroma_belongs_to_fields_as_numpy_has_it() {
    for (format, order, size) in [
        ("yuv420p", "tff", "38x24"),
        ("yuv420p", "bff", "35x26"),
        ("yuv420p", "tff", "16x23"),
        ("yuv420p", "tff", "9x25"),
        ("yuv420p10le", "bff", "18x30"),
        ("yuv420p12le", "tff", "18x10"),
        ("yuv422p", "tff", "18x10"),
    ] {
        let clip = interlaced(format, size, order);
        let regions = [None, Some("0,0,4,4"), Some("1,1,5,5"), Some("3,2,6,7"), Some("2,3,1,1"), Some("0,5,9,5")];
        for engine in ["cpu", "gpu"] {
            let arguments: &[&str] = &["--engine", engine, "--components", "ycbcr", "--verify"];
            let cases: Vec<Case<'_>> = regions.iter().map(|&region| (region, arguments)).collect();
            compare(&clip, format, ("bt601", "limited"), &cases);
        }
    }
}

#[test]
fn the_lines_that_share_chroma_can_be_overridden() {
    for order in ["tff", "prog"] {
        let clip = interlaced("yuv420p", "22x18", order);
        let lines: [&[&str]; 3] =
            [&["--chroma-lines", "auto"], &["--chroma-lines", "frame"], &["--chroma-lines", "field"]];
        compare(&clip, "yuv420p", ("bt601", "limited"), &lines.map(|arguments| (None, arguments)));
    }
}

#[test]
fn one_field_is_counted_alone_as_numpy_has_it() {
    for (format, order, size) in [
        ("yuv420p", "tff", "22x16"),
        ("yuv420p", "tff", "22x18"),
        ("yuv420p", "prog", "22x19"),
        ("yuv420p10le", "bff", "18x17"),
        ("yuv422p", "tff", "18x15"),
        ("gray", "tff", "18x15"),
    ] {
        let (clip, range) = (interlaced(format, size, order), if format == "gray" { "full" } else { "limited" });
        let fields: [&[&str]; 4] = [
            &["--field", "top", "--verify"],
            &["--field", "bottom", "--verify"],
            &["--field", "bottom", "--engine", "gpu", "--verify"],
            &["--field", "bottom", "--components", "ycbcr"],
        ];
        let cases: Vec<Case<'_>> =
            fields.iter().flat_map(|arguments| [(None, *arguments), (Some("2,3,7,4"), *arguments)]).collect();
        compare(&clip, format, ("bt601", range), &cases);
    }
}

/// Saturation and samples outside the targets, with any engine, in any region of the picture.
#[test]
fn figures_of_the_vectorscope_are_those_that_numpy_computes() {
    for (format, color) in KINDS {
        let clip = noise(format, "20x14");
        let arguments = ["cpu", "gpu"].map(|engine| ["--scopes", "vectorscope", "--engine", engine, "--verify"]);
        let cases = arguments.iter().flat_map(|all| [(None, &all[..]), (Some("3,5,11,7"), &all[..])]);
        compare(&clip, format, color, &cases.collect::<Vec<_>>());
    }
    let clip = Clip::noisy("clip.mkv", "24x16", "yuv444p", 2, "-c:v ffv1 -colorspace bt2020nc -color_range pc");
    let color = ("bt2020nc", "full");
    let arguments: &[&str] = &["--scopes", "vectorscope", "--components", "ycbcr", "--jobs", "2"];
    compare(&clip, "yuv444p", color, &[(None, arguments)]);
}

#[test]
fn the_gpu_says_the_same() {
    for (format, color) in [("yuv420p", ("bt601", "limited")), ("yuv422p10le", ("bt601", "limited"))] {
        let clip = noise(format, "67x45");
        let coded: &[&str] = &["--engine", "gpu", "--components", "ycbcr"];
        let by_two: &[&str] = &["--engine", "gpu", "--jobs", "2"];
        compare(&clip, format, color, &[(None, coded), (Some("3,5,50,31"), coded), (None, by_two)]);
    }
}

#[test]
fn tags_and_b_frames_are_followed() {
    let arguments = "-c:v libx264 -bf 3 -pix_fmt yuv420p -color_range pc -colorspace bt709 -color_primaries bt709 \
                     -color_trc bt709";
    let clip = Clip::moving("clip.mp4", "96x64", 0.8, arguments);
    compare(&clip, "yuvj420p", ("bt709", "full"), &[(None, &["--components", "ycbcr"])]);
}

#[test]
fn the_script_sees_a_wrong_number() {
    let clip = noise("yuv420p", "16x16");
    let good = output(clip.path(), &["--bins", "--scopes", "vectorscope"]);
    let records = clip.folder().join("records.jsonl");
    let right = clip.folder().join("right.jsonl");
    std::fs::write(&right, &good).expect("the folder takes a file");
    let color = ("bt601", "limited");
    // After correct records.
    let compared = [(right, None), (records.clone(), None)];
    for (from, to) in [
        ("\"p75\":", "\"p75\":1"),
        ("\"bins\":[", "\"bins\":[1"),
        ("\"pts_ticks\":", "\"pts_ticks\":7"),
        ("\"saturation_mean\":", "\"saturation_mean\":1"),
        ("\"outside_targets\":", "\"outside_targets\":1"),
    ] {
        std::fs::write(&records, good.replacen(from, to, 1)).expect("the folder takes a file");
        let run = script(clip.path(), "yuv420p", color, &compared);
        assert!(!run.status.success(), "{to} was not noticed");
    }
    std::fs::write(&records, &good).expect("the folder takes a file");
    assert!(script(clip.path(), "yuv420p", color, &compared).status.success());
    assert!(!script(clip.path(), "yuv420p", ("bt709", "limited"), &compared).status.success());
}

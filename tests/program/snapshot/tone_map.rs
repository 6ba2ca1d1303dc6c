//! Pictures of PQ and HLG as they are meant, against NumPy; counts and labels; clips that state light, or none.

use crate::command::python::python;
use crate::command::{figures, finish, program};
use crate::common::Clip;
use crate::snapshot::png_file::{Png, snapshot};

const PQ: &str = "-color_trc smpte2084 -color_primaries bt2020";
const HLG: &str = "-color_trc arib-std-b67 -color_primaries bt2020";

/// Returns the largest difference between a snapshot and NumPy's picture, in codes.
#[track_caller]
fn difference(clip: &Clip, format: &str, (transfer, peak, method): (&str, &str, &str), engine: &str) -> u32 {
    difference_with(clip, format, (transfer, peak, method, "0"), &["--engine", engine])
}

/// Like [`difference`], with an exposure in stops and these arguments.
#[track_caller]
fn difference_with(
    clip: &Clip,
    format: &str,
    (transfer, peak, method, stops): (&str, &str, &str, &str),
    arguments: &[&str],
) -> u32 {
    let png = clip.folder().join("shown.png");
    let run = finish(
        program()
            .arg("snapshot")
            .arg(clip.path())
            .args(["--no-overlay", "-o"])
            .arg(&png)
            .args(["--tone-mapping", method, "--exposure", stops])
            .args(arguments),
    );
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/snapshot/tone_map.py");
    let arguments = [format, transfer, peak, method, stops, "67", "41"];
    let output = python().arg(script).arg(clip.path()).args(arguments).arg(&png).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
}

#[test]
fn both_engines_show_what_the_standards_say() {
    let kinds = [
        ("gbrp10le", "gbrp16le", PQ, "pq", "10000"),
        ("gbrp12le", "gbrp16le", PQ, "pq", "10000"),
        ("gbrp10le", "gbrp16le", HLG, "hlg", "1000"),
        ("yuv444p10le", "yuv444p16le", HLG, "hlg", "1000"),
        ("yuv444p10le", "yuv444p16le", PQ, "pq", "10000"),
    ];
    for (format, raw, tags, transfer, peak) in kinds {
        let matrix = if format.starts_with("yuv") { "-colorspace bt2020nc -color_range tv" } else { "" };
        let options = format!("-c:v ffv1 -strict -2 -pix_fmt {format} {tags} {matrix}");
        let clip = Clip::noisy("clip.mkv", "67x41", raw, 1, &options);
        for (engine, method) in [("gpu", "bt2390"), ("cpu", "bt2390"), ("gpu", "clip"), ("cpu", "clip")] {
            let most = difference(&clip, format, (transfer, peak, method), engine);
            assert!(most <= 1, "{format} {transfer}, {engine}, {method}: {most} codes");
        }
    }
}

#[test]
fn exposure_multiplies_light_before_the_curve_and_counts_never_change() {
    let kinds = [
        ("gbrp10le", "gbrp16le", PQ, "pq", "10000", "bt2390"),
        ("yuv444p10le", "yuv444p16le", PQ, "pq", "10000", "clip"),
        ("gbrp12le", "gbrp16le", HLG, "hlg", "1000", "bt2390"),
        ("yuv444p10le", "yuv444p16le", "", "sdr", "203", "bt2390"),
        ("gbrp10le", "gbrp16le", PQ, "sdr", "203", "none"),
    ];
    for (format, raw, tags, transfer, peak, method) in kinds {
        let matrix = if format.starts_with("yuv") { "-colorspace bt2020nc -color_range tv" } else { "" };
        let options = format!("-c:v ffv1 -strict -2 -pix_fmt {format} {tags} {matrix}");
        let clip = Clip::noisy("clip.mkv", "67x41", raw, 1, &options);
        let counts = |stops| {
            figures(clip.path(), &["--bins", "--exposure", stops, "--tone-mapping", method])["channels"].clone()
        };
        assert_eq!(counts("0"), counts("2.5"));
        for (engine, stops) in
            [("gpu", "1"), ("cpu", "1"), ("gpu", "-2.5"), ("cpu", "-2.5"), ("gpu", "6"), ("cpu", "6")]
        {
            let most = difference_with(&clip, format, (transfer, peak, method, stops), &["--engine", engine]);
            assert!(most <= 1, "{format} {transfer}, {engine}, {method}, {stops} stops: {most} codes");
        }
    }
}

#[test]
fn hlg_is_shown_as_on_a_display_with_the_given_peak() {
    let options = format!("-c:v ffv1 -strict -2 -pix_fmt gbrp10le {HLG}");
    let clip = Clip::noisy("clip.mkv", "67x41", "gbrp16le", 1, &options);
    for (engine, peak) in [("gpu", "400"), ("cpu", "400"), ("gpu", "4000"), ("cpu", "4000")] {
        let arguments = ["--engine", engine, "--hlg-peak", peak];
        let most = difference_with(&clip, "gbrp10le", ("hlg", peak, "bt2390", "0"), &arguments);
        assert!(most <= 1, "{engine}, {peak} cd/m²: {most} codes");
    }
}

/// A clip of HEVC with exact codes that states its light.
fn stating(light: &str) -> Clip {
    let options = format!("-pix_fmt yuv444p10le -color_range tv -colorspace bt2020nc {PQ}");
    let x265 = format!("lossless=1:hdr10=1:repeat-headers=1:log-level=error:{light}");
    Clip::noisy("clip.mkv", "67x41", "yuv444p16le", 1, &format!("-c:v libx265 -x265-params {x265} {options}"))
}

const DISPLAY: &str = "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(40000000,50)";

#[test]
fn the_peak_is_the_one_that_the_file_states_if_it_can_be_true() {
    for (light, peak) in [
        (format!("max-cll=1000,400:{DISPLAY}"), "1000"),
        (format!("max-cll=0,0:{DISPLAY}"), "4000"),
        ("max-cll=100,50".to_owned(), "100"),
    ] {
        let clip = stating(&light);
        let most = difference(&clip, "yuv444p10le", ("pq", peak, "bt2390"), "cpu");
        assert!(most <= 1, "{light}: {most} codes");
    }
    let clip = stating("max-cll=65535,400");
    let png = clip.folder().join("absurd.png");
    let run = finish(program().arg("snapshot").arg(clip.path()).args(["--no-overlay", "-o"]).arg(&png));
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.contains("MaxCLL of 65535 cd/m² is beyond PQ and not used"), "{}", run.stderr);
    assert_eq!(Png::read(&png).rgb, snapshot(stating("max-cll=0,0").path(), &["--no-overlay"]).rgb);
}

#[test]
fn codes_as_they_are_look_as_if_they_were_sdr_and_counts_never_change() {
    let clip = |tags: &str| {
        let options = format!("-c:v ffv1 -pix_fmt yuv420p10le -color_range tv -colorspace bt2020nc {tags}");
        Clip::noisy("clip.mkv", "67x41", "yuv420p10le", 1, &options)
    };
    let (pq, untagged) = (clip(PQ), clip(""));
    let lut = pq.folder().join("half.cube");
    std::fs::write(&lut, "LUT_1D_SIZE 2\n0 0 0\n0.5 0.5 0.5\n").unwrap();
    for engine in ["cpu", "gpu"] {
        let of = |clip: &Clip, more: &[&str]| {
            snapshot(clip.path(), &[&["--no-overlay", "--engine", engine], more].concat()).rgb
        };
        let (meant, coded) = (of(&pq, &[]), of(&pq, &["--tone-mapping", "none"]));
        assert!(meant != coded);
        assert_eq!(coded, of(&untagged, &[]), "{engine}: SDR is shown as coded");
        assert_eq!(meant, of(&untagged, &["--transfer", "pq"]), "{engine}: read as PQ");
        assert_eq!(coded, of(&pq, &["--transfer", "bt1886"]), "{engine}: read as SDR");
        // The result of a lookup table is meant for an SDR display.
        let through = ["--lut", lut.to_str().unwrap()];
        assert_eq!(of(&pq, &through), of(&untagged, &through), "{engine}: a lookup table");
        assert_ne!(of(&pq, &through), coded, "{engine}: a lookup table");
        // False colour is by codes.
        let tint = ["--false-colour", "--tone-mapping"];
        assert_eq!(of(&pq, &[tint[0], tint[1], "none"]), of(&pq, &[tint[0], tint[1], "bt2390"]), "{engine}");
        let counts = |method| {
            let json = figures(pq.path(), &["--bins", "--engine", engine, "--tone-mapping", method]);
            json["channels"].clone()
        };
        assert_eq!(counts("bt2390"), counts("none"), "{engine}");
    }
}

#[test]
fn pq_of_8_bits_is_noticed() {
    let clip = Clip::moving("clip.mkv", "64x36", 0.2, &format!("-c:v ffv1 -pix_fmt yuv420p {PQ}"));
    let run = finish(program().arg("snapshot").arg(clip.path()));
    assert_eq!(run.code, Some(0));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("PQ with only 8 bits per sample"), "{}", run.stderr);
}

/// Gray has the same luminance by all weights, so that only the caption differs.
#[test]
fn captions_name_weights_and_only_what_the_picture_shows() {
    let made = |pixel: &str, tags: &str| {
        Clip::noisy("clip.mkv", "64x64", pixel, 1, &format!("-c:v ffv1 -strict -2 -pix_fmt {pixel} {tags}"))
    };
    let (gray, pq) = (made("gray", ""), made("gbrp10le", PQ));
    let saved = |clip: &Clip, arguments: &[&str]| {
        let path = clip.folder().join("saved.png");
        let run = finish(program().arg("snapshot").arg(clip.path()).arg("-o").arg(&path).args(arguments));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        std::fs::read(path).unwrap()
    };
    let by_bt2020 = ["--luminance-weights", "bt2020", "--labels"];
    assert_eq!(saved(&gray, &by_bt2020[..2]), saved(&gray, &[]));
    assert_ne!(saved(&gray, &by_bt2020), saved(&gray, &by_bt2020[2..]), "the caption names the weights");
    let mapped = |more: &[&str]| {
        ["bt2390", "none"].map(|mapping| saved(&pq, &[&["--labels", "--tone-mapping", mapping], more].concat()))
    };
    let [tone_mapped, coded] = mapped(&[]);
    assert_ne!(tone_mapped, coded);
    let [tone_mapped, coded] = mapped(&["--false-colour=light"]);
    assert!(tone_mapped == coded, "false colour is not tone-mapped, and the caption does not say so");
}

//! Adjusted pictures: the drawing, and the picture that the figures describe.

use histoscope_core::adjust::{
    Adjustments, Blur, Clahe, ClassDisplay, Codes, Equalize, Lut, Otsu, Posterize, Reduction, Tone, otsu, reference,
};
use histoscope_core::picture::Frame;
use serde_json::Value;

use crate::command::{figures, finish, program, run};
use crate::common::Clip;
use crate::snapshot::expected::frame_at;
use crate::snapshot::png_file::snapshot;

/// A small lookup table, a cube of three nodes per edge.
const LOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/look.cube");

fn kinds() -> Vec<(&'static [&'static str], Adjustments, &'static str)> {
    let off = Adjustments::default();
    let equalize = Equalize { per_channel: false, time_constant_secs: 0.5 };
    let threshold = Otsu { classes: 3, shown: ClassDisplay::Colors };
    vec![
        (&["--equalize"], Adjustments { tone: Some(Tone::Equalize(equalize)), ..off }, "equalized"),
        (
            &["--clahe", "4x4:3"],
            Adjustments { tone: Some(Tone::Clahe(Clahe { tiles: (4, 4), clip_limit: 3.0 })), ..off },
            "CLAHE 4×4 clip 3",
        ),
        (
            &["--posterize", "5"],
            Adjustments { reduction: Some(Reduction::Posterize(Posterize::default())), ..off },
            "5 levels",
        ),
        (
            &["--otsu", "3:colors"],
            Adjustments { reduction: Some(Reduction::Otsu(threshold)), ..off },
            "3 classes in false colours",
        ),
        (&["--lut", LOOK], Adjustments { lut: Lut::open(LOOK.as_ref()).ok(), ..off }, "LUT look.cube 3³"),
        (&["--low-pass", "9x3"], Adjustments { blur: Some(Blur { size: 9, runs: 3 }), ..off }, "low-pass 9×9 ×3"),
    ]
}

fn clip(format: &str) -> Clip {
    Clip::moving("clip.mkv", "98x66", 0.2, &format!("-c:v ffv1 -pix_fmt {format}"))
}

fn adjusted(frame: &Frame, adjustments: &Adjustments) -> Codes {
    reference::apply(reference::codes(&frame.picture), adjustments)
}

fn check(channels: &Value, codes: &Codes, name: &str) {
    for (channel, bins) in ["red", "green", "blue", "luminance"].into_iter().zip(reference::bins(codes)) {
        assert_eq!(channels[channel]["bins"], Value::from(bins), "{name}: {channel}");
    }
}

#[test]
fn figures_say_which_picture_they_count() {
    for format in ["yuv420p", "yuv422p10le"] {
        let clip = clip(format);
        let frame = frame_at(clip.path(), 0.12);
        let source = reference::codes(&frame.picture);
        for (arguments, adjustments, told) in kinds() {
            let result = adjusted(&frame, &adjustments);
            let json = |more: &[&str]| figures(clip.path(), &[&["--at", "0.12", "--bins"], arguments, more].concat());
            for engine in ["cpu", "gpu"] {
                let json = json(&["--engine", engine]);
                assert_eq!((&json["picture"], &json["adjustments"]), (&"result".into(), &told.into()));
                assert_eq!((&json["engine"], json.get("source_channels")), (&engine.into(), None));
                check(&json["channels"], &result, told);
            }
            let of_source = json(&["--engine", "cpu", "--counted", "source"]);
            assert_eq!((&of_source["picture"], &of_source["adjustments"]), (&"source".into(), &told.into()));
            check(&of_source["channels"], &source, told);
            let both = json(&["--engine", "cpu", "--counted", "both"]);
            assert_eq!(both["picture"], "result");
            check(&both["channels"], &result, told);
            check(&both["source_channels"], &source, told);
            let thresholds = told.contains("classes").then(|| otsu::thresholds(&reference::bins(&source)[3], 3));
            assert_eq!(both.get("thresholds"), thresholds.map(Value::from).as_ref(), "{told}");
        }
    }
    let plain = figures(clip("yuv420p").path(), &["--engine", "cpu"]);
    assert!(["picture", "adjustments", "thresholds"].iter().all(|key| plain.get(key).is_none()));
}

#[test]
fn people_are_told_too() {
    let clip = clip("yuv420p");
    let table = |arguments: &[&str]| {
        let run = finish(program().arg("snapshot").arg(clip.path()).args(["--engine", "cpu"]).args(arguments));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        run.stdout
    };
    let json = figures(clip.path(), &["--engine", "cpu", "--otsu", "2"]);
    let text = table(&["--otsu", "2", "--counted", "both"]);
    let lines: Vec<_> = text.lines().collect();
    let threshold = &json["thresholds"][0];
    assert_eq!(lines[2], format!("counted picture: result; adjustments: 2 classes; thresholds {threshold}"));
    assert_eq!((lines.len(), lines[8]), (14, "counted picture: source"));
    let plain = table(&[]);
    assert_eq!(lines[9..], plain.lines().collect::<Vec<_>>()[2..], "the source's own table");
}

/// The drawing shows what is counted: the picture at its own size equals the adjusted one.
#[test]
fn the_adjusted_picture_is_drawn() {
    for (arguments, adjustments, told) in kinds() {
        for format in ["gbrp", "yuv444p"] {
            let clip = clip(format);
            let expected = adjusted(&frame_at(clip.path(), 0.0), &adjustments);
            for engine in ["cpu", "gpu"] {
                let png = snapshot(clip.path(), &[&["--no-overlay", "--engine", engine], arguments].concat());
                assert_eq!(png.size, (98, 66));
                let expected: Vec<_> = expected.rgb.iter().flatten().map(|&code| code as u8).collect();
                let differing = png.rgb.iter().zip(&expected).filter(|(drawn, counted)| drawn != counted).count();
                assert_eq!(differing, 0, "{told}, {format}, {engine}: of {}", expected.len());
            }
        }
    }
}

#[test]
fn what_contradicts_itself_is_wrong_usage() {
    let clip = clip("yuv420p");
    let path = clip.path().to_str().unwrap();
    for (arguments, words) in [
        (&["--counted", "both"][..], "--counted chooses"),
        (&["--equalize", "--components", "ycbcr"], "leave out --components"),
        (&["--equalize", "--clahe", "8x8"], "cannot be used with"),
        (&["--low-pass", "65"], "3 to 63"),
        (&["--equalize=luminance:99"], "0 to 10"),
    ] {
        let run = run([&["snapshot", path], arguments].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.contains(words), "no '{words}' in {}", run.stderr);
    }
    let coded =
        figures(clip.path(), &["--equalize", "--counted", "source", "--components", "ycbcr", "--engine", "cpu"]);
    assert_eq!((&coded["picture"], coded["channels"].as_object().unwrap().len()), (&"source".into(), 3));
}

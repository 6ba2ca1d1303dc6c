//! The luminance of linear light in the figures, against NumPy, with the transfer function tagged in the file.

use crate::command::python::python;
use crate::command::{figures, run};
use crate::common::Clip;

fn numpy(clip: &Clip, format: &str, transfer: &str, size: (u32, u32)) -> serde_json::Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/snapshot/linear.py");
    let size = [size.0.to_string(), size.1.to_string()];
    let output = python().arg(script).arg(clip.path()).args([format, transfer]).args(size).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_engine_tells_what_numpy_computes() {
    let kinds = [
        ("gbrp", "gbrp", "bt709", "bt1886"),
        ("gbrp", "gbrp", "iec61966-2-1", "srgb"),
        ("gbrp10le", "gbrp16le", "smpte2084", "pq"),
        ("gbrp12le", "gbrp16le", "smpte2084", "pq"),
        ("gbrp10le", "gbrp16le", "arib-std-b67", "hlg"),
    ];
    for (format, raw, tag, transfer) in kinds {
        let options = format!("-c:v ffv1 -strict -2 -pix_fmt {format} -color_trc {tag}");
        let clip = Clip::noisy("clip.mkv", "67x41", raw, 1, &options);
        let expected = numpy(&clip, format, transfer, (67, 41));
        for engine in ["gpu", "cpu"] {
            let json = figures(clip.path(), &["--luminance", "linear", "--bins", "--engine", engine]);
            assert_eq!(json["transfer"], transfer);
            let linear = &json["channels"]["linear_luminance"];
            assert!(linear["bins"] == expected, "{format} {tag}, {engine}");
            assert_eq!(linear["count"], 67 * 41);
            assert!(json["channels"]["luminance"]["bins"] != expected, "noise has colours");
        }
    }
}

#[test]
fn it_comes_only_when_asked_for_and_only_with_red_green_and_blue() {
    let clip = Clip::noisy("clip.nut", "33x21", "yuv420p", 1, "-c copy");
    for more in [&["--engine", "cpu"][..], &["--luminance", "encoded"]] {
        let json = figures(clip.path(), more);
        assert!(json["transfer"].is_null() && json["channels"]["linear_luminance"].is_null(), "{more:?}");
    }
    let both = figures(clip.path(), &["--luminance", "linear", "--low-pass", "9", "--counted", "both"]);
    assert!(both["channels"]["linear_luminance"] != both["source_channels"]["linear_luminance"]);
    assert_eq!(both["source_channels"]["linear_luminance"]["count"], 33 * 21);
    let path = clip.path().to_str().unwrap();
    let wrong = run(["snapshot", path, "--luminance", "linear", "--components", "ycbcr"]);
    assert_eq!((wrong.code, wrong.stderr.contains("leave out --components")), (Some(2), true), "{wrong:?}");
}

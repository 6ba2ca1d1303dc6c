//! Pictures that begin at any byte of the decoder's memory, counted by every engine.

use histoscope_core::picture::crop::Crop;

use crate::analyze::program::{output, records};
use crate::common::odd::with_clean_aperture;
use crate::common::{Clip, is_ffmpeg_7_1};

/// Makes a clip whose headers crop this many columns at the left.
fn cropped(left: u32) -> Clip {
    let whole = Clip::moving("whole.mkv", "1280x720", 0.12, "-c:v libx264 -preset ultrafast");
    let path = whole.make("cropped.mkv", &format!("-i @ -c copy -bsf:v h264_metadata=crop_left={left}"));
    Clip::from_bytes("cropped.mkv", &std::fs::read(path).expect("a clip"))
}

#[test]
fn every_engine_counts_what_a_left_crop_leaves() {
    for left in [2, 6, 240] {
        let clip = cropped(left);
        for engine in ["gpu", "cpu"] {
            let arguments = ["--bins", "--verify", "--engine", engine];
            let (records, _) = records(clip.path(), &arguments);
            assert_eq!((&records[0]["width"], &records[0]["height"]), (&(1280 - left).into(), &720.into()));
        }
        assert_eq!(
            output(clip.path(), &["--bins", "--engine", "gpu"]),
            output(clip.path(), &["--bins", "--engine", "cpu"]),
            "left {left}"
        );
    }
}

#[test]
fn nothing_is_cropped_where_that_is_asked_for() {
    let clip = cropped(16);
    let (all, summary) = records(clip.path(), &[]);
    assert_eq!((&all[0]["width"], &summary["options"]["cropping"]), (&1264.into(), &serde_json::Value::Null));
    let (none, summary) = records(clip.path(), &["--cropping", "none"]);
    assert_eq!((&none[0]["width"], &none[0]["height"]), (&1280.into(), &720.into()));
    assert_eq!(summary["options"]["cropping"], "none");
    let (codec, _) = records(clip.path(), &["--crop", "codec"]);
    assert_eq!(codec[0]["width"], 1264);
}

#[test]
fn every_engine_counts_what_the_container_leaves() {
    if !is_ffmpeg_7_1() {
        eprintln!("NOT TESTED: FFmpeg tells what containers crop from 7.1 on");
        return;
    }
    let whole = Clip::moving("whole.mp4", "320x184", 0.12, "-c:v libx264 -preset ultrafast -pix_fmt yuv420p");
    for [left, right, top, bottom] in [[32, 10, 4, 6], [5, 0, 3, 0], [2, 3, 1, 0]] {
        let crop = Crop { left, right, top, bottom };
        let clip = with_clean_aperture(&whole, "cropped.mp4", crop);
        for engine in ["gpu", "cpu"] {
            let (records, _) = records(clip.path(), &["--bins", "--verify", "--engine", engine]);
            let (width, height) = crop.leaves((320, 184)).expect("a picture");
            assert_eq!((&records[0]["width"], &records[0]["height"]), (&width.into(), &height.into()));
        }
        let counted = |arguments: &[&str]| output(clip.path(), &[&["--bins"], arguments].concat());
        assert_eq!(counted(&["--engine", "gpu"]), counted(&["--engine", "cpu"]), "{crop:?}");
        let (codec, summary) = records(clip.path(), &["--bins", "--cropping", "codec"]);
        let (uncropped, _) = records(whole.path(), &["--bins"]);
        assert_eq!((&codec[0]["width"], &summary["options"]["cropping"]), (&320.into(), &"codec".into()));
        assert!(codec.iter().zip(&uncropped).all(|(codec, whole)| codec["channels"] == whole["channels"]), "{crop:?}");
    }
}

//! The bins equal the plain definition at every size and for every content. The comparison is also shown to fail.

use histoscope_core::histogram::reference;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::color::Matrix;

use crate::command::{figures, program, run, sample};
use crate::common::Clip;
use crate::snapshot::expected::{Kind, check, difference, frame_at};

/// The sample is tagged as BT.709 and limited range.
fn sample_kind() -> Kind {
    Kind { matrix: Matrix::Bt709, ..Kind::untagged_420((1280, 720)) }
}

fn bins_at(at: &str, engine: &str, more: &[&str]) -> serde_json::Value {
    figures(sample(), &[&["--bins", "--at", at, "--engine", engine], more].concat())
}

#[test]
fn the_sample_at_several_times() {
    for (at, frame, engine) in [("0", 0, "gpu"), ("1.99", 59, "cpu"), ("3.2", 96, "gpu"), ("99", 299, "cpu")] {
        let json = bins_at(at, engine, &[]);
        let expected = sample_kind().histogram(sample(), frame);
        difference(&json, &expected).unwrap_or_else(|difference| panic!("at {at}: {difference}"));
        let decoded = reference::histogram(&frame_at(sample(), at.parse().unwrap()).picture, Components::Rgbl);
        assert!(decoded == expected, "at {at}: our decoder and the ffmpeg command differ");
        assert!(json["frame"].is_null() || json["frame"] == frame, "at {at}: {}", json["frame"]);
        assert!((json["pts_seconds"].as_f64().unwrap() - frame as f64 / 30.0).abs() < 1e-3, "{}", json["pts_seconds"]);
        assert_eq!((&json["matrix"], &json["range"]), (&"bt709".into(), &"limited".into()));
        assert_eq!((&json["matrix_source"], &json["range_source"]), (&"tagged".into(), &"tagged".into()));
    }
}

#[test]
fn the_comparison_can_fail() {
    let expected = sample_kind().histogram(sample(), 96);
    assert_eq!(difference(&bins_at("3.2", "cpu", &[]), &expected), Ok(()));
    for (at, more) in [("3.17", &[][..]), ("3.24", &[]), ("3.2", &["--matrix", "bt601"]), ("3.2", &["--range", "full"])]
    {
        let json = bins_at(at, "cpu", more);
        assert!(difference(&json, &expected).is_err(), "at {at} with {more:?}");
    }
    let overridden = bins_at("3.2", "cpu", &["--matrix", "bt601", "--range", "full"]);
    assert_eq!((&overridden["matrix"], &overridden["matrix_source"]), (&"bt601".into(), &"overridden".into()));
    assert_eq!((&overridden["range"], &overridden["range_source"]), (&"full".into(), &"overridden".into()));
    // One pixel in a different bin is found anywhere.
    let json = bins_at("3.2", "cpu", &[]);
    for channel in 0..4 {
        let mut moved: Histogram = expected.clone();
        let bin = moved.bins(channel).iter().position(|&count| count > 0).unwrap();
        moved.bins_mut(channel)[bin] -= 1;
        moved.bins_mut(channel)[bin + 1] += 1;
        assert!(difference(&json, &moved).is_err(), "channel {channel}");
    }
}

#[test]
fn odd_sizes() {
    for size in [(1, 1), (2, 2), (3, 5), (17, 1), (1, 257), (641, 359)] {
        // The level is set because FFmpeg 8 finds no number of slices for the smallest size at the default level.
        let clip = Clip::noisy("clip.mkv", &format!("{}x{}", size.0, size.1), "yuv420p", 1, "-c:v ffv1 -level 1");
        check(clip.path(), &Kind::untagged_420(size), &["gpu", "cpu"]);
    }
}

#[test]
fn a_picture_of_4096_by_2304() {
    let size = (4096, 2304);
    let clip = Clip::noisy("clip.nut", "4096x2304", "yuv420p", 1, "-c copy");
    check(clip.path(), &Kind::untagged_420(size), &["gpu", "cpu"]);
}

/// Makes a raw 4:2:0 clip where the luma sample at (x, y) is `code(x, y)`, and likewise the chroma samples.
fn drawn(size: (usize, usize), code: impl Fn(usize, usize, usize) -> u8) -> Clip {
    let (width, height) = size;
    let chroma = (width.div_ceil(2), height.div_ceil(2));
    let mut bytes = Vec::new();
    for (plane, (width, height)) in [size, chroma, chroma].into_iter().enumerate() {
        bytes.extend((0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| code(plane, x, y)));
    }
    let clip = Clip::from_bytes("clip.raw", &bytes);
    clip.make("clip.nut", &format!("-f rawvideo -pixel_format yuv420p -video_size {width}x{height} -i @ -c copy"));
    clip
}

#[test]
fn a_constant_colour_and_a_gradient() {
    let kind = Kind::untagged_420((250, 131));
    let constant = drawn((250, 131), |plane, _, _| [180, 90, 140][plane]);
    let path = constant.folder().join("clip.nut");
    check(&path, &kind, &["gpu", "cpu"]);
    let json = figures(&path, &["--engine", "cpu"]);
    for (name, channel) in json["channels"].as_object().unwrap() {
        assert_eq!(channel["count"], 250 * 131, "{name}");
        assert_eq!(channel["min"], channel["max"], "{name}");
        assert_eq!(channel["median"], channel["max"], "{name}");
    }
    let gradient = drawn((250, 131), |plane, x, y| if plane == 0 { x as u8 } else { (2 * y * plane) as u8 });
    check(&gradient.folder().join("clip.nut"), &kind, &["gpu", "cpu"]);
}

#[test]
fn codes_as_they_are_coded() {
    let clip = Clip::noisy("clip.nut", "33x21", "yuv420p", 1, "-c copy");
    let expected = reference::histogram(&frame_at(clip.path(), 0.0).picture, Components::YCbCr);
    for engine in ["gpu", "cpu"] {
        let json = figures(clip.path(), &["--bins", "--components", "ycbcr", "--engine", engine]);
        let channels = json["channels"].as_object().unwrap();
        assert_eq!(channels.keys().collect::<Vec<_>>(), ["y", "cb", "cr"]);
        for (index, channel) in channels.values().enumerate() {
            assert_eq!(channel["count"], [33 * 21, 17 * 11, 17 * 11][index], "chroma has its own count");
            assert_eq!(channel["bins"], serde_json::json!(expected.bins(index)), "{engine}, {index}");
        }
    }
}

/// Returns the bins of a channel by definition: code c of N goes to bin floor(c · count / N).
fn regrouped(codes: &[u32], count: u64) -> Vec<u32> {
    let mut bins = vec![0; count as usize];
    for (code, counted) in (0_u64..).zip(codes) {
        bins[(code * count / codes.len() as u64) as usize] += counted;
    }
    bins
}

#[test]
fn any_number_of_bins_and_the_same_figures_whatever_it_is() {
    let clip = Clip::noisy("clip.nut", "64x36", "yuv420p10le", 1, "-c copy");
    let all = reference::histogram(&frame_at(clip.path(), 0.0).picture, Components::Rgbl);
    let figures_of = |more: &[&str]| figures(clip.path(), &[&["--bins"], more].concat());
    let bare = figures_of(&["--engine", "cpu"]);
    assert_eq!(bare["bin_count"], 1024, "a bin for each code, unless asked otherwise");
    for (count, engine) in [("3", "cpu"), ("100", "gpu"), ("1024", "cpu"), ("1000", "gpu"), ("4096", "cpu")] {
        let json = figures_of(&["--bin-count", count, "--engine", engine]);
        assert_eq!(json["bin_count"].to_string(), count);
        for (index, (name, channel)) in json["channels"].as_object().unwrap().iter().enumerate() {
            let expected = regrouped(all.bins(index), count.parse().unwrap());
            assert_eq!(channel["bins"], serde_json::json!(expected), "{count} bins of {name}, {engine}");
            let (mut told, mut exact) = (channel.clone(), bare["channels"][name].clone());
            for channel in [&mut told, &mut exact] {
                channel["bins"].take();
            }
            assert_eq!(told, exact, "mean, median and the like are those of the codes");
        }
    }
}

#[test]
fn a_number_of_bins_that_there_cannot_be_is_wrong_usage() {
    for (count, told) in [("2", "the nearest is 3"), ("5000", "the nearest is 4096"), ("many", "not a number of bins")]
    {
        for arguments in [&["snapshot", "clip.mp4", "--bin-count", count][..], &["clip.mp4", "--bin-count", count]] {
            let run = run(arguments);
            assert_eq!((run.code, run.stderr.contains(told)), (Some(2), true), "{arguments:?}: {}", run.stderr);
        }
    }
}

#[test]
fn a_saved_picture_is_drawn_in_so_many_bins_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let picture = |name: &str, more: &[&str]| {
        let path = folder.path().join(name);
        let output = ["snapshot".as_ref(), sample().as_os_str(), "-o".as_ref(), path.as_os_str()];
        let done = program().args(output).args(["--at", "3.2"]).args(more).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        std::fs::read(path).unwrap()
    };
    let bare = picture("bare.png", &[]);
    assert_ne!(picture("few.png", &["--bin-count", "16"]), bare);
    assert_eq!(picture("all.png", &["--bin-count", "256"]), bare, "256 is what 8 bits have anyway");
    let labelled = picture("labelled.png", &["--labels"]);
    assert_ne!(picture("few labelled.png", &["--labels", "--bin-count", "16"]), labelled);
}

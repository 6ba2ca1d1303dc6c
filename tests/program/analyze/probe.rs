//! `--format ffprobe` against the installed ffprobe, field by field.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::analyze::program::{analyze, output};
use crate::common::{self, Clip};

/// Returns the output of `ffprobe -f lavfi movie=…,signalstats` for the frames.
pub fn ffprobe(clip: &Path, filter: &str, stat: &str) -> Vec<Value> {
    filtered(clip, &format!("{filter}signalstats=stat={stat}"))
}

/// Returns the output of `ffprobe -f lavfi movie=…` with these filters for the frames.
pub fn filtered(clip: &Path, filters: &str) -> Vec<Value> {
    // Quotes the name, which may contain the graph's special characters.
    let graph = format!("movie='{}',{filters}", clip.display());
    let output = Command::new("ffprobe")
        // In its vector code, ssim reads beyond the end of lines.
        .args(["-cpuflags", "0", "-v", "error", "-f", "lavfi", "-i", &graph, "-show_frames", "-of", "json"])
        .output()
        .expect("the ffprobe command is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    frames(&String::from_utf8_lossy(&output.stdout))
}

fn frames(text: &str) -> Vec<Value> {
    let json: Value = serde_json::from_str(text).expect("JSON");
    json["frames"].as_array().expect("frames").clone()
}

/// The tags that both signalstats and we write, in its order.
const TAGS: [&str; 26] = [
    "YMIN",
    "YLOW",
    "YAVG",
    "YHIGH",
    "YMAX",
    "UMIN",
    "ULOW",
    "UAVG",
    "UHIGH",
    "UMAX",
    "VMIN",
    "VLOW",
    "VAVG",
    "VHIGH",
    "VMAX",
    "SATMIN",
    "SATLOW",
    "SATAVG",
    "SATHIGH",
    "SATMAX",
    "HUEMED",
    "HUEAVG",
    "YBITDEPTH",
    "UBITDEPTH",
    "VBITDEPTH",
    "BRNG",
];

/// Returns the first difference, if any.
fn difference(ours: &[Value], theirs: &[Value]) -> Option<String> {
    if ours.len() != theirs.len() || ours.is_empty() {
        return Some(format!("{} frames, not {}", ours.len(), theirs.len()));
    }
    for (ours, theirs) in ours.iter().zip(theirs) {
        let tags = ours["tags"].as_object().expect("tags");
        let names: Vec<_> = tags.keys().map(|name| name.trim_start_matches("lavfi.signalstats.")).collect();
        if names != TAGS {
            return Some(format!("the tags are {names:?}"));
        }
        for (name, value) in tags {
            if *value != theirs["tags"][name] {
                return Some(format!("{name} is {value}, not {}", theirs["tags"][name]));
            }
        }
        for name in ["media_type", "stream_index", "pts", "pts_time", "best_effort_timestamp", "width", "height"] {
            if ours[name] != theirs[name] {
                return Some(format!("{name} is {}, not {}", ours[name], theirs[name]));
            }
        }
    }
    None
}

fn compare(clip: &Clip, filter: &str, arguments: &[&str]) {
    let mut all = vec!["--format", "ffprobe"];
    all.extend_from_slice(arguments);
    let found = difference(&frames(&output(clip.path(), &all)), &ffprobe(clip.path(), filter, "brng"));
    assert_eq!(found, None, "{} {arguments:?}", clip.path().display());
}

#[test]
fn every_format_that_the_filter_reads_gives_its_values() {
    let formats = [
        "yuv420p",
        "yuv422p",
        "yuv444p",
        "yuv411p",
        "yuv440p",
        "yuv420p10le",
        "yuv422p10le",
        "yuv444p10le",
        "yuv420p12le",
        "yuv422p14le",
        "yuv444p16le",
        "yuva420p",
        "yuva444p16le",
        // For these, FFmpeg converts to 16-bit samples for the filter.
        "yuva420p10le",
        "yuva422p10le",
        "yuva444p10le",
    ];
    for format in formats {
        let name = format!("{format}.mkv");
        compare(&Clip::noisy(&name, "67x45", format, 3, "-c:v ffv1 -strict -2"), "", &[]);
        let arguments = format!("-vf format={format} -c:v ffv1 -strict -2");
        compare(&Clip::moving(&name, "190x107", 0.2, &arguments), "", &[]);
    }
}

#[test]
fn real_codecs_and_full_range_give_its_values() {
    compare(&Clip::moving("b.mp4", "160x90", 1.0, "-c:v libx264 -bf 3 -pix_fmt yuv420p"), "", &[]);
    compare(&Clip::moving("ten.mp4", "160x90", 0.4, "-c:v libx264 -pix_fmt yuv422p10le"), "", &[]);
    compare(&Clip::moving("full.mkv", "160x90", 0.4, "-c:v mjpeg -pix_fmt yuvj422p"), "", &[]);
    compare(&Clip::noisy("nv12.nut", "32x18", "nv12", 2, "-c:v rawvideo"), "", &[]);
}

/// The filter's frames always have square pixels. The output has the aspect that `ffprobe` reports for the file, or
/// square if it reports none.
#[test]
fn the_pixel_aspect_is_the_files() {
    let coded = Clip::moving("clip.mp4", "160x90", 0.2, "-vf setsar=8/9 -c:v libx264 -pix_fmt yuv420p");
    for (clip, expected) in [(coded.path(), "8:9"), (&*coded.make("anew.mp4", "-i @ -c copy -aspect 2:1"), "9:8")] {
        let frames = frames(&output(clip, &["--format", "ffprobe"]));
        assert_eq!(frames[0]["sample_aspect_ratio"], expected);
        let told = common::ffprobe(clip, &["-show_entries", "frame=sample_aspect_ratio"]);
        assert_eq!(told.lines().next().map(|line| line.trim_end_matches(',')), Some(expected));
    }
    let unstated = Clip::noisy("clip.mkv", "32x18", "yuv420p", 1, "-c:v ffv1");
    let told = common::ffprobe(unstated.path(), &["-show_entries", "frame=sample_aspect_ratio"]);
    assert_eq!(told.lines().next(), Some("N/A"));
    let ours = frames(&output(unstated.path(), &["--format", "ffprobe"]));
    assert_eq!(ours[0]["sample_aspect_ratio"], "1:1");
    assert_eq!(ours[0]["sample_aspect_ratio"], ffprobe(unstated.path(), "", "brng")[0]["sample_aspect_ratio"]);
}

/// The filter may read a copy with the samples in another order. The output names the decoder's own format.
#[test]
fn the_pixel_format_is_the_files() {
    let clip = Clip::noisy("nv12.nut", "32x18", "nv12", 1, "-c:v rawvideo");
    let ours = frames(&output(clip.path(), &["--format", "ffprobe"]));
    assert_eq!(ours[0]["pix_fmt"], "nv12");
    assert_eq!(common::ffprobe(clip.path(), &["-show_entries", "frame=pix_fmt"]).lines().next(), Some("nv12"));
    assert_eq!(ffprobe(clip.path(), "", "brng")[0]["pix_fmt"], "yuv420p");
}

#[test]
fn a_region_is_what_the_crop_filter_leaves() {
    let clip = Clip::noisy("clip.mkv", "67x45", "yuv420p10le", 3, "-c:v ffv1");
    compare(&clip, "crop=30:20:8:6,", &["--region", "8,6,30,20"]);
    compare(&clip, "crop=31:21:8:6:exact=1,", &["--region", "8,6,31,21"]);
}

#[test]
fn the_comparison_sees_a_wrong_value() {
    let clip = Clip::moving("clip.mkv", "64x36", 0.2, "-c:v ffv1 -pix_fmt yuv420p");
    let theirs = ffprobe(clip.path(), "", "brng");
    let good = output(clip.path(), &["--format", "ffprobe"]);
    assert_eq!(difference(&frames(&good), &theirs), None);
    let wrong = good.replacen("YLOW\":\"", "YLOW\":\"1", 1);
    assert!(difference(&frames(&wrong), &theirs).is_some_and(|text| text.contains("YLOW")));
    assert!(difference(&frames(&good)[1..], &theirs).is_some());
}

#[test]
fn sources_that_the_filter_would_convert_are_refused() {
    // FFV1 outputs 8-bit R'G'B' as bgr0. Formats with alpha or interleaved chroma would change from full to limited
    // range.
    let formats = [
        ("gbrp", "bgr0", "-c:v ffv1"),
        ("gray", "gray", "-c:v ffv1"),
        ("yuv410p", "yuv410p", "-c:v ffv1"),
        ("yuva420p", "yuva420p", "-c:v ffv1 -color_range pc"),
        ("yuva444p", "yuva444p", "-c:v ffv1 -color_range pc"),
        ("nv12", "nv12", "-c:v rawvideo -color_range pc"),
        ("yuyv422", "yuyv422", "-c:v rawvideo -color_range pc"),
        ("yuva420p10le", "yuva420p10le", "-c:v ffv1 -color_range pc"),
        ("yuva422p10le", "yuva422p10le", "-c:v ffv1 -color_range pc"),
    ];
    for (format, decoded, codec) in formats {
        let name = "clip.mkv";
        let clip = Clip::noisy(name, "32x18", format, 1, codec);
        assert_ne!(ffprobe(clip.path(), "", "brng")[0]["pix_fmt"], decoded, "the filter reads {format} as it is");
        let run = analyze(clip.path(), &["--format", "ffprobe"]);
        assert_eq!(run.code, Some(1), "{format}");
        for word in ["signalstats", decoded, "--format jsonl"] {
            assert!(run.stderr.contains(word), "no {word} in {}", run.stderr);
        }
    }
    let clip = Clip::noisy("clip.mkv", "32x18", "yuv420p", 1, "-c:v ffv1");
    assert_eq!(analyze(clip.path(), &["--format", "ffprobe", "--bins"]).code, Some(2));
}

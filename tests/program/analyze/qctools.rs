//! `--format qctools`: read as QCTools reads it, with every value compared to the installed ffprobe's.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::analyze::probe;
use crate::analyze::program::analyze;
use crate::command::finish;
use crate::command::python::python;
use crate::common::{self, Clip};

/// Returns the report of a clip as a reader sees it.
fn report(clip: &Clip, name: &str) -> Value {
    let path = clip.folder().join(name);
    let run = analyze(clip.path(), &["-o", path.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    read(&path)
}

fn read(path: &Path) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/analyze/qctools.py");
    let run = finish(python().arg(script).arg(path));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    serde_json::from_str(&run.stdout).expect("JSON")
}

/// Returns the first difference from FFmpeg's values, if any.
fn difference(ours: &Value, theirs: &[Value]) -> Option<String> {
    let ours = ours["frames"].as_array().expect("frames");
    if ours.len() != theirs.len() || ours.is_empty() {
        return Some(format!("{} frames, not {}", ours.len(), theirs.len()));
    }
    for (ours, theirs) in ours.iter().zip(theirs) {
        let (tags, expected) = (&signal_tags(ours), &theirs["tags"]);
        // From version 9 on, FFmpeg has them in a different order.
        let mut names = [tags, expected].map(|tags| tags.as_object().unwrap().keys().collect::<Vec<_>>());
        if common::is_ffmpeg_9() {
            names.iter_mut().for_each(|names| names.sort());
        }
        if names[0] != names[1] {
            return Some(format!("{tags} for {expected}"));
        }
        for (name, value) in tags.as_object().unwrap() {
            if *value != expected[name] {
                return Some(format!("{name} is {value}, not {}", expected[name]));
            }
        }
        if ours["pkt_pts_time"] != theirs["pts_time"] || ours["pkt_pts"].as_str() != Some(&*theirs["pts"].to_string()) {
            return Some(format!("{} for {}", ours["pkt_pts_time"], theirs["pts_time"]));
        }
    }
    None
}

/// Returns the tags of signalstats.
fn signal_tags(frame: &Value) -> Value {
    let tags = frame["tags"].as_object().expect("tags").iter();
    tags.filter(|(name, _)| name.starts_with("lavfi.signalstats"))
        .map(|(name, tag)| (name.clone(), tag.clone()))
        .collect()
}

/// The filters of QCTools besides signalstats, the number of tags that each gives in the report, and how far their values
/// may be apart, for sums of SSIM depend on the number of threads.
const FILTERS: [(&str, &str, usize, f64); 4] = [
    ("cropdetect", "cropdetect=reset=1:round=1:skip=0", 8, 0.0),
    ("entropy", "entropy=mode=normal,entropy=mode=diff", 12, 1.5e-6),
    ("idet", "idet=half_life=1", 14, 0.0),
    ("psnr", "split[a][b];[a]field=top[a1];[b]field=bottom[b1];[a1][b1]psnr", 8, 1e-6),
];
const SSIM: (&str, &str, usize, f64) =
    ("ssim", "split[a][b];[a]field=top[a1];[b]field=bottom[b1];[a1][b1]ssim", 5, 1e-5);

/// Returns the first value that differs from one of a filter, if any.
fn filter_difference(ours: &Value, clip: &Clip, filters: &[(&str, &str, usize, f64)]) -> Option<String> {
    for &(name, filter, count, slack) in filters {
        let theirs = probe::filtered(clip.path(), filter);
        let ours = ours["frames"].as_array().expect("frames");
        if ours.len() != theirs.len() || ours.is_empty() {
            return Some(format!("{} frames, not {}", ours.len(), theirs.len()));
        }
        for (number, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let prefix = format!("lavfi.{name}.");
            let tags: Vec<_> =
                ours["tags"].as_object().unwrap().iter().filter(|(tag, _)| tag.starts_with(&prefix)).collect();
            if tags.len() != count {
                return Some(format!("{} tags of {name}: {tags:?}", tags.len()));
            }
            for (tag, value) in tags {
                let texts = [value, &theirs["tags"][tag]].map(|value| value.as_str().unwrap_or("none"));
                let numbers = texts.map(|text| text.parse::<f64>());
                // Decibels are as far apart as their arguments are, relative to their distance from 1.
                let slack = if tag.ends_with("dB") { 0.01 } else { slack };
                let is_near = matches!(numbers, [Ok(a), Ok(b)] if (a - b).abs() <= slack * a.abs().max(1.0));
                if texts[0] != texts[1] && !is_near {
                    return Some(format!("frame {number}: {tag} is {}, not {}", texts[0], texts[1]));
                }
            }
        }
    }
    None
}

#[test]
fn crop_entropy_and_fields_are_the_filters() {
    let all = |clip: &Clip, with: &[(&str, &str, usize, f64)]| {
        let ours = report(clip, "report.qctools.xml.gz");
        assert_eq!(filter_difference(&ours, clip, with), None, "{}", clip.path().display());
        ours
    };
    let fields = [&FILTERS[..], &[SSIM]].concat();
    for (format, codec) in [
        ("yuv420p", "ffv1"),
        ("yuv422p10le", "ffv1"),
        ("yuv444p", "ffv1"),
        ("yuv420p10le", "libx264"),
        ("yuv422p", "ffv1"),
    ] {
        let name = format!("{format}.mkv");
        let moving = Clip::moving(&name, "176x112", 0.4, &format!("-pix_fmt {format} -c:v {codec}"));
        all(&moving, &fields);
        all(&Clip::noisy(&name, "68x48", format, 4, &format!("-c:v {codec}")), &fields);
    }
    // Both orders of fields, telecine, and a change from progressive to interlaced; bars, and a black picture.
    let interlaced = "testsrc2=size=176x144:rate=50:duration=0.8,format=yuv420p";
    for filter in ["interlace=scan=tff", "interlace=scan=bff", "telecine=first_field=top", "null"] {
        let clip = Clip::new("fields.mkv", &format!("-f lavfi -i {interlaced},{filter} -c:v ffv1"));
        let ours = all(&clip, &FILTERS);
        let order = match filter {
            "interlace=scan=tff" => "tff",
            "interlace=scan=bff" => "bff",
            _ => continue,
        };
        assert_eq!(ours["frames"][9]["tags"]["lavfi.idet.multiple.current_frame"], order);
    }
    let mixed = format!("{interlaced},split[a][b];[b]interlace,setpts=PTS+0.8/TB[i];[a]fps=25[p];[p][i]concat");
    all(&Clip::new("mixed.mkv", &format!("-f lavfi -i {mixed} -c:v ffv1")), &FILTERS[..3]);
    let boxed = "testsrc2=size=128x80:rate=25:duration=0.2,pad=176:144:21:33,format=yuv420p";
    all(&Clip::new("boxed.mkv", &format!("-f lavfi -i {boxed} -c:v ffv1")), &fields);
    all(&Clip::new("black.mkv", "-f lavfi -i color=black:s=64x48:d=0.2,format=yuv420p -c:v ffv1"), &FILTERS[..3]);
    // Fields of different sizes have no figures.
    let odd = Clip::moving("odd.mkv", "64x46", 0.12, "-pix_fmt yuv420p -c:v ffv1");
    let ours = all(&odd, &FILTERS[..3]);
    assert!(ours["frames"][0]["tags"]["lavfi.psnr.mse_avg"].is_null());
}

#[test]
fn a_wrong_value_of_a_filter_is_found() {
    let clip = Clip::moving("clip.mkv", "64x48", 0.12, "-pix_fmt yuv420p -c:v ffv1");
    let right = report(&clip, "report.qctools.xml.gz");
    for tag in ["cropdetect.w", "entropy.entropy.diff.U", "idet.single.progressive", "psnr.mse.y"] {
        let mut wrong = right.clone();
        wrong["frames"][1]["tags"][format!("lavfi.{tag}")] = "7.5".into();
        let found = filter_difference(&wrong, &clip, &FILTERS).expect("it is wrong");
        assert!(found.contains(tag) && found.contains("frame 1"), "{found}");
    }
}

fn compare(clip: &Clip) {
    let theirs = probe::ffprobe(clip.path(), "", "tout+vrep+brng");
    assert_eq!(difference(&report(clip, "report.qctools.xml.gz"), &theirs), None, "{}", clip.path().display());
}

#[test]
fn every_value_is_the_filters() {
    for format in ["yuv420p", "yuv422p10le", "yuv444p16le", "yuv411p", "yuva444p", "yuv420p12le", "yuva422p10le"] {
        let name = format!("{format}.mkv");
        compare(&Clip::noisy(&name, "67x45", format, 4, "-c:v ffv1 -strict -2"));
        compare(&Clip::moving(&name, "190x107", 0.24, &format!("-pix_fmt {format} -c:v ffv1 -strict -2")));
    }
    compare(&Clip::moving("b.mp4", "160x90", 1.0, "-c:v libx264 -bf 3 -pix_fmt yuv420p"));
    // Lines and columns that repeat, pictures too small for either, and still pictures.
    compare(&Clip::new("bars.mkv", "-f lavfi -i smptebars=s=64x48:d=0.12,noise=alls=12:allf=t -c:v ffv1"));
    compare(&Clip::noisy("low.nut", "40x3", "yuv420p", 3, "-c copy"));
    compare(&Clip::noisy("narrow.mkv", "2x40", "yuv444p", 3, "-c:v ffv1"));
    compare(&Clip::new("still.mkv", "-f lavfi -i color=c=0x80ff20:s=64x48:d=0.2 -c:v ffv1"));
}

/// Each frame has a different Cb, and every Cr, so that a wrong hue of one pair shows in the frame's mean.
#[test]
fn every_pair_of_colour_codes_has_the_filters_saturation_and_hue() {
    let mut planes = Vec::new();
    for cb in 0..=255_u8 {
        planes.extend([100; 256]);
        planes.extend([cb; 256]);
        planes.extend(0..=255_u8);
    }
    let clip = Clip::from_bytes("pairs.yuv", &planes);
    let video = clip.make("pairs.nut", "-f rawvideo -pixel_format yuv444p -video_size 256x1 -i @ -c:v rawvideo");
    let clip = Clip::from_bytes("pairs.nut", &fs::read(video).unwrap());
    compare(&clip);
}

#[test]
fn the_stream_and_the_file_stand_behind_the_frames() {
    let clip = Clip::moving("a & <b>.mp4", "160x90", 0.4, "-vf setsar=8/9 -c:v libx264 -pix_fmt yuv420p10le");
    let report = report(&clip, "report.qctools.xml.gz");
    let frame = &report["frames"][3];
    for (name, value) in [
        ("media_type", "video"),
        ("stream_index", "0"),
        ("pkt_pts_time", "0.120000"),
        ("pkt_duration_time", "0.040000"),
        ("width", "160"),
        ("height", "90"),
        ("pix_fmt", "yuv420p10le"),
    ] {
        assert_eq!(frame[name], value, "{name}");
    }
    assert_eq!((&report["frames"][0]["key_frame"], &report["frames"][0]["pict_type"]), (&"1".into(), &"I".into()));
    let entries = "stream=index,codec_name,codec_type,bits_per_raw_sample,width,height,sample_aspect_ratio,pix_fmt,\
                   r_frame_rate,avg_frame_rate,time_base,start_pts,start_time";
    let told = common::ffprobe(clip.path(), &["-select_streams", "v", "-show_entries", entries, "-of", "default=nw=1"]);
    for (name, value) in told.lines().filter_map(|line| line.split_once('=')) {
        assert_eq!(report["stream"][name], value, "{name}");
    }
    assert_eq!(report["stream"]["codec_time_base"], "1/25");
    assert_eq!(report["format"]["filename"], clip.path().to_str().unwrap());
    assert_eq!(report["format"]["size"], clip.bytes().len().to_string());
    assert_eq!(report["format"]["duration"], "0.400000");
}

#[test]
fn a_report_lies_beside_the_file_under_the_name_that_is_looked_for() {
    let clip = Clip::moving("clip.mov", "64x48", 0.2, "-c:v libx264 -pix_fmt yuv420p");
    let run = analyze(clip.path(), &["--format", "qctools", "--out-dir", clip.folder().to_str().unwrap()]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(read(&clip.folder().join("clip.mov.qctools.xml.gz"))["frames"].as_array().unwrap().len(), 5);
}

#[test]
fn a_file_that_ends_early_gives_a_whole_report_of_what_there_is() {
    let whole = Clip::moving("whole.mkv", "192x108", 4.0, "-c:v libx264 -g 10 -b:v 400k");
    let bytes = whole.bytes();
    let cut_off = Clip::from_bytes("short--er.mkv", &bytes[..bytes.len() * 6 / 10]);
    let path = cut_off.folder().join("report.qctools.xml.gz");
    analyze(cut_off.path(), &["-o", path.to_str().unwrap()]).fails_with(&["short--er.mkv", "ends after"]);
    let report = read(&path);
    assert!((20..100).contains(&report["frames"].as_array().unwrap().len()));
    assert!(report["text"].as_str().unwrap().contains("\"complete\":false"));
}

#[test]
fn several_decoders_write_the_same_report() {
    let clip = Clip::moving("clip.mkv", "192x108", 16.0, "-c:v libx264 -g 25 -bf 2 -flags +ildct+ilme");
    let [one, several] = ["1", "3"].map(|jobs| {
        let path = clip.folder().join(format!("{jobs}.qctools.xml.gz"));
        let run = analyze(clip.path(), &["--jobs", jobs, "-o", path.to_str().unwrap()]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        read(&path)["frames"].clone()
    });
    assert_eq!(one.as_array().unwrap().len(), 400);
    assert!(one == several, "frames differ");
}

#[test]
fn parts_of_a_file_are_no_report() {
    let clip = Clip::moving("clip.mkv", "64x48", 0.2, "-c:v ffv1 -pix_fmt yuv420p");
    let path = clip.folder().join("a.qctools.xml.gz");
    let calls: [&[&str]; 7] = [
        &["--from", "1f"],
        &["--to", "0.1"],
        &["--every", "2"],
        &["--keyframes"],
        &["--region", "0,0,8,8"],
        &["--resume"],
        &["--clahe", "8x8:2"],
    ];
    for call in calls {
        let run = analyze(clip.path(), &[call, &["-o", path.to_str().unwrap()]].concat());
        assert_eq!((run.code, path.exists()), (Some(2), false), "{call:?}");
        assert!(run.stderr.contains("qctools"), "{}", run.stderr);
    }
    let gray = Clip::noisy("gray.mkv", "32x18", "gray", 1, "-c:v ffv1");
    analyze(gray.path(), &["-o", path.to_str().unwrap()]).fails_with(&["signalstats", "gray"]);
    assert!(!path.exists());
    let run = analyze(clip.path(), &["-o", path.to_str().unwrap()]);
    assert_eq!(run.code, Some(0));
    let merged = finish(crate::command::program().arg("merge").arg(&path));
    merged.fails_with(&["a.qctools.xml.gz", "not a share"]);
}

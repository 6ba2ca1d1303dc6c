//! Interlaced 4:2:0, as in broadcast, against FFmpeg's scaler in its interlaced mode, and against known codes.

use serde_json::Value;

use crate::analyze::program::{output, records};
use crate::common::Clip;

/// Both engines.
const ENGINES: [&str; 2] = ["cpu", "gpu"];

/// Returns the codes of a channel that occur, and the number of pixels of each.
fn filled(record: &Value, channel: &str) -> Vec<(usize, u64)> {
    let bins = record["channels"][channel]["bins"].as_array().expect("bins").iter();
    let counts = bins.map(|count| count.as_u64().expect("a count")).enumerate();
    counts.filter(|(_, count)| *count > 0).collect()
}

/// Returns the bins of all channels of each frame.
fn bins(records: &[Value]) -> Vec<Vec<Value>> {
    let channels = ["red", "green", "blue", "luminance"];
    records.iter().map(|record| channels.map(|name| record["channels"][name]["bins"].clone()).to_vec()).collect()
}

/// Makes a top field of pure red and a bottom field of pure blue.
fn red_and_blue(size: (usize, usize), arguments: &str) -> Clip {
    let (width, height) = size;
    let rows = |height: usize, width: usize, [top, bottom]: [u8; 2]| {
        (0..height).flat_map(move |y| std::iter::repeat_n(if y % 2 == 0 { top } else { bottom }, width))
    };
    let mut raw: Vec<u8> = rows(height, width, [81, 41]).collect();
    raw.extend(rows(height / 2, width / 2, [90, 240]));
    raw.extend(rows(height / 2, width / 2, [240, 110]));
    let clip = Clip::from_bytes("x.yuv", &raw);
    let input = format!("-f rawvideo -pix_fmt yuv420p -s {width}x{height} -i @ -frames:v 1");
    let made =
        clip.make("x.mkv", &format!("{input} -vf setfield=tff,setparams=range=tv:colorspace=smpte170m {arguments}"));
    let bytes = std::fs::read(made).expect("it was made");
    Clip::from_bytes("x.mkv", &bytes)
}

#[test]
fn two_fields_of_one_colour_each_are_two_colours() {
    let clip = red_and_blue((128, 96), "-c:v ffv1 -field_order tt");
    for engine in ENGINES {
        let (found, _) = records(clip.path(), &["--bins", "--engine", engine, "--verify"]);
        let [record] = &found[..] else { panic!("{} records", found.len()) };
        // In 8-bit BT.601, red is 254, 0, 0 and blue is 0, 0, 254, within one code.
        for channel in ["red", "blue"] {
            let filled = filled(record, channel);
            let counts: Vec<_> = filled.iter().map(|&(_, count)| count).collect();
            assert_eq!(counts, [6144, 6144], "{engine} {channel}: {filled:?}");
            assert!(filled[0].0 <= 1 && filled[1].0 >= 253, "{engine} {channel}: {filled:?}");
        }
        assert_eq!((&record["scan"], &record["chroma_lines"]), (&"top_first".into(), &"field".into()));
        // Read by frame: four reds.
        let (frame, _) = records(clip.path(), &["--bins", "--engine", engine, "--chroma-lines", "frame"]);
        assert_eq!(filled(&frame[0], "red").iter().map(|&(_, count)| count).collect::<Vec<_>>(), [3072; 4]);
        assert_eq!(frame[0]["chroma_lines_source"], "overridden");
        for (field, codes) in [("top", ["254", "0"]), ("bottom", ["0", "254"])] {
            let (alone, _) = records(clip.path(), &["--bins", "--engine", engine, "--field", field]);
            assert_eq!((&alone[0]["height"], &alone[0]["count"]), (&48.into(), &6144.into()));
            for (channel, code) in ["red", "blue"].into_iter().zip(codes) {
                let [(found, 6144)] = filled(&alone[0], channel)[..] else { panic!("{field} {channel}") };
                assert!(found.abs_diff(code.parse().expect("a code")) <= 1, "{field} {channel} {found}");
            }
        }
    }
}

/// Repeats the chroma of each field separately with FFmpeg's scaler and `interl=1`, so that each pixel has a chroma
/// sample.
fn upsampled(clip: &Clip, format: &str) -> std::path::PathBuf {
    clip.make("full.mkv", &format!("-i @ -vf scale=interl=1:flags=neighbor,format={format} -c:v ffv1 -strict -2"))
}

#[test]
fn interlaced_chroma_is_what_ffmpegs_interlaced_scaler_makes_of_it() {
    let noise = |format: &str, size: &str, arguments: &str| {
        let raw = if format.ends_with("le") { "yuv444p16le" } else { format };
        Clip::noisy("clip.mkv", size, raw, 2, &format!("-vf setfield=tff {arguments} -pix_fmt {format}"))
    };
    for (clip, full) in [
        (noise("yuv420p", "64x48", "-c:v ffv1"), "yuv444p"),
        (noise("yuv420p10le", "64x48", "-c:v ffv1 -strict -2"), "yuv444p10le"),
        (noise("yuv420p12le", "32x20", "-c:v ffv1 -strict -2"), "yuv444p12le"),
        (noise("yuv420p", "96x64", "-c:v libx264 -qp 20 -flags +ildct+ilme -bf 0 -g 1"), "yuv444p"),
        (noise("yuv420p", "96x64", "-c:v mpeg2video -q:v 4 -flags +ildct+ilme"), "yuv444p"),
    ] {
        let upsampled = upsampled(&clip, full);
        let (expected, _) = records(&upsampled, &["--bins", "--matrix", "bt601", "--range", "limited"]);
        for engine in ENGINES {
            let (found, _) = records(
                clip.path(),
                &["--bins", "--engine", engine, "--verify", "--matrix", "bt601", "--range", "limited"],
            );
            assert_eq!(found[0]["chroma_lines"], "field");
            assert!(bins(&found) == bins(&expected), "{full} {engine}");
        }
    }
}

#[test]
fn pal_dv_is_interlaced() {
    let clip = Clip::moving("clip.dv", "720x576", 0.1, "-pix_fmt yuv420p -c:v dvvideo -aspect 4:3");
    let (expected, _) = records(&upsampled(&clip, "yuv444p"), &["--bins", "--matrix", "bt601", "--range", "limited"]);
    let (found, _) = records(clip.path(), &["--bins", "--matrix", "bt601", "--range", "limited"]);
    assert_eq!((&found[0]["scan"], &found[0]["chroma_lines"]), (&"bottom_first".into(), &"field".into()));
    assert!(bins(&found) == bins(&expected));
}

/// The frame's flag overrides the header. The window's panel shows both.
#[test]
fn a_frame_that_is_flagged_otherwise_than_the_header_is_read_as_it_is_flagged() {
    let source = Clip::moving("clip.ts", "96x64", 0.2, "-c:v mpeg2video -flags +ildct+ilme -top 1 -g 5");
    let clip = source.make("header.mkv", "-i @ -c copy -field_order progressive");
    let (found, _) = records(&clip, &[]);
    assert_eq!((&found[0]["scan"], &found[0]["chroma_lines"]), (&"top_first".into(), &"field".into()));
}

/// HEVC codes fields as separate pictures.
#[test]
fn single_fields_of_hevc_are_pictures_with_chroma_of_their_own() {
    let arguments = "-c:v libx265 -x265-params log-level=none:interlace=tff -pix_fmt yuv420p";
    let clip = Clip::moving("clip.mkv", "256x128", 0.2, arguments);
    let (found, _) = records(clip.path(), &["--verify"]);
    let scans: Vec<_> = found.iter().map(|record| record["scan"].as_str().expect("a scan")).collect();
    assert!(scans.chunks(2).all(|pair| pair.starts_with(&["top_field"])), "{scans:?}");
    assert!(found.iter().all(|record| record["height"] == 128 && record["chroma_lines"] == "frame"));
}

#[test]
fn progressive_files_have_no_new_chroma() {
    let clip = Clip::moving("clip.mp4", "96x64", 0.2, "-pix_fmt yuv420p");
    let plain = output(clip.path(), &["--bins"]);
    let (found, _) = records(clip.path(), &["--bins"]);
    assert!(found.iter().all(|record| record["scan"] == "progressive" && record["chroma_lines"] == "frame"));
    let by_frame = output(clip.path(), &["--bins", "--chroma-lines", "frame"]);
    let bins_of = |text: &str| bins(&crate::analyze::program::read_records(text).0);
    assert!(bins_of(&plain) == bins_of(&by_frame));
    assert!(bins_of(&plain) != bins_of(&output(clip.path(), &["--bins", "--chroma-lines", "field"])));
}

//! Frames come out whole, once, in order, and with the decoder's own pixels.

use histoscope_core::picture::Frame;

use crate::common::{self, Clip, decode_all, ffprobe_frames, picture_bytes, raw_frames};

/// Checks that the frames equal those of FFmpeg's own programs: number, order, pixels, rising timestamps.
fn check_against_ffmpeg(clip: &Clip, pixel_format: &str) -> Vec<Frame> {
    let frames = decode_all(clip.path());
    assert_eq!(frames.len() as u64, ffprobe_frames(clip.path()), "number of frames");
    assert!(frames.windows(2).all(|pair| pair[0].pts_ticks < pair[1].pts_ticks), "timestamps rise");
    for (index, frame) in frames.iter().enumerate() {
        assert_eq!(frame.index, Some(index as u64));
    }
    let expected = raw_frames(clip.path(), pixel_format);
    let found: Vec<u8> = frames.iter().flat_map(|frame| picture_bytes(&frame.picture)).collect();
    assert_eq!(found.len(), expected.len(), "bytes of all pictures");
    assert!(found == expected, "the pixels differ: {pixel_format}");
    frames
}

fn check_times(frames: &[Frame], rate: f64) {
    for (index, frame) in frames.iter().enumerate() {
        assert!((frame.time_secs - index as f64 / rate).abs() < 2e-3, "frame {index} at {}", frame.time_secs);
        assert!((frame.duration_secs - 1.0 / rate).abs() < 2e-3, "frame {index} for {}", frame.duration_secs);
    }
}

const H264: &str = "-c:v libx264 -preset ultrafast -bf 3 -b_strategy 0 -g 20 -pix_fmt yuv420p";

#[test]
fn b_frames_come_in_presentation_order() {
    let clip = Clip::moving("clip.mp4", "160x120", 2.0, H264);
    let frames = check_against_ffmpeg(&clip, "yuv420p");
    assert_eq!(frames.len(), 50);
    check_times(&frames, 25.0);
    assert_eq!(frames[0].picture_type, Some('I'));
    assert!(frames[0].key && !frames[1].key && frames[20].key);
    assert!(frames.iter().any(|frame| frame.picture_type == Some('B')));
}

#[test]
fn every_container_gives_the_same_frames() {
    let clip = Clip::moving("clip.mp4", "160x120", 1.0, H264);
    for name in ["copy.mkv", "copy.ts", "copy.avi", "copy.h264", "copy.flv", "copy.mov"] {
        let copy = Clip::blank(name);
        std::fs::copy(clip.make(name, "-i @ -c copy"), copy.path()).unwrap();
        let frames = check_against_ffmpeg(&copy, "yuv420p");
        assert_eq!(frames.len(), 25, "{name}");
        if !name.ends_with("avi") {
            check_times(&frames, 25.0);
        }
    }
}

#[test]
fn odd_sizes_are_whole() {
    for size in ["1x1", "2x2", "3x5", "17x1", "1x257", "641x359"] {
        // The level is set because FFmpeg 8 finds no number of slices for the smallest size at the default level.
        let clip = Clip::noisy("clip.mkv", size, "yuv420p", 3, "-c:v ffv1 -level 1");
        let frames = check_against_ffmpeg(&clip, "yuv420p");
        let (width, height) = (frames[0].picture.width(), frames[0].picture.height());
        assert_eq!(format!("{width}x{height}"), size);
        assert_eq!(frames.len(), 3);
    }
}

#[test]
fn deep_and_finely_sampled_video_keeps_its_samples() {
    for format in ["yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le", "yuv444p10le"] {
        let clip = Clip::moving("clip.mkv", "82x46", 0.4, &format!("-c:v libx264 -preset ultrafast -pix_fmt {format}"));
        check_against_ffmpeg(&clip, format);
    }
    for format in ["gray", "gray10le", "yuv411p", "yuv440p12le", "yuv444p16le", "gbrp12le", "gbrp14le", "gbrp16le"] {
        let clip = Clip::noisy("clip.mkv", "33x21", format, 3, "-c:v ffv1");
        check_against_ffmpeg(&clip, format);
    }
}

#[test]
fn other_codecs_count_alike() {
    let cases = [
        ("clip.mkv", "-c:v mpeg2video -bf 2 -g 12"),
        ("clip.avi", "-c:v mpeg4 -bf 2 -g 12"),
        ("clip.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 12"),
        ("clip.mp4", "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=12:bframes=3"),
        ("clip.mov", "-c:v prores_ks -pix_fmt yuv422p10le"),
        ("clip.ivf", "-c:v libvpx -deadline realtime -auto-alt-ref 1 -lag-in-frames 10"),
        ("clip.gif", "-r 10"),
        ("clip.y4m", "-pix_fmt yuv420p"),
    ];
    for (name, arguments) in cases {
        let clip = Clip::moving(name, "96x64", 1.0, arguments);
        let frames = decode_all(clip.path());
        assert_eq!(frames.len() as u64, ffprobe_frames(clip.path()), "{name} {arguments}");
    }
}

#[test]
fn a_variable_rate_keeps_its_times() {
    let filter = "-vf select='not(mod(n,3))+lt(n,10)' -fps_mode vfr -c:v libx264 -preset ultrafast -bf 2";
    let clip = Clip::moving("clip.mkv", "64x48", 2.0, filter);
    let frames = check_against_ffmpeg(&clip, "yuv420p");
    let expected = (0..50).filter(|n| n % 3 == 0 || *n < 10).map(|n| f64::from(n) / 25.0);
    for (frame, secs) in frames.iter().zip(expected) {
        assert!((frame.time_secs - secs).abs() < 2e-3, "{} is not {secs}", frame.time_secs);
    }
}

#[test]
fn a_large_start_is_time_zero() {
    let clip = Clip::moving("clip.ts", "160x120", 1.0, &format!("{H264} -output_ts_offset 40000"));
    let frames = check_against_ffmpeg(&clip, "yuv420p");
    assert!(frames[0].pts_ticks > 40_000 * 90_000);
    check_times(&frames, 25.0);
}

#[test]
fn streams_without_timestamps_follow_their_rate() {
    let clip = Clip::moving("clip.h264", "160x120", 2.0, H264);
    let frames = check_against_ffmpeg(&clip, "yuv420p");
    check_times(&frames, 25.0);
}

#[test]
fn an_edit_list_drops_frames_that_are_not_counted() {
    let clip = Clip::moving("long.mp4", "160x120", 2.0, "-c:v libx264 -preset ultrafast -bf 2 -g 50");
    let cut = Clip::blank("cut.mp4");
    std::fs::copy(clip.make("cut.mp4", "-ss 0.6 -i @ -c copy"), cut.path()).unwrap();
    let mut decoder = common::open(cut.path());
    let frames = common::rest(&mut decoder);
    assert_eq!(frames.len() as u64, ffprobe_frames(cut.path()));
    assert_eq!(frames.len(), 35);
    assert!(decoder.counters().discarded > 0);
    assert_eq!((frames[0].time_secs, frames[0].index), (0.0, Some(0)));
    let expected = raw_frames(clip.path(), "yuv420p");
    assert!(picture_bytes(&frames[0].picture) == expected[15 * 160 * 120 * 3 / 2..][..160 * 120 * 3 / 2]);
}

#[test]
fn size_and_format_may_change_on_any_frame() {
    let clip = Clip::moving("a.h264", "160x120", 0.4, "-c:v libx264 -preset ultrafast -pix_fmt yuv420p");
    let wide =
        clip.make("b.h264", "-f lavfi -i testsrc2=s=320x96:r=25:d=0.4 -c:v libx264 -preset ultrafast -pix_fmt yuv444p");
    let joined = Clip::from_bytes("joined.h264", &[clip.bytes(), std::fs::read(wide).unwrap()].concat());
    let frames = decode_all(joined.path());
    assert_eq!(frames.len(), 20);
    let sizes = |range: std::ops::Range<usize>| {
        frames[range]
            .iter()
            .map(|f| (f.picture.width(), f.picture.height(), f.picture.layout().chroma_shift))
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes(0..10), [(160, 120, (1, 1)); 10]);
    assert_eq!(sizes(10..20), [(320, 96, (0, 0)); 10]);
    let expected = raw_frames(clip.path(), "yuv420p");
    assert!(frames[..10].iter().flat_map(|f| picture_bytes(&f.picture)).eq(expected));
}

#[test]
fn joined_transport_streams_go_on_rising() {
    let clip = Clip::moving("a.ts", "160x120", 1.0, H264);
    let joined = Clip::from_bytes("joined.ts", &[clip.bytes(), clip.bytes()].concat());
    let frames = decode_all(joined.path());
    assert_eq!(frames.len() as u64, ffprobe_frames(joined.path()));
    assert!(frames.len() >= 48, "{}", frames.len());
    for pair in frames.windows(2) {
        let step = pair[1].time_secs - pair[0].time_secs;
        assert!(step > 0.03 && step < 0.2, "{} to {}", pair[0].time_secs, pair[1].time_secs);
    }
}

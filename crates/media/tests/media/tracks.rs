//! Files with several video tracks: the track that is read, and messages about the others.

use histoscope_media::{Decoder, MediaError, OpenOptions, TrackKind};

use crate::common::{Clip, open, picture_bytes, raw_frames, rest};

/// Makes a clip with a small and a large track, a gray one, and a cover picture.
fn clip() -> Clip {
    let source = |size: &str| format!("-f lavfi -i testsrc2=size={size}:rate=25:duration=0.2");
    let clip = Clip::blank("several.mkv");
    clip.make("cover.png", &format!("{} -frames:v 1 -update 1", source("20x10")));
    let inputs = [source("64x48"), source("128x96"), source("48x64")].join(" ");
    let maps = "-map 0:v -map 1:v -map 2:v -c:v ffv1 -pix_fmt:v:2 gray -disposition:v:1 0";
    clip.make("several.mkv", &format!("{inputs} {maps} -attach @/cover.png -metadata:s:t mimetype=image/png"));
    clip
}

fn tracked(clip: &Clip, track: u32) -> Result<Decoder, MediaError> {
    Decoder::open(clip.path(), &OpenOptions { track: Some(track), ..OpenOptions::default() })
}

#[test]
fn each_track_can_be_read_and_all_are_listed() {
    let clip = clip();
    let info = open(clip.path()).info().clone();
    let kinds: Vec<_> = info.tracks.iter().map(|track| (track.kind, track.size)).collect();
    let video = TrackKind::Video;
    let expected =
        [(video, (64, 48)), (video, (128, 96)), (TrackKind::GrayBeside, (48, 64)), (TrackKind::Cover, (20, 10))];
    assert_eq!(kinds, expected);
    assert!(info.tracks.iter().any(|track| track.stream == info.stream));
    for (number, format) in [(1, "yuv420p"), (2, "yuv420p"), (3, "gray"), (4, "rgb24")] {
        let mut decoder = tracked(&clip, number).unwrap_or_else(|error| panic!("{error}"));
        let info = decoder.info().clone();
        assert_eq!((info.stream + 1, info.track_reason), (number as usize, "requested"));
        let made = clip.make(&format!("{number}.nut"), &format!("-i @ -map 0:v:{} -c:v rawvideo", number - 1));
        let bytes: Vec<u8> = rest(&mut decoder).iter().flat_map(|frame| picture_bytes(&frame.picture)).collect();
        assert!(bytes == raw_frames(&made, format), "track {number}");
    }
}

#[test]
fn a_track_that_is_not_there_is_told_with_those_that_are() {
    let clip = clip();
    let error = tracked(&clip, 9).err().expect("there are four").to_string();
    assert!(error.contains("several.mkv: there is no video track 9; the file has tracks 1 to 4"), "{error}");
    let one = Clip::moving("one.mp4", "64x48", 0.2, "");
    let error = tracked(&one, 2).err().expect("there is one").to_string();
    assert!(error.contains("only track 1"), "{error}");
}

#[test]
fn the_choice_has_its_reason() {
    let clip = clip();
    let info = open(clip.path()).info().clone();
    assert_eq!((info.stream, info.track_reason), (1, "the largest"));
    let one = Clip::moving("one.mp4", "64x48", 0.2, "");
    assert_eq!(open(one.path()).info().track_reason, "the only one");
    let gray = clip.make("gray.mkv", "-i @ -map 0:v:2 -map 0:v:0 -c copy");
    let info = open(&gray).info().clone();
    assert_eq!((info.stream, info.track_reason), (1, "the others have no colour"));
}

/// FFmpeg itself goes by the default flag, the number of frames and the bit rate.
#[test]
fn the_largest_track_is_read_whatever_else_it_has() {
    let source = |size: &str, seconds: &str| format!("-f lavfi -i testsrc2=size={size}:rate=25:duration={seconds}");
    let clip = Clip::blank("two.mkv");
    for (first, second) in [("64x36", "320x180"), ("320x180", "64x36")] {
        for defaults in [["0", "0"], ["default", "0"], ["0", "default"], ["default", "default"]] {
            let inputs = [source(first, "0.4"), source(second, "0.2")].join(" ");
            let marks = format!("-disposition:v:0 {} -disposition:v:1 {}", defaults[0], defaults[1]);
            let path = clip.make("two.mkv", &format!("{inputs} -map 0:v -map 1:v -c:v ffv1 {marks}"));
            let info = open(&path).info().clone();
            assert_eq!((info.coded_size, info.track_reason), ((320, 180), "the largest"), "{first} {defaults:?}");
        }
    }
    let inputs = [source("64x36", "0.2"), source("64x36", "0.2"), source("64x36", "0.2")].join(" ");
    let maps = "-map 0:v -map 1:v -map 2:v -c:v ffv1 -disposition:v:0 0 -disposition:v:2 0";
    for (mark, expected) in [("default", (1, "marked as default")), ("0", (0, "the first"))] {
        let path = clip.make("three.mkv", &format!("{inputs} {maps} -disposition:v:1 {mark}"));
        let info = open(&path).info().clone();
        assert_eq!((info.stream, info.track_reason), expected);
    }
    // A cover may be larger.
    let cover = format!("{} -frames:v 1 -update 1", source("640x480", "0.04"));
    clip.make("cover.png", &cover);
    let inputs = [source("64x36", "0.2"), source("96x48", "0.2")].join(" ");
    let maps = "-map 0:v -map 1:v -c:v ffv1 -attach @/cover.png -metadata:s:t mimetype=image/png";
    let info = open(&clip.make("covered.mkv", &format!("{inputs} {maps}"))).info().clone();
    assert_eq!((info.stream, info.track_reason), (1, "the largest of its kind"));
}

#[test]
fn the_largest_variant_of_a_playlist_is_read() {
    let clip = Clip::blank("master.m3u8");
    let mut master = String::from("#EXTM3U\n");
    for (name, size) in [("small", "64x36"), ("large", "128x72"), ("middle", "96x54")] {
        let source = format!("-f lavfi -i testsrc2=size={size}:rate=25:duration=0.4 -c:v libx264");
        clip.make(&format!("{name}.m3u8"), &format!("{source} -f hls -hls_playlist_type vod"));
        // The bit rates contradict the sizes.
        master += &format!("#EXT-X-STREAM-INF:BANDWIDTH=400000,RESOLUTION={size}\n{name}.m3u8\n");
    }
    std::fs::write(clip.path(), master).unwrap();
    let info = open(clip.path()).info().clone();
    assert_eq!((info.coded_size, info.track_reason), ((128, 72), "the largest"));
}

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
    assert_eq!(open(clip.path()).info().track_reason, "the largest, or the one marked as default");
    let one = Clip::moving("one.mp4", "64x48", 0.2, "");
    assert_eq!(open(one.path()).info().track_reason, "the only one");
    let gray = clip.make("gray.mkv", "-i @ -map 0:v:2 -map 0:v:0 -c copy");
    let info = open(&gray).info().clone();
    assert_eq!((info.stream, info.track_reason), (1, "the others have no colour"));
}

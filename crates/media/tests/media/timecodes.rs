//! Timecodes of frames, compared with FFmpeg's.

use histoscope_core::picture::{Frame, Timecode, TimecodeSource};
use histoscope_media::{Seek, SeekTarget};

use crate::common::timecoded::{clip, counted, hevc, of_frames, tagged};
use crate::common::{Clip, decode_all, open};

const X264: &str = "-c:v libx264 -preset ultrafast -g 12";
const MPEG2: &str = "-c:v mpeg2video -g 12 -bf 2";
const NTSC: &str = "30000/1001";

fn told(frames: &[Frame]) -> Vec<String> {
    frames.iter().map(|frame| frame.timecode.map_or_else(String::new, |timecode| timecode.to_string())).collect()
}

#[test]
fn each_frame_has_the_timecode_that_ffmpeg_counts() {
    for (name, rate, first, arguments, source) in [
        ("film.mov", "24000/1001", "01:00:00:00", X264, TimecodeSource::Container),
        ("midnight.mov", "25", "23:59:59:10", X264, TimecodeSource::Container),
        ("drop.mp4", NTSC, "00:00:59;20", X264, TimecodeSource::Container),
        ("nondrop.mov", NTSC, "00:00:59:20", X264, TimecodeSource::Container),
        ("fifty.mp4", "50", "09:59:59:40", X264, TimecodeSource::Container),
        ("sixty.mov", "60000/1001", "23:59:59;50", "-c:v prores_ks -pix_fmt yuv422p10", TimecodeSource::Container),
        ("sixty.mkv", "60000/1001", "10:59:59;50", X264, TimecodeSource::Container),
        ("pal.mxf", "25", "23:59:59:10", MPEG2, TimecodeSource::Container),
        ("drop.mxf", NTSC, "00:08:59;20", MPEG2, TimecodeSource::Container),
        ("tape.avi", "25", "10:00:00:00", X264, TimecodeSource::Container),
        ("drop.m2v", NTSC, "23:59:59;10", MPEG2, TimecodeSource::Groups),
        ("pal.mpg", "25", "09:59:58:20", MPEG2, TimecodeSource::Groups),
        ("sixty.ts", "60000/1001", "00:01:59;50", MPEG2, TimecodeSource::Groups),
    ] {
        let clip = clip(name, (rate, first), 40, arguments);
        let frames = decode_all(clip.path());
        assert_eq!(told(&frames), counted((rate, first), 40), "{name}");
        let timecodes = open(clip.path()).info().timecodes.expect("the first frame has a timecode");
        assert_eq!((timecodes.first.to_string().as_str(), timecodes.source), (first, source), "{name}");
        if source == TimecodeSource::Container {
            assert_eq!(tagged(clip.path()).as_deref(), Some(first), "{name}");
        }
    }
}

#[test]
fn a_tape_s_clip_has_the_timecode_of_its_first_frame() {
    let source = "-f lavfi -i testsrc2=size=720x576:rate=25 -frames:v 6 -timecode 01:02:03:22";
    let clip = Clip::new("clip.dv", &format!("{source} -pix_fmt yuv420p -c:v dvvideo"));
    assert_eq!(told(&decode_all(clip.path())), counted(("25", "01:02:03:22"), 6));
}

#[test]
fn a_seek_leads_to_the_timecode_that_decoding_from_the_start_gives() {
    for (name, arguments) in
        [("clip.mov", X264), ("clip.mpg", MPEG2), ("clip.ts", MPEG2), ("clip.mxf", MPEG2), ("clip.mkv", MPEG2)]
    {
        let clip = clip(name, ("25", "23:59:59:05"), 60, arguments);
        let frames = decode_all(clip.path());
        for at in [59, 1, 24, 25, 37, 0] {
            let mut decoder = open(clip.path());
            decoder.seek(Seek::Exact(SeekTarget::Timestamp(frames[at].pts_ticks))).unwrap();
            let frame = decoder.next_frame().unwrap().unwrap();
            // Without the frame's number, it cannot be counted.
            let is_counted = decoder.info().timecodes.unwrap().source == TimecodeSource::Container;
            let expected = frames[at].timecode.filter(|_| !is_counted || frame.index.is_some());
            assert!(frames[at].timecode.is_some());
            assert_eq!((frame.pts_ticks, frame.timecode), (frames[at].pts_ticks, expected), "{name}, frame {at}");
        }
    }
}

#[test]
fn what_a_frame_says_itself_goes_before_what_the_container_says() {
    let stated: Vec<_> =
        (0..25).map(|frame| if frame < 15 { [9, 59, 59, frame + 10] } else { [12, 0, 0, frame] }).collect();
    let raw = hevc("own.hevc", &stated);
    let expected: Vec<_> = stated.iter().map(|[h, m, s, f]| format!("{h:02}:{m:02}:{s:02}:{f:02}")).collect();
    assert_eq!(of_frames(raw.path()), expected, "ffprobe reads what was meant");
    let boxed = raw.make("boxed.mov", "-i @ -c copy -timecode 01:00:00:00 -tag:v hvc1");
    for path in [raw.path(), &boxed] {
        assert_eq!(told(&decode_all(path)), expected, "{}", path.display());
        let timecodes = open(path).info().timecodes.unwrap();
        assert_eq!((timecodes.first.to_string(), timecodes.source), (expected[0].clone(), TimecodeSource::Frames));
    }
    assert_eq!(tagged(&boxed).as_deref(), Some("01:00:00:00"));
}

#[test]
fn groups_of_pictures_that_jump_are_told_as_they_are() {
    let first = clip("first.m2v", ("25", "10:00:00:00"), 30, MPEG2);
    let second = clip("second.m2v", ("25", "11:22:33:10"), 30, MPEG2);
    let joined = Clip::from_bytes("joined.m2v", &[first.bytes(), second.bytes()].concat());
    let expected = [counted(("25", "10:00:00:00"), 30), counted(("25", "11:22:33:10"), 30)].concat();
    assert_eq!(told(&decode_all(joined.path())), expected);
}

#[test]
fn what_is_no_timecode_is_none() {
    for (tag, rate) in [
        ("99:00:00:00", "25"),
        ("10:00:00:25", "25"),
        ("10:00:00;05", "25"),
        ("00:01:00;00", NTSC),
        ("1:2:3", "25"),
        ("tomorrow", "25"),
    ] {
        let source = format!("-f lavfi -i testsrc2=size=64x48:rate={rate} -frames:v 3");
        let clip = Clip::new("clip.mkv", &format!("{source} -metadata timecode={tag} {X264}"));
        assert_eq!(open(clip.path()).info().timecodes, None, "{tag}");
        assert!(decode_all(clip.path()).iter().all(|frame| frame.timecode.is_none()), "{tag}");
    }
    let plain = Clip::moving("clip.mp4", "64x48", 0.2, X264);
    assert_eq!(open(plain.path()).info().timecodes, None);
}

#[test]
fn frames_that_a_track_does_not_count_alone_are_counted_as_players_do() {
    // With 50 frames per second and a timecode of 25, the two frames of each timecode are distinguished.
    let first = clip("plain.mov", ("50", "10:00:00:00"), 60, X264);
    let mut bytes = first.bytes();
    let entry = bytes.windows(4).rposition(|four| four == b"tmcd").expect("a timecode track");
    // After the entry's name: reserved, reference, reserved, flags, then the timescale and the duration of a frame.
    let scale = u32::from_be_bytes(bytes[entry + 20..][..4].try_into().unwrap());
    assert_eq!(bytes[entry + 28], 50, "where the number of frames should be");
    bytes[entry + 20..][..4].copy_from_slice(&(scale / 2).to_be_bytes());
    bytes[entry + 28] = 25;
    let halved = Clip::from_bytes("halved.mov", &bytes);
    let frames = decode_all(halved.path());
    // The track stores its first timecode as a frame number, which is read with the track's own rate.
    assert_eq!(tagged(halved.path()).as_deref(), Some("20:00:00:00"));
    assert_eq!(frames[59].timecode, Timecode::parse("20:00:01:09"));
}

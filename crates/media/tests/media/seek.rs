//! A seek leads to the frame that linear decoding shows at that time.

use std::path::Path;

use histoscope_core::picture::Frame;
use histoscope_media::{Decoder, Seek, SeekTarget};
#[cfg(unix)]
use histoscope_media::{MediaError, MediaFault, OpenOptions};

use crate::common::{self, Clip, decode_all, noise, open, picture_bytes};

/// The result of decoding linearly, for comparison with seeks.
pub(super) struct Linear {
    pub(super) frames: Vec<Frame>,
}

impl Linear {
    pub(super) fn new(path: &Path) -> Self {
        Self { frames: decode_all(path) }
    }

    /// Returns the position of the frame whose presentation interval contains the time, or the first or last frame
    /// beyond the ends.
    pub(super) fn at(&self, secs: f64) -> usize {
        self.frames.partition_point(|frame| frame.time_secs <= secs + 1e-6).saturating_sub(1)
    }

    pub(super) fn check(&self, found: &Frame, position: usize, what: &str) {
        let expected = &self.frames[position];
        assert_eq!(found.pts_ticks, expected.pts_ticks, "{what}: not frame {position}");
        assert!(picture_bytes(&found.picture) == picture_bytes(&expected.picture), "{what}: wrong pixels");
        assert!(found.index.is_none_or(|index| index == position as u64), "{what}: wrong index {:?}", found.index);
    }

    fn duration(&self) -> f64 {
        self.frames.last().map_or(0.0, |frame| frame.time_secs + frame.duration_secs)
    }
}

pub(super) fn take(decoder: &mut Decoder, what: &str) -> Frame {
    let frame = decoder.next_frame().unwrap_or_else(|error| panic!("{what}: {error}"));
    frame.unwrap_or_else(|| panic!("{what}: no frame"))
}

pub(super) fn go(decoder: &mut Decoder, seek: Seek, what: &str) {
    decoder.seek(seek).unwrap_or_else(|error| panic!("{what}: {error}"));
}

/// Seeks to many times of a clip. Compares each frame, and the one after it, with linear decoding.
fn check_seeks(path: &Path) {
    let name = path.display();
    let linear = Linear::new(path);
    let mut decoder = open(path);
    let count = linear.frames.len();
    let mut times: Vec<f64> = noise(12, 3).iter().map(|byte| f64::from(*byte) / 255.0 * linear.duration()).collect();
    // The ends, beyond them, and short distances forward and back.
    times.extend([
        0.0,
        -5.0,
        1e9,
        linear.duration() * 0.5,
        linear.duration() * 0.5 + 0.1,
        linear.duration() * 0.5 - 0.1,
    ]);
    for secs in times {
        let what = format!("{name} to {secs}");
        let position = linear.at(secs);
        go(&mut decoder, Seek::to(secs), &what);
        linear.check(&take(&mut decoder, &what), position, &what);
        match decoder.next_frame().unwrap_or_else(|error| panic!("{what}: {error}")) {
            Some(next) => linear.check(&next, position + 1, &format!("{what}, next")),
            None => assert_eq!(position + 1, count, "{what}: the end came early"),
        }
    }
    for position in [count - 1, count / 2, count / 2 + 1, 1, 0].map(|p| p.min(count - 1)) {
        let what = format!("{name}, before frame {position}");
        go(&mut decoder, Seek::Exact(SeekTarget::Before(linear.frames[position].pts_ticks)), &what);
        linear.check(&take(&mut decoder, &what), position.saturating_sub(1), &what);
        let what = format!("{name}, timestamp of frame {position}");
        go(&mut decoder, Seek::Exact(SeekTarget::Timestamp(linear.frames[position].pts_ticks)), &what);
        linear.check(&take(&mut decoder, &what), position, &what);
    }
    let what = format!("{name}, last");
    go(&mut decoder, Seek::Exact(SeekTarget::End), &what);
    linear.check(&take(&mut decoder, &what), count - 1, &what);
    assert!(common::rest(&mut decoder).is_empty(), "{what}: frames after it");
    for share in [0.9, 0.4, 0.0] {
        let secs = linear.duration() * share;
        let what = format!("{name}, keyframe before {secs}");
        go(&mut decoder, Seek::Keyframe(secs), &what);
        let frame = take(&mut decoder, &what);
        // The first frame need not be a keyframe, since an edit list may have removed the keyframe.
        let is_start = frame.key || frame.index == Some(0);
        assert!(is_start && frame.time_secs <= secs + 1e-6, "{what}: {} {}", frame.time_secs, frame.key);
        let position = linear.at(frame.time_secs);
        linear.check(&frame, position, &what);
        if position + 1 < count {
            linear.check(&take(&mut decoder, &what), position + 1, &what);
        }
    }
    // Afterwards, a rewind still gives every frame, numbered.
    go(&mut decoder, Seek::START, &what);
    let again = common::rest(&mut decoder);
    assert_eq!(again.len(), count, "{name}: frames after a rewind");
    for (position, frame) in again.iter().enumerate() {
        assert_eq!((frame.pts_ticks, frame.index), (linear.frames[position].pts_ticks, Some(position as u64)));
    }
}

/// Seeks to frames by number: first each with a new decoder, then all with one that numbers frames on the way.
fn check_numbers(path: &Path) {
    let name = path.display();
    let linear = Linear::new(path);
    let count = linear.frames.len();
    let mut used = open(path);
    for number in [count / 3, count / 2, count - 1, 1, 0, count / 2 + 1, count + 1000] {
        let position = number.min(count - 1);
        for (decoder, state) in [(&mut open(path), "fresh"), (&mut used, "used")] {
            let what = format!("{name}, {state}, to number {number}");
            go(decoder, Seek::Exact(SeekTarget::Number(number as u64)), &what);
            linear.check(&take(decoder, &what), position, &what);
            match decoder.next_frame().unwrap_or_else(|error| panic!("{what}: {error}")) {
                Some(next) => linear.check(&next, position + 1, &format!("{what}, next")),
                None => assert_eq!(position + 1, count, "{what}: the end came early"),
            }
        }
    }
}

const FAST: &str = "-c:v libx264 -preset ultrafast -bf 3 -b_strategy 0";

#[test]
fn long_and_short_groups() {
    check_seeks(Clip::moving("long.mp4", "160x120", 6.0, &format!("{FAST} -g 600")).path());
    check_seeks(Clip::moving("short.mp4", "160x120", 4.0, &format!("{FAST} -g 12")).path());
    check_seeks(Clip::moving("intra.mp4", "160x120", 2.0, &format!("{FAST} -g 1")).path());
}

#[test]
fn pyramids_of_b_frames_with_open_groups() {
    let options = "-c:v libx264 -preset veryfast -bf 5 -b_strategy 0 -g 15 -flags -cgop \
        -x264-params open-gop=1:b-pyramid=normal:keyint=15:scenecut=0";
    check_seeks(Clip::moving("open.mkv", "160x120", 4.0, options).path());
    check_seeks(Clip::moving("open.ts", "160x120", 4.0, options).path());
    check_seeks(Clip::moving("open.mpg", "160x120", 4.0, "-c:v mpeg2video -bf 2 -g 12 -b:v 2M").path());
    let options = "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=12:bframes=3:open-gop=1";
    check_seeks(Clip::moving("open_hevc.mp4", "160x120", 2.0, options).path());
}

#[test]
fn containers_without_an_index() {
    check_seeks(Clip::moving("large.ts", "160x120", 5.0, &format!("{FAST} -g 30 -output_ts_offset 40000")).path());
    let clip = Clip::moving("clip.mkv", "160x120", 4.0, &format!("{FAST} -g 25"));
    // A Matroska file without cues, as after a crash.
    let pipe = Clip::from_bytes(
        "live.mkv",
        &std::fs::read(clip.make("live.mkv", "-i @ -c copy -live 1 -f matroska")).unwrap(),
    );
    check_seeks(pipe.path());
    check_seeks(&clip.make("clip.flv", "-i @ -c copy"));
    check_seeks(&clip.make("fragments.mp4", "-i @ -c copy -movflags frag_keyframe+empty_moov"));
}

#[test]
fn streams_without_timestamps() {
    check_seeks(Clip::moving("raw.h264", "160x120", 3.0, &format!("{FAST} -g 25")).path());
    check_seeks(Clip::moving("raw.m2v", "160x120", 3.0, "-c:v mpeg2video -bf 2 -g 12").path());
    let clip = Clip::moving("clip.mp4", "160x120", 3.0, &format!("{FAST} -g 25"));
    check_seeks(&clip.make("clip.avi", "-i @ -c copy"));
    check_seeks(Clip::moving("packed.avi", "160x120", 3.0, "-c:v mpeg4 -bf 2 -g 12").path());
}

#[test]
fn variable_rates_and_edit_lists() {
    let select = "-vf select='lt(n,20)+gt(n,80)+not(mod(n,17))' -fps_mode vfr";
    check_seeks(Clip::moving("pauses.mkv", "160x120", 5.0, &format!("{select} {FAST} -g 30")).path());
    let clip = Clip::moving("clip.mp4", "160x120", 4.0, &format!("{FAST} -g 50"));
    check_seeks(&clip.make("cut.mp4", "-ss 0.6 -i @ -c copy"));
    check_seeks(&clip.make("late.mp4", "-itsoffset 1.5 -i @ -c copy"));
    check_seeks(&clip.make("negative.mkv", "-ss 0.6 -i @ -c copy -avoid_negative_ts disabled"));
}

#[test]
fn other_codecs() {
    check_seeks(
        Clip::moving("clip.webm", "160x120", 2.0, "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 20").path(),
    );
    check_seeks(Clip::moving("clip.mkv", "64x48", 1.0, "-c:v ffv1").path());
    check_seeks(Clip::moving("clip.gif", "64x48", 1.0, "-r 10").path());
    check_seeks(Clip::moving("clip.y4m", "64x48", 1.0, "-pix_fmt yuv420p").path());
    check_seeks(Clip::moving("clip.mjpeg", "64x48", 1.0, "-c:v mjpeg").path());
    check_seeks(
        Clip::moving("refresh.mp4", "160x120", 4.0, &format!("{FAST} -bf 0 -x264-params intra-refresh=1:keyint=40"))
            .path(),
    );
}

#[test]
fn frames_are_found_by_their_numbers() {
    let clip = Clip::moving("clip.mp4", "160x120", 3.0, &format!("{FAST} -g 25"));
    check_numbers(clip.path());
    check_numbers(&clip.make("cut.mp4", "-ss 0.6 -i @ -c copy"));
    // Numbers computed from times would be wrong here.
    let select = "-vf select='lt(n,20)+gt(n,50)+not(mod(n,17))' -fps_mode vfr";
    check_numbers(Clip::moving("pauses.mkv", "160x120", 3.0, &format!("{select} {FAST} -g 30")).path());
    // Packets have no times here, so frames are counted on the way.
    check_numbers(Clip::moving("raw.h264", "160x120", 2.0, &format!("{FAST} -g 25")).path());
    check_numbers(Clip::moving("raw.m2v", "160x120", 2.0, "-c:v mpeg2video -bf 2 -g 12").path());
    check_numbers(&clip.make("clip.avi", "-i @ -c copy"));
    // Neither the index nor the stated rate leads there.
    let part = clip.make("part.ts", "-i @ -c copy");
    let part = std::fs::read(part).unwrap();
    check_numbers(Clip::from_bytes("joined.ts", &[&part[..], &part[..]].concat()).path());
    check_numbers(Clip::moving("one.png", "64x48", 0.04, "-frames:v 1").path());
}

#[test]
fn one_and_two_frames() {
    check_seeks(Clip::moving("one.mp4", "64x48", 0.04, FAST).path());
    check_seeks(Clip::moving("two.mp4", "64x48", 0.08, FAST).path());
    check_seeks(Clip::moving("one.png", "64x48", 0.04, "-frames:v 1").path());
    check_seeks(Clip::moving("one.jpg", "64x48", 0.04, "-frames:v 1").path());
    check_seeks(Clip::moving("one.h264", "64x48", 0.04, FAST).path());
}

#[test]
fn joined_streams_whose_timestamps_start_again() {
    let clip = Clip::moving("a.ts", "160x120", 2.0, &format!("{FAST} -g 20"));
    let joined = Clip::from_bytes("joined.ts", &[clip.bytes(), clip.bytes()].concat());
    let linear = Linear::new(joined.path());
    let mut decoder = open(joined.path());
    common::rest(&mut decoder);
    for secs in [3.1, 0.7, 2.2, 1.9] {
        decoder.seek(Seek::to(secs)).unwrap();
        linear.check(&take(&mut decoder, "joined"), linear.at(secs), &format!("joined to {secs}"));
    }
}

#[test]
fn absurd_targets_are_survived() {
    let clip = Clip::moving("clip.mp4", "64x48", 1.0, FAST);
    let mut decoder = open(clip.path());
    for secs in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, f64::MIN_POSITIVE] {
        decoder.seek(Seek::to(secs)).unwrap();
        take(&mut decoder, "absurd");
        decoder.seek(Seek::Keyframe(secs)).unwrap();
        take(&mut decoder, "absurd");
    }
    for ticks in [i64::MIN, i64::MAX, i64::MIN + 1] {
        decoder.seek(Seek::Exact(SeekTarget::Timestamp(ticks))).unwrap();
        take(&mut decoder, "absurd");
        decoder.seek(Seek::Exact(SeekTarget::Before(ticks))).unwrap();
        take(&mut decoder, "absurd");
    }
}

/// Sends a clip through a pipe. Returns the decoder, and the thread that writes.
#[cfg(unix)]
fn through_a_pipe(clip: &Clip) -> (Decoder, std::thread::JoinHandle<std::io::Result<()>>) {
    let pipe = clip.folder().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (source, target) = (clip.bytes(), pipe.clone());
    let writer = std::thread::spawn(move || std::fs::write(target, source));
    let decoder = Decoder::open(&pipe, &OpenOptions::default()).unwrap();
    assert!(!decoder.info().seekable);
    (decoder, writer)
}

#[cfg(unix)]
#[test]
fn a_number_in_a_pipe_is_a_time_where_the_rate_is_certain() {
    let clip = Clip::moving("clip.mp4", "64x48", 2.0, &format!("{FAST} -movflags +faststart"));
    let linear = Linear::new(clip.path());
    let (mut decoder, writer) = through_a_pipe(&clip);
    assert!(decoder.info().constant_rate().is_some());
    for number in [7, 8, 30, 49] {
        go(&mut decoder, Seek::Exact(SeekTarget::Number(number)), "pipe");
        linear.check(&take(&mut decoder, "pipe"), number as usize, "pipe");
    }
    drop(decoder);
    let _ = writer.join();
}

#[cfg(unix)]
#[test]
fn a_pipe_goes_only_forward() {
    let clip = Clip::moving("clip.ts", "64x48", 2.0, FAST);
    let linear = Linear::new(clip.path());
    let (mut decoder, writer) = through_a_pipe(&clip);
    linear.check(&take(&mut decoder, "pipe"), 0, "pipe");
    decoder.seek(Seek::to(1.0)).unwrap();
    linear.check(&take(&mut decoder, "pipe"), 25, "pipe");
    assert!(matches!(decoder.seek(Seek::to(0.5)), Err(MediaError { fault: MediaFault::NotSeekable, .. })));
    linear.check(&take(&mut decoder, "pipe"), 26, "pipe after a refusal");
    // The pipe cannot be indexed and states no number of frames, so they are counted.
    decoder.seek(Seek::Exact(SeekTarget::Number(40))).unwrap();
    linear.check(&take(&mut decoder, "pipe"), 40, "pipe by number");
    drop(decoder);
    let _ = writer.join();
}

#[cfg(unix)]
#[test]
fn in_a_pipe_the_first_frame_is_there_until_it_is_taken() {
    // Frames that state their duration, and a stream without any durations.
    for name in ["clip.ts", "clip.h264"] {
        let clip = Clip::moving(name, "64x48", 2.0, FAST);
        let linear = Linear::new(clip.path());
        let (mut decoder, writer) = through_a_pipe(&clip);
        // For a time in the first frame's interval, the second frame is decoded too, to make sure that it is not the
        // target.
        for seek in [Seek::START, Seek::to(0.01), Seek::Exact(SeekTarget::Number(0)), Seek::START] {
            go(&mut decoder, seek, name);
        }
        for position in 0..3 {
            linear.check(&take(&mut decoder, name), position, name);
            let refused = decoder.seek(Seek::START);
            assert!(matches!(refused, Err(MediaError { fault: MediaFault::NotSeekable, .. })), "{name}: {refused:?}");
        }
        drop(decoder);
        let _ = writer.join();
    }
}

#[test]
fn from_every_keyframe_on_there_is_every_frame_to_the_end() {
    // The last group has so few packets that a decoder which begins there returns no frame for one of them.
    let arguments = "-c:v libx264 -preset fast -pix_fmt yuv420p -g 50 -bf 3 -x264-params open-gop=1:scenecut=0";
    for (name, secs) in [("six.ts", 12.0), ("six.mkv", 12.0), ("ten.ts", 12.16)] {
        let arguments = format!("-vf noise=alls=12:allf=t {arguments}");
        let clip = Clip::moving(name, "160x120", secs, &arguments);
        let linear = Linear::new(clip.path());
        let keys = linear.frames.iter().enumerate().filter(|(_, frame)| frame.key);
        for (position, frame) in keys {
            let what = format!("{name} from frame {position}");
            let mut decoder = open(clip.path());
            go(&mut decoder, Seek::Exact(SeekTarget::Timestamp(frame.pts_ticks)), &what);
            let rest = common::rest(&mut decoder);
            let found: Vec<_> = rest.iter().map(|frame| frame.pts_ticks).collect();
            let expected: Vec<_> = linear.frames[position..].iter().map(|frame| frame.pts_ticks).collect();
            assert_eq!(found, expected, "{what}");
            rest.iter().zip(position..).for_each(|(frame, position)| linear.check(frame, position, &what));
        }
    }
}

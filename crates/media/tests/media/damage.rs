//! Damaged packets: their frames are called damaged, and one thread decodes them alike each time.

use std::collections::VecDeque;
use std::path::Path;

use histoscope_core::picture::Frame;
use histoscope_media::{Decoder, FrameCounters, OpenOptions};

use crate::common::{Clip, noise, odd, picture_bytes};

const X265: &str = "-c:v libx265 -preset ultrafast -b:v 1M -x265-params log-level=error";
const X264: &str = "-c:v libx264 -preset fast -pix_fmt yuv420p -b:v 1M";

/// Clips of codecs that conceal damage or leave it out, most of them damaged all over.
fn clips() -> Vec<Clip> {
    let moving = |name: &str, arguments: &str| {
        let clip = Clip::moving(name, "256x144", 4.0, &format!("-vf noise=alls=12:allf=t {arguments}"));
        odd::with_damage_in(&clip, name, if arguments.contains(X265) { 40 } else { 12 })
    };
    vec![
        moving("groups.mkv", &format!("{X264} -g 50 -bf 3")),
        moving("open.ts", &format!("{X264} -g 50 -bf 3 -x264-params open-gop=1")),
        moving("fields.ts", &format!("{X264} -g 50 -flags +ildct+ilme")),
        moving("refreshed.mkv", &format!("{X264} -g 50 -intra-refresh 1")),
        moving("plain.h264", &format!("{X264} -g 12")),
        moving("part2.avi", "-c:v mpeg4 -g 50 -bf 2 -b:v 1M"),
        moving("mpeg2.ts", "-c:v mpeg2video -g 25 -bf 2 -b:v 2M"),
        moving("mpeg1.mpg", "-c:v mpeg1video -g 25 -bf 2 -b:v 2M"),
        moving("hevc.mkv", &format!("{X265}:keyint=50:open-gop=0:bframes=3 -pix_fmt yuv420p")),
        moving("hevc-open.ts", &format!("{X265}:keyint=50:open-gop=1:bframes=3 -pix_fmt yuv420p10le -b:v 3M")),
    ]
}

/// The facts of a frame that are compared: its timestamp, its number, whether it is damaged, and its samples.
type Facts = (i64, Option<u64>, bool, Vec<u8>);

fn facts(frame: &Frame) -> Facts {
    (frame.pts_ticks, frame.index, frame.damaged, picture_bytes(&frame.picture))
}

/// Decodes all frames, of which as many of the last are held as `held` says for each, and counts them.
fn decoded(path: &Path, threads: usize, held: impl Fn(usize) -> usize) -> (Vec<Facts>, FrameCounters) {
    let options = OpenOptions { threads: Some(threads), ..OpenOptions::default() };
    let mut decoder = Decoder::open(path, &options).unwrap_or_else(|error| panic!("{error}"));
    let (mut found, mut waiting) = (Vec::new(), VecDeque::new());
    while let Some(frame) = decoder.next_frame().unwrap_or_else(|error| panic!("{error}")) {
        found.push(facts(&frame));
        waiting.push_back(frame);
        while waiting.len() > held(found.len()) {
            waiting.pop_front();
        }
    }
    (found, decoder.counters())
}

#[test]
fn one_thread_decodes_damaged_files_alike_each_time_and_tells_which_frames_are_damaged() {
    let random = noise(256, 5);
    for clip in clips() {
        let name = clip.path().display();
        let (expected, counters) = decoded(clip.path(), 1, |_| 0);
        let damaged = expected.iter().filter(|(_, _, damaged, _)| *damaged).count() as u64;
        assert_eq!(counters.damaged, damaged, "{name}");
        // FFmpeg says nothing of damage in HEVC.
        assert!(damaged > 0 || name.to_string().contains("hevc"), "{name} is not damaged");
        // Who takes the frames frees their memory at other times.
        let (again, again_counters) = decoded(clip.path(), 1, |at| usize::from(random[at % random.len()] % 9));
        let first = again.iter().zip(&expected).position(|(again, expected)| again != expected);
        assert_eq!((again.len(), first, again_counters), (expected.len(), None, counters), "{name}");
    }
}

#[test]
fn damage_is_reported_with_several_threads_too() {
    for clip in clips().iter().filter(|clip| !clip.path().to_string_lossy().contains("hevc")) {
        let (found, counters) = decoded(clip.path(), 4, |_| 0);
        let damaged = found.iter().filter(|(_, _, damaged, _)| *damaged).count() as u64;
        assert!(damaged > 0 && counters.damaged == damaged, "{}: {damaged}, {counters:?}", clip.path().display());
    }
}

#[test]
fn nothing_of_a_whole_file_is_called_damaged() {
    for (name, arguments) in [
        ("open.ts", format!("{X265}:open-gop=1:keyint=25:bframes=4 -pix_fmt yuv420p")),
        ("refreshed.mp4", format!("{X265}:intra-refresh=1:keyint=50:bframes=0 -pix_fmt yuv420p")),
        ("open.mkv", format!("{X264} -g 25 -bf 3 -x264-params open-gop=1")),
        ("fields.ts", format!("{X264} -g 50 -flags +ildct+ilme")),
        ("mpeg2.ts", "-c:v mpeg2video -g 25 -bf 2 -b:v 2M".to_owned()),
    ] {
        let clip = Clip::moving(name, "256x144", 4.0, &arguments);
        for threads in [1, 3] {
            let (frames, counters) = decoded(clip.path(), threads, |_| 0);
            assert_eq!((frames.len(), counters.damaged, counters.ends_damaged), (100, 0, false), "{name}");
        }
    }
}

/// A decoder with a thread for each frame may tell of errors after the frame has come, or before: its word on the end
/// would be another each time.
#[test]
fn a_cut_within_the_last_frame_is_noticed_the_same_each_time() {
    for (name, arguments, is_noticed) in
        [("cut.h264", format!("{X264} -g 50 -bf 0"), false), ("cut.m2v", "-c:v mpeg2video -g 25".to_owned(), true)]
    {
        let bytes = Clip::moving(name, "256x144", 2.0, &arguments).bytes();
        let last = bytes.windows(4).rposition(|four| four[..3] == [0, 0, 1] && [0x01, 0x41, 0x61].contains(&four[3]));
        let last = last.expect("a slice");
        let cut = Clip::from_bytes(name, &bytes[..last + (bytes.len() - last) / 2]);
        let ends = |threads| decoded(cut.path(), threads, |_| 0).1.ends_damaged;
        assert!((0..8).all(|_| ends(4) == is_noticed), "{name}");
        assert!(ends(1), "{name} with one thread");
    }
}

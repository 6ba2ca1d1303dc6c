//! The number of the frame on screen after a seek: exact once the packets are indexed, and never wrong.

use std::path::Path;
use std::time::{Duration, Instant};

use histoscope_media::{Decoder, OpenOptions, Seek};

use crate::common::numbered::{Truth, number, numbered};
use crate::common::session::Session;
use crate::common::{Clip, ffprobe};

const X264: &str = "-c:v libx264 -preset ultrafast -bf 3 -b_strategy 0 -sc_threshold 0";
const SOON: Duration = Duration::from_secs(30);

/// Runs the session until the frame on screen has a number, and returns it.
fn number_in_time(session: &mut Session) -> u64 {
    let begin = Instant::now();
    loop {
        session.tick(Instant::now());
        if let Some(index) = session.player.frame_index() {
            return index;
        }
        assert!(begin.elapsed() < SOON, "{}: the frame has no number", session.info.path.display());
        session.wait(Duration::from_millis(5));
    }
}

/// Seeks to several places in a new session. A number must never be wrong, and must come soon.
fn check(path: &Path) {
    let truth = Truth::new(path);
    let mut session = Session::paused(path);
    for share in [0.7, 0.31, 0.99, 0.5] {
        session.seek(truth.last_secs() * share);
        let position = truth.at(truth.last_secs() * share);
        assert_eq!(number(&session.frame().picture), truth.numbers[position], "{}", path.display());
        let at_once = session.player.frame_index();
        assert!(at_once.is_none_or(|index| index == position as u64), "{}: {at_once:?}", path.display());
        assert_eq!(number_in_time(&mut session), position as u64, "{}: sought to {share}", path.display());
    }
    let last = truth.count() - 1;
    for position in [last / 3, last, last / 2] {
        let mut session = Session::paused(path);
        session.go(|player| player.seek_to_frame(position as u64));
        assert_eq!(number(&session.frame().picture), truth.numbers[position], "{}", path.display());
        assert_eq!(number_in_time(&mut session), position as u64);
    }
}

#[test]
fn containers_that_count_nothing() {
    let clip = numbered("clip.mkv", 200, "25", &format!("{X264} -g 25"));
    check(clip.path());
    check(&clip.make("clip.ts", "-i @ -c copy -output_ts_offset 40000"));
}

#[test]
fn a_rate_that_changes() {
    let select = "-vf select='lt(n,40)+gt(n,200)+not(mod(n,17))' -fps_mode vfr";
    let clip = numbered("pauses.mkv", 300, "30", &format!("{select} {X264} -g 30"));
    check(clip.path());
    check(&clip.make("pauses.mp4", "-i @ -c copy"));
}

/// The headers state 25 frames per second, evenly spaced. The average is right, and so are the first ten seconds.
#[test]
fn a_rate_that_is_stated_and_not_kept() {
    let middle = "if(lt(N,350),10+(N-250)/20,15+(N-350)/30)";
    // The duration of the last frame depends on the version of `ffmpeg`, and must not equal the average.
    let times = format!("if(lt(N,250),N/25,if(lt(N,500),{middle},N/25+6/300))");
    let arguments = format!(
        "-vf settb=1/300,setpts='{times}/TB' -fps_mode passthrough -enc_time_base 1:300 {X264} -g 30 -video_track_timescale 300"
    );
    let clip = numbered("liar.mp4", 1000, "25", &arguments);
    let session = Session::paused(clip.path());
    assert!(session.info.constant_rate().is_some(), "this clip is no trap: {:?}", session.info);
    check(clip.path());
}

/// The number is right if it was counted, and missing if a frame was lost before it.
#[test]
fn a_frame_that_was_lost() {
    let broken = without_frame(LOST);
    let mut session = Session::paused(broken.path());
    session.seek(2.0);
    assert_eq!(number(&session.frame().picture), 50);
    assert_eq!(number_in_time(&mut session), 50);
    for expected in (51..120).filter(|number| *number != LOST) {
        let shown = number(&session.step(true).picture);
        assert_eq!(shown, expected);
        let index = session.player.frame_index();
        let is_known = index == Some(expected as u64);
        assert_eq!(is_known, expected < LOST, "frame {expected} is called {index:?}");
        assert!(index.is_none() || is_known, "frame {expected} is called {index:?}");
    }
}

/// An index that does not match the frames decoded before it arrived is not trusted.
#[test]
fn a_frame_that_was_lost_before_the_numbers_came() {
    let broken = without_frame(LOST);
    for (from_secs, frames, agrees) in [(2.0, 20, true), (3.0, 10, false), (3.0, 4, true), (4.0, 15, true)] {
        let mut decoder = Decoder::open(broken.path(), &OpenOptions::default()).expect("a video");
        let list = decoder.frame_index(|| true).expect("a file").expect("plain packets");
        decoder.seek(Seek::Keyframe(from_secs)).expect("a seek");
        let first = decoder.next_frame().expect("a frame").expect("a frame");
        assert_eq!(first.index, None, "nothing tells yet");
        for _ in 1..frames {
            decoder.next_frame().expect("a frame").expect("a frame");
        }
        let adopted = decoder.adopt(list);
        assert_eq!(adopted.is_some(), agrees, "{frames} frames from {from_secs} s on");
        let next = decoder.next_frame().expect("a frame").expect("a frame");
        let expected = number(&next.picture) as u64;
        assert_eq!(next.index, agrees.then_some(expected));
    }
}

/// The number of the lost frame: long after the frames decoded ahead of the one on screen.
const LOST: usize = 80;

/// Makes a video in which one packet has no picture, of a codec in which only decoding shows that.
fn without_frame(lost: usize) -> Clip {
    let clip = numbered("whole.mkv", 120, "25", "-c:v magicyuv");
    let mut bytes = std::fs::read(clip.path()).expect("the clip can be read");
    let (place, size) = packet(clip.path(), lost);
    bytes[place..place + size].fill(0);
    Clip::from_bytes("broken.mkv", &bytes)
}

/// Returns the position of a packet's bytes in the file, and their number.
fn packet(path: &Path, position: usize) -> (usize, usize) {
    let text = ffprobe(path, &["-show_entries", "packet=pos,size"]);
    let line = text.lines().nth(position).expect("a packet");
    let mut fields = line.trim_end_matches(',').split(',').map(|field| field.parse().expect("a number"));
    let (first, second): (usize, usize) = (fields.next().expect("a size"), fields.next().expect("a place"));
    // ffprobe gives the size first. The packet's block begins with a header of a few bytes.
    let bytes = std::fs::read(path).expect("the clip can be read");
    let start = (second..second + 32).find(|&at| bytes[at..].starts_with(b"MAGY")).expect("a picture");
    (start, first)
}

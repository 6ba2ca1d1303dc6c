//! The way that a seek takes: what it reads, indexes and opens again, and what makes it take the longer way.
//!
//! A longer way leads to the right frame too, so only counting shows it.

use std::path::Path;

use histoscope_core::picture::Frame;
use histoscope_media::{Decoder, MediaError, MediaFault, Seek, SeekTarget};

use crate::common::numbered::{number, numbered};
use crate::common::server::serve;
use crate::common::{Clip, open, rest};

/// One keyframe per second, and no frame that refers to a later one.
const X264: &str = "-c:v libx264 -preset ultrafast -bf 0 -sc_threshold 0 -g 25";
/// The same for a codec that keeps state over keyframes: only decoding from the start is sure to give its frames.
const MSMPEG4: &str = "-c:v msmpeg4 -g 25";
/// More packets or frames than a second or two of decoding, but fewer than there are before the targets here.
const SHORT: u64 = 80;

/// Returns the frame that a seek leads to.
fn go(decoder: &mut Decoder, seek: Seek) -> Frame {
    decoder.seek(seek).unwrap_or_else(|error| panic!("{seek:?}: {error}"));
    let frame = decoder.next_frame().unwrap_or_else(|error| panic!("{seek:?}: {error}"));
    frame.unwrap_or_else(|| panic!("{seek:?}: no frame"))
}

/// Returns the number in the picture that a seek leads to, and the number of packets read for it.
fn cost(decoder: &mut Decoder, seek: Seek) -> (usize, u64) {
    let before = decoder.counters().packets;
    let frame = go(decoder, seek);
    (number(&frame.picture), decoder.counters().packets - before)
}

fn to_number(number: u64) -> Seek {
    Seek::Exact(SeekTarget::Number(number))
}

#[test]
fn a_frame_near_a_time_is_found_from_a_keyframe_whatever_the_codec_remembers() {
    let clip = numbered("clip.mkv", 200, "25", MSMPEG4);
    let mut decoder = open(clip.path());
    let found = number(&go(&mut decoder, Seek::Near(7.5)).picture);
    // Without an index, packets are read up to there. Pictures before the keyframe are not decoded.
    let decoded = decoder.counters().decoded;
    assert!((175..=187).contains(&found) && decoded < SHORT, "frame {found} for {decoded} that were decoded");
    // The exact frame is decoded from the start, although one on the way is available.
    let frame = go(&mut decoder, Seek::to(7.8));
    assert_eq!((number(&frame.picture), frame.index), (195, Some(195)));
}

#[test]
fn decoding_from_the_start_goes_on_from_where_it_is() {
    let clip = numbered("clip.mkv", 200, "25", MSMPEG4);
    let mut decoder = open(clip.path());
    assert_eq!(cost(&mut decoder, Seek::to(5.0)).0, 125);
    let (found, packets) = cost(&mut decoder, Seek::to(6.0));
    assert!(found == 150 && packets < SHORT, "frame {found} for {packets} packets");
    let (found, packets) = cost(&mut decoder, Seek::to(5.5));
    assert!(found == 137 && packets > 137, "frame {found} for {packets} packets");
}

/// The first frame from the keyframe on would do, but the search continues for a while, since a better one exists. On a
/// busy machine that time may pass in between, but not every time.
#[test]
fn a_frame_near_a_time_is_nearer_than_the_keyframe() {
    let clip = numbered("clip.mkv", 50, "25", "-c:v libx264 -preset ultrafast -bf 0 -g 100");
    let is_nearer = || number(&go(&mut open(clip.path()), Seek::Near(1.0)).picture) > 0;
    assert!((0..20).any(|_| is_nearer()));
}

#[test]
fn packets_are_listed_once_and_not_for_what_is_near() {
    let clip = numbered("clip.mkv", 200, "25", X264);
    let mut matroska = open(clip.path());
    assert_eq!(number(&go(&mut matroska, Seek::to(7.5)).picture), 187);
    assert_eq!(matroska.counters().listings, 1, "a decoder might refuse packets of a file that is read in a moment");
    for number in [150, 60, 180] {
        assert_eq!(go(&mut matroska, to_number(number)).index, Some(number));
        assert_eq!(matroska.counters().listings, 1, "one list is enough");
    }
    let mut stream = open(&clip.make("clip.ts", "-i @ -c copy"));
    let (found, packets) = cost(&mut stream, Seek::Near(7.5));
    assert!((175..=187).contains(&found) && packets < SHORT, "frame {found} for {packets} packets");
    assert_eq!(stream.counters().listings, 0, "what is near can do without");
    for (secs, expected) in [(5.5, 137), (3.5, 87)] {
        let (found, packets) = cost(&mut stream, Seek::to(secs));
        assert!(found == expected && packets < SHORT, "frame {found} for {packets} packets");
        assert_eq!(stream.counters().listings, 1, "the frame itself can not");
    }
}

#[test]
fn a_list_that_tells_nothing_is_made_once_where_seeks_wait_for_it() {
    let clip = numbered("clip.ts", 100, "25", X264);
    let joined = Clip::from_bytes("joined.ts", &clip.bytes().repeat(2));
    let mut decoder = open(joined.path());
    for (secs, expected) in [(3.5, 87), (1.5, 37), (6.5, 62)] {
        assert_eq!(number(&go(&mut decoder, Seek::to(secs)).picture), expected);
        assert_eq!(decoder.counters().listings, 1);
    }
}

/// Two frames near the end share a timestamp, so packets give no numbers. Elsewhere, keyframes are reliable.
#[test]
fn a_list_that_tells_nothing_keeps_no_seek_from_its_keyframe() {
    let clip = numbered("clip.mp4", 200, "25", X264);
    let twice = clip.make("twice.mp4", "-i @ -c copy -bsf:v setts=pts='if(eq(N,190),PTS+DURATION,PTS)'");
    let mut decoder = open(&twice);
    assert_eq!(number(&go(&mut decoder, to_number(150)).picture), 150);
    assert_eq!(decoder.counters().listings, 1);
    let (found, packets) = cost(&mut decoder, Seek::to(5.5));
    assert!(found == 137 && packets < SHORT, "frame {found} for {packets} packets");
}

#[test]
fn over_a_network_a_certain_rate_does_for_numbers() {
    let clip = numbered("clip.mp4", 200, "25", &format!("{X264} -movflags +faststart"));
    let url = serve(clip.bytes(), true, |length| length);
    let mut decoder = open(Path::new(&url));
    assert!(decoder.info().constant_rate().is_some() && decoder.info().seekable);
    for expected in [187, 137] {
        let (found, packets) = cost(&mut decoder, to_number(expected));
        assert!(found as u64 == expected && packets < SHORT, "frame {found} for {packets} packets");
    }
    assert_eq!(decoder.counters().listings, 0);
}

#[test]
fn a_server_without_ranges_is_asked_again_for_what_is_behind() {
    let clip = numbered("clip.mp4", 100, "25", &format!("{X264} -movflags +faststart"));
    let url = serve(clip.bytes(), false, |length| length);
    let mut decoder = open(Path::new(&url));
    assert!(!decoder.info().seekable && !decoder.info().live);
    for (secs, expected) in [(3.5, 87), (1.5, 37), (0.0, 0)] {
        assert_eq!(number(&go(&mut decoder, Seek::to(secs)).picture), expected);
    }
}

/// A file is read as often as needed, since its stated rate may be wrong. Here, frames come too early.
#[test]
fn in_a_file_a_number_is_counted_where_no_list_tells_it() {
    let times = "if(between(N,260,280),260/25+(N-260)/50,N/25)";
    let arguments = format!(
        "-vf settb=1/600,setpts='({times})/TB' -fps_mode passthrough -enc_time_base 1:600 -c:v svq1 -g 25 \
         -bsf:v setts=duration=24 -video_track_timescale 600"
    );
    let clip = numbered("liar.mov", 400, "25", &arguments);
    let mut decoder = open(clip.path());
    assert!(decoder.info().constant_rate().is_some(), "this clip is no trap: {:?}", decoder.info());
    for number_wanted in [270, 278, 350] {
        let frame = go(&mut decoder, to_number(number_wanted));
        assert_eq!(number(&frame.picture) as u64, number_wanted);
    }
}

/// Makes a Matroska file whose second half claims to begin at the first frame's time again.
fn set_back() -> Clip {
    const CLUSTER: &[u8] = b"\x1f\x43\xb6\x75";
    let clip = numbered("clip.mkv", 200, "25", &format!("{X264} -cluster_time_limit 1000 -write_crc32 0"));
    let mut bytes = clip.bytes();
    let clusters = bytes.windows(4).enumerate().filter(|(_, four)| *four == CLUSTER).map(|(at, _)| at);
    let mut set = 0;
    for cluster in clusters.collect::<Vec<_>>() {
        // The cluster's length comes first, then its time of two bytes.
        let Some(at) = (4..13).map(|at| cluster + at).find(|at| bytes[*at..].starts_with(&[0xe7, 0x82])) else {
            continue;
        };
        let millis = u16::from_be_bytes([bytes[at + 2], bytes[at + 3]]);
        if let Some(earlier) = millis.checked_sub(4000) {
            bytes[at + 2..at + 4].copy_from_slice(&earlier.to_be_bytes());
            set += 1;
        }
    }
    assert!(set > 0, "there are no clusters where they are looked for");
    Clip::from_bytes("back.mkv", &bytes)
}

#[test]
fn times_that_have_jumped_lead_nowhere() {
    let clip = set_back();
    let mut decoder = open(clip.path());
    let frames = rest(&mut decoder);
    assert_eq!(frames.len(), 200);
    for at in [150, 60, 187, 20] {
        let found = go(&mut decoder, Seek::Exact(SeekTarget::Timestamp(frames[at].pts_ticks)));
        assert_eq!((number(&found.picture), found.index), (at, Some(at as u64)));
    }
}

#[test]
fn the_first_frame_needs_no_second_opening_unless_the_codec_remembers() {
    for name in ["clip.mp4", "clip.mkv"] {
        let clip = numbered(name, 100, "25", X264);
        let mut decoder = open(clip.path());
        go(&mut decoder, Seek::to(3.0));
        std::fs::remove_file(clip.path()).expect("the file is there");
        let frame = go(&mut decoder, Seek::START);
        assert_eq!((number(&frame.picture), frame.index), (0, Some(0)), "{name}");
        let following = decoder.next_frame().expect("no error").expect("a frame");
        assert_eq!((number(&following.picture), following.index), (1, Some(1)), "{name}");
    }
    let clip = numbered("clip.mkv", 100, "25", MSMPEG4);
    let mut decoder = open(clip.path());
    go(&mut decoder, Seek::to(3.0));
    std::fs::remove_file(clip.path()).expect("the file is there");
    assert!(matches!(decoder.seek(Seek::START), Err(MediaError { fault: MediaFault::Gone, .. })));
}

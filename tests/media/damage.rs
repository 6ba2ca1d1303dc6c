//! Damaged packets: what becomes of them is the same each time, on every machine.

use std::path::Path;

use histoscope::media::{Decoder, FrameCounters, OpenOptions, Seek, SeekTarget};
use histoscope::picture::Frame;

use super::seek::{go, take};
use crate::common::{self, Clip, odd, picture_bytes};

const X264: &str = "-c:v libx264 -preset fast -pix_fmt yuv420p -b:v 1M";

/// Clips of codecs that conceal damage and have several threads, most of them damaged all over.
fn clips() -> Vec<Clip> {
    let moving = |name: &str, arguments: &str| {
        let clip = Clip::moving(name, "256x144", 8.0, &format!("-vf noise=alls=12:allf=t {arguments}"));
        odd::with_damage(&clip, name)
    };
    vec![
        moving("groups.mkv", &format!("{X264} -g 50 -bf 3")),
        moving("open.ts", &format!("{X264} -g 50 -bf 3 -x264-params open-gop=1")),
        moving("fields.ts", &format!("{X264} -g 50 -flags +ildct+ilme")),
        moving("slices.mkv", &format!("{X264} -g 25 -bf 0 -slices 4")),
        moving("refreshed.mkv", &format!("{X264} -g 50 -intra-refresh 1")),
        moving("all-intra.ts", &format!("{X264} -g 1")),
        moving("plain.h264", &format!("{X264} -g 12")),
        moving("part2.avi", "-c:v mpeg4 -g 50 -bf 2 -b:v 1M"),
        moving("mpeg2.ts", "-c:v mpeg2video -g 25 -bf 2 -b:v 2M"),
        moving("mpeg2-fields.mpg", "-c:v mpeg2video -g 12 -bf 2 -flags +ildct+ilme -b:v 2M"),
        moving("mpeg1.mpg", "-c:v mpeg1video -g 25 -bf 2 -b:v 2M"),
    ]
}

fn decoder(path: &Path, threads: usize) -> Decoder {
    let options = OpenOptions { threads: Some(threads), ..OpenOptions::default() };
    Decoder::open(path, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// What there is to compare of a frame: its timestamp, its number, whether it is damaged, and its samples.
type Told = (i64, Option<u64>, bool, Vec<u8>);

fn told(frame: &Frame) -> Told {
    (frame.pts_ticks, frame.index, frame.damaged, picture_bytes(&frame.picture))
}

/// The same of all frames, decoded from the start, and what was counted.
fn decoded(path: &Path, threads: usize) -> (Vec<Told>, FrameCounters) {
    let mut decoder = decoder(path, threads);
    let frames = common::rest(&mut decoder).iter().map(told).collect();
    (frames, decoder.counters())
}

#[test]
fn damaged_frames_are_those_of_one_thread_however_many_there_are() {
    for clip in clips() {
        let name = clip.path().display();
        let (expected, counters) = decoded(clip.path(), 1);
        assert!(expected.iter().any(|(_, _, damaged, _)| *damaged), "{name} is not damaged");
        for threads in [2, 4, 9] {
            let (found, found_counters) = decoded(clip.path(), threads);
            let first = found.iter().zip(&expected).position(|(found, expected)| found != expected);
            assert_eq!((found.len(), first), (expected.len(), None), "{name} with {threads} threads");
            assert_eq!(found_counters, counters, "{name} with {threads} threads");
        }
    }
}

#[test]
fn damaged_frames_behind_a_seek_are_those_of_decoding_from_the_start() {
    for clip in clips() {
        let name = clip.path().display();
        let (expected, _) = decoded(clip.path(), 3);
        let mut decoder = decoder(clip.path(), 3);
        for at in (20..expected.len()).step_by(31) {
            let what = format!("{name} from frame {at}");
            go(&mut decoder, Seek::Exact(SeekTarget::Timestamp(expected[at].0)), &what);
            for (position, expected) in expected.iter().enumerate().skip(at).take(40) {
                let (pts, index, _, bytes) = told(&take(&mut decoder, &what));
                assert_eq!(pts, expected.0, "{what}: not frame {position}");
                assert!(
                    index.is_none_or(|index| Some(index) == expected.1),
                    "{what}: frame {position} is called {index:?}"
                );
                assert!(bytes == expected.3, "{what}: frame {position} has other samples");
            }
        }
    }
}

#[test]
fn behind_the_damage_all_threads_decode_again() {
    let arguments = format!("-vf noise=alls=12:allf=t {X264} -g 24 -bf 2");
    let clip = Clip::moving("clip.mkv", "256x144", 10.0, &arguments);
    let mut bytes = clip.bytes();
    let at = bytes.len() / 8;
    bytes[at..at + 400].fill(0x55);
    let damaged = Clip::from_bytes("damaged.mkv", &bytes);
    for (clip, expected) in [(&clip, 0..=0), (&damaged, 20..=125)] {
        let counts = [1, 2, 5].map(|threads| decoded(clip.path(), threads).1.decoded_alone);
        assert!(counts.iter().all(|count| expected.contains(count)), "of 250 packets {counts:?} and not {expected:?}");
        assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    }
}

//! Decoding the stored packets of a live source again.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::thread;
use std::time::Instant;

use super::*;
use crate::OpenOptions;
use crate::Seek;
use crate::SeekTarget;
use crate::decode::position::Room;
use crate::read::stated::StreamDefaults;
use crate::read::timeshift::{Coding, Timeshift};
use histoscope_core::picture::FrameFacts;
use histoscope_core::picture::crop::Crop;
use histoscope_core::picture::stated_light::StatedLight;

/// A clip at 30 frames per second. Every sixtieth frame is a keyframe, and half of the frames are unreferenced.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sample.mp4");
/// Frames from one keyframe to the next.
const GROUP: usize = 60;
/// More bytes than everything stored here.
const ENOUGH: usize = 1 << 30;

/// The facts that are compared for each frame: number, timestamp, and a hash of every fourth row of samples.
type Facts = (Option<u64>, i64, u64);

fn facts(frame: &Frame) -> Facts {
    let (picture, mut sum) = (&frame.picture, DefaultHasher::new());
    for plane in 0..picture.layout().plane_count() {
        let (row_bytes, rows) = picture.layout().plane_size(plane, picture.width(), picture.height());
        (0..rows).step_by(4).for_each(|y| picture.plane(plane).row(y, row_bytes).hash(&mut sum));
    }
    (frame.index, frame.pts_ticks, sum.finish())
}

fn all_facts(frames: &[Frame]) -> Vec<Facts> {
    frames.iter().map(facts).collect()
}

/// Options for receiving the sample.
#[derive(Clone, Copy)]
struct Reception {
    limit: usize,
    /// Number of threads that decode the stored packets.
    threads: usize,
    begins_anew: bool,
}

const PLAIN: Reception = Reception { limit: ENOUGH, threads: 1, begins_anew: true };

/// The sample's frames so far, stored as if they had been received live, and the decoder that they come from.
struct Sent {
    shift: Arc<Timeshift>,
    decoder: Decoder,
    frames: Vec<Facts>,
    /// Size of a frame's buffers in bytes, and the ticks from one frame to the next.
    each: usize,
    ticks: i64,
}

impl Sent {
    fn new(count: usize, reception: Reception) -> Self {
        let shift = Arc::new(Timeshift::new(reception.limit));
        let mut decoder = Decoder::open(SAMPLE, &OpenOptions { threads: Some(1), ..OpenOptions::default() }).unwrap();
        let each = decoder.frame_bytes.unwrap();
        let ticks = decoder.timeline.frame_ticks();
        decoder.packets.keep_in(&shift);
        let mut sent = Self { shift, decoder, frames: Vec::new(), each, ticks };
        sent.connect(reception);
        sent.go_on(count);
        sent
    }

    /// Connects a sender that begins with the sample's first frame.
    fn connect(&mut self, Reception { threads, begins_anew, .. }: Reception) {
        let parameters = self.decoder.packets.opened().unwrap().parameters().unwrap();
        let defaults = StreamDefaults {
            overrides_tags: false,
            is_dolby_ipt: false,
            tags: parameters.color_numbers(),
            sample_aspect: parameters.sample_aspect(),
            coded_sample_aspect: parameters.coded_sample_aspect(),
            orientation: None,
            codes_fields: false,
            states_scan: false,
            crop: Crop::default(),
            stated_light: StatedLight::default(),
        };
        let mut coding = Coding::of(&parameters, &self.decoder.info, &defaults, threads).unwrap();
        coding.resets_at_keyframes = begins_anew;
        self.shift.begin(coding);
        self.decoder.seek(Seek::START).unwrap();
    }

    /// Receives this many more frames. Their times continue across connections, one frame interval each.
    fn go_on(&mut self, count: usize) {
        for _ in 0..count {
            let frame = self.decoder.next_frame().unwrap().unwrap();
            let (stated, at) = (self.decoder.stated_ticks(&frame), self.frames.len());
            let pts_ticks = at as i64 * self.ticks;
            let time_secs = pts_ticks as f64 * frame.time_base.value();
            let renumbered = FrameFacts { index: Some(at as u64), pts_ticks, time_secs, ..frame.facts };
            let frame = Frame { facts: renumbered, ..frame };
            self.shift.note_frame(stated, &frame);
            self.frames.push(facts(&frame));
        }
    }

    fn replay(&self) -> Replay {
        let stop = StopHandle::new();
        Replay { decoder: Decoder::from_stored(&self.shift, &OpenOptions::default(), &stop).unwrap(), stop }
    }

    fn ticks_of(&self, at: usize) -> i64 {
        self.frames[at].1
    }

    fn to(&self, at: usize) -> Seek {
        Seek::Exact(SeekTarget::Timestamp(self.ticks_of(at)))
    }

    fn before(&self, at: usize) -> SeekTarget {
        SeekTarget::Before(self.ticks_of(at))
    }
}

/// A decoder of the stored packets.
struct Replay {
    decoder: Decoder,
    stop: StopHandle,
}

impl Replay {
    /// Seeks. Returns the frame, and as many frames right before it as there is room for.
    fn seek(&mut self, seek: Seek, room: Room) -> Result<Option<(Frame, Vec<Frame>)>, MediaError> {
        self.decoder.seek_keeping(seek, room)?;
        let Some(frame) = self.decoder.next_frame()? else { return Ok(None) };
        let before = self.decoder.frames_passed(frame.pts_ticks);
        Ok(Some((frame, before)))
    }

    fn found(&mut self, seek: Seek) -> Facts {
        facts(&self.seek(seek, Room::default()).unwrap().unwrap().0)
    }

    /// Returns the next frame, which must exist.
    #[track_caller]
    fn next(&mut self) -> Facts {
        facts(&self.decoder.next_frame().unwrap().expect("it is kept"))
    }

    /// Returns `true` if the next frame has not arrived yet, so that the decoder waits for it until there is another
    /// request.
    fn waits(&mut self) -> bool {
        self.stop.set_request_waiting(true);
        let next = self.decoder.next_frame();
        self.stop.set_request_waiting(false);
        matches!(next, Err(MediaError { fault: MediaFault::Stopped, .. }))
    }
}

#[test]
fn a_stored_frame_is_decoded_with_its_neighbours() {
    for begins_anew in [true, false] {
        let sent = Sent::new(80, Reception { begins_anew, ..PLAIN });
        let mut replay = sent.replay();
        let three = Room { frames: 3, bytes: ENOUGH };
        // If decoding starts at the first frame, there are more frames before the keyframe.
        let first = |at: usize| if begins_anew && at >= GROUP { GROUP } else { 0 };
        for (serial, at) in [75, 60, 61, 7, 0, 40].into_iter().enumerate() {
            replay.decoder.set_serial(serial as u64);
            let (frame, before) = replay.seek(sent.to(at), three).unwrap().unwrap();
            assert_eq!((facts(&frame), frame.serial), (sent.frames[at], serial as u64), "frame {at}");
            let from = first(at).max(at.saturating_sub(3));
            assert_eq!(all_facts(&before), sent.frames[from..at], "those before frame {at}");
            assert!(before.iter().all(|frame| frame.serial == serial as u64));
            for following in at + 1..at + 4 {
                assert_eq!(replay.next(), sent.frames[following], "after frame {at}");
            }
        }
        let two = Room { frames: 3, bytes: 2 * sent.each };
        let (_, before) = replay.seek(sent.to(75), two).unwrap().unwrap();
        assert_eq!(all_facts(&before), sent.frames[73..75], "there is room for two");
        let none = Room { frames: 0, bytes: ENOUGH };
        let (frame, before) = replay.seek(sent.to(75), none).unwrap().unwrap();
        assert!(facts(&frame) == sent.frames[75] && before.is_empty());
    }
}

#[test]
fn earlier_frames_are_fetched_as_far_as_there_is_room() {
    let sent = Sent::new(80, PLAIN);
    let mut replay = sent.replay();
    let mut back = |target, frames| all_facts(&replay.decoder.frames_back(target, frames * sent.each).unwrap());
    assert_eq!(back(sent.before(75), 4), sent.frames[71..75]);
    // Decoding starts at the previous keyframe: two frames would not be worth a pass.
    assert_eq!(back(sent.before(62), 9), sent.frames[53..62]);
    assert_eq!(back(sent.before(60), 3), sent.frames[57..60]);
    assert_eq!(back(sent.before(2), 9), sent.frames[..2]);
    assert_eq!(back(sent.before(0), 9), []);
    // A frame requested for its own sake is decoded from its own keyframe.
    assert_eq!(back(SeekTarget::Timestamp(sent.ticks_of(63)), 9), sent.frames[60..64]);
}

#[test]
fn missing_frames_are_awaited_and_a_later_sender_follows() {
    let mut sent = Sent::new(20, PLAIN);
    let mut replay = sent.replay();
    replay.seek(sent.to(17), Room::default()).unwrap();
    assert_eq!([replay.next(), replay.next()], sent.frames[18..]);
    assert!(replay.waits());
    sent.go_on(3);
    assert_eq!([replay.next(), replay.next(), replay.next()], sent.frames[20..]);
    assert!(replay.waits());
    sent.shift.end();
    assert!(replay.waits(), "another one may come");
    sent.connect(PLAIN);
    assert!(replay.waits(), "it has sent no frame");
    sent.go_on(3);
    assert_eq!([replay.next(), replay.next(), replay.next()], sent.frames[23..]);
    // Back across the end of the connection.
    assert_eq!((replay.found(sent.to(22)), replay.next()), (sent.frames[22], sent.frames[23]));
}

#[test]
fn a_frame_held_back_by_the_codec_comes_at_the_end_or_is_given_up() {
    let sent = Sent::new(20, Reception { threads: 4, ..PLAIN });
    let mut replay = sent.replay();
    // Its threads need packets that the sender has not sent yet.
    let shift = Arc::clone(&sent.shift);
    let begun = Instant::now();
    let ending = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        shift.end();
    });
    assert_eq!(replay.found(sent.to(19)), sent.frames[19]);
    assert!(begun.elapsed() >= Duration::from_millis(100));
    ending.join().unwrap();
    assert!(replay.waits());

    let sent = Sent::new(20, Reception { threads: 4, ..PLAIN });
    let mut replay = sent.replay();
    replay.stop.set_request_waiting(true);
    assert_eq!(replay.found(sent.to(2)), sent.frames[2], "one that is at hand is worth the while");
    let begun = Instant::now();
    assert!(replay.seek(sent.to(19), Room::default()).is_err());
    assert!(begun.elapsed() >= Duration::from_millis(250));
    replay.stop.stop();
    assert!(replay.seek(sent.to(2), Room::default()).is_err());
}

#[test]
fn dropped_packets_lead_to_no_frame() {
    let nothing = Timeshift::new(0);
    assert!(Decoder::from_stored(&Arc::new(nothing), &OpenOptions::default(), &StopHandle::new()).is_none());

    let mut sent = Sent::new(10, Reception { limit: 400_000, ..PLAIN });
    let mut replay = sent.replay();
    assert!(replay.decoder.next_frame().unwrap().is_none(), "it was not sent anywhere yet");
    replay.seek(sent.to(2), Room::default()).unwrap();
    sent.go_on(GROUP + 10);
    while replay.decoder.next_frame().unwrap().is_some() {}
    assert!(replay.decoder.next_frame().unwrap().is_none());
    assert!(sent.shift.span_secs().is_some_and(|(oldest, _)| oldest == GROUP as f64 / 30.0));
    assert_eq!(replay.found(sent.to(2)), sent.frames[GROUP], "the oldest in its place");
    assert!(replay.decoder.frames_back(sent.before(GROUP), ENOUGH).unwrap().is_empty());
}

#[test]
fn a_frame_near_a_time_comes_alone_and_not_after_it() {
    let sent = Sent::new(40, PLAIN);
    let mut replay = sent.replay();
    for _ in 0..20 {
        let (frame, before) = replay.seek(Seek::Near(30.5 / 30.0), Room::default()).unwrap().unwrap();
        assert!(before.is_empty() && frame.index.is_some_and(|index| index <= 30), "{:?}", frame.index);
    }
}

#[test]
fn each_sender_is_decoded_by_a_codec_of_its_own() {
    let mut sent = Sent::new(5, PLAIN);
    sent.connect(Reception { threads: 4, ..PLAIN });
    sent.go_on(5);
    sent.shift.end();
    let mut replay = sent.replay();
    let mut threads = |at| {
        assert_eq!(replay.found(sent.to(at)), sent.frames[at]);
        replay.decoder.codec.threads()
    };
    assert_eq!([0, 7, 8, 2].map(&mut threads), [1, 4, 4, 1]);
}

use std::hash::{DefaultHasher, Hash, Hasher};
use std::thread;

use super::super::av::StreamCopy;
use super::super::decoder::Decoder;
use super::super::pictures::StreamDefaults;
use super::super::timeshift::Coding;
use super::*;
use histoscope_core::picture::crop::Crop;

/// A clip of 30 frames a second, of which every sixtieth is a keyframe, and to half of which no other refers.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sample.mp4");
/// Frames from one keyframe to the next.
const GROUP: usize = 60;
/// More bytes than all that is kept here.
const ENOUGH: usize = 1 << 30;

/// What is compared of a frame: number, timestamp, and a sum of the samples in each fourth row.
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

/// How the sample is received.
#[derive(Clone, Copy)]
struct Reception {
    limit: usize,
    /// Threads that decode it again.
    threads: usize,
    begins_anew: bool,
}

const PLAIN: Reception = Reception { limit: ENOUGH, threads: 1, begins_anew: true };

/// What is kept of the sample's frames so far, as if they had come live, and the decoder that they come from.
struct Sent {
    shift: Arc<Timeshift>,
    decoder: Decoder,
    frames: Vec<Facts>,
    /// Bytes of the buffers of a frame, and the ticks from each to the next.
    each: usize,
    ticks: i64,
}

impl Sent {
    fn new(count: usize, reception: Reception) -> Self {
        let mut decoder = Decoder::open(SAMPLE, &OpenOptions { threads: Some(1), ..OpenOptions::default() }).unwrap();
        let each = decoder.position.ready.front().unwrap().frame.buffer_bytes();
        let ticks = decoder.timeline.frame_ticks();
        let shift = Arc::new(Timeshift::new(reception.limit));
        decoder.shift = Some(Arc::clone(&shift));
        let mut sent = Self { shift, decoder, frames: Vec::new(), each, ticks };
        sent.connect(reception);
        sent.go_on(count);
        sent
    }

    /// A sender begins with the first frame.
    fn connect(&mut self, Reception { threads, begins_anew, .. }: Reception) {
        let parameters = self.decoder.input.stream(self.decoder.stream).unwrap();
        let defaults = StreamDefaults {
            tags: parameters.color_numbers(),
            sample_aspect: parameters.sample_aspect(),
            coded_sample_aspect: parameters.coded_sample_aspect(),
            orientation: None,
            codes_fields: false,
            states_scan: false,
            crop: Crop::default(),
        };
        let (stream, tick_secs) = (StreamCopy::of(&parameters).unwrap(), parameters.time_base().value());
        self.shift.begin(Coding { stream, defaults, threads, tick_secs, begins_anew });
        self.decoder.seek(Seek::START).unwrap();
    }

    /// So many more frames come. Each lies as far behind the first one of all as it has come after it.
    fn go_on(&mut self, count: usize) {
        for _ in 0..count {
            let frame = self.decoder.next_frame().unwrap().unwrap();
            let (stated, at) = (self.decoder.timeline.stated(frame.pts_ticks), self.frames.len());
            let pts_ticks = at as i64 * self.ticks;
            let time_secs = pts_ticks as f64 * frame.time_base.value();
            let frame = Frame { index: Some(at as u64), pts_ticks, time_secs, ..frame };
            self.shift.note_frame(stated, &frame);
            self.frames.push(facts(&frame));
        }
    }

    fn replay(&self) -> Replay {
        Replay::new(Arc::clone(&self.shift), OpenOptions::default(), StopHandle::new())
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

/// The next frame, which has to be there.
#[track_caller]
fn next(replay: &mut Replay) -> Facts {
    match replay.next() {
        Next::Frame(frame) => facts(&frame),
        Next::NotYet => panic!("it has not come yet"),
        Next::Gone => panic!("it is not kept any more"),
    }
}

#[test]
fn a_frame_comes_again_with_those_right_before_it_and_those_that_follow() {
    for begins_anew in [true, false] {
        let sent = Sent::new(80, Reception { begins_anew, ..PLAIN });
        let mut replay = sent.replay();
        let three = Room { frames: 3, bytes: ENOUGH };
        // Where decoding begins at the first frame, there are more before the keyframe's own.
        let first = |at: usize| if begins_anew && at >= GROUP { GROUP } else { 0 };
        for (serial, at) in [75, 60, 61, 7, 0, 40].into_iter().enumerate() {
            replay.set_serial(serial as u64);
            let (frame, before) = replay.seek(sent.to(at), three).unwrap();
            assert_eq!((facts(&frame), frame.serial), (sent.frames[at], serial as u64), "frame {at}");
            let from = first(at).max(at.saturating_sub(3));
            assert_eq!(all_facts(&before), sent.frames[from..at], "those before frame {at}");
            assert!(before.iter().all(|frame| frame.serial == serial as u64));
            for following in at + 1..at + 4 {
                assert_eq!(next(&mut replay), sent.frames[following], "after frame {at}");
            }
        }
        let two = Room { frames: 3, bytes: 2 * sent.each };
        let (_, before) = replay.seek(sent.to(75), two).unwrap();
        assert_eq!(all_facts(&before), sent.frames[73..75], "there is room for two");
        let none = Room { frames: 0, bytes: ENOUGH };
        let (frame, before) = replay.seek(sent.to(75), none).unwrap();
        assert!(facts(&frame) == sent.frames[75] && before.is_empty());
    }
}

#[test]
fn earlier_frames_are_fetched_as_many_as_there_is_room_for() {
    let sent = Sent::new(80, PLAIN);
    let mut replay = sent.replay();
    let mut back = |target, frames| all_facts(&replay.frames_back(target, frames * sent.each));
    assert_eq!(back(sent.before(75), 4), sent.frames[70..75], "the last one and four before it");
    // From the keyframe before: two frames would not be worth the way.
    assert_eq!(back(sent.before(62), 9), sent.frames[52..62]);
    assert_eq!(back(sent.before(60), 3), sent.frames[56..60]);
    assert_eq!(back(sent.before(2), 9), sent.frames[..2]);
    assert_eq!(back(sent.before(0), 9), []);
    // A frame that is asked for by itself, from its own keyframe on.
    assert_eq!(back(SeekTarget::Timestamp(sent.ticks_of(63)), 9), sent.frames[60..64]);
}

#[test]
fn what_has_not_come_yet_is_waited_for_and_a_later_sender_follows() {
    let mut sent = Sent::new(20, PLAIN);
    let mut replay = sent.replay();
    replay.seek(sent.to(17), Room::default()).unwrap();
    assert_eq!([next(&mut replay), next(&mut replay)], sent.frames[18..]);
    assert!(matches!(replay.next(), Next::NotYet));
    sent.go_on(3);
    assert_eq!([next(&mut replay), next(&mut replay), next(&mut replay)], sent.frames[20..]);
    assert!(matches!(replay.next(), Next::NotYet));
    sent.shift.end();
    assert!(matches!(replay.next(), Next::NotYet), "another one may come");
    sent.connect(PLAIN);
    assert!(matches!(replay.next(), Next::NotYet), "it has sent no frame");
    sent.go_on(3);
    assert_eq!([next(&mut replay), next(&mut replay), next(&mut replay)], sent.frames[23..]);
    // Back over the end of the connection.
    let (frame, _) = replay.seek(sent.to(22), Room::default()).unwrap();
    assert_eq!((facts(&frame), next(&mut replay)), (sent.frames[22], sent.frames[23]));
}

#[test]
fn a_decoder_that_holds_a_frame_back_gives_it_when_the_rest_comes_or_nobody_waits_any_more() {
    let sent = Sent::new(20, Reception { threads: 4, ..PLAIN });
    let mut replay = sent.replay();
    // Its threads want packets that the sender has not sent yet.
    let shift = Arc::clone(&sent.shift);
    let begun = Instant::now();
    let ending = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        shift.end();
    });
    let (frame, _) = replay.seek(sent.to(19), Room::default()).unwrap();
    assert!(facts(&frame) == sent.frames[19] && begun.elapsed() >= Duration::from_millis(100));
    ending.join().unwrap();
    assert!(matches!(replay.next(), Next::NotYet));

    let sent = Sent::new(20, Reception { threads: 4, ..PLAIN });
    let mut replay = sent.replay();
    replay.stop.set_hurry(true);
    assert!(replay.seek(sent.to(2), Room::default()).is_some(), "one that is at hand is worth the while");
    let begun = Instant::now();
    assert!(replay.seek(sent.to(19), Room::default()).is_none() && begun.elapsed() >= PATIENCE);
    replay.stop.stop();
    assert!(replay.seek(sent.to(2), Room::default()).is_none());
}

#[test]
fn what_is_not_kept_any_more_is_gone() {
    let nothing = Sent::new(10, Reception { limit: 0, ..PLAIN });
    let mut replay = nothing.replay();
    assert!(replay.seek(nothing.to(5), Room::default()).is_none() && matches!(replay.next(), Next::Gone));
    assert_eq!(nothing.shift.span_secs(), None);

    let mut sent = Sent::new(10, Reception { limit: 400_000, ..PLAIN });
    let mut replay = sent.replay();
    replay.seek(sent.to(2), Room::default()).unwrap();
    sent.go_on(GROUP + 10);
    while let Next::Frame(_) = replay.next() {}
    assert!(matches!(replay.next(), Next::Gone));
    assert!(sent.shift.span_secs().is_some_and(|(oldest, _)| oldest == GROUP as f64 / 30.0));
    let (frame, _) = replay.seek(sent.to(2), Room::default()).unwrap();
    assert_eq!(facts(&frame), sent.frames[GROUP], "the oldest in its place");
}

/// On a machine that does something else in between the while may be over at the keyframe, but not each time.
#[test]
fn a_frame_near_a_time_is_nearer_than_the_keyframe_and_not_behind_it() {
    let sent = Sent::new(40, PLAIN);
    let mut replay = sent.replay();
    let mut near = |at: usize| {
        let (frame, before) = replay.seek(Seek::Near((at as f64 + 0.5) / 30.0), Room::default()).unwrap();
        assert!(before.is_empty());
        frame.index.unwrap() as usize
    };
    assert!((0..20).any(|_| near(2) == 2));
    assert!((0..20).all(|_| near(30) <= 30));
}

#[test]
fn a_search_near_a_frame_goes_on_to_it_or_until_the_time_is_up() {
    let sent = Sent::new(40, PLAIN);
    let mut replay = sent.replay();
    let mut ends = |until| {
        let target = SeekTarget::Timestamp(sent.ticks_of(30));
        replay.search(target, Room::default(), Some(until), 0.0).map(|search| search.frame.1.index)
    };
    assert_eq!(ends(Instant::now() + Duration::from_secs(3600)), Some(Some(30)));
    assert_eq!(ends(Instant::now()), Some(Some(0)), "the first that would do");
}

#[test]
fn each_sender_is_decoded_by_a_decoder_of_its_own() {
    let mut sent = Sent::new(5, PLAIN);
    sent.connect(Reception { threads: 4, ..PLAIN });
    sent.go_on(5);
    let mut replay = sent.replay();
    let mut threads = |at| {
        replay.begin(sent.shift.way_to(SeekTarget::Timestamp(sent.ticks_of(at)), 0, 0.0).unwrap()).unwrap();
        replay.reading.as_ref().unwrap().codec.threads()
    };
    assert_eq!([0, 7, 8, 2].map(&mut threads), [1, 4, 4, 1]);
}

#[test]
fn a_decoder_that_refuses_all_is_given_up_in_the_end() {
    let mut refusals = Refusals::default();
    assert!((0..MOST_REFUSED).all(|_| !refusals.are_too_many()));
    assert!(refusals.are_too_many());
}

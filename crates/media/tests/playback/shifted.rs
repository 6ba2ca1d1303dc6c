//! Going back in the kept packets of a live source: each frame equals the one that was received.

use std::time::{Duration, Instant, SystemTime};

use histoscope_core::picture::Frame;
use histoscope_media::playback::{Player, PlayerOptions, SourceEvent, send, take_events};
use histoscope_media::{DecodeEvent, DecodeThread, OpenOptions, QueueLimits, Seek, SeekTarget};

use crate::common::noise;
use crate::common::numbered::{number, numbered};
use crate::common::picture_bytes;
use crate::common::sender::{Sender, free_port};

/// Longer than anything here takes, even on a busy machine.
const SOON: Duration = Duration::from_secs(60);

/// A live source and everything received from it.
struct Watched {
    media: DecodeThread,
    frames: Vec<Frame>,
    serial: u64,
}

impl Watched {
    fn open(address: &str, kept_packets: usize) -> Self {
        let options = OpenOptions { kept_packets, ..OpenOptions::default() };
        let limits = QueueLimits { frames: 1000, bytes: usize::MAX };
        let media = DecodeThread::open(address, options, limits, || {}).expect("a thread");
        Self { media, frames: Vec::new(), serial: 0 }
    }

    /// Returns the next event of the last request.
    #[track_caller]
    fn next(&self) -> DecodeEvent {
        let begin = Instant::now();
        while begin.elapsed() < SOON {
            match self.media.recv_timeout(Duration::from_millis(200)) {
                Some(DecodeEvent::Frame(frame)) if frame.serial != self.serial => {}
                None | Some(DecodeEvent::Opened(_) | DecodeEvent::NoSignal(_)) => {}
                Some(event) => return event,
            }
        }
        panic!("nothing came of request {}", self.serial)
    }

    #[track_caller]
    fn frame(&self) -> Frame {
        match self.next() {
            DecodeEvent::Frame(frame) => frame,
            other => panic!("{other:?} in place of a frame"),
        }
    }

    /// Watches until this many more frames have arrived.
    fn watch(&mut self, count: usize) {
        for _ in 0..count {
            let frame = self.frame();
            self.frames.push(frame);
        }
    }

    fn seek(&mut self, seek: Seek) {
        self.serial += 1;
        self.media.seek(self.serial, seek);
    }

    /// Seeks to a received frame and its neighbours.
    #[track_caller]
    fn check(&mut self, at: usize) {
        let wanted = self.frames[at].clone();
        self.seek(Seek::to(wanted.time_secs + wanted.time_base.value() / 2.0));
        same(&self.frame(), &wanted);
        let mut next = self.next();
        if let DecodeEvent::Earlier { before_ticks, frames, .. } = &next {
            assert_eq!(*before_ticks, wanted.pts_ticks);
            let before = &self.frames[at.saturating_sub(frames.len())..at];
            frames.iter().zip(before).for_each(|(frame, before)| same(frame, before));
            next = self.next();
        }
        if let (DecodeEvent::Frame(next), Some(wanted)) = (&next, self.frames.get(at + 1)) {
            same(next, wanted);
        }
        let target = SeekTarget::Before(wanted.pts_ticks);
        self.seek(Seek::Back { target, budget: 4 * wanted.plane_bytes() });
        let DecodeEvent::Earlier { frames, .. } = self.next() else { panic!("no answer") };
        assert_eq!(frames.is_empty(), at == 0, "before the frame at {at}");
        let before = &self.frames[at - frames.len()..at];
        frames.iter().zip(before).for_each(|(frame, before)| same(frame, before));
    }
}

/// Asserts that two frames are equal: picture, time, number and time of arrival.
#[track_caller]
fn same(found: &Frame, wanted: &Frame) {
    let facts = |frame: &Frame| (frame.index, frame.pts_ticks, frame.time_secs, frame.duration_secs, frame.arrival);
    assert_eq!(facts(found), facts(wanted));
    assert_eq!(found.picture.colorimetry(), wanted.picture.colorimetry());
    assert!(
        picture_bytes(&found.picture) == picture_bytes(&wanted.picture),
        "frame {:?} has another picture",
        wanted.index
    );
}

/// Returns random positions, including the first and the last.
fn places(count: usize, seed: u64) -> Vec<usize> {
    let by_chance =
        noise(24, seed).chunks(2).map(|two| usize::from(two[0]) << 8 | usize::from(two[1])).collect::<Vec<_>>();
    [0, count - 1].into_iter().chain(by_chance.into_iter().map(|value| value % count)).collect()
}

#[test]
fn each_frame_that_has_come_is_had_again_whatever_it_was_coded_with() {
    let codings = [
        "-c:v libx264 -preset ultrafast -tune zerolatency -g 10 -f mpegts",
        "-c:v libx264 -preset fast -bf 2 -g 25 -x264-params open-gop=1 -f mpegts",
        "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=20:bframes=3 -f mpegts",
        "-c:v mpeg2video -bf 2 -g 12 -f mpegts",
        "-c:v mjpeg -f matroska",
    ];
    for coding in codings {
        let address = format!("tcp://127.0.0.1:{}", free_port());
        let mut watched = Watched::open(&address, 64 << 20);
        let _sender = Sender::moving("160x90", coding, &format!("{address}?listen"));
        watched.watch(70);
        // Pictures shown before the first keyframe depend on a keyframe that was never received.
        let (oldest, _) = watched.media.kept_secs().expect("packets are kept");
        watched.frames.retain(|frame| frame.time_secs >= oldest);
        let first = watched.frames[0].index;
        assert!(first.is_some_and(|first| first < 5), "{coding}: the oldest is {first:?}");
        println!("{coding}");
        for at in places(watched.frames.len(), 7) {
            watched.check(at);
        }
        // To the newest frame, and on with the arriving ones.
        let last = watched.frames.last().expect("frames").index;
        watched.seek(Seek::Exact(SeekTarget::End));
        let newest = watched.frame();
        assert!(newest.index > last, "{coding}: {:?} after {last:?}", newest.index);
        let next = watched.frame();
        assert_eq!(next.index, newest.index.map(|index| index + 1), "{coding}");
        assert!(next.arrival.is_some_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age < SOON)));
    }
}

#[test]
fn frames_of_a_sender_that_has_gone_are_had_while_another_one_sends() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let mut watched = Watched::open(&address, 64 << 20);
    let coding = "-c:v libx264 -preset ultrafast -tune zerolatency -g 10 -f mpegts";
    let sender = Sender::moving("160x90", coding, &address);
    watched.watch(40);
    drop(sender);
    // The same timestamps again immediately, on a connection that does not appear to end; then another codec and size.
    let sender = Sender::moving("160x90", coding, &address);
    watched.watch(40);
    drop(sender);
    std::thread::sleep(Duration::from_secs(3));
    let _sender = Sender::moving("96x64", "-c:v mpeg2video -g 10 -f mpegts", &address);
    watched.watch(30);
    let (oldest, newest) = watched.media.kept_secs().expect("packets are kept");
    assert!(oldest < 0.5 && newest >= watched.frames[109].time_secs, "{oldest} {newest}");
    // Frames whose packets arrived in the middle of a group, after another sender had begun, were never complete.
    for at in [0, 5, 20, 33, 60, 70, 85, 95, 105] {
        if !watched.frames[at].damaged {
            let wanted = watched.frames[at].clone();
            watched.seek(Seek::to(wanted.time_secs));
            same(&watched.frame(), &wanted);
        }
    }
    // On past the end of a connection to the frames of the next one. The last packet of a sender may have been cut off.
    // Then the replacement for the missing part may differ.
    let at = watched.frames.iter().position(|frame| frame.picture.width() == 96).expect("the other sender's frames");
    let before = watched.frames[at - 2].clone();
    watched.seek(Seek::to(before.time_secs));
    same(&watched.frame(), &before);
    let next = || loop {
        if let DecodeEvent::Frame(frame) = watched.next() {
            break frame;
        }
    };
    let [last, first] = [next(), next()];
    assert_eq!(last.index, watched.frames[at - 1].index);
    same(&first, &watched.frames[at]);
}

#[test]
fn a_part_of_the_packets_is_kept_where_memory_is_short_and_the_oldest_frame_is_one_that_can_be_had() {
    // The numbers in the pictures identify the frames.
    let clip = numbered("clip.mkv", 600, "50", "-c:v libx264 -preset ultrafast -tune zerolatency -g 10 -b:v 400k");
    let address = format!("udp://127.0.0.1:{}", free_port());
    let mut watched = Watched::open(&address, 20_000);
    let _sender = Sender::of(clip.path(), "-c copy -f mpegts", &address);
    watched.watch(150);
    let number_of = |watched: &Watched, index: Option<u64>| {
        watched.frames.iter().find(|frame| frame.index == index).map(|frame| number(&frame.picture))
    };
    for _ in 0..5 {
        watched.seek(Seek::to(0.0));
        let frame = watched.frame();
        assert!(frame.time_secs > 0.5, "{}: all of it is kept", frame.time_secs);
        let expected = number_of(&watched, frame.index);
        assert!(expected.is_none_or(|expected| expected == number(&frame.picture)), "{:?}", frame.index);
        std::thread::sleep(Duration::from_millis(50));
    }
    // A quick picture is before the requested time, not after it.
    let (oldest, newest) = watched.media.kept_secs().expect("packets are kept");
    let secs = (oldest + newest) / 2.0;
    watched.seek(Seek::Near(secs));
    let near = watched.frame();
    assert!(near.time_secs <= secs + 1e-3 && near.time_secs >= oldest - 0.5, "{} for {secs}", near.time_secs);
}

#[test]
fn what_becomes_of_the_sender_is_told_whoever_looks_at_what_has_gone_by() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let mut watched = Watched::open(&address, 1 << 20);
    let coding = "-c:v libx264 -preset ultrafast -tune zerolatency -g 10 -f mpegts";
    let sender = Sender::moving("160x90", coding, &address);
    watched.watch(40);
    // Memory has room for only a few of them.
    let options = PlayerOptions { live: true, seekable: false, cache_bytes: 100_000, ..PlayerOptions::default() };
    let (start, mut player) = (Instant::now(), Player::new(options));
    for frame in &watched.frames {
        player.push(frame.clone());
        player.tick(start);
    }
    take_events(&mut player, &watched.media, start, |_| {});
    // Seeks back until everything needed is there. Meanwhile the sender goes away.
    let request = player.seek_to(0.5);
    assert!(request.is_some(), "it is here already");
    send(&watched.media, request);
    drop(sender);
    let mut lost = false;
    while !lost && start.elapsed() < SOON {
        take_events(&mut player, &watched.media, start, |news| lost |= matches!(news, SourceEvent::NoSignal(_)));
        player.tick(start);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(lost && player.is_paused() && (player.position_secs() - 0.5).abs() < 0.05, "at {}", player.position_secs());
}

#[test]
fn nothing_is_kept_that_nobody_asked_for() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let mut watched = Watched::open(&address, 0);
    let _sender = Sender::moving("64x48", "-c:v mpeg2video -g 10 -f mpegts", &address);
    watched.watch(20);
    assert_eq!(watched.media.kept_secs(), None);
    watched.seek(Seek::to(0.1));
    assert!(matches!(watched.next(), DecodeEvent::EndOfStream { .. }), "there is nothing to decode again");
    watched.seek(Seek::Exact(SeekTarget::End));
    watched.frame();
}

//! Decoding on its own thread: bounded, interruptible, and the latest seek wins.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use histoscope_media::{DecodeEvent, DecodeThread, MediaError, MediaFault, OpenOptions, QueueLimits, Seek, SeekTarget};

use crate::common::Clip;
use crate::common::numbered::{number, numbered};

const SOON: Duration = Duration::from_secs(20);

fn clip() -> Clip {
    Clip::moving("clip.mp4", "160x120", 4.0, "-c:v libx264 -preset ultrafast -g 25")
}

fn start(clip: &Clip, limits: QueueLimits) -> DecodeThread {
    DecodeThread::open(clip.path(), OpenOptions::default(), limits, || {}).expect("a thread")
}

fn next(thread: &DecodeThread) -> DecodeEvent {
    thread.recv_timeout(SOON).expect("an event in time")
}

#[test]
fn all_frames_come_and_then_the_end() {
    let clip = clip();
    let thread = start(&clip, QueueLimits::default());
    assert!(matches!(next(&thread), DecodeEvent::Opened(info) if info.codec == "h264"));
    for index in 0..100 {
        match next(&thread) {
            DecodeEvent::Frame(frame) => assert_eq!((frame.index, frame.serial), (Some(index), 0)),
            other => panic!("{other:?} instead of frame {index}"),
        }
    }
    assert!(matches!(next(&thread), DecodeEvent::EndOfStream { serial: 0 }));
    assert!(thread.recv_timeout(Duration::from_millis(100)).is_none());
    assert_eq!(thread.condition().0.delivered, 100);
    // A seek restarts it.
    thread.seek(5, Seek::to(2.0));
    match next(&thread) {
        DecodeEvent::Frame(frame) => assert!((frame.time_secs - 2.0).abs() < 1e-9 && frame.serial == 5),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_queue_is_bounded_and_wakes_for_each_event() {
    let clip = clip();
    let woken = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&woken);
    let waker = move || {
        count.fetch_add(1, Ordering::Relaxed);
    };
    let limits = QueueLimits { frames: 3, bytes: usize::MAX };
    let thread = DecodeThread::open(clip.path(), OpenOptions::default(), limits, waker).expect("a thread");
    let settled = |expected: usize| {
        let deadline = Instant::now() + SOON;
        while woken.load(Ordering::Relaxed) < expected && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(150));
        woken.load(Ordering::Relaxed)
    };
    assert_eq!(settled(5), 5, "the opening, three frames and the list of packets");
    let _ = (next(&thread), next(&thread));
    assert_eq!(settled(6), 6, "room for one more frame");
    // However small the limits, two frames fit.
    let thread = start(&clip, QueueLimits { frames: 0, bytes: 0 });
    for _ in 0..102 {
        let _ = next(&thread);
    }
}

#[test]
fn frames_of_an_older_seek_never_follow_a_newer_one() {
    let clip = clip();
    let thread = start(&clip, QueueLimits::default());
    let _ = next(&thread);
    for serial in 1..=40 {
        thread.seek(serial, Seek::to(serial as f64 * 0.09 + 0.01));
        if serial % 4 != 0 {
            continue;
        }
        let frame = match next(&thread) {
            DecodeEvent::Frame(frame) => frame,
            other => panic!("{other:?}"),
        };
        assert_eq!(frame.serial, serial, "nothing older comes once a seek was asked for");
        let expected = ((serial as f64 * 0.09 + 0.01) * 25.0).floor() / 25.0;
        assert!((frame.time_secs - expected).abs() < 1e-6, "{} is not {expected}", frame.time_secs);
    }
}

#[test]
fn dropping_ends_the_thread_wherever_it_is() {
    let clip = clip();
    let woken = Arc::new(());
    for pause_ms in [0, 1, 5, 20, 100] {
        let theirs = Arc::clone(&woken);
        let waker = move || assert!(Arc::strong_count(&theirs) > 0);
        let limits = QueueLimits::default();
        let thread = DecodeThread::open(clip.path(), OpenOptions::default(), limits, waker).expect("a thread");
        std::thread::sleep(Duration::from_millis(pause_ms));
        drop(thread);
        assert_eq!(Arc::strong_count(&woken), 1, "the thread is gone and its waker with it");
    }
}

#[test]
fn frames_behind_the_target_of_a_seek_are_left_alone_for_a_while_unless_they_are_wanted() {
    let clip = clip();
    let thread = start(&clip, QueueLimits::default());
    assert!(matches!(next(&thread), DecodeEvent::Opened(_)));
    let mut serial = 0;
    // Waits for a seek's frame, after which nothing more is requested.
    let mut land = || {
        serial += 1;
        thread.set_idle(true);
        thread.seek(serial, Seek::to(1.0));
        while !matches!(next(&thread), DecodeEvent::Frame(frame) if frame.serial == serial && frame.index == Some(25)) {
        }
        Instant::now()
    };
    let is_next = |event| matches!(event, Some(DecodeEvent::Frame(frame)) if frame.index == Some(26));
    // The frames wait for a quarter of a second. An attempt that was itself delayed proves nothing.
    let (wait, least) = (Duration::from_millis(100), Duration::from_millis(200));
    let is_left_alone = (0..20).any(|_| {
        let landed = land();
        std::thread::sleep(wait);
        let more = thread.try_recv();
        let is_undisturbed = landed.elapsed() < least;
        assert!(more.is_none() || !is_undisturbed, "{more:?}");
        is_undisturbed
    });
    assert!(is_left_alone, "no undisturbed moment");
    assert!(is_next(thread.recv_timeout(SOON)), "they come in the end");
    let comes_at_once = (0..20).any(|_| {
        let landed = land();
        std::thread::sleep(wait);
        thread.set_idle(false);
        is_next(thread.recv_timeout(SOON)) && landed.elapsed() < least
    });
    assert!(comes_at_once, "what is wanted is waited for");
}

#[test]
fn a_server_that_says_nothing_does_not_hold_the_program() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/clip.mp4", listener.local_addr().expect("an address"));
    let thread = DecodeThread::open(url, OpenOptions::default(), QueueLimits::default(), || {}).expect("a thread");
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    drop(thread);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn errors_are_events() {
    let missing = Clip::blank("missing.mp4");
    let thread = start(&missing, QueueLimits::default());
    assert!(matches!(
        next(&thread),
        DecodeEvent::Error { error: MediaError { fault: MediaFault::NotFound, .. }, serial: 0 }
    ));
    assert!(thread.recv_timeout(SOON).is_none(), "nothing follows");
}

#[test]
fn a_frame_comes_with_those_before_it_and_then_the_thread_rests() {
    let clip = clip();
    for (bytes, expected) in [(usize::MAX, 75..=90), (1 << 20, 61..=90), (1, 90..=90)] {
        let thread = start(&clip, QueueLimits::default());
        assert!(matches!(next(&thread), DecodeEvent::Opened(_)));
        thread.seek(3, Seek::Back { target: SeekTarget::Time(3.61), budget: bytes });
        let DecodeEvent::Earlier { serial: 3, frames, .. } = next(&thread) else { panic!("no frames") };
        let pts: Vec<i64> = frames.iter().map(|frame| (frame.time_secs * 25.0).round() as i64).collect();
        assert_eq!(pts.last(), Some(&90), "{pts:?}");
        assert!(pts.windows(2).all(|two| two[0] + 1 == two[1]), "{pts:?}");
        assert!(pts.iter().all(|at| expected.contains(at)), "{pts:?} with {bytes} bytes");
        assert!(bytes < usize::MAX || pts.len() == 16, "{pts:?}: all from the keyframe on");
        assert!(frames.iter().all(|frame| (frame.duration_secs - 0.04).abs() < 1e-6));
        assert!(thread.recv_timeout(Duration::from_millis(100)).is_none());
    }
}

/// Returns the numbers in the pictures of frames that precede others.
fn earlier(event: DecodeEvent) -> Vec<usize> {
    let DecodeEvent::Earlier { frames, .. } = event else { panic!("{event:?} instead of frames before another") };
    frames.iter().map(|frame| number(&frame.picture)).collect()
}

/// Frames decoded on the way to a target need not be decoded again for a step back.
#[test]
fn after_the_frame_of_a_seek_comes_the_one_right_before_it() {
    let clip = numbered("clip.mp4", 100, "25", "-c:v libx264 -preset ultrafast -g 25");
    let thread = start(&clip, QueueLimits::default());
    assert!(matches!(next(&thread), DecodeEvent::Opened(_)));
    thread.seek(1, Seek::to(3.6));
    assert!(matches!(next(&thread), DecodeEvent::Frame(frame) if number(&frame.picture) == 90));
    assert_eq!(earlier(next(&thread)), [89]);
}

/// If decoding must begin at the first frame, a step back does so even if the decoder is on its way there, since the
/// frames already passed are needed too.
#[test]
fn a_step_back_in_a_stream_without_times_gives_all_frames_before() {
    let clip = numbered("clip.h264", 100, "25", "-c:v libx264 -preset ultrafast -g 25");
    let thread = start(&clip, QueueLimits { frames: 2, bytes: usize::MAX });
    assert!(matches!(next(&thread), DecodeEvent::Opened(_)));
    thread.seek(1, Seek::to(1.0));
    let DecodeEvent::Frame(frame) = next(&thread) else { panic!("no frame") };
    assert_eq!(number(&frame.picture), 25);
    let ticks = frame.pts_ticks / 25 * 60;
    thread.seek(2, Seek::Back { target: SeekTarget::Before(ticks), budget: usize::MAX });
    assert_eq!(earlier(next(&thread)), (0..60).collect::<Vec<_>>());
}

/// Two streams in one file; the times of the second begin again. Seeks trust its times only until its packets are
/// indexed.
#[test]
fn seeks_are_right_from_when_the_packets_were_found_to_tell_nothing() {
    let clip = numbered("clip.ts", 500, "25", "-c:v libx264 -preset ultrafast -bf 0 -g 25");
    let joined = Clip::from_bytes("joined.ts", &clip.bytes().repeat(2));
    let thread = start(&joined, QueueLimits { frames: 2, bytes: usize::MAX });
    assert!(matches!(next(&thread), DecodeEvent::Opened(_)));
    let deadline = Instant::now() + SOON;
    let mut serial = 0;
    loop {
        serial += 1;
        thread.seek(serial, Seek::to(30.0));
        let found = loop {
            match next(&thread) {
                DecodeEvent::Frame(frame) if frame.serial == serial => break number(&frame.picture),
                DecodeEvent::Frame(_) | DecodeEvent::Earlier { .. } => {}
                other => panic!("{other:?}"),
            }
        };
        if found == 250 {
            break;
        }
        assert!(Instant::now() < deadline, "frame {found} in place of the second one of number 250");
        std::thread::sleep(Duration::from_millis(20));
    }
}

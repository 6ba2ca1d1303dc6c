//! Sources of videos: image sequences, pipes, servers that stall, and files that disappear.

use std::time::{Duration, Instant};

use histoscope_media::{DecodeEvent, DecodeThread, Decoder, MediaError, MediaFault, OpenOptions, QueueLimits, Seek};

use crate::common::numbered::{number, numbered};
use crate::common::server::serve;
use crate::common::session::Session;
use crate::common::{Clip, decode_all, open_error};

const X264: &str = "-c:v libx264 -preset ultrafast -g 25";

#[test]
fn image_sequences_by_number_and_by_pattern() {
    let clip = Clip::blank("shot.%04d.png");
    clip.make("shot.%04d.png", "-f lavfi -i testsrc2=size=64x48:rate=25:duration=0.4 -start_number 1001");
    assert_eq!(decode_all(clip.path()).len(), 10, "a sequence need not begin at number 0");
    assert_eq!(decode_all(&clip.folder().join("shot.*.png")).len(), 10);
    let mut session = Session::paused(&clip.folder().join("shot.100?.png"));
    assert!(session.player.is_seekable());
    let frames = |secs: f64| (secs * 25.0).round();
    assert_eq!(frames(session.seek(0.2).time_secs), 5.0);
    assert_eq!(frames(session.step(false).time_secs), 4.0);
    let error = open_error(&clip.folder().join("other.*.png"));
    assert!(error.contains("other.*.png: no picture's name matches this pattern"), "{error}");
    assert!(open_error(&clip.folder().join("other.%03d.png")).contains("no picture's name matches"));
}

#[test]
fn a_file_deleted_while_open_plays_on() {
    let clip = numbered("clip.mp4", 100, "25", X264);
    let mut session = Session::paused(clip.path());
    std::fs::remove_file(clip.path()).expect("the file is there");
    assert_eq!(number(&session.seek(3.0).picture), 75);
    assert_eq!(number(&session.seek(0.0).picture), 0);
    assert_eq!(session.errors, []);
}

#[test]
fn a_deleted_file_that_has_to_be_opened_again_says_so() {
    let clip = numbered("clip.h264", 100, "25", X264);
    let mut session = Session::with(clip.path(), |options| options.cache_bytes = 0);
    session.seek(3.0);
    std::fs::remove_file(clip.path()).expect("the file is there");
    session.seek(1.0);
    assert!(matches!(&session.errors[..], [MediaError { fault: MediaFault::Gone, .. }]), "{:?}", session.errors);
    assert!(session.errors[0].to_string().contains("moved or deleted"));
    assert_eq!(number(&session.frame().picture), 75, "the picture stays");
}

fn with_limit(limit: Duration) -> OpenOptions {
    OpenOptions { network_limit: Some(limit), ..OpenOptions::default() }
}

#[test]
fn a_server_can_be_sought_however_long_the_pause_before() {
    let clip = numbered("clip.mp4", 400, "25", &format!("{X264} -movflags +faststart"));
    let url = serve(clip.bytes(), true, |length| length);
    let mut decoder = Decoder::open(url, &with_limit(Duration::from_millis(700))).expect("the server answers");
    assert!(decoder.info().seekable);
    for secs in [12.0, 3.0] {
        std::thread::sleep(Duration::from_millis(900));
        decoder.seek(Seek::to(secs)).expect("the server has ranges");
        let frame = decoder.next_frame().expect("no error").expect("a frame");
        assert_eq!(number(&frame.picture), (secs * 25.0) as usize);
    }
}

#[test]
fn a_stream_that_stalls_is_given_up_with_a_message_and_nobody_is_held_up() {
    // Noise is large, so the received half contains some of the frames.
    let clip = Clip::noisy("clip.ts", "320x240", "yuv420p", 50, "-c:v mpeg2video -q:v 2");
    let url = serve(clip.bytes(), false, |length| length / 2);
    let limits = QueueLimits { frames: 100, ..QueueLimits::default() };
    let start = Instant::now();
    let thread = DecodeThread::open(&url, with_limit(Duration::from_secs(1)), limits, || {}).expect("a thread");
    let mut frames = 0;
    let error = loop {
        let asked = Instant::now();
        let event = thread.try_recv();
        assert!(asked.elapsed() < Duration::from_millis(200), "asking never waits");
        match event {
            Some(DecodeEvent::Opened(info)) => assert!(!info.seekable),
            Some(DecodeEvent::Frame(_)) => frames += 1,
            Some(DecodeEvent::Error { error, serial: 0 }) => break error,
            Some(other) => panic!("{other:?}"),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{frames} frames and no end");
    };
    assert!(frames > 5, "{frames} frames came before");
    assert_eq!(error.to_string(), format!("{url}: no data for 1 s; check the connection and try again"));
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let url = serve(vec![0; 1000], true, |_| 0);
    let error = Decoder::open(&url, &with_limit(Duration::from_millis(500))).err().expect("there is no video");
    assert_eq!(error.to_string(), format!("{url}: no data for 0.5 s; check the connection and try again"));
}

#[cfg(unix)]
#[test]
fn a_pipe_plays_forward_and_says_that_it_cannot_be_positioned() {
    let clip = numbered("clip.ts", 100, "25", X264);
    let pipe = clip.folder().join("pipe.ts");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let (source, target) = (clip.bytes(), pipe.clone());
    let writer = std::thread::spawn(move || std::fs::write(target, source));
    let mut session = Session::paused(&pipe);
    assert!(!session.player.is_seekable());
    assert_eq!(number(&session.step(true).picture), 1);
    assert_eq!(number(&session.step(false).picture), 0, "what is kept can be gone back to");
    assert_eq!(number(&session.step(false).picture), 0);
    assert_eq!(number(&session.seek(2.0).picture), 50, "and forward it goes");
    assert_eq!(number(&session.seek(0.0).picture), 50);
    assert_eq!(number(&session.step(true).picture), 51);
    drop(session);
    let _ = writer.join();
}

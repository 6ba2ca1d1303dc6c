//! The decoding thread and the player together: scrubbing, repeated parts, high speeds, small caches.

use std::time::{Duration, Instant};

use histoscope_media::playback::send;

use crate::common::numbered::{number, numbered};
use crate::common::session::Session;

const X264: &str = "-c:v libx264 -preset ultrafast -bf 3 -b_strategy 0 -sc_threshold 0";
/// Slightly more bytes than one of the numbered pictures has.
const PICTURE_BYTES: usize = 224 * 16 * 3 / 2 + 1024;

#[test]
fn steps_back_through_a_long_group_with_room_for_few_frames() {
    let clip = numbered("long.mp4", 300, "30", &format!("{X264} -g 600 -keyint_min 600"));
    let mut session = Session::with(clip.path(), |options| options.cache_bytes = 24 * PICTURE_BYTES);
    session.seek(9.0);
    for expected in (0..270).rev() {
        assert_eq!(number(&session.step(false).picture), expected);
    }
    assert_eq!(number(&session.step(false).picture), 0, "there is nothing before the first frame");
    for expected in 1..300 {
        assert_eq!(number(&session.step(true).picture), expected);
    }
    // On the way back, the far end of the cache is dropped and decoded again.
    for expected in (200..299).rev() {
        assert_eq!(number(&session.step(false).picture), expected);
    }
    for expected in 201..300 {
        assert_eq!(number(&session.step(true).picture), expected);
    }
}

#[test]
fn a_scrub_shows_many_pictures_and_settles_exactly() {
    let clip = numbered("scrub.mp4", 600, "30", &format!("{X264} -g 60"));
    let mut session = Session::paused(clip.path());
    for step_secs in [0.9, -0.7, 0.05, -0.05] {
        session.seek(10.0);
        let (mut secs, mut seen) = (10.0, Vec::new());
        for _ in 0..10 {
            secs += step_secs;
            let request = session.player.scrub_by(step_secs, Instant::now());
            send(&session.media, request);
            session.finish();
            seen.push(number(&session.frame().picture));
        }
        let wanted = (secs * 30.0 + 1e-6_f64).floor() as usize;
        assert!(
            seen.iter().all(|shown| (wanted.min(300)..=wanted.max(300)).contains(shown) || *shown < wanted),
            "{seen:?}"
        );
        seen.dedup();
        assert!(seen.len() >= 5, "steps of {step_secs} s show {seen:?}");
        let settled = session.go(|player| player.settle(Instant::now()));
        assert_eq!(number(&settled.picture), wanted, "steps of {step_secs} s");
        assert_eq!(number(&session.step(true).picture), wanted + 1);
        assert_eq!(number(&session.step(false).picture), wanted);
    }
}

/// Plays with a simulated clock, in steps of 5 ms, until the condition holds. Returns the numbers of the frames shown.
fn play(session: &mut Session, mut until: impl FnMut(&Session, &[usize]) -> bool) -> Vec<usize> {
    let start = Instant::now();
    let request = session.player.toggle_pause(start);
    send(&session.media, request);
    let mut seen = Vec::new();
    let mut time = Duration::ZERO;
    while start.elapsed() < Duration::from_secs(30) {
        // The clock waits for the decoder, so that the frames shown do not depend on the machine.
        if !session.player.wants_frames(start + time) || session.player.has_ended() {
            time += Duration::from_millis(5);
        } else {
            session.wait(Duration::from_micros(200));
        }
        seen.extend(session.tick(start + time).map(|frame| number(&frame.picture)));
        if until(session, &seen) {
            return seen;
        }
    }
    panic!("that never happens: {seen:?}");
}

#[test]
fn a_marked_part_repeats_exactly_whether_it_fits_the_cache_or_not() {
    let clip = numbered("part.mp4", 200, "25", &format!("{X264} -g 50"));
    for cache_bytes in [usize::MAX / 8, 8 * PICTURE_BYTES, 0] {
        let mut session = Session::with(clip.path(), |options| options.cache_bytes = cache_bytes);
        session.seek(4.44);
        session.player.mark();
        session.seek(2.0);
        session.player.mark();
        let seen = play(&mut session, |_, seen| seen.len() > 200);
        let first = seen.iter().position(|shown| *shown == 51).unwrap();
        let expected: Vec<usize> = (51..=111).chain((50..=111).cycle().take(200)).take(seen.len() - first).collect();
        assert_eq!(seen[first..], expected, "with {cache_bytes} bytes of cache");
        assert_eq!(session.player.counts().dropped, 0);
    }
}

#[test]
fn a_loop_plays_every_frame_and_begins_again() {
    let clip = numbered("loop.mkv", 40, "25", &format!("{X264} -g 12"));
    let mut session = Session::with(clip.path(), |options| options.looped = true);
    let seen = play(&mut session, |_, seen| seen.len() == 100);
    let expected: Vec<usize> = (1..40).chain((0..40).cycle()).take(100).collect();
    assert_eq!(seen, expected);
    assert!(!session.player.toggle_loop());
    play_on_to_the_end(&mut session);
}

fn play_on_to_the_end(session: &mut Session) {
    session.player.toggle_pause(Instant::now());
    let seen = play(session, |session, _| session.player.has_ended());
    assert_eq!(seen.last(), Some(&39));
}

#[test]
fn sixteen_times_the_speed_ends_on_time() {
    let clip = numbered("fast.mp4", 3000, "30", &format!("{X264} -g 60"));
    let mut session = Session::paused(clip.path());
    let start = Instant::now();
    session.player.set_speed(16.0, start);
    session.player.toggle_pause(start);
    let mut shown = 0;
    while !session.player.has_ended() {
        shown += u64::from(session.tick(Instant::now()).is_some());
        let media_secs = start.elapsed().as_secs_f64() * 16.0;
        assert!(media_secs < 160.0, "100 s of video are over after 6.25 s, not {:?}", start.elapsed());
        session.wait(Duration::from_millis(4));
    }
    assert!(start.elapsed() > Duration::from_millis(6200), "{:?}", start.elapsed());
    let counts = session.player.counts();
    assert_eq!((counts.shown, counts.damaged), (shown + 1, 0));
    assert_eq!(counts.shown + counts.dropped, 3000, "every frame was shown or counted as dropped");
}

/// Plays while each new frame takes `cost` of the session's time, like a decoder that cannot keep up. Returns the
/// numbers of the frames shown, and the largest delay in seconds.
fn play_late(session: &mut Session, cost: Duration) -> (Vec<usize>, f64) {
    let start = Instant::now();
    session.player.toggle_pause(start);
    let (mut time, mut seen, mut most) = (Duration::ZERO, Vec::new(), 0.0_f64);
    while !session.player.has_ended() {
        assert!(start.elapsed() < Duration::from_secs(60), "{seen:?}");
        if session.player.wants_frames(start + time) {
            // Waits for a frame. The real waiting time does not count, only `cost`.
            session.wait(Duration::from_millis(200));
            time += cost;
        } else {
            time += Duration::from_millis(5);
        }
        if let Some(frame) = session.tick(start + time) {
            seen.push(number(&frame.picture));
            most = most.max(time.as_secs_f64() - frame.time_secs);
        }
    }
    (seen, most)
}

#[test]
fn a_decoder_that_is_too_slow_leaves_frames_out_and_they_are_counted() {
    let clip = numbered("slow.mkv", 600, "25", &format!("{X264} -g 75"));
    let mut session = Session::paused(clip.path());
    let (seen, late) = play_late(&mut session, Duration::from_millis(60));
    assert!(seen.windows(2).all(|two| two[0] < two[1]), "{seen:?}");
    assert_eq!(seen.last(), Some(&599));
    assert!(late < 2.0, "{late} s late");
    let counts = session.player.counts();
    assert!(counts.dropped > 50, "{counts:?}: the clock did not wait");
    assert_eq!(counts.shown as usize, seen.len() + 1);
    let begin = Instant::now();
    while session.media.frame_index().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(30), "no list of the frames");
        session.wait(Duration::from_millis(5));
    }
    session.tick(Instant::now());
    let counts = session.player.counts();
    assert_eq!(counts.shown + counts.dropped, 600, "{counts:?}");
    // Skipped frames are decoded when they are needed later.
    for (secs, expected) in [(20.0, 500), (10.04, 251), (10.08, 252), (3.0, 75)] {
        assert_eq!(number(&session.seek(secs).picture), expected);
        assert_eq!(number(&session.step(false).picture), expected - 1);
        assert_eq!(number(&session.step(true).picture), expected);
    }
}

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::color::Colorimetry;
use crate::frame::{Orientation, OwnedPlanes, Picture, Ratio};
use crate::layout::PixelLayout;
use crate::playback::Tick;

const FRAME_SECS: f64 = 0.04;

fn frame(serial: u64, index: u64) -> Frame {
    let layout = PixelLayout::gray(8);
    let planes = Arc::new(OwnedPlanes { planes: vec![(vec![0], 1)] });
    let color = Colorimetry::resolve(&layout, (1, 1), None, None, false);
    Frame {
        picture: Picture::new(layout, (1, 1), color, planes).unwrap(),
        pts_ticks: index as i64,
        time_base: Ratio { num: 1, den: 25 },
        time_secs: index as f64 * FRAME_SECS,
        duration_secs: FRAME_SECS,
        index: Some(index),
        serial,
        sample_aspect: Ratio::ONE,
        orientation: Orientation::default(),
        key: index == 0,
        damaged: false,
        picture_type: None,
        source: Arc::default(),
    }
}

fn options(duration_secs: Option<f64>, looped: bool) -> PlayerOptions {
    PlayerOptions { duration_secs, looped, ..PlayerOptions::default() }
}

/// A player that has shown frame 0 and has frames 1 to 5 waiting.
fn playing(start: Instant) -> Player {
    let mut player = Player::new(options(Some(10.0), false));
    (0..6).for_each(|i| player.push(frame(0, i)));
    assert_eq!(shown(&player.tick(start)), Some(0));
    player
}

fn shown(tick: &Tick) -> Option<u64> {
    tick.show.as_ref().and_then(|f| f.index)
}

fn after(start: Instant, secs: f64) -> Instant {
    start + Duration::from_secs_f64(secs)
}

#[test]
fn frames_come_when_they_are_due_and_not_before() {
    let start = Instant::now();
    let mut player = playing(start);
    let early = player.tick(after(start, 0.03));
    assert_eq!(shown(&early), None);
    assert!(early.wake_at.unwrap() <= after(start, 0.0401) && early.wake_at.unwrap() >= after(start, 0.0399));
    assert_eq!(shown(&player.tick(after(start, 0.04))), Some(1));
    assert_eq!(shown(&player.tick(after(start, 0.0401))), None);
    assert_eq!(player.counts(), Counts { shown: 2, dropped: 0, damaged: 0 });
}

#[test]
fn late_frames_are_dropped_not_queued() {
    let start = Instant::now();
    let mut player = playing(start);
    assert_eq!(shown(&player.tick(after(start, 0.17))), Some(4));
    assert_eq!(player.counts(), Counts { shown: 2, dropped: 3, damaged: 0 });
}

#[test]
fn variable_rates_keep_their_timing() {
    let start = Instant::now();
    let mut player = Player::new(options(None, false));
    for (index, time_secs) in [(0, 0.0), (1, 0.5), (2, 0.51), (3, 3.0)] {
        player.push(Frame { time_secs, ..frame(0, index) });
    }
    player.tick(start);
    assert_eq!(shown(&player.tick(after(start, 0.499))), None);
    assert_eq!(shown(&player.tick(after(start, 0.5))), Some(1));
    assert_eq!(shown(&player.tick(after(start, 0.51))), Some(2));
    assert_eq!(shown(&player.tick(after(start, 2.99))), None);
    assert_eq!(shown(&player.tick(after(start, 3.0))), Some(3));
}

#[test]
fn nothing_is_due_while_paused_and_time_goes_on_from_the_frame_shown() {
    let start = Instant::now();
    let mut player = playing(start);
    assert_eq!(player.toggle_pause(after(start, 0.01)), None);
    let tick = player.tick(after(start, 5.0));
    assert!(tick.show.is_none() && tick.wake_at.is_none(), "paused and untouched means no wake-ups");
    player.toggle_pause(after(start, 60.0));
    assert_eq!(shown(&player.tick(after(start, 60.03))), None);
    assert_eq!(shown(&player.tick(after(start, 60.04))), Some(1));
    assert_eq!(player.counts().dropped, 0);
}

#[test]
fn a_seek_shows_its_first_frame_at_once_and_nothing_older() {
    let start = Instant::now();
    let mut player = playing(start);
    let request = player.seek_to(4.0, true).unwrap();
    assert_eq!(request, SeekRequest { serial: 1, target: Target::Exact(4.0) });
    player.push(frame(0, 6));
    assert_eq!(shown(&player.tick(after(start, 1.0))), None, "the old picture stays");
    player.push(frame(1, 100));
    player.push(frame(1, 101));
    assert_eq!(shown(&player.tick(after(start, 1.0))), Some(100));
    assert_eq!(shown(&player.tick(after(start, 1.04))), Some(101), "and the clock goes on from there");
}

#[test]
fn seeks_merge_while_one_is_under_way() {
    let start = Instant::now();
    let mut player = playing(start);
    assert_eq!(player.seek_by(5.0, false).unwrap().target, Target::Keyframe(5.0));
    assert_eq!(player.seek_by(1.0, false), None);
    assert_eq!(player.seek_by(1.0, true), None);
    player.push(frame(1, 120));
    let tick = player.tick(after(start, 0.2));
    assert_eq!(shown(&tick), Some(120), "a picture is shown before the next seek");
    assert_eq!(tick.seek, Some(SeekRequest { serial: 2, target: Target::Exact(7.0) }));
}

#[test]
fn seeks_stay_inside_the_video() {
    let mut player = playing(Instant::now());
    player.seek_to(5.0, true);
    player.push(frame(1, 125));
    player.tick(Instant::now());
    assert_eq!(player.seek_by(-50.0, true).unwrap().target, Target::Exact(0.0));
    let mut player = playing(Instant::now());
    assert_eq!(player.seek_by(500.0, true).unwrap().target, Target::Last { secs: 10.0 });
}

#[test]
fn steps_pause_and_go_one_frame() {
    let start = Instant::now();
    let mut player = playing(start);
    assert_eq!(player.step(true, start), None);
    assert!(player.is_paused());
    assert_eq!(shown(&player.tick(start)), Some(1));
    assert_eq!(shown(&player.tick(after(start, 3.0))), None);
    player.step(true, start);
    player.step(true, start);
    assert_eq!(shown(&player.tick(start)), Some(2));
    assert_eq!(shown(&player.tick(start)), Some(3));
    assert_eq!(player.step(false, start), None, "the frame before is still here");
    assert_eq!(player.step(false, start), None);
    assert_eq!(shown(&player.tick(start)), Some(2));
    assert_eq!(shown(&player.tick(start)), Some(1));
    player.step(true, start);
    assert_eq!(shown(&player.tick(start)), Some(2));
}

#[test]
fn the_last_frame_stays_for_its_time_and_then_the_player_waits() {
    let start = Instant::now();
    let mut player = playing(start);
    player.end_of_stream(0);
    assert_eq!(shown(&player.tick(after(start, 0.2))), Some(5));
    assert!(!player.has_ended());
    let tick = player.tick(after(start, 0.21));
    assert!(tick.wake_at.is_some() && !player.has_ended());
    let tick = player.tick(after(start, 0.241));
    assert!(player.has_ended() && tick.wake_at.is_none());
    assert_eq!(player.toggle_pause(after(start, 9.0)), None, "the first frame is still here");
    assert_eq!(shown(&player.tick(after(start, 9.1))), Some(0));
    assert!(!player.has_ended() && !player.is_paused());
}

#[test]
fn a_loop_starts_again_by_itself() {
    let start = Instant::now();
    let mut player = Player::new(options(Some(0.08), true));
    player.push(frame(0, 0));
    player.push(frame(0, 1));
    player.end_of_stream(0);
    player.tick(start);
    player.tick(after(start, 0.041));
    player.cache.trim_behind(0);
    assert_eq!(player.tick(after(start, 0.081)).seek, Some(SeekRequest { serial: 1, target: Target::Exact(0.0) }));
}

#[test]
fn a_seek_that_finds_no_frame_ends_and_can_be_left_again() {
    let start = Instant::now();
    let mut player = playing(start);
    player.seek_to(9.9, true);
    player.end_of_stream(1);
    assert!(player.tick(start).show.is_none());
    assert!(player.has_ended());
    assert!(player.seek_to(0.0, true).is_some());
}

#[test]
fn the_clock_waits_for_a_decoder_that_cannot_keep_up() {
    let start = Instant::now();
    let mut player = playing(start);
    player.tick(after(start, 0.2));
    player.push(frame(0, 6));
    assert_eq!(shown(&player.tick(after(start, 3.0))), Some(6));
    player.push(frame(0, 7));
    assert_eq!(shown(&player.tick(after(start, 3.01))), None, "frame 7 is due 0.04 s after frame 6");
    assert_eq!(shown(&player.tick(after(start, 3.04))), Some(7));
}

#[test]
fn frames_are_taken_until_one_waits_that_is_not_due() {
    let start = Instant::now();
    let mut player = Player::new(options(None, false));
    assert!(player.wants_frames(start));
    player.push(frame(0, 0));
    player.push(frame(0, 1));
    assert!(!player.wants_frames(start));
    player.tick(start);
    player.push(frame(0, 2));
    assert!(!player.wants_frames(after(start, 0.07)));
    assert!(player.wants_frames(after(start, 0.08)), "all that wait are due; a later one may be, too");
}

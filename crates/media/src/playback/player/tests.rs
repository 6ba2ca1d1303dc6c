//! Tests of the player with synthetic frames and a simulated clock.

mod drag;
mod late;
mod live;
mod model;
mod pacing;
mod seeking;
mod stepping;

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::Seek;
use crate::SeekTarget;
use crate::playback::{SeekGoal, StepEnd, Tick};
use histoscope_core::picture::FrameFacts;
use histoscope_core::test_data;

const FRAME_SECS: f64 = 0.04;

fn frame(serial: u64, index: u64) -> Frame {
    let made = test_data::gray((1, 1), |_, _| 0);
    let facts = FrameFacts {
        pts_ticks: index as i64,
        time_secs: index as f64 * FRAME_SECS,
        duration_secs: FRAME_SECS,
        index: Some(index),
        key: index == 0,
        ..made.facts
    };
    Frame { facts, serial, ..made }
}

fn options(duration_secs: Option<f64>, looped: bool) -> PlayerOptions {
    PlayerOptions { duration_secs, looped, ..PlayerOptions::default() }
}

/// Returns a player that has shown frame 0 and has frames 1 to 5 waiting.
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

/// Returns a paused player that shows frame 100 of serial 1, as after a seek, with the two frames before it cached.
fn sought(start: Instant, cache_frames: usize) -> Player {
    let mut player =
        Player::new(PlayerOptions { paused: true, cache_bytes: cache_frames, ..options(Some(10.0), false) });
    player.push(frame(0, 0));
    player.tick(start);
    assert!(player.seek_to(4.0).is_some());
    player.push(frame(1, 100));
    player.keep(1, 100, vec![frame(1, 98), frame(1, 99)]);
    player.push(frame(1, 101));
    assert_eq!(shown(&player.tick(start)), Some(100), "what was decoded on the way is not taken for the target");
    player
}

/// Steps back once. Returns the frame shown and the request made.
fn back(player: &mut Player, now: Instant) -> (Option<u64>, Option<SeekRequest>) {
    let asked = player.step(false, now);
    let tick = player.tick(now);
    (shown(&tick), asked.or(tick.seek))
}

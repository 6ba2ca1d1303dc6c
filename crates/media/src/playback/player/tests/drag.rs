//! Tests of dragging backwards through a long group of frames, with a slow decoder.

use super::*;

/// Number of frames in a long group: to reach a frame, those before it in the group have to be decoded.
const LONG: u64 = 600;
/// Number of frames decoded between two repeats of a key.
const SPEED: u64 = 10;

/// A decoder of one-byte frames that handles one request at a time; a later request ends the one before it.
struct Decoder {
    /// Number of frames in a group.
    group: u64,
    /// The request, and the number of frames still to be decoded for it.
    asked: Option<(SeekRequest, u64)>,
}

impl Decoder {
    fn obey(&mut self, request: Option<SeekRequest>) {
        let Some(request) = request else { return };
        let position = match request.seek {
            Seek::Exact(SeekTarget::Time(secs)) => (secs / FRAME_SECS + 1e-3) as u64,
            Seek::Back { target: SeekTarget::Time(secs), .. } => (secs / FRAME_SECS + 1e-3) as u64,
            Seek::Back { target: SeekTarget::Before(ticks), .. } => ticks as u64 - 1,
            // The frame that can be reached between two repeats.
            Seek::Near(secs) => ((secs / FRAME_SECS + 1e-3) as u64 % self.group).min(SPEED),
            other => panic!("{other:?} is nothing to ask for now"),
        };
        self.asked = Some((request, position % self.group + 1));
    }

    /// Decodes for the time between two repeats.
    fn work(&mut self, player: &mut Player) {
        let Some((request, left)) = &mut self.asked else { return };
        *left = left.saturating_sub(SPEED);
        if *left > 0 {
            return;
        }
        let SeekRequest { serial, seek } = *request;
        self.asked = None;
        match seek {
            Seek::Back { target: SeekTarget::Before(ticks), budget: bytes } => {
                let group = (ticks as u64 - 1) / self.group * self.group;
                let first = group.max((ticks as u64).saturating_sub(bytes as u64));
                player.keep(serial, ticks, (first..ticks as u64).map(|index| frame(serial, index)).collect());
            }
            Seek::Back { target: SeekTarget::Time(secs), budget: bytes } => {
                let wanted = (secs / FRAME_SECS + 1e-3) as u64;
                let first = (wanted / self.group * self.group).max((wanted + 1).saturating_sub(bytes as u64));
                player.keep(serial, i64::MAX, (first..=wanted).map(|index| frame(serial, index)).collect());
            }
            Seek::Near(secs) => {
                let wanted = (secs / FRAME_SECS + 1e-3) as u64;
                player.push(frame(serial, wanted.min(wanted / self.group * self.group + SPEED)));
            }
            Seek::Exact(SeekTarget::Time(secs)) => player.push(frame(serial, (secs / FRAME_SECS + 1e-3) as u64)),
            other => panic!("{other:?}"),
        }
    }
}

/// Drags back from frame `from` by `by` frames per repeat, in groups of `group` frames. Returns the mean number of new
/// pictures per repeat, and their mean distance from the position of the drag, in seconds.
fn drag_back(from: u64, by: u64, group: u64, cache_frames: usize) -> (f64, f64) {
    let start = Instant::now();
    let mut player = Player::new(PlayerOptions { paused: true, cache_bytes: cache_frames, ..options(None, false) });
    let mut decoder = Decoder { group, asked: None };
    player.push(frame(0, 0));
    player.tick(start);
    decoder.obey(player.seek_to(from as f64 * FRAME_SECS));
    while decoder.asked.is_some() {
        decoder.work(&mut player);
    }
    player.tick(start);
    let (mut repeats, mut pictures, mut away) = (0, 0, 0.0);
    for at in (1..from).rev().step_by(by as usize) {
        let now = after(start, repeats as f64 / 30.0);
        decoder.obey(player.scrub_to(at as f64 * FRAME_SECS, now));
        decoder.work(&mut player);
        let mut changed = false;
        for _ in 0..3 {
            let tick = player.tick(now);
            changed |= tick.show.is_some();
            decoder.obey(tick.seek);
        }
        repeats += 1;
        pictures += u32::from(changed);
        away += (player.position_secs() - at as f64 * FRAME_SECS).abs();
    }
    (f64::from(pictures) / f64::from(repeats), away / f64::from(repeats))
}

#[test]
fn a_target_that_stands_still_gets_its_exact_frame() {
    let start = Instant::now();
    let mut player = Player::new(PlayerOptions { paused: true, ..options(None, false) });
    let mut decoder = Decoder { group: LONG, asked: None };
    player.push(frame(0, 0));
    player.tick(start);
    let to = 500;
    decoder.obey(player.scrub_to(to as f64 * FRAME_SECS, start));
    // The time to decode up to the frame, 0.1 s to notice that the target rests, and the quick picture before.
    let (mut repeats, most) = (0, to / SPEED + 8);
    let is_there = |player: &Player| (player.position_secs() - to as f64 * FRAME_SECS).abs() < 1e-6;
    while !is_there(&player) {
        assert!(repeats < most, "after {repeats} repeats {:.3} s is on screen", player.position_secs());
        decoder.work(&mut player);
        let tick = player.tick(after(start, repeats as f64 / 30.0));
        decoder.obey(tick.seek);
        repeats += 1;
    }
    // Afterwards it rests: nothing more is requested, and letting go leads nowhere else.
    let later = after(start, 60.0);
    assert!(player.tick(later).seek.is_none() && decoder.asked.is_none());
    assert!(player.settle(later).is_none() && is_there(&player));
}

#[test]
fn slow_drags_back_show_nearly_every_frame() {
    // Full HD frames in half a gibibyte.
    for from in [1700, 1190, 900] {
        let (each, away) = drag_back(from, 1, LONG, 165);
        assert!(each > 0.9, "{each:.2} pictures a repeat from {from}");
        assert!(away < 0.2, "{away:.2} s away in the mean from {from}");
    }
}

#[test]
fn fast_drags_show_quickly_decoded_pictures() {
    for (by, cache_frames) in [(3, 165), (1, 41)] {
        for from in [1700, 1190, 900] {
            let (each, _) = drag_back(from, by, LONG, cache_frames);
            assert!(each > 0.35, "{by} frames a repeat from {from} with {cache_frames}: {each:.2} pictures");
        }
    }
}

#[test]
fn fast_drag_through_short_groups_does_not_wait_for_passed_frames() {
    for from in [1700, 1190, 900] {
        // 0.6 s per repeat, with keyframes 2.4 s apart.
        let (each, away) = drag_back(from, 15, 60, 165);
        assert!(each > 0.45, "{each:.2} pictures a repeat from {from}");
        assert!(away < 2.5, "{away:.2} s away in the mean from {from}");
    }
}

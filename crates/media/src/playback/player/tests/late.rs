//! Tests of a decoder that cannot keep up: the clock keeps running, and frames are left out and counted.

use super::*;
use crate::FrameIndex;

/// The first draw compiles shaders, which may take a second. Nobody has seen anything yet, so nothing is late.
#[test]
fn a_slow_first_draw_drops_no_frame() {
    let start = Instant::now();
    let mut player = playing(start);
    player.note_drawn(after(start, 1.0));
    assert_eq!(shown(&player.tick(after(start, 1.0))), None, "the first frame has its time");
    assert_eq!(shown(&player.tick(after(start, 1.041))), Some(1));
    // Later draws do not hold up the clock.
    player.note_drawn(after(start, 1.2));
    assert_eq!(shown(&player.tick(after(start, 1.2))), Some(5));
    assert_eq!(player.counts().dropped, 3);
}

/// A decoder that takes 80 ms for each frame of 40 ms, and can leave out two of three frames.
struct SlowDecoder {
    serial: u64,
    next: u64,
    ready_at: f64,
    sparse_until: f64,
}

impl SlowDecoder {
    fn obey(&mut self, request: Option<SeekRequest>) {
        let Some(SeekRequest { serial, seek }) = request else { return };
        self.serial = serial;
        match seek {
            Seek::Towards(secs) => self.sparse_until = secs,
            Seek::Exact(SeekTarget::Timestamp(ticks)) => self.next = ticks as u64,
            other => panic!("{other:?} is nothing to ask for now"),
        }
    }

    /// Returns the frame that is ready by `time`, if there is one.
    fn frame(&mut self, time: f64) -> Option<Frame> {
        if time < self.ready_at {
            return None;
        }
        let frame = frame(self.serial, self.next);
        self.ready_at = time + 0.08;
        self.next += if (self.next as f64) * FRAME_SECS < self.sparse_until { 3 } else { 1 };
        Some(frame)
    }
}

/// Plays with such a decoder for some seconds. Returns the frames shown. `numbered` states whether frames have numbers.
fn play_late(player: &mut Player, decoder: &mut SlowDecoder, start: Instant, secs: f64, numbered: bool) -> Vec<u64> {
    let mut seen = Vec::new();
    for step in 0..(secs * 100.0) as u32 {
        let time = f64::from(step) / 100.0;
        if player.wants_frames(after(start, time))
            && let Some(frame) = decoder.frame(time)
        {
            player.push(if numbered { frame } else { unnumbered(frame) });
        }
        let tick = player.tick(after(start, time));
        seen.extend(tick.show.map(|frame| frame.pts_ticks as u64));
        decoder.obey(tick.seek);
        let behind = time - player.position_secs();
        assert!(behind < 1.0, "{behind} s behind after {time} s");
    }
    seen
}

fn slow() -> (Player, SlowDecoder) {
    let decoder = SlowDecoder { serial: 0, next: 0, ready_at: 0.0, sparse_until: 0.0 };
    (Player::new(options(Some(1000.0), false)), decoder)
}

#[test]
fn slow_playback_keeps_real_time_and_counts_left_out_frames() {
    let start = Instant::now();
    let (mut player, mut decoder) = slow();
    let seen = play_late(&mut player, &mut decoder, start, 20.0, true);
    assert!(seen.windows(2).all(|two| two[0] < two[1]), "{seen:?}");
    assert!(seen.len() > 150, "pictures go on coming: {}", seen.len());
    let counts = player.counts();
    assert!(counts.dropped > 100, "{counts:?}");
    assert_eq!(counts.shown + counts.dropped, player.frame_index().unwrap() + 1);
}

#[test]
fn estimated_counts_are_corrected_once_the_numbers_are_known() {
    let start = Instant::now();
    let (mut player, mut decoder) = slow();
    play_late(&mut player, &mut decoder, start, 5.0, false);
    let guessed = player.counts();
    assert!(guessed.dropped > 20, "{guessed:?}");
    assert_eq!(player.frame_index(), None);
    let all = (0..1000).collect();
    player.set_frame_index(Some(Arc::new(FrameIndex { pts: all, keys: Vec::new() })));
    let counts = player.counts();
    assert_eq!(counts.shown + counts.dropped, player.frame_index().unwrap() + 1);
    assert_eq!(counts, guessed, "the rate was right here");
}

/// Returns the frame without its number.
fn unnumbered(mut frame: Frame) -> Frame {
    frame.facts.index = None;
    frame
}

#[test]
fn wrong_estimate_is_corrected() {
    let start = Instant::now();
    let mut player = playing(start);
    player.tick(after(start, 0.2));
    player.push(unnumbered(frame(0, 6)));
    let hurry = player.tick(after(start, 0.9)).seek.expect("a hurry");
    assert!(matches!(hurry.seek, Seek::Towards(secs) if secs > 0.9), "{hurry:?}");
    player.push(unnumbered(frame(1, 20)));
    player.tick(after(start, 0.91));
    assert_eq!(player.counts().dropped, 4 + 13, "by the rate: 7 to 19");
    // There are only two frames in between.
    let pts = (0..=6).chain([10, 15]).chain(20..40).collect();
    player.set_frame_index(Some(Arc::new(FrameIndex { pts, keys: Vec::new() })));
    assert_eq!(player.counts().dropped, 4 + 2);
    assert_eq!(player.frame_index(), Some(9));
}

#[test]
fn a_pause_in_a_hurry_leaves_no_frame_out() {
    let start = Instant::now();
    let mut player = playing(start);
    player.tick(after(start, 0.2));
    player.push(frame(0, 6));
    assert!(player.tick(after(start, 0.9)).seek.is_some());
    player.push(frame(1, 9));
    player.push(frame(1, 12));
    assert_eq!(shown(&player.tick(after(start, 0.91))), Some(12));
    player.push(frame(1, 15));
    player.step(true, after(start, 0.92));
    let tick = player.tick(after(start, 0.92));
    assert_eq!(shown(&tick), None, "frame 15 does not come next");
    assert_eq!(tick.seek, Some(SeekRequest { serial: 2, seek: Seek::Exact(SeekTarget::Timestamp(12)) }));
    player.push(frame(2, 12));
    player.push(frame(2, 13));
    assert_eq!(shown(&player.tick(after(start, 0.93))), Some(13));
    // On the way back, frames that were left out are not skipped either.
    let (shown, request) = back(&mut player, start);
    assert_eq!(shown, Some(12));
    assert!(
        matches!(request.map(|request| request.seek), Some(Seek::Back { target: SeekTarget::Before(12), .. })),
        "{request:?}"
    );
}

#[test]
fn seek_into_a_gap_is_sent_to_the_decoder() {
    let start = Instant::now();
    let mut player = playing(start);
    player.tick(after(start, 0.2));
    player.push(frame(0, 6));
    assert!(player.tick(after(start, 0.9)).seek.is_some());
    player.push(frame(1, 20));
    player.push(frame(1, 30));
    player.tick(after(start, 0.91));
    assert_eq!(player.seek_to(1.0).map(|request| request.seek), Some(Seek::to(1.0)));
}

#[test]
fn first_gap_is_a_stall_and_later_ones_a_slow_decoder() {
    let start = Instant::now();
    let mut player = playing(start);
    player.tick(after(start, 0.2));
    player.push(frame(0, 6));
    assert!(player.tick(after(start, 3.0)).seek.is_none(), "the clock has waited");
    player.push(frame(0, 7));
    let request = player.tick(after(start, 6.0)).seek.expect("a hurry");
    assert!(matches!(request.seek, Seek::Towards(secs) if secs > 3.2), "{request:?}");
}

#[test]
fn clock_waits_for_a_source_that_cannot_seek() {
    let start = Instant::now();
    let mut player = Player::new(PlayerOptions { seekable: false, ..options(None, false) });
    player.push(frame(0, 0));
    player.tick(start);
    for index in 1..40 {
        player.push(frame(0, index));
        let tick = player.tick(after(start, index as f64 * 0.08));
        assert_eq!((shown(&tick), tick.seek), (Some(index), None));
    }
    assert!(player.clock.at(after(start, 40.0 * 0.08)) < 3.0, "slow motion");
}

#[test]
fn player_wakes_up_to_notice_a_missing_frame() {
    let start = Instant::now();
    let mut player = playing(start);
    let tick = player.tick(after(start, 0.2));
    assert_eq!(shown(&tick), Some(5));
    let wake_at = tick.wake_at.expect("a time at which the next frame is missed");
    assert!(wake_at >= after(start, 0.2399) && wake_at <= after(start, 0.2401));
    let told_at = player.tick(wake_at).wake_at.expect("a time to say so");
    assert!(player.tick(told_at).wake_at.is_none() && player.is_buffering(told_at));
}

#[test]
fn sparse_frames_that_arrive_after_a_pause_are_not_adjacent() {
    let start = Instant::now();
    let mut player = playing(start);
    player.tick(after(start, 0.2));
    player.push(frame(0, 6));
    assert!(player.tick(after(start, 0.9)).seek.is_some());
    player.push(frame(1, 12));
    assert_eq!(shown(&player.tick(after(start, 0.91))), Some(12));
    player.toggle_pause(after(start, 0.92));
    assert!(!player.wants_frames(after(start, 0.92)), "or the decoder would go on to the end for nobody");
    // The decoder had this frame ready, but has no more.
    player.push(frame(1, 15));
    player.end_of_stream(1);
    player.step(true, after(start, 0.93));
    let tick = player.tick(after(start, 0.93));
    assert_eq!(shown(&tick), None, "frame 15 does not come next");
    assert_eq!(tick.seek, Some(SeekRequest { serial: 2, seek: Seek::Exact(SeekTarget::Timestamp(12)) }));
}

#[test]
fn second_stall_is_waited_for_if_frames_were_on_time_in_between() {
    let start = Instant::now();
    let mut player = playing(start);
    player.tick(after(start, 0.2));
    player.push(frame(0, 6));
    assert_eq!(player.tick(after(start, 3.0)).seek, None, "the clock has waited");
    for index in 7..30 {
        player.push(frame(0, index));
        player.tick(after(start, 3.0 + (index - 6) as f64 * FRAME_SECS));
    }
    player.push(frame(0, 30));
    let tick = player.tick(after(start, 9.0));
    assert_eq!((shown(&tick), tick.seek), (Some(30), None), "and waits again");
}

#[test]
fn frames_decoded_during_a_jump_are_not_adjacent_to_the_previous_one() {
    let start = Instant::now();
    let mut player = playing(start);
    player.set_speed(8.0, start);
    let request = player.tick(after(start, 0.15)).seek.expect("a jump");
    player.push(frame(request.serial, 50));
    player.keep(request.serial, 50, vec![frame(request.serial, 49)]);
    player.push(frame(request.serial, 51));
    assert_eq!(shown(&player.tick(after(start, 0.251))), Some(50));
    let (shown, request) = back(&mut player, after(start, 0.252));
    assert_eq!(shown, None, "frame 5 does not come before frame 50");
    assert!(request.is_some());
}

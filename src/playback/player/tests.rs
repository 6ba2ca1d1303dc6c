use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::color::Colorimetry;
use crate::frame::{Orientation, OwnedPlanes, Picture, Ratio};
use crate::layout::PixelLayout;
use crate::playback::{Marks, Tick};

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

/// A paused player that shows frame 100 of serial 1, as after a seek, with the two frames before it kept.
fn sought(start: Instant, cache_frames: usize) -> Player {
    let mut player =
        Player::new(PlayerOptions { paused: true, cache_bytes: cache_frames, ..options(Some(10.0), false) });
    player.push(frame(0, 0));
    player.tick(start);
    assert!(player.seek_to(4.0, true).is_some());
    player.push(frame(1, 100));
    player.keep(1, 100, vec![frame(1, 98), frame(1, 99)]);
    player.push(frame(1, 101));
    assert_eq!(shown(&player.tick(start)), Some(100), "what was decoded on the way is not taken for the target");
    player
}

/// Steps back once and gives what is shown and asked for.
fn back(player: &mut Player, now: Instant) -> (Option<u64>, Option<SeekRequest>) {
    let asked = player.step(false, now);
    let tick = player.tick(now);
    (shown(&tick), asked.or(tick.seek))
}

#[test]
fn steps_back_come_from_what_was_decoded_on_the_way_and_more_is_fetched_meanwhile() {
    let start = Instant::now();
    let mut player = sought(start, 60);
    let earlier = SeekRequest { serial: 2, target: Target::Earlier { ticks: 98, bytes: 30 } };
    assert_eq!(back(&mut player, start), (Some(99), Some(earlier)));
    assert_eq!(back(&mut player, start), (Some(98), None), "one request is enough");
    assert_eq!(back(&mut player, start), (None, None), "the next frame is on its way");
    assert!(player.is_busy() && player.wants_frames(start));
    player.push(frame(1, 102));
    player.keep(1, 98, vec![frame(1, 97)]);
    assert_eq!(shown(&player.tick(start)), None, "an older request's frames are no answer");
    player.keep(2, 98, (68..98).map(|i| frame(2, i)).collect());
    assert_eq!(shown(&player.tick(start)), Some(97));
    for index in (78..97).rev() {
        assert_eq!(back(&mut player, start), (Some(index), None));
    }
    // The last of them are not waited for.
    let (shown, request) = back(&mut player, start);
    assert_eq!((shown, request.map(|r| r.target)), (Some(77), Some(Target::Earlier { ticks: 68, bytes: 30 })));
}

#[test]
fn the_cache_keeps_to_its_budget_and_the_frame_on_screen() {
    let start = Instant::now();
    let mut player = sought(start, 12);
    back(&mut player, start);
    back(&mut player, start);
    player.keep(2, 98, (50..98).map(|i| frame(2, i)).collect());
    assert!(player.cache.bytes() <= 12, "{}", player.cache.bytes());
    assert_eq!(back(&mut player, start).0, Some(97), "the frames next to the one on screen are kept");
    let mut player = playing(start);
    player.options.cache_bytes = 8;
    for index in 6..100 {
        player.push(frame(0, index));
        player.tick(after(start, index as f64 * FRAME_SECS));
        assert!(player.cache.bytes() <= 5, "while playing a quarter is enough: {}", player.cache.bytes());
    }
}

#[test]
fn without_a_cache_each_step_back_is_a_seek() {
    let start = Instant::now();
    let mut player = sought(start, 0);
    player.cache.trim_behind(0);
    let (none, request) = back(&mut player, start);
    let target = Target::Before { ticks: 100, secs: 100.0 * FRAME_SECS };
    assert_eq!((none, request), (None, Some(SeekRequest { serial: 2, target })));
    assert_eq!(player.step(false, start), None, "the second step waits for the first");
    player.push(frame(2, 99));
    let tick = player.tick(start);
    assert_eq!(shown(&tick), Some(99));
    let target = Target::Before { ticks: 99, secs: 99.0 * FRAME_SECS };
    assert_eq!(player.tick(start).seek, Some(SeekRequest { serial: 3, target }));
}

#[test]
fn stepping_on_after_steps_back_shows_every_frame_once() {
    let start = Instant::now();
    let mut player = sought(start, 60);
    back(&mut player, start);
    back(&mut player, start);
    player.keep(2, 98, (80..98).map(|i| frame(2, i)).collect());
    let mut seen = Vec::new();
    let mut request = None;
    for _ in 0..6 {
        player.step(true, start);
        let tick = player.tick(start);
        seen.extend(shown(&tick));
        request = request.or(tick.seek);
    }
    assert_eq!(seen, [99, 100, 101], "then the decoder has to come back");
    assert_eq!(request, Some(SeekRequest { serial: 3, target: Target::Onward { ticks: 101 } }));
    for index in 101..105 {
        player.push(frame(3, index));
        seen.extend(shown(&player.tick(start)));
    }
    assert_eq!(seen, [99, 100, 101, 102, 103, 104]);
    assert!(!player.is_busy());
}

#[test]
fn there_is_nothing_before_the_first_frame() {
    let start = Instant::now();
    let mut player = sought(start, 60);
    back(&mut player, start);
    back(&mut player, start);
    player.keep(2, 98, Vec::new());
    assert_eq!(back(&mut player, start), (None, None));
    assert!(!player.is_busy(), "the step is given up");
    // Where fetching failed, a plain seek is tried instead.
    let mut player = sought(start, 60);
    back(&mut player, start);
    back(&mut player, start);
    player.end_of_stream(2);
    let target = Target::Before { ticks: 98, secs: 98.0 * FRAME_SECS };
    assert_eq!(back(&mut player, start).1, Some(SeekRequest { serial: 3, target }));
}

#[test]
fn a_scrub_shows_what_comes_and_settles_on_the_exact_frame() {
    let start = Instant::now();
    let mut player = playing(start);
    let near = |serial, secs| Some(SeekRequest { serial, target: Target::Near(secs) });
    assert_eq!(player.scrub_by(5.0, start), near(1, 5.0));
    assert_eq!(player.scrub_by(1.0, start), None);
    assert_eq!(player.scrub_by(1.0, start), None, "requests merge while one is under way");
    assert!(player.is_scrubbing());
    assert_eq!(player.destination_secs(), 7.0);
    player.push(frame(0, 7));
    assert_eq!(shown(&player.tick(start)), None, "no frame of an older seek");
    player.push(frame(1, 120));
    let tick = player.tick(after(start, 0.1));
    assert_eq!((shown(&tick), tick.seek), (Some(120), near(2, 7.0)), "a picture before the next request");
    player.push(frame(2, 160));
    let tick = player.tick(after(start, 0.2));
    assert_eq!((shown(&tick), tick.seek), (Some(160), None));
    assert_eq!(player.tick(after(start, 3.0)).seek, None, "once is enough, and time stands");
    let exact = player.settle(after(start, 3.0));
    assert_eq!(exact, Some(SeekRequest { serial: 3, target: Target::Exact(7.0) }));
    assert!(!player.is_scrubbing());
    player.push(frame(3, 175));
    player.push(frame(3, 176));
    assert_eq!(shown(&player.tick(after(start, 3.0))), Some(175));
    assert_eq!(shown(&player.tick(after(start, 3.04))), Some(176), "it had not been paused");
}

#[test]
fn a_scrub_through_kept_frames_needs_no_decoder() {
    let start = Instant::now();
    let mut player = playing(start);
    player.tick(after(start, 0.16));
    assert_eq!(player.scrub_to(0.05, start), None);
    assert_eq!(shown(&player.tick(start)), Some(1));
    assert_eq!(player.scrub_to(0.13, start), None);
    assert_eq!(shown(&player.tick(start)), Some(3));
    assert_eq!(player.settle(start), None, "the exact frame is on screen");
    assert_eq!(shown(&player.tick(after(start, 0.03))), None);
    assert_eq!(shown(&player.tick(after(start, 0.04))), Some(4));
}

#[test]
fn a_scrub_a_little_further_back_fetches_the_frames_between() {
    let start = Instant::now();
    let mut player = sought(start, 60);
    let request = player.scrub_by(-0.4, start).unwrap();
    assert!(matches!(request.target, Target::Earlier { ticks: 98, .. }), "{request:?}");
    assert_eq!(player.scrub_by(-0.04, start), None);
    player.keep(2, 98, (80..98).map(|i| frame(2, i)).collect());
    player.tick(start);
    assert_eq!(shown(&player.tick(start)), Some(89), "4.0 − 0.44 s");
    // Far away they are of no use.
    assert_eq!(player.scrub_to(1.0, start).unwrap().target, Target::Near(1.0));
}

#[test]
fn a_slow_seek_is_given_up_for_a_later_one() {
    let start = Instant::now();
    let mut player = playing(start);
    player.seek_to(5.0, true);
    player.tick(after(start, 0.0));
    assert_eq!(player.seek_to(8.0, true), None);
    let tick = player.tick(after(start, 0.1));
    assert!(tick.seek.is_none() && tick.wake_at.is_some(), "it may yet come");
    let request = player.tick(after(start, 0.3)).seek;
    assert_eq!(request, Some(SeekRequest { serial: 2, target: Target::Exact(8.0) }));
    player.push(frame(1, 125));
    assert_eq!(shown(&player.tick(after(start, 0.3))), None);
    player.push(frame(2, 200));
    assert_eq!(shown(&player.tick(after(start, 0.4))), Some(200));
}

#[test]
fn speed_changes_the_pace_and_not_the_position() {
    let start = Instant::now();
    let mut player = playing(start);
    player.set_speed(0.5, start);
    assert_eq!(shown(&player.tick(after(start, 0.07))), None);
    assert_eq!(shown(&player.tick(after(start, 0.08))), Some(1));
    player.set_speed(2.0, after(start, 0.08));
    assert_eq!(shown(&player.tick(after(start, 0.099))), None);
    assert_eq!(shown(&player.tick(after(start, 0.101))), Some(2));
    player.set_speed(1e9, start);
    assert_eq!(player.speed(), 16.0);
    player.set_speed(0.0, start);
    assert_eq!(player.speed(), 0.0625);
    player.set_speed(f64::NAN, start);
    assert_eq!(player.speed(), 0.0625);
}

#[test]
fn at_sixteen_times_the_speed_frames_are_dropped_and_counted_and_nothing_drifts() {
    let start = Instant::now();
    let mut player = Player::new(options(Some(1000.0), false));
    player.push(frame(0, 0));
    player.tick(start);
    player.set_speed(16.0, start);
    let mut next = 1;
    for tick in 1..=600 {
        let now = after(start, tick as f64 / 60.0);
        while player.wants_frames(now) {
            player.push(frame(0, next));
            next += 1;
        }
        player.tick(now);
        let behind = tick as f64 / 60.0 * 16.0 - player.position_secs();
        assert!((-1e-3..FRAME_SECS + 1e-3).contains(&behind), "{behind} s behind");
    }
    let counts = player.counts();
    assert_eq!(counts.shown, 601);
    assert_eq!(counts.shown + counts.dropped, player.frame_index().unwrap() + 1);
}

#[test]
fn a_decoder_that_cannot_keep_up_jumps_ahead_and_the_clock_goes_on() {
    let start = Instant::now();
    let mut player = playing(start);
    player.set_speed(8.0, start);
    // Frame 5's time is over at 0.24 s: 0.03 s later at that speed.
    let tick = player.tick(after(start, 0.15));
    assert_eq!(shown(&tick), Some(5));
    let request = tick.seek.expect("a jump");
    let Target::Exact(secs) = request.target else { panic!("{request:?}") };
    assert!(secs > 8.0 * 0.15, "to a time that is yet to come: {secs}");
    let index = (secs / FRAME_SECS).floor() as u64;
    assert!(player.tick(after(start, 0.16)).seek.is_none(), "one jump at a time");
    player.push(frame(1, index));
    player.push(frame(1, index + 1));
    let due = (index as f64 * FRAME_SECS) / 8.0;
    assert_eq!(shown(&player.tick(after(start, due - 0.002))), None, "it is shown at its time");
    assert_eq!(shown(&player.tick(after(start, due + 0.001))), Some(index));
    assert_eq!(player.counts().dropped, 4 + index - 6, "1 to 4, and those that were left out");
}

#[test]
fn marks_are_put_in_order_and_cleared() {
    let start = Instant::now();
    let mut player = playing(start);
    player.tick(after(start, 0.12));
    player.mark(start);
    assert_eq!(player.marks(), Marks { a: Some(0.12), b: None });
    player.scrub_to(0.04, start);
    player.tick(start);
    player.mark(start);
    assert_eq!(player.marks(), Marks { a: Some(0.04), b: Some(0.12) });
    player.mark(start);
    assert_eq!(player.marks(), Marks::default());
}

#[test]
fn the_marked_part_is_played_again_and_again_from_its_first_to_its_last_frame() {
    let start = Instant::now();
    let mut player = playing(start);
    let mut time = 0.0;
    let mut play = |player: &mut Player, secs: f64| {
        let mut seen = Vec::new();
        let end = time + secs;
        while time < end {
            time += 0.01;
            let tick = player.tick(after(start, time));
            assert!(tick.seek.is_none(), "all frames of the part are here");
            seen.extend(shown(&tick));
        }
        seen
    };
    play(&mut player, 0.05);
    player.mark(start);
    play(&mut player, 0.08);
    assert_eq!(player.frame_index(), Some(3));
    player.mark(start);
    let seen = play(&mut player, 0.5);
    assert!(seen.starts_with(&[1, 2, 3, 1, 2, 3, 1, 2, 3]), "{seen:?}");
    assert!(seen.iter().all(|index| (1..=3).contains(index)), "{seen:?}");
    // Where the first of them is no longer here, the decoder is sent back.
    player.cache.trim_behind(0);
    let request = (1..20).find_map(|i| player.tick(after(start, 0.7 + f64::from(i) * 0.01)).seek);
    assert_eq!(request, Some(SeekRequest { serial: 1, target: Target::Exact(0.04) }));
}

#[test]
fn a_stream_that_stalls_says_so_and_goes_on_where_it_was() {
    let start = Instant::now();
    let mut player = playing(start);
    (1..=5).for_each(|i| drop(player.tick(after(start, f64::from(i) * FRAME_SECS))));
    let tick = player.tick(after(start, 0.25));
    assert!(!player.is_buffering(after(start, 0.25)));
    assert_eq!(tick.wake_at, Some(after(start, 0.25) + Duration::from_millis(500)), "to say so in time");
    player.tick(after(start, 0.8));
    assert!(player.is_buffering(after(start, 0.8)));
    player.push(frame(0, 6));
    assert_eq!(shown(&player.tick(after(start, 20.0))), Some(6));
    assert!(!player.is_buffering(after(start, 20.0)));
    player.push(frame(0, 7));
    assert_eq!(shown(&player.tick(after(start, 20.04))), Some(7));
    assert_eq!(player.counts().dropped, 0);
}

#[test]
fn a_source_that_only_goes_forward_is_asked_for_nothing_else() {
    let start = Instant::now();
    let mut player = Player::new(PlayerOptions { seekable: false, ..options(None, true) });
    (0..3).for_each(|i| player.push(frame(0, i)));
    player.tick(start);
    player.tick(after(start, 0.09));
    player.cache.trim_behind(0);
    assert!(!player.is_seekable());
    assert_eq!(player.seek_to(0.0, true), None);
    assert_eq!(player.scrub_to(0.0, start), None);
    assert_eq!(player.settle(start), None);
    assert_eq!(back(&mut player, start), (None, None));
    assert!(!player.is_busy());
    assert!(player.seek_to(4.0, true).is_some(), "ahead it may go");
    player.end_of_stream(1);
    player.toggle_pause(start);
    player.tick(start);
    assert!(player.has_ended(), "and at the end there is no way back");
}

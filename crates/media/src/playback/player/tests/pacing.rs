//! Tests of which frame is due, at which speed, and of repeating a part.

use super::*;

#[test]
fn frames_are_shown_when_due_and_not_before() {
    let start = Instant::now();
    let mut player = playing(start);
    let early = player.tick(after(start, 0.03));
    assert_eq!(shown(&early), None);
    assert!(early.wake_at.unwrap() <= after(start, 0.0401) && early.wake_at.unwrap() >= after(start, 0.0399));
    assert_eq!(shown(&player.tick(after(start, 0.04))), Some(1));
    assert_eq!(shown(&player.tick(after(start, 0.0401))), None);
    assert_eq!(player.counts(), PlaybackCounts { shown: 2, dropped: 0, damaged: 0 });
}

#[test]
fn late_frames_are_dropped_not_queued() {
    let start = Instant::now();
    let mut player = playing(start);
    assert_eq!(shown(&player.tick(after(start, 0.17))), Some(4));
    assert_eq!(player.counts(), PlaybackCounts { shown: 2, dropped: 3, damaged: 0 });
}

#[test]
fn variable_rates_keep_their_timing() {
    let start = Instant::now();
    let mut player = Player::new(options(None, false));
    for (index, time_secs) in [(0, 0.0), (1, 0.5), (2, 0.51), (3, 3.0)] {
        let mut frame = frame(0, index);
        frame.facts.time_secs = time_secs;
        player.push(frame);
    }
    player.tick(start);
    assert_eq!(shown(&player.tick(after(start, 0.499))), None);
    assert_eq!(shown(&player.tick(after(start, 0.5))), Some(1));
    assert_eq!(shown(&player.tick(after(start, 0.51))), Some(2));
    assert_eq!(shown(&player.tick(after(start, 2.99))), None);
    assert_eq!(shown(&player.tick(after(start, 3.0))), Some(3));
}

#[test]
fn nothing_is_due_while_paused_and_resuming_continues_from_the_frame_shown() {
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
fn last_frame_stays_for_its_duration_and_playback_ends() {
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
    player.supply.cache.trim_behind(0);
    assert_eq!(player.tick(after(start, 0.081)).seek, Some(SeekRequest { serial: 1, seek: Seek::to(0.0) }));
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
fn frames_are_taken_until_one_is_not_yet_due() {
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
fn frames_are_dropped_and_counted_at_16x_speed_without_drift() {
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
fn slow_decoder_jumps_ahead_while_the_clock_keeps_running() {
    let start = Instant::now();
    let mut player = playing(start);
    player.set_speed(8.0, start);
    // Frame 5 ends at 0.24 s of media time, which is after 0.03 s at that speed.
    let tick = player.tick(after(start, 0.15));
    assert_eq!(shown(&tick), Some(5));
    let request = tick.seek.expect("a jump");
    let Seek::Exact(SeekTarget::Time(secs)) = request.seek else { panic!("{request:?}") };
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
    player.mark();
    assert_eq!(player.marks(), Marks { a: Some(0.12), b: None });
    player.scrub_to(0.04, start);
    player.tick(start);
    player.mark();
    assert_eq!(player.marks(), Marks { a: Some(0.04), b: Some(0.12) });
    player.mark();
    assert_eq!(player.marks(), Marks::default());
}

#[test]
fn marked_part_is_repeated_from_first_to_last_frame() {
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
    player.mark();
    play(&mut player, 0.08);
    assert_eq!(player.frame_index(), Some(3));
    player.mark();
    let seen = play(&mut player, 0.5);
    assert!(seen.starts_with(&[1, 2, 3, 1, 2, 3, 1, 2, 3]), "{seen:?}");
    assert!(seen.iter().all(|index| (1..=3).contains(index)), "{seen:?}");
    // If the first of them is no longer cached, the decoder is sent back.
    player.supply.cache.trim_behind(0);
    let request = (1..20).find_map(|i| player.tick(after(start, 0.7 + f64::from(i) * 0.01)).seek);
    assert_eq!(request, Some(SeekRequest { serial: 1, seek: Seek::to(0.04) }));
}

#[test]
fn stalled_stream_is_reported_and_resumes_where_it_was() {
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
fn a_single_picture_just_stays_even_in_a_loop() {
    let start = Instant::now();
    let mut player = Player::new(options(Some(0.04), true));
    player.push(frame(0, 0));
    player.end_of_stream(0);
    player.tick(start);
    let tick = player.tick(after(start, 1.0));
    assert!(player.has_ended() && tick.seek.is_none() && tick.wake_at.is_none());
    assert_eq!(player.counts().shown, 1);
}

#[test]
fn pictures_follow_what_is_heard() {
    let start = Instant::now();
    let mut player = playing(start);
    assert_eq!(player.sounding_secs(start), None, "the first frame has not been drawn");
    player.note_drawn(start);
    assert_eq!(player.sounding_secs(after(start, 0.01)), Some(0.01));
    // The device is 5 ms behind, which is made up for little by little: frame 1 comes later by that.
    for round in 1..=60 {
        let now = after(start, 0.0005 * f64::from(round));
        player.follow(0.0005 * f64::from(round) - 0.005, now);
    }
    assert_eq!(shown(&player.tick(after(start, 0.043))), None);
    assert_eq!(shown(&player.tick(after(start, 0.0455))), Some(1));
    // A difference that can be seen is made up for at once.
    player.follow(0.0855, after(start, 0.0455));
    assert_eq!(shown(&player.tick(after(start, 0.0456))), Some(2));
    // Nothing is to be heard at another speed, or in a pause.
    player.set_speed(2.0, after(start, 0.046));
    assert_eq!(player.sounding_secs(after(start, 0.05)), None);
    player.set_speed(1.0, after(start, 0.05));
    assert!(player.sounding_secs(after(start, 0.05)).is_some());
    player.toggle_pause(after(start, 0.05));
    assert_eq!(player.sounding_secs(after(start, 0.06)), None);
}

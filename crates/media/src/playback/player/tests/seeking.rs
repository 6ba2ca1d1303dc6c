//! Tests of merging seeks and of scrubbing.

use super::*;

#[test]
fn seek_shows_its_first_frame_immediately_and_nothing_older() {
    let start = Instant::now();
    let mut player = playing(start);
    let request = player.seek_to(4.0).unwrap();
    assert_eq!(request, SeekRequest { serial: 1, seek: Seek::to(4.0) });
    player.push(frame(0, 6));
    assert_eq!(shown(&player.tick(after(start, 1.0))), None, "the old picture stays");
    player.push(frame(1, 100));
    player.push(frame(1, 101));
    assert_eq!(shown(&player.tick(after(start, 1.0))), Some(100));
    assert_eq!(shown(&player.tick(after(start, 1.04))), Some(101), "and the clock goes on from there");
}

#[test]
fn seeks_merge_while_one_is_in_progress() {
    let start = Instant::now();
    let mut player = playing(start);
    assert_eq!(player.seek_by(5.0).unwrap().seek, Seek::to(5.0));
    assert_eq!(player.seek_by(1.0), None);
    assert_eq!(player.seek_by(1.0), None);
    player.push(frame(1, 120));
    let tick = player.tick(after(start, 0.2));
    assert_eq!(shown(&tick), Some(120), "a picture is shown before the next seek");
    assert_eq!(tick.seek, Some(SeekRequest { serial: 2, seek: Seek::to(7.0) }));
}

#[test]
fn seeks_stay_inside_the_video() {
    let mut player = playing(Instant::now());
    player.seek_to(5.0);
    player.push(frame(1, 125));
    player.tick(Instant::now());
    assert_eq!(player.seek_by(-50.0).unwrap().seek, Seek::Exact(SeekTarget::Time(0.0)));
    let mut player = playing(Instant::now());
    assert_eq!(player.seek_by(500.0).unwrap().seek, Seek::Exact(SeekTarget::End));
}

#[test]
fn seek_without_a_frame_ends_and_allows_another() {
    let start = Instant::now();
    let mut player = playing(start);
    player.seek_to(9.9);
    player.end_of_stream(1);
    assert!(player.tick(start).show.is_none());
    assert!(player.has_ended());
    assert!(player.seek_to(0.0).is_some());
}

#[test]
fn scrub_shows_quick_pictures_and_settles_on_the_exact_frame() {
    let start = Instant::now();
    let mut player = playing(start);
    let near = |serial, secs| Some(SeekRequest { serial, seek: Seek::Near(secs) });
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
    let exact = player.tick(after(start, 3.0)).seek;
    assert_eq!(exact, Some(SeekRequest { serial: 3, seek: Seek::to(7.0) }), "the target rests");
    assert_eq!(player.tick(after(start, 3.0)).seek, None, "once is enough, and time stands");
    assert_eq!(player.settle(after(start, 3.0)), None, "it is on its way");
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
    assert!(matches!(request.seek, Seek::Back { target: SeekTarget::Before(98), .. }), "{request:?}");
    assert_eq!(player.scrub_by(-0.04, start), None);
    player.keep(2, 98, (80..98).map(|i| frame(2, i)).collect());
    player.tick(start);
    assert_eq!(shown(&player.tick(start)), Some(89), "4.0 − 0.44 s");
    // Far away, these frames are of no use.
    assert_eq!(player.scrub_to(1.0, start).unwrap().seek, Seek::Near(1.0));
}

#[test]
fn a_slow_seek_is_given_up_for_a_later_one() {
    let start = Instant::now();
    let mut player = playing(start);
    player.seek_to(5.0);
    player.tick(after(start, 0.0));
    assert_eq!(player.seek_to(8.0), None);
    let tick = player.tick(after(start, 0.1));
    assert!(tick.seek.is_none() && tick.wake_at.is_some(), "it may yet come");
    let request = player.tick(after(start, 0.3)).seek;
    assert_eq!(request, Some(SeekRequest { serial: 2, seek: Seek::to(8.0) }));
    player.push(frame(1, 125));
    assert_eq!(shown(&player.tick(after(start, 0.3))), None);
    player.push(frame(2, 200));
    assert_eq!(shown(&player.tick(after(start, 0.4))), Some(200));
}

#[test]
fn forward_only_source_is_never_sent_back() {
    let start = Instant::now();
    let mut player = Player::new(PlayerOptions { seekable: false, ..options(None, true) });
    (0..3).for_each(|i| player.push(frame(0, i)));
    player.tick(start);
    player.tick(after(start, 0.09));
    player.supply.cache.trim_behind(0);
    assert!(!player.is_seekable());
    assert_eq!(player.seek_to(0.0), None);
    assert_eq!(player.scrub_to(0.0, start), None);
    assert_eq!(player.settle(start), None);
    assert_eq!(back(&mut player, start), (None, None));
    assert!(!player.is_busy());
    assert!(player.seek_to(4.0).is_some(), "ahead it may go");
    player.end_of_stream(1);
    player.toggle_pause(start);
    player.tick(start);
    assert!(player.has_ended(), "and at the end there is no way back");
}

#[test]
fn quick_picture_is_not_settled_on() {
    let start = Instant::now();
    let mut player = playing(start);
    player.scrub_to(5.0, start);
    player.push(frame(1, 125));
    assert_eq!(shown(&player.tick(start)), Some(125), "a frame at that very time");
    let exact = player.settle(start);
    assert_eq!(exact, Some(SeekRequest { serial: 2, seek: Seek::to(5.0) }), "yet how it was decoded nobody promises");
}

#[test]
fn playback_resumes_after_a_seek_to_the_scrubbed_frame() {
    let start = Instant::now();
    let mut player = playing(start);
    player.scrub_to(0.04, start);
    assert_eq!(shown(&player.tick(start)), Some(1));
    assert_eq!(player.seek_to(0.05), None, "it is on screen");
    player.tick(after(start, 1.0));
    assert_eq!(shown(&player.tick(after(start, 1.04))), Some(2));
}

#[test]
fn frames_after_a_gap_are_not_adjacent() {
    let start = Instant::now();
    let mut player = sought(start, 60);
    // Stepping back fetches frames; when the decoder returns to the newest, it skips some.
    back(&mut player, start);
    player.keep(2, 98, (90..98).map(|index| frame(2, index)).collect());
    (0..2).for_each(|_| _ = player.step(true, start));
    let seen: Vec<_> = (0..2).filter_map(|_| shown(&player.tick(start))).collect();
    assert_eq!(seen, [100, 101]);
    player.step(true, start);
    assert_eq!(shown(&player.tick(start)), None);
    player.push(frame(3, 105));
    assert_eq!(shown(&player.tick(start)), Some(105), "what there is is shown");
    let (shown, request) = back(&mut player, start);
    assert_eq!(shown, None, "the frame before it is not here");
    assert!(request.is_some());
}

#[test]
fn quick_picture_is_not_stepped_onto() {
    let start = Instant::now();
    let mut player = Player::new(PlayerOptions { paused: true, cache_bytes: 60, ..options(Some(10.0), false) });
    player.push(frame(0, 0));
    player.tick(start);
    player.scrub_to(5.0, start);
    player.push(frame(1, 120));
    assert_eq!(shown(&player.tick(start)), Some(120));
    // A little further back, the frames in between are fetched, and the scrub settles on one of them.
    assert!(player.scrub_to(4.78, start).is_some());
    player.keep(2, 120, (100..120).map(|index| frame(2, index)).collect());
    assert_eq!(shown(&player.tick(start)), None);
    assert_eq!(shown(&player.tick(start)), Some(119));
    assert_eq!(player.settle(start), None);
    player.step(true, start);
    let tick = player.tick(start);
    assert_eq!(shown(&tick), None, "frame 120 is to be decoded exactly first");
    assert_eq!(tick.seek, Some(SeekRequest { serial: 4, seek: Seek::Exact(SeekTarget::Timestamp(119)) }));
}

#[test]
fn doubtful_seek_is_repeated_unless_another_is_pending() {
    let start = Instant::now();
    let mut player = sought(start, 60);
    assert_eq!(player.seek_again(0, Seek::to(1.0)), None, "that one is long over");
    let again = player.seek_again(1, Seek::to(4.0));
    assert_eq!(again, Some(SeekRequest { serial: 2, seek: Seek::to(4.0) }));
    assert_eq!(player.seek_to(6.0), None, "one is under way");
    let again = player.seek_again(2, Seek::to(4.0));
    assert_eq!(again, Some(SeekRequest { serial: 3, seek: Seek::to(6.0) }), "nobody waits for the first any more");
}

#[test]
fn slow_seek_reports_its_goal_until_its_picture_arrives() {
    let start = Instant::now();
    let mut player = playing(start);
    player.toggle_pause(start);
    player.seek_to(4.0);
    let told_at = player.tick(start).wake_at.expect("a time to say so");
    assert_eq!(told_at, start + Duration::from_millis(300));
    assert_eq!(player.slow_seek(after(start, 0.299)), None);
    player.tick(told_at);
    assert_eq!(player.slow_seek(told_at), Some(SeekGoal::Time(4.0)));
    assert!(player.is_seek_pending());
    player.seek_to_frame(7);
    assert_eq!(player.slow_seek(told_at), Some(SeekGoal::Frame(7)), "where the last request leads");
    player.tick(after(start, 0.31));
    player.push(frame(2, 7));
    assert_eq!(shown(&player.tick(after(start, 0.4))), Some(7));
    assert_eq!((player.slow_seek(after(start, 9.0)), player.is_seek_pending()), (None, false));
}

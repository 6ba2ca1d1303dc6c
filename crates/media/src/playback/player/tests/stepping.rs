//! Tests of stepping, and of the frames cached and fetched for it.

use super::*;

#[test]
fn steps_pause_and_move_by_one_frame() {
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
fn player_is_idle_only_after_a_pause_without_pending_steps() {
    let start = Instant::now();
    let mut player = sought(start, 60);
    assert!(player.is_idle());
    player.step(true, start);
    assert!(!player.is_idle());
    player.tick(start);
    assert!(player.is_idle(), "the step was made");
    player.scrub_to(5.0, start);
    assert!(!player.is_idle());
    assert!(!playing(start).is_idle());
}

#[test]
fn step_beyond_an_end_reports_which_end() {
    let start = Instant::now();
    let mut player = playing(start);
    player.step(false, start);
    assert_eq!(player.tick(start).step_end, Some(StepEnd::First));
    assert_eq!(player.tick(start).step_end, None, "it is said once");
    for _ in 0..5 {
        player.step(true, start);
        let tick = player.tick(start);
        assert_eq!((tick.show.is_some(), tick.step_end), (true, None));
    }
    player.step(true, start);
    assert_eq!(player.tick(start).step_end, None, "more may come");
    player.end_of_stream(0);
    assert_eq!(player.tick(start).step_end, Some(StepEnd::Last));
    player.step(true, start);
    assert_eq!(player.tick(start).step_end, Some(StepEnd::Last));
}

#[test]
fn forward_only_source_reports_why_it_cannot_step_back() {
    let start = Instant::now();
    let mut player = Player::new(PlayerOptions { seekable: false, paused: true, ..options(Some(10.0), false) });
    (7..9).for_each(|i| player.push(frame(0, i)));
    player.tick(start);
    assert_eq!(player.step(false, start), None);
    assert_eq!(player.tick(start).step_end, Some(StepEnd::ForwardsOnly));
}

#[test]
fn steps_back_use_frames_decoded_on_the_way_while_more_are_fetched() {
    let start = Instant::now();
    let mut player = sought(start, 60);
    let earlier = SeekRequest { serial: 2, seek: Seek::Back { target: SeekTarget::Before(98), budget: 30 } };
    assert_eq!(back(&mut player, start), (Some(99), Some(earlier)));
    assert_eq!(back(&mut player, start), (Some(98), None), "one request is enough");
    assert_eq!(back(&mut player, start), (None, None), "the next frame is on its way");
    assert!(player.is_busy() && player.wants_frames(start));
    player.push(frame(1, 102));
    player.keep(1, 98, vec![frame(1, 97)]);
    assert_eq!(shown(&player.tick(start)), None, "an older request's frames are no answer");
    player.keep(2, 98, (68..98).map(|i| frame(2, i)).collect());
    let tick = player.tick(start);
    // They fill half of the budget; the other half is fetched while they are being viewed.
    let next = Some(SeekRequest { serial: 3, seek: Seek::Back { target: SeekTarget::Before(68), budget: 30 } });
    assert_eq!((shown(&tick), tick.seek), (Some(97), next));
    for index in (68..97).rev() {
        assert_eq!(back(&mut player, start), (Some(index), None));
    }
}

#[test]
fn the_cache_keeps_to_its_budget_and_the_frame_on_screen() {
    let start = Instant::now();
    let mut player = sought(start, 12);
    back(&mut player, start);
    back(&mut player, start);
    player.keep(2, 98, (50..98).map(|i| frame(2, i)).collect());
    assert!(player.supply.cache.bytes() <= 12, "{}", player.supply.cache.bytes());
    assert_eq!(back(&mut player, start).0, Some(97), "the frames next to the one on screen are kept");
    let mut player = playing(start);
    player.supply.budget = 8;
    for index in 6..100 {
        player.push(frame(0, index));
        player.tick(after(start, index as f64 * FRAME_SECS));
        assert!(player.supply.cache.bytes() <= 5, "while playing a quarter is enough: {}", player.supply.cache.bytes());
    }
}

#[test]
fn without_a_cache_each_step_back_is_a_seek() {
    let start = Instant::now();
    let mut player = sought(start, 0);
    player.supply.cache.trim_behind(0);
    let (none, request) = back(&mut player, start);
    let seek = Seek::Exact(SeekTarget::Before(100));
    assert_eq!((none, request), (None, Some(SeekRequest { serial: 2, seek })));
    assert_eq!(player.step(false, start), None, "the second step waits for the first");
    player.push(frame(2, 99));
    let tick = player.tick(start);
    assert_eq!(shown(&tick), Some(99));
    let seek = Seek::Exact(SeekTarget::Before(99));
    assert_eq!(player.tick(start).seek, Some(SeekRequest { serial: 3, seek }));
}

#[test]
fn stepping_forward_after_steps_back_shows_every_frame_once() {
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
    assert_eq!(request, Some(SeekRequest { serial: 3, seek: Seek::Exact(SeekTarget::Timestamp(101)) }));
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
    // If fetching has failed, a plain seek is tried instead.
    let mut player = sought(start, 60);
    back(&mut player, start);
    back(&mut player, start);
    player.end_of_stream(2);
    let seek = Seek::Exact(SeekTarget::Before(98));
    assert_eq!(back(&mut player, start).1, Some(SeekRequest { serial: 3, seek }));
}

#[test]
fn step_after_merged_seeks_starts_from_the_last_target() {
    let start = Instant::now();
    let mut player = sought(start, 60);
    player.seek_to(2.0);
    assert_eq!(player.seek_to(6.0), None, "one is under way");
    player.step(true, start);
    player.push(frame(2, 50));
    assert_eq!(shown(&player.tick(start)), Some(50));
    player.push(frame(3, 150));
    player.push(frame(3, 151));
    assert_eq!(shown(&player.tick(start)), Some(150));
    assert_eq!(shown(&player.tick(start)), Some(151));
}

#[test]
fn frames_decoded_while_rejoining_are_not_prepended() {
    let start = Instant::now();
    let mut player = sought(start, 60);
    back(&mut player, start);
    player.keep(2, 98, (90..98).map(|index| frame(2, index)).collect());
    (0..2).for_each(|_| _ = player.step(true, start));
    let requests: Vec<_> = (0..2).filter_map(|_| player.tick(start).seek).collect();
    assert_eq!(requests, [SeekRequest { serial: 3, seek: Seek::Exact(SeekTarget::Timestamp(101)) }]);
    player.push(frame(3, 101));
    player.keep(3, 101, vec![frame(3, 99), frame(3, 100)]);
    player.push(frame(3, 102));
    for index in (90..=100).rev() {
        assert_eq!(back(&mut player, start).0, Some(index));
    }
    assert_eq!(back(&mut player, start).0, None, "what comes before is not here");
}

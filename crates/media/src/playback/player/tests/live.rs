//! Tests of live sources, whose sender sets the pace.

use super::*;

fn live(cache_frames: usize) -> Player {
    Player::new(PlayerOptions { live: true, seekable: false, cache_bytes: cache_frames, ..options(None, false) })
}

#[test]
fn newest_frame_is_shown_as_soon_as_it_arrives() {
    let start = Instant::now();
    let mut player = live(100);
    player.push(frame(0, 0));
    assert_eq!(shown(&player.tick(start)), Some(0));
    // Long before its time by the clock, and long after.
    player.push(frame(0, 1));
    assert_eq!(shown(&player.tick(after(start, 0.001))), Some(1));
    (2..7).for_each(|index| player.push(frame(0, index)));
    assert_eq!(shown(&player.tick(after(start, 0.002))), Some(6));
    assert_eq!(player.counts().dropped, 4);
    player.push(frame(0, 7));
    assert_eq!(shown(&player.tick(after(start, 60.0))), Some(7), "it is not late");
    assert_eq!(player.counts().dropped, 4);
    assert!(player.wants_frames(start), "what is not taken is lost");
    player.note_replaced(3);
    assert_eq!(player.counts().dropped, 7);
}

#[test]
fn pause_holds_the_picture_and_playback_continues_with_the_newest() {
    let start = Instant::now();
    let mut player = live(100);
    (0..4).for_each(|index| {
        player.push(frame(0, index));
        player.tick(start);
    });
    player.toggle_pause(start);
    (4..30).for_each(|index| player.push(frame(0, index)));
    assert_eq!(shown(&player.tick(start)), None);
    assert_eq!(back(&mut player, start), (Some(2), None));
    assert_eq!(back(&mut player, start), (Some(1), None));
    player.toggle_pause(start);
    assert_eq!(shown(&player.tick(start)), Some(29));
    assert_eq!(player.counts().dropped, 0, "nobody wanted to see what came during the pause");
}

#[test]
fn memory_is_bounded_while_playing_and_paused() {
    let start = Instant::now();
    let mut player = live(10);
    for index in 0..100 {
        player.push(frame(0, index));
        player.tick(start);
    }
    assert!(player.supply.cache.len() <= 12, "{}", player.supply.cache.len());
    player.toggle_pause(start);
    (100..300).for_each(|index| player.push(frame(0, index)));
    assert!(player.supply.cache.len() <= 12, "{}", player.supply.cache.len());
    player.toggle_pause(start);
    player.tick(start);
    player.push(frame(0, 300));
    assert_eq!(shown(&player.tick(start)), Some(300));
    assert!(
        back(&mut player, start).0.is_some_and(|before| before < 299),
        "what is kept is stepped through over a gap"
    );
}

#[test]
fn seeks_look_back_in_cached_frames_and_return_to_the_newest() {
    let start = Instant::now();
    let mut player = live(50);
    assert_eq!(player.kept_secs(), None);
    for index in 0..100 {
        player.push(frame(0, index));
        player.tick(start);
        if index == 80 {
            // A lost frame is no reason to drop those before it.
            player.note_replaced(1);
        }
    }
    let (oldest, newest) = player.kept_secs().unwrap();
    assert!(newest == 99.0 * FRAME_SECS && (1.9..2.1).contains(&(newest - oldest)), "{oldest} {newest}");
    assert_eq!(player.seek_by(-1.0), None, "nobody sends the decoder anywhere");
    assert_eq!(shown(&player.tick(start)), Some(74));
    assert!(player.is_paused());
    assert_eq!(player.seek_by(-30.0), None);
    let first = shown(&player.tick(start)).unwrap();
    assert_eq!(first as f64 * FRAME_SECS, oldest);
    for index in 100..200 {
        player.push(frame(0, index));
        assert_eq!(shown(&player.tick(start)), None, "what comes meanwhile does not take the picture away");
    }
    assert_eq!(player.kept_secs().unwrap().0, oldest, "what is looked at is kept");
    player.seek_by(0.4);
    assert_eq!(shown(&player.tick(start)), Some(first + 10));
    player.seek_to(f64::MAX);
    assert!(shown(&player.tick(start)).is_some_and(|index| index > first + 10) && !player.is_paused());
    player.push(frame(0, 200));
    assert_eq!(shown(&player.tick(start)), Some(200), "it goes on");
}

#[test]
fn drag_holds_a_cached_frame_except_at_the_end() {
    let start = Instant::now();
    let mut player = live(50);
    for index in 0..20 {
        player.push(frame(0, index));
        player.tick(start);
    }
    for (secs, expected) in [(0.2, 5), (-3.0, 0), (0.41, 10)] {
        assert_eq!(player.scrub_to(secs, start), None);
        assert_eq!(shown(&player.tick(start)), Some(expected));
        player.push(frame(0, expected + 20));
        assert_eq!(shown(&player.tick(start)), None);
    }
    for index in 31..200 {
        player.push(frame(0, index));
    }
    assert!(player.supply.cache.len() <= 52, "{}", player.supply.cache.len());
    assert_eq!(player.settle(start), None);
    assert!(player.is_paused() && player.tick(start).seek.is_none());
    player.scrub_to(f64::MAX, start);
    player.tick(start);
    // A newer frame arrives before the key is released.
    player.push(frame(0, 200));
    player.settle(start);
    assert_eq!(shown(&player.tick(start)), Some(200));
    assert!(!player.is_paused());
    player.push(frame(0, 201));
    assert_eq!(shown(&player.tick(start)), Some(201), "it goes on");
}

/// Returns a live player that has received a hundred frames, whose packets are stored.
fn with_packets(cache_frames: usize, start: Instant) -> Player {
    let mut player = live(cache_frames);
    for index in 0..100 {
        player.push(frame(0, index));
        player.tick(start);
    }
    player.set_kept(Some((0.0, 99.0 * FRAME_SECS)));
    player
}

fn exact(secs: f64) -> Seek {
    Seek::Exact(SeekTarget::Time(secs))
}

#[test]
fn pictures_no_longer_cached_are_decoded_again() {
    let start = Instant::now();
    let mut player = with_packets(20, start);
    assert_eq!(player.kept_secs(), Some((0.0, 99.0 * FRAME_SECS)));
    let request = player.seek_to(0.8).expect("it is asked for");
    assert_eq!(request, SeekRequest { serial: 1, seek: exact(0.8) });
    assert!(player.is_paused());
    // The arriving frame is not the one being viewed, but the timeline includes it.
    player.push(frame(0, 100));
    player.set_kept(Some((0.0, 100.0 * FRAME_SECS)));
    assert_eq!(shown(&player.tick(start)), None);
    assert_eq!(player.kept_secs(), Some((0.0, 100.0 * FRAME_SECS)));
    (20..24).for_each(|index| player.push(frame(1, index)));
    assert_eq!(shown(&player.tick(start)), Some(20));
    player.step(true, start);
    assert_eq!(shown(&player.tick(start)), Some(21));
    // With two frames ahead, the player takes no more for now.
    assert!(!player.wants_frames(start) && player.is_paused());
    // Back beyond the first of these frames.
    let (at, request) = back(&mut player, start);
    let request = request.expect("they are fetched before the last is reached");
    assert_eq!(at, Some(20));
    assert!(matches!(request.seek, Seek::Back { target: SeekTarget::Before(20), .. }), "{request:?}");
    player.keep(request.serial, 20, (15..20).map(|index| frame(request.serial, index)).collect());
    assert_eq!(back(&mut player, start).0, Some(19));

    // Playback continues with the newest frame.
    let request = player.toggle_pause(start).expect("the newest is asked for");
    assert_eq!(request.seek, Seek::Exact(SeekTarget::End));
    player.push(frame(1, 24));
    assert_eq!(shown(&player.tick(start)), None);
    player.push(frame(request.serial, 150));
    assert_eq!(shown(&player.tick(start)), Some(150));
    (151..153).for_each(|index| player.push(frame(request.serial, index)));
    assert_eq!(shown(&player.tick(start)), Some(152), "the newest as soon as it is there");
    assert!(!player.is_paused());
}

#[test]
fn drag_beyond_the_cache_shows_quick_pictures_and_settles_on_the_exact_one() {
    let start = Instant::now();
    let mut player = with_packets(20, start);
    let request = player.scrub_to(0.8, start).expect("a quick picture");
    assert_eq!(request.seek, Seek::Near(0.8));
    assert!(player.is_paused(), "what is shown on the way is not what comes now");
    player.push(frame(request.serial, 15));
    assert_eq!(shown(&player.tick(start)), Some(15));
    assert_eq!(player.scrub_to(0.84, start).map(|request| request.seek), Some(Seek::Near(0.84)));
    player.push(frame(2, 20));
    player.tick(start);
    let request = player.settle(start).expect("the exact one");
    assert_eq!(request.seek, exact(0.84));
    player.push(frame(request.serial, 21));
    assert_eq!(shown(&player.tick(start)), Some(21));
    assert!(player.is_paused());
    // Far before the oldest stored frame.
    player.set_kept(Some((0.2, 99.0 * FRAME_SECS)));
    assert_eq!(player.seek_to(-5.0).map(|request| request.seek), Some(exact(0.2)));
    let request = player.scrub_to(f64::MAX, start).expect("the newest");
    assert_eq!(request.seek, Seek::Exact(SeekTarget::End));
    assert!(!player.is_paused());
}

#[test]
fn unavailable_picture_leaves_the_old_one_and_playback_continues_with_the_newest() {
    let start = Instant::now();
    let mut player = with_packets(20, start);
    let request = player.seek_to(0.8).expect("it is asked for");
    player.end_of_stream(request.serial);
    assert_eq!(shown(&player.tick(start)), None);
    assert_eq!(player.position_secs(), 99.0 * FRAME_SECS);
    assert_eq!(player.toggle_pause(start).map(|request| request.seek), Some(Seek::Exact(SeekTarget::End)));
    player.push(frame(2, 120));
    assert_eq!(shown(&player.tick(start)), Some(120));
}

#[test]
fn frames_that_did_not_fit_during_a_pause_are_decoded_again() {
    let start = Instant::now();
    let mut player = with_packets(20, start);
    player.toggle_pause(start);
    (100..200).for_each(|index| player.push(frame(0, index)));
    player.set_kept(Some((0.0, 199.0 * FRAME_SECS)));
    let newest = player.supply.cache.last().and_then(|frame| frame.index).expect("frames are kept");
    assert!(newest < 130, "{newest}");
    let mut asked = None;
    while player.position_secs() < newest as f64 * FRAME_SECS {
        player.step(true, start);
        let tick = player.tick(start);
        assert!(tick.show.is_some(), "at {}", player.position_secs());
        asked = tick.seek.or(asked);
    }
    let request = asked.expect("those behind it are asked for");
    assert_eq!(request.seek, Seek::Exact(SeekTarget::Timestamp(newest as i64)));
    (newest..newest + 4).for_each(|index| player.push(frame(request.serial, index)));
    player.step(true, start);
    assert_eq!(shown(&player.tick(start)), Some(newest + 1), "no frame is left out");
    assert_eq!(player.toggle_pause(start).map(|request| request.seek), Some(Seek::Exact(SeekTarget::End)));
}

#[test]
fn pictures_that_are_held_back_are_shown_by_the_clock_as_much_later_and_never_fall_behind() {
    let start = Instant::now();
    let mut player = live(100);
    let at = |index: u64| after(start, index as f64 * FRAME_SECS);
    let send = |player: &mut Player, index: u64| {
        player.push(frame(0, index));
        shown(&player.tick(at(index)))
    };
    (0..10).for_each(|index| assert_eq!(send(&mut player, index), Some(index)));
    player.hold_back(5.0 * FRAME_SECS, at(9));
    let delayed: Vec<_> = (10..30).map(|index| send(&mut player, index)).collect();
    assert!(delayed[..4].iter().all(Option::is_none), "{delayed:?}");
    assert_eq!(delayed[6..], (11..25).map(Some).collect::<Vec<_>>(), "five frames later");
    assert!(player.tick(at(29)).wake_at.is_some_and(|wake_at| wake_at > at(29)), "the next one is known");
    // They come faster than they are shown.
    (30..70).for_each(|index| player.push(frame(0, index)));
    assert_eq!(shown(&player.tick(at(30))), Some(64));
    player.release();
    assert_eq!(shown(&player.tick(at(30))), Some(69));
    player.push(frame(0, 70));
    assert_eq!(shown(&player.tick(at(30))), Some(70));
}

//! Live frames: the sender gives the pace.

use super::*;

fn live(cache_frames: usize) -> Player {
    Player::new(PlayerOptions { live: true, seekable: false, cache_bytes: cache_frames, ..options(None, false) })
}

#[test]
fn the_newest_frame_is_shown_as_soon_as_it_is_there() {
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
fn a_pause_holds_the_picture_and_playing_goes_on_with_the_newest() {
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
fn memory_is_bounded_while_it_plays_and_while_it_stands() {
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
    assert_eq!(back(&mut player, start).0, None, "what lies behind a gap is not the frame before");
}

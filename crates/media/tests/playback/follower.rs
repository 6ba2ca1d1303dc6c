//! A clip that follows another: the frame for a time or a number, whichever way leads there.

use std::time::{Duration, Instant};

use histoscope_core::picture::Frame;
use histoscope_media::playback::{FollowGoal, FollowState, Follower, send, take_followed};
use histoscope_media::{DecodeEvent, DecodeThread, OpenOptions, QueueLimits};

use crate::common::Clip;
use crate::common::numbered::{number, numbered};

const RATE: f64 = 25.0;

/// A clip with its follower, as in the window.
struct Following {
    media: DecodeThread,
    follower: Follower,
    shown: Option<Frame>,
}

impl Following {
    fn new(clip: &Clip, budget: usize) -> Self {
        let media =
            DecodeThread::open(clip.path(), OpenOptions::default(), QueueLimits::default(), || {}).expect("a thread");
        let opened = media.recv_timeout(Duration::from_secs(30));
        assert!(matches!(opened, Some(DecodeEvent::Opened(_))), "{opened:?}");
        Self { media, follower: Follower::new(budget), shown: None }
    }

    /// Follows until the goal's frame has arrived. Returns its number and its state.
    fn to(&mut self, goal: FollowGoal) -> (usize, FollowState) {
        let begin = Instant::now();
        loop {
            take_followed(&mut self.follower, &self.media, |error| panic!("{error}"));
            let followed = self.follower.follow(goal);
            send(&self.media, followed.seek);
            self.shown = followed.show.or(self.shown.take());
            if let (Some(frame), true) = (&self.shown, followed.state != FollowState::Coming) {
                return (number(&frame.picture), followed.state);
            }
            assert!(begin.elapsed() < Duration::from_secs(30), "{goal:?} does not come");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn clip() -> Clip {
    numbered("followed.mp4", 200, "25", "-c:v libx264 -pix_fmt yuv420p -g 50 -crf 10")
}

#[test]
fn every_way_leads_to_the_frame_that_is_wanted() {
    let clip = clip();
    // With little room, frames are sought and fetched again and again.
    for budget in [0, 20 * 160 * 90 * 3 / 2, 64 << 20] {
        let mut following = Following::new(&clip, budget);
        let mut seed = 12345_u64;
        let mut number = 0_i64;
        for round in 0..120 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let random = (seed >> 33) as i64;
            number = match random % 5 {
                0 => (random / 5) % 200,
                1 => (number - 1).max(0),
                2 => (number - 7).max(0),
                _ => (number + 1).min(199),
            };
            let goal = if round % 2 == 0 {
                FollowGoal::Time(number as f64 / RATE + 0.005)
            } else {
                FollowGoal::Number(number)
            };
            assert_eq!(following.to(goal), (number as usize, FollowState::InStep), "{budget} bytes, round {round}");
        }
    }
}

#[test]
fn before_its_beginning_it_shows_its_first_frame_and_behind_its_end_the_last() {
    let clip = clip();
    let mut following = Following::new(&clip, 64 << 20);
    assert_eq!(following.to(FollowGoal::Time(-0.5)), (0, FollowState::NotBegun));
    assert_eq!(following.to(FollowGoal::Number(-1)), (0, FollowState::NotBegun));
    assert_eq!(following.to(FollowGoal::Time(0.0)), (0, FollowState::InStep));
    assert_eq!(following.to(FollowGoal::Time(7.99)), (199, FollowState::InStep));
    assert_eq!(following.to(FollowGoal::Time(8.01)), (199, FollowState::Ended));
    assert_eq!(following.to(FollowGoal::Time(500.0)), (199, FollowState::Ended));
    assert_eq!(following.to(FollowGoal::Number(3)), (3, FollowState::InStep));
    assert_eq!(following.to(FollowGoal::Number(200)), (199, FollowState::Ended));
    assert_eq!(following.to(FollowGoal::Number(199)), (199, FollowState::InStep));
    assert_eq!(following.to(FollowGoal::Number(100_000)), (199, FollowState::Ended));
    assert_eq!(following.to(FollowGoal::Time(-9.0)), (0, FollowState::NotBegun));
}

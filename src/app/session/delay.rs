//! Measures how long the pictures of a live source take from their last packet to the screen.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use histoscope_core::picture::Frame;

/// Number of pictures in the median: about one second at common frame rates.
const MOST: usize = 30;

/// Delays of the newest pictures.
#[derive(Debug, Default)]
pub struct Delays {
    newest: Option<i64>,
    recent: VecDeque<Duration>,
}

impl Delays {
    /// Records that this frame reached the screen at `now`. Frames that were drawn before are ignored.
    pub fn note(&mut self, frame: &Frame, now: SystemTime) {
        let Some(arrival) = frame.arrival else { return };
        if self.newest.is_some_and(|newest| frame.pts_ticks <= newest) {
            return;
        }
        self.newest = Some(frame.pts_ticks);
        // The delay is unknown if the clock was set back in between.
        if let Ok(delay) = now.duration_since(arrival) {
            self.recent.truncate(MOST - 1);
            self.recent.push_front(delay);
        }
    }

    /// Forgets the recorded delays, because the next pictures will have been held back for other reasons.
    pub fn forget(&mut self) {
        self.recent.clear();
    }

    /// Returns the median delay of the newest pictures.
    #[must_use]
    pub fn median(&self) -> Option<Duration> {
        let mut sorted: Vec<_> = self.recent.iter().copied().collect();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::picture::FrameFacts;
    use histoscope_core::test_data;

    fn frame(number: i64, arrival: Option<SystemTime>) -> Frame {
        let made = test_data::gray((1, 1), |_, _| 0);
        Frame { facts: FrameFacts { pts_ticks: number, arrival, ..made.facts }, ..made }
    }

    #[test]
    fn the_median_covers_the_newest_pictures_and_each_counts_once() {
        let mut delays = Delays::default();
        let come = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        let note = |delays: &mut Delays, number, millis| {
            delays.note(&frame(number, Some(come)), come + Duration::from_millis(millis));
        };
        assert_eq!(delays.median(), None);
        [40, 900, 50].into_iter().enumerate().for_each(|(at, millis)| note(&mut delays, at as i64, millis));
        assert_eq!(delays.median(), Some(Duration::from_millis(50)));
        // Redraws, as when the pointer moves, and a frame stepped back to.
        (0..3).for_each(|number| note(&mut delays, number, 5000));
        assert_eq!(delays.median(), Some(Duration::from_millis(50)));
        (3..100).for_each(|number| note(&mut delays, number, 70));
        assert_eq!(delays.median(), Some(Duration::from_millis(70)));
        delays.note(&frame(100, Some(come)), come - Duration::from_secs(9));
        delays.note(&frame(101, None), come);
        assert_eq!((delays.median(), delays.recent.len()), (Some(Duration::from_millis(70)), MOST));
        delays.forget();
        assert_eq!(delays.median(), None);
    }
}

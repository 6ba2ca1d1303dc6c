//! Distinguishes a double-click from two clicks.

use std::time::Instant;

use glam::DVec2;
use histoscope_hud::DOUBLE_CLICK as PAUSE;

/// Farthest that the pointer may move during a click, in points.
pub const REACH: f64 = 4.0;

/// The previous click, which another click would turn into a double-click.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clicks {
    last: Option<(DVec2, Instant)>,
}

impl Clicks {
    /// Notes a press of the button at a position in points. Returns `true` if it completes a double-click. A third
    /// click starts a new one.
    pub fn is_double(&mut self, at: DVec2, now: Instant) -> bool {
        let follows = |(before, since): (DVec2, Instant)| {
            before.distance(at) <= REACH && now.saturating_duration_since(since) <= PAUSE
        };
        let is_double = self.last.is_some_and(follows);
        self.last = (!is_double).then_some((at, now));
        is_double
    }

    /// Forgets the previous click, because it became a drag or hit something else.
    pub fn forget(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_second_click_in_one_place_completes_a_double_click() {
        let (now, at) = (Instant::now(), DVec2::new(300.0, 200.0));
        let mut clicks = Clicks::default();
        let all = [0, 200, 400, 600].map(|millis| clicks.is_double(at, now + Duration::from_millis(millis)));
        assert_eq!(all, [false, true, false, true]);
    }

    #[test]
    fn a_late_or_distant_click_or_one_after_a_drag_is_a_first_click() {
        let (now, at) = (Instant::now(), DVec2::new(300.0, 200.0));
        let after = |by: DVec2, pause: Duration, forget: bool| {
            let mut clicks = Clicks::default();
            clicks.is_double(at, now);
            if forget {
                clicks.forget();
            }
            clicks.is_double(at + by, now + pause)
        };
        assert!(after(DVec2::new(REACH, 0.0), PAUSE, false));
        assert!(!after(DVec2::new(REACH, 1.0), PAUSE, false));
        assert!(!after(DVec2::ZERO, PAUSE + Duration::from_millis(1), false));
        assert!(!after(DVec2::ZERO, Duration::ZERO, true));
    }
}

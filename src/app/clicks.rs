//! Telling a double-click from two clicks.

use std::time::{Duration, Instant};

use glam::DVec2;

/// How soon the second click must follow the first.
pub const PAUSE: Duration = Duration::from_millis(500);
/// How far the pointer may move while it clicks, in points.
pub const REACH: f64 = 4.0;

/// The click before, which one more would make a double-click.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clicks {
    last: Option<(DVec2, Instant)>,
}

impl Clicks {
    /// Notes that the button was pressed at a point, in points. Returns whether that is the second half of a double-click. A third
    /// click begins another one.
    pub fn is_double(&mut self, at: DVec2, now: Instant) -> bool {
        let follows = |(before, since): (DVec2, Instant)| {
            before.distance(at) <= REACH && now.saturating_duration_since(since) <= PAUSE
        };
        let is_double = self.last.is_some_and(follows);
        self.last = (!is_double).then_some((at, now));
        is_double
    }

    /// The last press was no click, or none of these.
    pub fn forget(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clicks_at_one_place_are_a_double_click_and_a_third_is_none() {
        let (now, at) = (Instant::now(), DVec2::new(300.0, 200.0));
        let mut clicks = Clicks::default();
        let all = [0, 200, 400, 600].map(|millis| clicks.is_double(at, now + Duration::from_millis(millis)));
        assert_eq!(all, [false, true, false, true]);
    }

    #[test]
    fn what_is_late_or_elsewhere_or_was_a_drag_is_a_first_click() {
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

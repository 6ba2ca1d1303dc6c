//! The clock that relates media time to real time.

use std::time::{Duration, Instant};

/// A clock for media time. It is either stopped, or advances by `rate` media seconds per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// Media time in seconds at `since`, or while the clock is stopped.
    media_secs: f64,
    /// When the clock started to run from `media_secs`; `None` while it is stopped.
    since: Option<Instant>,
    /// Media seconds per second.
    rate: f64,
}

impl Clock {
    /// Creates a clock that is stopped at `media_secs`.
    #[must_use]
    pub const fn standing_at(media_secs: f64) -> Self {
        Self { media_secs, since: None, rate: 1.0 }
    }

    /// Returns the media time at `now`, in seconds.
    #[must_use]
    pub fn at(&self, now: Instant) -> f64 {
        let run = self.since.map_or(0.0, |since| now.saturating_duration_since(since).as_secs_f64());
        self.media_secs + run * self.rate
    }

    /// Returns `true` if the clock is running.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        self.since.is_some()
    }

    /// Starts the clock from the time at which it is stopped.
    pub fn start(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    /// Stops the clock.
    pub fn stop(&mut self, now: Instant) {
        self.media_secs = self.at(now);
        self.since = None;
    }

    /// Returns the media seconds per second.
    #[must_use]
    pub const fn rate(&self) -> f64 {
        self.rate
    }

    /// Sets the media seconds per second from `now` on. The media time at `now` stays the same.
    pub fn set_rate(&mut self, rate: f64, now: Instant) {
        self.set(self.at(now), now);
        self.rate = rate;
    }

    /// Sets the media time. The clock keeps running, or stays stopped.
    pub fn set(&mut self, media_secs: f64, now: Instant) {
        self.media_secs = media_secs;
        self.since = self.since.map(|_| now);
    }

    /// Returns when the clock will reach `media_secs`: `now` if that time has passed, `None` while the clock is
    /// stopped.
    #[must_use]
    pub fn when(&self, media_secs: f64, now: Instant) -> Option<Instant> {
        self.since?;
        let wait = ((media_secs - self.at(now)) / self.rate).max(0.0);
        // A day is as good as never, and this keeps absurd timestamps from overflowing.
        Some(now + Duration::from_secs_f64(wait.min(86_400.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn it_runs_and_stops() {
        let start = Instant::now();
        let mut clock = Clock::standing_at(5.0);
        assert_eq!(clock.at(start + SECOND), 5.0);
        clock.start(start);
        assert!(clock.is_running());
        assert_eq!(clock.at(start + 2 * SECOND), 7.0);
        clock.stop(start + 2 * SECOND);
        assert_eq!(clock.at(start + 9 * SECOND), 7.0);
        clock.set(1.0, start + 9 * SECOND);
        assert!(!clock.is_running());
        clock.start(start + 10 * SECOND);
        clock.start(start + 11 * SECOND);
        assert_eq!(clock.at(start + 12 * SECOND), 3.0, "starting twice changes nothing");
    }

    #[test]
    fn rate_changes_without_a_jump_in_time() {
        let start = Instant::now();
        let mut clock = Clock::standing_at(1.0);
        clock.set_rate(4.0, start);
        assert_eq!(clock.at(start + SECOND), 1.0, "it stands");
        clock.start(start);
        clock.set_rate(0.5, start + SECOND);
        assert_eq!(clock.at(start + SECOND), 5.0);
        assert_eq!((clock.at(start + 3 * SECOND), clock.rate()), (6.0, 0.5));
        assert_eq!(clock.when(6.5, start + 3 * SECOND), Some(start + 4 * SECOND));
    }

    #[test]
    fn it_returns_when_a_time_will_be_reached() {
        let start = Instant::now();
        let mut clock = Clock::standing_at(5.0);
        assert_eq!(clock.when(6.0, start), None);
        clock.start(start);
        assert_eq!(clock.when(6.0, start), Some(start + SECOND));
        assert_eq!(clock.when(4.0, start), Some(start), "what has passed is due now");
        assert!(clock.when(1e300, start).is_some());
        assert!(clock.when(f64::NAN, start).is_some());
    }
}

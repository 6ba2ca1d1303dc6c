//! Media time against real time.

use std::time::{Duration, Instant};

/// Tells which media time it is. It stands while paused and runs at `rate` media seconds a second otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// Media time, in seconds, at `since`, or for as long as the clock stands.
    media_secs: f64,
    /// When the clock started to run from `media_secs`; `None` while it stands.
    since: Option<Instant>,
    /// Media seconds a second.
    rate: f64,
}

impl Clock {
    /// A clock that stands at `media_secs`.
    #[must_use]
    pub const fn standing_at(media_secs: f64) -> Self {
        Self { media_secs, since: None, rate: 1.0 }
    }

    /// Media time at `now`, in seconds.
    #[must_use]
    pub fn at(&self, now: Instant) -> f64 {
        let run = self.since.map_or(0.0, |since| now.saturating_duration_since(since).as_secs_f64());
        self.media_secs + run * self.rate
    }

    /// Returns whether the clock runs.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        self.since.is_some()
    }

    /// Lets the clock run from the time at which it stands.
    pub fn start(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    /// Makes the clock stand.
    pub fn stop(&mut self, now: Instant) {
        self.media_secs = self.at(now);
        self.since = None;
    }

    /// Media seconds a second.
    #[must_use]
    pub const fn rate(&self) -> f64 {
        self.rate
    }

    /// Sets how many media seconds pass in a second from `now` on; the media time at `now` stays what it is.
    pub fn set_rate(&mut self, rate: f64, now: Instant) {
        self.set(self.at(now), now);
        self.rate = rate;
    }

    /// Sets the media time; the clock goes on running or standing.
    pub fn set(&mut self, media_secs: f64, now: Instant) {
        self.media_secs = media_secs;
        self.since = self.since.map(|_| now);
    }

    /// When the clock will show `media_secs`; `None` while it stands, `now` if that time has passed.
    #[must_use]
    pub fn when(&self, media_secs: f64, now: Instant) -> Option<Instant> {
        self.since?;
        let wait = ((media_secs - self.at(now)) / self.rate).max(0.0);
        // A day is as good as never, and keeps absurd timestamps from overflowing.
        Some(now + Duration::from_secs_f64(wait.min(86_400.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn it_runs_and_stands() {
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
    fn its_rate_changes_without_a_leap() {
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
    fn it_tells_when_a_time_comes() {
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

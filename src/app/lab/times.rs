//! The times of a method over its last runs: their medians, which stay readable during playback.

use std::collections::VecDeque;
use std::time::Duration;

/// Number of runs over which the median is taken.
const RUNS: usize = 15;

/// Times of passes, run by run, in microseconds.
#[derive(Debug, Default)]
pub struct Times {
    runs: VecDeque<Vec<Option<f64>>>,
}

impl Times {
    /// Adds the durations of the parts of a run; `None` if a part's duration is unknown.
    pub fn add(&mut self, parts: impl Iterator<Item = Option<Duration>>) {
        if self.runs.len() == RUNS {
            self.runs.pop_front();
        }
        self.runs.push_back(parts.map(|part| part.map(|time| time.as_secs_f64() * 1e6)).collect());
    }

    /// Returns the median duration of a part, in microseconds.
    #[must_use]
    pub fn part(&self, index: usize) -> Option<f64> {
        let mut times: Vec<f64> = self.runs.iter().filter_map(|run| *run.get(index)?).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_the_last_runs_is_returned() {
        let mut times = Times::default();
        assert_eq!(times.part(0), None);
        for micros in [9000, 1, 2, 3, 4] {
            times.add([Some(Duration::from_micros(micros)), None].into_iter());
        }
        assert_eq!((times.part(0), times.part(1), times.runs.len()), (Some(3.0), None, 5));
        for _ in 0..2 * RUNS {
            times.add([Some(Duration::from_micros(7))].into_iter());
        }
        assert_eq!((times.part(0), times.runs.len()), (Some(7.0), RUNS));
    }
}

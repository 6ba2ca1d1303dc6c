//! Loses the device on purpose, so that tests can check the recovery. Not part of a normal build.

/// The environment variable with the number of draws after which each device is lost, separated by commas.
const LOSE_AFTER: &str = "HISTOSCOPE_LOSE_AFTER";

/// The schedule of device losses.
#[derive(Debug, Clone)]
pub struct Losses {
    /// The number of draws after which each device is lost, starting with the current one.
    after: Vec<u64>,
    /// Draws so far with the current device.
    draws: u64,
}

impl Losses {
    /// Reads the schedule from the environment; it is usually empty.
    pub fn from_environment() -> Self {
        let text = std::env::var(LOSE_AFTER).unwrap_or_default();
        Self { after: text.split(',').filter_map(|count| count.parse().ok()).collect(), draws: 0 }
    }

    /// Returns the schedule for the device that follows this one.
    pub fn of_next_device(&self) -> Self {
        Self { after: self.after.iter().skip(1).copied().collect(), draws: 0 }
    }

    /// Counts a draw. Returns whether the device is to be lost after it.
    pub fn is_due(&mut self) -> bool {
        self.draws += 1;
        self.after.first() == Some(&self.draws)
    }
}

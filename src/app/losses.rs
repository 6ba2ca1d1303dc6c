//! Losing the device on purpose, so that a test can see what follows. The program is built without this.

/// Names after how many drawings devices are to be lost, one number for each device, separated by commas.
const LOSE_AFTER: &str = "HISTOSCOPE_LOSE_AFTER";

/// When devices are lost.
#[derive(Debug, Clone)]
pub struct Losses {
    /// After how many drawings each device is lost, beginning with this one.
    after: Vec<u64>,
    /// Drawings with this device.
    drawings: u64,
}

impl Losses {
    /// As the environment names them; usually none.
    pub fn from_environment() -> Self {
        let text = std::env::var(LOSE_AFTER).unwrap_or_default();
        Self { after: text.split(',').filter_map(|count| count.parse().ok()).collect(), drawings: 0 }
    }

    /// Those of the device that follows this one.
    pub fn of_next_device(&self) -> Self {
        Self { after: self.after.iter().skip(1).copied().collect(), drawings: 0 }
    }

    /// Counts a drawing. Returns whether the device is to be lost after it.
    pub fn is_due(&mut self) -> bool {
        self.drawings += 1;
        self.after.first() == Some(&self.drawings)
    }
}

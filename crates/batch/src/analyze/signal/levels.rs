//! What is read off a histogram of codes, by the filter's rounding.

/// The figures of one plane.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneSignal {
    /// Lowest code.
    pub min: u32,
    /// The 10 % level.
    pub low: u32,
    /// Mean code.
    pub average: f64,
    /// The 90 % level.
    pub high: u32,
    /// Highest code.
    pub max: u32,
    /// Bits that are set in at least one code.
    pub bit_depth: u32,
}

/// The figures of a plane whose samples have these codes.
#[must_use]
pub fn plane_signal(bins: &[u64]) -> PlaneSignal {
    let count: u64 = bins.iter().sum();
    let sum: u64 = bins.iter().zip(0..).map(|(&bin, code)| bin * code).sum();
    let used = || bins.iter().zip(0_u32..).filter(|(bin, _)| **bin > 0).map(|(_, code)| code);
    // The filter rounds the number of samples as lrint does, and takes the first level that reaches it.
    let level = |percent: f64| {
        let wanted = (count as f64 * percent / 100.0).round_ties_even() as u64;
        let mut up_to = 0;
        let reached = bins.iter().position(|&bin| {
            up_to += bin;
            up_to >= wanted
        });
        reached.unwrap_or(0) as u32
    };
    PlaneSignal {
        min: used().next().unwrap_or(0),
        low: level(10.0),
        average: sum as f64 / count.max(1) as f64,
        high: level(90.0),
        max: used().last().unwrap_or(0),
        bit_depth: used().fold(0, |bits, code| bits | code).count_ones(),
    }
}

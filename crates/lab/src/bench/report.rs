//! The results of a run, as a table and as JSON.

use std::fmt;

use serde::Serialize;

use super::measure::{Clock, Times};
use crate::{ChannelSet, Method};

/// A comparison of bins with the reference, over all checked pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Check {
    /// `true` if every bin of every channel was correct.
    pub exact: bool,
    /// Counts missing from bins that hold too few.
    pub lost: u64,
    /// Excess counts in bins that hold too many.
    pub surplus: u64,
    /// The correct number of counts: pixels times channels.
    pub expected: u64,
}

impl Check {
    /// Compares channels of bins with the correct ones. They are exact only if all bins, the number of channels and
    /// their lengths are equal.
    #[must_use]
    pub fn of<'a>(expected: impl IntoIterator<Item = &'a [u32]>, counted: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut check = Self { exact: true, ..Self::default() };
        let mut counted = counted.into_iter();
        for expected in expected {
            check.expected += expected.iter().map(|&count| u64::from(count)).sum::<u64>();
            let bins = counted.next().unwrap_or(&[]);
            check.exact &= expected == bins;
            let padded = bins.iter().copied().chain(std::iter::repeat(0));
            for (&expected, counted) in expected.iter().zip(padded) {
                check.lost += u64::from(expected.saturating_sub(counted));
                check.surplus += u64::from(counted.saturating_sub(expected));
            }
        }
        check.exact &= counted.next().is_none();
        check
    }

    /// Combines both checks.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            exact: self.exact && other.exact,
            lost: self.lost + other.lost,
            surplus: self.surplus + other.surplus,
            expected: self.expected + other.expected,
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: u64| part as f64 / self.expected.max(1) as f64 * 100.0;
        match *self {
            Self { exact: true, .. } => f.write_str("yes"),
            // A pixel in the wrong bin is missing from one and surplus in another.
            Self { surplus: 0, lost, .. } => write!(f, "no: lost {lost} of {} ({:.1} %)", self.expected, percent(lost)),
            Self { lost, surplus, .. } => write!(f, "no: {lost} missing, {surplus} too many, of {}", self.expected),
        }
    }
}

/// One pass of a row.
#[derive(Debug, Clone, Serialize)]
pub struct PassRow {
    /// The pass.
    pub name: &'static str,
    /// The time of the pass alone.
    pub times: Times,
}

/// The measurements of one method with one set of channels.
#[derive(Debug, Clone, Serialize)]
pub struct MethodRow {
    /// The method.
    pub method: Method,
    /// The channels.
    pub channels: ChannelSet,
    /// Width and height of the measured pictures.
    pub size: (u32, u32),
    /// The times. `None` if they were not measured; `note` then gives the reason.
    pub times: Option<Times>,
    /// The time per pixel, divided by the time of the tutorial's last method. `None` if one of them was not measured.
    pub relative: Option<f64>,
    /// The time per pixel, divided by the time of the plain loop on the CPU.
    pub of_loop: Option<f64>,
    /// The time per pixel, divided by the time of the floor.
    pub of_floor: Option<f64>,
    /// Gigabytes (10⁹ bytes) per second: the picture's bytes as the method reads them, divided by its median time.
    pub gb_per_s: Option<f64>,
    /// The check of its bins. `None` if it has no bins.
    pub check: Option<Check>,
    /// The passes, if there are several and the adapter can time them.
    pub passes: Vec<PassRow>,
    /// Pixels of a chunk, or invocations of a workgroup, if the method has them.
    pub chunk: Option<(u32, u32)>,
    /// A remark.
    pub note: Option<String>,
}

impl MethodRow {
    /// Returns `true` if none of its medians kept changing.
    fn is_settled(&self) -> bool {
        self.times.iter().chain(self.passes.iter().map(|pass| &pass.times)).all(|times| times.settled)
    }
}

/// The results of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The name of the adapter.
    pub adapter: String,
    /// The graphics interface and driver.
    pub driver: String,
    /// `true` if the adapter computes on the CPU.
    pub software: bool,
    /// The threads that our CPU engine uses.
    pub cpu_threads: usize,
    /// The instructions that our CPU engine uses.
    pub cpu_instructions: String,
    /// The clock of the GPU's times.
    pub gpu_clock: Clock,
    /// Width and height of the pictures.
    pub size: (u32, u32),
    /// FFmpeg's name of their layout.
    pub layout: String,
    /// The content of the pictures.
    pub content: String,
    /// The number of different pictures.
    pub pictures: usize,
    /// Bins per channel.
    pub bin_count: u32,
    /// The rows.
    pub rows: Vec<MethodRow>,
}

impl Report {
    /// Returns the report as JSON.
    ///
    /// # Errors
    /// Never in practice: everything in a report has a JSON form.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    /// Fills in the times relative to other methods in the same run.
    pub(super) fn relate(&mut self) {
        let per_pixel =
            |row: &MethodRow| row.times.map(|t| t.median_us / f64::from(row.size.0) / f64::from(row.size.1));
        for channels in [ChannelSet::One, ChannelSet::Four] {
            let time_of = |method| {
                let row = self.rows.iter().find(|row| row.method == method && row.channels == channels);
                row.and_then(per_pixel)
            };
            let (last, plain, floor) = (time_of(Method::Pairwise), time_of(Method::Scalar), time_of(Method::Floor));
            for row in self.rows.iter_mut().filter(|row| row.channels == channels) {
                let over = |base: Option<f64>| Some(per_pixel(row)? / base?);
                (row.relative, row.of_loop, row.of_floor) = (over(last), over(plain), over(floor));
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { adapter, driver, cpu_threads, cpu_instructions, size, layout, content, pictures, bin_count, .. } =
            self;
        writeln!(f, "{adapter} ({driver}); CPU: {cpu_threads} threads, {cpu_instructions}")?;
        writeln!(f, "{}×{} {layout}, {content}; {pictures} different pictures; {bin_count} bins", size.0, size.1)?;
        writeln!(
            f,
            "GPU times are {}; CPU times are wall-clock times",
            match self.gpu_clock {
                Clock::Timestamps => "from timestamp queries",
                Clock::Wall =>
                    "wall-clock times and include submission and waiting, since the adapter has no timestamp queries",
            }
        )?;
        for (channels, title) in [
            (ChannelSet::One, "one channel: luminance"),
            (ChannelSet::Four, "four channels: red, green, blue, luminance"),
        ] {
            let mut rows = self.rows.iter().filter(|row| row.channels == channels).peekable();
            if rows.peek().is_none() {
                continue;
            }
            writeln!(f)?;
            write!(f, "{title:<48}{:>11}{:>11}", "median µs", "min µs")?;
            writeln!(f, "{:>10}{:>10}{:>10}{:>8}  exact", "relative", "of loop", "of floor", "GB/s")?;
            for row in rows {
                write_row(f, row)?;
            }
        }
        if self.rows.iter().any(|row| !row.is_settled()) {
            writeln!(f, "\n~: the median kept changing; the GPU may be warm, busy, or saving power")?;
        }
        writeln!(
            f,
            "\nTimes per pixel, relative to another method (below 1 is faster). relative: to the tutorial's last method, chunks \
             reduced pair by pair; of loop: to the plain loop on the CPU; of floor: to only reading the planes"
        )
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, row: &MethodRow) -> fmt::Result {
    write!(f, "  {:<10}{:<36}", row.method.name(), row.method.title())?;
    write_times(f, row.times)?;
    let number = |value: Option<f64>, digits: usize| value.map_or("-".into(), |v| format!("{v:.digits$}"));
    write!(f, "{:>10}{:>10}{:>10}", number(row.relative, 3), number(row.of_loop, 3), number(row.of_floor, 2))?;
    write!(f, "{:>8}", number(row.gb_per_s, 1))?;
    match &row.check {
        Some(check) => writeln!(f, "  {check}")?,
        None => writeln!(f, "  -")?,
    }
    for pass in &row.passes {
        write!(f, "      {:<42}", pass.name)?;
        write_times(f, Some(pass.times))?;
        writeln!(f)?;
    }
    match &row.note {
        Some(note) => writeln!(f, "      {note}"),
        None => Ok(()),
    }
}

fn write_times(f: &mut fmt::Formatter<'_>, times: Option<Times>) -> fmt::Result {
    match times {
        Some(times) => {
            let median = format!("{}{:.1}", if times.settled { "" } else { "~" }, times.median_us);
            write!(f, "{median:>11}{:>11.1}", times.min_us)
        }
        None => write!(f, "{:>11}{:>11}", "-", "-"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: &[&[u32]], counted: &[&[u32]]) -> Check {
        Check::of(expected.iter().copied(), counted.iter().copied())
    }

    #[test]
    fn equal_bins_are_exact() {
        assert_eq!(check(&[&[3, 0, 4], &[7, 0, 0]], &[&[3, 0, 4], &[7, 0, 0]]).to_string(), "yes");
    }

    #[test]
    fn one_wrong_count_is_not_exact() {
        let lost = check(&[&[3, 0, 4]], &[&[3, 0, 3]]);
        assert_eq!(lost, Check { exact: false, lost: 1, surplus: 0, expected: 7 });
        assert_eq!(lost.to_string(), "no: lost 1 of 7 (14.3 %)");
        let moved = check(&[&[3, 0, 4]], &[&[3, 1, 3]]);
        assert_eq!(moved, Check { exact: false, lost: 1, surplus: 1, expected: 7 });
        assert_eq!(moved.to_string(), "no: 1 missing, 1 too many, of 7");
        assert!(!lost.and(check(&[&[1]], &[&[1]])).exact, "one correct picture does not make up for a wrong one");
    }

    #[test]
    fn bins_of_another_shape_are_not_exact() {
        assert!(!check(&[&[1, 2], &[3]], &[&[1, 2]]).exact, "a channel is missing");
        assert!(!check(&[&[1, 2]], &[&[1, 2], &[3]]).exact, "a channel is too many");
        assert!(!check(&[&[1, 0]], &[&[1]]).exact, "a bin is missing");
        assert!(!check(&[&[1]], &[&[1, 0]]).exact, "a bin is too many");
    }
}

//! A clip's figures for people, in place of a flood of records.

use std::fmt;

use super::pipeline::{Counted, Outcome};
use crate::adjust::Adjustments;
use crate::histogram::ClipHistogram;
use crate::media::StreamInfo;
use crate::text::counted;

/// What a clip adds up to.
#[derive(Debug, Default)]
pub struct Overview {
    lines: Vec<String>,
    adjustments: String,
    histogram: ClipHistogram,
    first: Option<String>,
    frames: u64,
    keys: u64,
    damaged: u64,
    left_out: u64,
    /// The frame with the largest share out of range: number, time, share.
    worst: Option<(u64, f64, f64)>,
}

impl Overview {
    /// The overview of a video of which nothing is counted yet.
    #[must_use]
    pub fn new(info: &StreamInfo, adjustments: &Adjustments) -> Self {
        let rate = info.average_rate.map_or_else(String::new, |rate| format!(", {:.3} frames a second", rate.value()));
        let head = format!("{}: {}{rate}", info.path.display(), info.codec);
        Self { lines: vec![head], adjustments: adjustments.to_string(), ..Self::default() }
    }

    /// Adds a frame.
    pub fn add(&mut self, counted: &Counted) {
        let facts = &counted.facts;
        self.frames += 1;
        self.keys += u64::from(facts.key);
        self.damaged += u64::from(facts.damaged);
        self.first.get_or_insert_with(|| {
            let color = &facts.colorimetry;
            format!(
                "{}×{}, {} bits, {}, matrix {} ({}), range {} ({})",
                facts.size.0,
                facts.size.1,
                facts.depth,
                facts.source.pixel_format,
                color.matrix.value,
                color.matrix.origin,
                color.range.value,
                color.range.origin
            )
        });
        for histogram in [&counted.counts.rgbl, &counted.counts.coded].into_iter().flatten() {
            self.left_out += u64::from(!self.histogram.add(histogram));
        }
        if let Some(histogram) = &counted.counts.rgbl {
            let samples: u64 = histogram.bins(0).iter().map(|&bin| u64::from(bin)).sum();
            let outside: u64 = (0..3).flat_map(|channel| histogram.out_of_range(channel)).map(u64::from).sum();
            let share = outside as f64 / (3 * samples.max(1)) as f64;
            if share > self.worst.map_or(0.0, |(_, _, worst)| worst) {
                self.worst = Some((facts.number, facts.time_secs, share));
            }
        }
    }

    /// Adds how the run ended.
    pub fn end(&mut self, outcome: &Outcome) {
        self.lines.extend(self.first.take());
        if !self.adjustments.is_empty() {
            self.lines.push(format!("counted as adjusted: {}", self.adjustments));
        }
        let seconds = outcome.end_secs;
        self.lines.push(format!(
            "{} counted, {}, {} damaged; frames {} to {}, up to {seconds:.3} s",
            counted(self.frames, "frame"),
            counted(self.keys, "key frame"),
            self.damaged,
            outcome.frames.start,
            outcome.frames.end.saturating_sub(1).max(outcome.frames.start),
        ));
    }
}

impl fmt::Display for Overview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        write!(
            f,
            "{:<10} {:>6} {:>6} {:>9} {:>9} {:>6} {:>6} {:>6} {:>9} {:>9} {:>9}",
            "channel", "min", "max", "mean", "std dev", "p1", "median", "p99", "lowest", "highest", "outside"
        )?;
        for (name, figures) in self.histogram.stats() {
            let percent = |share: f64| format!("{:.4} %", share * 100.0);
            write!(
                f,
                "\n{name:<10} {:>6} {:>6} {:>9.2} {:>9.2} {:>6} {:>6} {:>6} {:>9} {:>9} {:>9}",
                figures.min,
                figures.max,
                figures.mean,
                figures.std_dev,
                figures.p1,
                figures.median,
                figures.p99,
                percent(figures.share_lowest),
                percent(figures.share_highest),
                percent(figures.share_out_of_range),
            )?;
        }
        if let Some((number, secs, share)) = self.worst {
            write!(f, "\nmost out of range: {:.4} % of the samples in frame {number}, at {secs:.3} s", share * 100.0)?;
        }
        if self.left_out > 0 {
            write!(
                f,
                "\n{} histograms of another bit depth than the first frame's are not in the table",
                self.left_out
            )?;
        }
        Ok(())
    }
}

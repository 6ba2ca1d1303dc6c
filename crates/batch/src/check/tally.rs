//! The figures of a file that only a check asks for, collected frame by frame.

use super::bars::{BarFinder, BarStretch};
use super::exposure::{Jump, JumpFinder};
use super::finding::{FramePoint, Span};
use super::profile::{Check, Profile};
use crate::analyze::pipeline::CountedFrame;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::region::Rect;
use histoscope_core::strip::{Cut, MAX_LISTED};

/// The share of a frame's luminance that must reach a level for it to count as the frame's peak or black.
const LEVEL_SHARE: f64 = 0.001;
/// The longest pattern of repeated frames that is recognized, in frames.
const MAX_PERIOD: usize = 12;
/// The maximum gap in seconds within a stretch of values that flicker around a threshold, as for clipped frames.
const GAP_SECS: f64 = 0.5;

/// Frames with a finding, and the largest of their values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    pub span: Span,
    pub value: f64,
    /// The frame with that value.
    pub worst: FramePoint,
}

impl Stretch {
    const fn new(span: Span, value: f64) -> Self {
        let worst = FramePoint { frame: span.frame, time_secs: span.start_secs };
        Self { span, value, worst }
    }
}

/// The stretches of one check.
#[derive(Debug, Default)]
pub struct Stretches {
    /// The longest gap within a stretch, in seconds.
    gap_secs: f64,
    open: Option<Stretch>,
    done: Vec<Stretch>,
}

impl Stretches {
    fn with_gap(gap_secs: f64) -> Self {
        Self { gap_secs, ..Self::default() }
    }

    /// Takes the next frame, and its value if it belongs to a stretch.
    fn push(&mut self, here: Span, value: Option<f64>) {
        // Times have rounding errors.
        let is_apart = |open: &Stretch| here.start_secs - open.span.end_secs >= self.gap_secs - 1e-6;
        if value.is_none() && self.open.as_ref().is_some_and(is_apart) {
            self.close();
        }
        match (&mut self.open, value) {
            (Some(open), Some(value)) => {
                (open.span.last, open.span.end_secs) = (here.last, here.end_secs);
                if value > open.value {
                    *open = Stretch { span: open.span, ..Stretch::new(here, value) };
                }
            }
            (None, Some(value)) => self.open = Some(Stretch::new(here, value)),
            (_, None) => {}
        }
    }

    fn close(&mut self) {
        self.done.extend(self.open.take().filter(|_| self.done.len() < MAX_LISTED));
    }

    fn finish(mut self) -> Vec<Stretch> {
        self.close();
        self.done
    }
}

/// Finds patterns of repeated frames: each period has the same frames repeated, and some that are not.
#[derive(Debug, Default)]
struct CadenceFinder {
    /// For the latest frames, `true` if they repeat the one before.
    latest: Vec<bool>,
    /// For each period, the number of frames for which the pattern has held.
    holds: [u64; MAX_PERIOD + 1],
    /// The pattern that holds: its period.
    period: Option<usize>,
    stretches: Stretches,
    /// Start times of the frames in `latest`, with the number of each.
    begun: Vec<(u64, f64)>,
}

impl CadenceFinder {
    fn push(&mut self, here: Span, repeats: bool, periods: f64) {
        for period in 2..=MAX_PERIOD {
            let at = self.latest.len().checked_sub(period);
            let is_same = at.is_some_and(|at| self.latest[at] == repeats);
            self.holds[period] = if is_same { self.holds[period] + 1 } else { 0 };
        }
        self.latest.push(repeats);
        self.begun.push((here.frame, here.start_secs));
        if self.latest.len() > MAX_PERIOD {
            self.latest.remove(0);
            self.begun.remove(0);
        }
        let holds = |period: usize| {
            let window = &self.latest[self.latest.len().saturating_sub(period)..];
            let is_pattern = window.contains(&true) && window.contains(&false);
            is_pattern && self.holds[period] as f64 >= (periods - 1.0) * period as f64
        };
        self.period =
            self.period.filter(|period| self.holds[*period] > 0).or_else(|| (2..=MAX_PERIOD).find(|&p| holds(p)));
        let repeated = self.period.map(|period| {
            let window = &self.latest[self.latest.len().saturating_sub(period)..];
            window.iter().filter(|repeats| **repeats).count() as f64 / period as f64
        });
        let is_new = self.stretches.open.is_none();
        self.stretches.push(here, repeated);
        if let (true, Some(open), Some(period)) = (is_new, &mut self.stretches.open, self.period) {
            // The pattern began with the first period that it was compared with. Its time is known for the latest
            // frames only, so it is counted back at the rate of this frame.
            let before = self.holds[period] + period as u64 - 1;
            open.span.frame = here.frame.saturating_sub(before);
            open.span.start_secs = (here.start_secs - before as f64 * (here.end_secs - here.start_secs)).max(0.0);
        }
    }
}

/// The levels of the luminance, as fractions of the scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    pub black: f64,
    pub peak: f64,
}

/// The figures of a file.
#[derive(Debug)]
pub struct Tally {
    range_share: f64,
    peak_level: f64,
    gap: f64,
    periods: f64,
    before: Option<Span>,
    range: Stretches,
    peak: Stretches,
    damaged: Stretches,
    gaps: Vec<Stretch>,
    cadence: CadenceFinder,
    bars: BarFinder,
    /// The active picture of the last frame.
    active: Option<Rect>,
    jumps: JumpFinder,
    levels: Option<Levels>,
    /// The frames so far.
    pub all: Option<Span>,
}

/// The figures of a file that has ended.
#[derive(Debug)]
pub struct Tallied {
    /// Stretches out of range; the value is the share of pixels.
    pub range: Vec<Stretch>,
    /// Stretches above the peak level; the value is the level.
    pub peak: Vec<Stretch>,
    /// Damaged frames.
    pub damaged: Vec<Stretch>,
    /// Gaps of the time stamps; the value is their length in frame durations.
    pub gaps: Vec<Stretch>,
    /// Patterns of repeated frames; the value is the share of repeated frames.
    pub cadence: Vec<Stretch>,
    /// Stretches with black bars.
    pub bars: Vec<BarStretch>,
    /// Jumps of the exposure.
    pub jumps: Vec<Jump>,
    /// The levels of the clip, if the luminance was counted.
    pub levels: Option<Levels>,
}

impl Tally {
    /// `may_have_gaps` is `false` if each frame lasts until the next, whatever duration FFmpeg reports.
    pub fn new(profile: &Profile, may_have_gaps: bool) -> Self {
        let threshold = |check| profile.rule(check).threshold;
        Self {
            range_share: threshold(Check::Range) / 100.0,
            peak_level: threshold(Check::Peak) / 100.0,
            gap: if may_have_gaps { threshold(Check::Gaps) } else { f64::INFINITY },
            periods: threshold(Check::Cadence),
            before: None,
            range: Stretches::with_gap(GAP_SECS),
            peak: Stretches::with_gap(GAP_SECS),
            damaged: Stretches::default(),
            gaps: Vec::new(),
            cadence: CadenceFinder::default(),
            bars: BarFinder::default(),
            active: None,
            jumps: JumpFinder::new(threshold(Check::Exposure) / 100.0),
            levels: None,
            all: None,
        }
    }

    /// Takes the next frame.
    pub fn add(&mut self, counted: &CountedFrame) {
        let facts = &counted.frame.facts;
        let end_secs = facts.time_secs + facts.duration_secs.max(0.0);
        let here = Span { frame: counted.number, last: counted.number, start_secs: facts.time_secs, end_secs };
        self.all = Some(self.all.map_or(here, |all| Span { frame: all.frame, start_secs: all.start_secs, ..here }));
        let pixels = f64::from(counted.frame.size.0) * f64::from(counted.frame.size.1);
        let outside = counted.inspected.outside_r103.map(|outside| f64::from(outside) / pixels);
        self.range.push(here, outside.filter(|share| *share > self.range_share));
        let levels = counted.counts.rgbl.as_ref().and_then(levels);
        self.peak.push(here, levels.map(|levels| levels.peak).filter(|peak| *peak > self.peak_level));
        if let Some(levels) = levels {
            let known = self.levels.get_or_insert(levels);
            (known.black, known.peak) = (known.black.min(levels.black), known.peak.max(levels.peak));
        }
        self.damaged.push(here, facts.damaged.then_some(0.0));
        if let Some(before) = self.before.filter(|before| before.end_secs > before.start_secs) {
            // In durations of the frame before, which is what the file states.
            let length = (here.start_secs - before.start_secs) / (before.end_secs - before.start_secs);
            if length > self.gap && self.gaps.len() < MAX_LISTED {
                let span = Span { start_secs: before.start_secs, end_secs: here.start_secs, ..before };
                self.gaps.push(Stretch::new(span, length));
            }
        }
        self.cadence.push(here, counted.inspected.repeats, self.periods);
        let active = counted.inspected.active;
        self.bars.push(here, active);
        if let Some(histogram) = &counted.counts.rgbl {
            // A bar that appears darkens the picture, too.
            let picture = active.map(|active| active.picture);
            let has_same_bars = std::mem::replace(&mut self.active, picture) == picture;
            self.jumps.push(here, mean_luminance(histogram), counted.inspected.resembles && has_same_bars);
        }
        self.before = Some(here);
    }

    /// Ends the file, whose cuts are known by now.
    pub fn finish(self, cuts: &[Cut]) -> Tallied {
        Tallied {
            range: self.range.finish(),
            peak: self.peak.finish(),
            damaged: self.damaged.finish(),
            gaps: self.gaps,
            cadence: self.cadence.stretches.finish(),
            bars: self.bars.finish(),
            jumps: self.jumps.finish(cuts),
            levels: self.levels,
        }
    }
}

/// Returns the mean luminance as a fraction of the scale.
fn mean_luminance(histogram: &Histogram) -> f64 {
    histogram.stats(3, None).mean / (histogram.bin_count() - 1) as f64
}

/// Returns the levels that at least a thousandth of the luminance does not exceed, and reaches.
fn levels(histogram: &Histogram) -> Option<Levels> {
    if histogram.components != Components::Rgbl {
        return None;
    }
    let bins = histogram.bins(3);
    let count: u64 = bins.iter().map(|&bin| u64::from(bin)).sum();
    let least = (count as f64 * LEVEL_SHARE).max(1.0);
    let at = |from_above: bool| {
        let mut sum = 0.0;
        let at = |step: usize| if from_above { bins.len() - 1 - step } else { step };
        let step = (0..bins.len()).find(|&step| {
            sum += f64::from(bins[at(step)]);
            sum >= least
        });
        Some(at(step?) as f64 / (bins.len() - 1) as f64)
    };
    Some(Levels { black: at(false)?, peak: at(true)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the patterns in these frames; 'r' repeats the one before.
    fn cadences(frames: &str) -> Vec<(u64, u64)> {
        let mut finder = CadenceFinder::default();
        for (frame, letter) in (0..).zip(frames.chars()) {
            let (start_secs, end_secs) = (frame as f64, frame as f64 + 1.0);
            finder.push(Span { frame, last: frame, start_secs, end_secs }, letter == 'r', 4.0);
        }
        finder.stretches.finish().iter().map(|stretch| (stretch.span.frame, stretch.span.last)).collect()
    }

    #[test]
    fn repeated_frames_in_a_pattern_are_a_cadence() {
        assert_eq!(cadences(&"....r".repeat(10)), [(0, 49)]);
        assert_eq!(cadences(&".r.rr".repeat(10)), [(0, 49)]);
        let doubled = format!("{}{}{}", ".".repeat(20), ".r".repeat(20), ".".repeat(20));
        assert_eq!(cadences(&doubled).len(), 1, "{:?}", cadences(&doubled));
        for none in [".".repeat(100), format!(".{}", "r".repeat(100)), format!("{}r{}", ".".repeat(30), ".".repeat(30))]
        {
            assert_eq!(cadences(&none), [], "{none}");
        }
    }

    #[test]
    fn levels_ignore_a_few_pixels() {
        let mut histogram = Histogram::empty(8, Components::Rgbl);
        histogram.bins_mut(3)[51] = 99_990;
        histogram.bins_mut(3)[0] = 5;
        histogram.bins_mut(3)[255] = 5;
        assert_eq!(levels(&histogram), Some(Levels { black: 0.2, peak: 0.2 }));
        histogram.bins_mut(3)[204] = 5000;
        assert_eq!(levels(&histogram), Some(Levels { black: 0.2, peak: 0.8 }));
        assert_eq!(levels(&Histogram::empty(8, Components::Rgbl)), None);
    }

    #[test]
    fn stretches_end_with_the_clip() {
        let found = |gap_secs| {
            let mut stretches = Stretches::with_gap(gap_secs);
            for (frame, value) in (0..).zip([None, Some(0.2), Some(0.3), None, Some(0.1)]) {
                let (start_secs, end_secs) = (frame as f64, frame as f64 + 1.0);
                stretches.push(Span { frame, last: frame, start_secs, end_secs }, value);
            }
            let found = stretches.finish();
            found.iter().map(|s| (s.span.frame, s.span.last, s.value, s.worst.frame)).collect::<Vec<_>>()
        };
        assert_eq!(found(0.0), [(1, 2, 0.3, 2), (4, 4, 0.1, 4)]);
        assert_eq!(found(1.5), [(1, 4, 0.3, 2)]);
    }
}

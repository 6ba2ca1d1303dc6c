//! The figures of a whole sound track in steps of 100 ms, and what meters show of them.

use std::ops::RangeInclusive;

use super::{SoundFigures, SoundSummary, decibels};

/// The length of a step, in seconds.
pub const STEP_SECS: f64 = 0.1;
/// The most channels whose levels are kept.
const MOST_CHANNELS: usize = 8;
/// Number of steps for which meters hold a peak.
const HELD_STEPS: usize = 20;
/// The longest time between two frames that only were dropped, in seconds.
const MOST_DROPPED_SECS: f64 = 0.5;

/// Loudness in LUFS and the highest true peak of any channel in dBTP; `None` for silence.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Loudness {
    /// Momentary loudness.
    pub momentary: Option<f64>,
    /// Short-term loudness.
    pub short_term: Option<f64>,
    /// The true peak.
    pub true_peak: Option<f64>,
}

impl Loudness {
    /// Returns the higher of each figure.
    #[must_use]
    pub fn highest(self, other: Self) -> Self {
        let highest = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        Self {
            momentary: highest(self.momentary, other.momentary),
            short_term: highest(self.short_term, other.short_term),
            true_peak: highest(self.true_peak, other.true_peak),
        }
    }
}

/// The levels of a channel, in decibels of full scale; `None` for silence.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeterLevels {
    /// The root mean square.
    pub rms: Option<f64>,
    /// The true peak.
    pub peak: Option<f64>,
    /// The highest true peak of the last two seconds.
    pub held: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Step {
    momentary: Option<f32>,
    short_term: Option<f32>,
    correlation: Option<f32>,
    true_peak: f32,
}

/// The levels of a channel in a step, as factors of full scale.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Level {
    rms: f32,
    true_peak: f32,
}

/// The figures of a sound track from its beginning to where it has been measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SoundTrace {
    begin_secs: f64,
    channels: usize,
    steps: Vec<Step>,
    /// Those of each step's channels side by side.
    levels: Vec<Level>,
    is_complete: bool,
    summary: Option<SoundSummary>,
}

impl SoundTrace {
    /// Creates the trace of a track that begins at this time.
    #[must_use]
    pub fn new(begin_secs: f64, channels: usize) -> Self {
        Self { begin_secs, channels: channels.min(MOST_CHANNELS), ..Self::default() }
    }

    /// Adds the figures of the next step.
    pub fn push(&mut self, figures: &SoundFigures) {
        // Without samples, the loudness is that of samples before.
        let figures = if figures.samples == 0 { &SoundFigures::default() } else { figures };
        let low = |value: f64| value as f32;
        self.steps.push(Step {
            momentary: figures.momentary.map(low),
            short_term: figures.short_term.map(low),
            correlation: figures.correlation.map(low),
            true_peak: low(figures.true_peak),
        });
        let levels =
            figures.channels.iter().map(|level| Level { rms: low(level.rms), true_peak: low(level.true_peak) });
        self.levels.extend(levels.chain(std::iter::repeat(Level::default())).take(self.channels));
    }

    /// Notes that the track ends here, with the figures of the whole, if it has any.
    pub fn finish(&mut self, summary: Option<SoundSummary>) {
        (self.is_complete, self.summary) = (true, summary);
    }

    /// Returns `true` if the whole track has been measured.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the figures of the whole track, once they are known.
    #[must_use]
    pub const fn summary(&self) -> Option<&SoundSummary> {
        self.summary.as_ref()
    }

    /// Returns the time up to which the track has been measured, in seconds.
    #[must_use]
    pub fn end_secs(&self) -> f64 {
        self.begin_secs + STEP_SECS * self.steps.len() as f64
    }

    /// Returns the last step that has ended by this time.
    #[must_use]
    pub fn step_at(&self, secs: f64) -> Option<usize> {
        // Times of frames are rounded.
        let ended = ((secs - self.begin_secs) / STEP_SECS + 1e-4).floor();
        (ended >= 1.0).then(|| ended as usize - 1)
    }

    /// Returns the steps that end after one time and up to another; without any, the one before.
    #[must_use]
    pub fn steps_in(&self, begin_secs: f64, end_secs: f64) -> Option<RangeInclusive<usize>> {
        let last = self.step_at(end_secs)?;
        Some(self.step_at(begin_secs).map_or(0, |step| step + 1).min(last)..=last)
    }

    /// Returns the short-term loudness at the end of a step.
    #[must_use]
    pub fn short_term(&self, step: usize) -> Option<f64> {
        self.steps.get(step)?.short_term.map(f64::from)
    }

    /// Returns the loudness at the end of a step.
    #[must_use]
    pub fn loudness(&self, step: usize) -> Loudness {
        let step = self.steps.get(step).copied().unwrap_or_default();
        Loudness {
            momentary: step.momentary.map(f64::from),
            short_term: step.short_term.map(f64::from),
            true_peak: decibels(step.true_peak.into()),
        }
    }

    /// Returns the correlation of the first two channels in a step.
    #[must_use]
    pub fn correlation(&self, step: usize) -> Option<f64> {
        self.steps.get(step)?.correlation.map(f64::from)
    }

    /// Returns the levels of each channel at the end of a step; without one, they are silent.
    #[must_use]
    pub fn levels(&self, step: Option<usize>) -> Vec<MeterLevels> {
        let of = |step: usize, channel: usize| self.levels.get(step * self.channels + channel).copied();
        let channel = |channel| {
            let Some((step, level)) = step.and_then(|step| Some((step, of(step, channel)?))) else {
                return MeterLevels::default();
            };
            let before = (step + 1).saturating_sub(HELD_STEPS)..=step;
            let held = before.filter_map(|step| of(step, channel)).map(|level| level.true_peak).fold(0.0, f32::max);
            let [rms, peak, held] = [level.rms, level.true_peak, held].map(|factor| decibels(factor.into()));
            MeterLevels { rms, peak, held }
        };
        (0..self.channels).map(channel).collect()
    }
}

/// The highest loudness and true peak of what was shown since they were last forgotten.
#[derive(Debug, Clone, Default)]
pub struct HeldLoudness {
    highest: Loudness,
    /// The frame that was shown last, from its beginning to its end in seconds.
    last: Option<(f64, f64)>,
    /// Times that were shown, but had not been measured by then.
    waiting: Vec<(f64, f64)>,
}

impl HeldLoudness {
    /// Adds the frame on screen, from its beginning to its end in seconds, as far as its sound has been measured.
    pub fn show(&mut self, trace: &SoundTrace, (begin, end): (f64, f64)) {
        if self.last != Some((begin, end)) {
            let last = self.last.replace((begin, end)).map(|(_, end)| end);
            // Frames that are dropped while the video plays are heard.
            let begin = last.filter(|last| (-1e-3..MOST_DROPPED_SECS).contains(&(begin - last))).unwrap_or(begin);
            self.waiting.push((begin, end));
        }
        self.waiting.retain(|&(begin, end)| {
            let is_known = trace.is_complete || end <= trace.end_secs();
            for step in trace.steps_in(begin, end).filter(|_| is_known).into_iter().flatten() {
                self.highest = self.highest.highest(trace.loudness(step));
            }
            !is_known
        });
    }

    /// Returns the highest figures.
    #[must_use]
    pub const fn highest(&self) -> Loudness {
        self.highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::ChannelLevel;

    /// Returns a trace from a second on, in whose steps the level of the first channel is −10 dB, −11 dB and so on.
    fn trace(steps: usize) -> SoundTrace {
        let mut trace = SoundTrace::new(1.0, 2);
        for step in 0..steps {
            let level = -10.0 - step as f64;
            let factor = 10_f64.powf(level / 20.0);
            let first = ChannelLevel { sample_peak: factor, true_peak: factor, rms: factor / 2.0 };
            trace.push(&SoundFigures {
                momentary: Some(level),
                short_term: Some(level - 5.0),
                true_peak: factor,
                samples: 9600,
                channels: vec![first, ChannelLevel::default()],
                ..SoundFigures::default()
            });
        }
        trace
    }

    fn is_near(found: Option<f64>, wanted: f64) -> bool {
        found.is_some_and(|found| (found - wanted).abs() < 1e-4)
    }

    #[test]
    fn a_time_has_the_figures_of_the_last_step_that_has_ended() {
        let trace = trace(30);
        let steps = [0.0, 1.099, 1.1, 1.199, 3.99, 4.0].map(|secs| trace.step_at(secs));
        assert_eq!(steps, [None, None, Some(0), Some(0), Some(28), Some(29)]);
        assert_eq!(trace.steps_in(1.5, 1.7), Some(5..=6));
        assert_eq!(trace.steps_in(1.52, 1.56), Some(4..=4), "none ends there");
        assert_eq!((trace.steps_in(0.0, 1.2), trace.steps_in(0.0, 1.0)), (Some(0..=1), None));
        assert_eq!(trace.loudness(3).momentary, Some(-13.0));
        assert_eq!((trace.loudness(30), trace.correlation(30)), (Loudness::default(), None), "not measured");
    }

    #[test]
    fn peaks_are_held_for_two_seconds() {
        let trace = trace(30);
        let [first, second] = trace.levels(Some(24))[..] else { panic!("two channels") };
        assert!(is_near(first.peak, -34.0) && is_near(first.rms, -34.0 - 6.0206));
        assert!(is_near(first.held, -15.0), "20 steps back to the sixth, not further: {first:?}");
        assert_eq!(second, MeterLevels::default());
        assert!(is_near(trace.levels(Some(3))[0].held, -10.0));
        assert_eq!(
            [None, Some(30)].map(|step| trace.levels(step)),
            [const { [MeterLevels { rms: None, peak: None, held: None }; 2] }; 2]
        );
    }

    #[test]
    fn a_gap_in_the_sound_has_no_loudness() {
        let mut trace = trace(2);
        trace.push(&SoundFigures { momentary: Some(-9.0), ..SoundFigures::default() });
        assert_eq!((trace.loudness(2), trace.levels(Some(2))[0].peak), (Loudness::default(), None));
    }

    #[test]
    fn the_highest_of_what_was_shown_is_held_however_late_it_is_measured() {
        let of = |held: &HeldLoudness| held.highest().momentary;
        let (begun, mut whole) = (trace(8), trace(30));
        whole.finish(None);
        let mut held = HeldLoudness::default();
        held.show(&begun, (1.5, 1.54));
        assert_eq!(of(&held), Some(-14.0));
        held.show(&begun, (2.9, 3.0));
        held.show(&begun, (1.3, 1.34));
        assert_eq!(of(&held), Some(-12.0), "the second one has not been measured yet");
        held.show(&whole, (1.3, 1.34));
        assert_eq!((of(&held), held.waiting.len()), (Some(-12.0), 0));
        // A seek leaves out what is between; dropped frames do not.
        let mut held = HeldLoudness::default();
        for frame in [(3.0, 3.04), (1.9, 1.94), (2.3, 2.34)] {
            held.show(&whole, frame);
        }
        assert_eq!(of(&held), Some(-18.0), "the step before the earliest frame");
        let mut late = HeldLoudness::default();
        for (trace, frame) in [(&begun, (2.2, 2.24)), (&begun, (2.6, 2.64)), (&whole, (2.6, 2.64))] {
            late.show(trace, frame);
        }
        assert_eq!(of(&late), Some(-21.0));
        // Not the frame's own step, but one that was dropped before it, is the highest.
        let mut rising = SoundTrace::new(0.0, 0);
        for level in [-30.0, -10.0, -30.0] {
            rising.push(&SoundFigures { momentary: Some(level), samples: 1, ..SoundFigures::default() });
        }
        let mut playing = HeldLoudness::default();
        for frame in [(0.1, 0.14), (0.3, 0.34)] {
            playing.show(&rising, frame);
        }
        assert_eq!(of(&playing), Some(-30.0), "the last one has not been measured to its end");
        rising.finish(None);
        playing.show(&rising, (0.3, 0.34));
        assert_eq!(of(&playing), Some(-10.0));
    }
}

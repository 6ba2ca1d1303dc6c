//! Figures of every frame, which a line over the strip shows.

use serde::{Deserialize, Serialize};

use crate::histogram::{ChannelStats, Components, Histogram, LightFigures};
use crate::picture::stated_light::FrameStatedLight;

/// The figure that the line over the strip shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StripLine {
    /// No line.
    #[default]
    Off,
    /// Mean code of luminance.
    Mean,
    /// Median code of luminance.
    Median,
    /// The code that 1 % of luminance does not exceed.
    Darkest,
    /// The code that 99 % of luminance does not exceed.
    Brightest,
    /// The largest share of a channel that is out of range.
    OutOfRange,
    /// Mean absolute difference to the frame before, as a fraction of the scale.
    Difference,
    /// Light of the brightest pixel in cd/m², for PQ and HLG.
    PeakLight,
    /// Average light in cd/m², for PQ and HLG.
    AverageLight,
    /// Short-term loudness in LUFS, which is measured of the sound rather than of frames.
    Loudness,
}

/// Number of figures of a frame: those of the lines, and the light that the frame states.
pub const FIGURES: usize = StripLine::Loudness as usize - 1 + 2;

/// The scale of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineScale {
    /// Codes, as fractions of the scale, which are as high as in the strip.
    Code,
    /// Fractions, from 0 to the largest.
    Share,
    /// Light in cd/m², from 0 to 10 000, as high as PQ.
    Light,
    /// Loudness, from −60 to 0 LUFS.
    Loudness,
}

impl StripLine {
    /// Every figure, in the order in which a key cycles through them.
    pub const ALL: [Self; 10] = [
        Self::Off,
        Self::Mean,
        Self::Median,
        Self::Darkest,
        Self::Brightest,
        Self::OutOfRange,
        Self::Difference,
        Self::PeakLight,
        Self::AverageLight,
        Self::Loudness,
    ];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Mean => "mean luminance",
            Self::Median => "median luminance",
            Self::Darkest => "1 % of luminance",
            Self::Brightest => "99 % of luminance",
            Self::OutOfRange => "out of range",
            Self::Difference => "frame difference",
            Self::PeakLight => "brightest pixel",
            Self::AverageLight => "average light",
            Self::Loudness => "short-term loudness",
        }
    }

    /// Returns the scale.
    #[must_use]
    pub const fn scale(self) -> LineScale {
        match self {
            Self::OutOfRange | Self::Difference => LineScale::Share,
            Self::PeakLight | Self::AverageLight => LineScale::Light,
            Self::Loudness => LineScale::Loudness,
            _ => LineScale::Code,
        }
    }

    /// Returns the place of the figure among those of a frame, and that of the one that frames state, if they can.
    const fn places(self) -> Option<(usize, Option<usize>)> {
        match self {
            Self::Off | Self::Loudness => None,
            Self::PeakLight => Some((self as usize - 1, Some(FIGURES - 2))),
            Self::AverageLight => Some((self as usize - 1, Some(FIGURES - 1))),
            _ => Some((self as usize - 1, None)),
        }
    }
}

/// The figures of one frame, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FrameFigures([Option<f64>; FIGURES]);

impl FrameFigures {
    /// Returns the figures of a frame with this histogram of red, green, blue and luminance, `difference` to the frame
    /// before, light, and stated light.
    #[must_use]
    pub fn new(
        histogram: &Histogram,
        difference: Option<f64>,
        light: Option<&LightFigures>,
        stated: Option<FrameStatedLight>,
    ) -> Self {
        if histogram.components != Components::Rgbl {
            return Self::default();
        }
        let top = f64::from((1_u32 << histogram.bits) - 1);
        let ChannelStats { mean, median, p1, p99, .. } = histogram.stats(3, None);
        let [median, darkest, brightest] = [median, p1, p99].map(|code| Some(f64::from(code) / top));
        let outside = (0..3).map(|channel| histogram.stats(channel, None).share_out_of_range);
        Self([
            Some(mean / top),
            median,
            darkest,
            brightest,
            Some(outside.fold(0.0, f64::max)),
            difference,
            light.map(|light| light.max),
            light.map(|light| light.average),
            stated.map(|stated| stated.max),
            stated.map(|stated| stated.average),
        ])
    }
}

/// A figure of several frames.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FigureSpan {
    /// Number of frames that have the figure.
    pub frames: u64,
    /// Its sum.
    pub sum: f64,
    /// The lowest value; 0 without frames.
    pub low: f64,
    /// The highest value; 0 without frames.
    pub high: f64,
}

impl FigureSpan {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.join(&Self { frames: 1, sum: value, low: value, high: value });
    }

    fn join(&mut self, other: &Self) {
        if self.frames == 0 {
            *self = *other;
        } else if other.frames > 0 {
            self.frames += other.frames;
            self.sum += other.sum;
            (self.low, self.high) = (self.low.min(other.low), self.high.max(other.high));
        }
    }

    /// Returns the mean, or `None` without frames.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.frames > 0).then(|| self.sum / self.frames as f64)
    }
}

/// The figures of several frames.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures(pub [FigureSpan; FIGURES]);

impl Figures {
    /// Adds those of a frame.
    pub(super) fn add(&mut self, frame: &FrameFigures) {
        for (span, value) in self.0.iter_mut().zip(frame.0) {
            value.into_iter().for_each(|value| span.add(value));
        }
    }

    /// Adds those of other frames.
    pub(super) fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(span, other)| span.join(other));
    }

    /// Returns the figure of a line, as measured and as stated; `None` for those that no frame has.
    #[must_use]
    pub fn of(&self, line: StripLine) -> [Option<FigureSpan>; 2] {
        let Some((measured, stated)) = line.places() else { return [None; 2] };
        [Some(measured), stated].map(|place| place.map(|place| self.0[place]).filter(|span| span.frames > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_frames_are_joined() {
        let mut histogram = Histogram::empty(10, Components::Rgbl);
        // Luminance: 60 samples at code 100, 39 at 300, one at 1000. Blue: 5 of 100 out of range.
        for (code, count) in [(100, 60), (300, 39), (1000, 1)] {
            (0..4).for_each(|channel| histogram.bins_mut(channel)[code] = count);
        }
        histogram.out_of_range_mut(2)[1] = 5;
        let stated = FrameStatedLight { max: 900.0, average: 90.0 };
        let first = FrameFigures::new(&histogram, None, None, Some(stated));
        let mean = (60.0 * 100.0 + 39.0 * 300.0 + 1000.0) / 100.0 / 1023.0;
        let mut figures = Figures::default();
        figures.add(&first);
        let of = |figures: &Figures, line| figures.of(line)[0].and_then(|span| span.mean());
        assert_eq!(of(&figures, StripLine::Mean), Some(mean));
        let codes = [StripLine::Median, StripLine::Darkest, StripLine::Brightest].map(|line| of(&figures, line));
        assert_eq!(codes, [100.0, 100.0, 300.0].map(|code| Some(code / 1023.0)));
        assert_eq!(of(&figures, StripLine::OutOfRange), Some(0.05));
        assert_eq!(figures.of(StripLine::Difference), [None; 2], "the first frame has none");
        assert_eq!(figures.of(StripLine::Off), [None; 2]);
        let peak = figures.of(StripLine::PeakLight);
        assert_eq!((peak[0], peak[1].and_then(|span| span.mean())), (None, Some(900.0)));
        assert_eq!(figures.of(StripLine::AverageLight)[1].and_then(|span| span.mean()), Some(90.0));

        (0..4).for_each(|channel| histogram.bins_mut(channel)[1000] = 101);
        figures.add(&FrameFigures::new(&histogram, Some(0.25), None, None));
        let mut joined = Figures::default();
        joined.join(&figures);
        joined.join(&Figures::default());
        assert_eq!(joined, figures);
        let FigureSpan { frames, low, high, .. } = joined.of(StripLine::Brightest)[0].unwrap();
        assert_eq!((frames, low, high), (2, 300.0 / 1023.0, 1000.0 / 1023.0));
        assert_eq!(joined.of(StripLine::Difference)[0].map(|span| (span.frames, span.sum)), Some((1, 0.25)));
    }
}

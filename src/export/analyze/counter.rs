//! What is counted of the frames of a run, and the comparison of every count with the reference.

use std::collections::VecDeque;

use super::ending::AnalyzeError;
use super::signal::{Signal, SignalCount};
use crate::adjust::{Adjustments, plain};
use crate::engine::{self, Engine, EngineError};
use crate::export::figures::present;
use crate::histogram::reference;
use crate::histogram::{Components, Histogram};
use crate::picture::Picture;
use crate::picture::region::{self, Rect};

/// What is counted of every frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counting {
    /// Red, green, blue and luminance.
    pub rgbl: bool,
    /// Y', Cb and Cr as coded.
    pub coded: bool,
    /// The figures of FFmpeg's signalstats, for which the coded components are counted too.
    pub signal: bool,
}

impl Counting {
    fn components(self) -> &'static [Components] {
        match (self.rgbl, self.coded || self.signal) {
            (true, true) => &[Components::Rgbl, Components::YCbCr],
            (false, true) => &[Components::YCbCr],
            _ => &[Components::Rgbl],
        }
    }
}

/// What was counted of one frame.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Red, green, blue and luminance, where they were asked for.
    pub rgbl: Option<Histogram>,
    /// Y', Cb and Cr, where they were asked for.
    pub coded: Option<Histogram>,
    /// The figures of signalstats, where they were asked for.
    pub signal: Option<Signal>,
    /// Luminance codes at which Otsu's classes begin, the darkest left out, where the picture was parted so.
    pub thresholds: Option<Vec<u32>>,
}

/// Counts frames, in the order in which they are submitted.
pub struct Counter {
    counting: Counting,
    adjustments: Adjustments,
    verify: bool,
    engine: engine::Counter,
    under_way: VecDeque<UnderWay>,
}

/// What is kept of a frame that was submitted.
struct UnderWay {
    /// What the figures of signalstats are read off when the bins are there.
    parts: Vec<Picture>,
    /// What the reference counts, where the counts are compared.
    expected: Vec<Histogram>,
}

impl Counter {
    /// A counter that compares every count with the reference if `verify` is set.
    #[must_use]
    pub fn new(engine: &Engine, counting: Counting, adjustments: &Adjustments, verify: bool) -> Self {
        Self {
            counting,
            adjustments: *adjustments,
            verify,
            engine: engine::Counter::new(engine, counting.components(), *adjustments),
            under_way: VecDeque::new(),
        }
    }

    /// Whether a frame must be taken before the next one is submitted.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.engine.is_full()
    }

    /// Submits a frame's picture, of which `region` alone is counted, if there is one.
    ///
    /// # Errors
    /// [`EngineError`] if the device fails, or the region is no part of the picture.
    pub fn submit(&mut self, picture: &Picture, region: Option<Rect>) -> Result<(), EngineError> {
        self.engine.submit(picture, region)?;
        let parts_of = |picture: &Picture| match region {
            None => Ok(vec![picture.clone()]),
            Some(rect) => region::parts(picture, rect).map_err(EngineError::Region),
        };
        let expected = if self.verify {
            let parts = if self.adjustments.is_off() {
                parts_of(picture)?
            } else {
                let codes = plain::apply(plain::codes(picture), &self.adjustments);
                parts_of(&codes.picture().map_err(EngineError::Adjust)?)?
            };
            self.counting.components().iter().map(|&components| reference_of(&parts, components)).collect()
        } else {
            Vec::new()
        };
        let parts = if self.counting.signal { parts_of(picture)? } else { Vec::new() };
        self.under_way.push_back(UnderWay { parts, expected });
        Ok(())
    }

    /// Waits for the oldest frame under way; `None` if there is none. `number` is the frame's, for errors, and `spoil`
    /// adds one to a bin before the comparison with the reference, to prove that it compares.
    ///
    /// # Errors
    /// [`AnalyzeError`] if the device fails, or if the count differs from the reference's.
    pub fn take(&mut self, number: u64, spoil: bool) -> Result<Option<Counts>, AnalyzeError> {
        let Some(UnderWay { parts, expected }) = self.under_way.pop_front() else { return Ok(None) };
        let Some(engine::Counts { mut histograms, thresholds, .. }) = self.engine.take()? else { return Ok(None) };
        if let (true, Some(histogram)) = (spoil, histograms.first_mut()) {
            histogram.bins_mut(1)[16] += 1;
        }
        for (counted, expected) in histograms.iter().zip(&expected) {
            compare(number, counted, expected)?;
        }
        let coded = histograms.pop_if(|histogram| histogram.components == Components::YCbCr);
        let signal = coded.as_ref().filter(|_| self.counting.signal).map(|coded| {
            let mut count = SignalCount::default();
            count.add(&parts, coded);
            count.finish()
        });
        Ok(Some(Counts { rgbl: histograms.pop(), coded, signal, thresholds: thresholds.map(present) }))
    }
}

fn reference_of(parts: &[Picture], components: Components) -> Histogram {
    let bits = parts.first().map_or(8, |part| part.layout().bin_bits());
    let mut sum = Histogram::empty(bits, components);
    for part in parts {
        sum.add(&reference::histogram(part, components));
    }
    sum
}

/// The first bin in which two histograms of a frame differ, as an error.
fn compare(frame: u64, counted: &Histogram, expected: &Histogram) -> Result<(), AnalyzeError> {
    let Some(word) = counted.words.iter().zip(&expected.words).position(|(a, b)| a != b) else { return Ok(()) };
    let (channel, bin) = (word >> counted.bits, word & ((1 << counted.bits) - 1));
    let names = counted.components.channel_names();
    let place = match names.get(channel) {
        Some(name) => format!("bin {bin} of {name}"),
        None => format!("the number of {} out of range", names.get(bin / 2).unwrap_or(&"pixels")),
    };
    let (counted, expected) = (counted.words[word], expected.words[word]);
    Err(AnalyzeError::Miscounted { frame, place, counted, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_named() {
        let expected = Histogram::empty(8, Components::Rgbl);
        assert!(compare(7, &expected, &expected).is_ok());
        let mut counted = expected.clone();
        counted.bins_mut(2)[35] = 9;
        let text = compare(7, &counted, &expected).unwrap_err().to_string();
        assert!(text.contains("frame 7") && text.contains("bin 35 of blue") && text.contains('9'), "{text}");
        let mut counted = expected.clone();
        counted.out_of_range_mut(1)[1] = 1;
        let text = compare(7, &counted, &expected).unwrap_err().to_string();
        assert!(text.contains("number of green out of range"), "{text}");
    }
}

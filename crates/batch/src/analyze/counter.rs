//! The counts of a run's frames, with optional verification against the reference.

use std::collections::VecDeque;
use std::sync::Arc;

use super::error::AnalyzeError;
use super::light::LightUse;
use super::planes::SampleReading;
use super::signal::{Signal, SignalCounter, SignalUse};
use crate::figures::present;
use histoscope_core::adjust::{self, Adjustments};
use histoscope_core::histogram::reference;
use histoscope_core::histogram::{Components, Histogram, LightCounts, LightFigures, LightMeter};
use histoscope_core::picture::Picture;
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::scopes::{
    self, Chroma, Diagram, Saturation, Scope, ScopeChoice, ScopeSums, ScopeTally, Targets, Vectorscope,
};
use histoscope_render::engine::{self, Engine, EngineError, Submission};

/// The counts to make of every frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunComponents {
    /// Red, green, blue and luminance.
    pub rgbl: bool,
    /// Y', Cb and Cr as coded.
    pub coded: bool,
    /// The figures of FFmpeg's signalstats. They require the coded components to be counted too.
    pub signal: SignalUse,
    /// The scopes: of red, green, blue and luminance if those are counted, otherwise of the coded components.
    pub scopes: ScopeUse,
    /// How to measure the light of pixels, if requested. It requires red, green and blue to be counted.
    pub light: Option<LightUse>,
}

/// The scopes to count and what they are used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScopeUse {
    /// No scopes.
    #[default]
    None,
    /// The vectorscope of each frame, from which its saturation is computed.
    Saturation,
    /// These scopes, summed over all frames; the vectorscope counts this diagram.
    Sums(ScopeChoice, Diagram),
}

impl ScopeUse {
    const fn tally(self) -> ScopeTally {
        match self {
            Self::None => ScopeTally::Each(ScopeChoice::NONE),
            Self::Saturation => ScopeTally::Each(ScopeChoice::only(Scope::Vectorscope)),
            Self::Sums(choice, _) => ScopeTally::Sum(choice),
        }
    }

    const fn diagram(self) -> Diagram {
        if let Self::Sums(_, diagram) = self { diagram } else { Diagram::CbCr }
    }
}

impl RunComponents {
    /// Returns the counts to make instead for a video without countable R'G'B'.
    #[must_use]
    pub const fn without_rgb(self) -> Self {
        Self { rgbl: false, coded: self.coded || self.rgbl, ..self }
    }

    fn components(self) -> &'static [Components] {
        match (self.rgbl, self.coded || self.signal != SignalUse::None) {
            (true, true) => &[Components::Rgbl, Components::YCbCr],
            (false, true) => &[Components::YCbCr],
            _ => &[Components::Rgbl],
        }
    }
}

/// The counts of one frame.
#[derive(Debug, Clone, Default)]
pub struct FrameCounts {
    /// Red, green, blue and luminance, if requested.
    pub rgbl: Option<Histogram>,
    /// Y', Cb and Cr, if requested.
    pub coded: Option<Histogram>,
    /// The figures of signalstats, if requested.
    pub signal: Option<Signal>,
    /// Luminance codes at which Otsu's classes begin, except the darkest, if the picture was divided into classes.
    pub thresholds: Option<Vec<u32>>,
    /// The saturation, if requested and the frame has colour.
    pub saturation: Option<Saturation>,
    /// The light of the pixels, if requested and known.
    pub light: Option<LightFigures>,
    /// The counts that its figures come from.
    pub light_counts: Option<LightCounts>,
    /// The pixels outside the limits of EBU R 103, if an adapter has counted them.
    pub outside_r103: Option<u32>,
}

/// Counts frames in the order in which they are submitted.
pub struct RunCounter {
    counting: RunComponents,
    adjustments: Adjustments,
    verify: bool,
    engine: engine::Counter,
    in_flight: VecDeque<SubmittedFrame>,
    signal: SignalCounter,
    /// The most recent frame's targets, with the chroma they were computed for.
    targets: Option<(Chroma, Option<Targets>)>,
}

/// The data kept for a frame until its counts are taken.
struct SubmittedFrame {
    /// The picture in parts, and how signalstats interprets it, if its figures are requested.
    signal: Option<(Vec<Picture>, SampleReading)>,
    /// The reference counts, if counts are verified.
    expected: Vec<Histogram>,
    /// The reference vectorscope, if counts are verified.
    expected_scope: Option<Vectorscope>,
    /// The chroma used for the vectorscope.
    chroma: Option<Chroma>,
    /// The light of the reference, if counts are verified.
    expected_light: Option<LightCounts>,
    /// The mastering display's peak in cd/m².
    mastering_peak: Option<f64>,
}

impl RunCounter {
    /// Creates a counter. With `verify`, it checks every count against the reference.
    #[must_use]
    pub fn new(engine: &Engine, counting: RunComponents, adjustments: &Adjustments, verify: bool) -> Self {
        Self {
            counting,
            adjustments: *adjustments,
            verify,
            engine: engine::Counter::new(engine, counting.components(), *adjustments)
                .with_scopes(counting.scopes.tally(), counting.scopes.diagram())
                .with_light(counting.light.is_some()),
            in_flight: VecDeque::new(),
            signal: SignalCounter::default(),
            targets: None,
        }
    }

    /// Forgets the previous picture, since the next one is elsewhere in the file.
    pub fn restart(&mut self) {
        self.signal.restart();
    }

    /// Returns `true` if a frame must be taken before the next one is submitted.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.engine.is_full()
    }

    /// Submits a picture. `reading` is required for the signalstats figures. `mastering_peak` is the mastering display's
    /// peak in cd/m², if the file states one.
    ///
    /// # Errors
    /// [`EngineError`] if the device fails, or the region is not inside the picture.
    pub fn submit(
        &mut self,
        submission: Submission<'_>,
        reading: Option<SampleReading>,
        mastering_peak: Option<f64>,
    ) -> Result<(), EngineError> {
        let Submission { picture, region, light, .. } = submission;
        self.engine.submit(submission)?;
        let is_off = self.adjustments.is_off();
        let first = self.counting.components().first().copied().unwrap_or_default();
        let chroma = if is_off { Chroma::of(first.in_picture(picture)) } else { Some(Chroma::of_adjusted(picture)) };
        let chroma = chroma.filter(|_| self.counting.scopes == ScopeUse::Saturation);
        let (mut expected, mut expected_scope, mut expected_light) = (Vec::new(), None, None);
        if self.verify {
            let adjusted = match is_off {
                true => picture.clone(),
                false => {
                    let adjustments = self.adjustments.for_range(picture.colorimetry().range.value);
                    let codes = adjust::reference::apply(adjust::reference::codes(picture), &adjustments);
                    codes.picture().map_err(EngineError::Adjust)?
                }
            };
            let pixels = region.unwrap_or(Rect::whole(adjusted.width(), adjusted.height()));
            let reference = |&components: &Components| {
                reference::histogram_of(components.in_picture(&adjusted), pixels, components)
            };
            expected = self.counting.components().iter().map(reference).collect();
            expected_scope =
                chroma.map(|chroma| scopes::reference::vectorscope(first.in_picture(&adjusted), pixels, chroma));
            expected_light = light.map(|(scale, counts_gamut)| {
                let picture = first.in_picture(&adjusted);
                let meter = LightMeter::new(scale, picture.layout().bin_bits(), counts_gamut);
                reference::pixel_light(picture, pixels, &Arc::new(meter))
            });
        }
        let signal = match reading {
            Some(reading) => {
                let pixels = region.unwrap_or(Rect::whole(picture.width(), picture.height()));
                Some((region::coded_parts(picture.decoded(), pixels).map_err(EngineError::Region)?, reading))
            }
            None => None,
        };
        self.in_flight.push_back(SubmittedFrame {
            signal,
            expected,
            expected_scope,
            chroma,
            expected_light,
            mastering_peak: mastering_peak.filter(|_| light.is_some()),
        });
        Ok(())
    }

    /// Waits for the counts of the oldest submitted frame. Returns `None` if none is pending. `number` identifies the
    /// frame in errors. `spoil` adds one to a bin before the check against the reference, to prove that the check
    /// works.
    ///
    /// # Errors
    /// [`AnalyzeError`] if the device fails, or a count differs from the reference.
    pub fn take(&mut self, number: u64, spoil: bool) -> Result<Option<FrameCounts>, AnalyzeError> {
        let Some(submitted) = self.in_flight.pop_front() else { return Ok(None) };
        let SubmittedFrame { signal, expected, expected_scope, chroma, expected_light, mastering_peak } = submitted;
        let Some(engine::Counts { mut histograms, thresholds, scopes, light, outside_r103, .. }) =
            self.engine.take()?
        else {
            return Ok(None);
        };
        if let (true, Some(histogram)) = (spoil, histograms.first_mut()) {
            histogram.bins_mut(1)[16] += 1;
        }
        for (counted, expected) in histograms.iter().zip(&expected) {
            compare(number, counted, expected)?;
        }
        if let (Some(counted), Some(expected)) = (&scopes.vectorscope, &expected_scope) {
            compare_scopes(number, counted, expected)?;
        }
        if let (Some(counted), Some(expected)) = (&light, &expected_light) {
            compare_light(number, counted, expected)?;
        }
        let figures = light.as_ref().and_then(|counts| counts.figures(mastering_peak));
        let coded = histograms.pop_if(|histogram| histogram.components == Components::YCbCr);
        let signal = coded
            .as_ref()
            .zip(signal)
            .map(|(coded, (parts, reading))| self.signal.count(&parts, reading, coded, self.counting.signal));
        let subject = scopes.vectorscope.as_ref().zip(chroma);
        let saturation = subject.map(|(scope, chroma)| self.saturation(scope, chroma));
        let thresholds = thresholds.map(present);
        Ok(Some(FrameCounts {
            rgbl: histograms.pop(),
            coded,
            signal,
            thresholds,
            saturation,
            light: figures,
            light_counts: light,
            outside_r103,
        }))
    }

    /// Returns the scopes summed over all submitted frames, if requested.
    ///
    /// # Errors
    /// [`AnalyzeError`] if the device fails.
    pub fn take_sums(&mut self) -> Result<ScopeSums, AnalyzeError> {
        Ok(self.engine.take_sums()?)
    }

    fn saturation(&mut self, scope: &Vectorscope, chroma: Chroma) -> Saturation {
        let kept = self.targets.take().filter(|(of, _)| *of == chroma);
        let (_, targets) = self.targets.insert(kept.unwrap_or_else(|| (chroma, Targets::of(&chroma))));
        Saturation::of(scope, chroma.bits, targets.as_ref())
    }
}

/// Returns an error for the first bin in which two histograms of a frame differ.
fn compare(frame: u64, counted: &Histogram, expected: &Histogram) -> Result<(), AnalyzeError> {
    let Some(word) = counted.words.iter().zip(&expected.words).position(|(a, b)| a != b) else { return Ok(()) };
    let (channel, bin) = (word >> counted.bits, word & ((1 << counted.bits) - 1));
    let names = counted.components.channel_names();
    let place = match names.get(channel) {
        Some(name) => format!("bin {bin} of {name}"),
        None => format!("the number of {} out of range", names.get(bin / 2).unwrap_or(&"pixels")),
    };
    let (counted, expected) = (counted.words[word], expected.words[word]);
    Err(AnalyzeError::Miscounted { frame, place, counted: counted.to_string(), expected: expected.to_string() })
}

/// Returns an error for the first pair of levels in which two vectorscopes of a frame differ.
fn compare_scopes(frame: u64, counted: &Vectorscope, expected: &Vectorscope) -> Result<(), AnalyzeError> {
    let Some(at) = counted.counts.iter().zip(&expected.counts).position(|(a, b)| a != b) else { return Ok(()) };
    let (cb, cr) = (at >> counted.level_bits, at & (counted.levels() - 1));
    let place = format!("level {cb} of Cb with level {cr} of Cr in the vectorscope");
    Err(AnalyzeError::Miscounted {
        frame,
        place,
        counted: counted.counts[at].to_string(),
        expected: expected.counts[at].to_string(),
    })
}

/// Returns an error for the first figure in which the light of a frame differs.
fn compare_light(frame: u64, counted: &LightCounts, expected: &LightCounts) -> Result<(), AnalyzeError> {
    let differs = |place: &str, counted: String, expected: String| {
        let place = place.to_owned();
        Err(AnalyzeError::Miscounted { frame, place, counted, expected })
    };
    if let Some(bin) = counted.bins.iter().zip(&expected.bins).position(|(a, b)| a != b) {
        let place = format!("bin {bin} of the light");
        return differs(&place, counted.bins[bin].to_string(), expected.bins[bin].to_string());
    }
    if counted.brightest != expected.brightest {
        let shown = |counts: &LightCounts| counts.brightest.map_or("none".to_owned(), |p| format!("{},{}", p.x, p.y));
        return differs("the brightest pixel", shown(counted), shown(expected));
    }
    if counted.sum != expected.sum {
        return differs("the sum of the light", counted.sum.to_string(), expected.sum.to_string());
    }
    if counted.outside != expected.outside {
        let shown = |counts: &LightCounts| format!("{:?}", counts.outside.unwrap_or_default());
        return differs("the pixels outside of P3-D65 and BT.709", shown(counted), shown(expected));
    }
    Ok(())
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
        let expected = Vectorscope::empty(10);
        assert!(compare_scopes(7, &expected, &expected).is_ok());
        let mut counted = expected.clone();
        counted.counts[(300 << 10) + 9] = 5;
        let text = compare_scopes(7, &counted, &expected).unwrap_err().to_string();
        assert!(text.contains("frame 7") && text.contains("level 300 of Cb with level 9 of Cr"), "{text}");
    }
}

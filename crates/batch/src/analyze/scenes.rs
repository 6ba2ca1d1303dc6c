//! Outputs that describe the light of a PQ video by its scenes, for tools that write metadata of Dolby Vision and HDR10+.
//!
//! Scenes are the shots between the cuts that reports have, too. The light of a scene is that of all pixels of its frames.
//! An output is written only once every requested frame is counted, since a part would pass for a whole video.

mod hdr10plus;
mod madvr;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use histoscope_core::histogram::pixel_light::bin_of_share;
use histoscope_core::histogram::{Histogram, LightCounts, LightMeter, LightScale};
use histoscope_core::strip::{CUT_DELAY, CutFinder, DEFAULT_THRESHOLD, fold};

use self::madvr::Measurements;
use super::error::AnalyzeError;
use super::output::{Output, RecordSink};
use super::pipeline::CountedFrame;
use super::summary::Summary;

/// A format of the light of scenes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SceneFormat {
    /// A measurement file of madVR, which `dovi_tool` reads.
    Madvr,
    /// The JSON of `hdr10plus_tool`.
    Hdr10Plus,
}

impl SceneFormat {
    /// Returns the name used on the command line.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Madvr => "madvr",
            Self::Hdr10Plus => "hdr10plus",
        }
    }

    /// Returns the file extension.
    pub(super) const fn extension(self) -> &'static str {
        match self {
            Self::Madvr => "measurements",
            Self::Hdr10Plus => "hdr10plus.json",
        }
    }
}

/// The light of a scene: of all pixels of all its frames.
#[derive(Debug, Clone, PartialEq)]
struct SceneLight {
    /// Number of frames.
    frames: u64,
    /// Largest light of red, of green and of blue in cd/m².
    max: [f64; 3],
    /// Average light of the pixels in cd/m².
    average: f64,
    /// Light in cd/m² that these shares of the pixels do not exceed: [`SHARES`].
    percentiles: [f64; SHARES.len()],
    /// Share of the pixels with at most 100 cd/m².
    share_to_100: f64,
}

/// Shares of pixels in ten-thousandths.
const SHARES: [u64; 8] = [100, 2500, 5000, 7500, 9000, 9500, 9998, 9999];

impl SceneLight {
    /// Returns the light of the brightest pixel in cd/m².
    fn peak(&self) -> f64 {
        self.max.into_iter().fold(0.0, f64::max)
    }
}

/// A counted frame.
struct FrameLight {
    number: u64,
    counts: LightCounts,
    /// Largest codes of red, green and blue.
    max: [u32; 3],
}

/// A scene whose end is not known yet.
struct OpenScene {
    meter: Arc<LightMeter>,
    frames: u64,
    bins: Vec<u64>,
    max: [u32; 3],
}

impl OpenScene {
    fn new(meter: &Arc<LightMeter>) -> Self {
        Self { meter: Arc::clone(meter), frames: 0, bins: vec![0; meter.bin_count()], max: [0; 3] }
    }

    fn add(&mut self, frame: &FrameLight) {
        self.frames += 1;
        self.bins.iter_mut().zip(&frame.counts.bins).for_each(|(sum, &count)| *sum += u64::from(count));
        self.max.iter_mut().zip(frame.max).for_each(|(most, code)| *most = code.max(*most));
    }

    fn end(&self) -> SceneLight {
        let Self { meter, frames, bins, max } = self;
        let lights = || bins.iter().zip(0..).map(|(&count, bin)| (count, meter.light_of_bin(bin)));
        let pixels = bins.iter().sum::<u64>().max(1) as f64;
        let to_100 = lights().filter(|(_, light)| *light <= 100.0).map(|(count, _)| count).sum::<u64>();
        SceneLight {
            frames: *frames,
            max: max.map(|code| meter.light(code)),
            average: lights().map(|(count, light)| count as f64 * light).sum::<f64>() / pixels,
            percentiles: SHARES
                .map(|share| bin_of_share(bins.iter().copied(), share).map_or(0.0, |bin| meter.light_of_bin(bin))),
            share_to_100: to_100 as f64 / pixels,
        }
    }
}

/// Divides frames into scenes.
struct Scenes {
    finder: CutFinder,
    /// Number of cuts found that scenes have begun at.
    begun: usize,
    /// Frames at which a cut may still be found.
    waiting: VecDeque<FrameLight>,
    open: Option<OpenScene>,
    ended: Vec<SceneLight>,
}

impl Scenes {
    fn new() -> Self {
        Self {
            finder: CutFinder::new(DEFAULT_THRESHOLD).keeping_all(),
            begun: 0,
            waiting: VecDeque::new(),
            open: None,
            ended: Vec::new(),
        }
    }

    fn add(&mut self, frame: FrameLight, time_secs: f64, histogram: &Histogram) {
        self.finder.push(frame.number, time_secs, &fold(histogram));
        self.waiting.push_back(frame);
        if self.waiting.len() > CUT_DELAY
            && let Some(frame) = self.waiting.pop_front()
        {
            let is_cut = self.finder.found().get(self.begun).is_some_and(|cut| cut.frame == frame.number);
            self.place(&frame, is_cut);
        }
    }

    /// Adds a frame to the open scene, or begins another at a cut or where the depth of the samples changes.
    fn place(&mut self, frame: &FrameLight, is_cut: bool) {
        self.begun += usize::from(is_cut);
        let meter = &frame.counts.meter;
        let mut open = match self.open.take() {
            Some(open) if !is_cut && open.meter.bits() == meter.bits() => open,
            ended => {
                self.ended.extend(ended.as_ref().map(OpenScene::end));
                OpenScene::new(meter)
            }
        };
        open.add(frame);
        self.open = Some(open);
    }

    fn finish(mut self) -> Vec<SceneLight> {
        let finder = std::mem::replace(&mut self.finder, CutFinder::new(DEFAULT_THRESHOLD));
        let (cuts, _) = finder.finish();
        for frame in std::mem::take(&mut self.waiting) {
            let is_cut = cuts.get(self.begun).is_some_and(|cut| cut.frame == frame.number);
            self.place(&frame, is_cut);
        }
        self.ended.extend(self.open.as_ref().map(OpenScene::end));
        self.ended
    }
}

/// What is kept of single frames.
enum Frames {
    Madvr(Measurements),
    Hdr10Plus,
}

/// An output of scenes that is being measured.
pub struct SceneOutput {
    output: Output,
    input: PathBuf,
    scenes: Scenes,
    frames: Frames,
    /// Number of the first frame that is not PQ.
    other: Option<u64>,
}

impl SceneOutput {
    /// Starts an output for this video.
    #[must_use]
    pub fn new(format: SceneFormat, output: Output, input: PathBuf) -> Self {
        let frames = match format {
            SceneFormat::Madvr => Frames::Madvr(Measurements::default()),
            SceneFormat::Hdr10Plus => Frames::Hdr10Plus,
        };
        Self { output, input, scenes: Scenes::new(), frames, other: None }
    }
}

impl RecordSink for SceneOutput {
    fn add(&mut self, frame: &CountedFrame) -> Result<(), AnalyzeError> {
        let counts = &frame.counts;
        let (Some(histogram), Some(light)) = (&counts.rgbl, counts.light_counts.as_ref().filter(|light| is_pq(light)))
        else {
            self.other.get_or_insert(frame.number);
            return Ok(());
        };
        if let Frames::Madvr(measurements) = &mut self.frames {
            measurements.add(light).map_err(AnalyzeError::Output)?;
        }
        let most = |channel| histogram.bins(channel).iter().rposition(|&count| count > 0).unwrap_or(0) as u32;
        let described = FrameLight { number: frame.number, counts: light.clone(), max: [most(0), most(1), most(2)] };
        self.scenes.add(described, frame.frame.facts.time_secs, histogram);
        Ok(())
    }

    fn pause(&mut self) -> Result<(), AnalyzeError> {
        // There is nothing to read before the end.
        Ok(())
    }

    fn finish(self: Box<Self>, summary: &Summary) -> Result<(), AnalyzeError> {
        let Self { mut output, input, scenes, frames, other } = *self;
        if let Some(frame) = other {
            output.discard();
            return Err(AnalyzeError::FrameNotPq { input, frame });
        }
        if !summary.complete {
            output.discard();
            return Ok(());
        }
        let scenes = scenes.finish();
        let mut write = |bytes: &[u8]| output.write(bytes);
        match frames {
            Frames::Madvr(measurements) => measurements.write(&scenes, summary.light.as_ref(), &mut write)?,
            Frames::Hdr10Plus => hdr10plus::write(&scenes, &mut write)?,
        }
        output.finish()
    }

    fn discard(self: Box<Self>) {
        self.output.discard();
    }
}

/// Returns `true` if the light is that of PQ.
fn is_pq(light: &LightCounts) -> bool {
    light.meter.scale() == LightScale::Pq
}

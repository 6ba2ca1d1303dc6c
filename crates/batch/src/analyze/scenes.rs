//! Outputs that describe the light of a PQ video by its scenes, for tools that write metadata of Dolby Vision and
//! HDR10+.
//!
//! Scenes are the shots between the cuts that reports have, too. The light of a scene is that of all pixels of its
//! frames. An output is written only once every requested frame is counted, since a part would pass for a whole video.

mod division;
mod hdr10plus;
mod madvr;

use std::path::PathBuf;

use histoscope_core::histogram::{LightCounts, LightScale};

use self::division::{FrameLight, Scenes};
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
            let average = counts.light.map_or(0.0, |figures| figures.average);
            measurements.add(light, average).map_err(AnalyzeError::Output)?;
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

//! Measurement files of madVR, version 5, as `dovi_tool generate --madvr-file` and the crate `madvr_parse` read them.
//!
//! All integers are little-endian. After the header follow the first frames of all scenes, the frames after their last
//! ones, their peaks in cd/m², and then each frame: its peak, 256 bins of light, and 31 bins of hue, all of 16 bits.
//! What madVR counts by hue is not published and the readers ignore it, so these bins are zero.

use std::io::{self, Read, Seek, Write};

use histoscope_core::histogram::{LightCounts, LightScale};
use tempfile::SpooledTempFile;

use super::division::SceneLight;
use crate::analyze::error::AnalyzeError;
use crate::analyze::light::LightSummary;

/// The version of the format: the first with 256 bins, and the last without peaks inside P3 and BT.709.
const VERSION: u32 = 5;
/// Bytes of the header, without the four letters at its beginning.
const HEADER_BYTES: u32 = 32;
/// The flags of a complete measurement without targets for single frames.
const COMPLETE: u32 = 2;
/// The value of a PQ signal of 1, and of a bin with all pixels.
const FULL: u64 = 64_000;
/// Bins of light up to 100 cd/m².
const LOW_BINS: usize = 64;
/// Bins of light from 100 to 10,000 cd/m².
const HIGH_BINS: usize = 192;
/// Bins of hue.
const HUE_BINS: usize = 31;
/// Bytes of frames that are kept in memory; more are kept in a temporary file.
const MEMORY: usize = 1 << 24;

/// The measurements of single frames.
pub struct Measurements {
    /// The frames as the file has them.
    frames: SpooledTempFile,
    /// Sum of the frames' averages in cd/m².
    averages: f64,
    /// The PQ signal of 100 cd/m², at which the lower bins end.
    low: f64,
}

impl Default for Measurements {
    fn default() -> Self {
        let low = LightScale::Pq.signal_of_gray(100.0);
        Self { frames: SpooledTempFile::new(MEMORY), averages: 0.0, low }
    }
}

impl Measurements {
    /// Adds a frame with this average in cd/m².
    ///
    /// # Errors
    /// Any error from writing the temporary file.
    pub fn add(&mut self, light: &LightCounts, average: f64) -> io::Result<()> {
        let top = f64::from((1_u32 << light.meter.bits()) - 1);
        let peak = light.brightest.map_or(0, |pixel| pixel.value);
        let mut bins = [0; LOW_BINS + HIGH_BINS];
        for (&count, code) in light.bins.iter().zip(0_u32..).filter(|(count, _)| **count > 0) {
            bins[self.bin_of(f64::from(code) / top)] += u64::from(count);
        }
        let pixels = light.pixels().max(1);
        let shares = bins.map(|count| ((count * FULL + pixels / 2) / pixels) as u16);
        let mut words = vec![(f64::from(peak) / top * FULL as f64).round() as u16];
        words.extend(shares);
        words.extend([0; HUE_BINS]);
        let bytes: Vec<u8> = words.into_iter().flat_map(u16::to_le_bytes).collect();
        self.averages += average;
        self.frames.write_all(&bytes)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Any error of `write`, or from reading the temporary file.
    pub fn write(
        mut self,
        scenes: &[SceneLight],
        clip: Option<&LightSummary>,
        write: &mut dyn FnMut(&[u8]) -> Result<(), AnalyzeError>,
    ) -> Result<(), AnalyzeError> {
        let frames: u64 = scenes.iter().map(|scene| scene.frames).sum();
        let ends = scenes.iter().scan(0, |end, scene| {
            *end += scene.frames;
            Some(*end)
        });
        let starts = ends.clone().zip(scenes).map(|(end, scene)| end - scene.frames);
        let nits = |light: f64| light.round() as u32;
        let mut words = vec![VERSION, HEADER_BYTES, scenes.len() as u32, frames as u32, COMPLETE];
        words.push(nits(clip.map_or(0.0, |clip| clip.max_cll)));
        words.push(nits(clip.map_or(0.0, |clip| clip.max_fall)));
        words.push(nits(self.averages / frames.max(1) as f64));
        words.extend(starts.chain(ends).map(|frame| frame as u32));
        words.extend(scenes.iter().map(|scene| nits(scene.peak())));
        write(b"mvr+")?;
        write(&words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>())?;
        self.frames.rewind().map_err(AnalyzeError::Output)?;
        let mut bytes = [0; 1 << 16];
        loop {
            let read = self.frames.read(&mut bytes).map_err(AnalyzeError::Output)?;
            if read == 0 {
                return Ok(());
            }
            write(&bytes[..read])?;
        }
    }

    /// Returns the bin of a PQ signal from 0 to 1. Bins are equally wide up to the signal of 100 cd/m², and above it.
    fn bin_of(&self, signal: f64) -> usize {
        if signal < self.low {
            return (signal / self.low * LOW_BINS as f64) as usize;
        }
        let above = (signal - self.low) / (1.0 - self.low);
        LOW_BINS + ((above * HIGH_BINS as f64) as usize).min(HIGH_BINS - 1)
    }
}

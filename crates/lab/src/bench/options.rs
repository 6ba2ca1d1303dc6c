//! The options of a run: the methods to measure, and the pictures.

use super::content::{BenchContent, PICTURES};
use super::error::Error;
use super::layouts;
use super::rows::{is_part, rows};
use crate::{ChannelSet, Method, Setup, Shape};
use histoscope_core::picture::Picture;
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_render::gpu::Gpu;

/// The options of a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Width and height of the synthetic pictures. The default is the size of the tutorial's image.
    pub size: (u32, u32),
    /// FFmpeg's name of their layout.
    pub layout: String,
    /// The content of the synthetic pictures.
    pub content: BenchContent,
    /// A picture to measure instead of synthetic ones, for example a video's frame.
    pub frame: Option<Picture>,
    /// Repeats of each measurement. Slow methods repeat less often, so that none takes much more than two seconds.
    pub repeats: u32,
    /// Bins per channel, for the tutorials' methods.
    pub bin_count: u32,
    /// Pixels of a chunk, which is a workgroup for methods with one invocation per pixel. `None` for each method's
    /// default.
    pub chunk: Option<(u32, u32)>,
    /// Texts that select the rows to measure, by a part of their name or title in any case. If empty, all rows are
    /// measured.
    pub only: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: (2448, 1505),
            layout: "yuv420p".into(),
            content: BenchContent::default(),
            frame: None,
            repeats: 30,
            bin_count: Shape::default().bins(),
            chunk: None,
            only: Vec::new(),
        }
    }
}

impl Options {
    /// Returns the methods to measure.
    pub(super) fn methods(&self) -> impl Iterator<Item = Method> {
        Method::ALL.into_iter().filter(|method| self.only.is_empty() || self.names(method.name(), method.title()))
    }

    /// Sets up a method for these channels.
    ///
    /// # Errors
    /// [`Error::Shape`] for chunks or bins that the adapter cannot count.
    pub(super) fn setup(&self, gpu: &Gpu, method: Method, channels: ChannelSet) -> Result<Setup, Error> {
        let shape = Shape::new(gpu, self.chunk.unwrap_or_else(|| method.usual_chunk()), self.bin_count)?;
        Ok(Setup { method, channels, shape })
    }

    /// Returns `true` if the options name this row.
    pub(super) fn names(&self, name: &str, title: &str) -> bool {
        self.only.iter().any(|only| is_part(only, name, title))
    }

    /// Returns the requested names that match no row.
    pub(super) fn unknown_names(&self) -> Vec<String> {
        let is_known = |only: &&String| rows().iter().any(|(name, title)| is_part(only, name, title));
        self.only.iter().filter(|only| !is_known(only)).cloned().collect()
    }

    pub(super) fn pictures(&self) -> Result<Vec<Picture>, Error> {
        if let Some(frame) = &self.frame {
            // The methods have these weights of luminance.
            return Ok(vec![frame.with_luminance(LuminanceWeights::Bt709)]);
        }
        let layout = layouts::parse(&self.layout).ok_or_else(|| Error::UnknownLayout(self.layout.clone()))?;
        (0..PICTURES).map(|seed| Ok(self.content.picture(layout, self.size, seed)?)).collect()
    }
}

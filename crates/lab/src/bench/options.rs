//! What is measured, and on which pictures.

use super::content::{BenchContent, PICTURES};
use super::error::Error;
use super::layouts;
use super::rows::{is_part, rows};
use crate::{ChannelSet, Method, Setup, Shape};
use histoscope_core::picture::Picture;
use histoscope_render::gpu::Gpu;

/// Words that prefix sums may be measured at.
pub const LENGTHS: std::ops::RangeInclusive<u32> = 512..=1 << 26;

/// What is measured.
#[derive(Debug, Clone)]
pub struct Options {
    /// Width and height of the pictures that are made; the default is the article's.
    pub size: (u32, u32),
    /// FFmpeg's name of their layout.
    pub layout: String,
    /// What they show.
    pub content: BenchContent,
    /// A picture to measure instead of made ones, such as a video's frame.
    pub frame: Option<Picture>,
    /// Repeats of each measurement; fewer are made of slow methods, so that none takes much more than two seconds.
    pub repeats: u32,
    /// Bins of a channel, for the tutorials' methods.
    pub bin_count: u32,
    /// Pixels of a chunk, which is also the workgroup of methods with an invocation a pixel; of each method's own if there is none.
    pub chunk: Option<(u32, u32)>,
    /// Words of the prefix sums, of [`LENGTHS`]; without any, the one length of their rows' names.
    pub lengths: Vec<u32>,
    /// Whether the bins that were counted are kept, to be drawn.
    pub keep_bins: bool,
    /// Only rows whose name or title contains one of these, whatever the case; all if there is none.
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
            lengths: Vec::new(),
            keep_bins: false,
            only: Vec::new(),
        }
    }
}

impl Options {
    /// The methods that are measured.
    pub(super) fn methods(&self) -> impl Iterator<Item = Method> {
        Method::ALL.into_iter().filter(|method| self.only.is_empty() || self.names(method.name(), method.title()))
    }

    /// How a method is set up for these channels.
    ///
    /// # Errors
    /// [`Error::Shape`] for chunks or bins that the adapter cannot count.
    pub(super) fn setup(&self, gpu: &Gpu, method: Method, channels: ChannelSet) -> Result<Setup, Error> {
        let shape = Shape::new(gpu, self.chunk.unwrap_or_else(|| method.usual_chunk()), self.bin_count)?;
        Ok(Setup { method, channels, shape })
    }

    /// Whether a row is among those that are wanted by name.
    pub(super) fn names(&self, name: &str, title: &str) -> bool {
        self.only.iter().any(|only| is_part(only, name, title))
    }

    /// Those of the wanted names that no row has.
    pub(super) fn unknown_names(&self) -> Vec<String> {
        let is_known = |only: &&String| rows().iter().any(|(name, title)| is_part(only, name, title));
        self.only.iter().filter(|only| !is_known(only)).cloned().collect()
    }

    pub(super) fn pictures(&self) -> Result<Vec<Picture>, Error> {
        if let Some(frame) = &self.frame {
            return Ok(vec![frame.clone()]);
        }
        let layout = layouts::parse(&self.layout).ok_or_else(|| Error::UnknownLayout(self.layout.clone()))?;
        (0..PICTURES).map(|seed| Ok(self.content.picture(layout, self.size, seed)?)).collect()
    }
}

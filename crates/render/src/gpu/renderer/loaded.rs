//! The picture that is loaded, and who does what with it.

use crate::gpu::figures::{FrameTag, Series};
use crate::view::placement::Shape;
use histoscope_core::histogram::{Components, Histogram, Transfer};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Range;
use histoscope_core::picture::region::Rect;

/// Who turns a picture's samples into the pixels of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rasterizer {
    /// The adapter, with shaders/video.wgsl.
    Gpu,
    /// The CPU, with [`mod@crate::cpu::display`].
    Cpu,
}

/// The picture that is loaded.
#[derive(Debug)]
pub struct Loaded {
    pub picture: Picture,
    pub rasterizer: Rasterizer,
    pub shape: Shape,
    pub bits: u32,
    pub components: Components,
    /// The part of it that is counted alone, if one is.
    pub region: Option<Rect>,
    pub range: Range,
    /// How its codes become light.
    pub transfer: Transfer,
    /// The frame that it is of, where it is one.
    pub tag: Option<FrameTag>,
    /// Number of this loading.
    pub loading: u64,
    pub count: Count,
    /// Bins that another engine counted.
    pub known: Option<Histogram>,
}

impl Loaded {
    /// The series that the picture is of.
    pub fn series(&self) -> Series {
        let Shape { width, height, .. } = self.shape;
        let video = self.tag.map(|tag| tag.video).unwrap_or_default();
        Series { video, size: (width, height), rect: self.rect(), bits: self.bits, components: self.components }
    }

    /// What of the picture is counted.
    pub fn rect(&self) -> Rect {
        self.region.unwrap_or(Rect::whole(self.picture.width(), self.picture.height()))
    }
}

/// What is still to do for a picture's bins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// The next recording counts, or copies what another engine has counted.
    Due,
    /// The bin buffer holds them.
    Done,
}

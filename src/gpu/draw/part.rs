//! One of the two pictures on its columns of the view.

use std::ops::Range;

use super::video::{Side, VideoPass};
use crate::brush::Lighting;
use crate::frame::Picture;
use crate::gpu::Gpu;
use crate::layout::PixelLayout;
use crate::placement::Placement;

/// A picture on some columns of the view.
#[derive(Debug, Clone)]
pub struct Part<'a> {
    /// Which of the two it is.
    pub side: Side,
    /// The columns, which are not none.
    pub columns: Range<u32>,
    /// What lights it, if something does.
    pub lighting: Option<Lighting>,
    /// The picture for the CPU to paint; where `bound` is there, it may be the source instead.
    pub picture: &'a Picture,
    /// The picture for the adapter to draw; `None` where the CPU paints it.
    pub bound: Option<(&'a wgpu::BindGroup, PixelLayout)>,
}

impl Part<'_> {
    /// The same on a view of another width; `None` where no column is left.
    #[must_use]
    pub fn resized(&self, from: u32, to: u32) -> Option<Self> {
        let column = |at: u32| (u64::from(at) * u64::from(to) / u64::from(from.max(1))) as u32;
        let columns = column(self.columns.start)..column(self.columns.end);
        (!columns.is_empty()).then(|| Self { columns, ..self.clone() })
    }

    /// Sets a pass up to draw it.
    pub fn prepare(&self, gpu: &Gpu, video: &mut VideoPass, placement: &Placement) {
        if let Some((_, layout)) = self.bound {
            video.prepare_layout(gpu, self.side, layout);
            video.place(gpu, self.side, placement, self.lighting.as_ref());
        }
    }

    /// Draws it on a view of `height` pixels.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, video: &VideoPass, height: u32) {
        if let Some((group, _)) = self.bound {
            video.draw(pass, self.side, group, &self.columns, height);
        }
    }
}

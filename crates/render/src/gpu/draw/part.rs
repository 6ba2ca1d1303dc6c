//! One of the pictures on its columns of the view.

use std::ops::Range;

use super::video::{ByCodes, Selected, Side, VideoPass};
use crate::cpu::display::LitBy;
use crate::gpu::Gpu;
use crate::view::brush::Lighting;
use crate::view::datascope::Codes;
use crate::view::exposure::Inspection;
use crate::view::placement::Placement;
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::PixelLayout;

/// A picture on some columns of the view.
#[derive(Debug, Clone)]
pub struct ViewPart<'a> {
    /// Which one it is.
    pub side: Side,
    /// The columns, which are not none.
    pub columns: Range<u32>,
    /// Where it lies on the view.
    pub placement: Placement,
    /// What lights it, if something does.
    pub lighting: Option<Lighting>,
    /// The pixels that are lit, where they were selected one by one.
    pub selected: Option<Selected<'a>>,
    /// What it tells of its exposure, if it does.
    pub inspection: Option<Inspection>,
    /// Which of its codes are written in its pixels, if any are.
    pub codes: Option<Codes>,
    /// The picture for the CPU to paint; where `bound` is there, it may be the source instead.
    pub picture: &'a Picture,
    /// The picture for the adapter to draw; `None` where the CPU paints it.
    pub bound: Option<(&'a wgpu::BindGroup, PixelLayout)>,
    /// The picture whose codes decide what is lit, where that is the other one.
    pub counted: Option<CountedPicture<'a>>,
}

/// A picture that is counted, and not the one that is shown.
#[derive(Debug, Clone)]
pub struct CountedPicture<'a> {
    /// As in [`ViewPart`].
    pub picture: &'a Picture,
    /// As in [`ViewPart`].
    pub bound: Option<(&'a wgpu::BindGroup, PixelLayout)>,
}

impl<'a> ViewPart<'a> {
    /// The same on a view of another size, without what it tells of its exposure and codes; `None` where no column is left.
    #[must_use]
    pub fn resized(&self, to: (u32, u32)) -> Option<Self> {
        let from = self.placement.view.0;
        let column = |at: u32| (u64::from(at) * u64::from(to.0) / u64::from(from.max(1))) as u32;
        let columns = column(self.columns.start)..column(self.columns.end);
        let placement = self.placement.resized(to);
        (!columns.is_empty()).then(|| Self { columns, placement, inspection: None, codes: None, ..self.clone() })
    }

    /// What lights it, and the picture whose codes decide.
    #[must_use]
    pub fn light(&self) -> Option<(Lighting, LitBy<'_>)> {
        let by = match self.selected {
            Some(Selected::Here(pixels)) => LitBy::Selected(pixels),
            Some(Selected::There { .. }) | None => LitBy::Codes(self.decisive()),
        };
        self.lighting.map(|lighting| (lighting, by))
    }

    /// The picture whose codes decide what is lit.
    #[must_use]
    pub fn decisive(&self) -> &'a Picture {
        self.counted.as_ref().map_or(self.picture, |counted| counted.picture)
    }

    /// Sets a pass up to draw it and records what goes before; whether there was anything to record.
    pub fn prepare(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, video: &mut VideoPass) -> bool {
        let placement = &self.placement;
        let Some((_, layout)) = self.bound else { return false };
        video.prepare_layout(gpu, self.side, layout);
        let counted = self.counted.as_ref().and_then(|counted| counted.bound);
        let by_codes = ByCodes {
            lighting: self.lighting.as_ref(),
            selected: self.selected,
            inspection: self.inspection.as_ref(),
            codes: self.codes.as_ref(),
        };
        if let (Some(_), None, Some(counted)) = (by_codes.lighting, by_codes.selected, counted) {
            video.place_lit_by_other(gpu, encoder, self.side, counted, placement, by_codes);
            return true;
        }
        video.place(gpu, self.side, placement, by_codes);
        false
    }

    /// Draws it on a view of `height` pixels.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, video: &VideoPass, height: u32) {
        if let Some((group, _)) = self.bound {
            video.draw(pass, self.side, group, &self.columns, height);
        }
    }
}

//! What is drawn of which picture, and where.

use std::ops::Range;

use super::beside::SecondPicture;
use super::content::LoadedContent;
use super::loaded::{Loaded, Rasterizer};
use crate::gpu::draw::{CountedPicture, Side, ViewPart};
use crate::view::brush::Lighting;
use crate::view::placement::Placement;
use crate::view::scene::{Counted, Other, Scene, Seam, Sharing};
use histoscope_core::adjust::working_colorimetry;
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Colorimetry;
use histoscope_core::picture::layout::PixelLayout;

/// A picture for the CPU to paint, and for the adapter to draw.
type DrawnPicture<'a> = (&'a Picture, Option<(&'a wgpu::BindGroup, PixelLayout)>);

/// What the parts of a view have in common.
struct Maker<'a> {
    content: &'a LoadedContent,
    loaded: &'a Loaded,
    scene: &'a Scene,
    size: (u32, u32),
    lighting: Option<Lighting>,
}

impl LoadedContent {
    /// What is drawn of which picture on a view of that many pixels.
    pub fn parts<'a>(&'a self, scene: &'a Scene, size: (u32, u32)) -> Vec<ViewPart<'a>> {
        let Some(loaded) = &self.loaded else { return Vec::new() };
        let lighting = scene.lighting(loaded.components).map(|lighting| lighting.inside(loaded.region));
        let maker = Maker { content: self, loaded, scene, size, lighting };
        let pair = self.paired(scene);
        if pair.is_some_and(|pair| pair.sharing == Sharing::Difference) {
            return vec![maker.difference()];
        }
        let seam = pair.and_then(|_| scene.seam(size));
        let mut parts = Vec::new();
        let mut live = 0..size.0;
        if let Some(Seam { column, other, .. }) = seam {
            let (left, right) = (0..column, column..size.0);
            let columns = if other.is_left() { left.clone() } else { right.clone() };
            live = if other.is_left() { right } else { left };
            match (other, &self.beside) {
                (Other::Source, _) => {
                    let placement = scene.placement_of_other(&loaded.shape, size);
                    parts.push(maker.of_loaded(Side::Source, columns, placement));
                }
                (Other::Held | Other::Second, Some(beside)) => parts.push(maker.of_beside(beside, columns)),
                (Other::Held | Other::Second, None) => {}
            }
        }
        let side = if self.has_result() { Side::Result } else { Side::Source };
        parts.push(maker.of_loaded(side, live, scene.placement(&loaded.shape, size)));
        // A brush selects codes of the picture that is counted, wherever its pixels are shown.
        let (other, (picture, bound)) = match self.counted() {
            Counted::Source => (Side::Result, maker.source()),
            Counted::Result | Counted::Both => (Side::Source, maker.result()),
        };
        for part in parts.iter_mut().filter(|part| part.side == other) {
            part.counted = lighting.map(|_| CountedPicture { picture, bound });
        }
        parts.retain(|part| !part.columns.is_empty());
        // One rasterizer draws both, so that they meet without a seam.
        let is_painted = |part: &ViewPart<'_>| {
            part.bound.is_none() || part.counted.as_ref().is_some_and(|counted| counted.bound.is_none())
        };
        if parts.iter().any(is_painted) {
            parts.iter_mut().for_each(|part| part.bound = None);
        }
        parts
    }
}

impl<'a> Maker<'a> {
    fn is_drawn(&self) -> bool {
        self.loaded.rasterizer == Rasterizer::Gpu
    }

    fn source(&self) -> DrawnPicture<'a> {
        let group = self.content.pictures.bind_group().filter(|_| self.is_drawn());
        let picture = &self.loaded.picture;
        (picture, group.map(|group| (group, *picture.layout())))
    }

    fn result(&self) -> DrawnPicture<'a> {
        let adjusting = &self.content.adjusting;
        let picture = adjusting.picture().unwrap_or(&self.loaded.picture);
        (picture, adjusting.bound().filter(|_| self.is_drawn()))
    }

    /// A picture with all that its own codes ask for: each tells of its own exposure.
    fn part(
        &self,
        side: Side,
        columns: Range<u32>,
        placement: Placement,
        (picture, bound): DrawnPicture<'a>,
        (layout, colorimetry): (PixelLayout, Colorimetry),
    ) -> ViewPart<'a> {
        let components = self.loaded.components;
        ViewPart {
            side,
            columns,
            placement,
            lighting: self.lighting,
            selected: None,
            inspection: self.scene.exposure.of(&layout, &colorimetry, components),
            codes: self.scene.datascope.codes(&layout, components),
            picture,
            bound,
            counted: None,
        }
    }

    /// The loaded picture as it was decoded, or adjusted.
    fn of_loaded(&self, side: Side, columns: Range<u32>, placement: Placement) -> ViewPart<'a> {
        if side == Side::Result {
            let (picture, bound) = self.result();
            let layout = self.content.adjusting.bound().map_or(*picture.layout(), |(_, layout)| layout);
            return self.part(side, columns, placement, (picture, bound), (layout, working_colorimetry()));
        }
        let read = (*self.loaded.picture.layout(), *self.loaded.picture.colorimetry());
        self.part(side, columns, placement, self.source(), read)
    }

    fn of_beside(&self, beside: &'a SecondPicture, columns: Range<u32>) -> ViewPart<'a> {
        let adjustments = &self.content.choice.adjustments;
        let (picture, bound) = (beside.picture(adjustments), beside.bound(adjustments).filter(|_| self.is_drawn()));
        let layout = bound.map_or(*picture.layout(), |(_, layout)| layout);
        let is_adjusted = beside.is_adjusted(adjustments);
        let colorimetry = if is_adjusted { working_colorimetry() } else { *picture.colorimetry() };
        let placement = self.scene.placement_of_other(&beside.shape(), self.size);
        // Brushes select codes of the picture that is counted, and light that one alone.
        let part = self.part(Side::Beside, columns, placement, (picture, bound), (layout, colorimetry));
        ViewPart { lighting: None, ..part }
    }

    /// The difference on all of the view: what is lit, marked and written in it would be of codes that are none.
    fn difference(&self) -> ViewPart<'a> {
        let Self { content, loaded, scene, size, .. } = self;
        ViewPart {
            side: Side::Beside,
            columns: 0..size.0,
            placement: scene.placement(&loaded.shape, *size),
            lighting: None,
            selected: None,
            inspection: None,
            codes: None,
            picture: content.differing.picture().unwrap_or(&loaded.picture),
            bound: content.differing.bound().filter(|_| self.is_drawn()),
            counted: None,
        }
    }
}

//! The bins of a frame as numbers, read back only when something visible needs them.

use std::time::{Duration, Instant};

use crate::app::screen::graphics::Graphics;
use histoscope_core::histogram::{Components, Cumulative};
use histoscope_core::picture::Frame;
use histoscope_render::gpu::FrameTag;
use histoscope_render::view::region::Region;
use histoscope_render::view::scene::{Brush, Counted, Scene};

/// Polling interval while bins are being read back.
const INTERVAL: Duration = Duration::from_millis(5);

/// The components and the region to count, and the newest bins read back.
#[derive(Debug)]
pub struct Bins {
    /// The components to count.
    pub components: Components,
    /// The region of the picture to count.
    pub region: Region,
    /// The newest bins, summed up, and the tag of their frame.
    newest: Option<(FrameTag, Cumulative)>,
    /// The figures requested for the loaded frame.
    requested: RequestedFigures,
    /// The brush at the time of the request.
    brush: Option<Brush>,
}

/// The figures needed for a frame. Each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum RequestedFigures {
    /// None.
    #[default]
    Nothing,
    /// The bins.
    Bins,
    /// All figures, including the counts outside the limits of EBU R 103.
    Numbers,
}

impl Bins {
    /// Creates the state before any bins have been read back.
    #[must_use]
    pub fn new(components: Components) -> Self {
        Self { components, region: Region::default(), newest: None, requested: RequestedFigures::Nothing, brush: None }
    }

    /// Notes that a different frame has been loaded, for which nothing has been requested yet.
    pub const fn outdate(&mut self) {
        self.requested = RequestedFigures::Nothing;
    }

    /// Returns the newest bins and the tag of their frame, if they suit `frame`: from the same video, with the same
    /// bits per code, and of the components counted now.
    #[must_use]
    pub fn newest(&self, frame: &Frame) -> Option<(&FrameTag, &Cumulative)> {
        let (tag, sums) = self.newest.as_ref()?;
        let bits = frame.picture.layout().bin_bits();
        let is_alike = tag.video == frame.video && sums.bits == bits && sums.components == self.components;
        is_alike.then_some((tag, sums))
    }

    /// Returns the newest bins only if they also match the picture (source or result) and the region counted now.
    #[must_use]
    pub fn counted_now(&self, scene: &Scene, frame: &Frame) -> Option<(&FrameTag, &Cumulative)> {
        let is_adjusted = scene.look.counted_in(self.components) != Counted::Source;
        let is_so = |tag: &FrameTag| tag.adjusted == is_adjusted && tag.region == self.region.counted();
        self.newest(frame).filter(|(tag, _)| is_so(tag))
    }

    /// Requests the figures needed for the frame on screen, and the selection of a brush, unless already requested.
    /// Takes figures that have arrived. Returns whether any have, and when to poll again.
    pub fn advance(
        &mut self,
        graphics: &mut Graphics,
        (wanted, brush): (RequestedFigures, Option<Brush>),
        now: Instant,
    ) -> (bool, Option<Instant>) {
        let Graphics { renderer, gpu, .. } = graphics;
        renderer.set_limits(wanted == RequestedFigures::Numbers);
        renderer.set_selecting(brush);
        if brush != std::mem::replace(&mut self.brush, brush) {
            self.outdate();
        }
        if wanted > self.requested {
            self.requested = wanted;
            renderer.request_histogram(gpu);
        }
        let come = renderer.poll_histogram(gpu);
        let has_come = come.is_some();
        self.newest = come.or(self.newest.take());
        (has_come, renderer.is_histogram_pending().then(|| now + INTERVAL))
    }
}

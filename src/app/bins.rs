//! The bins of a frame as numbers, as far as something that is to be seen tells of them.

use std::time::{Duration, Instant};

use super::graphics::Graphics;
use histoscope_core::histogram::{Components, Cumulative};
use histoscope_core::picture::Frame;
use histoscope_render::gpu::FrameTag;
use histoscope_render::view::region::Region;
use histoscope_render::view::scene::{Brush, Counted, Scene};

/// While bins are under way they are looked for this often.
const INTERVAL: Duration = Duration::from_millis(5);

/// The components and the region that are counted, and the newest bins that have come.
#[derive(Debug)]
pub struct Bins {
    /// The components that are counted.
    pub components: Components,
    /// The region of the picture that is counted.
    pub region: Region,
    /// The newest bins, summed up, and whose they are.
    newest: Option<(FrameTag, Cumulative)>,
    /// The request for the loaded frame.
    asked: Wanted,
    /// The brush that they were asked for with.
    brush: Option<Brush>,
}

/// The figures that are wanted of a frame. Later ones include those before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Wanted {
    /// Nothing.
    #[default]
    Nothing,
    /// Its bins.
    Bins,
    /// All numbers that there are.
    Numbers,
}

impl Bins {
    /// No bins yet of what is to be counted.
    #[must_use]
    pub fn new(components: Components) -> Self {
        Self { components, region: Region::default(), newest: None, asked: Wanted::Nothing, brush: None }
    }

    /// Notes that another frame has been loaded.
    pub const fn outdate(&mut self) {
        self.asked = Wanted::Nothing;
    }

    /// The newest bins if they are of the video of that frame and of what is counted in it, and whose they are.
    #[must_use]
    pub fn newest(&self, frame: &Frame) -> Option<(&FrameTag, &Cumulative)> {
        let (tag, sums) = self.newest.as_ref()?;
        let bits = frame.picture.layout().bin_bits();
        let is_alike = tag.video == frame.video && sums.bits == bits && sums.components == self.components;
        is_alike.then_some((tag, sums))
    }

    /// The same if they are of the picture and of the part of it that are counted now.
    #[must_use]
    pub fn counted_now(&self, scene: &Scene, frame: &Frame) -> Option<(&FrameTag, &Cumulative)> {
        let is_adjusted = scene.look.counted_in(self.components) != Counted::Source;
        let is_so = |tag: &FrameTag| tag.adjusted == is_adjusted && tag.region == self.region.counted();
        self.newest(frame).filter(|(tag, _)| is_so(tag))
    }

    /// Asks for what is wanted of the frame on screen, with what a brush selects, and has not been asked for, and takes what has
    /// come. Returns whether anything has, and when to look again.
    pub fn advance(
        &mut self,
        graphics: &mut Graphics,
        (wanted, brush): (Wanted, Option<Brush>),
        now: Instant,
    ) -> (bool, Option<Instant>) {
        let Graphics { renderer, gpu, .. } = graphics;
        renderer.set_limits(wanted == Wanted::Numbers);
        renderer.set_selecting(brush);
        if brush != std::mem::replace(&mut self.brush, brush) {
            self.outdate();
        }
        if wanted > self.asked {
            self.asked = wanted;
            renderer.request_histogram(gpu);
        }
        let come = renderer.poll_histogram(gpu);
        let has_come = come.is_some();
        self.newest = come.or(self.newest.take());
        (has_come, renderer.is_histogram_pending().then(|| now + INTERVAL))
    }
}

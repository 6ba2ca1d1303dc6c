//! The bins of a frame as numbers, as far as something that is to be seen tells of them.

use std::time::{Duration, Instant};

use super::graphics::Graphics;
use crate::gpu::FrameTag;
use crate::histogram::{Components, Cumulative};
use crate::view::overlay::Channels;
use crate::view::scene::{Counted, Scene};

/// While bins are under way they are looked for this often.
const INTERVAL: Duration = Duration::from_millis(5);

/// What is counted, and the newest bins that have come.
#[derive(Debug)]
pub struct Bins {
    /// What is counted.
    pub components: Components,
    /// The newest bins, summed up, and whose they are.
    newest: Option<(FrameTag, Cumulative)>,
    /// Whether those of the frame that is loaded have been asked for.
    is_asked: bool,
}

impl Bins {
    /// No bins yet of what is to be counted.
    #[must_use]
    pub const fn new(components: Components) -> Self {
        Self { components, newest: None, is_asked: false }
    }

    /// Forgets all bins, as with another video.
    pub fn forget(&mut self) {
        *self = Self::new(self.components);
    }

    /// Notes that another frame has been loaded.
    pub const fn outdate(&mut self) {
        self.is_asked = false;
    }

    /// The newest bins, whatever they are of.
    #[must_use]
    pub fn newest(&self) -> Option<(&FrameTag, &Cumulative)> {
        self.newest.as_ref().map(|(tag, sums)| (tag, sums))
    }

    /// The newest bins if they are of what is counted now, in a picture with bins of so many bits.
    #[must_use]
    pub fn counted_now(&self, scene: &Scene, bits: Option<u32>) -> Option<&Cumulative> {
        let (tag, sums) = self.newest()?;
        let is_alike = sums.components == self.components && Some(sums.bits) == bits;
        let is_adjusted = scene.counted_in(self.components) != Counted::Source;
        (is_alike && tag.adjusted == is_adjusted).then_some(sums)
    }

    /// The channel whose bar is the tallest in a bin: the one that the pointer seems to touch.
    #[must_use]
    pub fn tallest(&self, channels: Channels, bin: u32) -> usize {
        let count = |channel: usize| self.newest().map_or(0, |(_, sums)| sums.channel(channel).count_in(bin..=bin));
        // The first of them, where several are equally tall.
        channels.iter().reduce(|best, channel| if count(channel) > count(best) { channel } else { best }).unwrap_or(0)
    }

    /// Asks for the bins of the frame on screen where they are wanted and have not been asked for, and takes those that have
    /// come; whether any have, and when to look again.
    pub fn advance(&mut self, graphics: &mut Graphics, is_wanted: bool, now: Instant) -> (bool, Option<Instant>) {
        let Graphics { renderer, gpu, .. } = graphics;
        if is_wanted && !self.is_asked {
            self.is_asked = true;
            renderer.request_histogram(gpu);
        }
        let come = renderer.poll_histogram(gpu);
        let has_come = come.is_some();
        self.newest = come.or(self.newest.take());
        (has_come, renderer.is_histogram_pending().then(|| now + INTERVAL))
    }
}

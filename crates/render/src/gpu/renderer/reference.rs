//! The bins of a frame that is held as a reference, drawn as outlines over those of what is loaded.

use std::sync::Arc;

use super::brushed::{Scales, put};
use super::loaded::Loaded;
use crate::gpu::Gpu;
use crate::gpu::draw::overlay::OverlayBars;
use crate::gpu::resources::storage;
use histoscope_core::histogram::{CHANNELS, Components, Histogram};
use histoscope_core::scopes::samples_in;

/// The bins, in the measure of those beside which they are drawn.
#[derive(Debug)]
pub struct Reference {
    of: Arc<Histogram>,
    /// The measure that they are in.
    drawn: Option<Measure>,
    bins: wgpu::Buffer,
    scales: Scales,
}

/// Bits of a code, and samples of each channel.
type Measure = (u32, [u64; CHANNELS]);

impl Reference {
    /// Nothing is made for the drawing yet.
    pub fn new(gpu: &Gpu, of: Arc<Histogram>) -> Self {
        Self { of, drawn: None, bins: storage(&gpu.device, "reference bins", 0), scales: Scales::new(gpu) }
    }

    /// Whether they are these.
    pub fn is_of(&self, other: &Arc<Histogram>) -> bool {
        Arc::ptr_eq(&self.of, other)
    }

    /// Whether they are drawn over what is loaded: the same must have been counted.
    pub fn suits(&self, loaded: &Loaded) -> bool {
        self.of.components == loaded.components
    }

    /// Records what makes them ready to be drawn over those of what is loaded, unless they are; whether there was anything to record.
    pub fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, loaded: &Loaded) -> bool {
        let measure = (loaded.bits, samples_of(loaded));
        if self.drawn == Some(measure) {
            return false;
        }
        put(gpu, &mut self.bins, "reference bins", &self.of.in_measure_of(measure.0, measure.1).words);
        self.scales.record(gpu, encoder, &self.bins, measure.0);
        self.drawn = Some(measure);
        true
    }

    /// Bins and scales.
    pub const fn bars(&self) -> OverlayBars<'_> {
        OverlayBars { bins: &self.bins, scales: &self.scales.scales }
    }
}

/// Samples of each channel that are counted of what is loaded.
fn samples_of(loaded: &Loaded) -> [u64; CHANNELS] {
    let (layout, rect) = (loaded.picture.layout(), loaded.rect());
    std::array::from_fn(|channel| match loaded.components {
        Components::Rgbl => rect.pixel_count(),
        Components::YCbCr if channel < layout.component_count() => samples_in(layout, channel, rect).pixel_count(),
        Components::YCbCr => 0,
    })
}

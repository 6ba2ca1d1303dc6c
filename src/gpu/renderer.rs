//! The order of the passes, in one place: the window, saved pictures and tests all draw through here.

use super::draw::overlay::Shown;
use super::draw::placement::{cover, transform, upright_size};
use super::draw::{Channels, OverlayPass, VideoPass};
use super::histogram::HistogramPasses;
use super::upload::PictureBuffers;
use super::{Gpu, GpuError};
use crate::color::Range;
use crate::frame::{Orientation, Picture, Ratio};
use crate::histogram::{Components, Histogram};
use glam::DVec2;

/// What is drawn over and around the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scene {
    /// Channels that are toggled on.
    pub channels: Channels,
    /// Whether the overlays are shown at all.
    pub overlays: bool,
}

impl Default for Scene {
    fn default() -> Self {
        Self { channels: Channels::ALL, overlays: true }
    }
}

/// The picture that is loaded.
#[derive(Debug)]
struct Loaded {
    width: u32,
    height: u32,
    sample_aspect: Ratio,
    orientation: Orientation,
    bits: u32,
    components: Components,
    range: Range,
    count: Count,
}

/// What is still to do for the loaded picture's bins.
#[derive(Debug)]
enum Count {
    /// The GPU counts with the next recording.
    Gpu,
    /// Another engine has counted; its bins are copied with the next recording.
    Copy(Histogram),
    /// The bin buffer holds them.
    Done,
}

/// Everything that turns pictures into views, for views of one texture format.
#[derive(Debug)]
pub struct Renderer {
    pictures: PictureBuffers,
    histogram: HistogramPasses,
    video: VideoPass,
    overlay: OverlayPass,
    loaded: Option<Loaded>,
}

impl Renderer {
    /// Makes the passes for views of `format`, which must not be sRGB: codes are shown as they are.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let pictures = PictureBuffers::new(gpu);
        let histogram = HistogramPasses::new(gpu, &pictures.bind_group_layout);
        let video = VideoPass::new(gpu, &pictures.bind_group_layout, format);
        let overlay = OverlayPass::new(gpu, &histogram, format);
        Self { pictures, histogram, video, overlay, loaded: None }
    }

    /// The counting passes with their buffers.
    #[must_use]
    pub const fn histogram(&self) -> &HistogramPasses {
        &self.histogram
    }

    /// n of the picture that is loaded: its channels have 2^n bins.
    #[must_use]
    pub fn bits(&self) -> Option<u32> {
        self.loaded.as_ref().map(|loaded| loaded.bits)
    }

    /// Uploads a picture for the next recording. With `counted`, those bins are shown; without, the GPU counts.
    ///
    /// # Errors
    /// [`GpuError`] if the picture is more than the adapter can hold or count.
    pub fn load(
        &mut self,
        gpu: &Gpu,
        picture: &Picture,
        (sample_aspect, orientation): (Ratio, Orientation),
        components: Components,
        counted: Option<Histogram>,
    ) -> Result<(), GpuError> {
        self.loaded = None;
        self.pictures.upload(gpu, picture)?;
        self.video.prepare(gpu, picture);
        let count = match counted {
            Some(histogram) => Count::Copy(histogram),
            None => {
                self.histogram.prepare(gpu, picture, components)?;
                Count::Gpu
            }
        };
        self.loaded = Some(Loaded {
            width: picture.width(),
            height: picture.height(),
            sample_aspect,
            orientation,
            bits: picture.layout().bin_bits(),
            components,
            range: picture.colorimetry().range.value,
            count,
        });
        Ok(())
    }

    /// Records all that turns the loaded picture into a view of `size` pixels: counting, unless it is done, then the
    /// picture, then the overlays. Without a picture the view becomes black.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        view: &wgpu::TextureView,
        size: (u32, u32),
        scene: &Scene,
    ) {
        self.record_count(gpu, encoder);
        self.prepare_draw(gpu, size, scene);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("draw"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        let (Some(loaded), Some(group)) = (&self.loaded, self.pictures.bind_group()) else { return };
        self.video.draw(&mut pass, group);
        if scene.overlays {
            self.overlay.draw(&mut pass, loaded.bits);
        }
    }

    /// Records the counting of the loaded picture, if it has not been counted yet.
    pub fn record_count(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) {
        let (Some(loaded), Some(group)) = (&mut self.loaded, self.pictures.bind_group()) else { return };
        match std::mem::replace(&mut loaded.count, Count::Done) {
            Count::Gpu => self.histogram.record(encoder, group, None),
            Count::Copy(histogram) => self.histogram.record_counted(gpu, encoder, &histogram),
            Count::Done => {}
        }
    }

    fn prepare_draw(&mut self, gpu: &Gpu, size: (u32, u32), scene: &Scene) {
        let Some(loaded) = &self.loaded else { return };
        let upright = upright_size(loaded.width, loaded.height, loaded.sample_aspect, loaded.orientation);
        let view = DVec2::new(f64::from(size.0), f64::from(size.1));
        let picture = DVec2::new(f64::from(loaded.width), f64::from(loaded.height));
        self.video.place(gpu, transform(cover(upright, view), loaded.orientation), picture, view);
        let Loaded { bits, components, range, .. } = *loaded;
        self.overlay.prepare(gpu, &Shown { bits, components, range, on: scene.channels }, size);
    }
}

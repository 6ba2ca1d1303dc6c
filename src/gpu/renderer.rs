//! The order of the passes, in one place: the window, saved pictures and tests all draw through here.

use std::time::{Duration, Instant};

use super::draw::overlay::Shown;
use super::draw::{OverlayPass, PaintPass, Shapes, TextPass, VideoPass};
use super::figures::{FrameTag, LiveHistogram, Subject};
use super::histogram::{HistogramPasses, Stamps};
use super::live::{LiveTiming, PassTimes, Span};
use super::readback::{self, Image, VIEW_FORMAT};
use super::surface::{Target, WindowSurface};
use super::upload::PictureBuffers;
use super::{Gpu, GpuError};
use crate::color::Range;
use crate::cpu;
use crate::frame::{Frame, Orientation, Picture, Ratio};
use crate::histogram::{Components, Histogram};
use crate::placement::{Placement, Shape};
use crate::scene::Scene;

/// Whether the passes' times are on their way back from the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimesState {
    /// New ones have just come.
    New,
    /// Some are under way.
    UnderWay,
    /// None are.
    Settled,
}

/// Who turns a picture's samples into the pixels of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Artist {
    /// The adapter, with shaders/video.wgsl.
    Gpu,
    /// The CPU, with [`mod@crate::cpu::display`].
    Cpu,
}

/// The picture that is loaded.
#[derive(Debug)]
struct Loaded {
    picture: Picture,
    artist: Artist,
    shape: Shape,
    bits: u32,
    components: Components,
    range: Range,
    tag: FrameTag,
    /// Number of this loading.
    loading: u64,
    count: Count,
    /// Bins that another engine counted.
    counted: Option<Histogram>,
}

/// What is still to do for the loaded picture's bins.
#[derive(Debug)]
enum Count {
    /// The GPU counts with the next recording.
    Gpu,
    /// Another engine has counted; its bins are copied with the next recording.
    Copy,
    /// The bin buffer holds them.
    Done,
}

/// Everything that turns pictures into views, for views of one texture format.
#[derive(Debug)]
pub struct Renderer {
    format: wgpu::TextureFormat,
    pictures: PictureBuffers,
    histogram: HistogramPasses,
    video: VideoPass,
    artist: Artist,
    paint: PaintPass,
    overlay: OverlayPass,
    text: TextPass,
    timing: Option<LiveTiming>,
    live: LiveHistogram,
    /// Pictures loaded so far.
    loadings: u64,
    loaded: Option<Loaded>,
}

impl Renderer {
    /// Makes the passes for views of `format`, which must not be sRGB: codes are shown as they are.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let artist = if gpu.is_software() { Artist::Cpu } else { Artist::Gpu };
        Self::with_artist(gpu, format, artist)
    }

    /// Makes the passes for pictures that no window shows: [`snapshot`](Self::snapshot) and [`count`](Self::count).
    #[must_use]
    pub fn headless(gpu: &Gpu) -> Self {
        Self::new(gpu, VIEW_FORMAT)
    }

    /// Makes the passes for a window.
    #[must_use]
    pub fn for_surface(gpu: &Gpu, surface: &WindowSurface) -> Self {
        let paints = gpu.is_software() && surface.takes_copies() && has_bytes(surface.format());
        Self::with_artist(gpu, surface.format(), if paints { Artist::Cpu } else { Artist::Gpu })
    }

    /// The same as [`new`](Self::new), with a choice of who draws the picture.
    #[must_use]
    pub fn with_artist(gpu: &Gpu, format: wgpu::TextureFormat, artist: Artist) -> Self {
        let pictures = PictureBuffers::new(gpu);
        let histogram = HistogramPasses::new(gpu, &pictures.bind_group_layout);
        let video = VideoPass::new(gpu, &pictures.bind_group_layout, format);
        let overlay = OverlayPass::new(gpu, &histogram, format);
        Self {
            format,
            pictures,
            histogram,
            video,
            artist,
            paint: PaintPass::default(),
            overlay,
            text: TextPass::new(format),
            timing: None,
            live: LiveHistogram::new(gpu),
            loadings: 0,
            loaded: None,
        }
    }

    /// The counting passes with their buffers.
    #[must_use]
    pub const fn histogram(&self) -> &HistogramPasses {
        &self.histogram
    }

    /// Starts or stops timing the passes. Without it, no query is made and no buffer is read back.
    pub fn set_timing(&mut self, gpu: &Gpu, on: bool) {
        self.timing = on.then(|| LiveTiming::new(gpu));
    }

    /// The newest times of the passes, if they are timed, and whether the adapter tells the GPU's own.
    #[must_use]
    pub fn pass_times(&self) -> Option<(PassTimes, bool)> {
        self.timing.as_ref().map(|timing| (timing.times, timing.has_timestamps()))
    }

    /// Takes times that have come back from the GPU, without waiting.
    pub fn poll_times(&mut self, gpu: &Gpu) -> TimesState {
        let Some(timing) = &mut self.timing else { return TimesState::Settled };
        match (timing.poll(gpu), timing.is_pending()) {
            (true, _) => TimesState::New,
            (false, true) => TimesState::UnderWay,
            (false, false) => TimesState::Settled,
        }
    }

    /// Notes how long another engine took to count the picture that is loaded next.
    pub fn note_cpu_count(&mut self, time: Option<Duration>) {
        if let Some(timing) = &mut self.timing {
            timing.times.cpu_count = time;
        }
    }

    /// Must follow the submission of what was recorded.
    pub fn submitted(&mut self) {
        if let Some(timing) = &mut self.timing {
            timing.submitted();
        }
        self.live.submitted();
    }

    /// Asks for the bins of the loaded picture as numbers. They are there some frames later, without anybody waiting for
    /// them; see [`poll_histogram`](Self::poll_histogram). Asking again for what is under way changes nothing.
    pub fn request_histogram(&mut self, gpu: &Gpu) {
        self.live.wanted |= !self.live.is_under_way(self.loadings);
        self.fetch_histogram(gpu);
    }

    /// Sends for the bins that are wanted if they lie in the bin buffer already; else the next recording does.
    fn fetch_histogram(&mut self, gpu: &Gpu) {
        let is_counted = self.loaded.as_ref().is_some_and(|loaded| matches!(loaded.count, Count::Done));
        if is_counted && self.live.is_due() {
            let descriptor = wgpu::CommandEncoderDescriptor { label: Some("fetch bins") };
            let mut encoder = gpu.device.create_command_encoder(&descriptor);
            self.record_fetch(&mut encoder);
            gpu.queue.submit([encoder.finish()]);
            self.live.submitted();
        }
    }

    fn record_fetch(&mut self, encoder: &mut wgpu::CommandEncoder) {
        // What another engine counted is known without asking.
        if let Some(Loaded { tag, loading, bits, components, counted: None, .. }) = self.loaded
            && self.live.is_due()
        {
            self.live.record(encoder, &self.histogram, Subject { tag, loading, bits, components });
        }
    }

    /// The bins that were asked for if they have come, and which frame's they are. Never waits.
    pub fn poll_histogram(&mut self, gpu: &Gpu) -> Option<(FrameTag, Histogram)> {
        if let Some(Loaded { tag, counted: Some(histogram), .. }) = &self.loaded
            && self.live.wanted
        {
            self.live.wanted = false;
            return Some((*tag, histogram.clone()));
        }
        let come = self.live.poll(gpu);
        self.fetch_histogram(gpu);
        come
    }

    /// Whether bins were asked for that have not come yet.
    #[must_use]
    pub const fn is_histogram_pending(&self) -> bool {
        self.live.is_pending()
    }

    /// The newest luminance codes at which the second class and those after it begin, `u32::MAX` where there is none; `None`
    /// where no threshold is among the adjustments, or they have not come yet. Never waits: they come with
    /// [`poll_histogram`](Self::poll_histogram), [`poll_times`](Self::poll_times) and every drawing.
    #[must_use]
    pub const fn thresholds(&self) -> Option<[u32; 4]> {
        None
    }

    /// Sets the text and panels that are drawn over everything from the next drawing on.
    pub fn set_shapes(&mut self, shapes: Shapes) {
        self.text.set(shapes);
    }

    /// Loads a frame's picture, as [`load`](Self::load) does, and names it as the frame that its bins belong to.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_frame(
        &mut self,
        gpu: &Gpu,
        frame: &Frame,
        components: Components,
        counted: Option<Histogram>,
    ) -> Result<(), GpuError> {
        self.load(gpu, &frame.picture, (frame.sample_aspect, frame.orientation), components, counted)?;
        if let Some(loaded) = &mut self.loaded {
            loaded.tag = FrameTag::of(frame);
        }
        Ok(())
    }

    /// Uploads a picture for the next recording. With `counted`, those bins are shown; without, the GPU counts.
    ///
    /// # Errors
    /// [`GpuError`] if the picture is deeper than the adapter can count.
    pub fn load(
        &mut self,
        gpu: &Gpu,
        picture: &Picture,
        (sample_aspect, orientation): (Ratio, Orientation),
        components: Components,
        counted: Option<Histogram>,
    ) -> Result<(), GpuError> {
        self.loaded = None;
        self.loadings += 1;
        // A picture that is more than the adapter can hold is counted and painted by the CPU.
        let fits = PictureBuffers::check(gpu, picture);
        let artist = if fits.is_ok() { self.artist } else { Artist::Cpu };
        let counted = match (&fits, counted) {
            (Err(reason), None) => {
                log::debug!("{reason}; the CPU counts and paints it");
                Some(cpu::Engine::new().count(picture, components).clone())
            }
            (_, counted) => counted,
        };
        if artist == Artist::Gpu {
            self.video.prepare(gpu, picture);
        }
        // Where the CPU counts and draws, the planes are of no use to the adapter.
        let begin = Instant::now();
        let uploads = artist == Artist::Gpu || counted.is_none();
        if uploads {
            self.pictures.upload(gpu, picture)?;
        }
        if let Some(timing) = &mut self.timing {
            timing.times.upload = uploads.then(|| begin.elapsed());
        }
        let count = match counted {
            Some(_) => Count::Copy,
            None => {
                self.histogram.prepare(gpu, picture, components)?;
                Count::Gpu
            }
        };
        self.loaded = Some(Loaded {
            picture: picture.clone(),
            artist,
            shape: Shape { width: picture.width(), height: picture.height(), sample_aspect, orientation },
            bits: picture.layout().bin_bits(),
            components,
            range: picture.colorimetry().range.value,
            tag: FrameTag::default(),
            loading: self.loadings,
            count,
            counted,
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
        let painted = self.prepare_draw(gpu, encoder, view, size, scene);
        self.text.prepare(gpu, encoder, size);
        self.record_draw(encoder, view, painted, scene.overlays, true);
        if let Some(timing) = &self.timing {
            timing.end(encoder);
        }
    }

    fn record_draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        view: &wgpu::TextureView,
        painted: bool,
        overlays: bool,
        text: bool,
    ) {
        let finds_columns = overlays && self.loaded.is_some();
        let timestamp_writes =
            self.timing.as_ref().and_then(LiveTiming::set).map(|query_set| wgpu::RenderPassTimestampWrites {
                query_set,
                // Where there are overlays, drawing begins with the pass that finds their columns.
                beginning_of_pass_write_index: (!finds_columns).then_some(2 * Span::Draw as u32),
                end_of_pass_write_index: Some(2 * Span::Draw as u32 + 1),
            });
        // What the CPU has painted already stays; otherwise black is what no picture covers.
        let load = if painted { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(wgpu::Color::BLACK) };
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("draw"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
                })],
                timestamp_writes,
                ..Default::default()
            })
            .forget_lifetime();
        if let Some(loaded) = &self.loaded {
            if let (Artist::Gpu, Some(group)) = (loaded.artist, self.pictures.bind_group()) {
                self.video.draw(&mut pass, group);
            }
            if overlays {
                self.overlay.draw(&mut pass);
            }
        }
        if text {
            self.text.draw(&mut pass);
        }
    }

    /// Draws the loaded picture to a window's texture and shows it. `before` is called when all is drawn, right before it
    /// is shown.
    pub fn present(&mut self, gpu: &Gpu, target: Target, scene: &Scene, before: impl FnOnce()) {
        let texture = &target.texture.texture;
        let size = (texture.width(), texture.height());
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("frame") });
        self.record(gpu, &mut encoder, &view, size, scene);
        gpu.queue.submit([encoder.finish()]);
        self.submitted();
        before();
        gpu.queue.present(target.texture);
    }

    /// The loaded picture with its overlays as an image of `size` pixels, counted before if it was not yet. Text and panels
    /// are left out.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter has no textures of that size, or fails.
    pub fn snapshot(&mut self, gpu: &Gpu, size: (u32, u32), scene: &Scene) -> Result<Image, GpuError> {
        if !has_bytes(self.format) {
            return self.snapshot_in_bytes(gpu, size, scene);
        }
        let texture = readback::view_texture(gpu, size, self.format)?;
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("snapshot") });
        self.record_count(gpu, &mut encoder);
        let painted = self.prepare_draw(gpu, &mut encoder, &view, size, scene);
        self.record_draw(&mut encoder, &view, painted, scene.overlays, false);
        gpu.queue.submit([encoder.finish()]);
        self.submitted();
        readback::read_texture(gpu, &texture)
    }

    /// A snapshot where the window's own format has no byte a sample: drawn by passes of their own.
    fn snapshot_in_bytes(&self, gpu: &Gpu, size: (u32, u32), scene: &Scene) -> Result<Image, GpuError> {
        let mut other = Self::with_artist(gpu, VIEW_FORMAT, self.artist);
        if let Some(loaded) = &self.loaded {
            let placing = (loaded.shape.sample_aspect, loaded.shape.orientation);
            other.load(gpu, &loaded.picture, placing, loaded.components, None)?;
        }
        other.snapshot(gpu, size, scene)
    }

    /// Counts the loaded picture, unless it is counted, and reads its bins; waits for both.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails; what was never loaded has no bins.
    pub fn count(&mut self, gpu: &Gpu) -> Result<Histogram, GpuError> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("count") });
        self.record_count(gpu, &mut encoder);
        gpu.queue.submit([encoder.finish()]);
        self.submitted();
        let Some(Loaded { bits, components, .. }) = self.loaded else {
            return Ok(Histogram::empty(8, Components::Rgbl));
        };
        readback::read_histogram(gpu, &self.histogram, bits, components)
    }

    /// Records the counting of the loaded picture, if it has not been counted yet.
    pub fn record_count(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) {
        let Some(loaded) = &mut self.loaded else { return };
        let count = std::mem::replace(&mut loaded.count, Count::Done);
        match (count, &loaded.counted, self.pictures.bind_group()) {
            (Count::Gpu, _, Some(group)) => {
                let set = self.timing.as_mut().and_then(|timing| timing.begin(Span::Chunk));
                self.histogram.record(encoder, group, set.map(|set| Stamps { set, first: 0 }));
            }
            (Count::Copy, Some(histogram), _) => {
                let set = self.timing.as_mut().and_then(|timing| timing.begin(Span::Scale));
                self.histogram.record_counted(gpu, encoder, histogram, set.map(|set| Stamps { set, first: 0 }));
            }
            _ => {}
        }
        self.record_fetch(encoder);
    }

    /// Sets the drawing passes up; where the CPU draws, paints the picture on the view and returns true.
    fn prepare_draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        view: &wgpu::TextureView,
        size: (u32, u32),
        scene: &Scene,
    ) -> bool {
        let Some(loaded) = &self.loaded else { return false };
        let lighting = scene.lighting(loaded.components);
        let picture = &loaded.picture;
        let placement = Placement::new(&loaded.shape, &scene.view, size);
        match loaded.artist {
            Artist::Gpu => self.video.place(gpu, &placement, lighting.as_ref()),
            Artist::Cpu => {
                let begin = Instant::now();
                self.paint.paint(gpu, encoder, view.texture(), picture, &placement, lighting.as_ref());
                if let Some(timing) = &mut self.timing {
                    timing.times.cpu_paint = Some(begin.elapsed());
                }
            }
        }
        let Loaded { bits, components, range, .. } = *loaded;
        if scene.overlays {
            let stamp = self.timing.as_ref().and_then(LiveTiming::set).map(|set| (set, 2 * Span::Draw as u32));
            self.overlay.prepare(gpu, encoder, &Shown { bits, components, range }, scene, size, stamp);
        }
        loaded.artist == Artist::Cpu
    }
}

/// Whether a texture of this format has one byte a sample, as images have and what the CPU paints.
fn has_bytes(format: wgpu::TextureFormat) -> bool {
    matches!(format, wgpu::TextureFormat::Rgba8Unorm | wgpu::TextureFormat::Bgra8Unorm)
}

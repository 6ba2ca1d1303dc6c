//! The order of the passes, in one place: the window, saved pictures and tests all draw through here.

mod adjusting;
mod adjustment_key;
mod answers;
mod beside;
mod brushed;
mod content;
mod counting;
mod difference;
mod drawing;
mod linear;
mod loaded;
mod pair;
mod parts;
mod reference;
mod scopes;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::draw::{BackdropPass, DividerPass, OverlayPass, PaintPass, ScopePass, Shapes, Side, TextPass, VideoPass};
use super::figures::{FiguresState, FrameTag};
use super::live::{LiveTiming, PassTimes};
use super::readback::{self, Image, VIEW_FORMAT};
use super::target::{Target, TargetFrame};
use super::totals::TotalsPass;
use super::upload::PictureBuffers;
use super::{Gpu, GpuError};
use crate::cpu;
use crate::view::placement::Shape;
use crate::view::scene::{Brush, Scene};
use answers::Answers;
use beside::SecondPicture;
use content::LoadedContent;
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{Components, Histogram, Transfer};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Orientation, Picture, PictureError, Ratio};
pub use loaded::Rasterizer;
use loaded::{Count, Loaded};
use reference::Reference;
pub use scopes::{ScopeAnswer, ScopeQuestion};

/// Everything that turns pictures into views, for views of one texture format.
#[derive(Debug)]
pub struct Renderer {
    format: wgpu::TextureFormat,
    content: LoadedContent,
    video: VideoPass,
    rasterizer: Rasterizer,
    /// In the order of [`Side`].
    paint: [PaintPass; Side::COUNT],
    backdrop: Option<BackdropPass>,
    overlay: OverlayPass,
    scopes: Option<ScopePass>,
    divider: Option<DividerPass>,
    text: TextPass,
    timing: Option<LiveTiming>,
    answers: Answers,
    reference: Option<Reference>,
    recorded: Vec<&'static str>,
}

impl Renderer {
    /// Makes the passes for views of `format`, which must not be sRGB: codes are shown as they are.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let rasterizer = if gpu.is_software() { Rasterizer::Cpu } else { Rasterizer::Gpu };
        Self::with_rasterizer(gpu, format, rasterizer)
    }

    /// Makes the passes for pictures that no window shows: [`snapshot`](Self::snapshot) and [`count`](Self::count).
    #[must_use]
    pub fn headless(gpu: &Gpu) -> Self {
        Self::new(gpu, VIEW_FORMAT)
    }

    /// Makes the passes for a window.
    #[must_use]
    pub fn for_target(gpu: &Gpu, target: &Target) -> Self {
        let paints = gpu.is_software() && target.takes_copies() && has_bytes(target.format());
        Self::with_rasterizer(gpu, target.format(), if paints { Rasterizer::Cpu } else { Rasterizer::Gpu })
    }

    /// The same as [`new`](Self::new), with a choice of who draws the picture.
    #[must_use]
    pub fn with_rasterizer(gpu: &Gpu, format: wgpu::TextureFormat, rasterizer: Rasterizer) -> Self {
        let content = LoadedContent::new(gpu);
        let video = VideoPass::new(gpu, format);
        let overlay = OverlayPass::new(gpu, format);
        Self {
            format,
            content,
            video,
            rasterizer,
            paint: Default::default(),
            backdrop: None,
            overlay,
            scopes: None,
            divider: None,
            text: TextPass::new(format),
            timing: None,
            answers: Answers::new(gpu),
            reference: None,
            recorded: Vec::new(),
        }
    }

    /// Names of the passes that the last drawing recorded, in order, without those of text. What is kept from the drawing
    /// before is not among them.
    #[must_use]
    pub fn recorded(&self) -> &[&'static str] {
        &self.recorded
    }

    /// Bytes of adjusted pictures that the adapter holds.
    #[must_use]
    pub fn adjusted_bytes(&self) -> u64 {
        self.content.adjusting.bytes()
    }

    /// Starts or stops timing the passes. Without it, no query is made and no buffer is read back.
    pub fn set_timing(&mut self, gpu: &Gpu, on: bool) {
        self.timing = on.then(|| LiveTiming::new(gpu));
    }

    /// Has the bins that come back tell how many pixels are outside the limits of EBU R 103, or not any more. It takes a pass of
    /// its own for each picture whose bins are asked for.
    pub fn set_limits(&mut self, gpu: &Gpu, on: bool) {
        match (&self.answers.limits, on) {
            (None, true) => self.answers.limits = Some(TotalsPass::new(gpu)),
            (Some(_), false) => self.answers.limits = None,
            _ => {}
        }
    }

    /// Draws the bins of a reference as outlines over those of what is loaded, wherever the same is counted, or none any more. They
    /// take the place of the source's outlines.
    pub fn set_reference(&mut self, gpu: &Gpu, reference: Option<&Arc<Histogram>>) {
        let held = self.reference.take();
        self.reference = reference.map(|bins| match held {
            Some(held) if held.is_of(bins) => held,
            _ => Reference::new(gpu, Arc::clone(bins)),
        });
    }

    /// Has the divider show this frame at its left where the scene says so, with the adjustments of the loaded picture, or none any
    /// more. What is shown already is not uploaded again.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if the adapter draws and cannot hold it: none is shown then.
    pub fn set_beside(&mut self, gpu: &Gpu, frame: Option<&Frame>) -> Result<(), GpuError> {
        let rasterizer = self.rasterizer;
        self.content.besides += 1;
        let number = self.content.besides;
        match (self.content.beside.take(), frame) {
            (_, None) => {}
            (Some(beside), Some(frame)) if beside.is_of(frame) => self.content.beside = Some(beside),
            (Some(mut beside), Some(frame)) => {
                beside.show(gpu, (frame.clone(), number), rasterizer)?;
                self.content.beside = Some(beside);
            }
            (None, Some(frame)) => {
                self.content.beside = Some(SecondPicture::new(gpu, (frame.clone(), number), rasterizer)?)
            }
        }
        Ok(())
    }

    /// Has the bins that come back tell how many pixels a brush selects by any and by all of its channels, or not any more. Of one
    /// channel the bins tell that already.
    pub fn set_selecting(&mut self, brush: Option<Brush>) {
        self.answers.selecting = brush.filter(|brush| brush.channels.iter().count() > 1);
    }

    /// What these adjustments have made of the loaded picture, once it is drawn: the number of its loading, and the picture where the
    /// CPU has it too.
    #[must_use]
    pub fn result(&self, adjustments: &Adjustments) -> Option<(u64, Option<&Picture>)> {
        let loading = self.content.loaded.as_ref()?.loading;
        let adjusting = &self.content.adjusting;
        adjusting.has(loading, adjustments).then(|| (loading, adjusting.picture()))
    }

    /// The newest times of the passes, if they are timed, and whether the adapter tells the GPU's own.
    #[must_use]
    pub fn pass_times(&self) -> Option<(PassTimes, bool)> {
        self.timing.as_ref().map(|timing| (timing.times, timing.has_timestamps()))
    }

    /// Takes times that have come back from the GPU, without waiting.
    pub fn poll_times(&mut self, gpu: &Gpu) -> FiguresState {
        self.poll_thresholds(gpu);
        let Some(timing) = &mut self.timing else { return FiguresState::Settled };
        match (timing.poll(gpu), timing.is_pending()) {
            (true, _) => FiguresState::New,
            (false, true) => FiguresState::UnderWay,
            (false, false) => FiguresState::Settled,
        }
    }

    /// Notes how long another engine took to count the picture that is loaded.
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
        self.answers.live.submitted();
        self.answers.thresholds.submitted();
        self.paint.iter_mut().for_each(PaintPass::submitted);
    }

    /// Sets the text and panels that are drawn over everything from the next drawing on.
    pub fn set_shapes(&mut self, shapes: Shapes) {
        self.text.set(shapes);
    }

    /// Loads a frame's picture, as [`load_region`](Self::load_region) does, and names it as the frame that its bins belong to.
    ///
    /// # Errors
    /// As [`load_region`](Self::load_region).
    pub fn load_frame(
        &mut self,
        gpu: &Gpu,
        frame: &Frame,
        region: Option<Rect>,
        components: Components,
        counted: Option<Histogram>,
    ) -> Result<(), GpuError> {
        let placing = (frame.sample_aspect, frame.orientation);
        self.load_picture(gpu, (&frame.picture, Some(FrameTag::of(frame))), placing, region, components, counted)?;
        if let Some(loaded) = &mut self.content.loaded {
            loaded.transfer = Transfer::of_tag(frame.source.transfer);
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
        placing: (Ratio, Orientation),
        components: Components,
        counted: Option<Histogram>,
    ) -> Result<(), GpuError> {
        self.load_region(gpu, picture, placing, None, components, counted)
    }

    /// Uploads a picture for the next recording, of which `region` alone is counted, if there is one; adjusted pictures are adjusted
    /// as a whole. With `counted`, those bins are shown; without, the GPU counts.
    ///
    /// # Errors
    /// [`GpuError`] if the picture is deeper than the adapter can count, or the region does not lie in it.
    pub fn load_region(
        &mut self,
        gpu: &Gpu,
        picture: &Picture,
        placing: (Ratio, Orientation),
        region: Option<Rect>,
        components: Components,
        counted: Option<Histogram>,
    ) -> Result<(), GpuError> {
        self.load_picture(gpu, (picture, None), placing, region, components, counted)
    }

    fn load_picture(
        &mut self,
        gpu: &Gpu,
        (picture, tag): (&Picture, Option<FrameTag>),
        (sample_aspect, orientation): (Ratio, Orientation),
        region: Option<Rect>,
        components: Components,
        counted: Option<Histogram>,
    ) -> Result<(), GpuError> {
        self.content.loaded = None;
        self.content.loadings += 1;
        let (width, height) = (picture.width(), picture.height());
        if let Some(rect) = region.filter(|rect| !rect.fits(width, height)) {
            return Err(GpuError::Region(PictureError::Empty { width: rect.width, height: rect.height }));
        }
        let region = region.and_then(|rect| rect.proper(width, height));
        // A picture that is more than the adapter can hold is counted and painted by the CPU.
        let fits = PictureBuffers::check(gpu, picture);
        let rasterizer = if fits.is_ok() { self.rasterizer } else { Rasterizer::Cpu };
        let counted = match (&fits, counted) {
            (Err(reason), None) => {
                log::debug!("{reason}; the CPU counts and paints it");
                Some(cpu::Engine::new().count_region(picture, region, components).map_err(GpuError::Region)?)
            }
            (_, counted) => counted,
        };
        if rasterizer == Rasterizer::Gpu {
            self.video.prepare_layout(gpu, Side::Source, *picture.layout());
        }
        // Where the CPU counts and draws, the planes are of no use to the adapter.
        let begin = Instant::now();
        let uploads = rasterizer == Rasterizer::Gpu || counted.is_none();
        if uploads {
            self.content.pictures.upload(gpu, picture)?;
        }
        let upload = uploads.then(|| begin.elapsed());
        if counted.is_none() {
            self.content.histogram.prepare_region(gpu, picture, region, components)?;
        }
        let loaded = self.content.loaded.insert(Loaded {
            picture: picture.clone(),
            rasterizer,
            shape: Shape { width, height, sample_aspect, orientation },
            bits: picture.layout().bin_bits(),
            components,
            region,
            range: picture.colorimetry().range.value,
            transfer: Transfer::default(),
            tag,
            loading: self.content.loadings,
            count: Count::Due,
            known: counted,
        });
        if let Some(timing) = &mut self.timing {
            timing.follow(loaded.series());
            timing.times.upload = upload;
        }
        Ok(())
    }

    /// Records all that turns the loaded picture into a view of `size` pixels: counting and adjusting, unless that is done,
    /// then the picture, then the overlays. Without a picture the view becomes black.
    ///
    /// What the scene adjusts and counts may change at any time; what follows from it is made anew from what is loaded.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        view: &wgpu::TextureView,
        size: (u32, u32),
        scene: &Scene,
    ) {
        self.text.prepare(gpu, encoder, size);
        self.record_view(gpu, encoder, (view, size), scene, true);
    }

    /// Draws the loaded picture to a target's texture and shows it. `before` is called when all is drawn, right before it
    /// is shown.
    pub fn present(&mut self, gpu: &Gpu, target: TargetFrame, scene: &Scene, before: impl FnOnce()) {
        let texture = target.texture();
        let size = (texture.width(), texture.height());
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("frame") });
        self.record(gpu, &mut encoder, &view, size, scene);
        log::trace!("passes: {}", self.recorded.join(", "));
        gpu.queue.submit([encoder.finish()]);
        self.submitted();
        before();
        target.present(gpu);
    }

    /// The loaded picture with its overlays as an image of `size` pixels, counted before if it was not yet. Text and panels
    /// are left out.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter has no textures of that size, or fails.
    pub fn snapshot(&mut self, gpu: &Gpu, size: (u32, u32), scene: &Scene) -> Result<Image, GpuError> {
        self.snapshot_over(gpu, size, scene, None)
    }

    /// The same with shapes over it, which have been laid out with fonts of their own.
    ///
    /// # Errors
    /// As [`snapshot`](Self::snapshot).
    pub fn snapshot_with(
        &mut self,
        gpu: &Gpu,
        size: (u32, u32),
        scene: &Scene,
        shapes: Shapes,
    ) -> Result<Image, GpuError> {
        self.snapshot_over(gpu, size, scene, Some(shapes))
    }

    fn snapshot_over(
        &mut self,
        gpu: &Gpu,
        size: (u32, u32),
        scene: &Scene,
        shapes: Option<Shapes>,
    ) -> Result<Image, GpuError> {
        if !has_bytes(self.format) {
            return self.snapshot_in_bytes(gpu, size, scene, shapes);
        }
        let texture = readback::view_texture(gpu, size, self.format)?;
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("snapshot") });
        let has_text = shapes.is_some();
        // The window's own text has its own fonts, and is left as it is.
        let windows = shapes.map(|shapes| {
            let mut text = TextPass::new(self.format);
            text.set(shapes);
            text.prepare(gpu, &mut encoder, size);
            std::mem::replace(&mut self.text, text)
        });
        self.record_view(gpu, &mut encoder, (&view, size), scene, has_text);
        if let Some(windows) = windows {
            self.text = windows;
        }
        gpu.queue.submit([encoder.finish()]);
        self.submitted();
        readback::read_texture(gpu, &texture)
    }

    /// A snapshot where the window's own format has no byte a sample: drawn by passes of their own.
    fn snapshot_in_bytes(
        &self,
        gpu: &Gpu,
        size: (u32, u32),
        scene: &Scene,
        shapes: Option<Shapes>,
    ) -> Result<Image, GpuError> {
        let mut other = Self::with_rasterizer(gpu, VIEW_FORMAT, self.rasterizer);
        if let Some(loaded) = &self.content.loaded {
            let placing = (loaded.shape.sample_aspect, loaded.shape.orientation);
            other.load_region(gpu, &loaded.picture, placing, loaded.region, loaded.components, None)?;
            other.set_beside(gpu, self.content.beside.as_ref().map(|beside| &beside.frame))?;
        }
        other.snapshot_over(gpu, size, scene, shapes)
    }
}

/// Whether a texture of this format has one byte a sample, as images have and what the CPU paints.
fn has_bytes(format: wgpu::TextureFormat) -> bool {
    matches!(format, wgpu::TextureFormat::Rgba8Unorm | wgpu::TextureFormat::Bgra8Unorm)
}

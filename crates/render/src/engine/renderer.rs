//! The order of the passes, in one place: the window, saved pictures and tests all draw through this module.

use std::sync::Arc;
use std::time::Duration;

use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{CHANNELS, Components, Cumulative, Histogram, Transfer};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Orientation, Picture, PictureError, Ratio};
use histoscope_core::scopes::{ScopeChoice, samples_in};
use histoscope_core::tone_map::{Display, SourceLight};

use super::BackendKind;
use super::adapter::Adapter;
use super::backend::{
    Answer, Backend, CountQuestion, CountSubject, FigureQuestion, Image, Load, Loaded, Product, ScopeAnswer,
    ScopeSources,
};
use super::content::{Content, ContentChoice};
use super::cpu::Cpu;
use super::reference_scopes::ReferenceScopes;
use crate::gpu::bins::CumulativePass;
use crate::gpu::bins::UploadedBins;
use crate::gpu::draw::overlay::{OverlayBuffers, OverlayContent};
use crate::gpu::draw::scopes::{DrawnScopes, ScopeBuffers};
use crate::gpu::draw::{BackdropPass, DividerPass, LightPass, OverlayPass, ScopePass, Shapes, TextPass, ViewPass};
use crate::gpu::live::{LiveTiming, PassTimes, Timed};
use crate::gpu::output::{Encoding, Output};
use crate::gpu::readback::{self, VIEW_FORMAT, has_bytes};
use crate::gpu::recording::Recording;
use crate::gpu::target::{Target, TargetFrame};
use crate::gpu::upload::PictureBuffers;
use crate::gpu::{Color, CommandEncoder, FiguresState, FrameTag, Gpu, GpuError, Series, TextureFormat, TextureView};
use crate::view::brushes::Brushes;
use crate::view::count::{Count, CountKey, CountKind, SelectionChoice};
use crate::view::overlay::line_pixels;
use crate::view::panel_params::{Outlined, has_trace};
use crate::view::placement::Shape;
use crate::view::scene::{Brush, Scene};

/// Draws pictures on views of one texture format.
#[derive(Debug)]
pub struct Renderer {
    /// Format of the view, or of the controls' texture if light is shown.
    format: TextureFormat,
    /// Turns views into light; `None` if their codes are shown.
    light: Option<(Output, LightPass)>,
    backends: Backends,
    content: Content,
    made: Made,
    /// The newest thresholds, the count that they belong to, and the series of its picture.
    thresholds: Option<(CountKey, Series, [u32; 4])>,
    backdrop: Option<BackdropPass>,
    overlay: OverlayPass,
    cumulative: Option<CumulativePass>,
    scopes: Option<ScopePass>,
    divider: Option<DividerPass>,
    text: TextPass,
    timing: Option<LiveTiming>,
    figures: FigureRequest,
    reference: Option<Reference>,
    reference_scopes: ReferenceScopes,
    recorded: Vec<&'static str>,
}

/// The backends of a renderer. The CPU takes pictures that the adapter cannot hold.
#[derive(Debug)]
struct Backends {
    /// `None` if the CPU does everything.
    adapter: Option<Box<Adapter>>,
    cpu: Box<Cpu>,
    /// The backend that holds the loaded picture.
    kind: BackendKind,
}

impl Backends {
    fn new(gpu: &Gpu, format: TextureFormat, kind: BackendKind) -> Self {
        let adapter = (kind == BackendKind::Adapter).then(|| Box::new(Adapter::new(gpu, format)));
        Self { adapter, cpu: Box::default(), kind }
    }

    fn current(&mut self) -> &mut dyn Backend {
        match (&mut self.adapter, self.kind) {
            (Some(adapter), BackendKind::Adapter) => &mut **adapter,
            _ => &mut *self.cpu,
        }
    }

    fn current_ref(&self) -> &dyn Backend {
        match (&self.adapter, self.kind) {
            (Some(adapter), BackendKind::Adapter) => &**adapter,
            _ => &*self.cpu,
        }
    }

    /// Loads a picture into the adapter, or the CPU if the adapter cannot hold it. Returns how long the copy took, if
    /// there was one.
    fn load(&mut self, gpu: &Gpu, loaded: &Loaded) -> Result<Option<Duration>, GpuError> {
        if let Some(adapter) = &mut self.adapter {
            match adapter.load(gpu, Load::Loaded(loaded)) {
                Err(reason) if reason.is_refusal() => log::debug!("{reason}; the CPU counts and paints it"),
                answer => {
                    self.kind = BackendKind::Adapter;
                    return answer;
                }
            }
        }
        self.kind = BackendKind::Cpu;
        self.cpu.load(gpu, Load::Loaded(loaded))
    }
}

/// What a view is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To be shown by the target.
    Show,
    /// To be saved as an image, which is for SDR.
    Save {
        /// `true` if there are text and panels on it.
        has_text: bool,
    },
}

/// The last count of each [kind](CountKind): what was counted of which picture.
#[derive(Debug, Default)]
struct Made([Option<MadeCount>; CountKind::COUNT]);

/// A count that was made.
#[derive(Debug)]
struct MadeCount {
    key: CountKey,
    subject: CountSubject,
}

/// The figures that are requested.
#[derive(Debug, Default)]
struct FigureRequest {
    /// `true` if requested figures are not in flight yet.
    is_wanted: bool,
    /// The number of the load they were requested for.
    asked: Option<u64>,
    limits: bool,
    brush: Option<Brush>,
}

impl Renderer {
    /// Creates a renderer for views of `format`, which must not be sRGB: codes are shown unchanged.
    #[must_use]
    pub fn new(gpu: &Gpu, format: TextureFormat, kind: BackendKind) -> Self {
        Self::for_output(gpu, Output::of_codes(format), kind)
    }

    /// Creates a renderer for views of this kind.
    #[must_use]
    pub fn for_output(gpu: &Gpu, output: Output, kind: BackendKind) -> Self {
        let light = LightPass::new(gpu, &output).map(|pass| (output, pass));
        let (picture, format) = match light {
            Some(_) => (LightPass::PICTURE_FORMAT, LightPass::CONTROLS_FORMAT),
            None => (output.format, output.format),
        };
        Self {
            format,
            light,
            backends: Backends::new(gpu, picture, kind),
            content: Content::new(),
            made: Made::default(),
            thresholds: None,
            backdrop: None,
            overlay: OverlayPass::new(gpu, format),
            cumulative: None,
            scopes: None,
            divider: None,
            text: TextPass::new(format),
            timing: None,
            figures: FigureRequest::default(),
            reference: None,
            reference_scopes: ReferenceScopes::default(),
            recorded: Vec::new(),
        }
    }

    /// Creates a renderer for pictures that no window shows: [`snapshot`](Self::snapshot) and [`count`](Self::count).
    #[must_use]
    pub fn headless(gpu: &Gpu, kind: BackendKind) -> Self {
        Self::new(gpu, VIEW_FORMAT, kind)
    }

    /// Creates a renderer for a target. The CPU cannot paint on every surface; if it cannot, the adapter does
    /// everything.
    #[must_use]
    pub fn for_target(gpu: &Gpu, target: &Target, kind: BackendKind) -> Self {
        let output = target.output();
        let is_light = output.encoding != Encoding::Codes;
        let takes_pixels = is_light || (target.takes_copies() && has_bytes(output.format));
        Self::for_output(gpu, output, if takes_pixels { kind } else { BackendKind::Adapter })
    }

    /// Returns the display for which the loaded picture is drawn. The CPU paints for SDR only.
    #[must_use]
    pub fn display(&self) -> Display {
        match &self.light {
            Some((output, _)) if self.backends.kind == BackendKind::Adapter => output.display(),
            _ => Display::Sdr,
        }
    }

    /// Returns the names of the passes that the last draw recorded, in order, except those for text. Passes whose
    /// results were reused from an earlier draw are not included.
    #[must_use]
    pub fn recorded(&self) -> &[&'static str] {
        &self.recorded
    }

    /// Returns the bytes of adjusted pictures in the adapter's memory.
    #[must_use]
    pub fn adjusted_bytes(&self) -> u64 {
        self.backends.current_ref().adjusted_bytes()
    }

    /// Returns the backend that holds the loaded picture.
    #[must_use]
    pub const fn backend(&self) -> BackendKind {
        self.backends.kind
    }

    /// Starts or stops timing the passes. While timing is off, no query is made and no buffer is read back.
    pub fn set_timing(&mut self, gpu: &Gpu, on: bool) {
        self.timing = on.then(|| LiveTiming::new(gpu));
    }

    /// Turns on or off counting pixels outside the EBU R 103 limits along with each requested histogram. The adapter
    /// needs a separate pass for it.
    pub const fn set_limits(&mut self, on: bool) {
        self.figures.limits = on;
    }

    /// Sets the reference whose bins are outlined over those of the loaded picture, if both count the same components;
    /// `None` removes it. These outlines replace those of the source.
    pub fn set_reference(&mut self, gpu: &Gpu, reference: Option<&Arc<Histogram>>) {
        let held = self.reference.take();
        self.reference = reference.map(|bins| match held {
            Some(held) if Arc::ptr_eq(&held.of, bins) => held,
            _ => Reference::new(gpu, Arc::clone(bins)),
        });
    }

    /// Sets the frame whose waveform and vectorscope are drawn in gray behind those of the loaded picture, if it has
    /// the same components, and the rectangle that is counted of it; `None` removes it. The CPU counts them at the next
    /// draw, unless the same frame is set again.
    pub fn set_reference_scopes(&mut self, reference: Option<(&Frame, Rect)>) {
        self.reference_scopes.set(reference);
    }

    /// Sets the frame that is compared with the loaded picture if the scene asks for it, with the same adjustments;
    /// `None` removes it. Setting the same frame again does not upload it again.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if the adapter draws and cannot hold the frame; then only the loaded picture is
    /// shown.
    pub fn set_comparison(&mut self, gpu: &Gpu, frame: Option<&Frame>) -> Result<(), GpuError> {
        let fits = match (&self.backends.adapter, frame) {
            (Some(_), Some(frame)) => PictureBuffers::check(gpu, &frame.picture),
            _ => Ok(()),
        };
        self.content.compare_with(frame.filter(|_| fits.is_ok()));
        fits
    }

    /// Sets the brush whose pixels, selected by any or by all of its channels, are counted along with each requested
    /// histogram; `None` turns this off. For a brush of one channel, the bins already give the count.
    pub fn set_selecting(&mut self, brush: Option<Brush>) {
        self.figures.brush = brush.filter(|brush| brush.channels.iter().count() > 1);
    }

    /// Returns the result of applying these adjustments to the loaded picture, once drawn: the number of the load, and
    /// the picture if it is in the CPU's memory.
    #[must_use]
    pub fn result(&self, adjustments: &Adjustments) -> Option<(u64, Option<&Picture>)> {
        let load_id = self.content.loaded.as_ref()?.load_id;
        let picture = || self.backends.current_ref().picture(Image::Result);
        self.content.is_adjusted(load_id, adjustments).then(|| (load_id, picture()))
    }

    /// Returns the newest times of the passes, if they are timed, and whether the adapter reports times of the GPU
    /// itself.
    #[must_use]
    pub fn pass_times(&self) -> Option<(PassTimes, bool)> {
        self.timing.as_ref().map(|timing| (timing.times, timing.has_timestamps()))
    }

    /// Takes times that have been read back from the GPU, without blocking.
    pub fn poll_times(&mut self, gpu: &Gpu) -> FiguresState {
        self.poll_thresholds(gpu);
        let Some(timing) = &mut self.timing else { return FiguresState::Settled };
        match (timing.poll(gpu), timing.is_pending()) {
            (true, _) => FiguresState::New,
            (false, true) => FiguresState::InFlight,
            (false, false) => FiguresState::Settled,
        }
    }

    /// Must be called after the recorded commands are submitted.
    pub fn submitted(&mut self) {
        if let Some(timing) = &mut self.timing {
            timing.submitted();
        }
        self.backends.current().submitted();
    }

    /// Sets the text and panels that the next and later draws put over everything.
    pub fn set_shapes(&mut self, shapes: Shapes) {
        self.text.set(shapes);
    }

    /// Loads a frame's picture like [`load`](Self::load), and tags its bins with the frame.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_frame(
        &mut self,
        gpu: &Gpu,
        frame: &Frame,
        region: Option<Rect>,
        components: Components,
    ) -> Result<(), GpuError> {
        let loaded = Loaded {
            shape: Shape::of(frame),
            light: SourceLight::of(&frame.source),
            tag: Some(FrameTag::of(frame)),
            ..self.next(&frame.picture, (frame.sample_aspect, frame.orientation), region, components)?
        };
        self.load_next(gpu, loaded)
    }

    /// Loads a picture for the next recording. If there is a `region`, only that is counted; adjustments still apply to
    /// the whole picture. The CPU takes a picture that the adapter cannot hold or count.
    ///
    /// # Errors
    /// [`GpuError`] if the region does not lie in the picture, or the device fails.
    pub fn load(
        &mut self,
        gpu: &Gpu,
        picture: &Picture,
        placing: (Ratio, Orientation),
        region: Option<Rect>,
        components: Components,
    ) -> Result<(), GpuError> {
        let loaded = self.next(picture, placing, region, components)?;
        self.load_next(gpu, loaded)
    }

    /// Loads a picture with these bins instead of counting it, for tests of the drawing.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    #[doc(hidden)]
    pub fn load_with_bins(
        &mut self,
        gpu: &Gpu,
        picture: &Picture,
        placing: (Ratio, Orientation),
        bins: Histogram,
    ) -> Result<(), GpuError> {
        let loaded = self.next(picture, placing, None, bins.components)?;
        self.load_next(gpu, Loaded { given: Some(bins), ..loaded })
    }

    fn next(
        &mut self,
        picture: &Picture,
        (sample_aspect, orientation): (Ratio, Orientation),
        region: Option<Rect>,
        components: Components,
    ) -> Result<Loaded, GpuError> {
        self.content.loaded = None;
        self.content.load_count += 1;
        let (width, height) = (picture.width(), picture.height());
        if let Some(rect) = region.filter(|rect| !rect.fits(width, height)) {
            return Err(GpuError::Region(PictureError::Empty { width: rect.width, height: rect.height }));
        }
        Ok(Loaded {
            picture: picture.clone(),
            shape: Shape { width, height, sample_aspect, orientation },
            components,
            region: region.and_then(|rect| rect.proper(width, height)),
            light: SourceLight::default(),
            tag: None,
            load_id: self.content.load_count,
            given: None,
            is_counted: false,
        })
    }

    fn load_next(&mut self, gpu: &Gpu, loaded: Loaded) -> Result<(), GpuError> {
        let before = self.backends.kind;
        let upload = self.backends.load(gpu, &loaded)?;
        if self.backends.kind != before {
            self.forget_made();
        }
        let loaded = self.content.loaded.insert(loaded);
        if let Some(timing) = &mut self.timing {
            timing.follow(loaded.series());
            timing.times.upload = upload;
        }
        Ok(())
    }

    /// Forgets everything that the previous backend has produced.
    fn forget_made(&mut self) {
        self.content.forget_made();
        self.made = Made::default();
    }

    /// Records everything that turns the loaded picture into a view of `size` pixels: counting and adjusting, unless
    /// already done, then the picture, then the overlays. If no picture is loaded, the view is black.
    ///
    /// The scene may change its adjustments and counts at any time; whatever depends on them is recomputed from the
    /// loaded picture.
    pub fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut CommandEncoder,
        view: &TextureView,
        size: (u32, u32),
        scene: &Scene,
    ) {
        self.text.prepare(gpu, encoder, size);
        self.record_view(gpu, encoder, (view, size), scene, Purpose::Show);
    }

    /// Draws the loaded picture to a window's texture and shows it. `before` is called when drawing is done, right
    /// before the texture is shown.
    pub fn present(&mut self, gpu: &Gpu, target: TargetFrame, scene: &Scene, before: impl FnOnce()) {
        let (view, size) = target.view();
        let mut encoder = gpu.encoder("frame");
        self.record(gpu, &mut encoder, &view, size, scene);
        log::trace!("passes: {}", self.recorded.join(", "));
        gpu.queue.submit([encoder.finish()]);
        self.submitted();
        before();
        target.present(gpu);
    }

    /// Returns the loaded picture with its overlays as an image of `size` pixels, counting it first if necessary. Text
    /// and panels are left out.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter does not support textures of that size, or fails.
    pub fn snapshot(&mut self, gpu: &Gpu, size: (u32, u32), scene: &Scene) -> Result<readback::Image, GpuError> {
        self.snapshot_over(gpu, size, scene, None)
    }

    /// Like [`snapshot`](Self::snapshot), with shapes on top, which must have been laid out with fonts of their own.
    ///
    /// # Errors
    /// As [`snapshot`](Self::snapshot).
    pub fn snapshot_with(
        &mut self,
        gpu: &Gpu,
        size: (u32, u32),
        scene: &Scene,
        shapes: Shapes,
    ) -> Result<readback::Image, GpuError> {
        self.snapshot_over(gpu, size, scene, Some(shapes))
    }

    fn snapshot_over(
        &mut self,
        gpu: &Gpu,
        size: (u32, u32),
        scene: &Scene,
        shapes: Option<Shapes>,
    ) -> Result<readback::Image, GpuError> {
        if !has_bytes(self.format) {
            return self.snapshot_in_bytes(gpu, size, scene, shapes);
        }
        let texture = readback::view_texture(gpu, size, self.format)?;
        let view = texture.create_view(&Default::default());
        let mut encoder = gpu.encoder("snapshot");
        let has_text = shapes.is_some();
        // The window's own text uses its own fonts and must stay as it is.
        let windows = shapes.map(|shapes| {
            let mut text = TextPass::new(self.format);
            text.set(shapes);
            text.prepare(gpu, &mut encoder, size);
            std::mem::replace(&mut self.text, text)
        });
        self.record_view(gpu, &mut encoder, (&view, size), scene, Purpose::Save { has_text });
        if let Some(windows) = windows {
            self.text = windows;
        }
        gpu.queue.submit([encoder.finish()]);
        self.submitted();
        readback::read_texture(gpu, &texture)
    }

    /// Takes a snapshot with a separate renderer, because the window's format does not have one byte per sample.
    fn snapshot_in_bytes(
        &self,
        gpu: &Gpu,
        size: (u32, u32),
        scene: &Scene,
        shapes: Option<Shapes>,
    ) -> Result<readback::Image, GpuError> {
        let mut other = Self::new(gpu, VIEW_FORMAT, self.backends.kind);
        if let Some(loaded) = &self.content.loaded {
            let placing = (loaded.shape.sample_aspect, loaded.shape.orientation);
            let next = other.next(&loaded.picture, placing, loaded.region, loaded.components)?;
            other.load_next(gpu, Loaded { light: loaded.light, ..next })?;
            other.set_comparison(gpu, self.content.comparison.as_ref().map(|comparison| &comparison.frame))?;
        }
        other.snapshot_over(gpu, size, scene, shapes)
    }
}

/// Counting the loaded picture, and reading figures back.
impl Renderer {
    /// Requests the bins that the overlays show filled, as numbers. They arrive a few frames later; nothing blocks on
    /// them. See [`poll_histogram`](Self::poll_histogram). A request for bins that are already in flight changes
    /// nothing, unless the figures requested with them have changed since. If the next draw adjusts or counts
    /// differently, its bins are requested automatically.
    pub fn request_histogram(&mut self, gpu: &Gpu) {
        self.figures.asked = Some(self.content.load_count);
        let is_in_flight = self.question().is_some_and(|question| self.backends.current_ref().is_answering(&question));
        self.figures.is_wanted |= !is_in_flight;
        self.fetch_histogram(gpu);
    }

    /// Returns the requested bins, summed up, with the tag of their frame, once they have arrived. Never blocks.
    pub fn poll_histogram(&mut self, gpu: &Gpu) -> Option<(FrameTag, Cumulative)> {
        self.poll_thresholds(gpu);
        if let Some(question) = self.wanted()
            && let Some(sums) = self.backends.current().figures(&question)
        {
            self.figures.is_wanted = false;
            return Some((FrameTag { brush: question.brush, ..question.tag }, sums));
        }
        let (series, now) = (self.content.series(), (self.content.load_count, self.content.revision));
        let come = self.backends.current().poll_figures(gpu, series, now);
        self.fetch_histogram(gpu);
        come
    }

    /// Returns `true` if requested bins have not arrived yet, or thresholds are pending.
    #[must_use]
    pub fn is_histogram_pending(&self) -> bool {
        self.figures.is_wanted
            || self.backends.current_ref().has_figures_in_flight()
            || self.threshold_key().is_some_and(|(key, _)| self.thresholds.is_none_or(|(newest, ..)| newest != key))
    }

    /// Returns the requested figures that are not in flight yet.
    fn wanted(&self) -> Option<FigureQuestion> {
        if self.figures.is_wanted { self.question() } else { None }
    }

    /// Returns the request for the current figures; `None` if only the next draw produces the counted picture.
    fn question(&self) -> Option<FigureQuestion> {
        let loaded = self.content.loaded.as_ref()?;
        Some(FigureQuestion {
            image: self.content.filled()?,
            is_counted: self.content.is_counted(),
            tag: self.content.tag(loaded),
            of: (self.content.load_count, self.content.revision),
            series: loaded.series(),
            conversion: self.content.conversion()?,
            limits: self.figures.limits,
            brush: self.figures.brush,
            clamped: self.content.clamped(),
        })
    }

    /// Counts the loaded picture like the last draw did, unless already counted, and reads its bins. Blocks until both
    /// are done. Before the first draw, it counts the source.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails. If no picture is loaded, the histogram is empty.
    pub fn count(&mut self, gpu: &Gpu) -> Result<Histogram, GpuError> {
        self.count_choice(gpu, self.content.choice)
    }

    /// Like [`count`](Self::count), for the picture that the overlays of this scene would show filled.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    pub fn count_scene(&mut self, gpu: &Gpu, scene: &Scene) -> Result<Histogram, GpuError> {
        self.count_choice(gpu, ContentChoice::of(scene))
    }

    fn count_choice(&mut self, gpu: &Gpu, choice: ContentChoice) -> Result<Histogram, GpuError> {
        self.submit(gpu, "count", |renderer, encoder| renderer.record_count(gpu, encoder, choice, None));
        let Some(loaded) = &self.content.loaded else { return Ok(Histogram::empty(8, Components::Rgbl)) };
        self.backends.current_ref().read_bins(gpu, loaded, self.content.bars().0)
    }

    /// Counts the luminance in linear light of the picture that the overlays of this scene show filled, in 2^n bins.
    /// Also returns the transfer function that linearized its codes. Blocks until done. Without a loaded picture, there
    /// are no bins.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    pub fn count_linear(&mut self, gpu: &Gpu, scene: &Scene) -> Result<(Transfer, Vec<u32>), GpuError> {
        self.submit(gpu, "linear", |renderer, encoder| {
            renderer.record_count(gpu, encoder, ContentChoice::of(scene), None);
            renderer.record_linear(gpu, encoder);
        });
        let made = self.made.of(CountKind::Linear);
        let bins = made.and_then(|made| self.backends.current_ref().words(&made.key).linear);
        let (Some(loaded), Some(bins)) = (&self.content.loaded, bins) else {
            return Ok((Transfer::default(), Vec::new()));
        };
        let codes = 1_u64 << loaded.bits();
        let bytes = readback::read_buffer(gpu, bins, CHANNELS as u64 * 4 * codes)?;
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        Ok((loaded.light.transfer, words[3 * codes as usize..].to_vec()))
    }

    fn submit(&mut self, gpu: &Gpu, label: &str, record: impl FnOnce(&mut Self, &mut CommandEncoder)) {
        let mut encoder = gpu.encoder(label);
        record(self, &mut encoder);
        if let Some(timing) = &mut self.timing {
            timing.end(&mut encoder);
        }
        gpu.queue.submit([encoder.finish()]);
        self.submitted();
    }

    /// Requests the wanted bins now if they are counted already; otherwise the next recording does.
    fn fetch_histogram(&mut self, gpu: &Gpu) {
        let Some(question) = self.wanted() else { return };
        let mut encoder = gpu.encoder("fetch bins");
        if self.backends.current().send_figures(gpu, &mut encoder, &question) {
            self.figures.is_wanted = false;
            gpu.queue.submit([encoder.finish()]);
            self.backends.current().submitted();
        }
    }

    /// Returns the count whose thresholds are wanted: the bins of the adjusted picture, if it has thresholds.
    fn threshold_key(&self) -> Option<(CountKey, CountSubject)> {
        let has_thresholds = self.content.has_result() && self.content.choice.adjustments.have_thresholds();
        let subject = self.content.subject_of(Image::Result).filter(|_| has_thresholds)?;
        Some((CountKey { picture: subject.key, count: Count::Bins(Image::Result) }, subject))
    }

    /// Takes thresholds that have arrived, and requests newer ones.
    fn poll_thresholds(&mut self, gpu: &Gpu) {
        let Some((key, subject)) = self.threshold_key() else { return };
        let answer = self.backends.current().ask(gpu, (&key, &subject), CountQuestion::Thresholds);
        let read = |(key, words): Answer| Some((key, subject.series, words.try_into().ok()?));
        self.thresholds = answer.and_then(read).or(self.thresholds);
    }

    /// Returns the newest luminance codes at which the second and later classes begin, `u32::MAX` for classes that do
    /// not exist; `None` if the adjustments have no threshold or its codes have not arrived yet. Never blocks:
    /// [`poll_histogram`](Self::poll_histogram), [`poll_times`](Self::poll_times) and every draw receive them.
    #[must_use]
    pub fn thresholds(&self) -> Option<[u32; 4]> {
        let series = self.content.series().filter(|_| self.content.choice.adjustments.have_thresholds());
        self.thresholds.filter(|(_, of, _)| Some(*of) == series).map(|(.., thresholds)| thresholds)
    }

    /// Returns the requested counts of a scope once they are available; `None` if no scopes are shown. Never blocks.
    pub fn ask_scope(&mut self, gpu: &Gpu, question: CountQuestion) -> Option<ScopeAnswer> {
        let made = self.made.of_series(CountKind::Scopes, self.content.series())?;
        let (of, counts) = self.backends.current().ask(gpu, (&made.key, &made.subject), question)?;
        of.counts_as(&made.key).then_some(ScopeAnswer { question, counts })
    }

    /// Returns the number of pixels that all of these brushes select, and the number of all counted pixels, once known
    /// for a view drawn with these brushes; `None` if only the histograms are brushed and no other scope is shown.
    /// Never blocks.
    pub fn ask_brushed(&mut self, gpu: &Gpu, brushes: Brushes) -> Option<(u32, u64)> {
        let is_of_them = |key: &CountKey| matches!(key.count, Count::Selected(of, _) if of == brushes);
        let made = self.made.of_series(CountKind::Selected, self.content.series());
        let made = made.filter(|made| is_of_them(&made.key))?;
        let (of, words) = self.backends.current().ask(gpu, (&made.key, &made.subject), CountQuestion::Selected)?;
        let count = words.first().filter(|_| is_of_them(&of))?;
        Some((*count, made.subject.series.rect.pixel_count()))
    }

    /// Takes counts of scopes and selections that have been read back from the GPU, without blocking.
    pub fn poll_scope(&mut self, gpu: &Gpu) -> FiguresState {
        let series = self.content.series();
        self.backends.current().poll(gpu, series)
    }
}

/// Recording a view.
impl Renderer {
    /// Records a view: counting and adjusting, unless already done, the pictures, the overlays, and text if requested.
    fn record_view(
        &mut self,
        gpu: &Gpu,
        encoder: &mut CommandEncoder,
        (view, size): (&TextureView, (u32, u32)),
        scene: &Scene,
        purpose: Purpose,
    ) {
        let (display, has_text) = match purpose {
            Purpose::Show => (self.display(), true),
            Purpose::Save { has_text } => (Display::Sdr, has_text),
        };
        self.poll_thresholds(gpu);
        self.record_count(gpu, encoder, ContentChoice::of(scene), Some((scene, size)));
        self.record_reference(gpu, encoder, scene);
        let parts = self.content.parts(scene, size, display);
        let light = self.light.as_mut().filter(|_| purpose == Purpose::Show);
        let layers = light.map(|(_, light)| light.layers(gpu, size));
        let below = layers.as_ref().map_or(view, |layers| &layers.picture);
        let shown = self.shown_overlays(scene);
        let painted = shown.and_then(|shown| self.painted_overlays(&shown, parts.len(), scene, (below, size)));
        let mut recording = Recording { gpu, encoder, timing: self.timing.as_mut(), names: &mut self.recorded };
        let overlays = painted.as_deref().unwrap_or_default();
        let is_painted = self.backends.current().paint(&mut recording, below.texture(), &parts, overlays);
        let seam = self.content.seam(scene, size);
        if let Some(seam) = seam {
            let pass = self.divider.get_or_insert_with(|| DividerPass::new(gpu, self.format));
            pass.place(gpu, size, seam.column, line_pixels(size));
        }
        let drawn = shown.filter(|_| painted.is_none());
        if let Some(shown) = &drawn {
            self.prepare_overlays(gpu, encoder, size, scene, shown);
        }
        let has_scopes = self.prepare_scopes(gpu, size, scene);
        self.recorded.push("draw");
        // If there are overlays, drawing starts with the pass that computes their columns.
        let spans = self.timing.as_mut().and_then(|timing| timing.also(&[Timed::Draw]));
        let timestamps = match &layers {
            None => spans.map(|spans| spans.end_with_drawing(encoder, drawn.is_none())),
            Some(_) => spans.filter(|_| drawn.is_none()).and_then(|spans| spans.begin_with_drawing(encoder)),
        };
        let cleared = (!is_painted).then_some(Color::BLACK);
        let mut pass = ViewPass { view: below, cleared, timestamps }.begin(encoder);
        self.backends.current_ref().draw(&mut pass, &parts, size.1);
        if let Some(layers) = &layers {
            let cleared = Some(Color::TRANSPARENT);
            drop(pass);
            pass = ViewPass { view: &layers.controls, cleared, timestamps: None }.begin(encoder);
        } else if !parts.is_empty() {
            pass.set_scissor_rect(0, 0, size.0, size.1);
        }
        if let (Some(divider), Some(_)) = (&self.divider, seam) {
            divider.draw(&mut pass);
        }
        if let (Some(scopes), true) = (&self.scopes, has_scopes) {
            scopes.draw(&mut pass);
        }
        if drawn.is_some() {
            self.overlay.draw(&mut pass, size);
        }
        if has_text {
            self.text.draw(&mut pass);
        }
        drop(pass);
        if let Some((layers, (_, light))) = layers.as_ref().zip(self.light.as_ref()) {
            self.recorded.push("emit");
            light.emit(encoder, layers, view, spans);
        }
        if let Some(timing) = &mut self.timing {
            timing.end(encoder);
        }
    }

    /// Records counting and adjusting the loaded picture, and everything else that a view of it shows, unless already
    /// done.
    fn record_count(
        &mut self,
        gpu: &Gpu,
        encoder: &mut CommandEncoder,
        choice: ContentChoice,
        view: Option<(&Scene, (u32, u32))>,
    ) {
        self.recorded.clear();
        if self.content.choose(choice) {
            // Bins that were requested for the loaded picture are requested again.
            self.figures.is_wanted |= self.figures.asked == Some(self.content.load_count);
        }
        if let Err(reason) = self.make(gpu, encoder, view) {
            log::debug!("{reason}; the CPU counts, adjusts and paints it");
            self.backends.kind = BackendKind::Cpu;
            self.forget_made();
            let loaded = self.content.loaded.as_ref().map(|loaded| self.backends.cpu.load(gpu, Load::Loaded(loaded)));
            if let Err(reason) = loaded.transpose().and_then(|_| self.make(gpu, encoder, view)) {
                log::error!("the picture cannot be counted or drawn: {reason}");
            }
        }
        if let Some(question) = self.wanted()
            && self.backends.current().send_figures(gpu, encoder, &question)
        {
            self.figures.is_wanted = false;
            self.recorded.push("sum up");
        }
        // The CPU has them as soon as it has adjusted the picture.
        if self.backends.kind == BackendKind::Cpu {
            self.poll_thresholds(gpu);
        }
    }

    /// Makes the backend produce what is missing.
    fn make(
        &mut self,
        gpu: &Gpu,
        encoder: &mut CommandEncoder,
        view: Option<(&Scene, (u32, u32))>,
    ) -> Result<(), GpuError> {
        let Self { backends, content, timing, recorded, made, .. } = self;
        let backend = backends.current();
        let mut recording = Recording { gpu, encoder, timing: timing.as_mut(), names: recorded };
        content.record(backend, &mut recording)?;
        let Some((scene, size)) = view else { return Ok(()) };
        content.record_pair(backend, &mut recording, scene.paired())?;
        let arranged = scene.arranged(size);
        let counted = scene.look.scopes.counted();
        let shown = if arranged.panels.is_empty() { ScopeChoice::default() } else { counted };
        let has_scopes = arranged.is_split || !arranged.panels.is_empty();
        let Some(subject) = content.subject() else { return Ok(()) };
        match selected_in(scene, shown) {
            Some(wanted) => made.make(backend, &mut recording, &subject, Count::Selected(scene.brushes, wanted))?,
            None => made.release(backend, CountKind::Selected),
        }
        match has_scopes {
            true if counted.any() => made.make(backend, &mut recording, &subject, Count::Scopes(counted))?,
            true => {}
            false => {
                made.release(backend, CountKind::Scopes);
                recording.note(|times| &mut times.cpu_scopes, None);
            }
        }
        Ok(())
    }

    /// Returns the overlays to show, if any.
    fn shown_overlays(&self, scene: &Scene) -> Option<OverlayContent> {
        let loaded = self.content.loaded.as_ref().filter(|_| scene.look.overlays)?;
        let shows_selected = self.made.shows_selected();
        let outlined = match self.content.bars().1 {
            _ if shows_selected => Outlined::Whole,
            Some(_) => Outlined::Other,
            None if drawn_reference(&self.reference, &self.content).is_some() => Outlined::Other,
            None => Outlined::None,
        };
        // The linear-light line uses the scale of the whole picture's luminance, which differs from the bars' scale
        // while a selection is shown.
        let linear = scene.look.shows_linear(loaded.components) && !shows_selected;
        let (bits, range) = (loaded.bits(), loaded.picture.colorimetry().range.value);
        Some(OverlayContent { bits, components: loaded.components, range, outlined, linear, backdrop: None })
    }

    /// Returns the overlays if the backend can paint them with the picture: the view shows a single picture and nothing
    /// that only shaders can draw.
    fn painted_overlays(
        &self,
        shown: &OverlayContent,
        parts: usize,
        scene: &Scene,
        (view, size): (&TextureView, (u32, u32)),
    ) -> Option<Vec<crate::cpu::overlay::Overlay>> {
        // The background of a split layout would cover the painted overlays.
        let needs_shaders = scene.arranged(size).is_split
            || shown.outlined != Outlined::None
            || shown.linear
            || has_trace(scene, shown.components, size)
            || scene.look.curves
            || scene.look.histograms.backdrop
            || parts != 1
            || self.content.seam(scene, size).is_some();
        if needs_shaders {
            return None;
        }
        self.backends.current_ref().overlays(shown, (self.content.bars().0, scene), view.texture())
    }

    /// Prepares the reference's bins for drawing, if they are shown.
    fn record_reference(&mut self, gpu: &Gpu, encoder: &mut CommandEncoder, scene: &Scene) {
        let Some(loaded) = self.content.loaded.as_ref().filter(|_| scene.look.overlays) else { return };
        let reference = self.reference.as_mut().filter(|reference| reference.of.components == loaded.components);
        if reference.is_some_and(|reference| reference.record(gpu, encoder, loaded)) {
            self.recorded.push("reference");
        }
    }

    /// Records counting linear light, unless already done.
    fn record_linear(&mut self, gpu: &Gpu, encoder: &mut CommandEncoder) {
        let Some(subject) = self.content.subject() else { return };
        let mut recording = Recording { gpu, encoder, timing: None, names: &mut self.recorded };
        if let Err(reason) = self.made.make(self.backends.current(), &mut recording, &subject, Count::Linear) {
            log::error!("linear light cannot be counted: {reason}");
        }
    }

    /// Sets up the overlays that the adapter draws, and records the passes that run before the draw.
    fn prepare_overlays(
        &mut self,
        gpu: &Gpu,
        encoder: &mut CommandEncoder,
        size: (u32, u32),
        scene: &Scene,
        shown: &OverlayContent,
    ) {
        if shown.linear {
            self.record_linear(gpu, encoder);
        }
        let small: Vec<_> = match scene.look.histograms.backdrop {
            true => self.content.parts(scene, size, Display::Sdr),
            false => Vec::new(),
        };
        let mut backdrop_size = None;
        if !small.is_empty() {
            self.recorded.push("backdrop");
            let pass = self.backdrop.get_or_insert_with(|| BackdropPass::new(gpu));
            match pass.prepare(gpu, size) {
                Ok(small_size) => {
                    let parts: Vec<_> = small.iter().filter_map(|part| part.resized(small_size)).collect();
                    let mut names = Vec::new();
                    let mut recording = Recording { gpu, encoder, timing: None, names: &mut names };
                    self.backends.current().paint_small(&mut recording, pass, &parts);
                    pass.blur(encoder);
                    backdrop_size = Some(small_size);
                }
                Err(reason) => log::debug!("no backdrop: {reason}"),
            }
        }
        let backend = self.backends.current_ref();
        let (whole, other) = self.content.bars();
        let Some(subject) = self.content.subject() else { return };
        let bins = |image| CountKey { picture: subject.key, count: Count::Bins(image) };
        let (whole_key, other_key) = (bins(whole), other.map(bins));
        let Some(whole) = backend.words(&whole_key).bars else { return };
        let selected = self.made.of(CountKind::Selected).filter(|_| self.made.shows_selected());
        let (filled, outline) = match selected.and_then(|made| backend.words(&made.key).bars) {
            Some(bars) => (bars, Some(whole)),
            None => {
                let reference = drawn_reference(&self.reference, &self.content).map(|reference| reference.bins.bars());
                (whole, reference.or_else(|| other_key.as_ref().and_then(|key| backend.words(key).bars)))
            }
        };
        let linear = self.made.of(CountKind::Linear).filter(|_| shown.linear);
        let counts = OverlayBuffers {
            filled,
            outline,
            linear: linear.and_then(|made| backend.words(&made.key).linear),
            backdrop: self.backdrop.as_ref().and_then(BackdropPass::words).filter(|_| backdrop_size.is_some()),
            cumulative: scene.look.curves.then(|| self.cumulative.get_or_insert_with(|| CumulativePass::new(gpu))),
        };
        let shown = OverlayContent { backdrop: backdrop_size, ..*shown };
        let spans = self.timing.as_mut().and_then(|timing| timing.also(&[Timed::Draw]));
        self.recorded.push("columns");
        self.overlay.prepare(gpu, encoder, &shown, counts, scene, size, spans);
    }

    /// Sets up the scopes that are drawn next to the histograms. Returns `true` if there is anything to draw.
    fn prepare_scopes(&mut self, gpu: &Gpu, size: (u32, u32), scene: &Scene) -> bool {
        let arranged = scene.arranged(size);
        let Some(loaded) = self.content.loaded.as_ref().filter(|_| arranged.is_split || !arranged.panels.is_empty())
        else {
            return false;
        };
        let backend = self.backends.current_ref();
        let counts = self.made.of(CountKind::Scopes);
        let [counts, lit] = [counts, self.made.of(CountKind::Selected)]
            .map(|made| made.map(|made| drawn(&made.subject, backend.words(&made.key).scopes)));
        let wanted = (scene.look.scopes.counted(), scene.look.scopes.diagram, loaded.components);
        let drawn = DrawnScopes {
            whole: counts.unwrap_or_default(),
            lit: lit.unwrap_or_default(),
            reference: self.reference_scopes.buffers(gpu, self.backends.kind, wanted),
        };
        let pass = self.scopes.get_or_insert_with(|| ScopePass::new(gpu, self.format));
        pass.prepare(gpu, &arranged, &drawn, scene, size);
        self.recorded.push("scopes");
        true
    }
}

impl Made {
    /// Returns the last count of this kind.
    const fn of(&self, kind: CountKind) -> Option<&MadeCount> {
        self.0[kind as usize].as_ref()
    }

    /// Returns the last count of this kind if its picture is in this series.
    fn of_series(&self, kind: CountKind, series: Option<Series>) -> Option<&MadeCount> {
        self.of(kind).filter(|made| Some(made.subject.series) == series)
    }

    /// Returns `true` if the histograms show the pixels that the scopes' brushes select.
    fn shows_selected(&self) -> bool {
        self.of(CountKind::Selected)
            .is_some_and(|made| matches!(made.key.count, Count::Selected(_, wanted) if wanted.histogram))
    }

    /// Makes a count of a picture, unless it is the last one of its kind.
    fn make(
        &mut self,
        backend: &mut dyn Backend,
        recording: &mut Recording<'_>,
        subject: &CountSubject,
        count: Count,
    ) -> Result<(), GpuError> {
        let key = CountKey { picture: subject.key, count };
        if self.of(count.kind()).is_none_or(|made| made.key != key) {
            backend.count(recording, subject, &count)?;
            recording.names.push(count.kind().name());
            self.0[count.kind() as usize] = Some(MadeCount { key, subject: *subject });
        }
        Ok(())
    }

    /// Frees the memory of the last count of this kind.
    fn release(&mut self, backend: &mut dyn Backend, kind: CountKind) {
        if self.0[kind as usize].take().is_some() {
            backend.release(Product::Count(kind));
        }
    }
}

/// Returns which counts of the selected pixels a scene needs; `None` if only the histograms are brushed and no scope
/// has to show it.
fn selected_in(scene: &Scene, shown: ScopeChoice) -> Option<SelectionChoice> {
    // A scope does not show the selection of its own brush.
    let brushed = scene.brushes.scopes();
    let count = brushed.each().filter(|&is_brushed| is_brushed).count();
    let by_others = brushed.map(|own| scene.brushes.histogram.is_some() || count > usize::from(own));
    let scopes = shown.zip(by_others).map(|(is_shown, is_selected)| is_shown && is_selected);
    let in_scopes = scene.brushes.in_scopes();
    (in_scopes || scopes.any()).then_some(SelectionChoice { histogram: in_scopes && scene.look.overlays, scopes })
}

/// Returns the counts in the form in which they are drawn.
fn drawn<'a>(subject: &CountSubject, counts: ScopeSources<'a>) -> ScopeBuffers<'a> {
    let Series { rect, components, .. } = subject.series;
    ScopeBuffers::new(&subject.input.layout, (rect, components), subject.chroma, counts)
}

/// The bins of a frame that is held as a reference, outlined over those of the loaded picture.
#[derive(Debug)]
struct Reference {
    of: Arc<Histogram>,
    bins: UploadedBins,
    /// The depth and sample counts that the uploaded bins are scaled to.
    uploaded: Option<Scaling>,
}

/// Bits per code, and samples of each channel.
type Scaling = (u32, [u64; CHANNELS]);

impl Reference {
    fn new(gpu: &Gpu, of: Arc<Histogram>) -> Self {
        Self { of, bins: UploadedBins::new(gpu, "reference bins"), uploaded: None }
    }

    /// Prepares the reference's bins for drawing over those of the loaded picture, scaled to its depth and sample
    /// counts. Returns `true` if it recorded anything.
    fn record(&mut self, gpu: &Gpu, encoder: &mut CommandEncoder, loaded: &Loaded) -> bool {
        let scaling = (loaded.bits(), samples_of(loaded));
        if self.uploaded == Some(scaling) {
            return false;
        }
        self.bins.record(gpu, encoder, &self.of.rescaled_to(scaling.0, scaling.1), None);
        self.uploaded = Some(scaling);
        true
    }
}

/// Returns the reference if it is drawn over the loaded picture's bins, which requires that both count the same
/// components.
fn drawn_reference<'a>(reference: &'a Option<Reference>, content: &Content) -> Option<&'a Reference> {
    let loaded = content.loaded.as_ref()?;
    reference.as_ref().filter(|reference| reference.of.components == loaded.components)
}

/// Returns the number of samples counted in each channel of the loaded picture.
fn samples_of(loaded: &Loaded) -> [u64; CHANNELS] {
    let (layout, rect) = (loaded.picture.layout(), loaded.rect());
    std::array::from_fn(|channel| match loaded.components {
        Components::Rgbl => rect.pixel_count(),
        Components::YCbCr if channel < layout.component_count() => samples_in(layout, channel, rect).pixel_count(),
        Components::YCbCr => 0,
    })
}

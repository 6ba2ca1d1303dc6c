//! One frame as a picture and as figures, without a display.

use std::path::{Path, PathBuf};

use super::figures::{AdjustedFigures, Figures};
use super::file::{self, FileError};
use crate::adjust::{Adjustments, Processor};
use crate::engine::{Engine, EngineChoice};
use crate::gpu::draw::Channels;
use crate::gpu::{AdapterChoice, Gpu, GpuError, Renderer, Scene};
use crate::histogram::reference;
use crate::histogram::{Components, Histogram};
use crate::media::{Decoder, MediaError, OpenOptions, Seek};
use crate::picture::Frame;
use crate::view::placement::upright_size;
use crate::view::scene;

/// What to render and to tell.
#[derive(Debug, Clone)]
pub struct SnapshotOptions {
    /// The video.
    pub input: PathBuf,
    /// Time of the frame, in seconds from the start.
    pub at_secs: f64,
    /// Size of the picture; `None` is the video's own as it is displayed.
    pub size: Option<(u32, u32)>,
    /// Histograms to draw.
    pub channels: Channels,
    /// Whether to draw any.
    pub overlays: bool,
    /// Whether the figures contain all bins.
    pub bins: bool,
    /// Where to write the picture; `None` makes none.
    pub output: Option<PathBuf>,
    /// What is counted.
    pub components: Components,
    /// What is done to the picture first.
    pub adjustments: Adjustments,
    /// Which picture is counted, where it is adjusted.
    pub counted: scene::Counted,
    /// The adapter.
    pub adapter: AdapterChoice,
    /// The engine.
    pub engine: EngineChoice,
    /// How to read the video.
    pub open: OpenOptions,
}

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The video could not be read.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// The adapter could not do its part.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// There is no adapter to count with.
    #[error(
        "no graphics adapter was found; use --engine cpu, which needs none as long as no picture is wanted, or install a \
         Vulkan driver, or a software one (on Debian and Ubuntu: mesa-vulkan-drivers)"
    )]
    NoAdapterToCount,
    /// The picture could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The video has no frame there.
    #[error("{}: no frame could be decoded at {at_secs} s", .input.display())]
    NoFrame {
        /// The video.
        input: PathBuf,
        /// The wanted time in seconds.
        at_secs: f64,
    },
    /// R'G'B' video has no Y'CbCr codes.
    #[error("{}: the video is R'G'B'; it has no Y'CbCr codes to count (leave --components out)", .0.display())]
    NotCoded(PathBuf),
}

/// Renders and counts one frame, writes the picture if one is wanted, and returns the figures.
///
/// Figures that the CPU engine was asked for need no adapter, and none is started for them.
///
/// # Errors
/// [`SnapshotError`] if the video, the adapter or the file system refuses; then no file is left behind.
pub fn snapshot(options: &SnapshotOptions) -> Result<Figures, SnapshotError> {
    if let Some(output) = &options.output {
        file::check_output(output, &options.input)?;
    }
    let frame = frame_at(options)?;
    if options.components == Components::YCbCr && !frame.picture.has_coded_components() {
        return Err(SnapshotError::NotCoded(options.input.clone()));
    }
    let adjusted = Adjusted::of(&frame, options)?;
    let result =
        adjusted.as_ref().filter(|_| options.counted != scene::Counted::Source).map(|adjusted| &adjusted.frame);
    let mut counter = Counter::start(options)?;
    if let Some(output) = &options.output {
        counter.draw(&frame, options, output)?;
    }
    let histogram = counter.count(result.unwrap_or(&frame), options)?;
    let input = options.input.display().to_string();
    let figures =
        Figures::new(&input, &frame, &histogram, (counter.engine.name(), counter.adapter_name()), options.bins);
    let Some(adjusted) = &adjusted else { return Ok(figures) };
    let both = options.counted == scene::Counted::Both;
    let source = both.then(|| counter.count(&frame, options)).transpose()?;
    Ok(figures.of_adjusted(AdjustedFigures {
        adjustments: &options.adjustments,
        is_result: result.is_some(),
        thresholds: adjusted.thresholds,
        source: source.as_ref(),
    }))
}

/// A frame with its picture adjusted.
struct Adjusted {
    frame: Frame,
    thresholds: Option<[u32; 4]>,
}

impl Adjusted {
    /// The adjusted frame; `None` where nothing is adjusted. One frame has none before it, so nothing is smoothed in time.
    fn of(frame: &Frame, options: &SnapshotOptions) -> Result<Option<Self>, SnapshotError> {
        if options.adjustments.is_off() {
            return Ok(None);
        }
        let mut processor = Processor::default();
        let picture =
            processor.apply(&frame.picture, &options.adjustments, None).map_err(|error| MediaError::Failed {
                path: options.input.clone(),
                action: "adjusting the picture",
                reason: error.to_string(),
            })?;
        Ok(Some(Self { frame: Frame { picture, ..frame.clone() }, thresholds: processor.thresholds() }))
    }
}

fn frame_at(options: &SnapshotOptions) -> Result<Frame, SnapshotError> {
    let mut decoder = Decoder::open(&options.input, &options.open)?;
    if options.at_secs > 0.0 {
        decoder.seek(Seek::to(options.at_secs))?;
    }
    let missing = || SnapshotError::NoFrame { input: options.input.clone(), at_secs: options.at_secs };
    let frame = decoder.next_frame()?.ok_or_else(missing)?;
    // Times that people type have as few digits as those that are shown to them.
    if options.at_secs > frame.time_secs + frame.duration_secs + 1e-3
        && decoder.next_frame().is_ok_and(|next| next.is_none())
    {
        let (file, at) = (options.input.display(), options.at_secs);
        log::warn!("{file}: the video ends before {at} s; this is its last frame, at {:.3} s", frame.time_secs);
    }
    Ok(frame)
}

/// Who draws and counts.
struct Counter {
    engine: Engine,
    /// The adapter; none is started for figures that the CPU was asked for.
    gpu: Option<Gpu>,
    /// The bins that the overlays were drawn from.
    drawn: Option<Histogram>,
}

impl Counter {
    fn start(options: &SnapshotOptions) -> Result<Self, SnapshotError> {
        if options.output.is_none() && options.engine == EngineChoice::Cpu {
            return Ok(Self { engine: Engine::cpu(), gpu: None, drawn: None });
        }
        let gpu = Gpu::headless(&options.adapter).map_err(|error| match error {
            GpuError::NoAdapter if options.output.is_none() => SnapshotError::NoAdapterToCount,
            error => error.into(),
        })?;
        Ok(Self { engine: Engine::new(options.engine, &gpu), gpu: Some(gpu), drawn: None })
    }

    /// The adapter that is in use.
    fn adapter_name(&self) -> Option<&str> {
        self.gpu.as_ref().map(|gpu| gpu.info.name.as_str())
    }

    /// Draws the view and writes it.
    fn draw(&mut self, frame: &Frame, options: &SnapshotOptions, output: &Path) -> Result<(), SnapshotError> {
        let Some(gpu) = &self.gpu else { return Ok(()) };
        let mut renderer = Renderer::headless(gpu);
        let bins = self.engine.count(&frame.picture, options.components);
        renderer.load_frame(gpu, frame, options.components, bins)?;
        let size = options.size.unwrap_or_else(|| own_size(gpu, frame, options));
        let scene = Scene {
            channels: options.channels,
            overlays: options.overlays,
            adjustments: options.adjustments,
            counted: options.counted,
            ..Scene::default()
        };
        let image = renderer.snapshot(gpu, size, &scene)?;
        if options.adjustments.is_off() {
            self.drawn = Some(renderer.count(gpu)?);
        }
        Ok(file::write_png(output, &image)?)
    }

    /// The bins of a frame. Those of one that was drawn as it is are read back from where its overlays were drawn from.
    fn count(&mut self, frame: &Frame, options: &SnapshotOptions) -> Result<Histogram, SnapshotError> {
        if let Some(histogram) = self.drawn.take() {
            return Ok(histogram);
        }
        if let Some(histogram) = self.engine.count(&frame.picture, options.components) {
            return Ok(histogram);
        }
        let Some(gpu) = &self.gpu else { return Ok(reference::histogram(&frame.picture, options.components)) };
        let mut renderer = Renderer::headless(gpu);
        match renderer.load_frame(gpu, frame, options.components, None) {
            Err(error @ GpuError::PictureTooLarge { .. }) if options.engine == EngineChoice::Auto => {
                log::info!("the CPU counts this picture: {error}");
                self.engine = Engine::cpu();
                self.count(frame, options)
            }
            loaded => {
                loaded?;
                Ok(renderer.count(gpu)?)
            }
        }
    }
}

/// The video's own size with square pixels, upright; the largest of its shape where the adapter cannot draw that.
fn own_size(gpu: &Gpu, frame: &Frame, options: &SnapshotOptions) -> (u32, u32) {
    let size = upright_size(frame.picture.width(), frame.picture.height(), frame.sample_aspect, frame.orientation);
    let most = gpu.most_view_side();
    let shrink = (f64::from(most) / size.max_element()).min(1.0);
    let drawn = (size * shrink).round().max(glam::DVec2::ONE);
    if shrink < 1.0 {
        log::warn!(
            "{}: the picture is drawn at {}×{} instead of {}×{}, the most that {} can draw; all pixels are counted",
            options.input.display(),
            drawn.x,
            drawn.y,
            size.x.round(),
            size.y.round(),
            gpu.info.name
        );
    }
    (drawn.x as u32, drawn.y as u32)
}

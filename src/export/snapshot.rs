//! One frame as a picture and as figures, without a display.

use std::path::{Path, PathBuf};

use super::figures::Figures;
use super::file::{self, FileError};
use crate::engine::{Engine, EngineChoice};
use crate::frame::Frame;
use crate::gpu::draw::Channels;
use crate::gpu::{AdapterChoice, Gpu, GpuError, Renderer, Scene};
use crate::histogram::{Components, Histogram};
use crate::media::{Decoder, MediaError, OpenOptions, SeekTarget};
use crate::placement::upright_size;

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
        file::check_writable(output)?;
    }
    let frame = frame_at(options)?;
    if options.components == Components::YCbCr && !frame.picture.has_coded_components() {
        return Err(SnapshotError::NotCoded(options.input.clone()));
    }
    let counted = match &options.output {
        Some(output) => draw(&frame, options, output)?,
        None => count(&frame, options)?,
    };
    let input = options.input.display().to_string();
    Ok(Figures::new(&input, &frame, &counted.histogram, (counted.engine, counted.adapter.as_deref()), options.bins))
}

/// A frame's bins, and who counted them.
struct Counted {
    histogram: Histogram,
    engine: &'static str,
    /// The adapter that was in use; `None` where none was started.
    adapter: Option<String>,
}

fn frame_at(options: &SnapshotOptions) -> Result<Frame, SnapshotError> {
    let mut decoder = Decoder::open(&options.input, &options.open)?;
    if options.at_secs > 0.0 {
        decoder.seek(SeekTarget::Exact(options.at_secs))?;
    }
    let missing = || SnapshotError::NoFrame { input: options.input.clone(), at_secs: options.at_secs };
    decoder.next_frame()?.ok_or_else(missing)
}

/// Counts without drawing.
fn count(frame: &Frame, options: &SnapshotOptions) -> Result<Counted, SnapshotError> {
    if options.engine == EngineChoice::Cpu {
        return Ok(count_on_cpu(frame, options, Engine::cpu(), None));
    }
    let gpu = Gpu::headless(&options.adapter).map_err(|error| match error {
        GpuError::NoAdapter => SnapshotError::NoAdapterToCount,
        error => error.into(),
    })?;
    let engine = Engine::new(options.engine, &gpu);
    if engine.is_cpu() {
        return Ok(count_on_cpu(frame, options, engine, Some(&gpu)));
    }
    let mut renderer = Renderer::headless(&gpu);
    match renderer.load_frame(&gpu, frame, options.components, None) {
        Err(error @ GpuError::PictureTooLarge { .. }) if options.engine == EngineChoice::Auto => {
            log::info!("the CPU counts this picture: {error}");
            return Ok(count_on_cpu(frame, options, Engine::cpu(), Some(&gpu)));
        }
        loaded => loaded?,
    }
    Ok(counted(&gpu, &engine, renderer.count(&gpu)?))
}

fn count_on_cpu(frame: &Frame, options: &SnapshotOptions, mut engine: Engine, gpu: Option<&Gpu>) -> Counted {
    let counted = engine.count(&frame.picture, options.components);
    // An engine on the CPU always counts.
    let histogram = counted.unwrap_or_else(|| crate::reference::histogram(&frame.picture, options.components));
    Counted { histogram, engine: engine.name(), adapter: gpu.map(|gpu| gpu.info.name.clone()) }
}

/// Counts, draws the view and writes it. The bins are read back from where the overlays were drawn from.
fn draw(frame: &Frame, options: &SnapshotOptions, output: &Path) -> Result<Counted, SnapshotError> {
    let gpu = Gpu::headless(&options.adapter)?;
    let mut engine = Engine::new(options.engine, &gpu);
    let mut renderer = Renderer::headless(&gpu);
    let bins = engine.count(&frame.picture, options.components);
    renderer.load_frame(&gpu, frame, options.components, bins)?;
    let size = options.size.unwrap_or_else(|| own_size(&gpu, frame, options));
    let scene = Scene { channels: options.channels, overlays: options.overlays, ..Scene::default() };
    let image = renderer.snapshot(&gpu, size, &scene)?;
    let histogram = renderer.count(&gpu)?;
    file::write_png(output, &image)?;
    Ok(counted(&gpu, &engine, histogram))
}

fn counted(gpu: &Gpu, engine: &Engine, histogram: Histogram) -> Counted {
    Counted { histogram, engine: engine.name(), adapter: Some(gpu.info.name.clone()) }
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

//! One frame as a picture and as figures, without a display.

use std::path::PathBuf;

use super::figures::Figures;
use super::file::{self, FileError};
use crate::engine::{Engine, EngineChoice};
use crate::frame::Frame;
use crate::gpu::draw::Channels;
use crate::gpu::readback::{self, VIEW_FORMAT};
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
    let gpu = Gpu::headless(&options.adapter)?;
    let mut engine = Engine::new(options.engine, &gpu);
    let mut renderer = Renderer::new(&gpu, VIEW_FORMAT);
    let counted = engine.count(&frame.picture, options.components);
    let placing = (frame.sample_aspect, frame.orientation);
    renderer.load(&gpu, &frame.picture, placing, options.components, counted)?;
    let histogram = render(&gpu, &mut renderer, &frame, options)?;
    let input = options.input.display().to_string();
    Ok(Figures::new(&input, &frame, &histogram, (engine.name(), &gpu.info.name), options.bins))
}

fn frame_at(options: &SnapshotOptions) -> Result<Frame, SnapshotError> {
    let mut decoder = Decoder::open(&options.input, &options.open)?;
    if options.at_secs > 0.0 {
        decoder.seek(SeekTarget::Exact(options.at_secs))?;
    }
    let missing = || SnapshotError::NoFrame { input: options.input.clone(), at_secs: options.at_secs };
    decoder.next_frame()?.ok_or_else(missing)
}

/// Draws the view if a picture is wanted, else only counts.
fn render(
    gpu: &Gpu,
    renderer: &mut Renderer,
    frame: &Frame,
    options: &SnapshotOptions,
) -> Result<Histogram, SnapshotError> {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("snapshot") });
    if let Some(output) = &options.output {
        let (width, height) = options.size.unwrap_or_else(|| display_size(frame));
        let texture = readback::view_texture(gpu, width, height)?;
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let scene = Scene { channels: options.channels, overlays: options.overlays };
        renderer.record(gpu, &mut encoder, &view, (width, height), &scene);
        gpu.queue.submit([encoder.finish()]);
        file::write_png(output, &readback::read_texture(gpu, &texture)?)?;
    } else {
        renderer.record_count(gpu, &mut encoder);
        gpu.queue.submit([encoder.finish()]);
    }
    let bits = frame.picture.layout().bin_bits();
    Ok(readback::read_histogram(gpu, renderer.histogram(), bits, options.components)?)
}

/// The video's own size with square pixels, upright.
fn display_size(frame: &Frame) -> (u32, u32) {
    let size = upright_size(frame.picture.width(), frame.picture.height(), frame.sample_aspect, frame.orientation);
    (size.x.round().max(1.0) as u32, size.y.round().max(1.0) as u32)
}

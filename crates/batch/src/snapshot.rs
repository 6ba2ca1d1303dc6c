//! One frame as a picture and as figures; no display is needed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::figures::{AdjustedFigures, BinFigures, Figures, ScopeFigures};
use super::file::{self, FileError};
use super::region::RegionSpec;
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{Components, Histogram, Transfer};
use histoscope_core::picture::Point;
use histoscope_core::picture::color::UnreadableMatrix;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Timecodes};
use histoscope_core::scopes::{self, ScopeTally};
use histoscope_core::text::{file_name, public};
use histoscope_core::tone_map::{SourceLight, Stops, ToneMapping, doubts};
use histoscope_media::{Decoder, MediaError, MediaFault, OpenOptions, Seek, SeekTarget};
use histoscope_render::engine::{Counter, Counts, Engine, EngineChoice, EngineError, Renderer, Submission};
use histoscope_render::gpu::draw::Channels;
use histoscope_render::gpu::{AdapterChoice, DRIVER_ADVICE, Gpu, GpuError, Scene};
use histoscope_render::labels::{self, LabelSubject};
use histoscope_render::view::exposure::{Exposure, ExposureChoice, FalseColorTable};
use histoscope_render::view::guides::Guides;
use histoscope_render::view::overlay::{Overlaps, OverlayStyle};
use histoscope_render::view::placement::upright_size;
use histoscope_render::view::scene;
use histoscope_render::view::scene::Look;
use histoscope_render::view::scopes::ScopeStyle;

/// Options for a snapshot.
#[derive(Debug, Clone)]
pub struct SnapshotOptions {
    /// The video.
    pub input: PathBuf,
    /// The frame: the one on screen at a given time, or the one with a given number or timecode.
    pub at: Point,
    /// Options for drawing the picture.
    pub drawing: SnapshotDrawing,
    /// `true` to include all bins in the figures.
    pub bins: bool,
    /// Bins per channel, in the picture and in the figures: 3 to 4096; `None` for one per code.
    pub bin_count: Option<u32>,
    /// `true` to count the linear-light luminance too. Ignored if Y'CbCr codes are counted.
    pub linear_luminance: bool,
    /// The scopes whose counts the figures include.
    pub scopes: scopes::ScopeChoice,
    /// The picture file to write, if any.
    pub output: Option<PathBuf>,
    /// The components to count.
    pub components: Components,
    /// The region of the coded picture to count; `None` for all of it.
    pub region: Option<RegionSpec>,
    /// The adjustments to apply to the picture.
    pub adjustments: Adjustments,
    /// The picture to count if there are adjustments: the source, the result, or both.
    pub counted: scene::Counted,
    /// The adapter to use.
    pub adapter: AdapterChoice,
    /// The engine to count with.
    pub engine: EngineChoice,
    /// Options for reading the video.
    pub open: OpenOptions,
}

/// Options for drawing a snapshot's picture.
#[derive(Debug, Clone)]
pub struct SnapshotDrawing {
    /// Size of the picture in pixels; `None` for the video's display size.
    pub size: Option<(u32, u32)>,
    /// The channels whose histograms are drawn.
    pub channels: Channels,
    /// `true` to draw histograms.
    pub overlays: bool,
    /// `true` to add labels: axes, channels, file, frame, counted components, and the interpretation of the video.
    pub labels: bool,
    /// The method for colouring overlapping histograms.
    pub overlaps: Overlaps,
    /// The scopes next to the histograms, if any.
    pub split: Option<ScopeStyle>,
    /// Exposure aids to draw on the picture.
    pub exposure: ExposureChoice,
    /// Guides to draw over the picture.
    pub guides: Guides,
    /// How PQ and HLG are shown.
    pub tone_mapping: ToneMapping,
    /// The exposure of the picture's own colours.
    pub stops: Stops,
}

/// The reason a snapshot failed.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The video could not be read.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// The adapter failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// There is no adapter for counting.
    #[error(
        "no graphics adapter was found; use --engine cpu, which needs none unless a picture is written, or {DRIVER_ADVICE}"
    )]
    NoAdapterToCount,
    /// The picture could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// No frame could be decoded at the requested point.
    #[error("{}: no frame could be decoded at {at}", .input.display())]
    NoFrame {
        /// The video.
        input: PathBuf,
        /// The requested point.
        at: Point,
    },
    /// The video has fewer frames.
    #[error("{}: there is no frame {number}: the last one is {last}; frames are numbered from 0", .input.display())]
    NoSuchFrame {
        /// The video.
        input: PathBuf,
        /// The requested number.
        number: u64,
        /// The number of the last frame.
        last: u64,
    },
    /// The file was cut off before the frame.
    #[error(
        "{}: {reason}, so there is nothing at {at}; the last frame is at {last_secs:.3} s; choose an earlier point, or \
         try another copy of the file",
        .input.display()
    )]
    EndsEarly {
        /// The video.
        input: PathBuf,
        /// The requested point.
        at: Point,
        /// The reason, as `analyze` gives it.
        reason: String,
        /// Time of the last frame in seconds.
        last_secs: f64,
    },
    /// The frame lies beyond a gap in a numbered picture sequence.
    #[error("{}: {gap}; add it, or choose an earlier frame", .input.display())]
    Gap {
        /// The picture sequence.
        input: PathBuf,
        /// The missing number, in words.
        gap: String,
    },
    /// The region is not inside the picture.
    #[error("{}: the region {region} is not inside the picture, which has {width}×{height} pixels; choose one that is", .input.display())]
    OutsidePicture {
        /// The video.
        input: PathBuf,
        /// The region as specified by the user.
        region: String,
        /// Width of the picture in pixels.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// An exposure level exceeds all codes of the video.
    #[error("{}: {code}c is not a code of this {depth}-bit video; choose a code up to {}, or percent", .input.display(), (1_u32 << .depth) - 1)]
    NoSuchCode {
        /// The video.
        input: PathBuf,
        /// The requested code.
        code: u32,
        /// Bits per code.
        depth: u8,
    },
    /// The matrix is not supported, so there is no R'G'B' to adjust.
    #[error("{}: {matrix}, so there is no R'G'B' to adjust; choose another with --matrix", .input.display())]
    NoRgb {
        /// The video.
        input: PathBuf,
        /// Its matrix.
        matrix: UnreadableMatrix,
    },
    /// R'G'B' video has no Y'CbCr codes to count.
    #[error("{}: the video is R'G'B'; it has no Y'CbCr codes to count (leave --components out)", .0.display())]
    NotCoded(PathBuf),
}

/// Renders and counts one frame, writes the picture if requested, and returns the figures.
///
/// If the CPU engine counts and no picture is requested, no adapter is opened.
///
/// # Errors
/// [`SnapshotError`] if reading the video, the adapter or writing the file fails. No file is left behind in that case.
pub fn snapshot(options: &SnapshotOptions) -> Result<Figures, SnapshotError> {
    if let Some(output) = &options.output {
        file::check_output(output, &options.input)?;
    }
    let frame = frame_at(options)?;
    let counts_codes = SnapshotOptions { components: Components::YCbCr, ..options.clone() };
    let options = match frame.picture.unreadable_matrix() {
        Some(matrix) if !options.adjustments.is_off() => {
            return Err(SnapshotError::NoRgb { input: options.input.clone(), matrix });
        }
        // The decoder has already logged a warning about this.
        Some(_) => &counts_codes,
        None => options,
    };
    if options.components == Components::YCbCr && !frame.picture.has_coded_components() {
        return Err(SnapshotError::NotCoded(options.input.clone()));
    }
    let depth = frame.picture.layout().depth;
    doubts(&frame.source, depth).iter().for_each(|doubt| log::warn!("{doubt}"));
    let shown = SourceLight::of(&frame.source).after(&options.adjustments);
    if options.drawing.exposure.false_color == Some(FalseColorTable::Light) && shown.scale().is_none() {
        let (subject, hint) = match options.adjustments.lut {
            Some(_) => ("the result of a LUT or a camera log", ""),
            None => (shown.transfer.title(), "; --transfer reads untagged HDR"),
        };
        log::warn!(
            "{}: the light of {subject} is not known, so the false colours are those of the camera scale{hint}",
            options.input.display()
        );
    }
    if let Some(code) = options.drawing.exposure.most_code().filter(|code| *code >> depth != 0) {
        return Err(SnapshotError::NoSuchCode { input: options.input.clone(), code, depth });
    }
    let region = region_of(options, &frame)?;
    let gpu = adapter(options)?;
    let engine = gpu.as_ref().map_or_else(Engine::cpu, |gpu| Engine::on(options.engine, gpu));
    let drawn = match (&options.output, &gpu) {
        (Some(output), Some(gpu)) => draw(gpu, &engine, (&frame, region), options, output)?,
        _ => None,
    };
    let count = |adjustments| count(&engine, (&frame, region), adjustments, options);
    let is_result = !options.adjustments.is_off() && options.counted != scene::Counted::Source;
    // Thresholds are always computed from the adjusted picture, even if the source is counted.
    let has_thresholds = options.adjustments.have_thresholds();
    let adjusted = (is_result || has_thresholds).then(|| count(options.adjustments)).transpose()?;
    let thresholds = adjusted.as_ref().and_then(|counted| counted.thresholds);
    let (counted, both) = match adjusted.filter(|_| is_result) {
        Some(counted) => (counted, options.counted == scene::Counted::Both),
        None => (drawn.map_or_else(|| count(Adjustments::default()), Ok)?, false),
    };
    let input = public(&options.input).display().to_string();
    let adapter = gpu.as_ref().map(|gpu| gpu.info.name.as_str());
    let bins = BinFigures { count: options.bin_count, listed: options.bins };
    let shown = if is_result { options.adjustments } else { Adjustments::default() };
    let figures = Figures::new(&input, (&frame, region), &counted.histogram, (counted.engine, adapter), bins)
        .with_linear(linear(&engine, (&frame, region), shown, options)?)
        .with_scopes(scopes_of(&engine, (&frame, region), &shown, options)?);
    if options.adjustments.is_off() {
        return Ok(figures);
    }
    let source_linear = if both { linear(&engine, (&frame, region), Adjustments::default(), options)? } else { None };
    let source_scopes =
        both.then(|| scopes_of(&engine, (&frame, region), &Adjustments::default(), options)).transpose()?;
    let source = both.then(|| count(Adjustments::default())).transpose()?;
    let source = source.as_ref().map(|counted| &counted.histogram);
    let adjusted = AdjustedFigures { adjustments: &options.adjustments, is_result, thresholds, source };
    let figures = figures.of_adjusted(adjusted).with_source_linear(source_linear);
    Ok(figures.with_source_scopes(source_scopes.unwrap_or_default()))
}

/// Counts the linear-light luminance of a frame after `adjustments`, if requested, with the engine used for the other
/// counts.
fn linear(
    engine: &Engine,
    (frame, region): (&Frame, Option<Rect>),
    adjustments: Adjustments,
    options: &SnapshotOptions,
) -> Result<Option<(Transfer, Vec<u32>)>, SnapshotError> {
    if !options.linear_luminance || options.components != Components::Rgbl {
        return Ok(None);
    }
    let counted = engine.count_linear(frame, adjustments, region).map_err(|error| match error {
        EngineError::Region(reason) | EngineError::Adjust(reason) => SnapshotError::Media(
            MediaFault::Failed { action: "counting the luminance of linear light", reason: reason.to_string() }
                .of(options.input.clone()),
        ),
        other => engine_error(other, options),
    })?;
    Ok(Some(counted))
}

/// Counts the scopes of a frame after `adjustments`, if requested, with the engine used for the other counts.
fn scopes_of(
    engine: &Engine,
    (frame, region): (&Frame, Option<Rect>),
    adjustments: &Adjustments,
    options: &SnapshotOptions,
) -> Result<ScopeFigures, SnapshotError> {
    if !options.scopes.any() {
        return Ok(ScopeFigures::default());
    }
    let diagram = options.drawing.split.unwrap_or_default().diagram;
    let counter = Counter::new(engine, &[options.components], *adjustments);
    let mut counter = counter.with_scopes(ScopeTally::Each(options.scopes), diagram);
    let (picture, source) = (&frame.picture, SourceLight::of(&frame.source));
    let submission = Submission { picture, region, source, light: None, active: None };
    counter.submit(submission).map_err(|error| engine_error(error, options))?;
    let Counts { scopes, diagram, .. } = counter.take()?.ok_or_else(|| no_frame(options))?;
    Ok(ScopeFigures::of(&scopes, options.scopes, diagram))
}

/// Returns the appearance of the histograms.
fn style(options: &SnapshotOptions) -> OverlayStyle {
    let SnapshotOptions { bin_count: bins, linear_luminance, .. } = *options;
    OverlayStyle { bins, linear_luminance, overlaps: options.drawing.overlaps, ..OverlayStyle::default() }
}

/// Opens the adapter, or returns `None` if only figures are requested and the CPU counts.
fn adapter(options: &SnapshotOptions) -> Result<Option<Arc<Gpu>>, SnapshotError> {
    if options.output.is_none() && options.engine == EngineChoice::Cpu {
        return Ok(None);
    }
    let is_wanted = options.output.is_some() || options.engine == EngineChoice::Gpu || options.adapter.name.is_some();
    match Gpu::shared(&options.adapter) {
        Ok(gpu) => Ok(Some(gpu)),
        Err(GpuError::NoAdapter) if options.output.is_none() => Err(SnapshotError::NoAdapterToCount),
        Err(error @ GpuError::Device { .. }) if !is_wanted => {
            log::warn!("the CPU counts: {error}");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the rectangle to count, or `None` for the whole picture.
fn region_of(options: &SnapshotOptions, frame: &Frame) -> Result<Option<Rect>, SnapshotError> {
    let Some(region) = options.region else { return Ok(None) };
    let (width, height) = (frame.picture.width(), frame.picture.height());
    let input = options.input.clone();
    let outside = || SnapshotError::OutsidePicture { input, region: region.to_string(), width, height };
    region.in_picture(width, height).map(|rect| rect.proper(width, height)).ok_or_else(outside)
}

/// The counts of a frame.
struct SnapshotCounts {
    histogram: Histogram,
    thresholds: Option<[u32; 4]>,
    /// The name of the engine that counted.
    engine: &'static str,
}

/// Counts a frame. A single frame has no predecessor, so there is no temporal smoothing.
fn count(
    engine: &Engine,
    (frame, region): (&Frame, Option<Rect>),
    adjustments: Adjustments,
    options: &SnapshotOptions,
) -> Result<SnapshotCounts, SnapshotError> {
    let mut counter = Counter::new(engine, &[options.components], adjustments);
    counter.submit_picture(&frame.picture, region).map_err(|error| engine_error(error, options))?;
    let counts = counter.take()?.ok_or_else(|| no_frame(options))?;
    let Counts { mut histograms, thresholds, engine, .. } = counts;
    Ok(SnapshotCounts { histogram: histograms.pop().ok_or_else(|| no_frame(options))?, thresholds, engine })
}

fn engine_error(error: EngineError, options: &SnapshotOptions) -> SnapshotError {
    match error {
        EngineError::Gpu(error) => SnapshotError::Gpu(error),
        EngineError::Region(error) | EngineError::Adjust(error) => SnapshotError::Media(
            MediaFault::Failed { action: "adjusting the picture", reason: error.to_string() }.of(options.input.clone()),
        ),
        EngineError::Uncounted => no_frame(options),
    }
}

/// Draws the view and writes the picture. Returns the counts shown in the overlays if they describe the unadjusted
/// frame.
fn draw(
    gpu: &Arc<Gpu>,
    engine: &Engine,
    (frame, region): (&Frame, Option<Rect>),
    options: &SnapshotOptions,
    output: &Path,
) -> Result<Option<SnapshotCounts>, SnapshotError> {
    let mut renderer = Renderer::headless(gpu, engine.backend());
    let read = match options.adjustments.is_off() {
        true => Frame { picture: options.components.in_picture(&frame.picture).clone(), ..frame.clone() },
        false => frame.clone(),
    };
    renderer.load_frame(gpu, &read, region, options.components)?;
    let size = options.drawing.size.unwrap_or_else(|| own_size(gpu, frame, options));
    let scene = Scene::from(Look {
        channels: options.drawing.channels,
        overlays: options.drawing.overlays,
        adjustments: options.adjustments,
        counted: options.counted,
        exposure: options.drawing.exposure.apply_to(Exposure::default()),
        guides: options.drawing.guides,
        tone_mapping: options.drawing.tone_mapping,
        stops: options.drawing.stops,
        histograms: style(options),
        scopes: options.drawing.split.unwrap_or_default(),
        ..Look::default()
    });
    let input = file_name(&options.input);
    let subject = LabelSubject {
        input: &input,
        frame,
        components: options.components,
        region: region.and_then(|rect| rect.proper(frame.picture.width(), frame.picture.height())),
        scene: &scene,
        held: None,
        other: None,
        other_shape: None,
    };
    let drawn = match (options.drawing.labels, options.drawing.split) {
        (true, _) => labels::snapshot,
        (false, Some(_)) => labels::snapshot_with_scopes,
        (false, None) => labels::snapshot_bare,
    };
    let image = drawn(&mut renderer, gpu, size, &subject)?;
    file::write_png(output, &image)?;
    if !options.adjustments.is_off() {
        return Ok(None);
    }
    Ok(Some(SnapshotCounts { histogram: renderer.count(gpu)?, thresholds: None, engine: engine.name() }))
}

fn no_frame(options: &SnapshotOptions) -> SnapshotError {
    SnapshotError::NoFrame { input: options.input.clone(), at: options.at }
}

fn frame_at(options: &SnapshotOptions) -> Result<Frame, SnapshotError> {
    let mut decoder = Decoder::open(&options.input, &options.open)?;
    let info = decoder.info();
    let (path, timecodes) = (info.path.clone(), info.timecodes);
    let no_such = |timecode| match timecodes {
        Some(Timecodes { first, .. }) => MediaFault::NoSuchTimecode { timecode, first }.of(path.clone()),
        None => MediaFault::NoTimecodes.of(path.clone()),
    };
    let number = match options.at {
        Point::Time(_) => None,
        Point::Frame(number) => Some(number),
        Point::Timecode(timecode) => match u64::try_from(decoder.find_timecode(timecode)?) {
            Ok(number) => Some(number),
            Err(_) => return Err(no_such(timecode).into()),
        },
    };
    match (options.at, number) {
        (Point::Time(secs), _) if secs > 0.0 => decoder.seek(Seek::to(secs))?,
        (_, Some(number)) if number > 0 => decoder.seek(Seek::Exact(SeekTarget::Number(number)))?,
        _ => {}
    }
    let frame = decoder.next_frame()?.ok_or_else(|| no_frame(options))?;
    let is_later = match (options.at, number) {
        (Point::Time(secs), _) => secs > frame.time_secs + frame.duration_secs + 1e-3,
        (_, number) => number > frame.index,
    };
    if let Some(gap) = decoder.gap().filter(|_| is_later) {
        return Err(SnapshotError::Gap { input: options.input.clone(), gap });
    }
    let frame_end = frame.time_secs + frame.duration_secs;
    let ends_early = |decoder: &mut Decoder| {
        // The counters are those of the end only once it has been reached.
        let is_end = is_later && decoder.next_frame().is_ok_and(|next| next.is_none());
        is_end.then(|| decoder.ending().missing(decoder.info(), (None, frame_end), &decoder.counters())).flatten()
    };
    if let Some(reason) = ends_early(&mut decoder) {
        let (input, last_secs) = (options.input.clone(), frame.time_secs);
        return Err(SnapshotError::EndsEarly { input, at: options.at, reason, last_secs });
    }
    match (options.at, frame.index) {
        // Users type times with as few digits as they are shown.
        (Point::Time(secs), _)
            if secs > frame.time_secs + frame.duration_secs + 1e-3
                && decoder.next_frame().is_ok_and(|next| next.is_none()) =>
        {
            let file = options.input.display();
            log::warn!("{file}: the video ends before {secs} s; this is its last frame, at {:.3} s", frame.time_secs);
        }
        (Point::Frame(number), Some(last)) if last != number => {
            return Err(SnapshotError::NoSuchFrame { input: options.input.clone(), number, last });
        }
        (Point::Timecode(timecode), Some(last)) if Some(last) != number => return Err(no_such(timecode).into()),
        _ => {}
    }
    Ok(frame)
}

/// Returns the video's display size with square pixels, upright, shrunk if the adapter cannot draw it at full size.
fn own_size(gpu: &Gpu, frame: &Frame, options: &SnapshotOptions) -> (u32, u32) {
    let size = upright_size(frame.picture.width(), frame.picture.height(), frame.sample_aspect, frame.orientation);
    let most = gpu.most_view_side();
    let shrink = (f64::from(most) / size.max_element()).min(1.0);
    let drawn = (size * shrink).round().max(glam::DVec2::ONE);
    if shrink < 1.0 {
        log::warn!(
            "{}: the picture is drawn at {}×{} instead of {}×{}, the largest size that {} can draw; all pixels are counted",
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

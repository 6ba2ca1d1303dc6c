//! Decoding, counting and handing out, frame after frame and in order.
//!
//! Decoding has a thread of its own, and FFmpeg's frame threads behind it; counting happens on the caller's thread, with
//! help of rayon's or of the GPU; what the caller does with a frame should not take long, or be done on a third thread.
//! No more than a few frames wait between any two of them.

use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::Arc;

use super::counter::{Counter, Counting, Counts};
use super::ending::{AnalyzeError, Ending, Stop};
use super::frames::{self, End, Frames, Next, NumberedFrames, Positioned};
use super::jobs;
use super::selection::{self, Bars, Point, RegionSpec, Selection};
use super::signal;
use crate::adjust::Adjustments;
use crate::engine::{Engine, EngineChoice, EngineError};
use crate::gpu::AdapterChoice;
use crate::media::{Decoder, FrameCounters, MediaError, OpenOptions, StreamInfo};
use crate::picture::color::Colorimetry;
use crate::picture::region::Rect;
use crate::picture::{Frame, Picture, Ratio, SourceFormat};

/// What is to be analysed, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// The video.
    pub input: PathBuf,
    /// How to read it.
    pub open: OpenOptions,
    /// Which frames and which part of them.
    pub selection: Selection,
    /// What is done to every picture before it is counted. Each is adjusted by itself, whatever came before it.
    pub adjustments: Adjustments,
    /// What is counted.
    pub counting: Counting,
    /// The engine.
    pub engine: EngineChoice,
    /// The adapter.
    pub adapter: AdapterChoice,
    /// Frames with lower numbers are left out, because an earlier run has counted them.
    pub resume_at: u64,
    /// Decoders that share the file.
    pub jobs: usize,
    /// Whether every count is compared with the reference's.
    pub verify: bool,
    /// For tests: the frame whose count is spoiled, so that `verify` must find it.
    pub spoil: Option<u64>,
    /// Ends the run.
    pub stop: Stop,
}

/// What is known of a frame besides its counts.
#[derive(Debug, Clone)]
pub struct FrameFacts {
    /// Its number in the whole file, from 0, in presentation order.
    pub number: u64,
    /// Presentation timestamp in ticks of `time_base`.
    pub pts_ticks: i64,
    /// Seconds per tick.
    pub time_base: Ratio,
    /// Seconds from the first frame of the video.
    pub time_secs: f64,
    /// How long it is shown, in seconds.
    pub duration_secs: f64,
    /// Whether decoding can start here.
    pub key: bool,
    /// The letter of its coding type.
    pub picture_type: Option<char>,
    /// Whether the decoder reported damage.
    pub damaged: bool,
    /// Width and height of the whole picture in pixels.
    pub size: (u32, u32),
    /// Width of a pixel over its height.
    pub sample_aspect: Ratio,
    /// Bits a sample.
    pub depth: u8,
    /// How the samples were read as colour.
    pub colorimetry: Colorimetry,
    /// What the pixels were before.
    pub source: Arc<SourceFormat>,
    /// The part that was counted, where it is not the whole picture.
    pub region: Option<Rect>,
}

/// A frame with its counts.
#[derive(Debug, Clone)]
pub struct Counted {
    /// The frame.
    pub facts: FrameFacts,
    /// Its counts.
    pub counts: Counts,
}

/// How a run ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Numbers of the frames that were looked at, whether counted or not.
    pub frames: Range<u64>,
    /// Frames that were counted.
    pub counted: u64,
    /// Seconds from the first frame of the video to the end of the last frame that was looked at.
    pub end_secs: f64,
    /// Whether the end of the file was seen.
    pub reached_end: bool,
    /// Whether the run was asked to stop.
    pub stopped: bool,
    /// Why the file ended before its headers say, if it did.
    pub ended_early: Option<String>,
    /// What the decoder counted; with several decoders, their sum.
    pub decoder: FrameCounters,
    /// Who counted, for people: "the CPU", or the adapter's name.
    pub counted_by: String,
}

/// A file that is ready to be counted.
pub struct Pipeline {
    request: Request,
    info: StreamInfo,
    ending: Ending,
    cropping: Cropping,
    bars: Option<Bars>,
    positioned: Positioned,
    end: Option<End>,
    decoder: Decoder,
    engine: Engine,
}

/// Which part of a picture is counted.
#[derive(Debug, Clone)]
pub(super) struct Cropping {
    input: PathBuf,
    region: Option<RegionSpec>,
    /// What the bars leave, in pictures of that size.
    bars: Option<((u32, u32), Rect)>,
}

impl Cropping {
    /// The part of that frame; `None` for all of it.
    fn of(&self, number: u64, picture: &Picture) -> Result<Option<Rect>, AnalyzeError> {
        let (width, height) = (picture.width(), picture.height());
        let rect = match (self.region, self.bars) {
            (Some(region), _) => region.in_picture(width, height).ok_or_else(|| AnalyzeError::OutsidePicture {
                input: self.input.clone(),
                region: region.to_string(),
                frame: number,
                width,
                height,
            })?,
            (None, Some((size, rect))) if size == (width, height) => rect,
            _ => return Ok(None),
        };
        Ok((rect != Rect::whole(width, height)).then_some(rect))
    }
}

impl Pipeline {
    /// Opens the file and finds the place to begin at.
    ///
    /// # Errors
    /// [`AnalyzeError`] if the file cannot be read, or the selection cannot be made in it.
    pub fn open(request: Request) -> Result<Self, AnalyzeError> {
        // Drivers take their time to load; the file is opened meanwhile.
        let engine = Engine::start(request.engine, &request.adapter);
        let mut open = OpenOptions { spare_thread: true, ..request.open.clone() };
        if request.jobs > 1 {
            open.threads = Some(jobs::threads_per_job(request.jobs));
        }
        let mut decoder = Decoder::open(&request.input, &open)?;
        let info = decoder.info().clone();
        let selection = &request.selection;
        let end = selection.to.map(|to| End::of(&info, to));
        check_order(&request, &info)?;
        let bars = if selection.crop_bars { Some(selection::find_bars(&mut decoder, &request.stop)?) } else { None };
        let cropping = Cropping {
            input: request.input.clone(),
            region: selection.region,
            bars: bars.as_ref().map(|bars| (bars.size, bars.picture)),
        };
        let ending = Ending::of(&decoder);
        let positioned =
            frames::position(&mut decoder, (selection.from, request.resume_at), request.jobs > 1, &request.stop)?;
        check_mixed_order(&request, &info, &positioned)?;
        Ok(Self { request, info, ending, cropping, bars, positioned, end, decoder, engine })
    }

    /// What is known about the video.
    #[must_use]
    pub const fn info(&self) -> &StreamInfo {
        &self.info
    }

    /// What is done to the pictures.
    #[must_use]
    pub const fn adjustments(&self) -> &Adjustments {
        &self.request.adjustments
    }

    /// The bars that were found, where they were looked for.
    #[must_use]
    pub const fn bars(&self) -> Option<&Bars> {
        self.bars.as_ref()
    }

    /// The number of the selection's first frame, where it is known before decoding.
    #[must_use]
    pub const fn first_number(&self) -> Option<u64> {
        self.positioned.first
    }

    /// Seconds of video from the first to the last frame of the selection, as far as is known, for telling progress.
    #[must_use]
    pub fn span_secs(&self) -> Range<f64> {
        let secs = |point: Point| match point {
            Point::Time(secs) => secs,
            Point::Frame(number) => {
                let known = self.positioned.index.as_ref().and_then(|index| {
                    let ticks = index.pts.get(usize::try_from(number).ok()?)?;
                    Some(self.info.time_base.times(ticks - self.info.start_ticks))
                });
                known.unwrap_or_else(|| number as f64 / self.info.average_rate.map_or(25.0, Ratio::value))
            }
        };
        let length = self.ending.stated_secs.or(self.info.duration_secs).unwrap_or(f64::INFINITY);
        let selection = &self.request.selection;
        selection.from.map_or(0.0, secs).min(length)..selection.to.map_or(length, secs).min(length)
    }

    /// Counts all frames of the selection and hands each of them to `sink`, in order, until that breaks off.
    ///
    /// Damage is no error and the file's early end is none either; both are in the [`Outcome`].
    ///
    /// # Errors
    /// [`AnalyzeError`] if counting fails, or a picture cannot be counted as asked; frames before it were handed out.
    pub fn run(self, sink: &mut dyn FnMut(Counted) -> ControlFlow<()>) -> Result<Outcome, AnalyzeError> {
        let Self { request, info, ending, cropping, positioned, end, decoder, mut engine, .. } = self;
        engine.wait_if_wanted()?;
        let context = Context { request: &request, info: &info, cropping: &cropping, engine: &engine };
        let mut outcome = match positioned {
            // Where the place to go on at was not found, frames that were counted before have to be passed over.
            Positioned { index: Some(index), first: Some(first), number, .. }
                if request.jobs > 1 && number >= request.resume_at =>
            {
                drop(decoder);
                jobs::run(&context, (first, number), end, &index, sink)?
            }
            positioned => {
                let frames = Frames::start(decoder, positioned, request.resume_at, &request.stop)?;
                count_all(&context, frames, end, sink)?
            }
        };
        outcome.counted_by = engine.description();
        if outcome.reached_end && outcome.ended_early.is_none() {
            outcome.ended_early = ending.missing(&info, (outcome.frames.end, outcome.end_secs), &outcome.decoder);
        }
        Ok(outcome)
    }
}

/// What the counting of a file's frames goes by.
pub(super) struct Context<'a> {
    pub(super) request: &'a Request,
    pub(super) info: &'a StreamInfo,
    pub(super) cropping: &'a Cropping,
    pub(super) engine: &'a Engine,
}

/// Counts frames until the end of the span.
pub(super) fn count_all(
    context: &Context<'_>,
    mut frames: impl NumberedFrames,
    end: Option<End>,
    sink: &mut dyn FnMut(Counted) -> ControlFlow<()>,
) -> Result<Outcome, AnalyzeError> {
    let mut outcome = Outcome::default();
    let mut work = Work::new(context);
    let mut last = None;
    loop {
        let (number, frame) = match frames.next(context.info) {
            Next::Frame(number, frame) => (number, frame),
            Next::End => {
                outcome.reached_end = true;
                outcome.end_secs = frames.end_secs();
                break;
            }
            Next::Failed(error) => {
                outcome.ended_early = Some(error.to_string());
                break;
            }
            Next::Stopped => {
                outcome.stopped = true;
                break;
            }
        };
        if end.is_some_and(|end| end.is_reached(number, frame.pts_ticks)) {
            break;
        }
        last = Some(number);
        outcome.end_secs = frame.time_secs + frame.duration_secs;
        if !context.request.selection.takes(number, frame.key) {
            continue;
        }
        outcome.counted += 1;
        let added = work.add(number, *frame);
        if added.is_err() {
            // What was counted before is not lost.
            let _ = work.finish(sink)?;
            added?;
        }
        if work.hand_out_if_full(sink)?.is_break() {
            return Ok(outcome);
        }
    }
    // Without a frame, the span begins and ends where the next one would have come, or where it had come before.
    let first = frames.first();
    outcome.frames = first..last.map_or(first.max(context.request.resume_at), |last| last + 1);
    outcome.decoder = frames.counters();
    let _ = work.finish(sink)?;
    Ok(outcome)
}

/// The frames that are being counted.
struct Work<'a> {
    context: &'a Context<'a>,
    counter: Counter,
    waiting: VecDeque<FrameFacts>,
}

impl<'a> Work<'a> {
    fn new(context: &'a Context<'a>) -> Self {
        let Request { counting, ref adjustments, verify, .. } = *context.request;
        let counter = Counter::new(context.engine, counting, adjustments, verify);
        Self { context, counter, waiting: VecDeque::new() }
    }

    /// Submits a frame.
    fn add(&mut self, number: u64, frame: Frame) -> Result<(), AnalyzeError> {
        let request = self.context.request;
        check_countable(request, &frame)?;
        let picture = &frame.picture;
        let region = self.context.cropping.of(number, picture)?;
        self.counter.submit(picture, region).map_err(|error| {
            let failed = |action, reason: String| MediaError::Failed { path: request.input.clone(), action, reason };
            match error {
                EngineError::Gpu(error) => AnalyzeError::Gpu(error),
                EngineError::Region(error) => failed("cutting out the region", error.to_string()).into(),
                EngineError::Adjust(error) => failed("adjusting the picture", error.to_string()).into(),
            }
        })?;
        self.waiting.push_back(FrameFacts {
            number,
            pts_ticks: frame.pts_ticks,
            time_base: frame.time_base,
            time_secs: frame.time_secs,
            duration_secs: frame.duration_secs,
            key: frame.key,
            picture_type: frame.picture_type,
            damaged: frame.damaged,
            size: (picture.width(), picture.height()),
            sample_aspect: frame.sample_aspect,
            depth: picture.layout().depth,
            colorimetry: *picture.colorimetry(),
            source: frame.source,
            region,
        });
        Ok(())
    }

    fn hand_out_if_full(
        &mut self,
        sink: &mut dyn FnMut(Counted) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, AnalyzeError> {
        while self.counter.is_full() {
            if self.hand_out(sink)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn finish(&mut self, sink: &mut dyn FnMut(Counted) -> ControlFlow<()>) -> Result<ControlFlow<()>, AnalyzeError> {
        while !self.waiting.is_empty() {
            if self.hand_out(sink)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Waits for the oldest frame's counts.
    fn hand_out(&mut self, sink: &mut dyn FnMut(Counted) -> ControlFlow<()>) -> Result<ControlFlow<()>, AnalyzeError> {
        let Some(facts) = self.waiting.pop_front() else { return Ok(ControlFlow::Continue(())) };
        let spoil = self.context.request.spoil == Some(facts.number);
        match self.counter.take(facts.number, spoil)? {
            Some(counts) => Ok(sink(Counted { facts, counts })),
            None => Ok(ControlFlow::Continue(())),
        }
    }
}

/// Checks that what is to be counted is there.
fn check_countable(request: &Request, frame: &Frame) -> Result<(), AnalyzeError> {
    let Counting { coded, signal, .. } = request.counting;
    if coded && !frame.picture.has_coded_components() {
        return Err(AnalyzeError::NotCoded(request.input.clone()));
    }
    if signal && !signal::is_native(&frame.picture, &frame.source) {
        let format = frame.source.pixel_format.clone();
        return Err(AnalyzeError::NoSignal { input: request.input.clone(), format });
    }
    Ok(())
}

fn check_order(request: &Request, info: &StreamInfo) -> Result<(), AnalyzeError> {
    let (Some(from), Some(to)) = (request.selection.from, request.selection.to) else { return Ok(()) };
    let backward = match (End::of(info, from), End::of(info, to)) {
        (End::Ticks(from), End::Ticks(to)) => from >= to,
        (End::Number(from), End::Number(to)) => from >= to,
        // Frames will show.
        _ => false,
    };
    if backward {
        let (from, to) = (from.to_string(), to.to_string());
        return Err(AnalyzeError::Backward { input: request.input.clone(), from, to });
    }
    Ok(())
}

/// The same for a time and a frame's number, where the file's packets tell which frame the time means.
fn check_mixed_order(request: &Request, info: &StreamInfo, positioned: &Positioned) -> Result<(), AnalyzeError> {
    let (Some(from), Some(to)) = (request.selection.from, request.selection.to) else { return Ok(()) };
    let (Some(first), Some(index)) = (positioned.first, &positioned.index) else { return Ok(()) };
    let end = match End::of(info, to) {
        End::Ticks(ticks) => index.frames_before(ticks),
        End::Number(number) => number,
    };
    if end < first && end < index.pts.len() as u64 {
        let (from, to) = (from.to_string(), to.to_string());
        return Err(AnalyzeError::Backward { input: request.input.clone(), from, to });
    }
    Ok(())
}

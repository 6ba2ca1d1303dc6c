//! The counting of frames in order: the request, the counted frames, and the outcome of a run.

use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;

use super::comparison::ComparisonTally;
use super::comparison::{Against, Comparison};
use super::counter::{FrameCounts, RunComponents, RunCounter};
use super::error::{AnalyzeError, Stop};
use super::frames::{Bound, Next, NumberedFrames};
use super::selection::Selection;
use super::signal::{SampleReading, SignalUse};
use super::thumbnails::{Picker, ThumbnailUse};
use crate::analyze::thumbnails::PendingJpeg;
use crate::fields::FrameDescription;
use crate::region::RegionSpec;
use histoscope_core::adjust::Adjustments;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Picture};
use histoscope_core::scopes::ScopeSums;
use histoscope_media::{FrameCounters, MediaError, OpenOptions, StreamInfo};
use histoscope_render::engine::{Engine, EngineChoice, EngineError};
use histoscope_render::gpu::AdapterChoice;

/// Everything that is asked of a run.
#[derive(Debug, Clone)]
pub struct Request {
    /// The video.
    pub input: PathBuf,
    /// Options for reading it.
    pub open: OpenOptions,
    /// The frames, and the part of their pictures.
    pub selection: Selection,
    /// Adjustments of every picture before it is counted. Each picture is adjusted by itself, whatever came before it.
    pub adjustments: Adjustments,
    /// The counts.
    pub counting: RunComponents,
    /// The engine.
    pub engine: EngineChoice,
    /// The adapter.
    pub adapter: AdapterChoice,
    /// Frames with lower numbers are skipped, because an earlier run has counted them.
    pub resume_at: u64,
    /// Decoders that share the file.
    pub jobs: usize,
    /// The frames of which a thumbnail is wanted.
    pub thumbnails: Option<ThumbnailUse>,
    /// True to check every count against the reference.
    pub verify: bool,
    /// The frame whose count is spoiled, which `verify` must notice.
    pub spoil: Option<u64>,
    /// The file that each frame is compared with.
    pub against: Option<Against>,
    /// Ends the run.
    pub stop: Stop,
}

impl Request {
    /// Returns `true` if the count of this frame is to be spoiled, which only a test can ask for.
    fn spoils(&self, frame: u64) -> bool {
        self.spoil == Some(frame)
    }
}

/// A frame with its counts.
#[derive(Debug, Clone)]
pub struct CountedFrame {
    /// Its number in the whole file, from 0, in presentation order.
    pub number: u64,
    /// The frame.
    pub frame: FrameDescription,
    /// Its counts.
    pub counts: FrameCounts,
    /// The difference from its partner, if it is compared.
    pub comparison: Option<Comparison>,
    /// The frame as a small picture, if it is one of those that are wanted.
    pub thumbnail: Option<PendingJpeg>,
}

/// The outcome of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOutcome {
    /// Numbers of the frames that were examined, whether counted or not.
    pub frames: Range<u64>,
    /// Frames that were counted.
    pub counted: u64,
    /// Seconds from the first frame of the video to the end of the last frame that was examined.
    pub end_secs: f64,
    /// True if the end of the file was reached.
    pub reached_end: bool,
    /// True if the run was asked to stop.
    pub stopped: bool,
    /// The reason why the file ended early, if it did.
    pub ended_early: Option<String>,
    /// The decoder's counters; with several decoders, their sum.
    pub decoder: FrameCounters,
    /// A description of the engine: "the CPU", or the adapter's name.
    pub counted_by: String,
    /// The sums of the scopes of the counted frames, if wanted.
    pub scopes: ScopeSums,
    /// The totals of the comparisons, if frames are compared.
    pub comparison: Option<ComparisonTally>,
}

/// The part of a picture that is counted.
#[derive(Debug, Clone)]
pub(super) struct Cropping {
    pub(super) input: PathBuf,
    pub(super) region: Option<RegionSpec>,
    /// The rectangle between the black bars, for pictures of that size.
    pub(super) bars: Option<((u32, u32), Rect)>,
}

impl Cropping {
    /// Returns the part of that frame; `None` for all of it.
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

/// The shared facts that counting a file's frames needs.
pub(super) struct Context<'a> {
    pub(super) request: &'a Request,
    pub(super) info: &'a StreamInfo,
    pub(super) cropping: &'a Cropping,
    pub(super) engine: &'a Engine,
}

/// The frames of a run that are to be counted, one after the other, and the outcome so far.
pub(super) struct TakenFrames<'a, F> {
    context: &'a Context<'a>,
    frames: F,
    end: Option<Bound>,
    last: Option<u64>,
    outcome: RunOutcome,
}

impl<'a, F: NumberedFrames> TakenFrames<'a, F> {
    pub(super) fn new(context: &'a Context<'a>, frames: F, end: Option<Bound>) -> Self {
        Self { context, frames, end, last: None, outcome: RunOutcome::default() }
    }

    /// Returns the next one; `None` at the end of the span or of the file, or if the run was asked to stop.
    pub(super) fn next(&mut self) -> Option<(u64, Frame)> {
        loop {
            let (number, frame) = match self.frames.next() {
                Next::Frame(number, frame) => (number, frame),
                Next::End => {
                    self.outcome.reached_end = true;
                    self.outcome.end_secs = self.frames.end_secs();
                    return None;
                }
                Next::Failed(error) => {
                    self.outcome.ended_early = Some(error.to_string());
                    return None;
                }
                Next::Stopped => {
                    self.outcome.stopped = true;
                    return None;
                }
            };
            if self.end.is_some_and(|end| end.is_reached(number, frame.pts_ticks)) {
                return None;
            }
            self.last = Some(number);
            self.outcome.end_secs = frame.time_secs + frame.duration_secs;
            if self.context.request.selection.takes(number, frame.key) {
                self.outcome.counted += 1;
                return Some((number, *frame));
            }
        }
    }

    /// Returns the outcome so far, for a caller that wants no more frames.
    pub(super) fn broken_off(self) -> RunOutcome {
        self.outcome
    }

    /// Returns the outcome, including the number of the first frame of the span.
    pub(super) fn ended(self) -> RunOutcome {
        // Without a frame, the span begins and ends where the next one would have come, or had come before.
        let first = self.frames.first();
        let end = self.last.map_or(first.max(self.context.request.resume_at), |last| last + 1);
        RunOutcome { frames: first..end, decoder: self.frames.counters(), ..self.outcome }
    }
}

/// Counts frames until the end of the span.
pub(super) fn count_all(
    context: &Context<'_>,
    frames: impl NumberedFrames,
    end: Option<Bound>,
    sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
) -> Result<RunOutcome, AnalyzeError> {
    let mut taken = TakenFrames::new(context, frames, end);
    let mut work = CountingWork::new(context);
    while let Some((number, frame)) = taken.next() {
        let added = work.add(number, frame);
        if added.is_err() {
            // The frames counted so far are not lost.
            let _ = work.finish(sink)?;
            added?;
        }
        if work.hand_out_if_full(sink)?.is_break() {
            return Ok(RunOutcome { scopes: work.counter.take_sums()?, ..taken.broken_off() });
        }
    }
    let _ = work.finish(sink)?;
    Ok(RunOutcome { scopes: work.counter.take_sums()?, ..taken.ended() })
}

/// The frames that are being counted.
pub(super) struct CountingWork<'a> {
    context: &'a Context<'a>,
    counter: RunCounter,
    picker: Option<Picker>,
    waiting: VecDeque<Waiting>,
}

/// A submitted frame.
struct Waiting {
    number: u64,
    frame: FrameDescription,
    /// The frame with its picture, if a thumbnail of it may be wanted.
    picture: Option<Frame>,
}

impl<'a> CountingWork<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        let Request { counting, ref adjustments, verify, .. } = *context.request;
        let counter = RunCounter::new(context.engine, counting, adjustments, verify);
        let picker = context.request.thumbnails.map(Picker::new);
        Self { context, counter, picker, waiting: VecDeque::new() }
    }

    /// Returns the part of that picture that is counted; `None` for all of it.
    pub(super) fn region(&self, number: u64, picture: &Picture) -> Result<Option<Rect>, AnalyzeError> {
        self.context.cropping.of(number, picture)
    }

    /// Submits a frame.
    pub(super) fn add(&mut self, number: u64, frame: Frame) -> Result<(), AnalyzeError> {
        let request = self.context.request;
        let reading = check_countable(request, &frame)?;
        let picture = &frame.picture;
        let region = self.region(number, picture)?;
        self.counter.submit(picture, region, reading).map_err(|error| {
            let failed = |action, reason: String| MediaError::Failed { path: request.input.clone(), action, reason };
            match error {
                EngineError::Gpu(error) => AnalyzeError::Gpu(error),
                EngineError::Region(error) => failed("cutting out the region", error.to_string()).into(),
                EngineError::Adjust(error) => failed("adjusting the picture", error.to_string()).into(),
                EngineError::Uncounted => failed("counting the picture", error.to_string()).into(),
            }
        })?;
        let mut described = FrameDescription::of(&frame, region);
        let timecodes = self.context.info.timecodes;
        described.facts.timecode = timecodes.and_then(|timecodes| timecodes.of(frame.timecode, Some(number)));
        let picture = self.picker.is_some().then_some(frame);
        self.waiting.push_back(Waiting { number, frame: described, picture });
        Ok(())
    }

    /// Returns `true` if a frame must be taken before the next one is submitted.
    pub(super) fn is_full(&self) -> bool {
        self.counter.is_full()
    }

    fn hand_out_if_full(
        &mut self,
        sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, AnalyzeError> {
        while self.is_full() {
            if self.hand_out(sink)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn finish(
        &mut self,
        sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, AnalyzeError> {
        while !self.waiting.is_empty() {
            if self.hand_out(sink)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Waits for the oldest frame's counts; `None` if there is none.
    pub(super) fn take(&mut self) -> Result<Option<CountedFrame>, AnalyzeError> {
        let Some(Waiting { number, frame, picture }) = self.waiting.pop_front() else { return Ok(None) };
        let spoil = self.context.request.spoils(number);
        let Some(counts) = self.counter.take(number, spoil)? else { return Ok(None) };
        let picked = self.picker.as_mut().zip(picture);
        let thumbnail = picked.and_then(|(picker, frame)| picker.picture(number, frame, &counts));
        Ok(Some(CountedFrame { number, frame, counts, comparison: None, thumbnail }))
    }

    /// Hands out the oldest frame.
    fn hand_out(
        &mut self,
        sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, AnalyzeError> {
        Ok(self.take()?.map_or(ControlFlow::Continue(()), sink))
    }
}

/// Checks that the wanted components exist, and returns how signalstats reads the frame, if its figures are wanted.
fn check_countable(request: &Request, frame: &Frame) -> Result<Option<SampleReading>, AnalyzeError> {
    let RunComponents { rgbl, coded, signal, .. } = request.counting;
    if (rgbl || !request.adjustments.is_off())
        && let Some(matrix) = frame.picture.unreadable_matrix()
    {
        return Err(AnalyzeError::NoRgb { input: request.input.clone(), matrix });
    }
    if coded && !frame.picture.has_coded_components() {
        return Err(AnalyzeError::NotCoded(request.input.clone()));
    }
    if signal == SignalUse::None {
        return Ok(None);
    }
    let reading = SampleReading::of(frame.picture.decoded(), &frame.source).map(Some);
    reading.ok_or_else(|| AnalyzeError::NoSignal {
        input: request.input.clone(),
        format: frame.source.pixel_format.clone(),
    })
}

//! Counting frames in order: the request, the counted frames, and the outcome of a run.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::thread;

use super::comparison::ComparisonTally;
use super::comparison::{Against, Comparison};
use super::counter::{FrameCounts, RunComponents, RunCounter};
use super::error::{AnalyzeError, Stop};
use super::frames::{Bound, Next, NumberedFrames};
use super::inspection::{Active, Inspected, Inspection, Outline, PendingShare, active_part, outside_r103};
use super::planes::{Planes, SampleReading};
use super::selection::Selection;
use super::signal::SignalUse;
use super::thumbnails::{Picker, ThumbnailUse};
use crate::analyze::thumbnails::PendingJpeg;
use crate::fields::FrameDescription;
use crate::region::RegionSpec;
use histoscope_core::adjust::Adjustments;
use histoscope_core::flash::FlashMeter;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Picture};
use histoscope_core::scopes::ScopeSums;
use histoscope_core::sound::{SoundFigures, SoundSummary};
use histoscope_core::strip::{Differences, RENEWAL};
use histoscope_core::tone_map::SourceLight;
use histoscope_media::{Decoder, FrameCounters, MediaError, MediaFault, OpenOptions, StreamInfo};
use histoscope_render::engine::{Engine, EngineChoice, EngineError, Submission};
use histoscope_render::gpu::AdapterChoice;

/// The number of decoders that share a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jobs {
    /// As many as the decoding hardware has engines. In software, one decoder for every 16 processors, as one uses no
    /// more.
    Auto,
    /// This many.
    Exactly(NonZeroUsize),
}

impl Jobs {
    /// A single decoder.
    pub const ONE: Self = Self::Exactly(NonZeroUsize::MIN);

    /// Returns the number for the file of this decoder.
    pub(super) fn number(self, decoder: &Decoder) -> usize {
        match self {
            Self::Exactly(number) => number.get(),
            Self::Auto if decoder.info().live => 1,
            Self::Auto => decoder.hardware_engines().unwrap_or_else(|| {
                thread::available_parallelism().map_or(1, |processors| processors.get() / PROCESSORS_EACH).max(1)
            }),
        }
    }
}

/// Maximum number of processors that a decoder in software uses.
const PROCESSORS_EACH: usize = 16;

/// Whether a run measures the sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AudioUse {
    /// It does not.
    #[default]
    No,
    /// As far as the sound can be read. The [`RunOutcome`] says why it cannot.
    IfPossible,
    /// It does; sound that cannot be read ends the run.
    Required,
}

/// The complete parameters of a run.
#[derive(Debug, Clone)]
pub struct Request {
    /// The video.
    pub input: PathBuf,
    /// Options for reading the video.
    pub open: OpenOptions,
    /// The frames to count, and the region of their pictures.
    pub selection: Selection,
    /// Adjustments to apply to every picture before counting. Each picture is adjusted independently of earlier ones.
    pub adjustments: Adjustments,
    /// The counts to make.
    pub counting: RunComponents,
    /// The engine to count with.
    pub engine: EngineChoice,
    /// The adapter to use.
    pub adapter: AdapterChoice,
    /// The number of the first frame to count. An earlier run has counted the frames before it.
    pub resume_at: u64,
    /// Number of decoders that share the file.
    pub jobs: Jobs,
    /// The frames to make thumbnails of, if any.
    pub thumbnails: Option<ThumbnailUse>,
    /// The properties of pictures to find besides their counts.
    pub inspection: Inspection,
    /// `true` to check every count against the reference.
    pub verify: bool,
    /// The frame whose count is deliberately falsified, which `verify` must detect.
    pub spoil: Option<u64>,
    /// The file to compare each frame with.
    pub against: Option<Against>,
    /// Whether the sound is measured.
    pub audio: AudioUse,
    /// The number of the sound track, from 1, instead of the default one.
    pub audio_track: Option<u32>,
    /// Flag that ends the run.
    pub stop: Stop,
}

impl Request {
    /// Creates the request to count red, green, blue and luminance of all frames of a video, with one decoder.
    #[must_use]
    pub fn new(
        input: PathBuf,
        open: OpenOptions,
        (engine, adapter): (EngineChoice, AdapterChoice),
        stop: Stop,
    ) -> Self {
        Self {
            input,
            open,
            selection: Selection::default(),
            adjustments: Adjustments::default(),
            counting: RunComponents { rgbl: true, ..RunComponents::default() },
            engine,
            adapter,
            resume_at: 0,
            jobs: Jobs::ONE,
            thumbnails: None,
            inspection: Inspection::default(),
            verify: false,
            spoil: None,
            against: None,
            audio: AudioUse::No,
            audio_track: None,
            stop,
        }
    }

    /// Returns `true` if this frame's count is to be falsified. Only a test can request that.
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
    /// The difference from its partner, if frames are compared.
    pub comparison: Option<Comparison>,
    /// The figures of its sound, if it has any that is measured.
    pub audio: Option<SoundFigures>,
    /// A thumbnail of the frame, if one may be needed.
    pub thumbnail: Option<PendingJpeg>,
    /// Its other properties.
    pub inspected: Inspected,
    /// The picture of the first frame, which was not compared with the previous one.
    pub(super) first: Option<Joint>,
}

/// The outcome of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOutcome {
    /// Numbers of the examined frames, whether counted or not.
    pub frames: Range<u64>,
    /// Number of counted frames.
    pub counted: u64,
    /// End of the last examined frame, in seconds from the first frame of the video.
    pub end_secs: f64,
    /// `true` if the end of the file was reached.
    pub reached_end: bool,
    /// `true` if the run was asked to stop.
    pub stopped: bool,
    /// The reason the file ended early, if it did.
    pub ended_early: Option<String>,
    /// The frame that hardware decoded differently from software, if there is one.
    pub difference: Option<MediaError>,
    /// The decoder's counters. With several decoders, only those of damage and errors are filled in, summed over the
    /// parts; a packet that two parts need may be refused twice.
    pub decoder: FrameCounters,
    /// The name of whatever counted: "the CPU", or the adapter's name.
    pub counted_by: String,
    /// The scopes summed over the counted frames, if requested.
    pub scopes: ScopeSums,
    /// The totals of the comparison, if frames are compared.
    pub comparison: Option<ComparisonTally>,
    /// The figures of the sound, if it was measured.
    pub audio: Option<SoundSummary>,
    /// Why there are none, or only of a part, if the sound could not be read.
    pub unheard: Option<String>,
}

/// The part of each picture to count.
#[derive(Debug, Clone)]
pub(super) struct Cropping {
    pub(super) input: PathBuf,
    pub(super) region: Option<RegionSpec>,
    /// The rectangle between the black bars, and the size of the pictures that it applies to.
    pub(super) bars: Option<((u32, u32), Rect)>,
}

impl Cropping {
    /// Returns the rectangle to count in this frame, or `None` for the whole picture.
    pub(super) fn of(&self, number: u64, picture: &Picture) -> Result<Option<Rect>, AnalyzeError> {
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

/// The data shared by everything that counts a file's frames.
pub(super) struct Context<'a> {
    pub(super) request: &'a Request,
    pub(super) info: &'a StreamInfo,
    pub(super) cropping: &'a Cropping,
    pub(super) engine: &'a Engine,
}

/// The run's frames to count, one after the other, and the outcome so far.
pub(super) struct SelectedFrames<'a, F> {
    context: &'a Context<'a>,
    frames: F,
    end: Option<Bound>,
    last: Option<u64>,
    outcome: RunOutcome,
}

impl<'a, F: NumberedFrames> SelectedFrames<'a, F> {
    pub(super) fn new(context: &'a Context<'a>, frames: F, end: Option<Bound>) -> Self {
        Self { context, frames, end, last: None, outcome: RunOutcome::default() }
    }

    /// Returns the next frame, or `None` at the end of the span or file, or if the run was asked to stop.
    pub(super) fn next(&mut self) -> Option<(u64, Frame)> {
        loop {
            let (number, frame) = match self.frames.next() {
                Next::Frame(number, frame) => (number, frame),
                Next::End => {
                    self.outcome.reached_end = true;
                    self.outcome.end_secs = self.frames.end_secs();
                    return None;
                }
                Next::Failed(error @ MediaError { fault: MediaFault::HardwareDiffers { .. }, .. }) => {
                    self.outcome.difference = Some(error);
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

    /// Returns the outcome so far, if the caller stops before the end of the span.
    pub(super) fn broken_off(self) -> RunOutcome {
        self.outcome
    }

    /// Returns the outcome, with the range of examined frames filled in.
    pub(super) fn ended(self) -> RunOutcome {
        // Without any frame, the span is empty at the position where the next frame would have been.
        let first = self.frames.first();
        let end = self.last.map_or(first.max(self.context.request.resume_at), |last| last + 1);
        RunOutcome { frames: first..end, decoder: self.frames.counters(), ..self.outcome }
    }
}

/// Counts frames up to the end of the span.
pub(super) fn count_all(
    work: &mut CountingWork<'_>,
    frames: impl NumberedFrames,
    end: Option<Bound>,
    sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
) -> Result<RunOutcome, AnalyzeError> {
    let mut taken = SelectedFrames::new(work.context, frames, end);
    while let Some((number, frame)) = taken.next() {
        let added = work.add(number, frame);
        if added.is_err() {
            // Hand out the frames counted so far before returning the error.
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

/// A picture at the end of a part of the file, to be compared with one of the next part.
#[derive(Debug, Clone)]
pub(super) struct Joint {
    picture: Picture,
    /// How signalstats interprets it, if its figures are requested.
    reading: Option<SampleReading>,
}

impl Joint {
    /// Compares a part's first frame, whose picture this is, with the last picture of the part before.
    pub(super) fn join(&self, last: &Self, counted: &mut CountedFrame) {
        counted.inspected.difference = last.picture.difference(&self.picture, RENEWAL);
        let planes = |joint: &Self| Some(Planes::of(joint.picture.decoded(), joint.reading?));
        if let Some(signal) = &mut counted.counts.signal
            && let Some(texture) = &mut signal.texture
            && let Some(own) = planes(self)
        {
            texture.compare(&own, planes(last).as_ref());
        }
    }
}

/// The most frames that are counted and still inspected, if other threads inspect them.
const MOST_INSPECTING: usize = 4;

/// Frames that are being counted.
pub(super) struct CountingWork<'a> {
    context: &'a Context<'a>,
    counter: RunCounter,
    picker: Option<Picker>,
    waiting: VecDeque<Waiting>,
    /// Frames that are counted, and still inspected by other threads.
    inspecting: VecDeque<(CountedFrame, Option<Frame>, Option<PendingShare>)>,
    differences: Option<Differences>,
    /// The last picture, if pictures are compared with each other.
    last: Option<Joint>,
    /// The levels of the last frame at the points of a grid, if likeness is inspected.
    outline: Option<Outline>,
    /// The light of its pixels, if flashes are looked for.
    flashes: Option<FlashMeter>,
}

/// A submitted frame, waiting for its counts.
struct Waiting {
    number: u64,
    frame: FrameDescription,
    /// The frame with its picture, if it may need a thumbnail or is inspected.
    picture: Option<Frame>,
    inspected: Inspected,
    first: Option<Joint>,
}

impl<'a> CountingWork<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        let Request { counting, ref adjustments, verify, .. } = *context.request;
        let counter = RunCounter::new(context.engine, counting, adjustments, verify);
        Self::with(context, counter)
    }

    fn with(context: &'a Context<'a>, counter: RunCounter) -> Self {
        let picker = context.request.thumbnails.map(Picker::new);
        let differences = context.request.inspection.differences.map(Differences::new);
        let (waiting, inspecting) = (VecDeque::new(), VecDeque::new());
        Self { context, counter, picker, waiting, inspecting, differences, last: None, outline: None, flashes: None }
    }

    /// Returns this work for frames elsewhere in the file. The counter with its memory stays.
    pub(super) fn restarted(mut self) -> Self {
        self.counter.restart();
        Self::with(self.context, self.counter)
    }

    /// Removes and returns the last picture, if pictures are compared with each other.
    pub(super) const fn take_last(&mut self) -> Option<Joint> {
        self.last.take()
    }

    /// Returns the part of this picture to count, or `None` for all of it.
    pub(super) fn region(&self, number: u64, picture: &Picture) -> Result<Option<Rect>, AnalyzeError> {
        self.context.cropping.of(number, picture)
    }

    /// Submits a frame.
    pub(super) fn add(&mut self, number: u64, frame: Frame) -> Result<(), AnalyzeError> {
        let request = self.context.request;
        let reading = check_countable(request, &frame)?;
        let picture = &frame.picture;
        let region = self.region(number, picture)?;
        let inspection = request.inspection;
        let active = inspection.active.then(|| Active::of(picture)).flatten();
        let submission = Submission {
            picture,
            region,
            source: SourceLight::of(&frame.source),
            light: request.counting.light.and_then(|light| light.of_frame(&frame.source)),
            active: inspection.r103.map(|_| active_part(&frame, active)),
        };
        let mastering_peak = self.context.info.stated_light.mastering.map(|display| display.max_cd_m2);
        self.counter.submit(submission, reading, mastering_peak).map_err(|error| {
            let failed = |action, reason: String| MediaFault::Failed { action, reason }.of(request.input.clone());
            match error {
                EngineError::Gpu(error) => AnalyzeError::Gpu(error),
                EngineError::Region(error) => failed("cropping the region", error.to_string()).into(),
                EngineError::Adjust(error) => failed("adjusting the picture", error.to_string()).into(),
                EngineError::Uncounted => failed("counting the picture", error.to_string()).into(),
            }
        })?;
        let mut described = FrameDescription::of(&frame, region);
        let timecodes = self.context.info.timecodes;
        described.facts.timecode = timecodes.and_then(|timecodes| timecodes.of(frame.timecode, Some(number)));
        let mut inspected = Inspected { active, ..Inspected::default() };
        let mut first = None;
        if self.differences.is_some() || request.counting.signal == SignalUse::Report {
            let joint = Joint { picture: picture.clone(), reading };
            if self.last.is_none() {
                first = Some(joint.clone());
            }
            self.last = Some(joint);
        }
        if let Some(differences) = &mut self.differences {
            inspected.difference = differences.push(frame.time_secs, picture);
        }
        if let Some(light) = inspection.flashes
            && let Some((scale, _)) = light.of_frame(&frame.source)
            && let Some(picture) = frame.picture.as_rgb()
        {
            let meter = self.flashes.take().filter(|meter| meter.scale() == scale);
            let meter = self.flashes.insert(meter.unwrap_or_else(|| FlashMeter::new(scale)));
            inspected.flash = Some(meter.push(picture));
        }
        if inspection.likeness {
            let outline = Outline::of(&frame.picture);
            inspected.resembles = self.outline.as_ref().is_some_and(|before| before.resembles(&outline));
            self.outline = Some(outline);
        }
        let picture = (self.picker.is_some() || inspection.r103.is_some()).then_some(frame);
        self.waiting.push_back(Waiting { number, frame: described, picture, inspected, first });
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
            self.inspect()?;
        }
        while self.inspecting.len() > self.most_inspecting() {
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
        while !self.waiting.is_empty() || !self.inspecting.is_empty() {
            if self.hand_out(sink)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    const fn most_inspecting(&self) -> usize {
        if self.context.request.inspection.r103.is_some() { MOST_INSPECTING } else { 0 }
    }

    /// Waits for the counts of the oldest frame, and begins to inspect it.
    fn inspect(&mut self) -> Result<(), AnalyzeError> {
        let Some(waiting) = self.waiting.pop_front() else { return Ok(()) };
        let Waiting { number, frame, picture, inspected, first } = waiting;
        let spoil = self.context.request.spoils(number);
        let Some(counts) = self.counter.take(number, spoil)? else { return Ok(()) };
        let outside = picture.as_ref().zip(self.context.request.inspection.r103);
        let outside = outside.map(|(frame, tolerated)| outside_r103(frame, inspected.active, &counts, tolerated));
        let counted =
            CountedFrame { number, frame, counts, comparison: None, audio: None, thumbnail: None, inspected, first };
        self.inspecting.push_back((counted, picture, outside));
        Ok(())
    }

    /// Waits for the oldest frame's counts. Returns `None` if none is pending.
    pub(super) fn take(&mut self) -> Result<Option<CountedFrame>, AnalyzeError> {
        if self.inspecting.len() <= self.most_inspecting() {
            self.inspect()?;
        }
        let Some((mut counted, picture, outside)) = self.inspecting.pop_front() else { return Ok(None) };
        counted.inspected.outside_r103 = outside.and_then(|outside| outside.get());
        if let Some((picker, frame)) = self.picker.as_mut().zip(picture) {
            counted.thumbnail = picker.picture(counted.number, frame, &counted.counts, &mut counted.inspected);
        }
        Ok(Some(counted))
    }

    /// Passes the oldest frame to `sink`.
    fn hand_out(
        &mut self,
        sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, AnalyzeError> {
        Ok(self.take()?.map_or(ControlFlow::Continue(()), sink))
    }
}

/// Checks that the requested components exist. Returns how signalstats interprets the frame, if its figures are
/// requested.
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

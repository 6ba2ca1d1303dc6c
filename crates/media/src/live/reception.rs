//! Receiving live sources, whose sender may not have started yet, may pause, and may be replaced by another.
//!
//! ```text
//!               it opens                     silence, or the end
//!   Searching ───────────▶ Receiving ──────────────────────────────────▶ Searching
//!    │    ▲                    each frame continues the times and numbers of the last one
//!    └────┘ it does not: try again, after a pause that grows to a second
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::decode::decoder::{Decoder, StopHandle};
use crate::error::{MediaError, MediaFault};
use crate::read::address;
use crate::read::info::{OpenOptions, StreamInfo};
use crate::read::timeshift::Timeshift;
use histoscope_core::picture::{Frame, FrameFacts, Ratio};

/// Time limit for one attempt to open a source and decode its first frame: keyframes can be ten seconds apart, and a
/// server that has died silently never answers.
const OPEN_LIMIT: Duration = Duration::from_secs(30);
/// Time without a frame after which the source is reopened, or the time of `SILENT_FRAMES` frames if that is longer.
const SILENCE: Duration = Duration::from_secs(2);
const SILENT_FRAMES: f64 = 5.0;
/// Pauses between attempts: the first, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));
/// Interval at which waiting code checks whether to stop.
const LOOK: Duration = Duration::from_millis(20);

/// The reason why a live source has no picture.
#[derive(Debug, Clone, PartialEq)]
pub enum NoSignal {
    /// Nothing has ever been received.
    Awaited {
        /// The error of the last attempt, if one has finished.
        reason: Option<String>,
    },
    /// Frames were received, but no longer are.
    Lost {
        /// When the last one was received.
        since: SystemTime,
        /// The reason.
        reason: String,
    },
}

/// The result of waiting for a sender.
pub enum Reception {
    /// The source was opened or reopened; this is its stream information.
    Opened(Arc<StreamInfo>),
    /// A frame.
    Frame(Frame),
    /// There is no picture.
    NoSignal(NoSignal),
}

enum ReceptionState {
    Searching { pause: Option<Duration> },
    Receiving(Box<Decoder>),
}

/// A live source that is reopened as often as needed.
pub struct Receiver {
    path: PathBuf,
    options: OpenOptions,
    stop: StopHandle,
    state: ReceptionState,
    has_reported: bool,
    line: Option<ReceivedTimeline>,
    /// Store for received packets and frames.
    shift: Option<Arc<Timeshift>>,
}

/// Maps each sender's times and frame numbers onto one continuous timeline.
struct ReceivedTimeline {
    /// When the very first frame was received.
    began: Instant,
    time_base: Ratio,
    /// Seconds added to the current sender's times.
    offset_secs: f64,
    /// Number added to its frame numbers.
    first_index: u64,
    /// Time in seconds, number and arrival of the newest frame.
    newest: (f64, u64, SystemTime),
}

impl Receiver {
    /// Creates a receiver that has not opened anything yet.
    pub(crate) const fn new(path: PathBuf, options: OpenOptions, stop: StopHandle) -> Self {
        let state = ReceptionState::Searching { pause: None };
        Self { path, options, stop, state, has_reported: false, line: None, shift: None }
    }

    /// Stores packets and frames received from now on.
    pub(crate) fn keeping(self, shift: &Arc<Timeshift>) -> Self {
        Self { shift: Some(Arc::clone(shift)), ..self }
    }

    /// Creates a receiver that continues with the decoder of a source that has turned out to be live.
    #[must_use]
    pub fn with(path: PathBuf, options: OpenOptions, stop: StopHandle, decoder: Decoder) -> Self {
        let mut receiver = Self::new(path, options, stop);
        receiver.receive_from(decoder);
        receiver
    }

    /// Returns the decoder in use, if one is open.
    pub(crate) const fn decoder(&self) -> Option<&Decoder> {
        if let ReceptionState::Receiving(decoder) = &self.state { Some(decoder) } else { None }
    }

    /// Waits for the next event.
    ///
    /// # Errors
    /// [`MediaError`] if the receiver was stopped, or, before the first picture only, if the source can never be opened
    /// under this name.
    pub fn wait(&mut self) -> Result<Reception, MediaError> {
        match &mut self.state {
            ReceptionState::Receiving(decoder) => match decoder.next_frame() {
                Ok(Some(frame)) => {
                    let stated = decoder.stated_ticks(&frame);
                    let frame = self.placed(frame);
                    if let Some(shift) = &self.shift {
                        shift.note_frame(stated, &frame);
                    }
                    Ok(Reception::Frame(frame))
                }
                Ok(None) => Ok(self.lose("the sender ended the stream".to_owned())),
                Err(error @ MediaError { fault: MediaFault::Stopped, .. }) => Err(error),
                Err(error) => Ok(self.lose(error.to_string())),
            },
            ReceptionState::Searching { pause } => {
                let pause = *pause;
                self.search(pause)
            }
        }
    }

    fn search(&mut self, pause: Option<Duration>) -> Result<Reception, MediaError> {
        if self.line.is_none() && !self.has_reported {
            // Resolve the address first: report that we are waiting only if a sender can appear.
            self.has_reported = true;
            address::resolve(&self.path)?;
            return Ok(Reception::NoSignal(NoSignal::Awaited { reason: None }));
        }
        self.rest(pause.unwrap_or_default())?;
        let options = OpenOptions { network_limit: Some(OPEN_LIMIT), ..self.options.clone() };
        match Decoder::open_keeping(&self.path, &options, &self.stop, self.shift.as_ref()) {
            Ok(decoder) => Ok(self.receive_from(decoder)),
            Err(error @ MediaError { fault: MediaFault::Stopped, .. }) => Err(error),
            Err(error) if self.line.is_none() && is_final(&error) => Err(error),
            Err(error) => {
                log::debug!("{error}");
                let next = pause.map_or(PAUSES.0, |pause| (pause * 2).min(PAUSES.1));
                self.state = ReceptionState::Searching { pause: Some(next) };
                let reason = error.to_string();
                Ok(Reception::NoSignal(match &self.line {
                    Some(line) => NoSignal::Lost { since: line.newest.2, reason },
                    None => NoSignal::Awaited { reason: Some(reason) },
                }))
            }
        }
    }

    /// Waits for that time. Fails if the receiver is stopped.
    fn rest(&self, pause: Duration) -> Result<(), MediaError> {
        let until = Instant::now() + pause;
        while Instant::now() < until {
            if self.stop.is_stopped() {
                return Err(MediaFault::Stopped.of(self.path.clone()));
            }
            thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
        Ok(())
    }

    fn receive_from(&mut self, mut decoder: Decoder) -> Reception {
        let info = decoder.info().clone();
        let frame_secs = info.average_rate.map_or(0.0, |rate| 1.0 / rate.value());
        decoder.set_network_limit(SILENCE.max(Duration::from_secs_f64((SILENT_FRAMES * frame_secs).clamp(0.0, 60.0))));
        match &mut self.line {
            Some(line) => line.resume(),
            None => self.line = Some(ReceivedTimeline::new(info.time_base)),
        }
        info.tap.set_offset(self.line.as_ref().map_or(0.0, |line| line.offset_secs));
        self.state = ReceptionState::Receiving(Box::new(decoder));
        Reception::Opened(Arc::new(info))
    }

    fn lose(&mut self, reason: String) -> Reception {
        // Drop the decoder first, which releases the address that it listens on.
        self.state = ReceptionState::Searching { pause: None };
        if let Some(shift) = &self.shift {
            shift.end();
        }
        let since = self.line.as_ref().map_or_else(SystemTime::now, |line| line.newest.2);
        Reception::NoSignal(NoSignal::Lost { since, reason })
    }

    fn placed(&mut self, frame: Frame) -> Frame {
        match &mut self.line {
            Some(line) => line.place(frame),
            None => frame,
        }
    }
}

impl ReceivedTimeline {
    fn new(time_base: Ratio) -> Self {
        let newest = (0.0, 0, SystemTime::now());
        Self { began: Instant::now(), time_base, offset_secs: 0.0, first_index: 0, newest }
    }

    /// Continues with a sender whose times and numbers start over. Times continue by this machine's clock.
    fn resume(&mut self) {
        let (newest_secs, newest_index, _) = self.newest;
        self.offset_secs = self.began.elapsed().as_secs_f64().max(newest_secs + self.time_base.value());
        self.first_index = newest_index + 1;
    }

    /// Positions a frame in time and number.
    fn place(&mut self, frame: Frame) -> Frame {
        let time_secs = frame.time_secs + self.offset_secs;
        let index = frame.index.map(|index| index + self.first_index);
        self.newest = (time_secs, index.unwrap_or(self.newest.1 + 1), frame.arrival.unwrap_or_else(SystemTime::now));
        let pts_ticks = (time_secs / self.time_base.value()).round() as i64;
        let facts = FrameFacts { time_secs, index, pts_ticks, time_base: self.time_base, ..frame.facts };
        Frame { facts, ..frame }
    }
}

/// Opens a source. If it is live, waits for its sender, however long that takes.
///
/// # Errors
/// [`MediaError`] if opening was stopped, or if the source can never be opened under this name.
pub fn open_when_there(path: &Path, options: &OpenOptions, stop: &StopHandle) -> Result<Decoder, MediaError> {
    if !address::is_live(path) {
        return Decoder::open_with(path, options, stop);
    }
    let mut receiver = Receiver::new(path.to_owned(), options.clone(), stop.clone());
    loop {
        receiver.wait()?;
        if let ReceptionState::Receiving(decoder) = receiver.state {
            return Ok(*decoder);
        }
    }
}

/// Returns `true` if another attempt would fail in the same way, because of the name or of what this machine supports.
const fn is_final(error: &MediaError) -> bool {
    matches!(
        error.fault,
        MediaFault::Unresolved { .. }
            | MediaFault::NoSuchPort { .. }
            | MediaFault::NotFound
            | MediaFault::NotFollowed
            | MediaFault::NoPatterns
            | MediaFault::WindowsDevice
            | MediaFault::NotNumbered
            | MediaFault::SeveralSequences { .. }
            | MediaFault::Unreadable { .. }
            | MediaFault::Empty
            | MediaFault::Directory
            | MediaFault::NoDecoder { .. }
            | MediaFault::NoVideo { .. }
            | MediaFault::NoProtocol
            | MediaFault::PortTaken
            | MediaFault::NoDeviceLibrary { .. }
            | MediaFault::NoSuchDevice { .. }
            | MediaFault::DeviceInUse
            | MediaFault::Device { .. }
    )
}

//! The frames of a span, `--from` to `--to`, with their numbers in the whole file, even if decoding starts inside it.

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::Duration;

use super::error::{AnalyzeError, Stop};
use super::selection::Point;
use histoscope_core::picture::Frame;
use histoscope_core::text::clock_time;
use histoscope_media::{
    Decoder, FrameCounters, FrameIndex, MediaError, NoSignal, OpenOptions, Receiver, Reception, Seek, SeekTarget,
    StopHandle, StreamInfo,
};

/// Time to wait for a frame before checking for a request to stop.
const PATIENCE: Duration = Duration::from_millis(50);
/// Decoded frames that may wait for being counted, in bytes and in number; two always may.
const MOST_WAITING_BYTES: usize = 48 << 20;
const MOST_WAITING: usize = 8;

/// A place before a frame, where a span begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Before the first frame with this timestamp, in ticks, or a later one.
    Ticks(i64),
    /// Before the frame of that number.
    Number(u64),
}

/// The start of a span, with a decoder positioned there.
pub struct Positioned {
    /// The number of the first frame of the span, if it is known already.
    pub first: Option<u64>,
    /// The number of the first frame that comes.
    pub number: u64,
    /// Frames that were decoded as a check; they come before those of the decoder.
    pub ahead: Vec<Frame>,
    /// The frames of the file, if its packets were read and tell them.
    pub index: Option<FrameIndex>,
    /// Frames before this are skipped, because only decoding tells their numbers.
    pub skip_until: Option<Bound>,
}

/// Returns the first tick that is not before a time in seconds from the first frame, with a small tolerance so that a
/// frame's own time finds it.
fn ticks_at(info: &StreamInfo, secs: f64) -> i64 {
    let ticks = (secs / info.time_base.value() - 1e-3).ceil();
    // The conversion saturates.
    info.start_ticks.saturating_add(ticks as i64)
}

impl Bound {
    /// Returns the place of a point. To find a timecode, it may decode frames; the decoder is then reset to the first
    /// one.
    ///
    /// # Errors
    /// [`MediaError`] if there is no such timecode, or the file cannot be read.
    pub fn of(decoder: &mut Decoder, point: Point) -> Result<Self, MediaError> {
        Ok(match point {
            Point::Time(secs) => Self::Ticks(ticks_at(decoder.info(), secs)),
            Point::Frame(number) => Self::Number(number),
            // A timecode from before the video stands for its beginning.
            Point::Timecode(timecode) => Self::Number(decoder.find_timecode(timecode)?.max(0).cast_unsigned()),
        })
    }

    /// Returns `true` if it lies at or before the first frame of the video.
    const fn is_start(self, info: &StreamInfo) -> bool {
        self.is_reached(0, info.start_ticks)
    }

    /// Returns `true` if a frame lies at or after it.
    #[must_use]
    pub const fn is_reached(self, number: u64, pts_ticks: i64) -> bool {
        match self {
            Self::Ticks(ticks) => pts_ticks >= ticks,
            Self::Number(end) => number >= end,
        }
    }
}

/// Moves a decoder from the first frame to `from`, or to frame `resume_at` if that is later. It seeks only if the
/// packets tell the frames' numbers beyond doubt and the frames that come agree with them. Otherwise, all frames
/// before are decoded and skipped.
///
/// # Errors
/// [`AnalyzeError`] if the file cannot be read.
pub fn position(
    decoder: &mut Decoder,
    (from, resume_at): (Option<Bound>, u64),
    want_index: bool,
    stop: &Stop,
) -> Result<Positioned, AnalyzeError> {
    let from = from.filter(|from| !from.is_start(decoder.info()));
    let first = from.is_none().then_some(0);
    let mut positioned = Positioned { first, number: 0, ahead: Vec::new(), index: None, skip_until: from };
    if from.is_none() && resume_at == 0 && !want_index {
        return Ok(positioned);
    }
    positioned.index = decoder.frame_index(|| !stop.is_stopped())?;
    let Some(index) = &positioned.index else { return Ok(positioned) };
    let first = match from {
        None => 0,
        Some(Bound::Number(number)) => number,
        Some(Bound::Ticks(ticks)) => index.frames_before(ticks),
    };
    let number = first.max(resume_at);
    if number == 0 {
        return Ok(positioned);
    }
    let Some(at) = usize::try_from(number).ok().filter(|at| *at < index.pts.len()) else {
        // According to the packets, nothing lies there; decoding will show.
        return Ok(positioned);
    };
    decoder.seek(Seek::Exact(SeekTarget::Timestamp(index.pts[at])))?;
    let mut ahead = Vec::new();
    for expected in index.pts[at..].iter().take(2) {
        match decoder.next_frame()? {
            Some(frame) if frame.pts_ticks == *expected => ahead.push(frame),
            other => {
                let found = other.map(|frame| frame.pts_ticks);
                log::info!("frame {number} should come at {expected}, not {found:?}; all frames before it are decoded");
                decoder.seek(Seek::START)?;
                return Ok(positioned);
            }
        }
    }
    Ok(Positioned { first: Some(first), number, ahead, skip_until: None, ..positioned })
}

/// A message of the decoder's thread.
enum Message {
    Frame(Box<Frame>),
    End(FrameCounters),
    Failed(MediaError, FrameCounters),
}

/// The next event of a source of frames.
pub(super) enum Next {
    /// A frame with its number.
    Frame(u64, Box<Frame>),
    /// The end of the file.
    End,
    /// Reading failed.
    Failed(MediaError),
    /// The run was asked to stop.
    Stopped,
}

/// A source of frames with their numbers.
pub(super) trait NumberedFrames {
    /// Waits for the next frame.
    fn next(&mut self) -> Next;
    /// Returns the number of the span's first frame; while it is unknown, that of the next frame.
    fn first(&self) -> u64;
    /// Returns the seconds from the video's first frame to the end of the last frame, whether it belongs to the span
    /// or not.
    fn end_secs(&self) -> f64;
    /// Returns the decoder's counters, once the end was reached.
    fn counters(&self) -> FrameCounters;
}

/// Sends frames until there are no more, or nobody receives them, as when the span has ended.
fn decode(mut decoder: Decoder, sender: &SyncSender<Message>) {
    loop {
        let message = match decoder.next_frame() {
            Ok(Some(frame)) => Message::Frame(Box::new(frame)),
            Ok(None) => Message::End(decoder.counters()),
            Err(error) => Message::Failed(error, decoder.counters()),
        };
        let is_last = !matches!(message, Message::Frame(_));
        if sender.send(message).is_err() || is_last {
            return;
        }
    }
}

/// The fate of a frame that was sent.
enum Handed {
    /// It will be counted.
    Taken,
    /// There was no room for it.
    LeftOut,
    /// Nobody receives frames any more, as when the span has ended.
    Nowhere,
}

/// Sends live frames as they arrive. Returns the reason why there are no more, unless nobody receives them. If
/// counting is too slow, whole frames are dropped: lost packets would damage others.
fn receive(mut receiver: Receiver, hand_over: impl Fn(Frame) -> Handed) -> Option<MediaError> {
    let (mut left_out, mut lost_since) = (0_u64, None);
    let end = loop {
        match receiver.wait() {
            Ok(Reception::Frame(frame)) => match hand_over(frame) {
                Handed::Taken => {}
                Handed::LeftOut => {
                    left_out += 1;
                    if left_out == 1 {
                        log::warn!(
                            "frames arrive faster than they are counted; some are dropped, and their numbers are missing"
                        );
                    }
                }
                Handed::Nowhere => break None,
            },
            Ok(Reception::NoSignal(NoSignal::Lost { since, reason })) if lost_since != Some(since) => {
                lost_since = Some(since);
                log::warn!("no signal since {} ({reason}); waiting for the sender", clock_time(since));
            }
            Ok(Reception::NoSignal(_)) => {}
            Ok(Reception::Opened(_)) => log::warn!("the signal is back"),
            Err(error) => break Some(error),
        }
    };
    if left_out > 0 {
        log::warn!("{left_out} frames were dropped, since they arrived faster than they were counted");
    }
    end
}

/// The frames of a span, decoded on a thread of their own.
pub(super) struct Frames {
    ahead: std::vec::IntoIter<Frame>,
    messages: mpsc::Receiver<Message>,
    decoder: StopHandle,
    path: PathBuf,
    stop: Stop,
    /// The number of the next frame.
    number: u64,
    /// True if frames may be missing between those that come.
    is_live: bool,
    /// The start of the span, until it is reached.
    skip_until: Option<Bound>,
    /// The number of its first frame, once that has come.
    first: Option<u64>,
    /// Frames with lower numbers were counted by an earlier run.
    resume_at: u64,
    /// End time of the last frame, in seconds.
    end_secs: f64,
    counters: FrameCounters,
}

impl Frames {
    /// Starts decoding with a decoder that was positioned at the span.
    ///
    /// # Errors
    /// If the system provides no thread.
    pub(super) fn start(
        decoder: Decoder,
        positioned: Positioned,
        resume_at: u64,
        (open, stop): (&OpenOptions, &Stop),
    ) -> Result<Self, MediaError> {
        let Positioned { first, number, ahead, skip_until, .. } = positioned;
        let (width, height) = decoder.info().coded_size;
        // A rough size is enough: three samples per pixel of one or two bytes each, and less if chroma is subsampled.
        let frame_bytes = (width as usize * height as usize * 2).max(1);
        let room = (MOST_WAITING_BYTES / frame_bytes).clamp(2, MOST_WAITING);
        let (sender, messages) = mpsc::sync_channel(room);
        let handle = decoder.stop_handle();
        let path = decoder.info().path.clone();
        let failed_path = path.clone();
        let is_live = decoder.info().live;
        let source = (path.clone(), open.clone(), handle.clone());
        let work = move || {
            if is_live {
                let (path, open, stop) = source;
                let receiver = Receiver::with(path, open, stop, decoder);
                let hand_over = |frame| match sender.try_send(Message::Frame(Box::new(frame))) {
                    Ok(()) => Handed::Taken,
                    Err(TrySendError::Full(_)) => Handed::LeftOut,
                    Err(TrySendError::Disconnected(_)) => Handed::Nowhere,
                };
                if let Some(error) = receive(receiver, hand_over) {
                    // If nobody receives, that is the reason.
                    let _ = sender.try_send(Message::Failed(error, FrameCounters::default()));
                }
            } else {
                decode(decoder, &sender);
            }
        };
        thread::Builder::new().name("histoscope-decode".to_owned()).spawn(work).map_err(|error| {
            MediaError::Failed {
                path: failed_path,
                action: "starting a thread to decode it",
                reason: error.to_string(),
            }
        })?;
        Ok(Self {
            ahead: ahead.into_iter(),
            messages,
            decoder: handle,
            path,
            stop: stop.clone(),
            number,
            is_live,
            skip_until,
            first,
            resume_at,
            end_secs: 0.0,
            counters: FrameCounters::default(),
        })
    }

    /// Returns the number of the next frame.
    pub(super) const fn next_number(&self) -> u64 {
        self.number
    }

    fn any_next(&mut self) -> Next {
        let frame = match self.ahead.next() {
            Some(frame) => Box::new(frame),
            None => match self.receive() {
                Ok(Message::Frame(frame)) => frame,
                Ok(Message::End(counters)) => {
                    self.counters = counters;
                    return Next::End;
                }
                Ok(Message::Failed(error, counters)) => {
                    self.counters = counters;
                    return Next::Failed(error);
                }
                Err(next) => return next,
            },
        };
        let number = frame.index.filter(|_| self.is_live).unwrap_or(self.number);
        self.number = number + 1;
        self.end_secs = frame.time_secs + frame.duration_secs;
        Next::Frame(number, frame)
    }

    fn receive(&self) -> Result<Message, Next> {
        loop {
            if self.stop.is_stopped() {
                return Err(Next::Stopped);
            }
            match self.messages.recv_timeout(PATIENCE) {
                Ok(message) => return Ok(message),
                Err(RecvTimeoutError::Timeout) => {}
                // The thread announces its end, unless it panicked.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Next::Failed(MediaError::Stopped { path: self.path.clone() }));
                }
            }
        }
    }
}

impl NumberedFrames for Frames {
    fn next(&mut self) -> Next {
        loop {
            let next = self.any_next();
            let Next::Frame(number, frame) = next else { return next };
            if self.skip_until.is_some_and(|bound| !bound.is_reached(number, frame.pts_ticks)) {
                continue;
            }
            self.skip_until = None;
            self.first.get_or_insert(number);
            if number >= self.resume_at {
                return Next::Frame(number, frame);
            }
        }
    }

    fn first(&self) -> u64 {
        self.first.unwrap_or(self.number)
    }

    fn end_secs(&self) -> f64 {
        self.end_secs
    }

    fn counters(&self) -> FrameCounters {
        self.counters
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        // A blocking read ends; the thread notices that nobody receives and ends too. This does not wait for it: a
        // read from a named pipe cannot be interrupted.
        self.decoder.stop();
    }
}

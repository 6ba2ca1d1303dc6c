//! The frames of a span, `--from` to `--to`, and their numbers in the whole file, also where decoding starts inside it.

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

/// How long a frame is waited for before the request to stop is looked at.
const PATIENCE: Duration = Duration::from_millis(50);
/// Bytes of decoded frames that may wait for being counted, and how many frames may; two always may.
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

/// Where a span begins in a decoder that was brought there.
pub struct Positioned {
    /// The number of the first frame of the span, where it is known already.
    pub first: Option<u64>,
    /// The number of the first frame that comes.
    pub number: u64,
    /// Frames that were decoded to be sure; they come before those of the decoder.
    pub ahead: Vec<Frame>,
    /// The frames of the file, where its packets tell them and were read.
    pub index: Option<FrameIndex>,
    /// Frames to leave out from here on, because only decoding tells their numbers.
    pub skip_until: Option<Bound>,
}

/// The first tick that is not before a time in seconds from the first frame, with a little grace so that a frame's own
/// time leads to it.
fn ticks_at(info: &StreamInfo, secs: f64) -> i64 {
    let ticks = (secs / info.time_base.value() - 1e-3).ceil();
    // The conversion saturates.
    info.start_ticks.saturating_add(ticks as i64)
}

impl Bound {
    /// The place that a point means. To find a timecode, frames may be decoded; the decoder then stands at the first one again.
    ///
    /// # Errors
    /// [`MediaError`] if there is no such timecode, or the file cannot be read.
    pub fn of(decoder: &mut Decoder, point: Point) -> Result<Self, MediaError> {
        Ok(match point {
            Point::Time(secs) => Self::Ticks(ticks_at(decoder.info(), secs)),
            Point::Frame(number) => Self::Number(number),
            // One from before the video means its beginning.
            Point::Timecode(timecode) => Self::Number(decoder.find_timecode(timecode)?.max(0).cast_unsigned()),
        })
    }

    /// Whether it lies before the first frame of the video, or at it.
    const fn is_start(self, info: &StreamInfo) -> bool {
        self.is_reached(0, info.start_ticks)
    }

    /// Whether a frame lies at or after it.
    #[must_use]
    pub const fn is_reached(self, number: u64, pts_ticks: i64) -> bool {
        match self {
            Self::Ticks(ticks) => pts_ticks >= ticks,
            Self::Number(end) => number >= end,
        }
    }
}

/// Brings a decoder that stands at the first frame to `from`, or to the frame of number `resume_at` if that is later. Seeking is
/// trusted only where the packets tell the frames' numbers beyond doubt and the frames that come agree with them; else all
/// frames before are decoded and left out.
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
        // Nothing lies there, as far as the packets tell; decoding will show.
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

/// What the decoder's thread has to tell.
enum Message {
    Frame(Box<Frame>),
    End(FrameCounters),
    Failed(MediaError, FrameCounters),
}

/// What comes next.
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

/// Where frames come from, each with its number.
pub(super) trait NumberedFrames {
    /// Waits for the next frame.
    fn next(&mut self) -> Next;
    /// The number of the span's first frame; that of the frame that would come next while it is not known.
    fn first(&self) -> u64;
    /// Seconds from the video's first frame to the end of the last one that came, whether it belongs to the span or not.
    fn end_secs(&self) -> f64;
    /// What the decoder counted, once the end was seen.
    fn counters(&self) -> FrameCounters;
}

/// Hands frames over until there are no more, or nobody listens any more, as when the span has ended.
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

/// What has become of a frame that was handed over.
enum Handed {
    /// It will be counted.
    Taken,
    /// There is no room for it.
    LeftOut,
    /// Nobody listens any more, as when the span has ended.
    Nowhere,
}

/// Hands live frames over as they come; why there are no more, unless nobody listens. Where counting is too slow, whole frames are
/// left out: packets that are lost would damage others.
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
                            "frames come faster than they are counted: some are left out, and so are their numbers"
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
        log::warn!("{left_out} frames were left out, since they came faster than they were counted");
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
    /// Whether frames may be missing between those that come.
    is_live: bool,
    /// Where the span begins, until it has.
    skip_until: Option<Bound>,
    /// The number of its first frame, once it has.
    first: Option<u64>,
    /// Frames with lower numbers were counted by an earlier run.
    resume_at: u64,
    /// Where the last frame ended, in seconds.
    end_secs: f64,
    counters: FrameCounters,
}

impl Frames {
    /// Goes on with a decoder that was brought to the span.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub(super) fn start(
        decoder: Decoder,
        positioned: Positioned,
        resume_at: u64,
        (open, stop): (&OpenOptions, &Stop),
    ) -> Result<Self, MediaError> {
        let Positioned { first, number, ahead, skip_until, .. } = positioned;
        let (width, height) = decoder.info().coded_size;
        // Three samples a pixel, one or two bytes each, less where chroma is subsampled: a rough size will do.
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
                    // Where nobody listens, that is the reason.
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

    /// The number of the frame that would come next.
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
                // The thread tells its end before it ends, unless it panicked.
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
        // A blocking read ends; the thread sees that nobody listens and ends too. It is not waited for: a read from a
        // named pipe cannot be interrupted.
        self.decoder.stop();
    }
}

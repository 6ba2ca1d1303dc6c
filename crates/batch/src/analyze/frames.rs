//! The frames of a span (`--from` to `--to`), numbered from the start of the file even if decoding starts later.

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::Duration;

use super::error::{AnalyzeError, Stop};
use histoscope_core::picture::Frame;
use histoscope_core::picture::Point;
use histoscope_core::text::clock_time;
use histoscope_media::{
    Decoder, FrameCounters, FrameIndex, MediaError, MediaFault, NoSignal, OpenOptions, Receiver, Reception, Seek,
    SeekTarget, StopHandle, StreamInfo,
};

/// Interval for checking whether the run was asked to stop while waiting for a frame.
const PATIENCE: Duration = Duration::from_millis(50);
/// Maximum size in bytes and maximum number of decoded frames waiting to be counted. At least two may wait, whatever
/// their size.
const MAX_WAITING_BYTES: usize = 48 << 20;
const MAX_WAITING: usize = 8;

/// A position between frames at which a span begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Before the first frame at or after this timestamp, in ticks.
    Ticks(i64),
    /// Before the frame with this number.
    Number(u64),
}

/// The start of a span. Its decoder has been positioned there.
pub struct Positioned {
    /// Number of the span's first frame, if already known.
    pub first: Option<u64>,
    /// Number of the first frame in `ahead` or, if that is empty, of the decoder's next frame.
    pub number: u64,
    /// Frames that were decoded as a check. They precede the decoder's next frame.
    pub ahead: Vec<Frame>,
    /// The index of the file's frames, if its packets were listed and define one.
    pub index: Option<FrameIndex>,
    /// Bound before which frames must be decoded and skipped, because their numbers cannot be known otherwise.
    pub skip_until: Option<Bound>,
}

/// Converts a time in seconds from the first frame to ticks, rounding up. A small tolerance makes sure that a frame's
/// own time, as printed, finds that frame.
fn ticks_at(info: &StreamInfo, secs: f64) -> i64 {
    let ticks = (secs / info.time_base.value() - 1e-3).ceil();
    // The cast saturates.
    info.start_ticks.saturating_add(ticks as i64)
}

impl Bound {
    /// Returns the bound at a point. Finding a timecode may decode frames; the decoder is then reset to the first
    /// frame.
    ///
    /// # Errors
    /// [`MediaError`] if there is no such timecode, or the file cannot be read.
    pub fn of(decoder: &mut Decoder, point: Point) -> Result<Self, MediaError> {
        Ok(match point {
            Point::Time(secs) => Self::Ticks(ticks_at(decoder.info(), secs)),
            Point::Frame(number) => Self::Number(number),
            // A timecode from before the video stands for the beginning of the video.
            Point::Timecode(timecode) => Self::Number(decoder.find_timecode(timecode)?.max(0).cast_unsigned()),
        })
    }

    /// Returns `true` if the bound lies at or before the first frame of the video.
    const fn is_start(self, info: &StreamInfo) -> bool {
        self.is_reached(0, info.start_ticks)
    }

    /// Returns `true` if a frame lies at or after the bound.
    #[must_use]
    pub const fn is_reached(self, number: u64, pts_ticks: i64) -> bool {
        match self {
            Self::Ticks(ticks) => pts_ticks >= ticks,
            Self::Number(end) => number >= end,
        }
    }
}

/// Moves a decoder from the first frame to `from`, or to frame `resume_at` if that is later. It seeks only if the
/// packets define the frames' numbers beyond doubt and the decoded frames agree with them. Otherwise, all earlier
/// frames are decoded and skipped.
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
        // According to the packets, there is no such frame. Decoding will show.
        return Ok(positioned);
    };
    decoder.seek(Seek::Exact(SeekTarget::Timestamp(index.pts[at])))?;
    let mut ahead = Vec::new();
    for expected in index.pts[at..].iter().take(2) {
        match decoder.next_frame()? {
            Some(frame) if frame.pts_ticks == *expected => ahead.push(frame),
            other => {
                let found = other.map(|frame| frame.pts_ticks);
                log::info!("frame {number} should be at {expected}, not {found:?}; decoding all frames before it");
                decoder.seek(Seek::START)?;
                return Ok(positioned);
            }
        }
    }
    Ok(Positioned { first: Some(first), number, ahead, skip_until: None, ..positioned })
}

/// A message from the decoder's thread.
enum Message {
    Frame(Box<Frame>),
    End(FrameCounters),
    Failed(MediaError, FrameCounters),
}

/// The next event from a source of frames.
pub(super) enum Next {
    /// A frame and its number.
    Frame(u64, Box<Frame>),
    /// The end of the file.
    End,
    /// Reading failed.
    Failed(MediaError),
    /// The run was asked to stop.
    Stopped,
}

/// A source of numbered frames.
pub(super) trait NumberedFrames {
    /// Waits for the next frame.
    fn next(&mut self) -> Next;
    /// Returns the number of the span's first frame or, while that is unknown, of the next frame.
    fn first(&self) -> u64;
    /// Returns the end of the last frame, in seconds from the video's first frame, whether or not it belongs to the
    /// span.
    fn end_secs(&self) -> f64;
    /// Returns the decoder's counters. They are valid once the end has been reached.
    fn counters(&self) -> FrameCounters;
}

/// Sends frames until there are no more, or the receiver is gone because the span has ended.
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

/// The result of handing over a frame.
enum Handed {
    /// It will be counted.
    Taken,
    /// It was dropped because the channel was full.
    LeftOut,
    /// The receiver is gone because the span has ended.
    Nowhere,
}

/// Sends live frames as they arrive. Returns the reason there are no more, or `None` if the receiver is gone. If
/// counting is too slow, whole frames are dropped: dropping packets would damage other frames.
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

/// Sends the frames that `receive` hands over, and then the reason there are no more.
fn send_live(sender: &SyncSender<Message>, receive: impl FnOnce(&dyn Fn(Frame) -> Handed) -> Option<MediaError>) {
    let hand_over = |frame| match sender.try_send(Message::Frame(Box::new(frame))) {
        Ok(()) => Handed::Taken,
        Err(TrySendError::Full(_)) => Handed::LeftOut,
        Err(TrySendError::Disconnected(_)) => Handed::Nowhere,
    };
    if let Some(error) = receive(&hand_over) {
        // Unlike a frame, the error waits for room in the channel. If the receiver is gone, it needs no message.
        let _ = sender.send(Message::Failed(error, FrameCounters::default()));
    }
}

/// The frames of a span, decoded on a separate thread.
pub(super) struct Frames {
    ahead: std::vec::IntoIter<Frame>,
    messages: mpsc::Receiver<Message>,
    decoder: StopHandle,
    path: PathBuf,
    stop: Stop,
    /// Number of the next frame.
    number: u64,
    /// `true` if frame numbers may have gaps.
    is_live: bool,
    /// Start of the span, until it has been reached.
    skip_until: Option<Bound>,
    /// Number of the span's first frame, once it has arrived.
    first: Option<u64>,
    /// Frames with lower numbers were counted by an earlier run and are skipped.
    resume_at: u64,
    /// End of the last frame, in seconds from the video's first frame.
    end_secs: f64,
    counters: FrameCounters,
}

impl Frames {
    /// Starts decoding with a decoder that has been positioned at the start of the span.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub(super) fn start(
        decoder: Decoder,
        positioned: Positioned,
        resume_at: u64,
        (open, stop): (&OpenOptions, &Stop),
    ) -> Result<Self, MediaError> {
        let Positioned { first, number, ahead, skip_until, .. } = positioned;
        let (width, height) = decoder.info().coded_size;
        // A rough size is enough: at most three samples per pixel of one or two bytes each, fewer with chroma
        // subsampling.
        let frame_bytes = (width as usize * height as usize * 2).max(1);
        let room = (MAX_WAITING_BYTES / frame_bytes).clamp(2, MAX_WAITING);
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
                send_live(&sender, |hand_over| receive(receiver, hand_over));
            } else {
                decode(decoder, &sender);
            }
        };
        thread::Builder::new().name("histoscope-decode".to_owned()).spawn(work).map_err(|error| {
            MediaFault::Failed { action: "starting a thread to decode it", reason: error.to_string() }.of(failed_path)
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
                // The thread announces its end unless it panicked.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Next::Failed(MediaFault::Stopped.of(self.path.clone())));
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
        // This ends a blocking read. The thread then notices that the receiver is gone and ends too. Do not wait for
        // that: a read from a named pipe cannot be interrupted.
        self.decoder.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::test_data;

    #[test]
    fn a_live_source_s_error_arrives_after_frames_that_fill_the_channel() {
        let (sender, messages) = mpsc::sync_channel(2);
        let lost = MediaFault::Failed { action: "receiving", reason: "the cable is cut".to_owned() }.of("rtp");
        let work = move || {
            send_live(&sender, |hand_over| {
                for _ in 0..3 {
                    hand_over(test_data::gray((8, 8), |_, _| 0));
                }
                Some(lost)
            });
        };
        let thread = thread::spawn(work);
        // Sending must block, not fail: wait until it has had time to.
        thread::sleep(Duration::from_millis(100));
        let received: Vec<_> = messages.iter().collect();
        thread.join().expect("it ends");
        assert!(matches!(received[..2], [Message::Frame(_), Message::Frame(_)]));
        let [Message::Failed(error, _)] = &received[2..] else {
            panic!("{} messages without an error", received.len())
        };
        assert!(error.to_string().contains("the cable is cut"), "{error}");
    }
}

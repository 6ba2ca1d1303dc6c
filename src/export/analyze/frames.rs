//! A decoder on a thread of its own, and the numbers of the frames that come out of it.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::selection::Point;
use super::span::Positioned;
use super::{Stop, span};
use crate::media::{Decoder, FrameCounters, MediaError, StopHandle, StreamInfo};
use crate::picture::Frame;

/// How long a frame is waited for before the request to stop is looked at.
const PATIENCE: Duration = Duration::from_millis(50);
/// Bytes of decoded frames that may wait for being counted, and how many frames may; two always may.
const MOST_WAITING_BYTES: usize = 48 << 20;
const MOST_WAITING: usize = 8;

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
    fn next(&mut self, info: &StreamInfo) -> Next;
    /// The number of the span's first frame; that of the frame that would come next while it is not known.
    fn first(&self) -> u64;
    /// Seconds from the video's first frame to the end of the last one that came, whether it belongs to the span or not.
    fn end_secs(&self) -> f64;
    /// What the decoder counted, once the end was seen.
    fn counters(&self) -> FrameCounters;
}

/// The frames of a span, decoded on a thread of their own.
pub(super) struct Frames {
    ahead: std::vec::IntoIter<Frame>,
    messages: Receiver<Message>,
    decoder: StopHandle,
    path: PathBuf,
    stop: Stop,
    /// The number of the next frame.
    number: u64,
    /// Where the span begins, until it has.
    skip_until: Option<Point>,
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
        mut decoder: Decoder,
        positioned: Positioned,
        resume_at: u64,
        stop: &Stop,
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
        let work = move || {
            loop {
                let message = match decoder.next_frame() {
                    Ok(Some(frame)) => Message::Frame(Box::new(frame)),
                    Ok(None) => Message::End(decoder.counters()),
                    Err(error) => Message::Failed(error, decoder.counters()),
                };
                let is_last = !matches!(message, Message::Frame(_));
                // Nobody listens any more when the span has ended.
                if sender.send(message).is_err() || is_last {
                    break;
                }
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
            skip_until,
            first,
            resume_at,
            end_secs: 0.0,
            counters: FrameCounters::default(),
        })
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
        self.number += 1;
        self.end_secs = frame.time_secs + frame.duration_secs;
        Next::Frame(self.number - 1, frame)
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
    fn next(&mut self, info: &StreamInfo) -> Next {
        loop {
            let next = self.any_next();
            let Next::Frame(number, frame) = next else { return next };
            if self.skip_until.is_some_and(|point| span::is_before(info, point, number, frame.pts_ticks)) {
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

//! The decoder: a file in, frames out, each once and in presentation order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::av::{AvError, AvFrame, AvPacket, Codec, Input, Interrupt, Read, Received};
use super::earlier::Passed;
use super::error::MediaError;
use super::index::FrameIndex;
use super::info::{FrameCounters, StreamInfo};
use super::pictures::PictureMaker;
use super::source::Source;
use super::timeline::Timeline;
use crate::picture::Frame;

/// Frames whose timestamps are remembered, 8 bytes each: nineteen hours at 60 a second.
const MAX_KNOWN: usize = 1 << 22;
/// Errors of reading in a row after which the file is taken to have ended.
const MAX_READ_ERRORS: u32 = 64;
/// Refusals in a row, with no packets left, after which the decoder is taken to have ended.
const MAX_DRAIN_ERRORS: u32 = 256;

/// An open video.
pub struct Decoder {
    pub(super) source: Source,
    pub(super) input: Input,
    pub(super) stream: usize,
    pub(super) codec: Codec,
    pub(super) timeline: Timeline,
    pub(super) info: StreamInfo,
    pub(super) counters: FrameCounters,
    /// Packets read ahead, before those that the input still holds.
    pub(super) packets: VecDeque<AvPacket>,
    /// Frames decoded ahead, before those that the codec still holds.
    pub(super) ready: VecDeque<Timed>,
    /// Whether the input has given its last packet.
    pub(super) input_ended: bool,
    /// Whether the codec was told so.
    pub(super) draining: bool,
    /// Index of the next frame to come out of the codec, while it is known.
    pub(super) next_index: Option<u64>,
    /// Timestamp of the first frame without an index of those that came lately with none left out between them, and how
    /// many these are.
    pub(super) unnumbered: Option<(i64, u64)>,
    /// Bytes of the buffers of a frame that came lately.
    pub(super) frame_bytes: Option<usize>,
    /// Whether the first frame is of two fields.
    pub(super) begins_interlaced: bool,
    /// Timestamp of the last frame that came out of the codec.
    pub(super) last_pts: Option<i64>,
    /// Timestamps of the frames from the first on, as far as they were ever decoded without a gap.
    pub(super) known: Vec<i64>,
    /// All frames' timestamps, once the packets have told them.
    pub(super) index: Option<Arc<FrameIndex>>,
    /// Timestamps of the packets whose frames the codec still holds; `None` for packets without one.
    pub(super) in_codec: Vec<Option<i64>>,
    /// The last packet that was read: its presentation timestamp, and whether the container calls it corrupt.
    pub(super) last_packet: Option<(Option<i64>, bool)>,
    /// Timestamp of the last frame whose packet could not all be read, and whether it came after the last packet.
    pub(super) broken: Option<(Option<i64>, bool)>,
    /// Decoding timestamp of the last packet that was read.
    pub(super) last_read_dts: Option<i64>,
    /// The frame with this timestamp was handed out before the codec reached it again.
    pub(super) shown_ahead: Option<i64>,
    /// Packets with a timestamp before this one need not be decoded unless other pictures refer to them.
    pub(super) skip_before: Option<i64>,
    /// Frames before this timestamp refer to pictures from before the seek and are dropped; ends with the first other.
    pub(super) drop_before: Option<i64>,
    /// Frames before this timestamp may be missing from here on.
    pub(super) gap_until: Option<i64>,
    /// Frames that were decoded on the way to the last seek's target, right before it.
    pub(super) passed: Passed,
    /// When the search for a frame near a time is to end with what it has.
    pub(super) near_until: Option<Instant>,
    /// While earlier frames are fetched, how long before the target decoding is to begin, in seconds.
    pub(super) back_secs: Option<f64>,
    pub(super) pictures: PictureMaker,
    pub(super) serial: u64,
}

/// A decoded frame with its place in time.
pub(super) struct Timed {
    pub(super) frame: AvFrame,
    pub(super) pts: i64,
    pub(super) index: Option<u64>,
}

/// Ends a decoder's blocking reads from another thread.
#[derive(Clone)]
pub struct StopHandle(pub(super) Arc<Interrupt>);

impl StopHandle {
    /// A handle for a decoder that is yet to be opened with it.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Interrupt::new()))
    }

    /// Makes the operation under way and all later ones end with [`MediaError::Stopped`].
    pub fn stop(&self) {
        self.0.stop();
    }

    /// Says whether a later request waits, for which a long seek under way is given up with [`MediaError::Stopped`].
    pub fn set_hurry(&self, hurry: bool) {
        self.0.set_hurry(hurry);
    }

    /// Whether [`stop`](Self::stop) was called.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}

impl Default for StopHandle {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// What is known about the video.
    #[must_use]
    pub const fn info(&self) -> &StreamInfo {
        &self.info
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> FrameCounters {
        FrameCounters { ends_damaged: self.input_ended && self.ends_damaged(), ..self.counters }
    }

    /// Whether the last packet that was read was cut short, or its frame came out damaged.
    fn ends_damaged(&self) -> bool {
        let Some((last_pts, is_corrupt)) = self.last_packet else { return false };
        is_corrupt
            || self.broken.is_some_and(|(pts, is_late)| if last_pts.is_some() { pts == last_pts } else { is_late })
    }

    /// Sentences about what could not be taken as the file has it, so far.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        let later = self.pictures.notes().iter().filter(|note| !self.info.notes.contains(note));
        self.info.notes.iter().chain(later).map(String::as_str)
    }

    /// The number that the frames from now on carry, so that frames of an older seek can be told apart.
    pub const fn set_serial(&mut self, serial: u64) {
        self.serial = serial;
    }

    /// A handle with which another thread can end a blocking read.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(self.source.interrupt()))
    }

    /// The next frame in presentation order; `None` at the end of the video.
    ///
    /// # Errors
    /// [`MediaError`] if reading was stopped or took too long. Damage in the file is no error; see
    /// [`counters`](Self::counters).
    pub fn next_frame(&mut self) -> Result<Option<Frame>, MediaError> {
        while let Some(timed) = self.pull()? {
            let duration_secs = self.duration_secs(&timed)?;
            if let Some(frame) = self.finish(timed, duration_secs) {
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }

    /// The next frame, decoded ahead or fresh from the codec.
    pub(super) fn pull(&mut self) -> Result<Option<Timed>, MediaError> {
        match self.ready.pop_front() {
            Some(timed) => Ok(Some(timed)),
            None => self.decode_timed(),
        }
    }

    /// What the file states, else the time to the next frame, else one frame at the stated rate.
    pub(super) fn duration_secs(&mut self, timed: &Timed) -> Result<f64, MediaError> {
        let ticks = match timed.frame.duration() {
            Some(ticks) => ticks,
            None => {
                if self.ready.is_empty()
                    && let Some(next) = self.decode_timed()?
                {
                    self.ready.push_back(next);
                }
                self.ready.front().map_or(self.timeline.frame_ticks(), |next| next.pts.saturating_sub(timed.pts))
            }
        };
        Ok(self.info.time_base.times(ticks))
    }

    /// The frame with its picture; `None`, counted and logged, if it cannot be read as one.
    fn finish(&mut self, timed: Timed, duration_secs: f64) -> Option<Frame> {
        let frame = self.make_frame(timed, duration_secs)?;
        self.counters.delivered += 1;
        self.counters.damaged += u64::from(frame.damaged);
        Some(frame)
    }

    pub(super) fn make_frame(&mut self, timed: Timed, duration_secs: f64) -> Option<Frame> {
        let Timed { frame, pts, index } = timed;
        let (key, damaged, picture_type) = (frame.is_key(), frame.is_damaged(), frame.picture_type());
        let shown = match self.pictures.make(frame) {
            Ok(shown) => shown,
            Err(reason) => {
                self.counters.unusable += 1;
                log::warn!("{}: a frame is left out: {reason}", self.source.path().display());
                return None;
            }
        };
        Some(Frame {
            picture: shown.picture,
            pts_ticks: pts,
            time_base: self.info.time_base,
            time_secs: self.info.time_base.times(pts.saturating_sub(self.info.start_ticks)),
            duration_secs,
            index,
            serial: self.serial,
            sample_aspect: shown.sample_aspect,
            orientation: shown.orientation,
            key,
            damaged,
            picture_type,
            source: shown.source,
        })
    }

    /// The next frame from the codec, with its place in time.
    pub(super) fn decode_timed(&mut self) -> Result<Option<Timed>, MediaError> {
        while let Some(frame) = self.decode()? {
            let stated = frame.best_effort_timestamp();
            self.in_codec.retain(|sent| stated.is_some() && *sent > stated);
            if let (Some(limit), Some(stated)) = (self.drop_before, stated)
                && stated < limit
            {
                continue;
            }
            self.drop_before = None;
            if self.shown_ahead.take().is_some_and(|shown| stated == Some(shown)) {
                continue;
            }
            return Ok(Some(self.place(frame)));
        }
        Ok(None)
    }

    /// Gives a frame its place in time, and in the count where that is known.
    pub(super) fn place(&mut self, frame: AvFrame) -> Timed {
        let pts = self.timeline.place(frame.best_effort_timestamp());
        let listed = self.known_index(pts);
        if self.index.is_some() && self.next_index.is_some_and(|counted| listed != Some(counted)) {
            // A frame was lost, or no packet told of it: numbers by the packets would be wrong somewhere.
            log::debug!("{}: the frame at {pts} does not come as the packets tell", self.source.path().display());
            self.index = None;
            self.next_index = self.next_index.filter(|counted| *counted == self.known.len() as u64);
        }
        let index = self.next_index.or_else(|| self.known_index(pts));
        // While pictures are left out, the frame after this one is not the next in the count.
        self.next_index = index.filter(|_| self.is_whole_from(pts)).map(|index| index + 1);
        let run = self.unnumbered.take().map_or((pts, 1), |(first, frames)| (first, frames + 1));
        self.unnumbered = (index.is_none() && self.is_whole_from(pts)).then_some(run);
        if index == Some(self.known.len() as u64) && self.known.len() < MAX_KNOWN {
            self.known.push(pts);
        }
        self.last_pts = Some(pts);
        self.frame_bytes = Some(frame.buffer_bytes());
        Timed { frame, pts, index }
    }

    /// Whether no frame from that timestamp on is left out.
    pub(super) fn is_whole_from(&self, pts: i64) -> bool {
        [self.skip_before, self.gap_until].into_iter().flatten().all(|limit| pts >= limit)
    }

    /// The index of a frame that was counted before, where timestamps tell the frames apart.
    fn known_index(&self, pts: i64) -> Option<u64> {
        if !self.info.timed || self.timeline.has_jumped() {
            return None;
        }
        let counted = self.known.binary_search(&pts).ok().map(|index| index as u64);
        counted.or_else(|| self.index.as_ref()?.number_of(pts))
    }

    /// The next frame from the codec.
    fn decode(&mut self) -> Result<Option<AvFrame>, MediaError> {
        let mut drain_errors = 0;
        loop {
            match self.codec.receive() {
                Received::Frame(frame) if frame.is_discarded() => {}
                Received::Frame(frame) => {
                    if frame.is_broken() {
                        self.broken = Some((frame.best_effort_timestamp(), self.draining));
                    }
                    return Ok(Some(frame));
                }
                Received::End => return Ok(None),
                Received::NeedsInput => self.feed()?,
                Received::Refused(error) => {
                    self.refused(error);
                    if self.draining {
                        drain_errors += 1;
                        if drain_errors > MAX_DRAIN_ERRORS {
                            return Ok(None);
                        }
                    } else {
                        self.feed()?;
                    }
                }
            }
        }
    }

    /// Hands the codec its next packet, or the news that there is none.
    fn feed(&mut self) -> Result<(), MediaError> {
        let Some(packet) = self.next_packet()? else {
            self.draining = true;
            match self.codec.send(None) {
                Ok(()) | Err(AvError::EOF) => {}
                // A codec with frame threads tells of an earlier packet here.
                Err(error) => self.refused(error),
            }
            return Ok(());
        };
        let is_before = |limit: i64| packet.pts().is_some_and(|pts| pts < limit);
        self.codec.skip_unreferenced(self.skip_before.is_some_and(is_before));
        match self.codec.send(Some(&packet)) {
            Ok(()) => {
                self.counters.discarded += u64::from(packet.is_discarded());
                self.in_codec.push(packet.pts());
            }
            // The codec wants its frames taken first.
            Err(AvError::AGAIN) => self.packets.push_front(packet),
            Err(error) => self.refused(error),
        }
        Ok(())
    }

    fn refused(&mut self, error: AvError) {
        self.counters.refused_packets += 1;
        log::debug!("{}: the decoder refused a packet: {error}", self.source.path().display());
    }

    fn next_packet(&mut self) -> Result<Option<AvPacket>, MediaError> {
        match self.packets.pop_front() {
            Some(packet) => Ok(Some(packet)),
            None => self.read_packet(),
        }
    }

    /// The next packet of our stream from the input.
    pub(super) fn read_packet(&mut self) -> Result<Option<AvPacket>, MediaError> {
        let mut errors = 0;
        while !self.input_ended {
            self.source.limit_time();
            match self.input.read() {
                Read::Packet(packet) if usize::try_from(packet.stream()) == Ok(self.stream) => {
                    self.last_read_dts = packet.dts();
                    self.last_packet = Some((packet.pts(), packet.is_corrupt()));
                    return Ok(Some(packet));
                }
                Read::Packet(_) => {}
                Read::End => self.input_ended = true,
                Read::Error(error) => {
                    let interrupt = self.source.interrupt();
                    if error == AvError::EXIT || interrupt.is_stopped() || interrupt.is_late() {
                        return Err(self.source.error("reading", error));
                    }
                    if error == AvError::AGAIN {
                        std::thread::sleep(Duration::from_millis(5));
                        continue;
                    }
                    self.counters.read_errors += 1;
                    errors += 1;
                    log::warn!("{}: reading failed: {error}", self.source.path().display());
                    // Bad data may be followed by good; an error of the device or the connection is final.
                    self.input_ended = error != AvError::INVALID_DATA || errors > MAX_READ_ERRORS;
                }
            }
        }
        Ok(None)
    }
}

//! The decoder: a file in, frames out, each once and in presentation order.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::av::{AvError, AvFrame, AvPacket, FramelessPackets, Input, Interrupt, Read, Received};
use super::error::MediaError;
use super::index::FrameIndex;
use super::info::{FrameCounters, StreamInfo};
use super::pictures::{PictureMaker, TimelinePlace};
use super::position::{Count, Origin, PacketSupply, Position, ReadPacket, Timed};
use super::promise::Promise;
use super::repeatable::{Earlier, Means, RepeatableCodec};
use super::source::Source;
use super::tiles::TiledPicture;
use super::timecodes::TimecodeReader;
use super::timeline::Timeline;
use super::timeshift::Timeshift;
use histoscope_core::picture::Frame;

/// Frames whose timestamps are remembered, 8 bytes each: nineteen hours at 60 a second.
const MAX_KNOWN: usize = 1 << 22;
/// Errors of reading in a row after which the file is taken to have ended.
const MAX_READ_ERRORS: u32 = 64;
/// Refusals in a row, with no packets left, after which the decoder is taken to have ended.
const MAX_DRAIN_ERRORS: u32 = 256;

/// An open video. What a seek forgets is in `Position`, which is replaced whole.
pub struct Decoder {
    pub(super) source: Source,
    pub(super) input: Input,
    pub(super) stream: usize,
    pub(super) codec: RepeatableCodec,
    /// The picture that the stream is only a tile of.
    pub(super) tiled: Option<TiledPicture>,
    pub(super) info: StreamInfo,
    pub(super) promise: Promise,
    pub(super) position: Position,
    pub(super) timeline: Timeline,
    pub(super) timecodes: TimecodeReader,
    pub(super) numbers: FrameNumbers,
    pub(super) pictures: PictureMaker,
    pub(super) counters: FrameCounters,
    /// Whether the container states how long frames are shown. Where it does not, FFmpeg makes it up of packets behind those with which it
    /// has learned the rate.
    pub(super) states_durations: bool,
    /// Bytes of the buffers of a frame that came lately.
    pub(super) frame_bytes: Option<usize>,
    pub(super) serial: u64,
    /// Where the packets of a live source are kept.
    pub(super) shift: Option<Arc<Timeshift>>,
}

/// What is known of the frames' numbers in the whole file.
#[derive(Default)]
pub(super) struct FrameNumbers {
    /// Timestamps of the frames from the first on, as far as they were ever decoded without a gap.
    pub(super) counted: Vec<i64>,
    /// All frames' timestamps, once the packets have told them.
    pub(super) list: Option<Arc<FrameIndex>>,
    /// Packets before the first frame that gave none, though they are to be shown.
    pub(super) lost_at_start: u64,
    /// Whether the first frame is of two fields.
    pub(super) begins_interlaced: bool,
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
        let decoded_alone = self.codec.decoded_alone();
        FrameCounters { ends_damaged: self.position.ends_damaged(), decoded_alone, ..self.counters }
    }

    /// Whether damaged frames may be whatever the decoder's threads make of them, so that nobody waits until they are decoded again.
    pub(super) const fn set_hasty(&mut self, hasty: bool) {
        self.codec.set_hasty(hasty);
    }

    /// How long a network source may give no frame from now on.
    pub(super) const fn set_network_limit(&mut self, limit: Duration) {
        self.source.set_network_limit(limit);
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

    /// When the last frame that came out of the codec ends, in seconds from the first frame; `None` where none has come
    /// since the last seek.
    pub(super) fn reached_secs(&self) -> Option<f64> {
        let last = self.position.last_pts?.saturating_sub(self.info.start_ticks);
        Some(self.info.time_base.times(last.saturating_add(self.timeline.frame_ticks())))
    }

    /// Whether this seems to be an MP4 out of a pipe whose index stands behind the frames: FFmpeg has found it at the end, and
    /// cannot go back.
    pub(super) fn has_index_behind(&self) -> bool {
        self.info.container == "mov,mp4,m4a,3gp,3g2,mj2" && !self.source.can_reopen() && self.counters.packets == 0
    }

    /// The next frame in presentation order; `None` at the end of the video.
    ///
    /// # Errors
    /// [`MediaError`] if reading was stopped or took too long. Damage in the file is no error; see
    /// [`counters`](Self::counters).
    pub fn next_frame(&mut self) -> Result<Option<Frame>, MediaError> {
        if self.info.live {
            // A sender whose packets make no picture is as good as none.
            self.source.limit_time();
        }
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
        match self.position.ready.pop_front() {
            Some(timed) => Ok(Some(timed)),
            None => self.decode_timed(),
        }
    }

    /// How long a frame is shown, in ticks, as the file states it.
    pub(super) fn stated_ticks(&self, frame: &AvFrame) -> Option<i64> {
        frame.duration().filter(|_| self.states_durations)
    }

    /// What the file states, else the time to the next frame, else one frame at the stated rate.
    pub(super) fn duration_secs(&mut self, timed: &Timed) -> Result<f64, MediaError> {
        let ticks = match self.stated_ticks(&timed.frame) {
            Some(ticks) => ticks,
            // The next frame is not waited for.
            None if self.info.live => self.timeline.frame_ticks(),
            None => {
                if self.position.ready.is_empty()
                    && let Some(next) = self.decode_timed()?
                {
                    self.position.ready.push_back(next);
                }
                self.position
                    .ready
                    .front()
                    .map_or(self.timeline.frame_ticks(), |next| next.pts.saturating_sub(timed.pts))
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
        let Timed { frame, pts, index, timecode } = timed;
        let time_base = self.info.time_base;
        let place = TimelinePlace {
            pts_ticks: pts,
            time_base,
            time_secs: time_base.times(pts.saturating_sub(self.info.start_ticks)),
            duration_secs,
            index,
            timecode,
            arrival: self.position.last_packet.and_then(|packet| packet.arrival),
        };
        match self.pictures.make_frame(frame, place, self.serial) {
            Ok(frame) => Some(frame),
            Err(reason) => {
                self.counters.unusable += 1;
                // Once is enough: where one frame cannot be read, all may be such.
                let level = if self.counters.unusable == 1 { log::Level::Warn } else { log::Level::Debug };
                log::log!(level, "{}: a frame is left out: {reason}", self.source.path().display());
                None
            }
        }
    }

    /// The next frame from the codec, with its place in time.
    pub(super) fn decode_timed(&mut self) -> Result<Option<Timed>, MediaError> {
        loop {
            let Some(frame) = self.decode()? else {
                if self.has_lost_before(i64::MAX) && self.begin_earlier_for_lost()? {
                    continue;
                }
                return Ok(None);
            };
            self.counters.decoded += 1;
            let stated = frame.best_effort_timestamp();
            let position = &mut self.position;
            if self.numbers.counted.is_empty() && position.last_pts.is_none() {
                let lost = position.in_codec.iter().filter(|sent| stated.is_some() && **sent < stated);
                self.numbers.lost_at_start = lost.count() as u64;
            }
            if stated.is_some_and(|stated| self.has_lost_before(stated)) && self.begin_earlier_for_lost()? {
                continue;
            }
            let position = &mut self.position;
            position.in_codec.retain(|sent| stated.is_some() && *sent > stated);
            if let (Some(limit), Some(stated)) = (position.omission.drop_before, stated)
                && stated < limit
            {
                continue;
            }
            position.omission.drop_before = None;
            if position.omission.shown_ahead.take().is_some_and(|shown| stated == Some(shown)) {
                continue;
            }
            position.damage += u64::from(frame.is_damaged());
            return Ok(Some(self.place(frame)));
        }
    }

    /// Whether the codec has given no frame for a packet before that time, and will not: as the packets end, FFmpeg's H.264 decoder forgets
    /// one that is still to come, if it began shortly before at a keyframe that others are shown before.
    fn has_lost_before(&self, ticks: i64) -> bool {
        let position = &self.position;
        let Some(last) = position.last_pts.map(|pts| self.timeline.stated(pts)) else { return false };
        let is_lost =
            |sent: i64| (last.saturating_add(1)..ticks).contains(&sent) && position.omission.is_whole_from(sent);
        position.supply == PacketSupply::Draining && position.in_codec.iter().flatten().any(|sent| is_lost(*sent))
    }

    /// Has decoding begin earlier because of that, once.
    fn begin_earlier_for_lost(&mut self) -> Result<bool, MediaError> {
        let began = self.codec.began().filter(|_| !self.codec.is_whole() && self.position.back_ticks == 0);
        began.map_or(Ok(false), |than| self.begin_earlier(&Earlier { than }))
    }

    /// Gives a frame its place in time, and in the count where that is known.
    pub(super) fn place(&mut self, frame: AvFrame) -> Timed {
        let frame = match &self.tiled {
            Some(tiled) => tiled.whole(&frame),
            None => frame,
        };
        let pts = self.timeline.place(frame.best_effort_timestamp());
        let index = self.number_next(pts);
        let position = &mut self.position;
        // While pictures are left out, the frame after this one is not the next in the count.
        position.count = match (index, position.count) {
            _ if !position.omission.is_whole_from(pts) => Count::Unknown,
            (Some(index), _) => Count::Next(index + 1),
            (None, Count::Run { first, frames }) => Count::Run { first, frames: frames + 1 },
            (None, _) => Count::Run { first: pts, frames: 1 },
        };
        let counted = &mut self.numbers.counted;
        // What is live is never gone back to.
        if index == Some(counted.len() as u64) && counted.len() < MAX_KNOWN && !self.info.live {
            counted.push(pts);
        }
        position.last_pts = Some(pts);
        self.frame_bytes = Some(frame.buffer_bytes());
        let group = self.codec.group_place(&frame);
        let timecode = self.timecodes.of_frame(&frame, index, group).map(|(timecode, _)| timecode);
        Timed { frame, pts, index, timecode }
    }

    /// The number of the frame that came now, which has this timestamp.
    fn number_next(&mut self, pts: i64) -> Option<u64> {
        let by_timestamp = self.number_of(pts);
        let Count::Next(counted) = self.position.count else { return by_timestamp };
        let is_contradicted = by_timestamp.is_some_and(|number| number != counted);
        let is_unlisted = self.numbers.list.is_some() && by_timestamp.is_none();
        if !is_contradicted && !is_unlisted {
            return Some(counted);
        }
        // A frame was lost, or no packet told of it: numbers by the packets would be wrong somewhere.
        log::debug!("{}: the frame at {pts} does not come as the packets tell", self.source.path().display());
        self.numbers.list = None;
        self.position.told = None;
        (counted == self.numbers.counted.len() as u64).then_some(counted)
    }

    /// The number of a frame that was counted before or that packets tell of, where timestamps tell the frames apart.
    fn number_of(&self, pts: i64) -> Option<u64> {
        if self.position.origin == Origin::Guess || !self.info.timed || self.timeline.has_jumped() {
            return None;
        }
        let counted = || self.numbers.counted.binary_search(&pts).ok().map(|index| index as u64);
        let told = || self.position.told.as_ref()?.number_of(pts);
        counted().or_else(told).or_else(|| self.numbers.list.as_ref()?.number_of(pts))
    }

    /// The next frame from the codec.
    fn decode(&mut self) -> Result<Option<AvFrame>, MediaError> {
        let mut drain_errors = 0;
        loop {
            let interrupt = self.source.interrupt();
            let means = Means {
                parameters: self.input.stream(self.stream),
                is_wanted: &|| !interrupt.is_stopped() && !interrupt.is_hurried(),
            };
            let received = match self.codec.receive(&means) {
                Ok(received) => received,
                Err(earlier) => {
                    self.begin_earlier(&earlier)?;
                    continue;
                }
            };
            match received {
                Received::Frame(frame) if frame.is_discarded() => {}
                Received::Frame(frame) => {
                    if frame.is_broken() {
                        let is_late = self.position.supply == PacketSupply::Draining;
                        self.position.broken = Some((frame.best_effort_timestamp(), is_late));
                    }
                    return Ok(Some(frame));
                }
                Received::End => return Ok(None),
                Received::NeedsInput => self.feed()?,
                Received::Refused(error) => {
                    self.refused(error);
                    if self.position.supply == PacketSupply::Draining {
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
            self.position.supply = PacketSupply::Draining;
            match self.codec.send(None) {
                Ok(()) | Err(AvError::EOF) => {}
                // A codec with frame threads tells of an earlier packet here.
                Err(error) => self.refused(error),
            }
            return Ok(());
        };
        let is_before = |limit: i64| packet.pts().is_some_and(|pts| pts < limit);
        let is_skipped = self.position.omission.skip_before.is_some_and(is_before);
        self.codec.skip_unreferenced(is_skipped);
        let is_left_out = self.codec.can_do_without(&packet);
        let sent = if is_left_out {
            self.counters.left_out += 1;
            self.codec.leave_out(&packet);
            Ok(())
        } else {
            self.codec.send(Some(&packet))
        };
        match sent {
            Ok(()) => {
                if packet.is_discarded() {
                    self.counters.discarded += 1;
                } else if !FramelessPackets::always_has(&self.info.codec, &packet) {
                    self.position.in_codec.push(packet.pts());
                }
            }
            // The codec wants its frames taken first.
            Err(AvError::AGAIN) => self.position.packets.push_front(packet),
            Err(error) => self.refused(error),
        }
        Ok(())
    }

    fn refused(&mut self, error: AvError) {
        self.counters.refused_packets += 1;
        self.position.damage += 1;
        let is_counted_on = matches!(self.position.count, Count::Next(_)) && self.position.origin != Origin::Start;
        if is_counted_on && self.numbers.list.is_none() {
            // Nothing else would tell that its frame is missing.
            self.position.count = Count::Unknown;
        }
        log::debug!("{}: the decoder refused a packet: {error}", self.source.path().display());
    }

    fn next_packet(&mut self) -> Result<Option<AvPacket>, MediaError> {
        match self.position.packets.pop_front() {
            Some(packet) => Ok(Some(packet)),
            None => self.read_packet(),
        }
    }

    /// The next packet of our stream from the input.
    pub(super) fn read_packet(&mut self) -> Result<Option<AvPacket>, MediaError> {
        let mut errors = 0;
        while self.position.supply == PacketSupply::Flowing {
            if !self.info.live {
                self.source.limit_time();
            } else if self.source.interrupt().is_late() {
                return Err(self.source.error("reading", AvError::EXIT));
            }
            match self.input.read() {
                Read::Packet(packet) if usize::try_from(packet.stream()) == Ok(self.stream) => {
                    let packet = match self.source.sequence() {
                        Some(sequence) => packet.later_by(i64::from(sequence.before())),
                        None => packet,
                    };
                    if self.is_unsettled(&packet) {
                        self.end_input()?;
                        continue;
                    }
                    self.counters.packets += 1;
                    let arrival = self.info.live.then(SystemTime::now);
                    let (pts, dts, is_corrupt) = (packet.pts(), packet.dts(), packet.is_corrupt());
                    self.position.last_packet = Some(ReadPacket { pts, dts, is_corrupt, arrival });
                    if let Some(shift) = &self.shift {
                        shift.note_packet(&packet);
                    }
                    return Ok(Some(packet));
                }
                Read::Packet(_) => {}
                Read::End => self.end_input()?,
                Read::Error(AvError::IO) if self.source.may_lack_pictures() => self.end_input()?,
                Read::Denied(denied) => return Err(self.source.denied(denied)),
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
                    // Once is enough: a demuxer that has lost its way fails many times in a row.
                    let is_news = self.counters.read_errors == 1 && !self.has_index_behind();
                    let level = if is_news { log::Level::Warn } else { log::Level::Debug };
                    log::log!(level, "{}: reading failed: {error}", self.source.path().display());
                    // Bad data may be followed by good; an error of the device or the connection is final.
                    if error != AvError::INVALID_DATA || errors > MAX_READ_ERRORS {
                        self.position.supply = PacketSupply::Ended;
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether a packet is of a picture behind those that are whole: FFmpeg finds one that is still being written, too.
    fn is_unsettled(&self, packet: &AvPacket) -> bool {
        let count = self.source.sequence().map(|sequence| i64::from(sequence.count()));
        count.is_some_and(|count| packet.pts().is_some_and(|pts| pts >= count))
    }

    /// The input has given its last packet: there are no more, or pictures have been written meanwhile, for which this waits.
    fn end_input(&mut self) -> Result<(), MediaError> {
        if !self.source.await_next()? {
            self.position.supply = PacketSupply::Ended;
            return Ok(());
        }
        self.input = self.source.open()?;
        self.input.select(self.stream);
        Ok(())
    }
}

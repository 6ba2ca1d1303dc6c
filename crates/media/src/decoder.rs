//! The decoder: a file in, frames out, each once and in presentation order.
//!
//! Its packets come from a [source](super::packets::PacketSource): a file that is read, or what is kept of a live source. Search, draining and everything
//! behind them are the same for both; they differ in where a seek begins, and in who knows the place of a frame in time.

use std::sync::Arc;
use std::time::Duration;

use super::av::{AvError, AvFrame, Interrupt, Received};
use super::error::MediaError;
use super::guarantee::SeekGuarantee;
use super::index::{FrameIndex, Lister, Listing};
use super::info::{FrameCounters, StreamInfo};
use super::numbering::{Numbering, has_one_frame_a_packet};
use super::packets::Packets;
use super::pictures::{PictureMaker, TimelinePlace};
use super::position::{Origin, Position, Timed};
use super::stream_codec::{Sent, StreamCodec};
use super::tiles::TiledPicture;
use super::timecodes::TimecodeReader;
use super::timeline::Timeline;
use histoscope_core::picture::Frame;

mod open;
mod seek;

#[cfg(test)]
mod kept_tests;

/// Refusals in a row, with no packets left, after which the codec is taken to have ended.
const MAX_DRAIN_ERRORS: u32 = 256;

/// An open video.
pub struct Decoder {
    packets: Packets,
    codec: StreamCodec,
    /// The picture that the stream is only a tile of.
    tiled: Option<TiledPicture>,
    info: StreamInfo,
    guarantee: SeekGuarantee,
    position: Position,
    timeline: Timeline,
    timecodes: TimecodeReader,
    numbers: Numbering,
    pictures: PictureMaker,
    counters: FrameCounters,
    /// True if the container states how long frames are shown. Where it does not, FFmpeg makes it up of packets behind those with which it
    /// has learned the rate.
    states_durations: bool,
    /// True if the first frame is of two fields.
    begins_interlaced: bool,
    /// Bytes of the buffers of a frame that came lately.
    frame_bytes: Option<usize>,
    serial: u64,
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

    /// Returns whether [`stop`](Self::stop) was called.
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
    /// Returns what is known about the video.
    #[must_use]
    pub const fn info(&self) -> &StreamInfo {
        &self.info
    }

    /// Returns what was counted so far.
    #[must_use]
    pub fn counters(&self) -> FrameCounters {
        let ends_damaged = self.packets.last_of_all().is_some_and(|last| self.position.ends_damaged(last));
        let (packets, read_errors) = self.packets.opened().map_or((0, 0), |demuxer| demuxer.counts());
        FrameCounters { ends_damaged, packets, read_errors, ..self.counters }
    }

    /// Returns whether it decodes what is kept of a live source.
    pub(super) const fn reads_kept(&self) -> bool {
        self.packets.kept().is_some()
    }

    /// Sets how long a network source may give no frame from now on.
    pub(super) const fn set_network_limit(&mut self, limit: Duration) {
        self.packets.set_network_limit(limit);
    }

    /// Returns sentences about what could not be taken as the file has it, so far.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        let later = self.pictures.notes().iter().filter(|note| !self.info.notes.contains(note));
        self.info.notes.iter().chain(later).map(String::as_str)
    }

    /// Sets the number that the frames from now on carry, so that frames of an older seek can be told apart.
    pub const fn set_serial(&mut self, serial: u64) {
        self.serial = serial;
    }

    /// Returns a handle with which another thread can end a blocking read.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(self.packets.interrupt()))
    }

    /// Returns when the last frame that came out of the codec ends, in seconds from the first frame; `None` where none has come since the
    /// last seek.
    pub(super) fn reached_secs(&self) -> Option<f64> {
        let last = self.position.last_pts?.saturating_sub(self.info.start_ticks);
        Some(self.info.time_base.times(last.saturating_add(self.timeline.frame_ticks())))
    }

    /// Returns the file's own timestamp of a frame that came lately.
    pub(super) fn stated_ticks(&self, frame: &Frame) -> i64 {
        self.timeline.stated(frame.pts_ticks)
    }

    /// Returns the next frame in presentation order; `None` at the end of the video.
    ///
    /// # Errors
    /// [`MediaError`] if reading was stopped or took too long. Damage in the file is no error; see
    /// [`counters`](Self::counters).
    pub fn next_frame(&mut self) -> Result<Option<Frame>, MediaError> {
        if let Some(demuxer) = self.packets.opened().filter(|demuxer| demuxer.is_live()) {
            // A sender whose packets make no picture is as good as none.
            demuxer.source().limit_time();
        }
        loop {
            while let Some(timed) = self.pull()? {
                let duration_secs = self.duration_secs(&timed)?;
                if let Some(frame) = self.make_frame(timed, duration_secs) {
                    self.counters.delivered += 1;
                    self.counters.damaged += u64::from(frame.damaged);
                    return Ok(Some(frame));
                }
            }
            if !self.follow_sender()? {
                return Ok(None);
            }
        }
    }

    /// Takes the next frame, decoded ahead or fresh from the codec.
    fn pull(&mut self) -> Result<Option<Timed>, MediaError> {
        match self.position.ready.pop_front() {
            Some(timed) => Ok(Some(timed)),
            None => self.decode_timed(),
        }
    }

    /// Returns how long a frame is shown: what the file states, else the time to the next frame, else one frame at the stated rate.
    fn duration_secs(&mut self, timed: &Timed) -> Result<f64, MediaError> {
        if let Some(secs) = timed.stated_secs {
            return Ok(secs);
        }
        let mut ticks = self.timeline.frame_ticks();
        // The next frame of what is live is not waited for.
        if !self.info.live {
            if self.position.ready.is_empty()
                && let Some(next) = self.decode_timed()?
            {
                self.position.ready.push_back(next);
            }
            ticks = self.position.next_pts().map_or(ticks, |next| next.saturating_sub(timed.pts));
        }
        Ok(self.info.time_base.times(ticks))
    }

    /// Makes the frame with its picture; `None`, counted and logged, if it cannot be read as one.
    fn make_frame(&mut self, timed: Timed, duration_secs: f64) -> Option<Frame> {
        let place = TimelinePlace { duration_secs, ..timed.place };
        match self.pictures.make_frame(timed.frame, place, self.serial) {
            Ok(frame) => Some(frame),
            Err(reason) => {
                self.counters.unusable += 1;
                // Once is enough: where one frame cannot be read, all may be such.
                let level = if self.counters.unusable == 1 { log::Level::Warn } else { log::Level::Debug };
                log::log!(level, "{}: a frame is left out: {reason}", self.info.path.display());
                None
            }
        }
    }

    /// Decodes the next frame, and finds its place in time.
    fn decode_timed(&mut self) -> Result<Option<Timed>, MediaError> {
        loop {
            let Some(frame) = self.decode()? else {
                if self.has_lost_before(i64::MAX) && self.begin_earlier()? {
                    continue;
                }
                return Ok(None);
            };
            self.counters.decoded += 1;
            let stated = frame.best_effort_timestamp();
            if self.numbers.is_empty() && self.position.last_pts.is_none() {
                self.numbers.lost_at_start = self.codec.lost_before(stated) as u64;
            }
            if stated.is_some_and(|stated| self.has_lost_before(stated)) && self.begin_earlier()? {
                continue;
            }
            self.codec.forget_up_to(stated);
            if self.position.omission.drops(stated) {
                continue;
            }
            self.position.damage += u64::from(frame.is_damaged());
            if let Some(timed) = self.place(frame) {
                return Ok(Some(timed));
            }
        }
    }

    /// Returns whether the codec has given no frame for a packet before that time, and will not: as the packets end, FFmpeg's H.264 decoder
    /// forgets one that is still to come, if it began shortly before at a keyframe that others are shown before.
    fn has_lost_before(&self, ticks: i64) -> bool {
        let Some(last) = self.position.last_pts.map(|pts| self.timeline.stated(pts)) else { return false };
        let omission = &self.position.omission;
        let is_lost = |sent: i64| (last.saturating_add(1)..ticks).contains(&sent) && omission.is_whole_from(sent);
        self.codec.is_draining() && self.codec.owes(is_lost)
    }

    /// Finds a frame's place in time; `None` of a kept one that has not come on time.
    fn place(&mut self, frame: AvFrame) -> Option<Timed> {
        self.frame_bytes = Some(frame.buffer_bytes());
        if let Some(kept) = self.packets.kept() {
            let pts = frame.best_effort_timestamp()?;
            let place = kept.place_of(pts)?;
            self.position.last_pts = Some(pts);
            return Some(Timed { frame, pts, place, stated_secs: Some(place.duration_secs) });
        }
        Some(self.place_next(frame))
    }

    /// Gives the next frame of a file its place in time, and in the count where that is known.
    fn place_next(&mut self, frame: AvFrame) -> Timed {
        let frame = match &self.tiled {
            Some(tiled) => tiled.whole(&frame),
            None => frame,
        };
        let pts = self.timeline.place(frame.best_effort_timestamp());
        let is_timed = self.position.origin != Origin::Guess && self.info.timed && !self.timeline.has_jumped();
        let is_whole = self.position.omission.is_whole_from(pts);
        // What is live is never gone back to.
        let index = self.numbers.number_next(pts, (is_timed, is_whole, !self.info.live));
        self.position.last_pts = Some(pts);
        let group = self.codec.group_place(&frame);
        let time_base = self.info.time_base;
        let stated_ticks = frame.duration().filter(|_| self.states_durations);
        let place = TimelinePlace {
            pts_ticks: pts,
            time_base,
            time_secs: time_base.times(pts.saturating_sub(self.info.start_ticks)),
            duration_secs: 0.0,
            index,
            timecode: self.timecodes.of_frame(&frame, index, group).map(|(timecode, _)| timecode),
            arrival: self.packets.last().and_then(|packet| packet.arrival),
        };
        Timed { frame, pts, place, stated_secs: stated_ticks.map(|ticks| time_base.times(ticks)) }
    }

    /// Takes the next frame from the codec.
    fn decode(&mut self) -> Result<Option<AvFrame>, MediaError> {
        let mut drain_errors = 0;
        loop {
            match self.codec.receive() {
                Received::Frame(frame) if frame.is_discarded() => {}
                Received::Frame(frame) => {
                    let is_broken = frame.is_broken() && self.codec.tells_errors_in_time();
                    self.position.note_frame(frame.best_effort_timestamp(), is_broken, self.codec.is_draining());
                    return Ok(Some(frame));
                }
                Received::End => return Ok(None),
                Received::NeedsInput => self.feed()?,
                Received::Refused(error) => {
                    self.refused(error);
                    if self.codec.is_draining() {
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

    /// Hands the codec its next packet, or tells it that there is none.
    fn feed(&mut self) -> Result<(), MediaError> {
        let Some(packet) = self.packets.next()? else {
            if let Err(error) = self.codec.drain() {
                self.refused(error);
            }
            return Ok(());
        };
        let is_discarded = packet.is_discarded();
        let skip_before = self.position.omission.skip_before;
        let is_needed = skip_before.is_none_or(|limit| packet.pts().is_none_or(|pts| pts >= limit));
        let sent = self.codec.send(packet, is_needed, &self.info.codec);
        self.counters.left_out += u64::from(matches!(sent, Sent::LeftOut));
        match sent {
            Sent::Taken | Sent::LeftOut => self.counters.discarded += u64::from(is_discarded),
            Sent::Full(packet) => self.packets.put_back(packet),
            Sent::Refused(error) => self.refused(error),
        }
        Ok(())
    }

    fn refused(&mut self, error: AvError) {
        self.counters.refused_packets += 1;
        self.position.damage += 1;
        if self.position.origin != Origin::Start {
            self.numbers.note_refusal();
        }
        log::debug!("{}: the decoder refused a packet: {error}", self.info.path.display());
    }

    /// Reads all packets once, from a second look at the source; `None` where packets do not tell the frames beyond
    /// doubt (no timestamps, repeated or jumping ones, codecs with hidden frames) or the source can be read only once.
    /// `go_on` is asked now and then; when it says no, the answer is `None` too.
    ///
    /// # Errors
    /// [`MediaError`] if the source cannot be opened again.
    pub fn frame_index(&self, go_on: impl Fn() -> bool) -> Result<Option<FrameIndex>, MediaError> {
        let sequence = self.packets.opened().and_then(|demuxer| demuxer.source().sequence());
        if let Some(sequence) = sequence.filter(|_| !self.info.live) {
            return Ok(Some(FrameIndex::of_pictures(sequence.count())));
        }
        let Some(lister) = self.lister().filter(|_| self.has_plain_packets()) else { return Ok(None) };
        Ok(match lister.list(go_on)? {
            Listing::Rising(index) => Some(index),
            Listing::Unclear => None,
        })
    }

    /// Returns a second look at the source; `None` where it has no timestamps or can be read only once.
    pub(super) fn lister(&self) -> Option<Lister> {
        let demuxer = self.packets.opened()?;
        let is_listable =
            demuxer.source().can_reopen() && self.info.seekable && self.info.timed && self.guarantee.has_times();
        is_listable.then(|| Lister {
            source: demuxer.source().clone(),
            stream: demuxer.stream(),
            start_ticks: self.info.start_ticks,
            tick_secs: self.info.time_base.value(),
            is_split: self.is_split(),
        })
    }

    /// Has seeks rely on what the container says until the packets are listed aside; returns whether they have to be listed.
    pub(super) fn trust_container(&mut self) -> bool {
        let is_unlisted = self.guarantee.is_unlisted();
        if is_unlisted {
            self.guarantee = SeekGuarantee::Unlisted { aside: true };
        }
        is_unlisted
    }

    /// Takes the list of the packets. Returns whether the frames since the last seek may be the wrong ones: it went by what the container
    /// says, and the packets do not bear that out.
    pub(super) fn learn(&mut self, listing: Listing) -> bool {
        let was_guessed = self.position.origin == Origin::Guess;
        match listing {
            Listing::Rising(index) => _ = self.adopt(index),
            Listing::Unclear if self.guarantee.is_unlisted() => self.guarantee = SeekGuarantee::Nothing,
            Listing::Unclear => {}
        }
        was_guessed && matches!(self.guarantee, SeekGuarantee::Nothing)
    }

    /// Numbers the frames from now on by that list, unless those that came so far are not its frames.
    pub fn adopt(&mut self, index: FrameIndex) -> Option<Arc<FrameIndex>> {
        let is_plain = self.has_plain_packets();
        let is_timed = self.info.timed && !self.timeline.has_jumped() && self.guarantee.has_times();
        let agrees = is_timed && self.numbers.agrees_with(&index, self.position.last_pts, is_plain);
        if !agrees {
            log::debug!("{}: the frames do not come as the packets tell", self.info.path.display());
        }
        if self.guarantee.is_unlisted() {
            self.guarantee = if agrees { SeekGuarantee::Keyframes } else { SeekGuarantee::Nothing };
            if agrees && self.position.origin == Origin::Guess {
                // The list bears out what was taken on trust.
                self.position.origin = Origin::Keyframe;
            }
        }
        self.numbers.set_list((agrees && is_plain).then(|| Arc::new(index)));
        self.numbers.list().cloned()
    }

    /// Returns the list that the frames are numbered by, if there is one.
    pub(super) const fn adopted(&self) -> Option<&Arc<FrameIndex>> {
        self.numbers.list()
    }

    /// Returns whether each packet is a frame or says that it is none, so that counting packets is counting frames.
    fn has_plain_packets(&self) -> bool {
        self.info.timed && has_one_frame_a_packet(&self.info.codec, &self.info.container) && !self.is_split()
    }

    /// Returns whether two packets may make a frame, as transport streams have them of interlaced video.
    fn is_split(&self) -> bool {
        let is_of_fields = self.begins_interlaced && matches!(self.info.codec.as_str(), "h264" | "hevc");
        self.info.container == "mpegts" && is_of_fields
    }
}

//! The decoder: turns a file into frames, each delivered once and in presentation order.
//!
//! Its packets come from a [source](crate::read::packets::PacketSource): a file that is being read, or the stored
//! packets of a live source. Searching, draining and all later steps are the same for both. They differ in where a seek
//! starts decoding, and in how the time of a frame is determined.

use std::sync::Arc;
use std::time::Duration;

use crate::av::{Accelerator, AvError, AvFrame, AvPacket, Interrupt, Received};
use crate::decode::pictures::PictureMaker;
use crate::decode::position::{Origin, Position, Timed};
use crate::decode::stills::StillColors;
use crate::decode::stream_codec::{Sent, StreamCodec};
use crate::decode::tiles::TiledPicture;
use crate::error::{MediaError, MediaFault};
use crate::read::demuxer::Demuxer;
use crate::read::guarantee::SeekGuarantee;
use crate::read::hardware;
use crate::read::info::{FrameCounters, StreamInfo};
use crate::read::packets::Packets;
use crate::read::source::Source;
use crate::read::stated::FramePosition;
use crate::times::index::{FrameIndex, Lister, Listing};
use crate::times::numbering::Numbering;
use crate::times::timecodes::TimecodeReader;
use crate::times::timeline::Timeline;
use histoscope_core::picture::Frame;

mod decision;
mod open;
mod seek;

#[cfg(test)]
mod hardware_tests;
#[cfg(test)]
mod kept_tests;

/// Consecutive refusals, with no packets left, after which the codec is considered to have ended.
const MAX_DRAIN_ERRORS: u32 = 256;

/// An open video.
pub struct Decoder {
    packets: Packets,
    codec: StreamCodec,
    /// A decoder in software whose frames are compared with those of this one; `None` unless that is requested.
    twin: Option<Box<Self>>,
    /// The picture assembled from tiles, if the stream is one of them.
    tiled: Option<TiledPicture>,
    info: StreamInfo,
    guarantee: SeekGuarantee,
    /// Timestamps of the keyframes at which decoding may start, once the packets have been listed.
    starts: Option<Vec<i64>>,
    /// `true` if the packets have been listed, or another thread lists them.
    is_listed: bool,
    position: Position,
    timeline: Timeline,
    timecodes: TimecodeReader,
    numbers: Numbering,
    pictures: PictureMaker,
    counters: FrameCounters,
    /// Colours that still pictures' headers state.
    stills: StillColors,
    /// `true` if the container states frame durations. If it does not, FFmpeg makes them up, but only for packets after
    /// those from which it learned the frame rate.
    states_durations: bool,
    /// `true` if each packet holds one frame or is marked as holding none.
    has_one_frame_a_packet: bool,
    /// `true` if the first frame is interlaced.
    begins_interlaced: bool,
    /// Size of the last decoded frame's buffers, in bytes.
    frame_bytes: Option<usize>,
    serial: u64,
    /// `true` if the user named the hardware that is to decode.
    is_hardware_named: bool,
    /// The first packet, until a frame has been decoded.
    first_packet: Option<AvPacket>,
}

/// Interrupts a decoder's blocking reads from another thread.
#[derive(Clone)]
pub struct StopHandle(pub(crate) Arc<Interrupt>);

impl StopHandle {
    /// Creates a handle for a decoder that has yet to be opened with it.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Interrupt::new()))
    }

    /// Makes the current operation and all later ones fail with [`MediaFault::Stopped`].
    pub fn stop(&self) {
        self.0.stop();
    }

    /// Sets whether a newer request is waiting. If so, a long seek in progress is abandoned with
    /// [`MediaFault::Stopped`].
    pub fn set_request_waiting(&self, is_waiting: bool) {
        self.0.set_request_waiting(is_waiting);
    }

    /// Returns `true` if [`stop`](Self::stop) has been called.
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
    /// Returns the facts about the video.
    #[must_use]
    pub const fn info(&self) -> &StreamInfo {
        &self.info
    }

    /// Returns the counters as they are now.
    #[must_use]
    pub fn counters(&self) -> FrameCounters {
        let ends_damaged = self.packets.last_of_all().is_some_and(|last| self.position.ends_damaged(last));
        let opened = self.packets.opened();
        let (packets, read_errors) = opened.map_or((0, 0), |demuxer| demuxer.counts());
        let left_out_part = opened.and_then(|demuxer| demuxer.left_out_part());
        FrameCounters { ends_damaged, packets, read_errors, left_out_part, ..self.counters }
    }

    /// Returns `true` if this decoder reads the stored packets of a live source.
    pub(crate) const fn reads_kept(&self) -> bool {
        self.packets.kept().is_some()
    }

    /// Sets how long a network source may go without delivering a frame from now on.
    pub(crate) const fn set_network_limit(&mut self, limit: Duration) {
        self.packets.set_network_limit(limit);
    }

    /// Returns the notes so far on anything that could not be used as stored in the file, one sentence each.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        let later = self.pictures.notes().iter().filter(|note| !self.info.notes.contains(note));
        self.info.notes.iter().chain(later).map(String::as_str)
    }

    /// Sets the serial that all later frames carry, which tells them apart from frames of an older seek.
    pub const fn set_serial(&mut self, serial: u64) {
        self.serial = serial;
    }

    /// Returns a handle with which another thread can interrupt a blocking read.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(self.packets.interrupt()))
    }

    /// Returns the end time of the last frame out of the codec, in seconds from the first frame; `None` if there has
    /// been none since the last seek.
    pub(crate) fn reached_secs(&self) -> Option<f64> {
        let last = self.position.last_pts?.saturating_sub(self.info.start_ticks);
        Some(self.info.time_base.times(last.saturating_add(self.timeline.frame_ticks())))
    }

    /// Returns the file's own timestamp of a recently decoded frame.
    pub(crate) fn stated_ticks(&self, frame: &Frame) -> i64 {
        self.timeline.stated(frame.pts_ticks)
    }

    /// Returns the next frame in presentation order; `None` at the end of the video.
    ///
    /// # Errors
    /// [`MediaError`] if reading was stopped or timed out. Damage in the file is not an error; see
    /// [`counters`](Self::counters).
    pub fn next_frame(&mut self) -> Result<Option<Frame>, MediaError> {
        let frame = self.next_own_frame()?;
        self.compare_with_twin(frame.as_ref())?;
        Ok(frame)
    }

    /// Returns the number of decoders of the hardware that decodes, if it tells.
    #[must_use]
    pub fn hardware_engines(&self) -> Option<usize> {
        match self.codec.hardware()? {
            Accelerator::Device(device) => device.engines(),
            #[cfg(test)]
            Accelerator::Made(_) => None,
        }
    }

    /// Fails if software decodes the frame differently.
    fn compare_with_twin(&mut self, frame: Option<&Frame>) -> Result<(), MediaError> {
        let Some(twin) = &mut self.twin else { return Ok(()) };
        let expected = twin.next_frame()?;
        let difference = match (&expected, frame) {
            (Some(expected), Some(frame)) => hardware::difference(expected, frame),
            (None, None) => None,
            _ => Some("whether it exists"),
        };
        let Some(difference) = difference else { return Ok(()) };
        let hardware = self.codec.hardware().or_else(|| Some(self.codec.failure()?.hardware));
        Err(MediaFault::HardwareDiffers {
            hardware: hardware.map_or("software", Accelerator::name),
            seconds: expected.as_ref().or(frame).map_or(0.0, |frame| frame.time_secs),
            difference,
        }
        .of(self.info.path.clone()))
    }

    fn next_own_frame(&mut self) -> Result<Option<Frame>, MediaError> {
        if let Some(demuxer) = self.packets.opened().filter(|demuxer| demuxer.is_live()) {
            // A sender whose packets produce no picture counts as silent.
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

    /// Takes the next frame, either one decoded ahead or a new one from the codec.
    fn pull(&mut self) -> Result<Option<Timed>, MediaError> {
        match self.position.ready.pop_front() {
            Some(timed) => Ok(Some(timed)),
            None => self.decode_timed(),
        }
    }

    /// Returns how long a frame is shown: the duration in the file, else the time to the next frame, else one frame at
    /// the stated rate.
    fn duration_secs(&mut self, timed: &Timed) -> Result<f64, MediaError> {
        if let Some(secs) = timed.stated_secs {
            return Ok(secs);
        }
        let mut ticks = self.timeline.frame_ticks();
        // In a live source, the next frame is not waited for.
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

    /// Makes a frame with its picture. If the picture cannot be read, counts and logs that, and returns `None`.
    fn make_frame(&mut self, timed: Timed, duration_secs: f64) -> Option<Frame> {
        let position = FramePosition { duration_secs, ..timed.position };
        match self.pictures.make_frame(timed.frame, position, self.serial) {
            Ok(frame) => Some(frame),
            Err(reason) => {
                self.counters.unusable += 1;
                // One warning is enough: if one frame cannot be read, perhaps none can.
                let level = if self.counters.unusable == 1 { log::Level::Warn } else { log::Level::Debug };
                log::log!(level, "{}: a frame was left out: {reason}", self.info.path.display());
                None
            }
        }
    }

    /// Decodes the next frame and determines its time.
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

    /// Returns `true` if the codec has produced no frame for a packet before that time and never will. At the end of
    /// the packets, FFmpeg's H.264 decoder drops a pending frame if decoding began shortly before at a keyframe that
    /// other frames are shown before.
    fn has_lost_before(&self, ticks: i64) -> bool {
        let Some(last) = self.position.last_pts.map(|pts| self.timeline.stated(pts)) else { return false };
        let omission = &self.position.omission;
        let is_lost = |sent: i64| (last.saturating_add(1)..ticks).contains(&sent) && omission.is_whole_from(sent);
        self.codec.is_draining() && self.codec.owes(is_lost)
    }

    /// Determines the time of a frame; `None` if it is a stored frame whose time was not recorded when it was received.
    fn place(&mut self, frame: AvFrame) -> Option<Timed> {
        self.frame_bytes = Some(frame.buffer_bytes());
        if let Some(kept) = self.packets.kept() {
            let pts = frame.best_effort_timestamp()?;
            let position = kept.position_of(pts)?;
            self.position.last_pts = Some(pts);
            return Some(Timed { frame, pts, position, stated_secs: Some(position.duration_secs) });
        }
        Some(self.place_next(frame))
    }

    /// Determines the time of the next frame of an opened source, and its number if known.
    fn place_next(&mut self, frame: AvFrame) -> Timed {
        let frame = match &self.tiled {
            Some(tiled) => tiled.whole(&frame),
            None => frame,
        };
        let pts = self.timeline.place(frame.best_effort_timestamp());
        let is_timed = self.position.origin != Origin::Guess && self.info.timed && !self.timeline.has_jumped();
        let is_whole = self.position.omission.is_whole_from(pts);
        // In a live source, the decoder never goes back.
        let index = self.numbers.number_next(pts, (is_timed, is_whole, !self.info.live));
        self.position.last_pts = Some(pts);
        let time_base = self.info.time_base;
        let stated_ticks = frame.duration().filter(|_| self.states_durations);
        // Matroska's default duration is that of two fields.
        let repeated = if self.info.container == "matroska,webm" { frame.repeated_fields() } else { 0 };
        let stated_ticks = stated_ticks.map(|ticks| ticks.saturating_add(ticks.saturating_mul(repeated) / 2));
        let position = FramePosition {
            pts_ticks: pts,
            time_base,
            time_secs: time_base.times(pts.saturating_sub(self.info.start_ticks)),
            duration_secs: 0.0,
            index,
            timecode: self.timecodes.of_frame(&frame, index).map(|(timecode, _)| timecode),
            arrival: self.packets.last().and_then(|packet| packet.arrival),
        };
        Timed { frame, pts, position, stated_secs: stated_ticks.map(|ticks| time_base.times(ticks)) }
    }

    /// Takes the next frame from the codec.
    fn decode(&mut self) -> Result<Option<AvFrame>, MediaError> {
        let mut drain_errors = 0;
        loop {
            match self.codec.receive() {
                Received::Frame(frame) if frame.is_discarded() => {}
                Received::Frame(frame) if self.is_better_decoded_again(&frame) => self.note_failure()?,
                Received::Frame(mut frame) => {
                    self.note_failure()?;
                    self.stills.apply(&mut frame);
                    let is_broken = frame.is_broken() && self.codec.reports_errors_first();
                    self.position.note_frame(frame.best_effort_timestamp(), is_broken, self.codec.is_draining());
                    return Ok(Some(frame));
                }
                Received::End => return Ok(None),
                Received::NeedsInput => self.feed()?,
                Received::Refused(_) if self.codec.failure().is_some_and(|failure| failure.needs_restart) => {
                    self.note_failure()?;
                }
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

    /// Returns `true` if hardware calls the frame damaged, so that it is decoded again in software: only software
    /// conceals damage the same way each time.
    fn is_better_decoded_again(&mut self, frame: &AvFrame) -> bool {
        frame.is_damaged()
            && !self.position.omission.is_leading(frame.best_effort_timestamp())
            && self.codec.reject(frame)
    }

    /// Says once if hardware has failed, and restarts decoding if it cannot simply continue.
    fn note_failure(&mut self) -> Result<(), MediaError> {
        let Some(failure) = self.codec.failure().cloned() else { return Ok(()) };
        if self.info.software_reason.is_none() {
            let (path, name) = (self.info.path.display(), failure.hardware.name());
            let reason = format!("{name}: {}", failure.reason);
            // Hardware that was not asked for may decline.
            let level = if failure.is_late || self.is_hardware_named { log::Level::Warn } else { log::Level::Info };
            log::log!(level, "{path}: {reason}; software decodes from here on");
            self.counters.hardware_failures += u64::from(failure.is_late);
            self.info.decoder = self.codec.name();
            self.info.hardware = None;
            self.info.threads = self.codec.threads();
            self.info.software_reason = Some(reason);
        }
        if failure.needs_restart { self.restart_in_software(&failure) } else { Ok(()) }
    }

    /// Passes the next packet to the codec, or tells it that there are no more.
    fn feed(&mut self) -> Result<(), MediaError> {
        let Some(packet) = self.packets.next()? else {
            if let Err(error) = self.codec.drain() {
                self.refused(error);
            }
            return Ok(());
        };
        self.stills.note(self.codec.next_number(), packet.data());
        if self.counters.decoded == 0 && self.first_packet.is_none() {
            self.first_packet = packet.share().ok();
        }
        let is_discarded = packet.is_discarded();
        let skip_before = self.position.omission.skip_before;
        let is_needed = skip_before.is_none_or(|limit| packet.pts().is_none_or(|pts| pts >= limit));
        let sent = self.codec.send(packet, is_needed, &self.info.codec);
        self.counters.left_out += u64::from(matches!(sent, Sent::Dropped));
        match sent {
            Sent::Taken | Sent::Dropped => self.counters.discarded += u64::from(is_discarded),
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

    /// Reads all packets once, through a second input. Returns `None` if the packets do not identify the frames beyond
    /// doubt (no timestamps, repeated or jumping ones, codecs with hidden frames), if the source can be read only once,
    /// or if `go_on`, which is called now and then, returns `false`.
    ///
    /// # Errors
    /// [`MediaError`] if the source cannot be reopened.
    pub fn frame_index(&self, go_on: impl Fn() -> bool) -> Result<Option<FrameIndex>, MediaError> {
        let sequence = self.packets.opened().and_then(|demuxer| demuxer.source().sequence());
        if let Some(sequence) = sequence.filter(|_| !self.info.live) {
            return Ok(Some(FrameIndex::of_pictures(sequence.count())));
        }
        let Some(lister) = self.lister().filter(|_| self.has_plain_packets()) else { return Ok(None) };
        Ok(match lister.list(go_on)? {
            Listing::Rising(index) => Some(index),
            Listing::Doubtful | Listing::Unclear => None,
        })
    }

    /// Returns a lister that reads the source separately; `None` if the source has no timestamps or can be read only
    /// once.
    pub(crate) fn lister(&self) -> Option<Lister> {
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

    /// Makes seeks rely on the container until the packets have been listed in the background. Returns whether they
    /// need to be listed.
    pub(crate) fn trust_container(&mut self) -> bool {
        let needs_list = self.needs_list();
        if self.guarantee.is_unlisted() {
            self.guarantee = SeekGuarantee::Unlisted { aside: true };
        }
        self.is_listed = true;
        needs_list
    }

    /// Returns `true` if the packets have yet to be listed to make sure of seeks and numbers. Where the container can
    /// be relied on unless the decoder refuses packets, this is done only in files that are read in a moment.
    pub(crate) fn needs_list(&self) -> bool {
        let source = self.packets.opened().map(Demuxer::source).filter(|_| !self.is_listed);
        match self.guarantee {
            SeekGuarantee::Unlisted { .. } => source.is_some(),
            SeekGuarantee::Table(_) | SeekGuarantee::Keyframes => source.is_some_and(Source::is_listed_fast),
            SeekGuarantee::History | SeekGuarantee::Nothing => false,
        }
    }

    /// Takes the result of listing the packets. Returns `true` if the frames since the last seek may be wrong because
    /// it relied on the container or on the keyframe where it started, which the packets do not confirm.
    pub(crate) fn learn(&mut self, listing: Listing) -> bool {
        let relied_on_keys = self.guarantee.relies_on_keys();
        match listing {
            Listing::Rising(index) => _ = self.adopt(index),
            Listing::Doubtful if self.guarantee.has_times() => {
                let is_unlisted = self.guarantee.is_unlisted();
                self.guarantee = if is_unlisted { SeekGuarantee::Nothing } else { SeekGuarantee::History };
                self.starts = None;
                self.numbers.set_list(None);
            }
            Listing::Doubtful => {}
            Listing::Unclear if self.guarantee.is_unlisted() => self.guarantee = SeekGuarantee::Nothing,
            Listing::Unclear => {}
        }
        let may_start = self.position.began.is_none_or(|began| self.is_listed_start(began) != Some(false));
        let is_right = may_start && (self.guarantee.relies_on_keys() || !relied_on_keys);
        self.position.origin != Origin::Start && !is_right
    }

    /// Returns whether decoding may start at the keyframe with that timestamp, according to the list of packets; `None`
    /// if there is none.
    fn is_listed_start(&self, pts: i64) -> Option<bool> {
        let starts = self.starts.as_ref()?;
        Some(pts < self.info.start_ticks || starts.binary_search(&pts).is_ok())
    }

    /// Numbers frames by that list from now on, unless the frames so far contradict it. Returns the list in use, if
    /// any.
    pub fn adopt(&mut self, index: FrameIndex) -> Option<Arc<FrameIndex>> {
        let is_plain = self.has_plain_packets();
        let is_timed = self.info.timed && !self.timeline.has_jumped() && self.guarantee.has_times();
        let agrees = is_timed && self.numbers.agrees_with(&index, self.position.last_pts, is_plain);
        if !agrees {
            log::debug!("{}: the frames do not match their packets", self.info.path.display());
        }
        self.starts = agrees.then(|| index.keys.clone());
        if self.guarantee.is_unlisted() {
            self.guarantee = if agrees { SeekGuarantee::Keyframes } else { SeekGuarantee::Nothing };
            if agrees && self.position.origin == Origin::Guess {
                // The list confirms what was taken on trust.
                self.position.origin = Origin::Keyframe;
            }
        }
        if is_timed && !agrees && self.guarantee.relies_on_keys() {
            self.guarantee = SeekGuarantee::History;
        }
        self.numbers.set_list((agrees && is_plain).then(|| Arc::new(index)));
        self.numbers.list().cloned()
    }

    /// Returns the list that frames are numbered by, if there is one.
    pub(crate) const fn adopted(&self) -> Option<&Arc<FrameIndex>> {
        self.numbers.list()
    }

    /// Returns `true` if each packet holds one frame or is marked as holding none, so that counting packets counts
    /// frames.
    fn has_plain_packets(&self) -> bool {
        self.info.timed && self.has_one_frame_a_packet && !self.is_split()
    }

    /// Returns `true` if two packets may form one frame, as in transport streams of interlaced video.
    fn is_split(&self) -> bool {
        let is_of_fields = self.begins_interlaced && matches!(self.info.codec.as_str(), "h264" | "hevc");
        self.info.container == "mpegts" && is_of_fields
    }
}

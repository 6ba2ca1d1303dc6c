//! Seeking to the exact frame at a time or a keyframe near it, and fetching the frames before it.
//!
//! A seek in a file starts at a keyframe before its target if the [guarantee](SeekGuarantee) allows that, and decodes
//! up to the target. If the start turns out to be unsuitable, it starts over earlier, and as a last resort at the first
//! frame. A seek in the stored packets of a live source starts at the packet that is known to lead to the frame.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::Decoder;
use crate::av::AvPacket;
use crate::decode::position::{Omission, Origin, Position, Room, Timed};
use crate::decode::stream_codec::HardwareFailure;
use crate::error::{MediaError, MediaFault};
use crate::read::guarantee::SeekGuarantee;
use crate::read::packets::LookAhead;
use crate::read::target::{Seek, SeekTarget};
use crate::read::timeshift::DecodePath;
use crate::times::numbering::Count;
use histoscope_core::picture::{Frame, Timecode, TimecodeSource, Timecodes};

/// Frames by which decoding restarts earlier if a frame was lost. It restarts only if it has not yet decoded more
/// frames than this.
const EARLIER_FRAMES: i64 = 80;
/// Time after which a search for a frame near a target settles for the latest frame it has.
const NEAR_TIME: Duration = Duration::from_millis(35);
/// Time limit of a seek while a later one waits: long enough for most to show their frame while the user scrubs.
const PATIENCE: Duration = Duration::from_millis(250);
/// Seconds to decode before the target if pictures are refreshed gradually rather than by keyframes.
const REFRESH_SECS: f64 = 10.0;
/// Least time between the start of decoding and the target when fetching earlier frames, in seconds, so that one pass
/// yields more than a few frames even if keyframes are close together.
const BACK_SECS: f64 = 0.4;
/// Most frames to fetch at once if each of them has to be converted.
const MAX_CONVERTED: usize = 24;

/// Options for how a seek finds its frame.
#[derive(Debug, Clone, Copy, Default)]
struct SeekOptions {
    /// Time at which the search settles for a frame near the target; `None` if it must find the frame itself.
    until: Option<Instant>,
    /// Least time between the start of decoding and the target, in seconds; `None` unless earlier frames are being
    /// fetched.
    back_secs: Option<f64>,
    /// Limits on the frames kept from right before the target.
    room: Room,
}

impl SeekOptions {
    const fn is_near(&self) -> bool {
        self.until.is_some()
    }

    /// Returns how many frames before the target are decoded even if no other pictures refer to them.
    const fn kept_frames(&self) -> usize {
        if self.is_near() { 0 } else { self.room.frames }
    }

    /// Returns how long the search goes on while a later one waits.
    const fn patience(&self) -> Duration {
        if self.back_secs.is_some() { Duration::ZERO } else { PATIENCE }
    }

    /// Returns an error if the seek was stopped, or if its patience is used up while a later one waits.
    fn check_interrupt(&self, decoder: &Decoder, begun: Instant) -> Result<(), MediaError> {
        let interrupt = decoder.packets.interrupt();
        if interrupt.is_stopped() || (interrupt.is_request_waiting() && begun.elapsed() > self.patience()) {
            return Err(MediaFault::Stopped.of(decoder.info.path.clone()));
        }
        Ok(())
    }
}

/// The frame that a seek is looking for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Target {
    pts: i64,
    /// Timestamp of the first frame to keep. From it on no frame is skipped.
    whole_from: i64,
}

impl Target {
    /// Returns the last frame not after `ticks`, to be decoded with this many frames before it.
    fn of(stamps: &[i64], ticks: i64, kept: usize) -> Option<Self> {
        let position = stamps.partition_point(|pts| *pts <= ticks).checked_sub(1)?;
        Some(Self { pts: stamps[position], whole_from: stamps[position.saturating_sub(kept)] })
    }
}

/// The position to request from the format, which moves further and further back.
struct Probe {
    ticks: i64,
    step: i64,
    /// The highest timestamp that the starting keyframe may have.
    key_limit: i64,
    /// `true` if an earlier start was unclean, so that decoding must start well before the target.
    is_refreshed: bool,
    /// Timestamp of the frame that was found instead of the announced one.
    found: Option<i64>,
}

impl Probe {
    fn new(decoder: &Decoder, ticks: i64) -> Self {
        Self {
            ticks: ticks.min(decoder.end_ticks()),
            step: decoder.ticks_of(1.0),
            key_limit: ticks,
            is_refreshed: false,
            found: None,
        }
    }

    fn go_back(&mut self) {
        self.ticks = self.ticks.saturating_sub(self.step);
        self.step = self.step.saturating_mul(2);
    }
}

/// The outcome of decoding up to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    /// The wanted frame comes next.
    Frame,
    /// A frame other than the announced one comes next.
    Other,
    /// The first frame was predicted from pictures before the start, so those after it may be wrong.
    Unclean,
    /// All frames are after the target.
    After,
    /// There was no frame.
    Nothing,
}

impl Decoder {
    /// Seeks as specified: the next frame that [`next_frame`](Self::next_frame) returns is the requested one.
    ///
    /// # Errors
    /// [`MediaFault::NotSeekable`] if the source can only be read forwards and the target has already been passed; the
    /// position is then unchanged. Otherwise the same errors as for reading.
    pub fn seek(&mut self, seek: Seek) -> Result<(), MediaError> {
        if let Some(twin) = &mut self.twin {
            twin.seek(seek)?;
        }
        self.seek_keeping(seek, Room::default())
    }

    /// Seeks like [`seek`](Self::seek), and keeps the frames decoded right before the target, within the limits of
    /// `room`, for [`frames_passed`](Self::frames_passed).
    pub(crate) fn seek_keeping(&mut self, seek: Seek, room: Room) -> Result<(), MediaError> {
        self.position.passed = Default::default();
        let options = SeekOptions { room, ..SeekOptions::default() };
        let near = || SeekOptions { until: Some(Instant::now() + NEAR_TIME), ..options };
        match seek {
            Seek::Exact(target) | Seek::Back { target, .. } => self.seek_target(target, &options),
            Seek::Near(secs) => self.seek_target(SeekTarget::Time(secs), &near()),
            // Stored packets lead to the exact frame without a search.
            Seek::Keyframe(secs) | Seek::Towards(secs) if self.packets.kept().is_some() => {
                self.seek_target(SeekTarget::Time(secs), &options)
            }
            Seek::Keyframe(secs) => self.seek_keyframe(self.ticks_at(secs)),
            Seek::Towards(secs) => self.seek_towards(self.ticks_at(secs)),
        }
    }

    fn seek_target(&mut self, target: SeekTarget, options: &SeekOptions) -> Result<(), MediaError> {
        if self.packets.kept().is_some() {
            return self.seek_kept(target, options);
        }
        match target {
            SeekTarget::Time(secs) => self.seek_exact(self.ticks_at(secs), options),
            SeekTarget::Number(number) => self.seek_frame(number, options),
            SeekTarget::Timestamp(ticks) => self.seek_exact(ticks, options),
            SeekTarget::Before(ticks) => self.seek_exact(ticks.saturating_sub(1), options),
            SeekTarget::End => self.seek_exact(i64::MAX, options),
        }
    }

    /// Returns the tick that contains a time, with a small tolerance so that a frame's own time leads to it.
    fn ticks_at(&self, secs: f64) -> i64 {
        let ticks = (secs / self.info.time_base.value() + 1e-3).floor();
        // The conversion saturates, and turns NaN into zero.
        self.info.start_ticks.saturating_add(ticks as i64)
    }

    pub(super) fn ticks_of(&self, secs: f64) -> i64 {
        (secs / self.info.time_base.value()).ceil() as i64
    }

    /// Continues towards a timestamp ahead, from a keyframe on the way if there is one, and skips unreferenced
    /// pictures. Does nothing if timestamps are unreliable or the source can be read only once.
    fn seek_towards(&mut self, ticks: i64) -> Result<(), MediaError> {
        let Some(origin) = self.origin_at_keyframe(true).filter(|_| self.can_go_back()) else { return Ok(()) };
        let key = self.packets.look_ahead(ticks, ticks, LookAhead::ToTarget)?.key;
        if let Some(key) =
            self.checked_start(key, &SeekOptions { until: Some(Instant::now()), ..SeekOptions::default() })?
        {
            self.start_over_at(key, origin)?;
        }
        self.leave_out_before(Some(ticks));
        let omission = &mut self.position.omission;
        omission.gap_until = omission.gap_until.max(omission.skip_before);
        Ok(())
    }

    /// Seeks to the frame with this index: by the frames counted so far, else by listing the packets if the source is a
    /// file, else by a constant frame rate, although some frames may deviate from it. Failing that, decodes and counts.
    fn seek_frame(&mut self, index: u64, options: &SeekOptions) -> Result<(), MediaError> {
        let last_counted = match self.numbers.counted_ticks(index) {
            Ok(ticks) => return self.seek_exact(ticks, options),
            Err(last) => last,
        };
        let is_file = self.packets.opened().is_some_and(|demuxer| demuxer.source().is_file());
        let begun = Instant::now();
        if self.numbers.list().is_none() && is_file {
            self.list(begun, options)?;
        }
        if let Some(list) = self.numbers.list() {
            let position = usize::try_from(index).unwrap_or(usize::MAX);
            let ticks = list.pts.get(position).or(list.pts.last()).copied();
            return self.seek_exact(ticks.unwrap_or(self.info.start_ticks), options);
        }
        if let Some(rate) = self.info.constant_rate().filter(|_| !is_file) {
            return self.seek_exact(self.ticks_at((index as f64 + 0.5) / rate.value()), options);
        }
        self.seek_exact(last_counted.unwrap_or(self.info.start_ticks), options)?;
        let mut last = None;
        while let Some(timed) = self.pull()? {
            options.check_interrupt(self, begun)?;
            if timed.position.index.is_some_and(|found| found >= index) {
                self.position.ready.push_front(timed);
                return Ok(());
            }
            last = Some(timed);
        }
        self.position.ready.extend(last);
        Ok(())
    }

    /// Lists all packets, and learns from them how reliable seeks are and which number each frame has.
    fn list(&mut self, begun: Instant, options: &SeekOptions) -> Result<(), MediaError> {
        let Some(lister) = self.lister() else { return Ok(()) };
        (self.is_listed, self.counters.listings) = (true, self.counters.listings + 1);
        let listing = lister.list(|| options.check_interrupt(self, begun).is_ok())?;
        options.check_interrupt(self, begun)?;
        self.learn(listing);
        Ok(())
    }

    /// Seeks to the last frame not after `ticks`.
    fn seek_exact(&mut self, ticks: i64, options: &SeekOptions) -> Result<(), MediaError> {
        if ticks <= self.info.start_ticks {
            return self.rewind();
        }
        if !self.can_go_back() {
            return self.seek_forward_only(ticks, options);
        }
        if self.needs_list() && !options.is_near() {
            self.list(Instant::now(), options)?;
        }
        match self.origin_at_keyframe(options.is_near()) {
            Some(origin) if self.seek_by_timestamp(ticks, origin, options)? => Ok(()),
            _ => self.seek_from_start(ticks, options),
        }
    }

    /// Returns the origin of a seek that starts at a keyframe: to the exact frame or, if `is_quick`, near it. `None` if
    /// the seek has to start at the first frame.
    fn origin_at_keyframe(&self, is_quick: bool) -> Option<Origin> {
        if self.timeline.has_jumped() {
            return None;
        }
        match self.guarantee {
            SeekGuarantee::Table(_) | SeekGuarantee::Keyframes => Some(Origin::Keyframe),
            SeekGuarantee::Unlisted { aside } => (is_quick || aside).then_some(Origin::Guess),
            SeekGuarantee::History => is_quick.then_some(Origin::Guess),
            SeekGuarantee::Nothing => None,
        }
    }

    fn can_go_back(&self) -> bool {
        self.info.seekable || self.packets.opened().is_some_and(|demuxer| demuxer.source().can_reopen())
    }

    fn not_seekable(&self) -> MediaError {
        MediaFault::NotSeekable.of(self.info.path.clone())
    }

    fn seek_forward_only(&mut self, ticks: i64, options: &SeekOptions) -> Result<(), MediaError> {
        let next = self.position.next_pts().or(self.position.last_pts);
        if next.is_some_and(|next| next > ticks) {
            return Err(self.not_seekable());
        }
        self.decode_up_to(ticks, None, options)?;
        Ok(())
    }

    /// Decodes from the first frame, or continues from here if decoding started at the first frame.
    fn seek_from_start(&mut self, ticks: i64, options: &SeekOptions) -> Result<(), MediaError> {
        let goes_on = self.position.origin == Origin::Start && self.is_ahead(ticks) && options.back_secs.is_none();
        if goes_on && self.decode_up_to(ticks, None, options)? == Reached::Frame {
            return Ok(());
        }
        self.reopen()?;
        self.decode_up_to(ticks, None, options)?;
        Ok(())
    }

    /// Seeks to the first frame.
    fn rewind(&mut self) -> Result<(), MediaError> {
        if !self.can_go_back() {
            let is_there = self.position.next_pts() == Some(self.info.start_ticks);
            return if is_there { Ok(()) } else { Err(self.not_seekable()) };
        }
        let is_sure = self.origin_at_keyframe(false) == Some(Origin::Keyframe);
        if is_sure && self.packets.seek(self.info.start_ticks) {
            self.forget_position(Origin::Keyframe);
            let first = self.packets.next()?;
            // If the video starts in the middle of a group, packets before the first frame's belong to later frames.
            let begins_group = first.as_ref().is_some_and(|packet| packet.is_key());
            if let Some(first) = first {
                self.packets.put_back(first);
            }
            if begins_group && let Some(first) = self.decode_timed()? {
                let is_first = first.pts == self.info.start_ticks;
                self.position.ready.push_back(first);
                if is_first {
                    self.position.origin = Origin::Start;
                    return Ok(());
                }
            }
        }
        self.reopen()
    }

    /// Restarts decoding earlier than it began, at most once, and continues with the frame after the last one output.
    /// Returns whether it did; if not, decoding continues as before.
    pub(super) fn begin_earlier(&mut self) -> Result<bool, MediaError> {
        let Some((began, last)) = self.position.began.take().zip(self.position.last_pts) else { return Ok(false) };
        let last = self.timeline.stated(last);
        let step = self.timeline.frame_ticks().saturating_mul(EARLIER_FRAMES);
        let is_near = last.saturating_sub(began) < step;
        if !is_near || !self.info.timed || !self.can_go_back() || self.position.origin != Origin::Keyframe {
            return Ok(false);
        }
        let ticks = began.saturating_sub(step);
        if ticks <= self.info.start_ticks {
            self.open_again()?;
        } else if self.packets.seek(ticks) {
            self.codec.flush();
            // Packets before the next keyframe cannot be decoded here. At the beginning of the file they can.
            self.packets.skip_to_key()?;
            if self.packets.front().is_some_and(|packet| self.codec.may_depend(packet)) {
                self.open_again()?;
            }
        } else {
            return Ok(false);
        }
        log::debug!("{}: begins again before {ticks}", self.info.path.display());
        self.position.omission.drop_before = Some(last.saturating_add(1));
        Ok(true)
    }

    /// Restarts decoding at the first packet, in software, and continues with the frame after the last one output. The
    /// packets needed for a faster seek are no longer stored.
    pub(super) fn restart_in_software(&mut self, failure: &HardwareFailure) -> Result<(), MediaError> {
        let last = self.position.last_pts.map(|pts| self.timeline.stated(pts));
        let is_certain = self.info.timed && !self.timeline.has_strayed() && self.packets.kept().is_none();
        if !is_certain || !self.can_go_back() {
            let (path, hardware) = (self.info.path.clone(), failure.hardware.name());
            return Err(MediaFault::HardwareLost { hardware, reason: failure.reason.clone() }.of(path));
        }
        self.open_again()?;
        self.position.omission.drop_before = last.map(|last| last.saturating_add(1));
        Ok(())
    }

    /// Returns the number of the frame with this timecode, counted from the first frame: negative if the timecode
    /// precedes the first frame's, and extrapolated beyond the end if it follows the last frame's. Timecodes that can
    /// jump are looked up in the frames themselves, first at the calculated number and then from the first frame on;
    /// for a source that can be read only once, the calculated number has to do. Afterwards the next frame is the first
    /// one.
    ///
    /// # Errors
    /// [`MediaFault::NoTimecodes`], [`MediaFault::NoSuchTimecode`], or an error from reading.
    pub fn find_timecode(&mut self, timecode: Timecode) -> Result<i64, MediaError> {
        let path = || self.info.path.clone();
        let Timecodes { first, rate, source } =
            self.info.timecodes.ok_or_else(|| MediaFault::NoTimecodes.of(path()))?;
        let missing = MediaFault::NoSuchTimecode { timecode, first }.of(path());
        let Some(counted) = rate.distance(first, timecode) else { return Err(missing) };
        if source == TimecodeSource::Container || !self.can_go_back() {
            return Ok(counted);
        }
        if let Ok(number) = u64::try_from(counted) {
            self.seek(Seek::Exact(SeekTarget::Number(number)))?;
            let is_it = |frame: &Frame| frame.index == Some(number) && frame.timecode == Some(timecode);
            if self.next_frame()?.as_ref().is_some_and(is_it) {
                self.seek(Seek::START)?;
                return Ok(counted);
            }
        }
        self.seek(Seek::START)?;
        let (mut number, mut last) = (0, first);
        while let Some(frame) = self.next_frame()? {
            if frame.timecode == Some(timecode) {
                self.seek(Seek::START)?;
                return Ok(number);
            }
            last = frame.timecode.unwrap_or(last);
            number += 1;
        }
        self.seek(Seek::START)?;
        match rate.distance(last, timecode) {
            Some(behind) if behind > 0 => Ok(number - 1 + behind),
            _ if counted < 0 => Ok(counted),
            _ => Err(missing),
        }
    }

    /// Reopens the source and the codec, which leads to the first frame even if they cannot seek.
    fn reopen(&mut self) -> Result<(), MediaError> {
        self.open_again()?;
        self.timeline.restart();
        self.reset_to_start();
        Ok(())
    }

    fn open_again(&mut self) -> Result<(), MediaError> {
        self.packets.reopen()?;
        self.reopen_codec()
    }

    fn reopen_codec(&mut self) -> Result<(), MediaError> {
        let Some(demuxer) = self.packets.opened() else { return Ok(()) };
        if let Some(parameters) = demuxer.parameters() {
            let reopened = self.codec.reopen(&parameters);
            reopened.map_err(|error| demuxer.source().error("opening the decoder", error))?;
        }
        Ok(())
    }

    /// Resets the state to that before the first frame.
    pub(super) fn reset_to_start(&mut self) {
        self.position = Position::at(Origin::Start);
        self.numbers.restart(Count::Next(0));
    }

    /// Seeks to a position before the target and decodes from there, moving further back if that was not far enough.
    /// Returns whether the frame that it reached is the right one beyond doubt.
    fn seek_by_timestamp(&mut self, ticks: i64, origin: Origin, options: &SeekOptions) -> Result<bool, MediaError> {
        if options.back_secs.is_none() && self.is_shortly_after(ticks, options) && self.decode_on_to(ticks, options)? {
            return Ok(self.is_certain(options));
        }
        let mut probe = Probe::new(self, ticks);
        if let Some(secs) = options.back_secs {
            probe.key_limit = ticks.saturating_sub((secs / self.info.time_base.value()) as i64);
            probe.ticks = probe.ticks.min(probe.key_limit);
        }
        let mut trust_packets = true;
        while self.position_at(&probe, origin) {
            let ahead = self.packets.look_ahead(ticks, probe.key_limit, LookAhead::ToTarget)?;
            if let Some(key) = ahead.key
                && self.checked_start(Some(key), options)?.is_none()
            {
                let pts = self.packets.queued().nth(key).and_then(AvPacket::pts);
                probe.key_limit = pts.unwrap_or(probe.ticks).saturating_sub(1);
                probe.ticks = probe.ticks.min(probe.key_limit);
            } else if let Some(key) = ahead.key {
                if ahead.stamps.is_none() && !ahead.is_cut_short && !self.is_split() && !options.is_near() {
                    return Ok(false);
                }
                self.start_at(key)?;
                let start = self.position.omission.drop_before.unwrap_or(ticks);
                let stamps = ahead.stamps.unwrap_or_default();
                let announced = Target::of(&stamps, ticks, options.kept_frames());
                self.announce_numbers(&stamps, ticks);
                let wanted = announced.filter(|_| trust_packets);
                match self.decode_up_to(ticks, wanted, options)? {
                    Reached::Frame if self.is_as_announced(announced, &mut probe, options) => {
                        return Ok(probe.is_refreshed || self.is_certain(options));
                    }
                    // A decoder may lose a frame shortly after its start: start before that.
                    Reached::Frame => probe.key_limit = start.saturating_sub(1),
                    // The packets announced a frame that did not come: try again without skipping any.
                    Reached::Other if trust_packets => {
                        trust_packets = false;
                        continue;
                    }
                    Reached::Unclean if probe.is_refreshed => return Ok(true),
                    Reached::Unclean => {
                        let found = self.position.next_pts().unwrap_or(ticks);
                        probe.key_limit = found.saturating_sub(self.ticks_of(REFRESH_SECS));
                        probe.is_refreshed = true;
                        trust_packets = false;
                    }
                    Reached::Other | Reached::After | Reached::Nothing => {}
                }
            }
            probe.go_back();
        }
        Ok(false)
    }

    /// Returns `true` if the frame is beyond doubt the one that decoding from the start would give. Damage leaves a
    /// doubt, as it may show to a different extent. So do timestamps that do not rise, as each is corrected according
    /// to the one before.
    fn is_certain(&self, options: &SeekOptions) -> bool {
        options.is_near() || (self.position.damage == 0 && !self.timeline.has_strayed())
    }

    /// Returns `true` if the next frame is the announced one, or has to do because an earlier start led to the same
    /// frame. A wrong `false` only costs time: decoding starts earlier, eventually at the first frame.
    fn is_as_announced(&self, announced: Option<Target>, probe: &mut Probe, options: &SeekOptions) -> bool {
        let found = self.position.next_pts();
        let is_it = options.is_near() || announced.is_none_or(|frame| Some(frame.pts) == found);
        let is_settled = is_it || probe.found == found;
        probe.found = found;
        is_settled
    }

    /// Returns `true` if no frame at or after `ticks` has been output yet.
    fn is_ahead(&self, ticks: i64) -> bool {
        match (self.position.next_pts(), self.position.last_pts) {
            (Some(next), _) => next <= ticks,
            (None, Some(last)) => last < ticks,
            (None, None) => false,
        }
    }

    /// Returns `true` if the target is so close ahead that continuing to decode is faster than starting from a
    /// keyframe.
    fn is_shortly_after(&self, ticks: i64, options: &SeekOptions) -> bool {
        let position = &self.position;
        let last = position.last_pts.unwrap_or(i64::MIN);
        let is_near = ticks.saturating_sub(last) < self.ticks_of(1.0);
        let same_group = || {
            let key = self.indexed_key(ticks);
            key.zip(self.packets.last().and_then(|packet| packet.dts)).is_some_and(|(key, read)| key <= read)
        };
        // Frames that were skipped on the way matter only if the target is one of them.
        let is_whole = options.is_near() || position.omission.gap_until.is_none_or(|gap| ticks >= gap);
        self.is_ahead(ticks) && is_whole && (is_near || same_group())
    }

    /// Returns the timestamp of the last keyframe at or before `ticks` that the format's index lists.
    fn indexed_key(&self, ticks: i64) -> Option<i64> {
        let demuxer = self.packets.opened()?;
        demuxer.input().indexed_key(demuxer.stream(), ticks)
    }

    /// Continues decoding to the target, from a keyframe on the way if there is one. Returns whether it got there; it
    /// cannot if the target has been passed.
    fn decode_on_to(&mut self, ticks: i64, options: &SeekOptions) -> Result<bool, MediaError> {
        let ahead = self.packets.look_ahead(ticks, ticks, LookAhead::ToTarget)?;
        let stamps = if let Some(key) = self.checked_start(ahead.key, options)? {
            let origin = self.position.origin;
            self.start_over_at(key, if origin == Origin::Guess { origin } else { Origin::Keyframe })?;
            let stamps = ahead.stamps.unwrap_or_default();
            self.announce_numbers(&stamps, ticks);
            stamps
        } else {
            let stamps = self.stamps_ahead().unwrap_or_default();
            if let Count::Next(next) = self.numbers.count() {
                let next = Some(next).filter(|_| self.has_plain_packets());
                self.numbers.announce(next, &stamps, ticks);
            }
            stamps
        };
        let wanted = Target::of(&stamps, ticks, options.kept_frames());
        Ok(self.decode_up_to(ticks, wanted, options)? == Reached::Frame)
    }

    /// Returns the timestamps of the shown packets in the codec and in the queue, in ascending order; `None` if it is
    /// uncertain which frame is which.
    fn stamps_ahead(&self) -> Option<Vec<i64>> {
        self.packets.stamps_from(0, self.codec.stamps()?)
    }

    /// Announces the numbers of the frames up to `ticks` from the container's table. The queue must begin with a
    /// keyframe's packet.
    fn announce_numbers(&mut self, stamps: &[i64], ticks: i64) {
        let first = self.number_by_table().filter(|_| self.has_plain_packets());
        self.numbers.announce(first, stamps, ticks);
    }

    /// Returns the number of the first frame of the queued packets, if the container's table counts the frames before
    /// it.
    fn number_by_table(&self) -> Option<u64> {
        let SeekGuarantee::Table(table) = &self.guarantee else { return None };
        table.shown_before(self.packets.front()?.dts()?)?.checked_sub(self.numbers.lost_at_start)
    }

    /// Positions the input before the target. Returns `false` if there is nothing before it, or if the source cannot
    /// seek there.
    fn position_at(&mut self, probe: &Probe, origin: Origin) -> bool {
        if probe.ticks <= self.info.start_ticks || !self.packets.seek(probe.ticks) {
            return false;
        }
        self.forget_position(origin);
        true
    }

    /// Returns this position in the queue, of a keyframe, if decoding may start there: if no header before it is in
    /// force for it. If that is in doubt, lists all packets once. A search near a target starts there all the same.
    fn checked_start(&mut self, key: Option<usize>, options: &SeekOptions) -> Result<Option<usize>, MediaError> {
        let Some(packet) = key.and_then(|key| self.packets.queued().nth(key)) else { return Ok(None) };
        let (pts, may_depend) = (packet.pts(), self.codec.may_depend(packet));
        if may_depend && self.starts.is_none() && !self.is_listed && !options.is_near() {
            self.list(Instant::now(), options)?;
        }
        let is_start = pts.and_then(|pts| self.is_listed_start(pts)).unwrap_or(!may_depend || options.is_near());
        Ok(key.filter(|_| is_start))
    }

    /// Starts decoding at this packet of the queue, a keyframe.
    fn start_at(&mut self, key: usize) -> Result<(), MediaError> {
        self.position.began = self.packets.begin_at(key);
        self.position.omission.drop_before = self.position.began;
        if self.packets.front().is_some_and(|packet| self.codec.has_strayed_for(packet)) {
            self.reopen_codec()?;
        }
        Ok(())
    }

    /// Starts over at this packet of the queue, a keyframe, in the middle of decoding.
    fn start_over_at(&mut self, key: usize, origin: Origin) -> Result<(), MediaError> {
        self.forget_position(origin);
        self.start_at(key)
    }

    /// Returns the tick at which the video ends, as far as the headers tell.
    fn end_ticks(&self) -> i64 {
        let length = self.info.duration_secs.map_or(i64::MAX, |secs| (secs / self.info.time_base.value()) as i64);
        self.info.start_ticks.saturating_add(length)
    }

    /// Forgets everything decoded, in order to start elsewhere. Packets that have been read ahead stay.
    fn forget_position(&mut self, origin: Origin) {
        self.codec.flush();
        self.timeline.restart();
        self.position = Position::at(origin);
        self.numbers.restart(Count::Unknown);
    }

    /// Skips unreferenced pictures before a timestamp; `None` skips none.
    fn leave_out_before(&mut self, ticks: Option<i64>) {
        let position = &mut self.position;
        position.omission.skip_before = ticks;
        if ticks.is_some() {
            // The next frame need not be the next in the count, and from here on frames may be missing.
            self.numbers.lose_count();
            if position.origin == Origin::Start {
                position.origin = Origin::Keyframe;
            }
        }
    }

    /// Decodes until the last frame not after `ticks` comes next. With `wanted`, unreferenced pictures well before it
    /// are skipped, and the frame after it is not waited for. The frames right before it are kept.
    fn decode_up_to(
        &mut self,
        ticks: i64,
        wanted: Option<Target>,
        options: &SeekOptions,
    ) -> Result<Reached, MediaError> {
        self.leave_out_before(wanted.map(|wanted| wanted.whole_from));
        let wanted = wanted.map(|wanted| wanted.pts);
        let position = &mut self.position;
        position.passed = Default::default();
        let begun = Instant::now();
        let is_start =
            position.last_pts.is_none() && position.ready.is_empty() && position.omission.drop_before.is_some();
        let mut is_clean = true;
        let mut before: Option<Timed> = None;
        let mut after = None;
        let mut is_early = false;
        while let Some(timed) = self.pull()? {
            if let Err(error) = options.check_interrupt(self, begun) {
                self.position.omission.note_gap();
                return Err(error);
            }
            if is_start && before.is_none() {
                is_clean = !matches!(timed.frame.picture_type(), Some('P' | 'B'));
            }
            if timed.pts > ticks {
                after = Some(timed);
                break;
            }
            let is_wanted = wanted == Some(timed.pts);
            is_early = !is_wanted && options.until.is_some_and(|until| Instant::now() >= until);
            if let Some(earlier) = before.replace(timed)
                // Otherwise frames between it and the next may be missing.
                && self.position.omission.is_whole_from(earlier.pts)
            {
                self.position.passed.push(earlier, options.room);
            }
            if is_wanted || is_early {
                break;
            }
        }
        if is_early {
            self.position.omission.note_gap();
        }
        self.position.omission.skip_before = None;
        let reached = match (&before, &after) {
            (Some(_), _) if !is_clean => Reached::Unclean,
            (Some(_), _) if is_early => Reached::Frame,
            (Some(frame), _) if wanted.is_none_or(|wanted| wanted == frame.pts) => Reached::Frame,
            (Some(_), _) => Reached::Other,
            (None, Some(_)) => Reached::After,
            (None, None) => Reached::Nothing,
        };
        for timed in [after, before].into_iter().flatten() {
            self.position.ready.push_front(timed);
        }
        Ok(reached)
    }

    /// Seeks to a keyframe at or before `ticks` and decodes only that frame, which is faster than decoding the exact
    /// one.
    fn seek_keyframe(&mut self, ticks: i64) -> Result<(), MediaError> {
        let Some(origin) =
            self.origin_at_keyframe(true).filter(|_| ticks > self.info.start_ticks && self.can_go_back())
        else {
            // Without reliable timestamps, the frame itself is as easy to find as a keyframe before it.
            self.seek_exact(ticks, &SeekOptions::default())?;
            return self.go_back_to_key();
        };
        let mut probe = Probe::new(self, ticks);
        while self.position_at(&probe, origin) {
            let has_index = self.indexed_key(ticks).is_some();
            let until = if has_index { LookAhead::ToKeyframe } else { LookAhead::ToTarget };
            let key = self.packets.look_ahead(ticks, ticks, until)?.key;
            if let Some(key) =
                self.checked_start(key, &SeekOptions { until: Some(Instant::now()), ..SeekOptions::default() })?
            {
                self.start_at(key)?;
                if self.preview_key(ticks) {
                    return Ok(());
                }
                if let Some(first) = self.decode_timed()? {
                    let is_good = first.pts <= ticks && first.frame.is_key();
                    self.position.ready.push_back(first);
                    if is_good {
                        return Ok(());
                    }
                }
            }
            probe.go_back();
        }
        self.rewind()
    }

    /// Decodes the keyframe at the front of the packet queue on its own. Returns `false` if that is not possible.
    /// Decoding then continues from the keyframe as if this had not happened.
    fn preview_key(&mut self, ticks: i64) -> bool {
        let Some(packet) = self.packets.front().filter(|packet| packet.pts().is_some_and(|pts| pts <= ticks)) else {
            return false;
        };
        let pts = packet.pts();
        // A packet may hold only the first field of a frame.
        let is_whole = |frame: &crate::av::AvFrame| {
            frame.is_key() && !frame.scan().is_interlaced() && !frame.is_damaged() && !frame.is_discarded()
        };
        let found = self.codec.decode_alone(packet).into_iter().filter(is_whole);
        let Some(frame) = found.filter(|frame| frame.best_effort_timestamp() == pts).last() else { return false };
        let Some(timed) = self.place(frame) else { return false };
        self.position.omission.shown_ahead = Some(timed.pts);
        self.position.ready.push_back(timed);
        true
    }

    /// Goes to the last known keyframe before the next frame, if timestamps are unreliable.
    fn go_back_to_key(&mut self) -> Result<(), MediaError> {
        let Some(next) = self.position.ready.front() else { return Ok(()) };
        if next.frame.is_key() || !self.can_go_back() {
            return Ok(());
        }
        let limit = next.pts;
        self.rewind()?;
        let mut last_key = self.info.start_ticks;
        while let Some(timed) = self.pull()?
            && timed.pts <= limit
        {
            if timed.frame.is_key() {
                last_key = timed.pts;
            }
        }
        self.seek_exact(last_key, &SeekOptions::default())
    }

    /// Returns the frames that were decoded right before the target of the last seek, in presentation order. `target`
    /// is the target's timestamp.
    pub(crate) fn frames_passed(&mut self, target: i64) -> Vec<Frame> {
        let passed = std::mem::take(&mut self.position.passed);
        self.make_frames(passed.into_frames(), target)
    }

    /// Returns the target frame with the frames right before it, in presentation order: as many as one pass from a
    /// keyframe yields and fit into `bytes`. The list is empty if the target would be before the first frame.
    /// Afterwards the position is undefined until the next seek.
    ///
    /// # Errors
    /// The same errors as for seeking. If the target is [`SeekTarget::Before`], a waiting request ends this
    /// immediately.
    pub(crate) fn frames_back(&mut self, target: SeekTarget, bytes: usize) -> Result<Vec<Frame>, MediaError> {
        let next = if let SeekTarget::Before(next) = target { Some(next) } else { None };
        // The number of frames that fit, judging by the size of the last one; unreferenced ones before them are not
        // decoded.
        let fitting = self.frame_bytes.and_then(|each| bytes.checked_div(each)).unwrap_or(usize::MAX);
        let most = if self.info.conversion.is_some() { fitting.min(MAX_CONVERTED) } else { fitting };
        let room = Room { frames: most, bytes };
        let options = SeekOptions { room, back_secs: next.map(|_| BACK_SECS), ..SeekOptions::default() };
        self.position.passed = Default::default();
        let result = self.seek_target(target, &options).and_then(|()| self.pull());
        let mut passed = std::mem::take(&mut self.position.passed);
        let Some(last) = result?.filter(|last| next.is_none_or(|next| last.position.pts_ticks < next)) else {
            return Ok(Vec::new());
        };
        let following = next.unwrap_or_else(|| last.pts.saturating_add(self.timeline.frame_ticks()));
        match next {
            Some(_) => passed.push(last, room),
            // This frame itself was requested, so it is kept in any case.
            None => passed.push_target(last),
        }
        Ok(self.make_frames(passed.into_frames(), following))
    }

    /// Makes frames from decoded ones; `next` is the timestamp of the frame after the last.
    fn make_frames(&mut self, passed: VecDeque<Timed>, next: i64) -> Vec<Frame> {
        let following: Vec<i64> = passed.iter().skip(1).map(|timed| timed.pts).chain([next]).collect();
        let mut frames = Vec::with_capacity(passed.len());
        for (timed, following) in passed.into_iter().zip(following) {
            let until_next = self.info.time_base.times(following.saturating_sub(timed.pts));
            let secs = timed.stated_secs.unwrap_or(until_next);
            // An unreadable frame is not one of the video's frames: those around it are neighbours.
            frames.extend(self.make_frame(timed, secs));
        }
        frames
    }

    /// Seeks in the stored packets of a live source, from the packet that leads to the frame. If the frame is no longer
    /// stored, none follows.
    fn seek_kept(&mut self, target: SeekTarget, options: &SeekOptions) -> Result<(), MediaError> {
        let mut early_secs = options.back_secs.unwrap_or(0.0);
        loop {
            let path = self.packets.kept().and_then(|kept| kept.path_to(target, options.kept_frames(), early_secs));
            let Some(path) = path else {
                self.stop_stored();
                return Ok(());
            };
            let (wanted, is_first) = (Target { pts: path.stated, whole_from: path.whole_from }, path.is_first);
            self.begin_stored(path, options.patience())?;
            let reached = self.decode_up_to(wanted.pts, Some(wanted), options)?;
            let is_clean = reached != Reached::Unclean || is_first || options.is_near();
            if is_clean || early_secs >= REFRESH_SECS {
                return Ok(());
            }
            // Decoding started in the middle of a gradual refresh, so older content still shows in the frame.
            early_secs = REFRESH_SECS;
        }
    }

    /// Prepares to decode from a starting point in the stored packets. Reading waits for missing packets up to
    /// `patience` even if a later request waits.
    fn begin_stored(&mut self, path: DecodePath, patience: Duration) -> Result<(), MediaError> {
        let coding = std::sync::Arc::clone(&path.coding);
        let is_same = self.packets.kept().is_some_and(|kept| kept.is_in(path.segment));
        if !is_same {
            self.info = coding.info.clone();
            self.pictures = self.pictures.for_stream(coding.defaults.clone());
        }
        // Flushing does not reset every codec completely.
        if !is_same || !coding.resets_at_keyframes {
            let codec = coding.open().map_err(|error| {
                MediaFault::Failed { action: "opening the decoder", reason: error.to_string() }
                    .of(self.info.path.clone())
            })?;
            self.codec = super::StreamCodec::in_software(codec);
        }
        self.forget_position(Origin::Keyframe);
        self.position.omission = Omission { drop_before: Some(path.start.1), ..Omission::default() };
        if let Some(kept) = self.packets.restart_kept() {
            kept.begin(&path, patience);
        }
        Ok(())
    }

    /// Stops returning frames until the next seek.
    fn stop_stored(&mut self) {
        self.forget_position(Origin::Keyframe);
        if let Some(kept) = self.packets.restart_kept() {
            kept.leave();
        }
    }

    /// When a sender's packets end, waits for the next sender and continues with its first frame. Returns whether there
    /// is one; for a file there never is.
    pub(super) fn follow_sender(&mut self) -> Result<bool, MediaError> {
        let path = match self.packets.kept() {
            Some(kept) => kept.next_path()?,
            None => None,
        };
        let Some(path) = path else { return Ok(false) };
        self.begin_stored(path, Duration::ZERO)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests;

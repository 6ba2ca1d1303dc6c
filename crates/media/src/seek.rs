//! Positioning: the exact frame at a time, or a keyframe near it.

use std::time::{Duration, Instant};

use super::ahead::LookAhead;
use super::approach::{Manner, Reached};
use super::av::AvPacket;
use super::decoder::Decoder;
use super::error::MediaError;
use super::index::Listing;
use super::position::{Count, Origin, PacketSupply, Position, Room};
use super::promise::Promise;
use super::repeatable::Earlier;
use super::target::{Seek, SeekTarget};
use histoscope_core::picture::{Frame, Timecode, TimecodeSource, Timecodes};

/// How many frames earlier decoding begins again at least, where it has to.
const EARLIER_FRAMES: i64 = 80;
/// How long a search for a frame near a time goes on after the first one that would do.
pub(super) const NEAR_TIME: Duration = Duration::from_millis(35);

impl Decoder {
    /// Goes where `seek` leads: the next frame that [`next_frame`](Self::next_frame) gives is the wanted one.
    ///
    /// # Errors
    /// [`MediaError::NotSeekable`] if the source can only be read forwards and the target is behind; then the position
    /// is what it was. Other errors as for reading.
    pub fn seek(&mut self, seek: Seek) -> Result<(), MediaError> {
        self.seek_keeping(seek, Room::default())
    }

    /// The same, and of the frames that are decoded on the way to the target those right before it are kept for
    /// [`frames_passed`](Self::frames_passed).
    pub(super) fn seek_keeping(&mut self, seek: Seek, room: Room) -> Result<(), MediaError> {
        self.position.passed.clear();
        let manner = Manner { room, ..Manner::default() };
        match seek {
            Seek::Exact(target) | Seek::Back { target, .. } => self.seek_target(target, &manner),
            Seek::Keyframe(secs) => self.seek_keyframe(self.ticks_at(secs)),
            Seek::Near(secs) => {
                self.seek_exact(self.ticks_at(secs), &Manner { until: Some(Instant::now() + NEAR_TIME), ..manner })
            }
            Seek::Towards(secs) => self.seek_towards(self.ticks_at(secs)),
        }
    }

    pub(super) fn seek_target(&mut self, target: SeekTarget, manner: &Manner) -> Result<(), MediaError> {
        match target {
            SeekTarget::Time(secs) => self.seek_exact(self.ticks_at(secs), manner),
            SeekTarget::Number(number) => self.seek_frame(number, manner),
            SeekTarget::Timestamp(ticks) => self.seek_exact(ticks, manner),
            SeekTarget::Before(ticks) => self.seek_exact(ticks.saturating_sub(1), manner),
            SeekTarget::End => self.seek_exact(i64::MAX, manner),
        }
    }

    /// The tick that contains a time, with a little grace so that a frame's own time leads to it.
    pub(super) fn ticks_at(&self, secs: f64) -> i64 {
        let ticks = (secs / self.info.time_base.value() + 1e-3).floor();
        // The conversion saturates, and turns what is no number into zero.
        self.info.start_ticks.saturating_add(ticks as i64)
    }

    /// Goes on towards a timestamp that is ahead, leaving out what can be left out. Where packets do not tell, it just goes on.
    fn seek_towards(&mut self, ticks: i64) -> Result<(), MediaError> {
        let Some(origin) = self.origin_at_keyframe(true).filter(|_| self.can_go_back()) else { return Ok(()) };
        if let Some(key) = self.look_ahead(ticks, ticks, LookAhead::ToTarget)?.key {
            self.start_over_at(key, origin);
        }
        self.leave_out_before(Some(ticks));
        let omission = &mut self.position.omission;
        omission.gap_until = omission.gap_until.max(omission.skip_before);
        Ok(())
    }

    /// Goes to the frame of that index: by the count of the frames so far, else by what the packets of a file tell, else by
    /// counting on. A stated frame rate, which only most frames may keep to, has to do where a file cannot be read twice.
    fn seek_frame(&mut self, index: u64, manner: &Manner) -> Result<(), MediaError> {
        let position = usize::try_from(index).unwrap_or(usize::MAX);
        if let Some(ticks) = self.numbers.counted.get(position).copied() {
            return self.seek_exact(ticks, manner);
        }
        let begun = Instant::now();
        if self.numbers.list.is_none() && self.source.is_file() {
            self.list(begun, manner)?;
        }
        if let Some(list) = &self.numbers.list {
            let ticks = list.pts.get(position).or(list.pts.last()).copied();
            return self.seek_exact(ticks.unwrap_or(self.info.start_ticks), manner);
        }
        if let Some(rate) = self.info.constant_rate().filter(|_| !self.source.is_file()) {
            return self.seek_exact(self.ticks_at((index as f64 + 0.5) / rate.value()), manner);
        }
        let last_counted = self.numbers.counted.last().copied();
        self.seek_exact(last_counted.unwrap_or(self.info.start_ticks), manner)?;
        let mut last = None;
        while let Some(timed) = self.pull()? {
            manner.check_interrupt(self, begun)?;
            if timed.index.is_some_and(|found| found >= index) {
                self.position.ready.push_front(timed);
                return Ok(());
            }
            last = Some(timed);
        }
        self.position.ready.extend(last);
        Ok(())
    }

    /// Lists all packets and learns from them what can be promised and which number each frame has.
    fn list(&mut self, begun: Instant, manner: &Manner) -> Result<(), MediaError> {
        let Some(lister) = self.lister() else { return Ok(()) };
        self.counters.listings += 1;
        let listing = lister.list(|| manner.check_interrupt(self, begun).is_ok())?;
        manner.check_interrupt(self, begun)?;
        self.learn(listing);
        Ok(())
    }

    /// Takes what the packets told.
    pub(super) fn learn(&mut self, listing: Listing) {
        match listing {
            Listing::Rising(index) => _ = self.adopt(index),
            Listing::Unclear if self.promise.is_unlisted() => self.promise = Promise::Nothing,
            Listing::Unclear => {}
        }
    }

    /// Goes to the last frame not above `ticks`.
    pub(super) fn seek_exact(&mut self, ticks: i64, manner: &Manner) -> Result<(), MediaError> {
        if ticks <= self.info.start_ticks {
            return self.rewind();
        }
        if !self.can_go_back() {
            return self.seek_forward_only(ticks, manner);
        }
        if matches!(self.promise, Promise::Unlisted { aside: false }) && !manner.is_near() {
            self.list(Instant::now(), manner)?;
        }
        match self.origin_at_keyframe(manner.is_near()) {
            Some(origin) if self.seek_by_timestamp(ticks, origin, manner)? => Ok(()),
            _ => self.seek_from_start(ticks, manner),
        }
    }

    /// What a seek that begins at a keyframe leads to, to the frame itself or, quickly, near it; `None` if it has to begin at the first frame.
    pub(super) fn origin_at_keyframe(&self, is_quick: bool) -> Option<Origin> {
        if self.timeline.has_jumped() {
            return None;
        }
        match self.promise {
            Promise::Table(_) | Promise::Keyframes => Some(Origin::Keyframe),
            Promise::Unlisted { aside } => (is_quick || aside).then_some(Origin::Guess),
            Promise::History => is_quick.then_some(Origin::Guess),
            Promise::Nothing => None,
        }
    }

    pub(super) fn can_go_back(&self) -> bool {
        self.info.seekable || self.source.can_reopen()
    }

    fn not_seekable(&self) -> MediaError {
        MediaError::NotSeekable { path: self.source.path().to_owned() }
    }

    fn seek_forward_only(&mut self, ticks: i64, manner: &Manner) -> Result<(), MediaError> {
        let next = self.position.next_pts().or(self.position.last_pts);
        if next.is_some_and(|next| next > ticks) {
            return Err(self.not_seekable());
        }
        self.decode_up_to(ticks, None, manner)?;
        Ok(())
    }

    /// Decodes from the first frame on, or from here if that is where decoding came from.
    fn seek_from_start(&mut self, ticks: i64, manner: &Manner) -> Result<(), MediaError> {
        let goes_on = self.position.origin == Origin::Start && self.is_ahead(ticks) && manner.back_secs.is_none();
        if goes_on && self.decode_up_to(ticks, None, manner)? == Reached::Frame {
            return Ok(());
        }
        self.reopen()?;
        self.decode_up_to(ticks, None, manner)?;
        Ok(())
    }

    /// Goes to the first frame.
    pub(super) fn rewind(&mut self) -> Result<(), MediaError> {
        if !self.can_go_back() {
            let is_there = self.position.next_pts() == Some(self.info.start_ticks);
            return if is_there { Ok(()) } else { Err(self.not_seekable()) };
        }
        let is_sure = self.origin_at_keyframe(false) == Some(Origin::Keyframe);
        if is_sure && self.position_input(self.info.start_ticks) {
            self.forget_position();
            self.position.origin = Origin::Keyframe;
            let first = self.read_packet()?;
            // Where the video begins in the middle of a group, packets from before the first frame's belong to later ones.
            let begins_group = first.as_ref().is_some_and(AvPacket::is_key);
            self.position.packets.extend(first);
            if begins_group && let Some(first) = self.decode_timed()? {
                let is_first = first.pts == self.info.start_ticks;
                self.position.ready.push_back(first);
                if is_first {
                    self.codec.set_whole();
                    self.position.origin = Origin::Start;
                    return Ok(());
                }
            }
        }
        self.reopen()
    }

    /// Has decoding begin earlier than it did, and go on with the frame after the last one that came: what becomes of damage depends on
    /// what was decoded before it. Says whether it can; where not, it goes on as it was.
    pub(super) fn begin_earlier(&mut self, earlier: &Earlier) -> Result<bool, MediaError> {
        if !self.info.timed || !self.can_go_back() || self.position.origin != Origin::Keyframe {
            return Ok(false);
        }
        let step = self.timeline.frame_ticks().saturating_mul(EARLIER_FRAMES).max(self.position.back_ticks);
        let ticks = earlier.than.saturating_sub(step);
        let is_whole = ticks <= self.info.start_ticks;
        if is_whole {
            self.open_again()?;
        } else if self.position_input(ticks) {
            self.codec.flush();
        } else {
            return Ok(false);
        }
        log::debug!("{}: begins again before {ticks}", self.source.path().display());
        let position = &mut self.position;
        let last = position.last_pts.map(|pts| self.timeline.stated(pts).saturating_add(1));
        position.omission.drop_before = last.or(position.omission.drop_before).or(Some(earlier.than));
        position.back_ticks = step.saturating_mul(2);
        (position.supply, position.last_packet) = (PacketSupply::Flowing, None);
        position.packets.clear();
        position.in_codec.clear();
        // What stands before a keyframe there cannot be decoded; at the beginning of the file it is.
        while !is_whole && let Some(packet) = self.read_packet()? {
            if packet.is_key() {
                self.position.packets.push_back(packet);
                break;
            }
        }
        Ok(true)
    }

    /// The number of the frame with that timecode, counted from the first frame: negative if it comes before that, and beyond the end where
    /// the last frame's leads there. Timecodes that can jump are looked up in the frames themselves, where counting leads and then from the
    /// first one on; where a source can be read only once, they have to be counted. The next frame is the first one again.
    ///
    /// # Errors
    /// [`MediaError::NoTimecodes`], [`MediaError::NoSuchTimecode`], or that of reading.
    pub fn find_timecode(&mut self, timecode: Timecode) -> Result<i64, MediaError> {
        let path = || self.info.path.clone();
        let Timecodes { first, rate, source } =
            self.info.timecodes.ok_or_else(|| MediaError::NoTimecodes { path: path() })?;
        let missing = MediaError::NoSuchTimecode { path: path(), timecode, first };
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

    /// Opens the source and the codec again, which leads to the first frame whatever they can do.
    fn reopen(&mut self) -> Result<(), MediaError> {
        self.open_again()?;
        self.timeline.restart();
        self.position = Position { origin: Origin::Start, count: Count::Next(0), ..Position::default() };
        Ok(())
    }

    fn open_again(&mut self) -> Result<(), MediaError> {
        if !self.source.can_reopen() {
            return Err(self.not_seekable());
        }
        self.input = self.source.open().map_err(|error| match error {
            MediaError::NotFound { path } => MediaError::Gone { path },
            other => other,
        })?;
        self.input.select(self.stream);
        if let Some(parameters) = self.input.stream(self.stream) {
            let opened = self.codec.anew(&parameters);
            self.codec = opened.map_err(|error| self.source.error("opening the decoder", error))?;
        }
        Ok(())
    }
}

//! Positioning: the exact frame at a time, or a keyframe near it.

use std::time::{Duration, Instant};

use super::ahead::{LookAhead, Wanted};
use super::decoder::Decoder;
use super::error::MediaError;
use super::index::Listing;
use super::position::{Count, Origin, Position, Room, Timed};
use super::promise::Promise;

/// A seek, from the key to the demuxer: its precision, where it leads, and what it may keep. Times are seconds from the first
/// frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seek {
    /// The frame itself, and then those after it.
    Exact(SeekTarget),
    /// The frame itself with those right before it that fit into the budget, all together, and none after it; see
    /// [`DecodeEvent::Earlier`](super::DecodeEvent::Earlier).
    Back {
        /// The frame.
        target: SeekTarget,
        /// Bytes of planes that they may take.
        budget: usize,
    },
    /// A keyframe at or before the time, and then the frames after it.
    Keyframe(f64),
    /// A single frame as close before the time as can be had in an instant, and none after it. Frames between it and the
    /// time may be missing where a seek goes on from it.
    Near(f64),
    /// On towards the frame at the time, which is ahead: from the last keyframe on the way, if there is one, and without
    /// frames before it that no other refers to. From that frame on every one.
    Towards(f64),
}

/// The frame that a seek leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeekTarget {
    /// The one whose presentation interval contains this time, in seconds from the first frame; the first or the last one
    /// beyond the ends.
    Time(f64),
    /// The one of this position in presentation order, counted from zero; the last one beyond the end.
    Number(u64),
    /// The last one whose timestamp is not above this one, in ticks of the stream's time base.
    Timestamp(i64),
    /// The last one before the one with this timestamp, in ticks.
    Before(i64),
    /// The last one.
    End,
}

impl Seek {
    /// To the first frame.
    pub const START: Self = Self::Exact(SeekTarget::Time(0.0));

    /// To the frame at a time, in seconds from the first frame.
    #[must_use]
    pub const fn to(secs: f64) -> Self {
        Self::Exact(SeekTarget::Time(secs))
    }
}

/// How long a search for a frame near a time goes on after the first one that would do.
const NEAR_TIME: Duration = Duration::from_millis(35);
/// How long a seek goes on when a later one waits: long enough for most to show their frame while the user scrubs.
const PATIENCE: Duration = Duration::from_millis(250);
/// Seconds that are decoded before the target where pictures are refreshed bit by bit instead of by keyframes.
const REFRESH_SECS: i64 = 10;

/// How a seek goes about it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Manner {
    /// When the search for a frame near the target is to end with what it has; `None` if it has to be the frame itself.
    pub(super) until: Option<Instant>,
    /// Where earlier frames are fetched, how long before the target decoding is to begin at least, in seconds.
    pub(super) back_secs: Option<f64>,
    /// How much is kept of what is decoded right before the target.
    pub(super) room: Room,
}

impl Manner {
    const fn is_near(&self) -> bool {
        self.until.is_some()
    }

    /// Frames before the target that are decoded whether other pictures refer to them or not.
    const fn kept_frames(&self) -> usize {
        if self.is_near() { 0 } else { self.room.frames }
    }

    /// Ends a seek that nobody waits for any more.
    fn check_interrupt(&self, decoder: &Decoder, begun: Instant) -> Result<(), MediaError> {
        let interrupt = decoder.source.interrupt();
        let patience = if self.back_secs.is_some() { Duration::ZERO } else { PATIENCE };
        if interrupt.is_stopped() || (interrupt.is_hurried() && begun.elapsed() > patience) {
            return Err(MediaError::Stopped { path: decoder.source.path().to_owned() });
        }
        Ok(())
    }
}

/// Where to ask the format for a position, further and further back.
pub(super) struct Probe {
    pub(super) ticks: i64,
    step: i64,
    /// The highest timestamp that the keyframe to start from may have.
    key_limit: i64,
    /// Whether a start was found unclean, so that one well before the target is to be taken.
    is_refreshed: bool,
    /// Timestamp of the frame that was found in place of the promised one.
    found: Option<i64>,
}

impl Probe {
    pub(super) fn new(decoder: &Decoder, ticks: i64) -> Self {
        Self {
            ticks: ticks.min(decoder.end_ticks()),
            step: decoder.ticks_per_second(),
            key_limit: ticks,
            is_refreshed: false,
            found: None,
        }
    }

    pub(super) fn go_back(&mut self) {
        self.ticks = self.ticks.saturating_sub(self.step);
        self.step = self.step.saturating_mul(2);
    }
}

/// How decoding up to a target went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    /// The wanted frame is the next one.
    Frame,
    /// A later one than the packets promised.
    Other,
    /// The first frame was predicted from pictures before the start, so those after it may be wrong.
    Unclean,
    /// All frames are after the target.
    After,
    /// There was no frame at all.
    Nothing,
}

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

    /// Leaves out what no other picture refers to before a timestamp, where there is one.
    fn leave_out_before(&mut self, ticks: Option<i64>) {
        let position = &mut self.position;
        position.omission.skip_before = ticks;
        if ticks.is_some() {
            // The frame that comes next need not be the next in the count, and what follows is no longer all that there is.
            position.count = Count::Unknown;
            if position.origin == Origin::Start {
                position.origin = Origin::Keyframe;
            }
        }
    }

    /// Goes to the frame of that index: by the count of the frames so far, else by what the packets of a file tell, else by
    /// counting on. A stated frame rate, which only most frames may keep to, has to do where a file cannot be read twice.
    fn seek_frame(&mut self, index: u64, manner: &Manner) -> Result<(), MediaError> {
        let position = usize::try_from(index).unwrap_or(usize::MAX);
        if let Some(ticks) = self.numbers.counted.get(position).copied() {
            return self.seek_exact(ticks, manner);
        }
        let begun = Instant::now();
        if self.numbers.list.is_none() && self.source.is_file() && self.promise.has_times() {
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
        if !self.info.timed || self.timeline.has_jumped() {
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

    /// Asks the format for a position before the target, decodes from there, and goes further back if that was not
    /// far enough. Says whether what it led to is the frame beyond doubt.
    fn seek_by_timestamp(&mut self, ticks: i64, origin: Origin, manner: &Manner) -> Result<bool, MediaError> {
        if manner.back_secs.is_none() && self.is_shortly_after(ticks, origin, manner) && self.go_on_to(ticks, manner)? {
            return Ok(self.is_certain(manner));
        }
        let mut probe = Probe::new(self, ticks);
        if let Some(secs) = manner.back_secs {
            probe.key_limit = ticks.saturating_sub((secs / self.info.time_base.value()) as i64);
            probe.ticks = probe.ticks.min(probe.key_limit);
        }
        let mut trust_packets = true;
        while self.position_at(&probe, origin) {
            let ahead = self.look_ahead(ticks, probe.key_limit, LookAhead::ToTarget)?;
            if let Some(key) = ahead.key {
                if ahead.stamps.is_none() && !ahead.is_cut_short && !self.is_split() && !manner.is_near() {
                    return Ok(false);
                }
                self.start_at(key);
                let start = self.position.omission.drop_before.unwrap_or(ticks);
                let stamps = ahead.stamps.unwrap_or_default();
                let promised = Wanted::of(&stamps, ticks, manner.kept_frames());
                self.position.told = self.told(self.number_by_table(), &stamps, ticks);
                let wanted = promised.filter(|_| trust_packets);
                match self.decode_up_to(ticks, wanted, manner)? {
                    Reached::Frame if self.is_kept_promise(promised, wanted, &mut probe, manner) => {
                        return Ok(probe.is_refreshed || self.is_certain(manner));
                    }
                    // A decoder may lose a frame that is not far from where it began: begin before that.
                    Reached::Frame => probe.key_limit = start.saturating_sub(1),
                    // The packets promised a frame that did not come: try again without leaving any out.
                    Reached::Other if trust_packets => {
                        trust_packets = false;
                        continue;
                    }
                    Reached::Unclean if probe.is_refreshed => return Ok(true),
                    Reached::Unclean => {
                        let found = self.position.next_pts().unwrap_or(ticks);
                        probe.key_limit = found.saturating_sub(REFRESH_SECS.saturating_mul(self.ticks_per_second()));
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

    /// Whether nothing on the way leaves a doubt that the frame is the one of decoding from the start: damage may show more
    /// or less of itself there, and timestamps that do not rise are made to, one after the other.
    fn is_certain(&self, manner: &Manner) -> bool {
        manner.is_near() || (self.position.damage == 0 && !self.timeline.has_strayed())
    }

    /// Whether the next frame is the one that the packets promised, or nothing else can be had: where decoding was begun
    /// earlier, it led to the same.
    fn is_kept_promise(
        &self,
        promised: Option<Wanted>,
        wanted: Option<Wanted>,
        probe: &mut Probe,
        manner: &Manner,
    ) -> bool {
        let found = self.position.next_pts();
        let is_as_wanted = wanted.is_some() || manner.is_near() || promised.is_none();
        let is_settled = is_as_wanted || promised.map(|frame| frame.pts) == found || probe.found == found;
        probe.found = found;
        is_settled
    }

    /// Whether no frame from that one on has been given out.
    fn is_ahead(&self, ticks: i64) -> bool {
        match (self.position.next_pts(), self.position.last_pts) {
            (Some(next), _) => next <= ticks,
            (None, Some(last)) => last < ticks,
            (None, None) => false,
        }
    }

    /// Whether the target lies so little ahead that decoding on beats starting from a keyframe.
    fn is_shortly_after(&self, ticks: i64, origin: Origin, manner: &Manner) -> bool {
        let position = &self.position;
        let last = position.last_pts.unwrap_or(i64::MIN);
        let is_near = ticks.saturating_sub(last) < self.ticks_per_second();
        let same_group = || {
            let key = self.input.indexed_key(self.stream, ticks);
            key.zip(position.last_packet.and_then(|packet| packet.dts)).is_some_and(|(key, read)| key <= read)
        };
        // Frames that were left out on the way to a place are missed only when going there.
        let is_whole = manner.is_near() || position.omission.gap_until.is_none_or(|gap| ticks >= gap);
        let is_as_good = position.origin != Origin::Guess || origin == Origin::Guess;
        self.is_ahead(ticks) && is_whole && is_as_good && (is_near || same_group())
    }

    /// Decodes on to the target, from a keyframe on the way if there is one; `false` if the target was passed already.
    fn go_on_to(&mut self, ticks: i64, manner: &Manner) -> Result<bool, MediaError> {
        let ahead = self.look_ahead(ticks, ticks, LookAhead::ToTarget)?;
        let stamps = if let Some(key) = ahead.key {
            let origin = self.position.origin;
            self.start_over_at(key, if origin == Origin::Guess { origin } else { Origin::Keyframe });
            let stamps = ahead.stamps.unwrap_or_default();
            self.position.told = self.told(self.number_by_table(), &stamps, ticks);
            stamps
        } else {
            let stamps = self.stamps().unwrap_or_default();
            if let Count::Next(next) = self.position.count {
                self.position.told = self.told(Some(next), &stamps, ticks);
            }
            stamps
        };
        let wanted = Wanted::of(&stamps, ticks, manner.kept_frames());
        Ok(self.decode_up_to(ticks, wanted, manner)? == Reached::Frame)
    }

    /// Positions the input before the target; `false` where there is nothing before, or no way to get there.
    pub(super) fn position_at(&mut self, probe: &Probe, origin: Origin) -> bool {
        if probe.ticks <= self.info.start_ticks || !self.position_input(probe.ticks) {
            return false;
        }
        self.forget_position();
        self.position.origin = origin;
        true
    }

    /// Asks the format for a position; says whether it knows the way.
    fn position_input(&mut self, ticks: i64) -> bool {
        // The limit of the last read has passed if the user has paused for long.
        self.source.limit_time();
        self.input.seek(self.stream, ticks).is_ok()
    }

    /// Lets decoding start at that packet of the queue, a keyframe.
    pub(super) fn start_at(&mut self, key: usize) {
        let position = &mut self.position;
        position.packets.drain(..key);
        position.omission.drop_before = position.packets.front().and_then(|packet| packet.pts());
    }

    /// The same, in the middle of decoding: what was read stays.
    fn start_over_at(&mut self, key: usize, origin: Origin) {
        let Position { packets, supply, last_packet, .. } = std::mem::take(&mut self.position);
        self.forget_position();
        self.position = Position { packets, supply, last_packet, origin, ..Position::default() };
        self.start_at(key);
    }

    fn ticks_per_second(&self) -> i64 {
        (1.0 / self.info.time_base.value()).ceil() as i64
    }

    /// The last tick at which a frame can be expected, as far as the headers tell.
    fn end_ticks(&self) -> i64 {
        let length = self.info.duration_secs.map_or(i64::MAX, |secs| (secs / self.info.time_base.value()) as i64);
        self.info.start_ticks.saturating_add(length)
    }

    /// Forgets all that was read and decoded ahead, after the input was positioned.
    pub(super) fn forget_position(&mut self) {
        self.codec.flush();
        self.timeline.restart();
        self.position = Position::default();
    }

    /// Goes to the first frame.
    pub(super) fn rewind(&mut self) -> Result<(), MediaError> {
        if !self.can_go_back() {
            let is_there = self.position.count == Count::Next(1) && self.position.ready.len() == 1;
            return if is_there { Ok(()) } else { Err(self.not_seekable()) };
        }
        let is_sure = self.origin_at_keyframe(false) == Some(Origin::Keyframe);
        if is_sure && self.position_input(self.info.start_ticks) {
            self.forget_position();
            self.position.origin = Origin::Keyframe;
            if let Some(first) = self.decode_timed()? {
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

    /// Opens the source and the codec again, which leads to the first frame whatever they can do.
    fn reopen(&mut self) -> Result<(), MediaError> {
        if !self.source.can_reopen() {
            return Err(self.not_seekable());
        }
        self.input = self.source.open().map_err(|error| match error {
            MediaError::NotFound { path } => MediaError::Gone { path },
            other => other,
        })?;
        self.input.select(self.stream);
        self.forget_position();
        if let Some(parameters) = self.input.stream(self.stream) {
            let opened = self.codec.anew(&parameters);
            self.codec = opened.map_err(|error| self.source.error("opening the decoder", error))?;
        }
        self.position.origin = Origin::Start;
        self.position.count = Count::Next(0);
        Ok(())
    }

    /// Decodes until the last frame not above `ticks` is the next one. With `wanted`, pictures well before it that no other
    /// refers to are left out, and the frame after it is not waited for. Those right before it are kept.
    fn decode_up_to(&mut self, ticks: i64, wanted: Option<Wanted>, manner: &Manner) -> Result<Reached, MediaError> {
        self.leave_out_before(wanted.map(|wanted| wanted.whole_from));
        let wanted = wanted.map(|wanted| wanted.pts);
        let position = &mut self.position;
        position.passed.clear();
        let begun = Instant::now();
        let is_start =
            position.last_pts.is_none() && position.ready.is_empty() && position.omission.drop_before.is_some();
        let mut is_clean = true;
        let mut before: Option<Timed> = None;
        let mut after = None;
        let mut is_early = false;
        while let Some(timed) = self.pull()? {
            if let Err(error) = manner.check_interrupt(self, begun) {
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
            is_early = !is_wanted && manner.until.is_some_and(|until| Instant::now() >= until);
            if let Some(earlier) = before.replace(timed)
                // Frames between it and the next may be missing.
                && self.position.omission.is_whole_from(earlier.pts)
            {
                self.position.passed.push(earlier, manner.room);
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
}

//! Positioning: the exact frame at a time, or a keyframe near it.

use std::time::{Duration, Instant};

use super::ahead::Wanted;
use super::decoder::{Decoder, Timed};
use super::error::MediaError;

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

/// Seconds that are decoded before the target where pictures are refreshed bit by bit instead of by keyframes.
const REFRESH_SECS: i64 = 10;

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
        self.passed.clear();
        match seek {
            Seek::Exact(target) | Seek::Back { target, .. } => self.seek_target(target),
            Seek::Keyframe(secs) => self.seek_keyframe(self.ticks_at(secs)),
            Seek::Near(secs) => self.seek_near(self.ticks_at(secs)),
            Seek::Towards(secs) => self.seek_towards(self.ticks_at(secs)),
        }
    }

    pub(super) fn seek_target(&mut self, target: SeekTarget) -> Result<(), MediaError> {
        match target {
            SeekTarget::Time(secs) => self.seek_exact(self.ticks_at(secs)),
            SeekTarget::Number(number) => self.seek_frame(number),
            SeekTarget::Timestamp(ticks) => self.seek_exact(ticks),
            SeekTarget::Before(ticks) => self.seek_exact(ticks.saturating_sub(1)),
            SeekTarget::End => self.seek_exact(i64::MAX),
        }
    }

    /// The tick that contains a time, with a little grace so that a frame's own time leads to it.
    pub(super) fn ticks_at(&self, secs: f64) -> i64 {
        let ticks = (secs / self.info.time_base.value() + 1e-3).floor();
        // The conversion saturates, and turns what is no number into zero.
        self.info.start_ticks.saturating_add(ticks as i64)
    }

    /// Goes as close to a timestamp as can be had in an instant.
    fn seek_near(&mut self, ticks: i64) -> Result<(), MediaError> {
        self.near_until = Some(Instant::now() + NEAR_TIME);
        let result = self.seek_exact(ticks);
        self.near_until = None;
        result
    }

    /// Goes on towards a timestamp that is ahead, leaving out what can be left out. Where packets do not tell, it just goes on.
    fn seek_towards(&mut self, ticks: i64) -> Result<(), MediaError> {
        if !self.can_go_back() || !self.info.timed || self.timeline.has_jumped() {
            return Ok(());
        }
        if let Some(key) = self.look_ahead(ticks, ticks, false)?.key {
            self.start_over_at(key);
        }
        self.skip_before = Some(ticks);
        self.gap_until = self.gap_until.max(self.skip_before);
        Ok(())
    }

    /// Goes to the frame of that index: by the count of the frames so far, else by what the packets of a file tell, else by
    /// counting on. A stated frame rate, which only most frames may keep to, has to do where a file cannot be read twice.
    fn seek_frame(&mut self, index: u64) -> Result<(), MediaError> {
        let position = usize::try_from(index).unwrap_or(usize::MAX);
        if let Some(ticks) = self.known.get(position).copied() {
            return self.seek_exact(ticks);
        }
        let begun = Instant::now();
        if self.index.is_none() && self.source.is_file() {
            let listed = self.frame_index(|| self.check_interrupt(begun).is_ok())?;
            listed.map(|listed| self.adopt(listed));
            self.check_interrupt(begun)?;
        }
        if let Some(list) = &self.index {
            let ticks = list.pts.get(position).or(list.pts.last()).copied();
            return self.seek_exact(ticks.unwrap_or(self.info.start_ticks));
        }
        if let Some(rate) = self.info.constant_rate().filter(|_| !self.source.is_file()) {
            return self.seek_exact(self.ticks_at((index as f64 + 0.5) / rate.value()));
        }
        self.seek_exact(self.known.last().copied().unwrap_or(self.info.start_ticks))?;
        let mut last = None;
        while let Some(timed) = self.pull()? {
            self.check_interrupt(begun)?;
            if timed.index.is_some_and(|found| found >= index) {
                self.ready.push_front(timed);
                return Ok(());
            }
            last = Some(timed);
        }
        self.ready.extend(last);
        Ok(())
    }

    pub(super) fn seek_exact(&mut self, ticks: i64) -> Result<(), MediaError> {
        if ticks <= self.info.start_ticks {
            return self.rewind();
        }
        if !self.can_go_back() {
            return self.seek_forward_only(ticks);
        }
        if !self.info.timed || self.timeline.has_jumped() {
            self.rewind()?;
            self.decode_up_to(ticks, None)?;
            return Ok(());
        }
        self.seek_by_timestamp(ticks)
    }

    pub(super) fn can_go_back(&self) -> bool {
        self.info.seekable || self.source.can_reopen()
    }

    fn not_seekable(&self) -> MediaError {
        MediaError::NotSeekable { path: self.source.path().to_owned() }
    }

    fn seek_forward_only(&mut self, ticks: i64) -> Result<(), MediaError> {
        let next = self.ready.front().map(|timed| timed.pts).or(self.last_pts);
        if next.is_some_and(|next| next > ticks) {
            return Err(self.not_seekable());
        }
        self.decode_up_to(ticks, None)?;
        Ok(())
    }

    /// Asks the format for a position before the target, decodes from there, and goes further back if that was not
    /// far enough.
    fn seek_by_timestamp(&mut self, ticks: i64) -> Result<(), MediaError> {
        if self.back_secs.is_none() && self.is_shortly_after(ticks) && self.go_on_to(ticks)? {
            return Ok(());
        }
        let mut probe = Probe::new(self, ticks);
        if let Some(secs) = self.back_secs {
            probe.key_limit = ticks.saturating_sub((secs / self.info.time_base.value()) as i64);
            probe.ticks = probe.ticks.min(probe.key_limit);
        }
        let mut trust_packets = true;
        while self.position_at(&probe) {
            let ahead = self.look_ahead(ticks, probe.key_limit, false)?;
            if let Some(key) = ahead.key {
                self.start_at(key);
                let start = self.drop_before.unwrap_or(ticks);
                let wanted = ahead.frame.filter(|_| trust_packets);
                match self.decode_up_to(ticks, wanted)? {
                    Reached::Frame if self.is_kept_promise(ahead.frame, wanted, &mut probe) => return Ok(()),
                    // A decoder may lose a frame that is not far from where it began: begin before that.
                    Reached::Frame => probe.key_limit = start.saturating_sub(1),
                    // The packets promised a frame that did not come: try again without leaving any out.
                    Reached::Other if trust_packets => {
                        trust_packets = false;
                        continue;
                    }
                    Reached::Unclean if probe.is_refreshed => return Ok(()),
                    Reached::Unclean => {
                        let found = self.ready.front().map_or(ticks, |timed| timed.pts);
                        probe.key_limit = found.saturating_sub(REFRESH_SECS.saturating_mul(self.ticks_per_second()));
                        probe.is_refreshed = true;
                        trust_packets = false;
                    }
                    Reached::Other | Reached::After | Reached::Nothing => {}
                }
            }
            probe.go_back();
        }
        self.rewind()?;
        self.decode_up_to(ticks, None)?;
        Ok(())
    }

    /// Whether the next frame is the one that the packets promised, or nothing else can be had: where decoding was begun
    /// earlier, it led to the same.
    fn is_kept_promise(&self, promised: Option<Wanted>, wanted: Option<Wanted>, probe: &mut Probe) -> bool {
        let found = self.ready.front().map(|timed| timed.pts);
        let is_as_wanted = wanted.is_some() || self.near_until.is_some() || promised.is_none();
        let is_settled = is_as_wanted || promised.map(|frame| frame.pts) == found || probe.found == found;
        probe.found = found;
        is_settled
    }

    /// Whether the target lies so little ahead that decoding on beats starting from a keyframe.
    fn is_shortly_after(&self, ticks: i64) -> bool {
        let is_ahead = match (self.ready.front(), self.last_pts) {
            (Some(next), _) => next.pts <= ticks,
            (None, Some(last)) => last < ticks,
            (None, None) => false,
        };
        let last = self.last_pts.unwrap_or(i64::MIN);
        let is_near = ticks.saturating_sub(last) < self.ticks_per_second();
        let same_group = || {
            let key = self.input.indexed_key(self.stream, ticks);
            key.zip(self.last_read_dts).is_some_and(|(key, read)| key <= read)
        };
        // Frames that were left out on the way to a place are missed only when going there.
        let is_whole = self.near_until.is_some() || self.gap_until.is_none_or(|gap| ticks >= gap);
        is_ahead && is_whole && (is_near || same_group())
    }

    /// Decodes on to the target, from a keyframe on the way if there is one; `false` if the target was passed already.
    fn go_on_to(&mut self, ticks: i64) -> Result<bool, MediaError> {
        let ahead = self.look_ahead(ticks, ticks, false)?;
        let wanted;
        if let Some(key) = ahead.key {
            self.start_over_at(key);
            wanted = ahead.frame;
        } else {
            wanted = self.frame_in_packets(0, ticks);
        }
        Ok(self.decode_up_to(ticks, wanted)? == Reached::Frame)
    }

    /// Positions the input before the target; `false` where there is nothing before, or no way to get there.
    pub(super) fn position_at(&mut self, probe: &Probe) -> bool {
        if probe.ticks <= self.info.start_ticks || !self.position_input(probe.ticks) {
            return false;
        }
        self.forget_position();
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
        self.packets.drain(..key);
        self.drop_before = self.packets.front().and_then(|packet| packet.pts());
    }

    /// The same, in the middle of decoding: what was read stays.
    fn start_over_at(&mut self, key: usize) {
        let packets = std::mem::take(&mut self.packets);
        let input_ended = self.input_ended;
        self.forget_position();
        (self.packets, self.input_ended) = (packets, input_ended);
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
        self.packets.clear();
        self.ready.clear();
        self.timeline.restart();
        self.input_ended = false;
        self.draining = false;
        self.broken = None;
        self.next_index = None;
        self.unnumbered = None;
        self.last_pts = None;
        self.in_codec.clear();
        self.last_read_dts = None;
        self.shown_ahead = None;
        self.skip_before = None;
        self.drop_before = None;
        self.gap_until = None;
        self.passed.clear();
    }

    /// Ends a seek that nobody waits for any more.
    fn check_interrupt(&self, begun: Instant) -> Result<(), MediaError> {
        let interrupt = self.source.interrupt();
        let patience = if self.back_secs.is_some() { Duration::ZERO } else { PATIENCE };
        if interrupt.is_stopped() || (interrupt.is_hurried() && begun.elapsed() > patience) {
            return Err(MediaError::Stopped { path: self.source.path().to_owned() });
        }
        Ok(())
    }

    /// Remembers up to where frames may be missing, as decoding towards a frame ends before it is there.
    fn note_gap(&mut self) {
        self.gap_until = self.gap_until.max(self.skip_before.take());
    }

    /// Goes to the first frame.
    pub(super) fn rewind(&mut self) -> Result<(), MediaError> {
        if !self.can_go_back() {
            return if self.next_index == Some(1) && self.ready.len() == 1 { Ok(()) } else { Err(self.not_seekable()) };
        }
        if self.info.timed && !self.timeline.has_jumped() && self.position_input(self.info.start_ticks) {
            self.forget_position();
            if let Some(first) = self.decode_timed()? {
                let is_first = first.pts == self.info.start_ticks;
                self.ready.push_back(first);
                if is_first {
                    return Ok(());
                }
            }
        }
        self.reopen()
    }

    /// Opens the source again, which leads to the first frame whatever the format can do.
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
        self.next_index = Some(0);
        Ok(())
    }

    /// Decodes until the last frame not above `ticks` is the next one. With `wanted`, pictures well before it that no other
    /// refers to are left out, and the frame after it is not waited for. Those right before it are kept.
    fn decode_up_to(&mut self, ticks: i64, wanted: Option<Wanted>) -> Result<Reached, MediaError> {
        self.skip_before = wanted.map(|wanted| wanted.whole_from);
        let wanted = wanted.map(|wanted| wanted.pts);
        self.passed.clear();
        let begun = Instant::now();
        let is_start = self.last_pts.is_none() && self.ready.is_empty() && self.drop_before.is_some();
        let mut is_clean = true;
        let mut before: Option<Timed> = None;
        let mut after = None;
        let mut is_early = false;
        while let Some(timed) = self.pull()? {
            if let Err(error) = self.check_interrupt(begun) {
                self.note_gap();
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
            is_early = !is_wanted && self.near_until.is_some_and(|until| Instant::now() >= until);
            if let Some(earlier) = before.replace(timed) {
                self.pass(earlier);
            }
            if is_wanted || is_early {
                break;
            }
        }
        if is_early {
            self.note_gap();
        }
        self.skip_before = None;
        let reached = match (&before, &after) {
            (Some(_), _) if !is_clean => Reached::Unclean,
            (Some(_), _) if is_early => Reached::Frame,
            (Some(frame), _) if wanted.is_none_or(|wanted| wanted == frame.pts) => Reached::Frame,
            (Some(_), _) => Reached::Other,
            (None, Some(_)) => Reached::After,
            (None, None) => Reached::Nothing,
        };
        for timed in [after, before].into_iter().flatten() {
            self.ready.push_front(timed);
        }
        Ok(reached)
    }
}

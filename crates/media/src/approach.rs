//! Approaching a frame: from which keyframe to decode, which packets may be left out, and when what came is the frame.

use std::time::{Duration, Instant};

use super::ahead::{LookAhead, Wanted};
use super::decoder::Decoder;
use super::error::MediaError;
use super::position::{Count, Origin, Position, Room, Timed};

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
    pub(super) const fn is_near(&self) -> bool {
        self.until.is_some()
    }

    /// Frames before the target that are decoded whether other pictures refer to them or not.
    const fn kept_frames(&self) -> usize {
        if self.is_near() { 0 } else { self.room.frames }
    }

    /// Ends a seek that nobody waits for any more.
    pub(super) fn check_interrupt(&self, decoder: &Decoder, begun: Instant) -> Result<(), MediaError> {
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
pub(super) enum Reached {
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
    /// Asks the format for a position before the target, decodes from there, and goes further back if that was not
    /// far enough. Says whether what it led to is the frame beyond doubt.
    pub(super) fn seek_by_timestamp(
        &mut self,
        ticks: i64,
        origin: Origin,
        manner: &Manner,
    ) -> Result<bool, MediaError> {
        if manner.back_secs.is_none() && self.is_shortly_after(ticks, manner) && self.go_on_to(ticks, manner)? {
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
                    Reached::Frame if self.is_kept_promise(promised, &mut probe, manner) => {
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
    /// earlier, it led to the same. Saying no costs time only: it has decoding begin earlier, at last at the first frame.
    fn is_kept_promise(&self, promised: Option<Wanted>, probe: &mut Probe, manner: &Manner) -> bool {
        let found = self.position.next_pts();
        let is_as_promised = manner.is_near() || promised.is_none_or(|frame| Some(frame.pts) == found);
        let is_settled = is_as_promised || probe.found == found;
        probe.found = found;
        is_settled
    }

    /// Whether no frame from that one on has been given out.
    pub(super) fn is_ahead(&self, ticks: i64) -> bool {
        match (self.position.next_pts(), self.position.last_pts) {
            (Some(next), _) => next <= ticks,
            (None, Some(last)) => last < ticks,
            (None, None) => false,
        }
    }

    /// Whether the target lies so little ahead that decoding on beats starting from a keyframe.
    fn is_shortly_after(&self, ticks: i64, manner: &Manner) -> bool {
        let position = &self.position;
        let last = position.last_pts.unwrap_or(i64::MIN);
        let is_near = ticks.saturating_sub(last) < self.ticks_per_second();
        let same_group = || {
            let key = self.input.indexed_key(self.stream, ticks);
            key.zip(position.last_packet.and_then(|packet| packet.dts)).is_some_and(|(key, read)| key <= read)
        };
        // Frames that were left out on the way to a place are missed only when going there.
        let is_whole = manner.is_near() || position.omission.gap_until.is_none_or(|gap| ticks >= gap);
        self.is_ahead(ticks) && is_whole && (is_near || same_group())
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
    pub(super) fn position_input(&mut self, ticks: i64) -> bool {
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
    pub(super) fn start_over_at(&mut self, key: usize, origin: Origin) {
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

    /// Leaves out what no other picture refers to before a timestamp, where there is one.
    pub(super) fn leave_out_before(&mut self, ticks: Option<i64>) {
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

    /// Decodes until the last frame not above `ticks` is the next one. With `wanted`, pictures well before it that no other
    /// refers to are left out, and the frame after it is not waited for. Those right before it are kept.
    pub(super) fn decode_up_to(
        &mut self,
        ticks: i64,
        wanted: Option<Wanted>,
        manner: &Manner,
    ) -> Result<Reached, MediaError> {
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

#[cfg(test)]
mod tests;

//! Positioning: the exact frame at a time, or a keyframe near it.

use super::decoder::{Decoder, Timed};
use super::error::MediaError;

/// Where to go. Times are seconds from the first frame, timestamps are ticks of the stream's time base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeekTarget {
    /// The frame whose presentation interval contains the time, in seconds; the first or the last frame beyond the ends.
    Exact(f64),
    /// A keyframe at or before the time, in seconds.
    Keyframe(f64),
    /// The last frame whose timestamp is not above this one, in ticks.
    Ticks(i64),
    /// The last frame before the one with this timestamp, in ticks.
    Before(i64),
    /// The first frame.
    First,
    /// The last frame.
    Last,
}

/// Bytes of packets that may be read ahead in search of a frame.
const LOOK_AHEAD_BYTES: usize = 48 << 20;
/// Packets without a decoding timestamp and past the target after which none before it can follow.
const REORDER_LIMIT: u32 = 17;

/// What reading ahead found out.
struct Ahead {
    /// Position in the packet queue of the last keyframe at or before the target.
    key: Option<usize>,
    /// Timestamp of the wanted frame, where the packets tell it beyond doubt.
    frame: Option<i64>,
}

/// How decoding up to a target went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    /// The wanted frame is the next one.
    Frame,
    /// A later one than the packets promised.
    Other,
    /// All frames are after the target.
    After,
    /// There was no frame at all.
    Nothing,
}

impl Decoder {
    /// Goes to `target`: the next frame that [`next_frame`](Self::next_frame) gives is the wanted one.
    ///
    /// # Errors
    /// [`MediaError::NotSeekable`] if the source can only be read forwards and the target is behind; then the position
    /// is what it was. Other errors as for reading.
    pub fn seek(&mut self, target: SeekTarget) -> Result<(), MediaError> {
        match target {
            SeekTarget::First => self.rewind(),
            SeekTarget::Last => self.seek_exact(i64::MAX),
            SeekTarget::Ticks(ticks) => self.seek_exact(ticks),
            SeekTarget::Before(ticks) => self.seek_exact(ticks.saturating_sub(1)),
            SeekTarget::Exact(secs) => self.seek_exact(self.ticks_at(secs)),
            SeekTarget::Keyframe(secs) => self.seek_exact(self.ticks_at(secs)),
        }
    }

    /// The tick that contains a time, with a little grace so that a frame's own time leads to it.
    fn ticks_at(&self, secs: f64) -> i64 {
        let ticks = (secs / self.info.time_base.value() + 1e-3).floor();
        // The conversion saturates, and turns what is no number into zero.
        self.info.start_ticks.saturating_add(ticks as i64)
    }

    fn seek_exact(&mut self, ticks: i64) -> Result<(), MediaError> {
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

    fn can_go_back(&self) -> bool {
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
        let second = (1.0 / self.info.time_base.value()).ceil() as i64;
        let end = self.end_ticks();
        let mut probe = ticks.min(end);
        let mut step = second;
        let mut trust_packets = true;
        loop {
            let at_start = probe <= self.info.start_ticks || self.input.seek(self.stream, probe).is_err();
            if at_start {
                self.rewind()?;
                self.decode_up_to(ticks, None)?;
                return Ok(());
            }
            self.forget_position();
            let ahead = self.look_ahead(ticks)?;
            if let Some(key) = ahead.key {
                self.packets.drain(..key);
                self.drop_before = self.packets.front().and_then(|packet| packet.pts());
                let wanted = ahead.frame.filter(|_| trust_packets);
                match self.decode_up_to(ticks, wanted)? {
                    Reached::Frame => return Ok(()),
                    // The packets promised a frame that did not come: try again without leaving any out.
                    Reached::Other if trust_packets => {
                        trust_packets = false;
                        continue;
                    }
                    Reached::Other | Reached::After | Reached::Nothing => {}
                }
            }
            probe = probe.saturating_sub(step);
            step = step.saturating_mul(2);
        }
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
        self.next_index = None;
        self.last_pts = None;
        self.skip_before = None;
        self.drop_before = None;
    }

    /// Goes to the first frame.
    pub(super) fn rewind(&mut self) -> Result<(), MediaError> {
        if !self.can_go_back() {
            return if self.next_index == Some(1) && self.ready.len() == 1 { Ok(()) } else { Err(self.not_seekable()) };
        }
        if self.info.timed && !self.timeline.has_jumped() && self.input.seek(self.stream, self.info.start_ticks).is_ok()
        {
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
        self.input = self.source.open()?;
        self.input.select(self.stream);
        self.forget_position();
        self.next_index = Some(0);
        Ok(())
    }

    /// Reads packets until all that can hold the target are in the queue.
    fn look_ahead(&mut self, ticks: i64) -> Result<Ahead, MediaError> {
        let mut key = None;
        let mut bytes = 0;
        let mut past = 0;
        let mut complete = true;
        while let Some(packet) = self.read_packet()? {
            let time = packet.pts().or(packet.dts());
            bytes += packet.size();
            if packet.is_key() && time.is_some_and(|time| time <= ticks) {
                key = Some(self.packets.len());
            }
            let is_past = match packet.dts() {
                Some(dts) => dts > ticks,
                None => {
                    past += u32::from(packet.pts().is_some_and(|pts| pts > ticks));
                    past >= REORDER_LIMIT
                }
            };
            self.packets.push_back(packet);
            if is_past {
                break;
            }
            if bytes > LOOK_AHEAD_BYTES {
                match key.take().filter(|key| *key > 0) {
                    Some(key_at) => {
                        bytes -= self.packets.drain(..key_at).map(|packet| packet.size()).sum::<usize>();
                        key = Some(0);
                    }
                    None => {
                        complete = false;
                        break;
                    }
                }
            }
        }
        let frame = key.filter(|_| complete).and_then(|key| self.frame_in_packets(key, ticks));
        Ok(Ahead { key, frame })
    }

    /// The highest timestamp not above `ticks` of the queued packets from `key` on; `None` if they leave a doubt.
    fn frame_in_packets(&self, key: usize, ticks: i64) -> Option<i64> {
        let mut stamps = Vec::with_capacity(self.packets.len());
        for packet in self.packets.iter().skip(key).filter(|packet| !packet.is_discarded()) {
            stamps.push(packet.pts()?);
        }
        stamps.sort_unstable();
        if stamps.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        stamps.into_iter().rfind(|pts| *pts <= ticks)
    }

    /// Decodes until the last frame not above `ticks` is the next one. With `wanted`, its timestamp, pictures before it
    /// that no other refers to are left out, and the frame after it is not waited for.
    fn decode_up_to(&mut self, ticks: i64, wanted: Option<i64>) -> Result<Reached, MediaError> {
        self.skip_before = wanted;
        let mut before: Option<Timed> = None;
        let mut after = None;
        while let Some(timed) = self.pull()? {
            if self.source.interrupt().is_stopped() {
                return Err(MediaError::Stopped { path: self.source.path().to_owned() });
            }
            if timed.pts > ticks {
                after = Some(timed);
                break;
            }
            let is_wanted = wanted == Some(timed.pts);
            before = Some(timed);
            if is_wanted {
                break;
            }
        }
        self.skip_before = None;
        let reached = match (&before, &after) {
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

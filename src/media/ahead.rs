//! Reading packets ahead of decoding, to know where to begin and which frame is wanted.

use super::decoder::Decoder;
use super::error::MediaError;

/// Bytes of packets that may be read ahead in search of a frame.
const LOOK_AHEAD_BYTES: usize = 48 << 20;
/// Packets without a decoding timestamp and past the target after which none before it can follow.
const REORDER_LIMIT: u32 = 17;

/// What reading ahead found out.
pub(super) struct Ahead {
    /// Position in the packet queue of the last keyframe at or before the target.
    pub(super) key: Option<usize>,
    /// The wanted frame, where the packets tell it beyond doubt.
    pub(super) frame: Option<Wanted>,
}

/// The frame that a seek leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) pts: i64,
    /// Timestamp of the frame from which on none is left out, so that it and those between can be kept.
    pub(super) whole_from: i64,
}

impl Decoder {
    /// Reads packets until all that can hold the target are in the queue, or until the first keyframe. Keyframes above
    /// `key_limit` do not count.
    pub(super) fn look_ahead(&mut self, ticks: i64, key_limit: i64, first_key: bool) -> Result<Ahead, MediaError> {
        let mut key = None;
        let mut bytes = 0;
        let mut past = 0;
        let mut complete = true;
        // What is queued already was read after what the codec holds.
        let mut queued = std::mem::take(&mut self.packets);
        loop {
            let packet = match queued.pop_front() {
                Some(packet) => packet,
                None => match self.read_packet()? {
                    Some(packet) => packet,
                    None => break,
                },
            };
            bytes += packet.size();
            if packet.is_key() && packet.pts().or(packet.dts()).is_some_and(|time| time <= key_limit) {
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
            if is_past || (first_key && key.is_some()) {
                break;
            }
            if bytes > LOOK_AHEAD_BYTES {
                let Some(key_at) = key.filter(|key| *key > 0) else {
                    complete = false;
                    break;
                };
                bytes -= self.packets.drain(..key_at).map(|packet| packet.size()).sum::<usize>();
                key = Some(0);
            }
        }
        self.packets.append(&mut queued);
        let frame = key.filter(|_| complete).and_then(|key| self.frame_in_packets(key, ticks));
        Ok(Ahead { key, frame })
    }

    /// The frame of the highest timestamp not above `ticks` of the packets in the codec and of the queued ones from `key` on; `None` if
    /// they leave a doubt.
    pub(super) fn frame_in_packets(&self, key: usize, ticks: i64) -> Option<Wanted> {
        let mut stamps = self.in_codec.iter().copied().collect::<Option<Vec<_>>>()?;
        for packet in self.packets.iter().skip(key).filter(|packet| !packet.is_discarded()) {
            stamps.push(packet.pts()?);
        }
        stamps.sort_unstable();
        if stamps.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let position = stamps.partition_point(|pts| *pts <= ticks).checked_sub(1)?;
        let kept = if self.near_until.is_some() { 0 } else { self.passed.most_frames() };
        Some(Wanted { pts: stamps[position], whole_from: stamps[position.saturating_sub(kept)] })
    }
}

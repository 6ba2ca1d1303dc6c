//! Reading packets ahead of decoding, to know where to begin and which frame is wanted.

use super::decoder::Decoder;
use super::error::MediaError;
use super::position::Told;
use super::promise::Promise;

/// Bytes of packets that may be read ahead in search of a frame.
const LOOK_AHEAD_BYTES: usize = 48 << 20;
/// Packets without a decoding timestamp and past the target after which none before it can follow.
const REORDER_LIMIT: u32 = 17;

/// How far to read ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LookAhead {
    /// Until all packets that can hold the target are in the queue.
    ToTarget,
    /// Until the first keyframe.
    ToKeyframe,
}

/// What reading ahead found out.
pub(super) struct Ahead {
    /// Position in the packet queue of the last keyframe at or before the target.
    pub(super) key: Option<usize>,
    /// Timestamps of the shown packets from that keyframe on, rising, where they tell the frames beyond doubt.
    pub(super) stamps: Option<Vec<i64>>,
    /// Whether the packets were too many to be read up to the target, so that nothing is told.
    pub(super) is_cut_short: bool,
}

/// The frame that a seek leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) pts: i64,
    /// Timestamp of the frame from which on none is left out, so that it and those between can be kept.
    pub(super) whole_from: i64,
}

impl Decoder {
    /// Reads packets ahead. Keyframes above `key_limit` do not count.
    pub(super) fn look_ahead(&mut self, ticks: i64, key_limit: i64, until: LookAhead) -> Result<Ahead, MediaError> {
        let mut key = None;
        let mut bytes = 0;
        let mut past = 0;
        let mut is_cut_short = false;
        // What is queued already was read after what the codec holds.
        let mut queued = std::mem::take(&mut self.position.packets);
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
                key = Some(self.position.packets.len());
            }
            let is_past = match packet.dts() {
                Some(dts) => dts > ticks,
                None => {
                    past += u32::from(packet.pts().is_some_and(|pts| pts > ticks));
                    past >= REORDER_LIMIT
                }
            };
            let packets = &mut self.position.packets;
            packets.push_back(packet);
            if is_past || (until == LookAhead::ToKeyframe && key.is_some()) {
                break;
            }
            if bytes > LOOK_AHEAD_BYTES {
                let Some(key_at) = key.filter(|key| *key > 0) else {
                    is_cut_short = true;
                    break;
                };
                bytes -= packets.drain(..key_at).map(|packet| packet.size()).sum::<usize>();
                key = Some(0);
            }
        }
        self.position.packets.append(&mut queued);
        let stamps = key.filter(|_| !is_cut_short).and_then(|key| self.stamps_from(key, Vec::new()));
        Ok(Ahead { key, stamps, is_cut_short })
    }

    /// Timestamps of the shown packets in the codec and in the queue, rising; `None` if they leave a doubt which frame is
    /// which.
    pub(super) fn stamps(&self) -> Option<Vec<i64>> {
        self.stamps_from(0, self.position.in_codec.iter().copied().collect::<Option<_>>()?)
    }

    /// The same of the packets in the queue from `key` on, and those before.
    fn stamps_from(&self, key: usize, mut stamps: Vec<i64>) -> Option<Vec<i64>> {
        for packet in self.position.packets.iter().skip(key).filter(|packet| !packet.is_discarded()) {
            stamps.push(packet.pts()?);
        }
        stamps.sort_unstable();
        stamps.windows(2).all(|pair| pair[0] < pair[1]).then_some(stamps)
    }

    /// The number of the first frame of the packets in the queue, which begin with a keyframe's, where the container's table
    /// counts what comes before.
    pub(super) fn number_by_table(&self) -> Option<u64> {
        let Promise::Table(table) = &self.promise else { return None };
        table.shown_before(self.position.packets.front()?.dts()?)?.checked_sub(self.numbers.lost_at_start)
    }

    /// The numbers of the frames up to `ticks`, of packets of which the first shown has that number.
    pub(super) fn told(&self, first: Option<u64>, stamps: &[i64], ticks: i64) -> Option<Told> {
        let known = stamps.partition_point(|pts| *pts <= ticks);
        let first = first.filter(|_| self.has_plain_packets())?;
        Some(Told { first, stamps: stamps[..known].to_vec() })
    }
}

impl Wanted {
    /// The last frame not above `ticks`, and so many before it that are to be kept.
    pub(super) fn of(stamps: &[i64], ticks: i64, kept: usize) -> Option<Self> {
        let position = stamps.partition_point(|pts| *pts <= ticks).checked_sub(1)?;
        Some(Self { pts: stamps[position], whole_from: stamps[position.saturating_sub(kept)] })
    }
}

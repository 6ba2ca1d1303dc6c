//! Reading packets ahead of decoding, to know where to begin and which frame is wanted.

use super::av::{AvPacket, FramelessPackets};
use super::decoder::Decoder;
use super::error::MediaError;
use super::position::PromisedNumbers;
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

/// Reading on past a target.
struct Passing {
    ticks: i64,
    /// Packets that are shown after it, and do not say when they are decoded.
    later: u32,
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
        self.look_ahead_within(LOOK_AHEAD_BYTES, ticks, key_limit, until)
    }

    fn look_ahead_within(
        &mut self,
        most_bytes: usize,
        ticks: i64,
        key_limit: i64,
        until: LookAhead,
    ) -> Result<Ahead, MediaError> {
        let mut key = None;
        let mut bytes = 0;
        let mut passing = Passing { ticks, later: 0 };
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
            let is_past = passing.is_past(packet.pts(), packet.dts());
            let packets = &mut self.position.packets;
            packets.push_back(packet);
            if is_past || (until == LookAhead::ToKeyframe && key.is_some()) {
                break;
            }
            if bytes > most_bytes {
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
        let codec = self.info.codec.as_str();
        let gives_frame = |packet: &&AvPacket| !packet.is_discarded() && !FramelessPackets::always_has(codec, packet);
        for packet in self.position.packets.iter().skip(key).filter(gives_frame) {
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
    pub(super) fn told(&self, first: Option<u64>, stamps: &[i64], ticks: i64) -> Option<PromisedNumbers> {
        let known = stamps.partition_point(|pts| *pts <= ticks);
        let first = first.filter(|_| self.has_plain_packets())?;
        Some(PromisedNumbers { first, stamps: stamps[..known].to_vec() })
    }
}

impl Passing {
    /// Whether no packet after this one, which has these timestamps, can be shown at the target or before it.
    fn is_past(&mut self, pts: Option<i64>, dts: Option<i64>) -> bool {
        if let Some(dts) = dts {
            return dts > self.ticks;
        }
        self.later += u32::from(pts.is_some_and(|pts| pts > self.ticks));
        self.later >= REORDER_LIMIT
    }
}

impl Wanted {
    /// The last frame not above `ticks`, and so many before it that are to be kept.
    pub(super) fn of(stamps: &[i64], ticks: i64, kept: usize) -> Option<Self> {
        let position = stamps.partition_point(|pts| *pts <= ticks).checked_sub(1)?;
        Some(Self { pts: stamps[position], whole_from: stamps[position.saturating_sub(kept)] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OpenOptions, Seek};

    /// Frames of 512 ticks, of which every sixtieth is a keyframe. The first is decoded two frames before it is shown.
    const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sample.mp4");
    const FRAME: i64 = 512;
    const GROUP: i64 = 60 * FRAME;

    /// A decoder that has read nothing.
    fn fresh() -> Decoder {
        let mut decoder = Decoder::open(SAMPLE, &OpenOptions::default()).unwrap();
        assert!(decoder.position_input(0));
        decoder.forget_position();
        decoder
    }

    /// Bytes of the packets in the queue.
    fn queued(decoder: &Decoder) -> usize {
        decoder.position.packets.iter().map(AvPacket::size).sum()
    }

    #[test]
    fn packets_are_read_until_none_can_hold_the_target_any_more() {
        let mut decoder = fresh();
        let ahead = decoder.look_ahead(70 * FRAME, 70 * FRAME, LookAhead::ToTarget).unwrap();
        assert_eq!((ahead.key, ahead.is_cut_short), (Some(60), false));
        let last = decoder.position.packets.back().and_then(|packet| packet.dts());
        assert_eq!(last, Some(71 * FRAME));
        let stamps = ahead.stamps.unwrap();
        assert_eq!(stamps[..11], (60..=70).map(|at| at * FRAME).collect::<Vec<_>>());
        // What is queued is looked at first, and stays.
        let (packets, bytes) = (decoder.position.packets.len(), queued(&decoder));
        let before = decoder.counters().packets;
        let ahead = decoder.look_ahead(20 * FRAME, GROUP - 1, LookAhead::ToTarget).unwrap();
        assert_eq!((ahead.key, decoder.counters().packets), (Some(0), before));
        assert_eq!((decoder.position.packets.len(), queued(&decoder)), (packets, bytes));
        let ahead = decoder.look_ahead(70 * FRAME, GROUP, LookAhead::ToTarget).unwrap();
        assert_eq!((ahead.key, decoder.counters().packets), (Some(60), before), "the limit itself is not above it");
        let ahead = decoder.look_ahead(70 * FRAME, GROUP - 1, LookAhead::ToTarget).unwrap();
        assert_eq!(ahead.key, Some(0));
        let ahead = decoder.look_ahead(70 * FRAME, -1, LookAhead::ToTarget).unwrap();
        assert!(ahead.key.is_none() && ahead.stamps.is_none());
    }

    #[test]
    fn the_table_numbers_the_frames_of_the_packets_in_the_queue() {
        let mut decoder = fresh();
        assert_eq!(decoder.number_by_table(), None, "there is none");
        let ahead = decoder.look_ahead(70 * FRAME, 70 * FRAME, LookAhead::ToTarget).unwrap();
        decoder.start_at(ahead.key.unwrap());
        assert_eq!(decoder.number_by_table(), Some(60));
        decoder.numbers.lost_at_start = 2;
        assert_eq!(decoder.number_by_table(), Some(58), "two were not shown, though the table has them");
        let stamps = ahead.stamps.unwrap();
        let told = decoder.told(Some(58), &stamps, 62 * FRAME);
        assert_eq!(told, Some(PromisedNumbers { first: 58, stamps: stamps[..3].to_vec() }));
        assert_eq!(decoder.told(None, &stamps, 62 * FRAME), None);

        let mut decoder = fresh();
        decoder.seek(Seek::to(2.5)).unwrap();
        let frame = decoder.next_frame().unwrap().unwrap();
        assert_eq!((frame.index, decoder.counters().listings), (Some(75), 0));
    }

    #[test]
    fn packets_tell_no_frames_where_two_are_shown_at_once() {
        let mut decoder = fresh();
        decoder.look_ahead(10 * FRAME, 10 * FRAME, LookAhead::ToTarget).unwrap();
        let stamps = decoder.stamps().unwrap();
        assert!(stamps.len() >= 11 && stamps.is_sorted());
        let again = decoder.position.packets[0].share().unwrap();
        decoder.position.packets.push_back(again);
        assert_eq!(decoder.stamps(), None);
        decoder.position.packets.pop_back();
        // What the codec holds counts as well, where it says when it is shown.
        decoder.position.in_codec = vec![Some(-FRAME)];
        assert_eq!(decoder.stamps().and_then(|stamps| stamps.first().copied()), Some(-FRAME));
        decoder.position.in_codec.push(None);
        assert_eq!(decoder.stamps(), None);
    }

    #[test]
    fn a_keyframe_is_enough_where_only_one_is_looked_for() {
        let mut decoder = fresh();
        let ahead = decoder.look_ahead(70 * FRAME, 70 * FRAME, LookAhead::ToKeyframe).unwrap();
        assert_eq!((ahead.key, decoder.position.packets.len()), (Some(0), 1));
        let ahead = decoder.look_ahead(20 * FRAME, -1, LookAhead::ToKeyframe).unwrap();
        assert_eq!((ahead.key, decoder.position.packets.len()), (None, 24), "there is none before the target");
    }

    #[test]
    fn what_is_read_ahead_is_bounded_and_what_lies_before_a_keyframe_is_forgotten_first() {
        let mut decoder = fresh();
        let most = 100_000;
        let ahead = decoder.look_ahead_within(most, 50 * FRAME, 50 * FRAME, LookAhead::ToTarget).unwrap();
        assert!(ahead.is_cut_short && ahead.key == Some(0) && ahead.stamps.is_none());
        let last = decoder.position.packets.back().map_or(0, |packet| packet.size());
        let bytes = queued(&decoder);
        assert!(bytes > most && bytes - last <= most, "{bytes} with {last} of the last");
        // As much as there is room for.
        let mut decoder = fresh();
        let ahead = decoder.look_ahead_within(bytes, 50 * FRAME, 50 * FRAME, LookAhead::ToTarget).unwrap();
        assert!(ahead.is_cut_short && queued(&decoder) > bytes);

        // The first group and a part of the second are too many, the second alone is not.
        let mut decoder = fresh();
        let ahead = decoder.look_ahead_within(350_000, 100 * FRAME, 100 * FRAME, LookAhead::ToTarget).unwrap();
        assert_eq!((ahead.key, ahead.is_cut_short), (Some(0), false));
        assert_eq!(decoder.position.packets.front().and_then(|packet| packet.pts()), Some(GROUP));
        let stamps = ahead.stamps.unwrap();
        assert_eq!(stamps[..41], (60..=100).map(|at| at * FRAME).collect::<Vec<_>>());

        // What was forgotten leaves room for as much, and for no more.
        let mut decoder = fresh();
        let ahead = decoder.look_ahead_within(350_000, 290 * FRAME, GROUP, LookAhead::ToTarget).unwrap();
        assert_eq!((ahead.key, ahead.is_cut_short), (Some(0), true));
        let (bytes, last) = (queued(&decoder), decoder.position.packets.back().map_or(0, |packet| packet.size()));
        assert!(bytes > 350_000 && bytes - last <= 350_000, "{bytes} with {last} of the last");
    }

    #[test]
    fn where_packets_do_not_say_when_they_are_decoded_many_have_to_come_after_the_target() {
        let mut passing = Passing { ticks: 10, later: 0 };
        assert!(!passing.is_past(Some(99), Some(10)) && passing.is_past(Some(99), Some(11)));
        for _ in 1..REORDER_LIMIT {
            assert!(!passing.is_past(Some(11), None));
            assert!(!passing.is_past(Some(10), None) && !passing.is_past(None, None), "these do not count");
        }
        assert!(passing.is_past(Some(11), None));
    }

    #[test]
    fn the_wanted_frame_is_the_last_that_has_begun() {
        let wanted =
            |ticks, kept| Wanted::of(&[0, 10, 20, 30], ticks, kept).map(|wanted| (wanted.pts, wanted.whole_from));
        assert_eq!(
            [wanted(-1, 0), wanted(0, 0), wanted(19, 0), wanted(20, 0)],
            [None, Some((0, 0)), Some((10, 10)), Some((20, 20))]
        );
        assert_eq!([wanted(99, 2), wanted(10, 2)], [Some((30, 10)), Some((10, 0))]);
    }
}

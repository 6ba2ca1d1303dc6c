//! The packets that may be decoded once more.

use std::collections::VecDeque;

use crate::av::AvPacket;

/// Packets of which some may still be worked on when damage is told of: more than any decoder here has threads, and than
/// may be held back for the order in which frames are shown. As many without damage end what damage there was.
pub(super) const IN_WORK: usize = 40;
/// The most bytes that are kept: twenty seconds at 25 Mbit/s.
const MOST_BYTES: usize = 64 << 20;

/// One of them.
pub(super) struct KeptPacket {
    pub(super) packet: AvPacket,
    pub(super) number: u64,
    /// Whether decoding can begin with it.
    is_key: bool,
    /// Whether its frame is to be given, and not only those that refer to it.
    pub(super) is_needed: bool,
}

/// The last packets, from where decoding began or from a keyframe on, with another keyframe before the first that may still be worked on: what
/// comes behind that one is predicted from none that are not here.
#[derive(Default)]
pub(super) struct KeptPackets {
    packets: VecDeque<KeptPacket>,
    bytes: usize,
    /// The number of the next packet.
    next: u64,
    /// Whether the last one is a keyframe that was not looked at yet.
    is_new_key: bool,
}

impl KeptPackets {
    /// The number of the packet that comes next; it begins with 0.
    pub(super) const fn next_number(&self) -> u64 {
        self.next
    }

    /// Whether all packets are kept whose frames a decoder may still owe.
    pub(super) fn holds_all_in_work(&self) -> bool {
        self.packets.len() >= IN_WORK.min(usize::try_from(self.next).unwrap_or(usize::MAX))
    }

    /// The number of the first packet that is kept.
    pub(super) fn first_number(&self) -> u64 {
        self.packets.front().map_or(self.next, |kept| kept.number)
    }

    /// Counts a packet that is not kept.
    pub(super) const fn count_on(&mut self) {
        self.next += 1;
    }

    /// Keeps the next packet, with which decoding can begin where `is_key`; says whether earlier ones were given up for it.
    pub(super) fn push(&mut self, packet: &AvPacket, is_key: bool, is_needed: bool) -> bool {
        let number = self.next;
        self.next += 1;
        self.is_new_key = is_key;
        if self.packets.is_empty() && number > 0 && !is_key {
            return false;
        }
        let kept = (self.bytes + packet.size() <= MOST_BYTES).then(|| packet.to_keep().ok()).flatten();
        let Some(packet) = kept else {
            self.packets.clear();
            self.bytes = 0;
            return true;
        };
        self.bytes += packet.size();
        self.packets.push_back(KeptPacket { packet, number, is_key, is_needed });
        self.is_new_key && self.give_up_old()
    }

    /// Gives up what stands before the first keyframe but one that has enough packets behind it.
    fn give_up_old(&mut self) -> bool {
        let mut keys = (1..self.packets.len()).filter(|at| self.packets[*at].is_key);
        let Some((second, third)) = keys.next().zip(keys.next()) else { return false };
        if third + IN_WORK > self.packets.len() {
            return false;
        }
        self.bytes -= self.packets.drain(..second).map(|kept| kept.packet.size()).sum::<usize>();
        true
    }

    /// The keyframe before the last one up to a packet with damage, and that one: what comes behind it is predicted from no earlier packets, and
    /// what a decoder keeps of those is the same whenever it begins there.
    pub(super) fn start_before(&self, damaged: u64) -> Option<(u64, u64)> {
        let up_to = self.packets.iter().rev().skip_while(|kept| kept.number > damaged);
        let mut keys = up_to.filter(|kept| kept.is_key).map(|kept| kept.number);
        let last = keys.next()?;
        keys.next().map(|start| (start, last))
    }

    /// Whether there is a keyframe with enough packets before it, before the packet of that number: by then there was no more damage from before
    /// what is kept.
    pub(super) fn has_clean_group_before(&self, damaged: u64) -> bool {
        let enough = self.packets.iter().skip(IN_WORK).take_while(|kept| kept.number < damaged);
        enough.into_iter().any(|kept| kept.is_key)
    }

    /// The timestamp of the first packet that is kept.
    pub(super) fn first_timestamp(&self) -> Option<i64> {
        self.packets.front()?.packet.pts()
    }

    /// Gives up what is before the packet of that number.
    pub(super) fn give_up_before(&mut self, number: u64) {
        while let Some(first) = self.packets.front().filter(|kept| kept.number < number) {
            self.bytes -= first.packet.size();
            self.packets.pop_front();
        }
    }

    /// What is kept from the packet of that number on.
    pub(super) fn from(&self, number: u64) -> impl Iterator<Item = &KeptPacket> {
        self.packets.iter().skip_while(move |kept| kept.number < number)
    }

    /// Once for each keyframe: the number of the last one before it behind which, up to here, there are enough packets, and none with a
    /// number below `clean_from`.
    pub(super) fn take_clean_start(&mut self, clean_from: u64) -> Option<u64> {
        if !std::mem::take(&mut self.is_new_key) {
            return None;
        }
        let enough = self.packets.iter().rev().skip(IN_WORK);
        let clean = enough.take_while(|kept| kept.number >= clean_from);
        clean.filter(|kept| kept.is_key).map(|kept| kept.number).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps so many packets, one byte each, with a keyframe in every so many.
    fn push(kept: &mut KeptPackets, count: u64, group: u64) {
        for number in kept.next_number()..kept.next_number() + count {
            let is_key = number % group == 0;
            kept.push(&AvPacket::made(1, 1, is_key), is_key, true);
        }
    }

    fn numbers(kept: &KeptPackets, from: u64) -> Vec<u64> {
        kept.from(from).map(|kept| kept.number).collect()
    }

    #[test]
    fn a_whole_group_and_what_may_be_in_work_are_kept() {
        let mut kept = KeptPackets::default();
        push(&mut kept, 150, 50);
        assert_eq!(numbers(&kept, 0), (0..150).collect::<Vec<_>>());
        // Behind the keyframe 100 there are enough packets, as another keyframe comes.
        push(&mut kept, 1, 50);
        assert_eq!(numbers(&kept, 0), (50..=150).collect::<Vec<_>>());
        assert_eq!((kept.first_number(), kept.bytes), (50, 101));
        assert_eq!(numbers(&kept, 149), [149, 150]);
        let mut kept = KeptPackets::default();
        push(&mut kept, 1000, 1);
        assert_eq!(numbers(&kept, 0), (1000 - IN_WORK as u64 - 1..1000).collect::<Vec<_>>());
        let mut kept = KeptPackets::default();
        push(&mut kept, 3 + IN_WORK as u64, 3);
        assert!(kept.first_number() == 0, "too few are behind the second keyframe: {}", kept.first_number());
    }

    #[test]
    fn decoding_may_begin_anywhere_but_what_is_kept_again_begins_with_a_keyframe() {
        let mut kept = KeptPackets::default();
        kept.push(&AvPacket::made(1, 1, false), false, true);
        assert_eq!(numbers(&kept, 0), [0]);
        kept.bytes = MOST_BYTES;
        assert!(kept.push(&AvPacket::made(1, 1, true), true, false), "too much is given up");
        assert_eq!((numbers(&kept, 0), kept.first_number(), kept.bytes), (vec![], 2, 0));
        kept.push(&AvPacket::made(1, 1, false), false, false);
        assert!(numbers(&kept, 0).is_empty());
        kept.push(&AvPacket::made(1, 1, true), true, false);
        kept.push(&AvPacket::made(1, 1, false), false, true);
        assert_eq!(kept.from(0).map(|kept| kept.is_needed).collect::<Vec<_>>(), [false, true]);
        assert_eq!((numbers(&kept, 0), kept.first_number(), kept.bytes), (vec![3, 4], 3, 2));
    }

    #[test]
    fn after_too_much_was_given_up_what_is_in_work_is_held_again_once_enough_has_come() {
        let mut kept = KeptPackets::default();
        assert!(kept.holds_all_in_work());
        push(&mut kept, 5, 100);
        assert!(kept.holds_all_in_work(), "nothing was given up");
        kept.bytes = MOST_BYTES;
        push(&mut kept, 1, 100);
        assert!(!kept.holds_all_in_work());
        push(&mut kept, 94 + IN_WORK as u64 - 1, 100);
        assert_eq!((kept.first_number(), kept.holds_all_in_work()), (100, false));
        push(&mut kept, 1, 100);
        assert!(kept.holds_all_in_work());
    }

    #[test]
    fn decoding_begins_again_at_the_keyframe_before_the_last_one() {
        let mut kept = KeptPackets::default();
        push(&mut kept, 100, 30);
        let starts = [29, 30, 59, 60, 99].map(|damaged| kept.start_before(damaged));
        assert_eq!(starts, [None, Some((0, 30)), Some((0, 30)), Some((30, 60)), Some((60, 90))]);
        assert_eq!(kept.first_timestamp(), Some(40));
        kept.give_up_before(60);
        assert_eq!((numbers(&kept, 0), kept.bytes), ((60..100).collect(), 40));
        assert_eq!((kept.start_before(89), kept.start_before(90)), (None, Some((60, 90))));
        kept.give_up_before(500);
        assert_eq!((kept.first_number(), kept.first_timestamp(), kept.bytes), (100, None, 0));
    }

    #[test]
    fn damage_from_before_has_ended_by_a_keyframe_that_has_enough_clean_packets_before_it() {
        let mut kept = KeptPackets::default();
        push(&mut kept, 62, 20);
        let ended = [39, 40, 41, 61].map(|damaged| kept.has_clean_group_before(damaged));
        assert_eq!(ended, [false, false, true, true]);
        let mut kept = KeptPackets::default();
        push(&mut kept, 100, 39);
        let ended = [41, 78, 79].map(|damaged| kept.has_clean_group_before(damaged));
        assert_eq!(ended, [false, false, true], "39 is one too few");
    }

    #[test]
    fn a_clean_start_is_a_keyframe_behind_the_damage_with_enough_packets_behind_it() {
        let mut kept = KeptPackets::default();
        push(&mut kept, 101, 50);
        assert_eq!(kept.take_clean_start(51), None, "the keyframe 50 is before");
        assert_eq!(kept.take_clean_start(0), None, "once for each keyframe");
        push(&mut kept, 50, 50);
        assert_eq!(kept.take_clean_start(51), Some(100));
        push(&mut kept, 49, 50);
        assert_eq!(kept.take_clean_start(51), None, "no keyframe came");
        push(&mut kept, 1, 50);
        assert_eq!(kept.take_clean_start(150), Some(150), "it may be the first of those");
        let mut kept = KeptPackets::default();
        push(&mut kept, 61, 20);
        assert_eq!(kept.take_clean_start(0), Some(20), "not 40");
    }
}

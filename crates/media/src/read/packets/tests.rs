use std::path::Path;

use super::*;
use crate::OpenOptions;
use crate::read::source::Source;

/// Frames of 512 ticks; every sixtieth is a keyframe. The first is decoded two frames before it is shown.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sample.mp4");
const FRAME: i64 = 512;
const GROUP: i64 = 60 * FRAME;

/// Opens the sample's packets. None has been read yet.
fn fresh() -> Packets {
    let source = Source::new(Path::new(SAMPLE), &OpenOptions::default(), Arc::new(Interrupt::new())).unwrap();
    let mut input = source.open().unwrap();
    let stream = 0;
    input.select(stream, None);
    Packets::new(PacketSource::Opened(Box::new(Demuxer::new(source, input, stream, (false, None)))), "h264")
}

/// Returns how many packets have been read.
fn read(packets: &Packets) -> u64 {
    packets.opened().unwrap().counts().0
}

/// Returns the size of the queued packets in bytes.
fn queued_bytes(packets: &Packets) -> usize {
    packets.queued().map(AvPacket::size).sum()
}

#[test]
fn packets_are_read_until_no_more_can_hold_the_target() {
    let mut packets = fresh();
    let ahead = packets.look_ahead(70 * FRAME, 70 * FRAME, LookAhead::ToTarget).unwrap();
    assert_eq!((ahead.key, ahead.is_cut_short), (Some(60), false));
    let last = packets.queue.back().and_then(|packet| packet.dts());
    assert_eq!(last, Some(71 * FRAME));
    let stamps = ahead.stamps.unwrap();
    assert_eq!(stamps[..11], (60..=70).map(|at| at * FRAME).collect::<Vec<_>>());
    // Queued packets are searched first, and stay queued.
    let (count, bytes) = (packets.queue.len(), queued_bytes(&packets));
    let before = read(&packets);
    let ahead = packets.look_ahead(20 * FRAME, GROUP - 1, LookAhead::ToTarget).unwrap();
    assert_eq!((ahead.key, read(&packets)), (Some(0), before));
    assert_eq!((packets.queue.len(), queued_bytes(&packets)), (count, bytes));
    let ahead = packets.look_ahead(70 * FRAME, GROUP, LookAhead::ToTarget).unwrap();
    assert_eq!((ahead.key, read(&packets)), (Some(60), before), "the limit itself is not above it");
    let ahead = packets.look_ahead(70 * FRAME, GROUP - 1, LookAhead::ToTarget).unwrap();
    assert_eq!(ahead.key, Some(0));
    let ahead = packets.look_ahead(70 * FRAME, -1, LookAhead::ToTarget).unwrap();
    assert!(ahead.key.is_none() && ahead.stamps.is_none());
}

#[test]
fn packets_with_equal_timestamps_give_no_stamps() {
    let mut packets = fresh();
    packets.look_ahead(10 * FRAME, 10 * FRAME, LookAhead::ToTarget).unwrap();
    let stamps = packets.stamps_from(0, Vec::new()).unwrap();
    assert!(stamps.len() >= 11 && stamps.is_sorted());
    // Packets that the codec holds count as well.
    let first = |held| packets.stamps_from(0, held).and_then(|stamps| stamps.first().copied());
    assert_eq!((first(vec![-FRAME]), first(vec![stamps[3]])), (Some(-FRAME), None));
    let again = packets.queue[0].share().unwrap();
    packets.queue.push_back(again);
    assert_eq!(packets.stamps_from(0, Vec::new()), None);
}

#[test]
fn reading_ahead_to_a_keyframe_stops_at_the_first() {
    let mut packets = fresh();
    let ahead = packets.look_ahead(70 * FRAME, 70 * FRAME, LookAhead::ToKeyframe).unwrap();
    assert_eq!((ahead.key, packets.queue.len()), (Some(0), 1));
    let ahead = packets.look_ahead(20 * FRAME, -1, LookAhead::ToKeyframe).unwrap();
    assert_eq!((ahead.key, packets.queue.len()), (None, 24), "there is none before the target");
}

#[test]
fn reading_ahead_is_bounded_and_drops_packets_before_a_keyframe_first() {
    let mut packets = fresh();
    let most = 100_000;
    let ahead = packets.look_ahead_within(most, 50 * FRAME, 50 * FRAME, LookAhead::ToTarget).unwrap();
    assert!(ahead.is_cut_short && ahead.key == Some(0) && ahead.stamps.is_none());
    let last = packets.queue.back().map_or(0, |packet| packet.size());
    let bytes = queued_bytes(&packets);
    assert!(bytes > most && bytes - last <= most, "{bytes} with {last} of the last");
    // The limit may be reached exactly.
    let mut packets = fresh();
    let ahead = packets.look_ahead_within(bytes, 50 * FRAME, 50 * FRAME, LookAhead::ToTarget).unwrap();
    assert!(ahead.is_cut_short && queued_bytes(&packets) > bytes);

    // The first group and part of the second exceed the limit; the second alone does not.
    let mut packets = fresh();
    let ahead = packets.look_ahead_within(350_000, 100 * FRAME, 100 * FRAME, LookAhead::ToTarget).unwrap();
    assert_eq!((ahead.key, ahead.is_cut_short), (Some(0), false));
    assert_eq!(packets.queue.front().and_then(|packet| packet.pts()), Some(GROUP));
    let stamps = ahead.stamps.unwrap();
    assert_eq!(stamps[..41], (60..=100).map(|at| at * FRAME).collect::<Vec<_>>());

    // Dropped packets make room for as many bytes, and no more.
    let mut packets = fresh();
    let ahead = packets.look_ahead_within(350_000, 290 * FRAME, GROUP, LookAhead::ToTarget).unwrap();
    assert_eq!((ahead.key, ahead.is_cut_short), (Some(0), true));
    let (bytes, last) = (queued_bytes(&packets), packets.queue.back().map_or(0, |packet| packet.size()));
    assert!(bytes > 350_000 && bytes - last <= 350_000, "{bytes} with {last} of the last");
}

#[test]
fn without_decoding_timestamps_many_packets_must_follow_the_target() {
    let mut scan = TargetScan { ticks: 10, later: 0 };
    assert!(!scan.is_past(Some(99), Some(10)) && scan.is_past(Some(99), Some(11)));
    for _ in 1..REORDER_LIMIT {
        assert!(!scan.is_past(Some(11), None));
        assert!(!scan.is_past(Some(10), None) && !scan.is_past(None, None), "these do not count");
    }
    assert!(scan.is_past(Some(11), None));
}

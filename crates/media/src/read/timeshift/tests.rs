use std::path::Path;
use std::sync::LazyLock;

use super::*;
use crate::OpenOptions;
use crate::decode::decoder::Decoder;
use crate::read::demuxer::Demuxer;
use crate::read::source::Source;
use histoscope_core::picture::Ratio;
use histoscope_core::picture::crop::Crop;
use histoscope_core::picture::stated_light::StatedLight;
use histoscope_core::test_data;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sample.mp4");
const TICK: Ratio = Ratio { num: 1, den: 1000 };
/// Size of a packet as it is counted here, in bytes.
const EACH: usize = PACKET_BYTES;

fn coding(begins_anew: bool) -> Coding {
    static INFO: LazyLock<StreamInfo> = LazyLock::new(|| {
        let info = Decoder::open(SAMPLE, &OpenOptions::default()).unwrap().info().clone();
        StreamInfo { time_base: TICK, ..info }
    });
    let stream = StreamCopy::blank();
    let parameters = stream.parameters();
    let defaults = StreamDefaults {
        overrides_tags: false,
        is_dolby_ipt: false,
        tags: parameters.color_numbers(),
        sample_aspect: None,
        coded_sample_aspect: None,
        orientation: None,
        codes_fields: false,
        states_scan: false,
        crop: Crop::default(),
        stated_light: StatedLight::default(),
    };
    Coding { stream, info: INFO.clone(), defaults, threads: 1, resets_at_keyframes: begins_anew }
}

fn kept(begins_anew: bool) -> KeptSegments {
    let mut kept = KeptSegments::default();
    kept.begin(Arc::new(coding(begins_anew)));
    kept
}

fn position(ms: i64, index: u64) -> FramePosition {
    let time_secs = ms as f64 / 1000.0;
    FramePosition {
        pts_ticks: ms,
        time_base: TICK,
        time_secs,
        duration_secs: 0.01,
        index: Some(index),
        timecode: None,
        arrival: None,
    }
}

/// Stores the packets of groups of five frames, ten milliseconds each, in which the fourth packet is shown before the
/// third, and records all frames.
fn receive(kept: &mut KeptSegments, groups: std::ops::Range<i64>, since_ms: i64, limit: usize) {
    for group in groups {
        for (at, shown) in [0, 1, 3, 2, 4].into_iter().enumerate() {
            let pts = (group * 5 + shown) * 10;
            kept.note_packet(AvPacket::new(), (Some(pts), at == 0), EACH, limit);
        }
        for shown in group * 5..group * 5 + 5 {
            let segment = kept.segments.back_mut().unwrap();
            segment.note_frame(shown * 10, position(since_ms + shown * 10, (since_ms / 10 + shown) as u64));
        }
    }
}

fn path(kept: &KeptSegments, target: SeekTarget) -> Option<(u64, u64, i64)> {
    kept.path_to(target, 0, 0.0).map(|path| (path.segment, path.start.0, path.stated))
}

#[test]
fn a_frame_is_decoded_from_the_keyframe_before_it() {
    let mut kept = kept(true);
    receive(&mut kept, 0..4, 0, usize::MAX);
    assert_eq!(path(&kept, SeekTarget::Time(0.0)), Some((0, 0, 0)));
    assert_eq!(path(&kept, SeekTarget::Time(0.079)), Some((0, 5, 70)));
    assert_eq!(path(&kept, SeekTarget::Time(0.08)), Some((0, 5, 80)));
    assert_eq!(path(&kept, SeekTarget::Time(-1.0)), Some((0, 0, 0)), "before the first");
    assert_eq!(path(&kept, SeekTarget::Time(9.0)), Some((0, 15, 190)), "behind the last");
    assert_eq!(path(&kept, SeekTarget::End), Some((0, 15, 190)));
    assert_eq!(path(&kept, SeekTarget::Number(12)), Some((0, 10, 120)));
    assert_eq!(path(&kept, SeekTarget::Timestamp(104)), Some((0, 10, 100)));
    assert_eq!(path(&kept, SeekTarget::Before(100)), Some((0, 5, 90)));
    assert_eq!(path(&kept, SeekTarget::Before(0)), None);
    let far = kept.path_to(SeekTarget::Time(0.12), 3, 0.05).unwrap();
    assert_eq!(
        (far.start, far.whole_from, far.is_first),
        ((5, 50), 90, false),
        "so long before, and those between whole"
    );
    let further = kept.path_to(SeekTarget::Time(0.12), 99, 5.0).unwrap();
    assert_eq!((further.start, further.whole_from, further.is_first), ((0, 0), 0, true), "as far as there is any");
}

#[test]
fn memory_is_bounded_and_only_decodable_frames_are_reported() {
    let mut kept = kept(true);
    receive(&mut kept, 0..20, 0, 12 * EACH);
    assert!(kept.bytes <= 12 * EACH && kept.bytes == kept.segments.iter().map(Segment::bytes).sum::<usize>());
    let first = kept.frames().next().unwrap().stated;
    assert_eq!(first % 50, 0, "the oldest is a keyframe's");
    assert!((800..=950).contains(&first), "{first}");
    assert_eq!(path(&kept, SeekTarget::Time(0.0)).map(|path| path.2), Some(first));
    assert_eq!(path(&kept, SeekTarget::Before(first)), None);
    // A group that is larger than the whole memory is not stored, but the next one is.
    for pts in 0..40 {
        kept.note_packet(AvPacket::new(), (Some(1000 + pts), pts == 0), EACH, 12 * EACH);
    }
    assert!(kept.frames().next().is_none() && kept.bytes == 0);
    receive(&mut kept, 21..22, 0, 12 * EACH);
    assert_eq!(path(&kept, SeekTarget::End).map(|path| path.2), Some(1090));
}

#[test]
fn pictures_are_dropped_with_the_packets_they_refer_to() {
    let mut kept = kept(true);
    // The second key packet is followed by two pictures that are shown before it.
    for (pts, is_key) in [(0, true), (30, false), (10, false), (20, false), (60, true), (40, false), (50, false)] {
        kept.note_packet(AvPacket::new(), (Some(pts), is_key), EACH, usize::MAX);
    }
    let segment = kept.segments.back_mut().unwrap();
    for pts in [0, 10, 20, 30, 40, 50, 60] {
        segment.note_frame(pts, position(pts, 0));
    }
    assert_eq!(path(&kept, SeekTarget::Time(0.05)), Some((0, 0, 50)), "they are decoded from the keyframe before");
    assert_eq!(kept.segments[0].forget_oldest(), 4 * EACH);
    assert_eq!(path(&kept, SeekTarget::Time(0.0)), Some((0, 4, 60)));
}

#[test]
fn timestamps_that_start_over_begin_a_segment() {
    let mut kept = kept(true);
    receive(&mut kept, 0..2, 0, usize::MAX);
    // Another sender on the same connection, with the same timestamps as the first one.
    receive(&mut kept, 0..2, 5000, usize::MAX);
    assert_eq!(kept.segments.len(), 2);
    assert!(kept.segments[0].is_over && !kept.segments[1].is_over);
    assert_eq!(path(&kept, SeekTarget::Time(0.06)), Some((0, 5, 60)));
    assert_eq!(path(&kept, SeekTarget::Time(5.06)), Some((1, 5, 60)));
    assert_eq!(path(&kept, SeekTarget::Before(5000)), Some((0, 5, 90)));
    let shift = Timeshift { limit: usize::MAX, kept: Mutex::new(kept) };
    assert_eq!(shift.span_secs(), Some((0.0, 5.09)));
    assert!(matches!(shift.packet(0, 9), Supplied::Packet(_)) && matches!(shift.packet(0, 10), Supplied::Over));
    assert!(matches!(shift.packet(1, 10), Supplied::NotYet) && matches!(shift.packet(2, 0), Supplied::Gone));
    assert_eq!(shift.position_of(1, 60).map(|position| position.pts_ticks), Some(5060));
    assert_eq!(shift.position_of(1, 61), None);
    assert_eq!(shift.path_after(0).map(|path| (path.segment, path.stated)), Some((1, 0)));
    assert!(shift.path_after(1).is_none());
}

#[test]
fn codec_that_keeps_state_is_decoded_from_its_first_packet() {
    let mut kept = kept(false);
    receive(&mut kept, 0..4, 0, usize::MAX);
    assert_eq!(path(&kept, SeekTarget::End), Some((0, 0, 190)));
    receive(&mut kept, 4..5, 0, 10 * EACH);
    assert_eq!((path(&kept, SeekTarget::End), kept.bytes), (None, 0), "its beginning is gone");
}

#[test]
fn sender_without_frames_leaves_nothing_stored() {
    let mut kept = kept(true);
    for pts in 0..5 {
        kept.note_packet(AvPacket::new(), (Some(pts), pts == 0), EACH, usize::MAX);
    }
    assert_eq!(kept.bytes, 5 * EACH);
    kept.begin(Arc::new(coding(true)));
    assert_eq!((kept.bytes, kept.segments.len(), kept.segments[0].number), (0, 1, 1));
}

#[test]
fn memory_is_used_up_to_its_limit_and_empty_segments_go() {
    let mut kept = kept(true);
    receive(&mut kept, 0..2, 0, 10 * EACH);
    assert_eq!((kept.bytes, path(&kept, SeekTarget::Time(0.0))), (10 * EACH, Some((0, 0, 0))));
    receive(&mut kept, 0..1, 5000, 10 * EACH);
    assert_eq!((kept.segments.len(), path(&kept, SeekTarget::Time(0.0))), (2, Some((0, 5, 50))));
    receive(&mut kept, 1..2, 5000, 10 * EACH);
    assert_eq!((kept.segments.len(), path(&kept, SeekTarget::Time(0.0))), (1, Some((1, 0, 0))));
    assert_eq!(kept.bytes, 10 * EACH);
}

/// Stores packets, each with its timestamp and whether it is a keyframe, and records these frames.
fn kept_of(packets: &[(i64, bool)], frames: &[i64]) -> KeptSegments {
    let mut kept = kept(true);
    for &(pts, is_key) in packets {
        kept.note_packet(AvPacket::new(), (Some(pts), is_key), EACH, usize::MAX);
    }
    let segment = kept.segments.back_mut().unwrap();
    frames.iter().for_each(|&pts| segment.note_frame(pts, position(pts, 0)));
    kept
}

fn stated(kept: &KeptSegments) -> Vec<i64> {
    kept.frames().map(|noted| noted.stated).collect()
}

#[test]
fn picture_depends_on_the_keyframe_before_its_packet() {
    let packets = [(0, true), (70, false), (60, true), (80, false)];
    let mut kept = kept_of(&packets, &[0, 60, 70, 80]);
    assert_eq!(path(&kept, SeekTarget::Timestamp(70)), Some((0, 0, 70)));
    assert_eq!(path(&kept, SeekTarget::Timestamp(80)), Some((0, 2, 80)));
    kept.segments[0].forget_oldest();
    assert_eq!(path(&kept, SeekTarget::Timestamp(70)), None);
    assert_eq!(path(&kept, SeekTarget::Timestamp(80)), Some((0, 2, 80)));

    // The keyframe's own picture was damaged.
    let mut kept = kept_of(&packets, &[0, 70, 80]);
    kept.segments[0].forget_oldest();
    assert_eq!(stated(&kept), [80]);
}

#[test]
fn only_decodable_frames_with_rising_times_are_recorded() {
    let kept = kept_of(&[(60, true), (40, false), (50, false)], &[40, 50, 60]);
    assert_eq!(stated(&kept), [60], "the others refer to what came before the first keyframe");
    let mut kept = kept_of(&[(0, true), (10, false), (20, false)], &[0, 5, 10]);
    assert_eq!(stated(&kept), [0, 10], "there is no packet of another one");
    let segment = &mut kept.segments[0];
    segment.note_frame(10, position(15, 0));
    segment.note_frame(20, position(10, 0));
    segment.note_frame(0, position(30, 0));
    assert_eq!(stated(&kept), [0, 10], "nothing tells these from the last");
    kept.segments[0].note_frame(20, position(11, 0));
    assert_eq!(stated(&kept), [0, 10, 20]);
}

#[test]
fn packets_are_stored_until_the_connection_ends_unless_the_limit_is_zero() {
    let source = Source::new(Path::new(SAMPLE), &OpenOptions::default(), Arc::new(Interrupt::new())).unwrap();
    let mut input = source.open().unwrap();
    let stream = 0;
    input.select(stream, None);
    let mut demuxer = Demuxer::new(source, input, stream, (false, None));
    let packets = [(); 3].map(|()| demuxer.read().unwrap().unwrap());
    let first = packets[0].pts().unwrap();
    let mut frame = test_data::gray((1, 1), |_, _| 0);
    frame.facts.time_secs = 2.5;
    let receive = |limit| {
        let shift = Timeshift::new(limit);
        shift.begin(coding(true));
        packets.iter().for_each(|packet| shift.note_packet(packet));
        shift.note_frame(first, &frame);
        shift
    };

    let shift = receive(usize::MAX);
    let bytes: usize = packets.iter().map(|packet| packet.size() + PACKET_BYTES).sum();
    let counted = |kept: &KeptSegments| (kept.bytes, kept.segments[0].bytes());
    assert_eq!(counted(&shift.lock()), (bytes, bytes));
    assert!(matches!(shift.packet(0, 2), Supplied::Packet(packet) if packet.pts() == packets[2].pts()));
    assert!(matches!(shift.packet(0, 3), Supplied::NotYet));
    shift.end();
    assert!(matches!(shift.packet(0, 3), Supplied::Over));
    assert_eq!(shift.span_secs(), Some((2.5, 2.5)));
    let path = shift.path_to(SeekTarget::End, 0, 0.0).unwrap();
    assert_eq!((path.start, path.stated), ((0, first), first));

    let shift = receive(0);
    assert!(shift.span_secs().is_none() && shift.path_to(SeekTarget::End, 0, 0.0).is_none());
    assert!(matches!(shift.packet(0, 0), Supplied::Gone), "nobody waits for what will not be kept");
}

#[test]
fn long_pauses_between_senders_with_frames_are_gaps() {
    let mut kept = KeptSegments::default();
    for begin_ms in [0, 600, 5_000, 5_100] {
        kept.begin(Arc::new(coding(true)));
        receive(&mut kept, 0..2, begin_ms, usize::MAX);
    }
    // The first ends at 0.1 s, the second at 0.7 s.
    assert_eq!(kept.gaps_secs(), [(0.7, 5.0)]);
    kept.begin(Arc::new(coding(true)));
    assert_eq!(kept.gaps_secs(), [(0.7, 5.0)]);
}

use super::*;
use crate::OpenOptions;

/// Frames of 512 ticks, 30 per second; every sixtieth is a keyframe.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sample.mp4");
const FRAME: i64 = 512;
const SECOND: i64 = 30 * FRAME;
const KEY: i64 = 60 * FRAME;

/// Opens the sample with one thread. Its first frame is ready.
fn opened() -> Decoder {
    Decoder::open(SAMPLE, &OpenOptions { threads: Some(1), ..OpenOptions::default() }).unwrap()
}

/// Opens the sample as if the frame at `pts` had just been output, and the packet at `read_dts` had just been read.
fn after(pts: i64, read_dts: i64) -> Decoder {
    let mut decoder = opened();
    decoder.position.ready.clear();
    decoder.position.last_pts = Some(pts);
    decoder.packets.note_read(read_dts);
    decoder
}

const EXACT: SeekOptions = SeekOptions { until: None, back_secs: None, room: Room { frames: 3, bytes: 1 << 30 } };

fn near() -> SeekOptions {
    SeekOptions { until: Some(Instant::now()), ..EXACT }
}

#[test]
fn a_frame_near_a_time_comes_alone() {
    assert_eq!((EXACT.kept_frames(), near().kept_frames()), (3, 0));
}

#[test]
fn a_seek_yields_to_a_later_one_after_a_while_and_to_a_stop_immediately() {
    let decoder = opened();
    let stop = decoder.stop_handle();
    let (now, long_ago) = (Instant::now() + Duration::from_secs(9), Instant::now() - 2 * PATIENCE);
    let back = SeekOptions { back_secs: Some(0.4), ..EXACT };
    let goes_on = |options: &SeekOptions, begun| options.check_interrupt(&decoder, begun).is_ok();
    assert!(goes_on(&EXACT, long_ago) && goes_on(&back, long_ago), "nobody waits");
    stop.set_request_waiting(true);
    assert!(goes_on(&EXACT, now) && !goes_on(&EXACT, long_ago));
    let just_now = Instant::now() - PATIENCE / 4;
    assert!(goes_on(&EXACT, just_now) && !goes_on(&back, just_now), "what is fetched aside does not wait");
    stop.set_request_waiting(false);
    stop.stop();
    assert!(!goes_on(&EXACT, now) && !goes_on(&back, now));
}

#[test]
fn probes_start_no_later_than_the_end_and_go_back_in_growing_steps() {
    let decoder = opened();
    let mut probe = Probe::new(&decoder, 100 * FRAME);
    assert_eq!((probe.ticks, probe.key_limit), (100 * FRAME, 100 * FRAME));
    let ticks = [(); 3].map(|()| {
        probe.go_back();
        probe.ticks
    });
    assert_eq!(ticks, [1, 3, 7].map(|seconds| 100 * FRAME - seconds * SECOND));
    let probe = Probe::new(&decoder, i64::MAX);
    assert_eq!((probe.ticks, probe.key_limit), (300 * FRAME, i64::MAX));
}

#[test]
fn damage_and_corrected_timestamps_leave_a_doubt() {
    let mut decoder = opened();
    assert!(decoder.is_certain(&EXACT) && decoder.is_certain(&near()));
    decoder.position.damage = 1;
    assert!(!decoder.is_certain(&EXACT) && decoder.is_certain(&near()), "near it is good enough");
    decoder.position.damage = 0;
    decoder.timeline.place(Some(5 * FRAME));
    decoder.timeline.place(Some(5 * FRAME));
    assert!(!decoder.is_certain(&EXACT) && decoder.is_certain(&near()));
}

#[test]
fn an_unannounced_frame_is_accepted_when_found_twice() {
    let decoder = opened();
    let announced = |pts| Some(Target { pts, whole_from: pts });
    let mut probe = Probe::new(&decoder, SECOND);
    assert!(decoder.is_as_announced(announced(0), &mut probe, &EXACT));
    let mut probe = Probe::new(&decoder, SECOND);
    assert!(decoder.is_as_announced(None, &mut probe, &EXACT), "nothing was announced");
    let mut probe = Probe::new(&decoder, SECOND);
    assert!(decoder.is_as_announced(announced(FRAME), &mut probe, &near()));
    let mut probe = Probe::new(&decoder, SECOND);
    assert!(!decoder.is_as_announced(announced(FRAME), &mut probe, &EXACT));
    assert!(decoder.is_as_announced(announced(FRAME), &mut probe, &EXACT), "begun earlier, it led to the same");
    probe.found = Some(2 * FRAME);
    assert!(!decoder.is_as_announced(announced(FRAME), &mut probe, &EXACT), "to another one");
}

#[test]
fn frames_not_output_yet_are_ahead() {
    let mut decoder = opened();
    assert!(decoder.is_ahead(0) && decoder.is_ahead(FRAME) && !decoder.is_ahead(-1), "the first is ready");
    decoder.position.ready.clear();
    decoder.position.last_pts = Some(FRAME);
    assert!(!decoder.is_ahead(FRAME) && decoder.is_ahead(FRAME + 1));
    decoder.position.last_pts = None;
    assert!(!decoder.is_ahead(FRAME), "nobody knows");
}

#[test]
fn decoding_on_is_faster_within_a_second_or_a_group() {
    let at = 20 * FRAME;
    let decoder = after(0, 0);
    let leads_on = |decoder: &Decoder, ticks| decoder.is_shortly_after(ticks, &EXACT);
    assert!(leads_on(&decoder, at) && !leads_on(&decoder, 0) && !leads_on(&decoder, -1));
    // The keyframe's packet comes two frames before the keyframe is shown.
    assert!(leads_on(&decoder, KEY - 3 * FRAME), "no keyframe lies between");
    assert!(!leads_on(&decoder, KEY + 1), "there is one");
    // The keyframe's packet has been read: it is decoded next.
    assert!(leads_on(&after(KEY - 40 * FRAME, KEY), KEY + 1));
    let decoder = after(KEY - SECOND / 2, 0);
    assert!(leads_on(&decoder, KEY + SECOND / 2 - 1) && !leads_on(&decoder, KEY + SECOND / 2), "within a second");

    let mut decoder = after(0, 0);
    decoder.position.omission.gap_until = Some(at);
    assert!(leads_on(&decoder, at) && !leads_on(&decoder, at - 1), "it was left out");
    assert!(decoder.is_shortly_after(at - 1, &near()), "near it is good enough");
}

#[test]
fn a_decoder_tracks_its_origin_and_what_it_skips() {
    let mut decoder = opened();
    decoder.numbers.restart(Count::Next(7));
    decoder.leave_out_before(None);
    let known =
        |decoder: &Decoder| (decoder.position.origin, decoder.numbers.count(), decoder.position.omission.skip_before);
    assert_eq!(known(&decoder), (Origin::Start, Count::Next(7), None));
    decoder.leave_out_before(Some(FRAME));
    assert_eq!(known(&decoder), (Origin::Keyframe, Count::Unknown, Some(FRAME)));
    decoder.position.origin = Origin::Guess;
    decoder.leave_out_before(Some(FRAME));
    assert_eq!(decoder.position.origin, Origin::Guess, "it is no better for that");
}

#[test]
fn decode_up_to_reports_what_it_reached() {
    let wanted = |pts| Some(Target { pts, whole_from: pts });
    let up_to = |ticks, wanted| {
        let mut decoder = opened();
        let reached = decoder.decode_up_to(ticks, wanted, &EXACT).unwrap();
        assert_eq!(decoder.position.omission.skip_before, None, "the way is over");
        (reached, decoder.next_frame().unwrap().map(|frame| frame.pts_ticks))
    };
    assert_eq!(up_to(4 * FRAME, None), (Reached::Frame, Some(4 * FRAME)));
    assert_eq!(up_to(5 * FRAME - 1, None), (Reached::Frame, Some(4 * FRAME)));
    assert_eq!(up_to(4 * FRAME, wanted(4 * FRAME)), (Reached::Frame, Some(4 * FRAME)));
    assert_eq!(up_to(4 * FRAME, wanted(4 * FRAME - 1)), (Reached::Other, Some(4 * FRAME)));
    assert_eq!(up_to(-1, None), (Reached::After, Some(0)));
    assert_eq!(up_to(i64::MAX, None), (Reached::Frame, Some(299 * FRAME)));
    let mut decoder = opened();
    while decoder.next_frame().unwrap().is_some() {}
    assert_eq!(decoder.decode_up_to(i64::MAX, None, &EXACT).unwrap(), Reached::Nothing);
}

#[test]
fn a_gap_before_an_early_end_is_noted_and_unskipped_frames_are_kept() {
    let mut decoder = opened();
    let early = SeekOptions { until: Some(Instant::now()), ..EXACT };
    let wanted = Some(Target { pts: 40 * FRAME, whole_from: 38 * FRAME });
    assert_eq!(decoder.decode_up_to(40 * FRAME, wanted, &early).unwrap(), Reached::Frame);
    assert_eq!(decoder.position.omission.gap_until, Some(38 * FRAME));
    assert_eq!(decoder.next_frame().unwrap().map(|frame| frame.pts_ticks), Some(0), "the first would do");

    let mut decoder = opened();
    let room = Room { frames: 99, bytes: 1 << 30 };
    assert_eq!(decoder.decode_up_to(40 * FRAME, wanted, &SeekOptions { room, ..EXACT }).unwrap(), Reached::Frame);
    assert_eq!(decoder.position.omission.gap_until, None);
    let passed: Vec<i64> = decoder.frames_passed(40 * FRAME).iter().map(|frame| frame.pts_ticks / FRAME).collect();
    assert_eq!(passed, [38, 39], "before these some are missing");
    assert_eq!(decoder.next_frame().unwrap().map(|frame| frame.pts_ticks), Some(40 * FRAME));

    let mut decoder = opened();
    decoder.stop_handle().stop();
    assert!(decoder.decode_up_to(40 * FRAME, wanted, &EXACT).is_err());
}

#[test]
fn earlier_frames_are_decoded_from_a_keyframe_that_is_early_enough() {
    let mut decoder = opened();
    decoder.seek(Seek::to(1.0)).unwrap();
    // The frame is right ahead, but is decoded from the keyframe nevertheless.
    let back = SeekOptions { back_secs: Some(0.4), room: Room { frames: 20, bytes: 1 << 30 }, ..EXACT };
    assert!(decoder.seek_by_timestamp(40 * FRAME, Origin::Keyframe, &back).unwrap());
    assert_eq!(decoder.frames_passed(40 * FRAME).len(), 20);
    // One frame after a keyframe, decoding starts at the keyframe before that.
    assert!(decoder.seek_by_timestamp(KEY + FRAME, Origin::Keyframe, &back).unwrap());
    assert_eq!(decoder.frames_passed(KEY + FRAME).len(), 20);
    let mut decoder = opened();
    assert!(decoder.seek_by_timestamp(KEY + FRAME, Origin::Keyframe, &EXACT).unwrap());
    assert_eq!(decoder.frames_passed(KEY + FRAME).len(), 1, "from that one itself");
}

#[test]
fn decoding_starts_at_a_queued_packet_and_keeps_packets_read_ahead() {
    let begun = |start: fn(&mut Decoder, usize) -> Result<(), MediaError>| {
        let mut decoder = opened();
        let key = decoder.packets.look_ahead(KEY, KEY, LookAhead::ToTarget).unwrap().key.unwrap();
        let packets = decoder.packets.queued().count();
        start(&mut decoder, key).unwrap();
        assert_eq!(decoder.packets.queued().count(), packets - key);
        assert_eq!(decoder.packets.front().and_then(|packet| packet.pts()), Some(KEY));
        assert!(decoder.packets.last().is_some());
        let Position { omission, began, .. } = &decoder.position;
        assert_eq!((omission.drop_before, *began), (Some(KEY), Some(KEY)), "what is shown before it is not");
        (decoder.position.origin, decoder.position.next_pts(), decoder.codec.stamps().unwrap().is_empty())
    };
    let over = |decoder: &mut Decoder, key| decoder.start_over_at(key, Origin::Keyframe);
    assert_eq!(begun(over), (Origin::Keyframe, None, true));
    let (origin, next, _) = begun(Decoder::start_at);
    assert_eq!((origin, next), (Origin::Start, Some(0)));
}

#[test]
fn decoding_on_uses_a_keyframe_on_the_way_and_fails_for_a_passed_frame() {
    let mut decoder = opened();
    assert!(decoder.decode_on_to(20 * FRAME, &EXACT).unwrap());
    assert_eq!(decoder.next_frame().unwrap().map(|frame| frame.pts_ticks), Some(20 * FRAME));
    assert!(!decoder.decode_on_to(20 * FRAME, &EXACT).unwrap(), "it was passed");
    assert!(decoder.decode_on_to(KEY + 2 * FRAME, &EXACT).unwrap());
    assert_eq!(decoder.position.origin, Origin::Keyframe);
    let frame = decoder.next_frame().unwrap().unwrap();
    assert_eq!((frame.pts_ticks, frame.index), (KEY + 2 * FRAME, Some(62)));
    decoder.position.origin = Origin::Guess;
    assert!(decoder.decode_on_to(2 * KEY, &EXACT).unwrap());
    assert_eq!(decoder.position.origin, Origin::Guess, "a keyframe makes it no better");
}

#[test]
fn the_input_is_positioned_only_after_the_first_frame() {
    let mut decoder = opened();
    assert!(!decoder.position_at(&Probe::new(&decoder, 0), Origin::Keyframe), "nothing is before it");
    assert_eq!((decoder.position.origin, decoder.position.next_pts()), (Origin::Start, Some(0)));
    assert!(decoder.position_at(&Probe::new(&decoder, KEY), Origin::Keyframe));
    assert_eq!((decoder.position.origin, decoder.position.next_pts()), (Origin::Keyframe, None));
}

#[test]
fn starting_at_a_predicted_picture_is_unclean_but_decoding_on_is_not() {
    let second = |is_start: bool| {
        let mut decoder = opened();
        decoder.next_frame().unwrap();
        assert!(decoder.position.ready.is_empty());
        if is_start {
            decoder.position.last_pts = None;
        }
        decoder.position.omission.drop_before = Some(0);
        decoder.decode_up_to(3 * FRAME, None, &EXACT).unwrap()
    };
    assert_eq!((second(true), second(false)), (Reached::Unclean, Reached::Frame));
}

#[test]
fn the_table_numbers_the_frames_of_queued_packets() {
    let mut decoder = opened();
    assert!(decoder.packets.seek(0));
    decoder.forget_position(Origin::Keyframe);
    assert_eq!(decoder.number_by_table(), None, "there is none");
    let ahead = decoder.packets.look_ahead(70 * FRAME, 70 * FRAME, LookAhead::ToTarget).unwrap();
    decoder.start_at(ahead.key.unwrap()).unwrap();
    assert_eq!(decoder.number_by_table(), Some(60));
    decoder.numbers.lost_at_start = 2;
    assert_eq!(decoder.number_by_table(), Some(58), "two were not shown, though the table has them");
    let mut decoder = opened();
    assert!(decoder.trust_container(), "another thread is to list the packets");
    decoder.seek(Seek::to(2.5)).unwrap();
    let frame = decoder.next_frame().unwrap().unwrap();
    assert_eq!((frame.index, decoder.counters().listings), (Some(75), 0));
}

#[test]
fn the_wanted_frame_is_the_last_one_not_after_the_target() {
    let wanted = |ticks, kept| Target::of(&[0, 10, 20, 30], ticks, kept).map(|wanted| (wanted.pts, wanted.whole_from));
    assert_eq!(
        [wanted(-1, 0), wanted(0, 0), wanted(19, 0), wanted(20, 0)],
        [None, Some((0, 0)), Some((10, 10)), Some((20, 20))]
    );
    assert_eq!([wanted(99, 2), wanted(10, 2)], [Some((30, 10)), Some((10, 0))]);
}

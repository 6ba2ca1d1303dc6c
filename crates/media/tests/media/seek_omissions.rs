//! The packets that seeks read, the frames that they decode, and the ones that they skip.

use std::path::Path;
use std::sync::LazyLock;

use histoscope_media::{Decoder, OpenOptions, Seek, SeekTarget};

use super::seek::{Linear, go, take};
use crate::common::{Clip, open};

#[test]
fn on_the_way_towards_a_time_frames_are_left_out_and_none_is_wrong() {
    let x264 = "-c:v libx264 -preset ultrafast -bf 3 -b_strategy 0 -sc_threshold 0";
    for (name, group, most) in [("one.mp4", 400, 60), ("many.mkv", 25, 25)] {
        let clip = Clip::moving(name, "160x120", 8.0, &format!("{x264} -g {group}"));
        let linear = Linear::new(clip.path());
        let mut decoder = open(clip.path());
        go(&mut decoder, Seek::to(1.0), name);
        take(&mut decoder, name);
        go(&mut decoder, Seek::Towards(5.4), name);
        let mut last = 1.0;
        let mut early = 0;
        while last < 5.4 - 1e-6 {
            let frame = take(&mut decoder, name);
            linear.check(&frame, linear.at(frame.time_secs), name);
            assert!(frame.time_secs > last, "{name}: back to {}", frame.time_secs);
            last = frame.time_secs;
            early += usize::from(last < 5.4 - 1e-6);
        }
        assert!(early < most, "{name}: {early} frames before the target");
        // From the target on, every frame is present.
        for position in linear.at(5.4) + 1..linear.at(6.0) {
            linear.check(&take(&mut decoder, name), position, name);
        }
        // Every frame on the way can still be sought.
        for secs in [1.0, 3.0] {
            go(&mut decoder, Seek::to(secs), name);
            take(&mut decoder, name);
            go(&mut decoder, Seek::Towards(secs + 2.0), name);
            let found = take(&mut decoder, name);
            let next = linear.at(found.time_secs) + 1;
            go(&mut decoder, Seek::Exact(SeekTarget::Timestamp(linear.frames[next].pts_ticks)), name);
            linear.check(&take(&mut decoder, name), next, &format!("{name}: on the way from {secs}"));
        }
    }
}

/// Returns the packets read and frames decoded by seeks, one after the other in one decoder.
fn costs(path: &Path, times: &[f64]) -> Vec<(u64, u64)> {
    // Each thread holds a frame or two more than requested.
    let options = OpenOptions { threads: Some(2), ..OpenOptions::default() };
    let mut decoder = Decoder::open(path, &options).expect("a video");
    let mut before = decoder.counters();
    let mut costs = Vec::new();
    for secs in times {
        go(&mut decoder, Seek::to(*secs), "a seek that is counted");
        take(&mut decoder, "a seek that is counted");
        let counters = decoder.counters();
        costs.push((counters.packets - before.packets, counters.decoded - before.decoded));
        before = counters;
    }
    costs
}

/// A seek that always began at its keyframe would be correct too, so only these counts show the savings.
#[test]
fn seeks_read_and_decode_no_more_than_they_need() {
    let x264 = "-c:v libx264 -preset ultrafast -bf 3 -b_strategy 0 -sc_threshold 0";
    let long = Clip::moving("long.mp4", "160x120", 8.0, &format!("{x264} -g 600"));
    let short = Clip::moving("short.mp4", "160x120", 8.0, &format!("{x264} -g 25"));
    let plain = Clip::moving("plain.mp4", "160x120", 4.0, &format!("{x264} -bf 0 -g 20"));
    let long = costs(long.path(), &[1.0, 1.5, 6.0, 3.0]);
    // Half a second forward, then four and a half: from the decoder's position, not from the keyframe at the start.
    assert!(long[1].0 < 20 && long[2].0 < 130, "{long:?}");
    // Back to the keyframe, then forward without the pictures that no other refers to.
    assert!(long[3].0 < 90 && long[3].1 < 50, "{long:?}");
    let short = costs(short.path(), &[1.9, 2.3, 6.1, 6.9]);
    assert!(short.iter().all(|(packets, decoded)| *packets < 40 && *decoded < 20), "{short:?}");
    let plain = costs(plain.path(), &[0.9, 1.7]);
    assert!(plain[1].1 < 10, "from the keyframe on the way: {plain:?}");
    // Without an index of keyframes, a target less than a second ahead is reached from the current position.
    let stream = Clip::moving("stream.ts", "160x120", 4.0, &format!("{x264} -g 600"));
    let stream = costs(stream.path(), &[2.0, 2.3, 2.6]);
    assert!(stream[1..].iter().all(|(packets, _)| *packets < 30), "{stream:?}");
}

/// A packet that the decoder would skip delays a thread that could decode a needed picture.
#[test]
fn pictures_that_are_skipped_do_not_go_to_the_decoder() {
    let x264 = "-c:v libx264 -preset ultrafast -b_strategy 0 -sc_threshold 0 -g 100";
    for name in ["lengths.mp4", "codes.ts", "lengths.mkv", "fields.mp4"] {
        let fields = if name.starts_with("fields") { " -flags +ildct+ilme" } else { "" };
        for (frames, least) in [(0, 0), (1, 30), (3, 30)] {
            let name = format!("{frames}-{name}");
            let clip = Clip::moving(&name, "160x120", 8.0, &format!("{x264} -bf {frames}{fields}"));
            let linear = Linear::new(clip.path());
            let mut decoder = open(clip.path());
            for secs in [7.5, 6.2, 6.24, 3.1] {
                let before = decoder.counters().left_out;
                go(&mut decoder, Seek::to(secs), &name);
                let position = linear.at(secs);
                linear.check(&take(&mut decoder, &name), position, &name);
                linear.check(&take(&mut decoder, &name), position + 1, &name);
                // Half of the frames between the keyframe and the target.
                let left_out = decoder.counters().left_out - before;
                let expected = if secs == 7.5 { least..=60 } else { 0..=60 };
                assert!(expected.contains(&left_out), "{name} to {secs}: {left_out} packets left out");
                assert!(frames > 0 || left_out == 0, "{name} to {secs}: {left_out} packets left out");
            }
        }
    }
}

/// Returns the option that makes x265 write two temporal sub-layers: a flag in older versions, a number in newer ones.
fn layers() -> &'static str {
    static LAYERS: LazyLock<&str> = LazyLock::new(|| {
        let has_higher = |value: &&str| {
            let x265 = format!("-c:v libx265 -x265-params log-level=none:bframes=3:temporal-layers={value}");
            let clip = Clip::moving("layers.hevc", "64x64", 0.4, &x265);
            // A start code, the header of a slice of layer 0, and a TemporalId of 1.
            clip.bytes().windows(5).any(|unit| unit[..3] == [0, 0, 1] && unit[3] < 0x40 && unit[4] == 2)
        };
        ["1", "2"].into_iter().find(has_higher).expect("x265 makes sub-layers")
    });
    &LAYERS
}

/// HEVC marks pictures as unreferenced only within their temporal sub-layer, so fewer can be skipped.
#[test]
fn pictures_of_hevc_to_which_none_refers_do_not_go_to_the_decoder() {
    let x265 = "-c:v libx265 -preset ultrafast -x265-params log-level=error:b-adapt=0:scenecut=0";
    for name in ["lengths.mp4", "codes.ts", "lengths.mkv"] {
        for (parameters, least, most) in [
            ("keyint=100:bframes=0", 0, 0),
            // Two of three B-frames, then all three. The last ones before the target are kept.
            ("keyint=100:bframes=3:b-pyramid=1:open-gop=0", 35, 45),
            ("keyint=100:bframes=3:b-pyramid=0:open-gop=0", 55, 65),
            ("keyint=100:bframes=3:b-pyramid=1:temporal-layers=LAYERS", 35, 45),
            (
                "keyint=100:bframes=3:b-pyramid=0:temporal-layers=LAYERS:repeat-headers=1",
                55,
                if layers() == "1" { 65 } else { 70 },
            ),
        ] {
            let parameters = parameters.replace("LAYERS", layers());
            let what = format!("{name} with {parameters}");
            let clip = Clip::moving(name, "160x120", 8.0, &format!("{x265}:{parameters}"));
            let linear = Linear::new(clip.path());
            let mut decoder = open(clip.path());
            for secs in [7.5, 6.2, 6.24, 3.1] {
                let before = decoder.counters().left_out;
                go(&mut decoder, Seek::to(secs), &what);
                let position = linear.at(secs);
                linear.check(&take(&mut decoder, &what), position, &what);
                linear.check(&take(&mut decoder, &what), position + 1, &what);
                let left_out = decoder.counters().left_out - before;
                let expected = if secs == 7.5 { least..=most } else { 0..=most };
                assert!(expected.contains(&left_out), "{what} to {secs}: {left_out} packets left out");
            }
        }
    }
}

/// Marks each B-frame of the lowest temporal sub-layer as unreferenced within that sub-layer. Returns their number. The
/// file is an MP4 with one stream and consecutive units.
fn mark_unreferenced(path: &Path) -> usize {
    /// Headers of a trailing picture with `nuh_layer_id` 0 and TemporalId 0: TRAIL_R and TRAIL_N, ITU-T H.265 7.3.1.2.
    const REFERENCED: [u8; 2] = [1 << 1, 1];
    const UNREFERENCED: [u8; 2] = [0, 1];
    /// The first bits of a slice header (7.3.6.1): first slice of its picture, `slice_pic_parameter_set_id` 0,
    /// `slice_type` B.
    const FIRST_OF_B: u8 = 0b1110_0000;
    let mut bytes = std::fs::read(path).expect("the clip is there");
    let number = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().expect("four bytes")) as usize;
    let begin = bytes.windows(4).position(|word| word == b"mdat").expect("media data");
    let end = begin - 4 + number(&bytes[begin - 4..begin]);
    let (mut at, mut count) = (begin + 4, 0);
    while at < end {
        if bytes[at + 4..at + 6] == REFERENCED && bytes[at + 6] & FIRST_OF_B == FIRST_OF_B {
            bytes[at + 4..at + 6].copy_from_slice(&UNREFERENCED);
            count += 1;
        }
        at += 4 + number(&bytes[at..at + 4]);
    }
    std::fs::write(path, bytes).expect("the clip can be written");
    count
}

/// Every fourth picture is marked as unreferenced, in the lower of two temporal sub-layers. Pictures of the higher one
/// refer to it.
#[test]
fn pictures_of_hevc_to_which_higher_temporal_layers_refer_are_decoded() {
    let x265 = "-c:v libx265 -preset ultrafast -x265-params log-level=error:b-adapt=0:scenecut=0:keyint=100:ref=1:bframes=3:b-pyramid=1";
    let clip = Clip::moving("layers.mp4", "160x120", 4.0, &format!("{x265}:temporal-layers={}", layers()));
    let marked = mark_unreferenced(clip.path());
    assert!((20..=25).contains(&marked), "{marked} pictures were marked");
    let linear = Linear::new(clip.path());
    for number in (60..=67).rev() {
        let mut decoder = open(clip.path());
        let what = format!("number {number}");
        go(&mut decoder, Seek::Exact(SeekTarget::Timestamp(linear.frames[number].pts_ticks)), &what);
        for position in number..number + 3 {
            linear.check(&take(&mut decoder, &what), position, &what);
        }
        // All pictures of the higher layer, which is half of them, up to the last ones before the target.
        let left_out = decoder.counters().left_out as usize;
        assert!((20..=number / 2).contains(&left_out), "{what}: {left_out} packets left out");
    }
}

/// Frames skipped on the way to a target are no longer coming. A seek to one of them does not first decode the rest of
/// the way.
#[test]
fn a_seek_into_what_was_left_out_begins_at_the_keyframe_at_once() {
    let x264 = "-c:v libx264 -preset ultrafast -bf 3 -b_strategy 0 -sc_threshold 0 -g 600";
    let clip = Clip::moving("long.mp4", "160x120", 8.0, x264);
    let linear = Linear::new(clip.path());
    for number in [129, 130, 131] {
        let mut decoder =
            Decoder::open(clip.path(), &OpenOptions { threads: Some(1), ..OpenOptions::default() }).unwrap();
        go(&mut decoder, Seek::to(1.0), "long");
        take(&mut decoder, "long");
        go(&mut decoder, Seek::Towards(5.4), "long");
        take(&mut decoder, "long");
        let before = decoder.counters().decoded;
        go(&mut decoder, Seek::Exact(SeekTarget::Timestamp(linear.frames[number].pts_ticks)), "long");
        linear.check(&take(&mut decoder, "long"), number, "long");
        let decoded = decoder.counters().decoded - before;
        // Half of the frames before it are referred to. Decoding the rest of the way would add as many again.
        assert!(decoded < 80, "{decoded} frames for number {number}");
    }
}

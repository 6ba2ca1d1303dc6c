//! The light that frames state themselves: metadata of HDR10+, written into HEVC as the standard says.

use crate::common::{Clip, decode_all};

const FRAMES: usize = 3;

/// Appends the lowest `count` bits of a number.
fn put(bits: &mut Vec<bool>, number: u32, count: u32) {
    bits.extend((0..count).rev().map(|bit| number >> bit & 1 == 1));
}

/// Returns a prefix SEI message of HDR10+ by SMPTE ST 2094-40, with one window. Light is in units of 0.1 cd/m².
fn hdr10_plus(max_scl: [u32; 3], average: u32) -> Vec<u8> {
    let mut bits = Vec::new();
    // ITU-T T.35: country, provider and its code; then the application and its version.
    for (number, count) in [(0xb5, 8), (0x3c, 16), (1, 16), (4, 8), (1, 8)] {
        put(&mut bits, number, count);
    }
    // One window, a target of 400 cd/m², no actual peak of it.
    for (number, count) in [(1, 2), (400, 27), (0, 1)] {
        put(&mut bits, number, count);
    }
    max_scl.into_iter().chain([average]).for_each(|light| put(&mut bits, light, 17));
    // No percentiles, no share of bright pixels, no peak of the mastering display, no tone mapping, no saturation.
    for (number, count) in [(0, 4), (0, 10), (0, 1), (0, 1), (0, 1)] {
        put(&mut bits, number, count);
    }
    let byte = |bits: &[bool]| bits.iter().enumerate().fold(0, |byte, (at, &bit)| byte | u8::from(bit) << (7 - at));
    let payload: Vec<u8> = bits.chunks(8).map(byte).collect();
    let mut unit = vec![39 << 1, 1, 4, payload.len() as u8];
    unit.extend(payload);
    unit.push(0x80);
    protected(&unit)
}

/// Keeps start codes out of a NAL unit.
fn protected(unit: &[u8]) -> Vec<u8> {
    let mut safe: Vec<u8> = Vec::new();
    for &byte in unit {
        if byte <= 3 && safe.ends_with(&[0, 0]) {
            safe.push(3);
        }
        safe.push(byte);
    }
    safe
}

/// Writes one of these NAL units before the slice of each frame of a clip of HEVC.
fn put_before_slices(clip: &Clip, units: &[Vec<u8>]) {
    let bytes = std::fs::read(clip.path()).unwrap();
    let starts: Vec<_> = bytes.windows(3).enumerate().filter(|(_, code)| *code == [0, 0, 1]).map(|at| at.0).collect();
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let (mut made, mut units) = (Vec::new(), units.iter());
    for (start, end) in starts.iter().copied().zip(ends) {
        let unit = bytes[start + 3..end].strip_suffix(&[0]).unwrap_or(&bytes[start + 3..end]);
        let is_slice = unit[0] >> 1 < 32;
        let own = is_slice.then(|| units.next().expect("one for each frame").as_slice());
        for unit in own.into_iter().chain([unit]) {
            made.extend([0, 0, 0, 1]);
            made.extend(unit);
        }
    }
    assert!(units.next().is_none(), "there are fewer frames");
    std::fs::write(clip.path(), made).unwrap();
}

fn clip(name: &str) -> Clip {
    let coding = "-c:v libx265 -preset ultrafast -x265-params log-level=none:bframes=0:slices=1 -frames:v 3";
    Clip::moving(name, "64x64", 1.0, coding)
}

/// Returns what each frame states, the brightest and the average in cd/m².
fn stated(clip: &Clip) -> Vec<Option<[f64; 2]>> {
    decode_all(clip.path())
        .into_iter()
        .map(|frame| frame.dynamic_light.map(|light| [light.max, light.average]))
        .collect()
}

#[test]
fn hdr10_plus_states_the_light_of_each_frame() {
    let clip = clip("plus.hevc");
    assert_eq!(stated(&clip), [None; FRAMES]);
    let units = [([9000, 10_005, 1], 1234), ([20, 10, 30], 7), ([1, 2, 100_000], 0)];
    put_before_slices(&clip, &units.map(|(max_scl, average)| hdr10_plus(max_scl, average)));
    assert_eq!(stated(&clip), [Some([1000.5, 123.4]), Some([3.0, 0.7]), Some([10_000.0, 0.0])]);
}

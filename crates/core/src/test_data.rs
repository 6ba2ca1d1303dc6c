//! Synthetic frames and bins for tests.

use std::sync::Arc;

use crate::histogram::{Components, Histogram};
use crate::picture::color::Colorimetry;
use crate::picture::layout::PixelLayout;
use crate::picture::{Frame, FrameFacts, Orientation, OwnedPlanes, Picture, Ratio, Scan, VideoId};

/// Returns the first frame of an 8-bit gray clip at 25 frames per second. `code` maps a pixel's column and row to its
/// code.
pub fn gray((width, height): (u32, u32), code: impl Fn(u32, u32) -> u8) -> Frame {
    let layout = PixelLayout::gray(8);
    let plane = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| code(x, y)).collect();
    let planes = Arc::new(OwnedPlanes { planes: vec![(plane, width as usize)] });
    let color = Colorimetry::resolve(&layout, (width, height), None, None, false);
    Frame {
        picture: Picture::new(layout, (width, height), color, planes).expect("planes of that size"),
        facts: FrameFacts {
            pts_ticks: 0,
            time_base: Ratio { num: 1, den: 25 },
            time_secs: 0.0,
            duration_secs: 0.04,
            index: Some(0),
            timecode: None,
            sample_aspect: Ratio::ONE,
            orientation: Orientation::default(),
            scan: Scan::Progressive,
            field: None,
            key: true,
            damaged: false,
            picture_type: None,
            source: Arc::default(),
            dynamic_light: None,
            arrival: None,
        },
        video: VideoId::default(),
        serial: 0,
    }
}

/// Returns pseudorandom bins, determined by the seed.
pub fn histogram(bits: u32, seed: u32) -> Histogram {
    let mut histogram = Histogram::empty(bits, Components::Rgbl);
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    for channel in 0..4 {
        for bin in histogram.bins_mut(channel) {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *bin = state >> 20;
        }
    }
    histogram
}

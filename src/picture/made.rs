//! Frames that nobody decoded, for tests.

use std::sync::Arc;

use super::color::Colorimetry;
use super::layout::PixelLayout;
use super::{Frame, Orientation, OwnedPlanes, Picture, Ratio, Scan, VideoId};

/// The first frame of a clip at 25 frames a second, of 8-bit gray, each pixel of it with the code that `code` has for its column and row.
pub fn gray((width, height): (u32, u32), code: impl Fn(u32, u32) -> u8) -> Frame {
    let layout = PixelLayout::gray(8);
    let plane = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| code(x, y)).collect();
    let planes = Arc::new(OwnedPlanes { planes: vec![(plane, width as usize)] });
    let color = Colorimetry::resolve(&layout, (width, height), None, None, false);
    Frame {
        timecode: None,
        arrival: None,
        video: VideoId::default(),
        picture: Picture::new(layout, (width, height), color, planes).expect("planes of that size"),
        pts_ticks: 0,
        time_base: Ratio { num: 1, den: 25 },
        time_secs: 0.0,
        duration_secs: 0.04,
        index: Some(0),
        serial: 0,
        sample_aspect: Ratio::ONE,
        orientation: Orientation::default(),
        scan: Scan::Progressive,
        field: None,
        key: true,
        damaged: false,
        picture_type: None,
        source: Arc::default(),
    }
}

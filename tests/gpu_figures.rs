//! Bins as numbers while a video plays: they come without anybody waiting, and name the frame that they belong to.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use histoscope::color::{Matrix, Range};
use histoscope::frame::{Frame, Orientation, Picture, Ratio};
use histoscope::gpu::{AdapterChoice, FrameTag, Gpu, Renderer, Scene};
use histoscope::histogram::{Components, Histogram};
use histoscope::layout::PixelLayout;
use histoscope::reference;
use support::{colorimetry, noise};

fn frame(number: u64, components_shift: (u8, u8)) -> Frame {
    let layout = PixelLayout::planar_ycbcr(10, components_shift);
    Frame {
        picture: noise(layout, (71, 43), colorimetry(Matrix::Bt709, Range::Limited), 0, number),
        pts_ticks: 512 * number as i64,
        time_base: Ratio { num: 1, den: 12_800 },
        time_secs: number as f64 * 0.04,
        duration_secs: 0.04,
        index: Some(number),
        serial: 3,
        sample_aspect: Ratio::ONE,
        orientation: Orientation::default(),
        key: false,
        damaged: false,
        picture_type: None,
        source: Arc::default(),
    }
}

/// Polls as an event loop does until the bins are there.
fn awaited(gpu: &Gpu, renderer: &mut Renderer) -> (FrameTag, Histogram) {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(20) {
        if let Some(found) = renderer.poll_histogram(gpu) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("the bins never came");
}

fn expected(picture: &Picture) -> Histogram {
    reference::histogram(picture, Components::Rgbl)
}

#[test]
fn bins_come_back_with_the_frame_they_belong_to() {
    let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
    let mut renderer = Renderer::headless(&gpu);
    let [first, second, third] = [7, 8, 9].map(|number| frame(number, (1, 1)));
    assert!(renderer.poll_histogram(&gpu).is_none(), "nobody has asked");

    // Asked for before it is counted: the next drawing sends them.
    renderer.load_frame(&gpu, &first, Components::Rgbl, None).unwrap();
    renderer.request_histogram(&gpu);
    assert!(renderer.poll_histogram(&gpu).is_none(), "it has not been counted");
    assert!(renderer.is_histogram_pending());
    renderer.snapshot(&gpu, (32, 32), &Scene::default()).unwrap();
    // The next frame is there before the numbers of the last one are.
    renderer.load_frame(&gpu, &second, Components::Rgbl, None).unwrap();
    renderer.snapshot(&gpu, (32, 32), &Scene::default()).unwrap();
    let (tag, histogram) = awaited(&gpu, &mut renderer);
    assert_eq!(tag, FrameTag { serial: 3, pts_ticks: 7 * 512, time_secs: 7.0 * 0.04, index: Some(7), adjusted: false });
    assert_eq!(histogram, expected(&first.picture));
    assert!(!renderer.is_histogram_pending());

    // Asked for on a paused picture: nothing is drawn, and they come all the same.
    renderer.request_histogram(&gpu);
    renderer.request_histogram(&gpu);
    let (tag, histogram) = awaited(&gpu, &mut renderer);
    assert_eq!((tag.index, &histogram), (Some(8), &expected(&second.picture)));

    // Another engine's bins are known at once.
    renderer.load_frame(&gpu, &third, Components::Rgbl, Some(expected(&third.picture))).unwrap();
    renderer.request_histogram(&gpu);
    let (tag, histogram) = renderer.poll_histogram(&gpu).expect("no wait");
    assert_eq!((tag.index, &histogram), (Some(9), &expected(&third.picture)));
    assert!(renderer.poll_histogram(&gpu).is_none());
}

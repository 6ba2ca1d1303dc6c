//! Pictures that the adapter reads in the decoder's memory are counted like copied ones.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use histoscope_core::histogram::reference;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::{Pages, Picture, PlaneStore, PlaneView};
use histoscope_core::scopes::ScopeTally;
use histoscope_media::{Decoder, OpenOptions};
use histoscope_render::cpu;
use histoscope_render::gpu::count_queue::{Besides, CountQueue};
use histoscope_render::gpu::{Gpu, wait_until_released};

use crate::common::Clip;
use crate::support::{Random, colorimetry, gpu};

/// Counts the decoder's frames, with several under way, and compares with the CPU's counts. The pictures are dropped as
/// soon as they are submitted, so the decoder would overwrite any that are not kept alive.
fn count_video(gpu: &Gpu, clip: &Clip) -> usize {
    let mut decoder = Decoder::open(clip.path(), &OpenOptions::default()).unwrap();
    let mut queue = CountQueue::new(gpu, 4, ScopeTally::default(), false);
    let mut engine = cpu::Engine::new();
    let mut expected: VecDeque<Histogram> = VecDeque::new();
    let mut frames = 0;
    let mut most = 0;
    let mut take = |queue: &mut CountQueue, expected: &mut VecDeque<Histogram>| {
        let counted = queue.take(gpu).unwrap().unwrap().histogram;
        assert!(counted == expected.pop_front().unwrap(), "frame {frames} of {}", clip.path().display());
        frames += 1;
    };
    while let Some(frame) = decoder.next_frame().unwrap() {
        if queue.room() == 0 {
            take(&mut queue, &mut expected);
        }
        expected.push_back(engine.count(&frame.picture, Components::Rgbl).clone());
        queue.submit(gpu, &frame.picture, None, &[Components::Rgbl], Besides::default()).unwrap();
        most = most.max(gpu.blocks_in_place());
    }
    while !expected.is_empty() {
        take(&mut queue, &mut expected);
    }
    assert!(frames > 20, "{frames} frames");
    most
}

#[test]
fn decoded_pictures_are_read_in_place_and_counted_alike() {
    let gpu = gpu();
    // All of Mesa's drivers can. Others may not accept such memory, which is not an error.
    assert!(gpu.reads_in_place() || !gpu.info.driver_info.contains("Mesa"), "{} can", gpu.info.driver_info);
    for (name, arguments) in [
        ("h264.mp4", "-c:v libx264 -preset ultrafast -bf 3 -g 25 -pix_fmt yuv420p"),
        ("odd.mkv", "-vf scale=641:479 -c:v ffv1 -pix_fmt yuv444p"),
        ("deep.mkv", "-c:v ffv1 -pix_fmt yuv422p10le"),
        ("rgb.mkv", "-c:v ffv1 -pix_fmt gbrp"),
        ("packed.mov", "-c:v qtrle -pix_fmt rgb24"),
    ] {
        let clip = Clip::moving(name, "704x480", 1.0, arguments);
        let most = count_video(&gpu, &clip);
        if gpu.reads_in_place() {
            assert!(most >= 1, "{name} was copied");
        }
    }
    assert_eq!(gpu.blocks_in_place(), 0, "videos that were closed are let go, without another one");
}

#[test]
fn the_program_s_end_waits_for_decoders_that_are_still_closed_elsewhere() {
    let gpu = gpu();
    let clip = Clip::moving("h264.mp4", "704x480", 0.5, "-c:v libx264 -preset ultrafast -pix_fmt yuv420p");
    let mut decoder = Decoder::open(clip.path(), &OpenOptions::default()).unwrap();
    let frame = decoder.next_frame().unwrap().unwrap();
    let mut queue = CountQueue::new(&gpu, 1, ScopeTally::default(), false);
    queue.submit(&gpu, &frame.picture, None, &[Components::Rgbl], Besides::default()).unwrap();
    queue.take(&gpu).unwrap().unwrap();
    drop(frame);
    assert_eq!(!wait_until_released(Duration::from_millis(20)), gpu.reads_in_place(), "the decoder is open");
    drop(queue);
    let closing = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        drop(decoder);
    });
    assert!(wait_until_released(Duration::from_mins(1)), "all go at last");
    assert_eq!(gpu.blocks_in_place(), 0, "and what the driver made of them went before");
    closing.join().unwrap();
}

/// A gray picture that begins at any byte of the test's own pages.
struct Part {
    pages: Arc<Pages>,
    offset: usize,
    stride: usize,
}

fn noise(bytes: usize) -> Arc<Pages> {
    Arc::new(Pages::holding(&Random(bytes as u64).bytes(bytes)).unwrap())
}

impl PlaneStore for Part {
    fn plane(&self, _: usize) -> PlaneView<'_> {
        let memory = self.pages.memory();
        // SAFETY: the memory is initialised, lives as long as this value, and is never written to.
        let bytes = unsafe { std::slice::from_raw_parts(memory.start().as_ptr(), memory.length()) };
        PlaneView { bytes: &bytes[self.offset..], stride: self.stride }
    }

    fn pages(&self) -> Option<&Pages> {
        Some(&self.pages)
    }
}

#[test]
fn pages_that_a_copy_could_not_follow_are_copied_by_the_cpu() {
    let gpu = gpu();
    let counted = |(width, height), pages: &Arc<Pages>, offset, stride| {
        let store = Part { pages: Arc::clone(pages), offset, stride };
        let colors = colorimetry(Matrix::Bt709, Range::Full);
        let picture = Picture::new(PixelLayout::gray(8), (width, height), colors, Arc::new(store)).unwrap();
        let mut queue = CountQueue::new(&gpu, 1, ScopeTally::default(), false);
        queue.submit(&gpu, &picture, None, &[Components::Rgbl], Besides::default()).unwrap();
        let counted = queue.take(&gpu).unwrap().unwrap().histogram;
        assert!(counted == reference::histogram(&picture, Components::Rgbl), "{width}×{height} from {offset}");
        gpu.blocks_in_place()
    };
    let pages = noise(512 << 10);
    for (size, offset, stride, what) in [
        ((1021, 100), 1022, 1024, "an odd place"),
        ((1020, 100), 1024, 1022, "rows of an odd length"),
        ((1021, 100), 0, 1021, "rows without the padding that passes read"),
        ((1020, 511), 1028, 1024, "a last row without its padding"),
    ] {
        assert_eq!(counted(size, &pages, offset, stride), 0, "{what}");
    }
    assert_eq!(counted((200, 200), &noise(128 << 10), 0, 512), 0, "too small to be worth it");
    let expected = usize::from(gpu.reads_in_place());
    assert_eq!(counted((1021, 511), &pages, 1024, 1024), expected, "up to the last byte");
    assert_eq!(counted((1021, 400), &pages, 4, 1024), expected, "the same block again");
    drop(pages);
    assert_eq!(gpu.blocks_in_place(), 0);
}

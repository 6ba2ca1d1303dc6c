//! The ladder of the lab. Every method except the race counts exactly as the reference does, for any size, number of
//! bins and chunk.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use histoscope_core::histogram::{Components, Histogram, reference, regroup};
use histoscope_core::picture::Picture;
use histoscope_lab::bench::{BenchContent, layouts};
use histoscope_lab::image::{codes, convert};
use histoscope_lab::{ChannelSet, Ladder, LadderCounts, Live, Method, Setup, Shape};
use histoscope_render::gpu::Gpu;
use histoscope_render::gpu::upload::PictureBuffers;

use crate::support::gpu;

fn picture(layout: &str, size: (u32, u32), content: BenchContent) -> Picture {
    content.picture(layouts::parse(layout).unwrap(), size, 5).unwrap()
}

/// A picture on the GPU.
struct Uploaded {
    picture: Picture,
    buffers: PictureBuffers,
    /// The reference's counts, by the step between counted pixels. Step 0 holds the counts of the picture's own codes.
    references: RefCell<HashMap<u32, Rc<Histogram>>>,
}

impl Uploaded {
    fn new(gpu: &Gpu, picture: Picture) -> Self {
        let mut buffers = PictureBuffers::default();
        buffers.upload(gpu, &picture).unwrap();
        Self { picture, buffers, references: RefCell::default() }
    }

    /// Counts with a method. Returns `None` if the adapter cannot run it.
    fn count(&self, gpu: &Gpu, setup: Setup) -> Option<(Ladder, LadderCounts)> {
        let mut ladder = Ladder::new(gpu, setup, &self.picture, 1, None).unwrap().ok()?;
        ladder.count_on_cpu(gpu, &self.picture);
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        ladder.record(&mut encoder, self.buffers.bind_group().unwrap(), None);
        gpu.queue.submit([encoder.finish()]);
        let counts = ladder.read(gpu).unwrap();
        Some((ladder, counts))
    }

    /// Returns the reference's counts in the bins of the setup. They are of the tutorials' 8-bit codes, or of the
    /// picture's full codes for our own methods.
    fn reference(&self, setup: Setup, counted: (u32, u32)) -> Vec<Vec<u32>> {
        let step = (1..).find(|step| self.picture.width().div_ceil(*step) == counted.0).unwrap();
        let (key, image): (u32, &dyn Fn() -> Picture) = match setup.method {
            Method::OursGpu | Method::OursCpu => (0, &|| self.picture.clone()),
            _ => (step, &|| convert(&self.picture, step).unwrap()),
        };
        let mut references = self.references.borrow_mut();
        let count = || Rc::new(reference::histogram(&image(), Components::Rgbl));
        let histogram = references.entry(key).or_insert_with(count);
        setup.channels.channels().map(|channel| regroup(histogram.bins(channel), setup.shape.bins())).collect()
    }

    fn assert_exact(&self, gpu: &Gpu, setup: Setup) {
        let name = format!("{setup:?} of {}×{}", self.picture.width(), self.picture.height());
        let Some((ladder, counts)) = self.count(gpu, setup) else {
            assert!(setup.method == Method::Subgroup && !has_subgroups(gpu), "{name}");
            return;
        };
        let right = self.reference(setup, ladder.counted_size());
        assert!(counts.expected == right, "{name}: the expected bins are wrong");
        if setup.method.races() {
            // However many counts are lost, each store is of one more than some earlier store, so no bin has too many,
            // and none that should have any is empty.
            let bins = counts.counted.iter().flatten().zip(right.iter().flatten());
            let wrong =
                bins.enumerate().find(|(_, (counted, right))| counted > right || (**counted == 0) != (**right == 0));
            assert_eq!(wrong, None, "{name}");
        } else {
            assert!(counts.counted == right && counts.is_exact() && counts.lost() == 0, "{name}");
        }
        let whole = ladder.counted_size() == (self.picture.width(), self.picture.height());
        assert_eq!(ladder.reduction().is_none(), whole, "{name}");
    }
}

fn has_subgroups(gpu: &Gpu) -> bool {
    gpu.device.features().contains(wgpu::Features::SUBGROUP)
}

const BINS: [u32; 6] = [3, 7, 16, 256, 1000, 4096];
const CHUNKS: [(u32, u32); 4] = [(256, 1), (16, 16), (32, 8), (5, 3)];

fn setups(gpu: &Gpu, bins: &[u32], chunks: &[(u32, u32)]) -> Vec<Setup> {
    let shapes: Vec<_> =
        bins.iter().flat_map(|&bins| chunks.iter().map(move |&chunk| Shape::new(gpu, chunk, bins).unwrap())).collect();
    let channels = [ChannelSet::One, ChannelSet::Four];
    let of_method = |&method: &Method| {
        let shapes = shapes.clone();
        shapes.into_iter().flat_map(move |shape| channels.map(|channels| Setup { method, channels, shape }))
    };
    Method::ladder().iter().flat_map(of_method).collect()
}

#[test]
fn every_method_is_exact_at_every_shape_and_small_size() {
    let gpu = gpu();
    let four = |setup: &Setup| setup.channels == ChannelSet::Four;
    let uploaded = Uploaded::new(&gpu, picture("yuv420p", (17, 13), BenchContent::Noise));
    setups(&gpu, &BINS, &CHUNKS).into_iter().filter(four).for_each(|setup| uploaded.assert_exact(&gpu, setup));
    setups(&gpu, &BINS, &CHUNKS[2..3]).into_iter().for_each(|setup| uploaded.assert_exact(&gpu, setup));
    for size in [(1, 1), (6, 7)] {
        let uploaded = Uploaded::new(&gpu, picture("yuv420p", size, BenchContent::Noise));
        setups(&gpu, &[3, 1000], &CHUNKS).into_iter().for_each(|setup| uploaded.assert_exact(&gpu, setup));
    }
}

/// A layout, a size, a number of bins and a chunk.
type Case = (&'static str, (u32, u32), u32, (u32, u32));

/// Checks every method.
fn assert_exact_at(cases: &[Case]) {
    let gpu = gpu();
    for &(layout, size, bins, chunk) in cases {
        let uploaded = Uploaded::new(&gpu, picture(layout, size, BenchContent::Natural));
        for setup in setups(&gpu, &[bins], &[chunk]) {
            uploaded.assert_exact(&gpu, setup);
        }
    }
}

#[test]
fn every_method_is_exact_at_odd_sizes() {
    assert_exact_at(&[("yuv420p", (641, 359), 1000, (5, 3)), ("nv12", (641, 359), 4096, (32, 8))]);
}

/// With 4096 bins the chunks exceed the limit on memory, so a reduced picture is counted, as for any larger size.
#[test]
fn every_method_is_exact_at_the_size_of_videos() {
    let size = (1920, 1080);
    assert_exact_at(&[("yuv420p", size, 256, (256, 1)), ("p010", size, 7, (16, 16)), ("gbrp12", size, 4096, (5, 3))]);
}

#[test]
fn every_method_is_exact_at_the_size_of_large_videos() {
    assert_exact_at(&[("yuv420p", (3840, 2160), 256, (16, 16))]);
}

/// The lesson's race and atomics have one workgroup per pixel. Of methods with chunks, this leaves one pixel in each.
#[test]
fn every_method_is_exact_with_a_workgroup_for_each_pixel() {
    let gpu = gpu();
    for size in [(1, 1), (6, 7), (17, 13), (641, 359), (3840, 2160)] {
        let uploaded = Uploaded::new(&gpu, picture("yuv420p", size, BenchContent::Natural));
        let setups = setups(&gpu, &[16], &[(1, 1)]).into_iter();
        // The largest picture takes long on two cores, so it is counted in four channels only.
        let chosen = setups.filter(|setup| size.0 < 3840 || setup.channels == ChannelSet::Four);
        chosen.for_each(|setup| uploaded.assert_exact(&gpu, setup));
    }
}

/// Methods with three different ways to the codes: a loop over the planes, an image made from the planes, and our own
/// passes. All other methods count that image too.
const WAYS: [Method; 4] = [Method::Scalar, Method::Atomics, Method::OursGpu, Method::OursCpu];

#[test]
fn deep_codes_are_cut_to_the_image_s_and_ours_count_all_their_bits() {
    let gpu = gpu();
    for layout in ["gray", "gray12", "yuv422p10", "p016", "gbrp10", "rgb24", "bgra64"] {
        for content in [BenchContent::Noise, BenchContent::Natural] {
            let uploaded = Uploaded::new(&gpu, picture(layout, (67, 45), content));
            let setups = setups(&gpu, &[100, 1000], &[(16, 16)]);
            setups
                .into_iter()
                .filter(|setup| WAYS.contains(&setup.method))
                .for_each(|setup| uploaded.assert_exact(&gpu, setup));
        }
    }
    let of = picture("gray10", (3, 2), BenchContent::Noise);
    let code = (of.code(0, 1, 1) >> 2) as u8;
    assert_eq!(codes(&of, 1, 1)[0].abs_diff(code), codes(&of, 1, 1)[2].abs_diff(code), "gray has one code for all");
}

#[test]
fn slow_methods_count_a_smaller_picture_and_say_which() {
    let gpu = gpu();
    let uploaded = Uploaded::new(&gpu, picture("yuv420p", (1920, 1080), BenchContent::Natural));
    let shape = Shape::default();
    let of = |method, shape| {
        let (ladder, _) = uploaded.count(&gpu, Setup { method, channels: ChannelSet::Four, shape }).unwrap();
        (ladder.counted_size(), ladder.reduction())
    };
    let (size, words) = of(Method::Single, shape);
    assert_eq!(size, (64, 36));
    assert_eq!(words.unwrap(), "counts 64×36 of 1920×1080 pixels, to keep the GPU from hanging");
    assert!(of(Method::Scalar, shape).1.unwrap().starts_with("counts 240×135 of 1920×1080 pixels"));
    assert_eq!(of(Method::Atomics, shape), ((1920, 1080), None));
    let (size, words) = of(Method::Pairwise, Shape::new(&gpu, (5, 3), 4096).unwrap());
    assert!(
        size.0 < 1920 && words.unwrap().ends_with("because the chunks of more pixels do not fit in memory"),
        "{size:?}"
    );
}

/// Guards against a comparison that never fails.
#[test]
fn counts_that_are_missing_or_in_the_wrong_bin_are_noticed() {
    let counts = |counted: &[u32], expected: &[u32]| LadderCounts {
        counted: vec![counted.to_vec()],
        expected: vec![expected.to_vec()],
    };
    assert!(counts(&[1, 2], &[1, 2]).is_exact());
    assert!(!counts(&[2, 1], &[1, 2]).is_exact() && counts(&[2, 1], &[1, 2]).lost() == 0);
    assert_eq!((counts(&[1, 1], &[1, 2]).lost(), counts(&[9, 1], &[1, 2]).lost()), (1, -7));
}

#[test]
fn figures_come_back_without_waiting_each_pass_with_its_time() {
    let gpu = gpu();
    let uploaded = Uploaded::new(&gpu, picture("yuv420p", (641, 359), BenchContent::Natural));
    for (method, passes) in [
        (Method::Scalar, &["CPU"][..]),
        (Method::Atomics, &["count"]),
        (Method::Sum, &["chunks", "sum"]),
        (Method::Pairwise, &["chunks", "sum"]),
        (Method::Shared, &["count"]),
        (Method::OursGpu, &["chunk", "reduce", "scale", "regroup"]),
        (Method::OursCpu, &["CPU"]),
    ] {
        let setup = Setup { method, channels: ChannelSet::Four, shape: Shape::default() };
        let mut live = Live::new(&gpu, setup, &uploaded.picture, 1, None).unwrap().unwrap();
        for _ in 0..5 {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            live.record(&gpu, &mut encoder, &uploaded.picture, uploaded.buffers.bind_group().unwrap());
            gpu.queue.submit([encoder.finish()]);
            live.submitted();
        }
        assert!(live.is_pending(), "{method:?}");
        gpu.wait().unwrap();
        let measured = live.poll(&gpu).unwrap();
        assert!(measured.counts.is_exact(), "{method:?}");
        let counted: u64 = measured.counts.counted.iter().flatten().map(|&count| u64::from(count)).sum();
        let (width, height) = live.ladder().counted_size();
        assert_eq!(counted, 4 * u64::from(width) * u64::from(height), "{method:?}");
        assert_eq!(measured.passes.iter().map(|(name, _)| *name).collect::<Vec<_>>(), passes);
        assert!(live.ladder().fits(setup, &uploaded.picture));
        let has_times = gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY) || passes == ["CPU"];
        assert_eq!(measured.total().is_some(), has_times, "{measured:?}");
        assert!(measured.total().is_none_or(|time| !time.is_zero()), "{measured:?}");
        assert!(live.poll(&gpu).is_none() && !live.is_pending(), "{method:?}");
    }
}

/// An adapter need not run invocations in parallel, so only hardware GPUs must lose counts.
#[test]
fn the_race_loses_counts_and_each_run_others_where_the_adapter_is_parallel() {
    let gpu = gpu();
    let uploaded = Uploaded::new(&gpu, picture("yuv420p", (1920, 1080), BenchContent::Natural));
    let shape = Shape::new(&gpu, Method::Race.usual_chunk(), 256).unwrap();
    let setup = Setup { method: Method::Race, channels: ChannelSet::Four, shape };
    let runs: Vec<_> = (0..8).map(|_| uploaded.count(&gpu, setup).unwrap().1).collect();
    for run in &runs {
        assert!(run.lost() >= 0, "a race counts nothing twice");
        assert_eq!(run.lost() == 0, run.is_exact());
    }
    if gpu.is_software() {
        eprintln!(
            "not asserted on {}: lost {:?}",
            gpu.info.name,
            runs.iter().map(LadderCounts::lost).collect::<Vec<_>>()
        );
        return;
    }
    assert!(runs.iter().all(|run| !run.is_exact()), "{} loses none", gpu.info.name);
    assert!(runs.iter().any(|run| run.counted != runs[0].counted), "each run comes to the same");
}

#[test]
fn constants_are_shown_as_they_are_injected() {
    let gpu = gpu();
    let uploaded = Uploaded::new(&gpu, picture("yuv420p", (641, 359), BenchContent::Natural));
    let shape = Shape::new(&gpu, (32, 8), 100).unwrap();
    let (ladder, _) =
        uploaded.count(&gpu, Setup { method: Method::Pairwise, channels: ChannelSet::Four, shape }).unwrap();
    let [chunks, sum] = ladder.steps() else { panic!("{:?}", ladder.steps()) };
    for constant in [("BINS", 100), ("CHANNELS", 4), ("CHUNK_WIDTH", 32), ("CHUNK_HEIGHT", 8), ("WORDS", 400)] {
        assert!(chunks.constants.contains(&constant), "{chunks:?}");
    }
    assert_eq!((chunks.workgroup, chunks.workgroups), ((32, 8), (21, 45)));
    assert_eq!(sum.constants, [("BINS", 100), ("INVOCATIONS", 100), ("CHUNKS", 945)]);
    assert_eq!(sum.dispatches, 10, "945 chunks are halved ten times");
    for step in ladder.steps() {
        for (name, _) in &step.constants {
            assert!(step.texts.iter().any(|text| text.wgsl.contains(name)), "{name} is not in {:?}", step.texts);
        }
    }
}

//! Adjusting on the GPU, for tests: a device with its passes, used by one test at a time.
//!
//! Each test binary uses only some of these helpers, hence the lint exception.
#![allow(dead_code)]

use histoscope_core::adjust::{Adjustments, Codes, Processor};
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Picture;
use histoscope_render::gpu::adjust::Chain;
use histoscope_render::gpu::bins::ChannelScale;
use histoscope_render::gpu::histogram::HistogramPasses;
use histoscope_render::gpu::params::InputPicture;
use histoscope_render::gpu::timing::Spans;
use histoscope_render::gpu::upload::PictureBuffers;
use histoscope_render::gpu::{AdapterChoice, Gpu};

use crate::support::pool::{Lent, Pool};

/// A device and its passes.
pub struct Adjuster {
    pub gpu: Gpu,
    pub pictures: PictureBuffers,
    pub histogram: HistogramPasses,
    pub chain: Chain,
}

impl Adjuster {
    /// Returns one on this machine's adapter, for exclusive use.
    pub fn get() -> Lent<Self> {
        static ADJUSTERS: Pool<Adjuster> = Pool::new();
        ADJUSTERS.lend(|| {
            let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
            let pictures = PictureBuffers::default();
            let histogram = HistogramPasses::new(&gpu);
            let chain = Chain::new(&gpu, &histogram);
            Self { gpu, pictures, histogram, chain }
        })
    }

    /// Returns the codes of an adjusted picture. `counted` is as for `Chain::prepare`.
    pub fn adjust(
        &mut self,
        picture: &Picture,
        adjustments: &Adjustments,
        elapsed_secs: Option<f64>,
        counted: bool,
    ) -> Codes {
        let Self { gpu, pictures, histogram, chain } = self;
        pictures.upload(gpu, picture).expect("the picture fits");
        histogram.prepare(gpu, picture, Components::Rgbl).expect("the bins fit");
        chain.prepare(gpu, InputPicture::from(picture), adjustments, elapsed_secs, counted).expect("the result fits");
        let group = pictures.bind_group().expect("it was uploaded");
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        if counted && adjustments.need_source_bins() {
            histogram.dispatch(&mut pass, group);
        }
        chain.dispatch(&mut pass, group);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        gpu.check().expect("nothing failed");
        chain.result().expect("something is adjusted").read(gpu).expect("it comes back")
    }

    /// Returns the codes of an adjusted picture. If it is counted while it is written, also returns its histograms and
    /// their scales. With `spans`, the summing of chunks runs pass by pass.
    pub fn adjust_and_count(
        &mut self,
        picture: &Picture,
        adjustments: &Adjustments,
        spans: Option<Spans<'_>>,
    ) -> (Codes, Option<(Histogram, Vec<ChannelScale>)>) {
        let Self { gpu, pictures, histogram, chain } = self;
        pictures.upload(gpu, picture).expect("the picture fits");
        let source = InputPicture::from(picture);
        // The passes count the source, or the result into the same bins. The source's bins are not needed here.
        chain.prepare_counting(gpu, source, adjustments, None, false, histogram).expect("the result fits");
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let group = pictures.bind_group().expect("it was uploaded");
        chain.dispatch(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()), group);
        if chain.counts_result() {
            histogram.record_sums(&mut encoder, spans);
        }
        gpu.queue.submit([encoder.finish()]);
        gpu.check().expect("nothing failed");
        let codes = chain.result().expect("something is adjusted").read(gpu).expect("it comes back");
        let counted = chain.counts_result().then(|| {
            let bins = histogram.read(gpu, codes.bits, Components::Rgbl).expect("bins come back");
            (bins, histogram.read_scales(gpu).expect("scales come back"))
        });
        (codes, counted)
    }

    /// Returns the histograms of the result from the passes that count any picture.
    pub fn count_result(&mut self) -> Histogram {
        let Self { gpu, histogram, chain, .. } = self;
        let result = chain.result().expect("something is adjusted");
        histogram.prepare(gpu, result, Components::Rgbl).expect("the bins fit");
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        histogram.record(&mut encoder, &result.bind_group, None);
        gpu.queue.submit([encoder.finish()]);
        histogram.read(gpu, result.bits, Components::Rgbl).expect("bins come back")
    }

    /// Asserts that the GPU's picture equals the CPU's, to the last code, and returns it.
    pub fn check(&mut self, name: &str, picture: &Picture, adjustments: &Adjustments) -> Codes {
        let for_range = adjustments.for_range(picture.colorimetry().range.value);
        let expected = Processor::default().apply_to_codes(Codes::of(picture), &for_range, None);
        let adjusted = self.adjust(picture, adjustments, None, true);
        assert_same(&format!("{name}, {adjustments}"), &adjusted, &expected);
        adjusted
    }
}

/// Asserts that two pictures are equal.
pub fn assert_same(name: &str, adjusted: &Codes, expected: &Codes) {
    assert_eq!((adjusted.bits, adjusted.width, adjusted.height), (expected.bits, expected.width, expected.height));
    let differs = |&at: &usize| adjusted.rgb[at] != expected.rgb[at];
    let differing: Vec<_> = (0..expected.rgb.len()).filter(differs).collect();
    if let Some(&at) = differing.first() {
        let (x, y) = (at % expected.width, at / expected.width);
        let (found, wanted) = (adjusted.rgb[at], expected.rgb[at]);
        panic!("{name}: {} pixels differ, the first at ({x}, {y}): {found:?}, not {wanted:?}", differing.len());
    }
}

//! The adapter's waveforms and vectorscopes against the scalar reference, on the adapter of this machine.

use histoscope_core::histogram::Components;
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::primaries::Primaries;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::transfer::Transfer;
use histoscope_core::scopes::{Chroma, Diagram, Vectorscope, Waveform, reference};
use histoscope_render::gpu::scope_pass::ScopePass;
use histoscope_render::gpu::upload::PictureBuffers;
use histoscope_render::gpu::vectorscope::{VectorscopePasses, VectorscopePlan};
use histoscope_render::gpu::waveform::{WaveformPasses, WaveformPlan};
use histoscope_render::gpu::{AdapterChoice, Gpu};

use crate::support::pool::{Lent, Pool};
use crate::support::{colorimetry, constant, native_layouts, natural, noise};

const BOTH: [Components; 2] = [Components::Rgbl, Components::YCbCr];

struct Counter {
    gpu: Gpu,
    pictures: PictureBuffers,
    waveform: WaveformPasses,
    vectorscope: VectorscopePasses,
}

impl Counter {
    fn get() -> Lent<Self> {
        static COUNTERS: Pool<Counter> = Pool::new();
        COUNTERS.lend(|| {
            let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
            let (waveform, vectorscope) = (WaveformPasses::new(&gpu), VectorscopePasses::new(&gpu));
            Self { gpu, pictures: PictureBuffers::default(), waveform, vectorscope }
        })
    }

    fn waveform(&mut self, picture: &Picture, pixels: Rect, components: Components) -> Waveform {
        self.waveform.prepare(&self.gpu, picture, pixels, components).expect("the adapter holds a column");
        self.pictures.upload(&self.gpu, picture).expect("the picture fits");
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.waveform.record(&mut encoder, self.pictures.bind_group().expect("it was uploaded"), None);
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.check().expect("the adapter did as it was told");
        self.waveform.read(&self.gpu).expect("counts come back").waveform.expect("it was prepared")
    }

    fn vectorscope(&mut self, picture: &Picture, pixels: Rect, diagram: Diagram) -> Option<Vectorscope> {
        self.vectorscope.prepare(&self.gpu, picture, pixels, chroma_of(picture, diagram));
        self.pictures.upload(&self.gpu, picture).expect("the picture fits");
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.vectorscope.record(&mut encoder, self.pictures.bind_group().expect("it was uploaded"), None);
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.check().expect("the adapter did as it was told");
        self.vectorscope.read(&self.gpu).expect("counts come back").vectorscope
    }

    #[track_caller]
    fn check_vectorscope(&mut self, picture: &Picture, pixels: Rect, what: &str) {
        Diagram::ALL.into_iter().for_each(|diagram| self.check_diagram(picture, pixels, diagram, what));
    }

    #[track_caller]
    fn check_diagram(&mut self, picture: &Picture, pixels: Rect, diagram: Diagram, what: &str) {
        let what = format!("{what} {diagram:?}");
        let (counted, expected) = (
            self.vectorscope(picture, pixels, diagram),
            chroma_of(picture, diagram).map(|chroma| reference::vectorscope(picture, pixels, chroma)),
        );
        let all = |scope: &Option<Vectorscope>| scope.iter().flat_map(|scope| scope.counts.clone()).collect::<Vec<_>>();
        let differs = all(&counted).iter().zip(all(&expected)).position(|(a, b)| *a != b);
        let sum = |scope: &Option<Vectorscope>| all(scope).iter().sum::<u32>();
        let sums = (sum(&counted), sum(&expected));
        assert!(counted == expected, "{what} {pixels:?}: count {differs:?} differs, of {sums:?}");
    }

    #[track_caller]
    fn check_waveform(&mut self, picture: &Picture, pixels: Rect, components: Components, what: &str) {
        let counted = self.waveform(picture, pixels, components);
        let expected = reference::waveform(picture, pixels, components);
        let differs = counted.counts.iter().zip(&expected.counts).position(|(a, b)| a != b);
        assert!(counted == expected, "{what} {pixels:?} {components:?}: count {differs:?} differs");
    }
}

/// Returns what a vectorscope counts in a diagram, if a picture's codes are PQ with the primaries of BT.2020.
fn chroma_of(picture: &Picture, diagram: Diagram) -> Option<Chroma> {
    Chroma::of(picture).map(|chroma| chroma.in_diagram(diagram, (Transfer::Pq, Primaries::Bt2020)))
}

fn whole(picture: &Picture) -> Rect {
    Rect::whole(picture.width(), picture.height())
}

fn matrix_of(layout: &PixelLayout) -> Matrix {
    if layout.model == ColorModel::Rgb { Matrix::Identity } else { Matrix::Bt709 }
}

/// Returns one layout for each way of reading samples, since each has its own passes, which are slow to compile.
fn some_layouts() -> Vec<(String, PixelLayout)> {
    let names = ["gray10", "yuv410p8", "nv12 with Cr first", "p210", "yuyv422", "gbrp12", "bgr", "rgba 16 bits"];
    let layouts = native_layouts().into_iter().filter(|(name, _)| names.contains(&name.as_str())).collect::<Vec<_>>();
    assert_eq!(layouts.len(), names.len());
    layouts
}

#[test]
fn vectorscopes_of_each_kind_of_layout_are_the_references() {
    let mut counter = Counter::get();
    let mut colourless = 0;
    for (seed, (name, layout)) in some_layouts().into_iter().enumerate() {
        let picture = noise(layout, (61, 33), colorimetry(matrix_of(&layout), Range::Limited), 3, seed as u64);
        counter.check_vectorscope(&picture, whole(&picture), &name);
        counter.check_vectorscope(&picture, Rect { x: 7, y: 5, width: 31, height: 11 }, &name);
        colourless += usize::from(counter.vectorscope(&picture, whole(&picture), Diagram::CbCr).is_none());
    }
    assert!(colourless > 0, "gray was among them");
    // Planes of R'G'B' labelled as a Y'CbCr layout.
    let layout = PixelLayout::planar_ycbcr(8, (0, 0));
    let picture = noise(layout, (61, 33), colorimetry(Matrix::Identity, Range::Full), 0, 1);
    counter.check_vectorscope(&picture, whole(&picture), "gbr");
}

/// Pictures of one colour, of a few colours, and of more than a workgroup's table has slots for.
#[test]
fn vectorscopes_of_any_content_and_plan_are_the_references() {
    let mut counter = Counter::get();
    let colorimetry = colorimetry(Matrix::Bt709, Range::Limited);
    for layout in [PixelLayout::planar_ycbcr(8, (1, 1)), PixelLayout::planar_ycbcr(12, (0, 0))] {
        for size in [(1, 1), (3, 501), (641, 359)] {
            for picture in [
                natural(layout, size, colorimetry, 5),
                constant(layout, size, colorimetry),
                noise(layout, size, colorimetry, 0, 8),
            ] {
                counter.check_vectorscope(&picture, whole(&picture), &format!("{layout:?} {size:?}"));
            }
        }
    }
    let usual = VectorscopePlan::of(&counter.gpu);
    let picture = noise(PixelLayout::planar_ycbcr(10, (1, 1)), (301, 77), colorimetry, 0, 9);
    for (workgroup, workgroups, slot_bits) in [(1, 1, 0), (64, 3, 5), (32, 500, 10), (usual.workgroup, 1, 13)] {
        let plan = VectorscopePlan { workgroup, workgroups, slot_bits: slot_bits.min(usual.slot_bits) };
        counter.vectorscope = VectorscopePasses::with_plan(&counter.gpu, plan);
        counter.check_vectorscope(&picture, whole(&picture), &format!("{plan:?}"));
    }
    counter.vectorscope = VectorscopePasses::new(&counter.gpu);
}

#[test]
fn waveforms_of_each_kind_of_layout_are_the_references() {
    let mut counter = Counter::get();
    for (seed, (name, layout)) in some_layouts().into_iter().enumerate() {
        let picture = noise(layout, (61, 33), colorimetry(matrix_of(&layout), Range::Limited), 3, seed as u64);
        for components in BOTH {
            counter.check_waveform(&picture, whole(&picture), components, &name);
            counter.check_waveform(&picture, Rect { x: 7, y: 5, width: 31, height: 11 }, components, &name);
        }
        let picture = picture.with_luminance(LuminanceWeights::Bt2020);
        counter.check_waveform(&picture, whole(&picture), Components::Rgbl, &format!("{name} by BT.2020"));
    }
}

#[test]
fn waveforms_of_wide_odd_and_constant_pictures_are_the_references() {
    let mut counter = Counter::get();
    let layouts = [
        PixelLayout::planar_ycbcr(8, (1, 1)),
        PixelLayout::planar_ycbcr(10, (1, 0)),
        PixelLayout::planar_ycbcr(12, (2, 2)),
    ];
    for layout in layouts {
        for size in [(1, 1), (1, 257), (641, 35), (1023, 9), (1025, 9), (1920, 18), (3841, 7), (9000, 5)] {
            let colorimetry = colorimetry(Matrix::Bt709, Range::Limited);
            for picture in [natural(layout, size, colorimetry, 5), constant(layout, size, colorimetry)] {
                for components in BOTH {
                    counter.check_waveform(&picture, whole(&picture), components, &format!("{layout:?} {size:?}"));
                }
            }
        }
    }
}

/// A workgroup's counts have 16 bits. In a constant picture with few columns, all samples of a column share one count.
#[test]
fn tall_pictures_do_not_overflow_a_workgroups_counts() {
    let mut counter = Counter::get();
    for size in [(2, 150_000), (1025, 70_000)] {
        let picture = constant(PixelLayout::gray(8), size, colorimetry(Matrix::Bt709, Range::Full));
        let counted = counter.waveform(&picture, whole(&picture), Components::YCbCr);
        let code = picture.code(0, 0, 0) as usize;
        let sums: Vec<u32> = (0..counted.columns[0]).map(|column| counted.column(0, column)[code]).collect();
        assert_eq!(sums.iter().map(|&count| u64::from(count)).sum::<u64>(), u64::from(size.0) * u64::from(size.1));
        assert!(sums.iter().all(|&count| count >= size.1));
    }
}

/// The counts are the same however the work is divided, even if memory holds only some of the channels.
#[test]
fn every_plan_counts_alike() {
    let mut counter = Counter::get();
    let usual = WaveformPlan::of(&counter.gpu);
    let picture =
        natural(PixelLayout::planar_ycbcr(10, (1, 1)), (301, 77), colorimetry(Matrix::Bt601, Range::Limited), 9);
    for (workgroup, memory, columns, parts) in
        [(256, 16 << 10, 16, 8), (64, 4096, 16, 1), (128, 2048, 1, 3), (32, 16 << 10, 3, 100), (1, 8192, 2, 2)]
    {
        let plan = WaveformPlan { workgroup, memory: memory.min(usual.memory), columns, parts };
        counter.waveform = WaveformPasses::with_plan(&counter.gpu, plan);
        for components in BOTH {
            counter.check_waveform(&picture, whole(&picture), components, &format!("{plan:?}"));
        }
    }
    counter.waveform = WaveformPasses::new(&counter.gpu);
}

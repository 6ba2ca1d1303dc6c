//! The pixels selected by brushes of several scopes, and the other scopes' counts of them. A scalar loop over the
//! pixels gives the expected result, for the adapter and the CPU. Equally many pixels of the picture keep their light.

use std::time::{Duration, Instant};

use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::primaries::Primaries;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::transfer::Transfer;
use histoscope_core::picture::{Orientation, Picture, Ratio};
use histoscope_core::scopes::{
    Chroma, Diagram, Scope, ScopeChoice, ScopeCounts, Vectorscope, Waveform, column_of, samples_in,
};
use histoscope_render::cpu::{SelectedPixels, SelectionCounts};
use histoscope_render::gpu::brushed::BrushedPasses;
use histoscope_render::gpu::params::InputPicture;
use histoscope_render::gpu::readback::{Image, read_buffer};
use histoscope_render::gpu::upload::PictureBuffers;
use histoscope_render::gpu::{AdapterChoice, Gpu};
use histoscope_render::view::brush::Brush;
use histoscope_render::view::brushes::{Brushes, Filter, Lasso, PairBrush, PairShape, Selection, WaveformBrush};
use histoscope_render::view::count::SelectionChoice;
use histoscope_render::view::overlay::{Channels, OverlayStyle};
use histoscope_render::view::probe::probe;
use histoscope_render::view::scene::{Look, Scene};
use histoscope_render::view::scopes::{Layout, ScopeStyle};

use crate::studio::{self, Studio, UPRIGHT, WAYS, Way, adjusted, bare, each};
use crate::support::{colorimetry, constant, native_layouts, natural, noise};

/// The light of the codes, if the vectorscope counts chromaticities.
const LIGHT: (Transfer, Primaries) = (Transfer::Hlg, Primaries::Bt2020);

const ALL: SelectionChoice = SelectionChoice { histogram: true, scopes: ScopeChoice::EVERY };

fn channels(list: &[usize]) -> Channels {
    list.iter().fold(Channels::NONE, |all, &channel| all.union(Channels::one(channel)))
}

/// Returns brushes of each kind, alone and together, for pictures of this depth whose counted part has this width, the
/// vectorscope's in this diagram.
fn brushes(bits: u32, width: u32, diagram: Diagram) -> Vec<Brushes> {
    let codes = |share: f64| (share * f64::from((1_u32 << bits) - 1)) as u32;
    let histogram = Some(Brush { channels: channels(&[1, 3]), low: codes(0.2), high: codes(0.7) });
    let of = width.min(1024);
    let range = Brush { channels: channels(&[0, 2]), low: codes(0.3), high: codes(0.8) };
    let waveform = Some(WaveformBrush { range, columns: [of / 5, of * 4 / 5], column_count: of });
    let level_bits = match diagram {
        Diagram::CbCr => bits.min(10),
        Diagram::Xy | Diagram::Uv => bits.min(9),
        Diagram::Diamond => 9,
    };
    let level = |share: f64| (share * f64::from(1_u32 << level_bits)) as u16;
    let circle = PairShape::Circle { middle: [level(0.55), level(0.5)], radius: level(0.2) };
    let lasso = [[0.9, 0.3], [0.1, 0.6], [0.8, 0.8]];
    let lasso =
        lasso.iter().fold(Lasso::starting_at([level(0.2), level(0.2)]), |lasso, at| lasso.with_corner(at.map(level)));
    let pairs = |shape| Some(PairBrush { shape, level_bits, diagram });
    let none = Brushes::default();
    vec![
        Brushes { histogram, ..none },
        Brushes { waveform, ..none },
        Brushes { vectorscope: pairs(circle), ..none },
        Brushes { waveform, vectorscope: pairs(PairShape::Polygon(lasso)), ..none },
        Brushes { histogram, waveform, vectorscope: pairs(circle) },
    ]
}

/// Returns the brushes that a pixel passes, tested one after the other by definition.
fn passed(
    (picture, chroma): (&Picture, Option<Chroma>),
    (x, y): (u32, u32),
    (rect, components): (Rect, Components),
    brushes: &Brushes,
) -> [bool; 3] {
    let probe = probe(picture, x, y, components);
    let column = |of| column_of(x - rect.x, rect.width, of);
    let in_columns =
        |brush: &WaveformBrush| (brush.columns[0]..=brush.columns[1]).contains(&column(brush.column_count));
    let in_range = |brush: &Brush| !probe.reached_by(brush).is_empty();
    let pairs = chroma.map(|chroma| pairs_of(picture, (x, y), &chroma));
    let has_pair = |brush: &PairBrush| {
        let selected = brush.pairs(brush.level_bits);
        let has = |&[cb, cr]: &[u32; 2]| {
            let at = (cb as usize) << brush.level_bits | cr as usize;
            (selected[at / 32] >> (at % 32)) & 1 != 0
        };
        pairs.as_ref().is_none_or(|pairs| pairs.iter().any(has))
    };
    [
        brushes.histogram.as_ref().is_none_or(in_range),
        brushes.waveform.as_ref().is_none_or(|brush| in_columns(brush) && in_range(&brush.range)),
        brushes.vectorscope.as_ref().is_none_or(has_pair),
    ]
}

/// Returns the levels of Cb and Cr of the sample that covers a pixel, or of the pixel's computed pairs.
fn pairs_of(picture: &Picture, (x, y): (u32, u32), chroma: &Chroma) -> Vec<[u32; 2]> {
    let layout = picture.layout();
    let mut pairs = Vec::new();
    match chroma.computation() {
        None => {
            let (x, y) = (x >> layout.chroma_shift.0, picture.chroma_rows().of(y as usize) as u32);
            pairs.push([1, 2].map(|component| picture.code(component, x, y)));
        }
        Some(computation) => {
            let (rgb, top) = (probe(picture, x, y, Components::Rgbl).rgb, (1 << layout.bin_bits()) - 1);
            computation.each_of(rgb, top, |pair| pairs.push(pair));
        }
    }
    let surplus = chroma.pair_bits() - chroma.level_bits();
    pairs.into_iter().map(|pair| pair.map(|part| part >> surplus)).collect()
}

/// Counts the samples of a plane that cover a pixel which passes all brushes except the scope's own.
fn reference(
    (picture, chroma): (&Picture, Option<Chroma>),
    (rect, components): (Rect, Components),
    brushes: &Brushes,
) -> (u32, SelectionCounts) {
    let layout = picture.layout();
    let (width, height) = (picture.width(), picture.height());
    let mut lit = vec![[false; 4]; (width * height) as usize];
    for y in rect.y..rect.y + rect.height {
        for x in rect.x..rect.x + rect.width {
            let [h, w, v] = passed((picture, chroma), (x, y), (rect, components), brushes);
            lit[(y * width + x) as usize] = [h && w && v, w && v, h && v, h && w];
        }
    }
    let covers = |filter: Filter, (sx, sy): (u32, u32), shift: (u8, u8)| {
        let pixels = |s: u32, shift: u8, end: u32| s << shift..((s + 1) << shift).min(end);
        let rows = (0..height).filter(|&y| match shift.1 {
            0 => y == sy,
            _ => picture.chroma_rows().of(y as usize) == sy as usize,
        });
        rows.into_iter().any(|y| pixels(sx, shift.0, width).any(|x| lit[(y * width + x) as usize][filter as usize]))
    };
    let mut histogram = Histogram::empty(layout.bin_bits(), components);
    let mut waveform = Waveform::empty(layout, rect, components);
    let surplus = layout.bin_bits() - waveform.level_bits;
    let count = if components == Components::Rgbl { 4 } else { layout.component_count() };
    for channel in 0..count {
        let is_chroma = components == Components::YCbCr && channel > 0;
        let (samples, shift) = match is_chroma {
            true => (samples_in(layout, channel, rect), layout.chroma_shift),
            false => (rect, (0, 0)),
        };
        for y in samples.y..samples.y + samples.height {
            for x in samples.x..samples.x + samples.width {
                let code = match components {
                    Components::Rgbl => probe(picture, x, y, components).bins[channel],
                    Components::YCbCr => picture.code(channel, x, y),
                };
                histogram.bins_mut(channel)[code as usize] += u32::from(covers(Filter::Histogram, (x, y), shift));
                let column = column_of(x - samples.x, samples.width, waveform.columns[channel]);
                let count = &mut waveform.column_mut(channel, column)[(code >> surplus) as usize];
                *count += u32::from(covers(Filter::Waveform, (x, y), shift));
            }
        }
    }
    let vectorscope = chroma.map(|chroma| {
        let mut scope = Vectorscope::empty(chroma.level_bits());
        let shift = if chroma.is_coded() { layout.chroma_shift } else { (0, 0) };
        let samples = chroma.samples(layout, rect);
        for y in samples.y..samples.y + samples.height {
            for x in samples.x..samples.x + samples.width {
                let levels = match chroma.is_coded() {
                    true => vec![[1, 2].map(|component| picture.code(component, x, y) >> surplus)],
                    false => pairs_of(picture, (x, y), &chroma),
                };
                for [cb, cr] in levels.into_iter().map(|pair| pair.map(|level| level as usize)) {
                    scope.counts[cb << scope.level_bits | cr] += u32::from(covers(Filter::Vectorscope, (x, y), shift));
                }
            }
        }
        scope
    });
    let count = lit.iter().filter(|planes| planes[0]).count() as u32;
    let scopes = ScopeCounts { waveform: Some(waveform), vectorscope };
    (count, SelectionCounts { histogram: Some(histogram), scopes })
}

struct Adapter {
    gpu: Gpu,
    pictures: PictureBuffers,
    passes: BrushedPasses,
}

impl Adapter {
    fn new() -> Self {
        let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter; scripts/setup installs one");
        let passes = BrushedPasses::new(&gpu);
        Self { gpu, pictures: PictureBuffers::default(), passes }
    }

    fn words(&self, buffer: &wgpu::Buffer, count: usize) -> Vec<u32> {
        bytemuck::pod_collect_to_vec(&read_buffer(&self.gpu, buffer, 4 * count as u64).expect("words come back"))
    }

    /// Returns the planes, the number of lit pixels, and the counts.
    fn count(
        &mut self,
        (picture, chroma): (&Picture, Option<Chroma>),
        selection: &Selection,
    ) -> (Vec<u32>, u32, SelectionCounts) {
        self.pictures.upload(&self.gpu, picture).expect("the picture fits");
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let group = self.pictures.bind_group().expect("it was uploaded");
        let input = (group, InputPicture::from(picture));
        self.passes.record(&self.gpu, &mut encoder, input, (selection, chroma), ALL, None);
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.check().expect("the adapter did as it was told");
        let buffers = self.passes.buffers();
        let bits = picture.layout().bin_bits();
        let row_words = picture.width().div_ceil(32) as usize;
        let planes = self.words(buffers.planes, 4 * row_words * picture.height() as usize);
        let mut histogram = Histogram::empty(bits, selection.components);
        histogram.words = self.words(buffers.bins, histogram.words.len());
        let mut waveform = Waveform::empty(picture.layout(), selection.counted, selection.components);
        waveform.counts = self.words(buffers.scopes[Scope::Waveform], waveform.counts.len());
        let vectorscope = chroma.map(|chroma| {
            let mut scope = Vectorscope::empty(chroma.level_bits());
            scope.counts = self.words(buffers.scopes[Scope::Vectorscope], scope.counts.len());
            scope
        });
        let scopes = ScopeCounts { waveform: Some(waveform), vectorscope };
        let total = self.words(&self.passes.total, 1)[0];
        (planes, total, SelectionCounts { histogram: Some(histogram), scopes })
    }

    #[track_caller]
    fn check(&mut self, picture: &Picture, rect: Rect, components: Components, what: &str) -> u32 {
        let mut lit = 0;
        let bits = picture.layout().bin_bits();
        let cases = brushes(bits, rect.width, Diagram::CbCr).into_iter();
        let cases = cases.chain(brushes(bits, rect.width, Diagram::Xy).into_iter().skip(2));
        let cases = cases.chain(brushes(bits, rect.width, Diagram::Diamond).into_iter().skip(2));
        for brushes in cases {
            let diagram = brushes.vectorscope.map_or(Diagram::CbCr, |brush| brush.diagram);
            let chroma = Chroma::of(picture).map(|chroma| chroma.in_diagram(diagram, LIGHT));
            let what = format!("{what} {rect:?} {components:?} {brushes:?}");
            let selection = brushes.on(rect, components, chroma);
            let (count, expected) = reference((picture, chroma), (rect, components), &brushes);
            let pixels = SelectedPixels::of(picture, &selection);
            assert_eq!(pixels.count, count, "CPU: {what}");
            let here = pixels.count_in(picture, &selection, chroma, ALL);
            differ(&here, &expected, &format!("CPU: {what}"));
            let (planes, total, there) = self.count((picture, chroma), &selection);
            assert_eq!(total, count, "adapter: {what}");
            assert!(planes == pixels.words, "adapter: other pixels: {what}");
            differ(&there, &expected, &format!("adapter: {what}"));
            lit += count;
        }
        lit
    }
}

#[track_caller]
fn differ(found: &SelectionCounts, expected: &SelectionCounts, what: &str) {
    let sum = |counts: &[u32]| counts.iter().sum::<u32>();
    let (found_bins, bins) = (found.histogram.as_ref().unwrap(), expected.histogram.as_ref().unwrap());
    assert!(found_bins == bins, "bins: {} and {}: {what}", sum(&found_bins.words), sum(&bins.words));
    let (found_waveform, waveform) =
        (found.scopes.waveform.as_ref().unwrap(), expected.scopes.waveform.as_ref().unwrap());
    assert!(
        found_waveform == waveform,
        "waveform: {} and {}: {what}",
        sum(&found_waveform.counts),
        sum(&waveform.counts)
    );
    assert!(found.scopes.vectorscope == expected.scopes.vectorscope, "vectorscope: {what}");
}

fn matrix_of(layout: &PixelLayout) -> Matrix {
    if layout.model == ColorModel::Rgb { Matrix::Identity } else { Matrix::Bt709 }
}

/// Returns one layout for each way of reading samples.
fn some_layouts() -> Vec<(String, PixelLayout)> {
    let names = ["gray10", "yuv410p8", "p210", "gbrp12", "yuv420p8 by field"];
    let layouts = native_layouts().into_iter().filter(|(name, _)| names.contains(&name.as_str())).collect::<Vec<_>>();
    assert_eq!(layouts.len(), names.len());
    layouts
}

#[test]
fn scopes_count_what_the_others_brushes_select_in_each_kind_of_layout() {
    let mut adapter = Adapter::new();
    for (seed, (name, layout)) in some_layouts().into_iter().enumerate() {
        let picture = noise(layout, (67, 33), colorimetry(matrix_of(&layout), Range::Limited), 3, seed as u64);
        let whole = Rect::whole(67, 33);
        let mut lit = adapter.check(&picture, whole, Components::Rgbl, &name);
        lit += adapter.check(&picture, Rect { x: 7, y: 5, width: 40, height: 11 }, Components::Rgbl, &name);
        let other = picture.with_luminance(LuminanceWeights::Bt2020);
        lit += adapter.check(&other, whole, Components::Rgbl, &format!("{name} by BT.2020"));
        if picture.has_coded_components() {
            lit += adapter.check(&picture, Rect { x: 3, y: 1, width: 61, height: 31 }, Components::YCbCr, &name);
        }
        assert!(lit > 0, "{name}: something was lit");
    }
}

#[test]
fn scopes_count_what_is_selected_of_any_content_and_size() {
    let mut adapter = Adapter::new();
    let colorimetry = colorimetry(Matrix::Bt601, Range::Full);
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let pictures = [
        ("one pixel", constant(layout, (1, 1), colorimetry)),
        ("one column", natural(layout, (1, 40), colorimetry, 3)),
        ("constant", constant(layout, (150, 20), colorimetry)),
        ("more columns than the scope has", natural(layout, (1301, 6), colorimetry, 5)),
        ("deep", natural(PixelLayout::planar_ycbcr(10, (1, 0)), (70, 40), colorimetry, 7)),
    ];
    for (name, picture) in pictures {
        for components in [Components::Rgbl, Components::YCbCr] {
            let whole = Rect::whole(picture.width(), picture.height());
            adapter.check(&picture, whole, components, name);
        }
    }
}

/// The reported number of pixels keep their light, in the picture itself and in the adjusted one, for any engine; and
/// they are the pixels that pass.
#[test]
fn the_pixels_that_are_told_are_those_that_keep_their_light() {
    let mut studio = Studio::get();
    let colorimetry = colorimetry(Matrix::Bt709, Range::Limited);
    let size = (66, 38);
    let picture = noise(PixelLayout::planar_ycbcr(8, (1, 1)), size, colorimetry, 0, 11);
    for (number, brushes) in brushes(8, size.0, Diagram::CbCr).into_iter().enumerate().skip(1) {
        for (way, adjustments) in WAYS.into_iter().flat_map(|way| [(way, Adjustments::default()), (way, each()[1])]) {
            let what = format!("{number} {way:?} {adjustments}");
            let unlit = bare(adjustments);
            studio.load(way, &picture, UPRIGHT, Components::Rgbl);
            let before = studio.snapshot(way, size, &unlit);
            let after = studio.snapshot(way, size, &Scene { brushes, ..unlit });
            let told = told(&mut studio, way, brushes);
            let is_adjusted = !adjustments.is_off();
            let counted = if is_adjusted { adjusted(&picture, &adjustments) } else { picture.clone() };
            let chroma = Chroma::of_counted(&picture, is_adjusted);
            let whole = (Rect::whole(size.0, size.1), Components::Rgbl);
            let (mut count, mut wrong) = (0, 0);
            for (at, (one, other)) in before.rgba.chunks_exact(4).zip(after.rgba.chunks_exact(4)).enumerate() {
                let at = (at as u32 % size.0, at as u32 / size.0);
                let is_lit = passed((&counted, chroma), at, whole, &brushes) == [true; 3];
                count += u32::from(is_lit);
                // Pixels that are already dim and gray may stay unchanged.
                wrong += u32::from(if is_lit { one != other } else { one == other && one[0].abs_diff(one[1]) > 2 });
            }
            assert_eq!((told, wrong), ((count, u64::from(size.0 * size.1)), 0), "{what}");
            assert!(count > 20, "{what}: something is lit");
        }
    }
}

/// Returns the reported numbers of lit and of counted pixels.
fn told(studio: &mut Studio, way: Way, brushes: Brushes) -> (u32, u64) {
    let (renderer, gpu) = studio.renderer(way);
    let begin = Instant::now();
    loop {
        if let Some(told) = renderer.ask_brushed(gpu, brushes) {
            return told;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing comes back");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// In a partly selected trace, everything else is dim and gray, for any engine.
#[test]
fn scopes_show_what_is_selected_lit_and_the_rest_dim() {
    let mut studio = Studio::get();
    let size = (320, 200);
    let picture =
        natural(PixelLayout::planar_ycbcr(8, (1, 1)), (64, 40), colorimetry(Matrix::Bt709, Range::Limited), 4);
    let scopes = ScopeStyle { waveform: true, vectorscope: true, layout: Layout::Split, ..ScopeStyle::default() };
    let plain = Scene::from(Look { scopes, histograms: OverlayStyle::default(), ..Look::default() });
    let parade =
        Scene { look: Look { scopes: ScopeStyle { waveform: false, parade: true, ..scopes }, ..plain.look }, ..plain };
    let letter = Scene { look: Look { channels: channels(&[0]), ..parade.look }, ..parade };
    let turned = (Ratio::ONE, Orientation { quarter_turns: 1, mirrored: true });
    for scene in [plain, parade, letter] {
        for placing in [UPRIGHT, turned] {
            shown_lit_and_dim(&mut studio, (&picture, placing), size, scene);
        }
    }
}

fn shown_lit_and_dim(
    studio: &mut Studio,
    (picture, placing): (&Picture, (Ratio, Orientation)),
    size: (u32, u32),
    plain: Scene,
) {
    let brush = |low, high| Brushes::of_histogram(Brush { channels: Channels::ALL, low, high });
    let scenes = [plain, Scene { brushes: brush(0, 255), ..plain }, Scene { brushes: none_of(picture), ..plain }];
    let mut views: Vec<Vec<Vec<[u8; 3]>>> = Vec::new();
    for way in WAYS {
        studio.load(way, picture, placing, Components::Rgbl);
        let images = scenes.each_ref().map(|scene| studio.snapshot(way, size, scene));
        views.push(images.iter().map(|image| in_scopes(image, &plain, size)).collect());
    }
    for view in &views {
        for (number, (found, expected)) in view.iter().zip(&views[0]).enumerate() {
            let apart = |(one, other): (&[u8; 3], &[u8; 3])| (0..3).any(|c| one[c].abs_diff(other[c]) > 3);
            let others = found.iter().zip(expected).filter(|pair| apart(*pair)).count();
            assert_eq!(others, 0, "scene {number}: whoever draws");
        }
        let [plain, all, none] = &view[..] else { panic!("three scenes") };
        let light = |pixels: &[[u8; 3]]| pixels.iter().flatten().map(|&part| u64::from(part)).sum::<u64>();
        let colored = |pixels: &[[u8; 3]]| {
            pixels.iter().filter(|p| p.iter().max().unwrap() - p.iter().min().unwrap() > 24).count()
        };
        // Lit parts do not contain the background's own faint light.
        let darker = all.iter().zip(plain).any(|(lit, plain)| (0..3).any(|c| lit[c].saturating_add(10) < plain[c]));
        assert!(!darker, "all is lit: nothing is darker");
        // Lines of scales stay unchanged.
        assert!(light(none) * 5 < light(plain) * 4, "nothing is lit: {} of {}", light(none), light(plain));
        assert!(colored(plain) > 50 && colored(none) == 0, "{} and {}", colored(plain), colored(none));
    }
}

/// Returns a brush that selects no pixel of a picture.
fn none_of(picture: &Picture) -> Brushes {
    let counts = studio::count(picture, Components::Rgbl);
    let free = (0..256).find(|&code| counts.bins(3)[code] == 0).expect("a code that no pixel has");
    Brushes::of_histogram(Brush::between(3, free as u32, free as u32))
}

/// Returns the pixels of the panels beside the histograms.
fn in_scopes(image: &Image, scene: &Scene, size: (u32, u32)) -> Vec<[u8; 3]> {
    let panels = scene.arranged(size).panels;
    let rows =
        panels.iter().flat_map(|panel| (panel.rect.top..panel.rect.top + panel.rect.height).map(move |y| (panel, y)));
    rows.flat_map(|(panel, y)| (panel.rect.left..panel.rect.left + panel.rect.width).map(move |x| (x, y)))
        .map(|(x, y)| {
            let at = 4 * (y * image.width + x) as usize;
            [image.rgba[at], image.rgba[at + 1], image.rgba[at + 2]]
        })
        .collect()
}

//! The waveform and the vectorscope: the scalar reference adds up to the histogram, and the CPU's counts equal the
//! reference.

use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::luminance::LuminanceWeights;
use histoscope_core::picture::primaries::Primaries;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::transfer::Transfer;
use histoscope_core::scopes::{
    Chroma, Diagram, MAX_COLUMNS, ScopeChoice, ScopeCounts, Waveform, column_of, reference, samples_in, targets,
};
use histoscope_render::cpu;

use crate::support::{colorimetry, constant, drawn, native_layouts, natural, noise};

const PQ: (Transfer, Primaries) = (Transfer::Pq, Primaries::Bt2020);

const BOTH: [Components; 2] = [Components::Rgbl, Components::YCbCr];

fn whole(picture: &Picture) -> Rect {
    Rect::whole(picture.width(), picture.height())
}

fn matrix_of(layout: &PixelLayout) -> Matrix {
    if layout.model == ColorModel::Rgb { Matrix::Identity } else { Matrix::Bt709 }
}

/// Fails unless the waveform adds up to the histogram's bins and to the samples of each column.
fn check_sums(waveform: &Waveform, histogram: &Histogram, layout: &PixelLayout, pixels: Rect, what: &str) {
    let group = histogram.bin_count() / waveform.levels();
    for channel in 0..4 {
        let mut sums = vec![0; waveform.levels()];
        let component = if waveform.components == Components::YCbCr { channel } else { 0 };
        let columns = waveform.columns[channel];
        for column in 0..columns {
            let counts = waveform.column(channel, column);
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            let samples = samples_in(layout, component, pixels);
            let across = (0..samples.width).filter(|&x| column_of(x, samples.width, columns) == column).count();
            assert!(across > 0, "{what}: column {column} of channel {channel} is empty");
            assert_eq!(counts.iter().sum::<u32>(), across as u32 * samples.height, "{what}: channel {channel}");
        }
        let bins: Vec<u32> = histogram.bins(channel).chunks(group).map(|codes| codes.iter().sum()).collect();
        assert_eq!(sums, bins, "{what}: channel {channel}");
    }
}

#[test]
fn waveforms_add_up_to_the_histogram_in_every_layout() {
    let mut engine = cpu::Engine::new();
    for (seed, (name, layout)) in native_layouts().into_iter().enumerate() {
        let picture = noise(layout, (37, 22), colorimetry(matrix_of(&layout), Range::Limited), seed % 5, seed as u64);
        for pixels in
            [whole(&picture), Rect { x: 3, y: 5, width: 9, height: 7 }, Rect { x: 36, y: 21, width: 1, height: 1 }]
        {
            for components in BOTH {
                let what = format!("{name} {components:?} {pixels:?}");
                let waveform = reference::waveform(&picture, pixels, components);
                let histogram = engine.count_region(&picture, Some(pixels), components).unwrap();
                check_sums(&waveform, &histogram, &layout, pixels, &what);
                assert!(cpu::count_waveform(&picture, pixels, components) == waveform, "{what}");
            }
            let picture = picture.with_luminance(LuminanceWeights::Bt2020);
            let waveform = reference::waveform(&picture, pixels, Components::Rgbl);
            assert!(
                cpu::count_waveform(&picture, pixels, Components::Rgbl) == waveform,
                "{name} by BT.2020 {pixels:?}"
            );
        }
    }
}

/// Wide pictures have several samples per column, not equally many in each, and stripes end within columns.
#[test]
fn the_cpu_counts_wide_and_odd_pictures_as_the_reference() {
    let layouts = [
        PixelLayout::planar_ycbcr(8, (1, 1)),
        PixelLayout::planar_ycbcr(10, (2, 2)),
        PixelLayout::planar_ycbcr(12, (1, 0)),
        PixelLayout::gray(8),
        PixelLayout::packed_rgb(16, [0, 1, 2], 3),
    ];
    for layout in layouts {
        for size in [(1, 1), (1, 300), (641, 5), (1023, 3), (1024, 3), (1025, 3), (1920, 4), (3841, 3), (20_000, 2)] {
            for range in [Range::Limited, Range::Full] {
                let picture = natural(layout, size, colorimetry(matrix_of(&layout), range), 11);
                for components in BOTH {
                    let expected = reference::waveform(&picture, whole(&picture), components);
                    assert_eq!(expected.columns[0], size.0.min(MAX_COLUMNS));
                    let counted = cpu::count_waveform(&picture, whole(&picture), components);
                    assert!(counted == expected, "{layout:?} {size:?} {range} {components:?}");
                }
            }
        }
    }
}

#[test]
fn vectorscopes_count_every_chroma_sample_in_every_layout() {
    for (seed, (name, layout)) in native_layouts().into_iter().enumerate() {
        for matrix in [matrix_of(&layout), Matrix::Identity] {
            if matrix == Matrix::Identity && layout.chroma_shift != (0, 0) {
                continue;
            }
            let picture = noise(layout, (37, 22), colorimetry(matrix, Range::Limited), seed % 5, seed as u64);
            for pixels in [whole(&picture), Rect { x: 3, y: 5, width: 9, height: 7 }] {
                let what = format!("{name} {matrix} {pixels:?}");
                let chroma = Chroma::of(&picture);
                assert_eq!(chroma.is_none(), layout.model == ColorModel::Gray, "{what}");
                let Some(chroma) = chroma else { continue };
                let smpte432 = (Transfer::Bt1886, Primaries::Smpte432);
                let others = [(Diagram::Xy, PQ), (Diagram::Uv, smpte432), (Diagram::Diamond, PQ)];
                let others = others.map(|(diagram, light)| chroma.in_diagram(diagram, light));
                for chroma in [chroma].into_iter().chain(others) {
                    let what = format!("{what} {:?}", chroma.diagram());
                    let counted = cpu::count_vectorscope(&picture, pixels, chroma);
                    let expected = reference::vectorscope(&picture, pixels, chroma);
                    assert!(counted == expected, "{what}");
                    let samples = if chroma.is_coded() { samples_in(&layout, 1, pixels) } else { pixels };
                    let sum = expected.counts.iter().map(|&count| u64::from(count)).sum::<u64>();
                    let pairs = if chroma.diagram() == Diagram::Diamond { 2 } else { 1 };
                    assert_eq!(sum, pairs * samples.pixel_count(), "{what}");
                }
            }
        }
    }
}

#[test]
fn a_constant_picture_is_one_point() {
    let layout = PixelLayout::planar_ycbcr(10, (1, 1));
    // More samples for each thread than 16 bits can count.
    let picture = constant(layout, (2062, 1034), colorimetry(Matrix::Bt601, Range::Limited));
    let scope = cpu::count_vectorscope(&picture, whole(&picture), Chroma::of(&picture).unwrap());
    let codes = [1, 2].map(|component| picture.code(component, 0, 0));
    assert_eq!(scope.count(codes[0], codes[1]), 1031 * 517);
    assert_eq!(scope.counts.iter().filter(|&&count| count > 0).count(), 1);
}

/// A window counts picture after picture in the same memory.
#[test]
fn counting_in_the_memory_of_other_counts_leaves_nothing_of_them() {
    let layout = PixelLayout::planar_ycbcr(10, (1, 1));
    let both = ScopeChoice::EVERY;
    let count = |old, picture: &Picture| {
        let part = (whole(picture), Components::Rgbl);
        cpu::recount_scopes(old, picture, part, Chroma::of(picture), both)
    };
    let places = |counts: &ScopeCounts| {
        let (waveform, vectorscope) = (counts.waveform.as_ref().unwrap(), counts.vectorscope.as_ref().unwrap());
        (waveform.counts.as_ptr(), vectorscope.counts.as_ptr())
    };
    let picture = |size, seed| noise(layout, size, colorimetry(Matrix::Bt709, Range::Limited), 0, seed);
    let first = count(ScopeCounts::default(), &picture((96, 40), 1));
    let held = places(&first);
    let other = picture((96, 40), 2);
    let second = count(first, &other);
    assert!(second == count(ScopeCounts::default(), &other));
    assert_eq!(places(&second), held, "the memory is not that of before");
    let narrow = picture((33, 40), 3);
    assert!(count(second, &narrow) == count(ScopeCounts::default(), &narrow), "of another shape");
}

/// Colour bars are on the targets, whatever matrix is used: the trace agrees with its graticule.
#[test]
fn bars_fall_on_the_targets() {
    for (size, matrix) in [((6, 2), Matrix::Bt601), ((1280, 2), Matrix::Bt709)] {
        for (amplitude, code) in [(0.75, 191.25), (1.0, 255.0)] {
            let bars = targets(matrix, Range::Limited, 8, amplitude);
            let colours = [[1, 0, 0], [1, 0, 1], [0, 0, 1], [0, 1, 1], [0, 1, 0], [1, 1, 0]];
            let layout = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
            let picture = drawn(layout, size, colorimetry(Matrix::Identity, Range::Full), |component, x, _| {
                colours[x as usize * 6 / size.0 as usize][component] * f64::round(code) as u16
            });
            let scope = cpu::count_vectorscope(&picture, whole(&picture), Chroma::of(&picture).unwrap());
            for target in bars {
                // 75 % of 255 is not a whole code, and a pair of rounded codes may be off by one.
                let near = |value: f64| value.round() as u32 - 1..=value.round() as u32 + 1;
                let found: u32 = near(target.codes[0])
                    .flat_map(|cb| near(target.codes[1]).map(move |cr| (cb, cr)))
                    .map(|(cb, cr)| scope.count(cb, cr))
                    .sum();
                let expected = (0..size.0).filter(|x| x * 6 / size.0 == 0).count() as u32 * size.1;
                assert!(found.abs_diff(expected) <= 2 * size.1, "{matrix} {amplitude} {}: {found}", target.name);
            }
        }
    }
}

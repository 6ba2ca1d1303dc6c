//! The GPU's counts against the scalar reference, on the adapter of this machine, even if it is software.

use histoscope_core::histogram::reference;
use histoscope_core::histogram::{Components, vertical_scale};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};

use crate::counter::Counter;
use crate::support::{self, colorimetry, constant, native_layouts, natural, noise};

/// Counts a picture and asserts that every word equals the reference's.
fn assert_equals_reference(counter: &mut Counter, name: &str, picture: &Picture, components: Components) {
    let expected = reference::histogram(picture, components);
    let counted = counter.count(picture, components);
    for channel in 0..4 {
        assert_eq!(counted.bins(channel), expected.bins(channel), "{name}, channel {channel}");
    }
    assert_eq!(counted.words, expected.words, "{name}: out-of-range counts");
    if components == Components::Rgbl {
        for channel in 0..4 {
            assert_eq!(
                counted.stats(channel, None).count,
                u64::from(picture.pixel_count()),
                "{name}: every pixel once"
            );
        }
    }
}

fn matrices(layout: &PixelLayout) -> Vec<Matrix> {
    match layout.model {
        ColorModel::Gray => vec![Matrix::Bt709],
        ColorModel::Rgb => vec![Matrix::Identity],
        ColorModel::YCbCr if layout.chroma_shift == (0, 0) => Matrix::ALL.to_vec(),
        ColorModel::YCbCr => Matrix::ALL.into_iter().filter(|&m| m != Matrix::Identity).collect(),
    }
}

fn guess(layout: &PixelLayout) -> Colorimetry {
    let matrix = matrices(layout)[0];
    colorimetry(matrix, Range::Limited)
}

#[test]
fn every_layout_matrix_and_range_counts_noise_like_the_reference() {
    let mut counter = Counter::get();
    for (name, layout) in native_layouts() {
        for (seed, matrix) in matrices(&layout).into_iter().enumerate() {
            for range in [Range::Limited, Range::Full] {
                let picture = noise(layout, (61, 33), colorimetry(matrix, range), 3, seed as u64);
                assert_equals_reference(&mut counter, &format!("{name} {matrix} {range}"), &picture, Components::Rgbl);
            }
        }
    }
}

#[test]
fn code_values_are_counted_at_their_own_resolution() {
    let mut counter = Counter::get();
    for (name, layout) in native_layouts() {
        for size in [(61, 33), (1, 1), (6, 3)] {
            let picture = noise(layout, size, guess(&layout), 1, 7);
            assert_equals_reference(&mut counter, &name, &picture, Components::YCbCr);
        }
    }
}

#[test]
fn odd_sizes_lose_no_pixel() {
    let mut counter = Counter::get();
    for size in [(1, 1), (2, 2), (3, 5), (17, 1), (1, 257), (641, 359), (5, 1031), (20_000, 3)] {
        for (name, layout) in native_layouts() {
            if matches!(layout.depth, 8 | 10) || size == (3, 5) {
                let picture = noise(layout, size, guess(&layout), 0, 11);
                assert_equals_reference(&mut counter, &format!("{name} {size:?}"), &picture, Components::Rgbl);
            }
        }
    }
}

#[test]
fn large_constant_and_natural_pictures_are_exact() {
    let mut counter = Counter::get();
    let layout = PixelLayout::planar_ycbcr(8, (1, 1));
    let color = colorimetry(Matrix::Bt2020, Range::Limited);
    for picture in [constant(layout, (4096, 2304), color), natural(layout, (1921, 1081), color, 5)] {
        assert_equals_reference(&mut counter, "4:2:0", &picture, Components::Rgbl);
    }
}

/// Reduce and scale share a dispatch unless the passes are timed separately. Both ways must give the same scales.
#[test]
fn scales_are_those_of_the_reference_however_the_passes_are_dispatched() {
    let mut counter = Counter::get();
    for apart in [false, true] {
        for (name, layout) in native_layouts().into_iter().step_by(3) {
            for components in [Components::Rgbl, Components::YCbCr] {
                let picture = noise(layout, (97, 41), guess(&layout), 0, 3);
                let histogram = match apart {
                    false => counter.count(&picture, components),
                    true => counter.count_apart(&picture, components),
                };
                let scales = counter.passes.read_scales(&counter.gpu).unwrap();
                for channel in 0..4 {
                    let at = format!("{name} {components:?} channel {channel}, apart: {apart}");
                    let expected = vertical_scale(histogram.bins(channel));
                    assert!(
                        (scales[channel].height - expected).abs() <= 1e-6 * expected,
                        "{at}: {scales:?} {expected}"
                    );
                    assert_eq!(scales[channel].tallest, *histogram.bins(channel).iter().max().unwrap(), "{at}");
                    assert_eq!(u64::from(scales[channel].samples), histogram.stats(channel, None).count, "{at}");
                }
            }
        }
    }
}

#[test]
fn the_comparison_notices_one_pixel_and_one_code() {
    let mut counter = Counter::get();
    let layout = PixelLayout::planar_gbr(8);
    let color = colorimetry(Matrix::Identity, Range::Full);
    let picture = constant(layout, (64, 64), color);
    let changed = support::drawn(layout, (64, 64), color, |i, x, y| 128 + u16::from((i, x, y) == (1, 63, 63)));
    let counted = counter.count(&changed, Components::Rgbl);
    let expected = reference::histogram(&picture, Components::Rgbl);
    let differing: Vec<_> = (0..counted.words.len()).filter(|&i| counted.words[i] != expected.words[i]).collect();
    let moved = [256 + 128, 256 + 129, 768 + 128, 768 + 129];
    assert_eq!(differing, moved, "green, and luminance with it, moved from bin 128 to 129 and nothing else did");
    let other = picture.with_colorimetry(colorimetry(Matrix::Identity, Range::Limited));
    assert_ne!(counter.count(&other, Components::Rgbl).words, expected.words);
}

//! The scalar reference implementation of the scopes' counts, one sample after another. Tests compare every engine with
//! it.

use super::grid::samples_in;
use super::vectorscope::{Chroma, Vectorscope};
use super::waveform::{Waveform, column_of};
use crate::histogram::Components;
use crate::histogram::reference::unclamped_rgb;
use crate::picture::Picture;
use crate::picture::region::Rect;

/// Counts the waveforms of a rectangle, which must lie in the picture.
#[must_use]
pub fn waveform(picture: &Picture, pixels: Rect, components: Components) -> Waveform {
    let layout = picture.layout();
    let mut waveform = Waveform::empty(layout, pixels, components);
    let surplus = layout.bin_bits() - waveform.level_bits;
    let mut count = |channel: usize, x: u32, samples: Rect, code: u32| {
        let column = column_of(x - samples.x, samples.width, waveform.columns[channel]);
        waveform.column_mut(channel, column)[(code >> surplus) as usize] += 1;
    };
    match components {
        Components::Rgbl => each_of(pixels, |x, y| {
            let codes = clamped_rgb(picture, x, y);
            let codes = [codes[0], codes[1], codes[2], picture.colorimetry().luminance.bin(codes, layout.bin_bits())];
            (0..).zip(codes).for_each(|(channel, code)| count(channel, x, pixels, code));
        }),
        Components::YCbCr => {
            for component in 0..layout.component_count() {
                let samples = samples_in(layout, component, pixels);
                each_of(samples, |x, y| count(component, x, samples, picture.code(component, x, y)));
            }
        }
    }
    waveform
}

/// Counts the vectorscope of a rectangle, which must lie in the picture.
#[must_use]
pub fn vectorscope(picture: &Picture, pixels: Rect, chroma: Chroma) -> Vectorscope {
    let layout = picture.layout();
    let level_bits = chroma.level_bits();
    let mut scope = Vectorscope::empty(level_bits);
    let surplus = chroma.pair_bits() - level_bits;
    let mut count = |[cb, cr]: [u32; 2]| {
        scope.counts[((cb >> surplus << level_bits) | (cr >> surplus)) as usize] += 1;
    };
    let (computation, top) = (chroma.computation(), (1 << layout.bin_bits()) - 1);
    each_of(chroma.samples(layout, pixels), |x, y| match &computation {
        None => count([picture.code(1, x, y), picture.code(2, x, y)]),
        Some(computation) => computation.each_of(unclamped_rgb(picture, x, y), top, &mut count),
    });
    scope
}

fn clamped_rgb(picture: &Picture, x: u32, y: u32) -> [u32; 3] {
    let top = (1 << picture.layout().bin_bits()) - 1;
    unclamped_rgb(picture, x, y).map(|code| code.clamp(0, top) as u32)
}

fn each_of(samples: Rect, mut take: impl FnMut(u32, u32)) {
    for y in samples.y..samples.y + samples.height {
        for x in samples.x..samples.x + samples.width {
            take(x, y);
        }
    }
}

//! Counts the light of pixels, for machines without a GPU.
//!
//! Without the system gamma of HLG, a pixel's value is its largest code. A row then takes two loops, which the compiler
//! vectorizes: one for the chroma terms, one for the values. If luma weighs the same in every channel, only the largest
//! chroma term matters. With the system gamma, every pixel that differs from the one before is measured by the
//! definition.

use std::sync::Arc;

use rayon::prelude::*;

use super::rows::Rows;
use super::simd::{Kernel, Level};
use histoscope_core::histogram::pixel_light::Brightest;
use histoscope_core::histogram::{LightCounts, LightMeter};
use histoscope_core::picture::color::{Conversion, fraction_bits};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Picture, PictureError};

/// Rows that a thread counts at a time.
const BAND_ROWS: usize = 16;

/// Counts the light of a rectangle of a picture whose codes have as many bits as those of the meter.
///
/// # Errors
/// [`PictureError::Empty`] if the rectangle does not lie in the picture.
pub fn count_pixel_light(picture: &Picture, rect: Rect, meter: &Arc<LightMeter>) -> Result<LightCounts, PictureError> {
    if !rect.fits(picture.width(), picture.height()) {
        return Err(PictureError::Empty { width: rect.width, height: rect.height });
    }
    let columns_shift = picture.layout().columns_shift();
    let counting =
        LightCount { rows: Rows::new(picture), conversion: picture.conversion(), columns_shift, rect, meter };
    let level = Level::detect();
    let bands = (0..(rect.height as usize).div_ceil(BAND_ROWS)).into_par_iter();
    let counted = bands.fold(
        || LightScratch::new(&counting),
        |mut scratch, band| {
            let end = ((band + 1) * BAND_ROWS).min(rect.height as usize);
            for row in band * BAND_ROWS..end {
                level.run(LightRow { counting: &counting, scratch: &mut scratch, y: rect.y as usize + row });
            }
            scratch
        },
    );
    Ok(counted.map(LightScratch::into_counts).reduce(|| LightCounts::empty(meter), |sum, part| sum.plus(&part)))
}

/// Data shared by all rows.
struct LightCount<'a> {
    rows: Rows<'a>,
    conversion: Conversion,
    columns_shift: u8,
    rect: Rect,
    meter: &'a Arc<LightMeter>,
}

/// A thread's scratch arrays and its counts.
struct LightScratch {
    codes: [Vec<u16>; 3],
    /// The terms of the second and third component in red, green and blue, one per chroma sample.
    terms: [Vec<i32>; 3],
    values: Vec<u32>,
    /// Pixels in odd columns. Two sets of bins, because a processor waits for its last addition to the same bin.
    odd: Vec<u32>,
    /// All other counts.
    counts: LightCounts,
}

impl LightScratch {
    fn new(counting: &LightCount<'_>) -> Self {
        let codes = counting.rows.room();
        let width = codes[0].len();
        Self {
            codes,
            terms: std::array::from_fn(|_| vec![0; width]),
            values: vec![0; width],
            odd: vec![0; counting.meter.bin_count()],
            counts: LightCounts::empty(counting.meter),
        }
    }

    fn into_counts(self) -> LightCounts {
        let mut counts = self.counts;
        counts.bins.iter_mut().zip(self.odd).for_each(|(sum, count)| *sum += count);
        counts
    }
}

/// One row of the rectangle.
struct LightRow<'a, 'p> {
    counting: &'a LightCount<'p>,
    scratch: &'a mut LightScratch,
    y: usize,
}

impl Kernel for LightRow<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { counting: LightCount { rows, conversion, columns_shift, rect, meter }, scratch, y } = self;
        rows.unpack(y, &mut scratch.codes);
        let columns = rect.x as usize..(rect.x + rect.width) as usize;
        if meter.is_by_code() && !meter.counts_gamut() {
            largest_codes(conversion, *columns_shift, rows.sources.len() == 1, scratch);
        } else {
            let mut last = ([u32::MAX; 3], 0, [false; 2]);
            for x in columns.clone() {
                let rgb = conversion.unclamped(rows.at(&scratch.codes, x).map(|code| code as i32));
                let rgb = rgb.map(|code| code.clamp(0, conversion.max_code()) as u32);
                if rgb != last.0 {
                    let outside = if meter.counts_gamut() { meter.outside(rgb) } else { [false; 2] };
                    last = (rgb, meter.value(rgb), outside);
                }
                scratch.values[x] = last.1;
                for (count, is_outside) in scratch.counts.outside.iter_mut().flatten().zip(last.2) {
                    *count += u32::from(is_outside);
                }
            }
        }
        let values = &scratch.values[columns];
        let (mut sum, mut largest) = (0, 0);
        for &value in values {
            sum += u64::from(value);
            largest = largest.max(value);
        }
        let counts = &mut scratch.counts;
        counts.sum += sum;
        let position = |counts: &LightCounts| match counts.brightest {
            Some(brightest) if brightest.value >= largest => None,
            _ => values.iter().position(|&value| value == largest),
        };
        if let Some(x) = position(counts) {
            counts.brightest = Some(Brightest { value: largest, x: rect.x + x as u32, y: y as u32 });
        }
        let (pairs, rest) = values.as_chunks::<2>();
        for &[even, odd] in pairs {
            counts.bins[meter.bin(even)] += 1;
            scratch.odd[meter.bin(odd)] += 1;
        }
        for &value in rest {
            counts.bins[meter.bin(value)] += 1;
        }
    }
}

/// Writes the largest code of each pixel of an unpacked row.
#[inline(always)]
fn largest_codes(conversion: &Conversion, columns_shift: u8, is_gray: bool, scratch: &mut LightScratch) {
    let LightScratch { codes: [first, second, third], terms, values, .. } = scratch;
    let chroma = if is_gray { first.len() } else { first.len().div_ceil(1 << columns_shift) };
    for (channel, terms) in terms.iter_mut().enumerate() {
        let [_, w1, w2] = conversion.weights[channel];
        let bias = conversion.bias[channel];
        if is_gray {
            terms.fill(bias);
            continue;
        }
        for ((term, &b), &c) in terms[..chroma].iter_mut().zip(&second[..chroma]).zip(&third[..chroma]) {
            *term = w1 * i32::from(b) + w2 * i32::from(c) + bias;
        }
    }
    let weights = conversion.weights.map(|row| row[0]);
    let [red, green, blue] = terms;
    let shared = if is_gray { 0 } else { columns_shift };
    if weights[0] == weights[1] && weights[0] == weights[2] {
        // The largest channel has the largest term.
        for ((red, &green), &blue) in red.iter_mut().zip(&*green).zip(&*blue) {
            *red = (*red).max(green).max(blue);
        }
        let largest = |code: i32, terms: [i32; 3]| weights[0] * code + terms[0];
        return values_of(conversion, shared, (first, [red, red, red]), values, largest);
    }
    let largest = |code: i32, terms: [i32; 3]| {
        (weights[0] * code + terms[0]).max(weights[1] * code + terms[1]).max(weights[2] * code + terms[2])
    };
    values_of(conversion, shared, (first, [red, green, blue]), values, largest);
}

/// Rounds the largest sum of each pixel to a code. 2^`shared` pixels share their terms.
#[inline(always)]
fn values_of(
    conversion: &Conversion,
    shared: u8,
    (first, terms): (&[u16], [&[i32]; 3]),
    values: &mut [u32],
    largest: impl Fn(i32, [i32; 3]) -> i32,
) {
    let (fraction, top) = (fraction_bits(conversion.bits), conversion.max_code());
    let value = |code: u16, terms: [i32; 3]| (largest(i32::from(code), terms) >> fraction).clamp(0, top) as u32;
    let [red, green, blue] = terms;
    let terms = red.iter().zip(green).zip(blue);
    match shared {
        0 => {
            for ((out, &code), ((&r, &g), &b)) in values.iter_mut().zip(first).zip(terms) {
                *out = value(code, [r, g, b]);
            }
        }
        1 => spread::<2>(first, terms, values, value),
        _ => spread::<4>(first, terms, values, value),
    }
}

/// Computes the values of pixels of which `SHARED` have the same terms.
#[inline(always)]
fn spread<'t, const SHARED: usize>(
    first: &[u16],
    terms: impl Iterator<Item = ((&'t i32, &'t i32), &'t i32)>,
    values: &mut [u32],
    value: impl Fn(u16, [i32; 3]) -> u32,
) {
    for ((out, codes), ((&r, &g), &b)) in values.chunks_mut(SHARED).zip(first.chunks(SHARED)).zip(terms) {
        for (out, &code) in out.iter_mut().zip(codes) {
            *out = value(code, [r, g, b]);
        }
    }
}

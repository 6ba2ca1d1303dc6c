//! Counts waveforms on the CPU, in stripes of columns, with exactly the counts of
//! [`reference`](histoscope_core::scopes::reference).
//!
//! A stripe's counts belong to one thread and fit in its second-level cache, whatever the picture's height. No two
//! threads count in the same column.

use std::ops::Range;

use rayon::prelude::*;

use super::convert::{BLOCK, Converter};
use super::simd::{Kernel, Level};
use histoscope_core::histogram::{CHANNELS, Components};
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::layout::ColorModel;
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::picture::unpack::Source;
use histoscope_core::scopes::{Waveform, column_of, samples_in};

/// Columns per stripe at 8-bit levels. Deeper levels have fewer, because a column then takes more memory.
const STRIPE_COLUMNS: u32 = 64;

/// Counts the waveforms of a rectangle, which must lie in the picture.
#[must_use]
pub fn count_waveform(picture: &Picture, pixels: Rect, components: Components) -> Waveform {
    let mut waveform = Waveform::empty(picture.layout(), pixels, components);
    add_waveform(&mut waveform, picture, pixels);
    waveform
}

/// Adds the waveforms of a rectangle to one of the same shape.
pub(super) fn add_waveform(waveform: &mut Waveform, picture: &Picture, pixels: Rect) {
    let layout = picture.layout();
    let source = |component| Source::new(picture, component);
    match waveform.components {
        Components::YCbCr => {
            for component in 0..layout.component_count() {
                let samples = samples_in(layout, component, pixels);
                let levels = [levels_of(waveform.level_bits, layout.bin_bits(), |code| code)];
                fill(waveform, component, samples, &Pass::Mapped { source: source(component), levels: &levels });
            }
        }
        Components::Rgbl if layout.model == ColorModel::Gray => {
            let levels = gray_levels(waveform, &picture.conversion());
            fill(waveform, 0, pixels, &Pass::Mapped { source: source(0), levels: &levels });
        }
        Components::Rgbl => {
            for (part, pixels) in region::by_chroma_lines(picture, pixels).into_iter().flatten() {
                let pass = Pass::Color {
                    sources: std::array::from_fn(|component| Source::new(&part, component)),
                    chroma_shift: part.layout().chroma_shift,
                    conversion: part.conversion(),
                };
                fill(waveform, 0, pixels, &pass);
            }
        }
    }
}

/// The source of a sample's levels.
enum Pass<'a> {
    /// Red, green, blue and luminance, from three components, of which two are subsampled by these powers of two.
    Color { sources: [Source<'a>; 3], chroma_shift: (u8, u8), conversion: Conversion },
    /// The code of one component, mapped by one table per channel.
    Mapped { source: Source<'a>, levels: &'a [Vec<u16>] },
}

/// Returns the level of each code after mapping it by `of`.
fn levels_of(level_bits: u32, bits: u32, of: impl Fn(u32) -> u32) -> Vec<u16> {
    (0..1 << bits).map(|code| (of(code) >> (bits - level_bits)) as u16).collect()
}

/// Returns the levels of red, green, blue and luminance for every code of a gray picture.
fn gray_levels(waveform: &Waveform, conversion: &Conversion) -> [Vec<u16>; CHANNELS] {
    let bits = conversion.bits;
    let rgb =
        |code: u32| conversion.unclamped([code as i32, 0, 0]).map(|code| code.clamp(0, conversion.max_code()) as u32);
    std::array::from_fn(|channel| {
        levels_of(waveform.level_bits, bits, |code| match rgb(code).get(channel) {
            Some(&found) => found,
            None => conversion.luminance_bin(rgb(code)),
        })
    })
}

/// Counts the channels of a pass, starting with channel `first`, in stripes.
fn fill(waveform: &mut Waveform, first: usize, samples: Rect, pass: &Pass<'_>) {
    let channels = if let Pass::Mapped { levels, .. } = pass { levels.len() } else { CHANNELS };
    let (columns, level_bits) = (waveform.columns[first], waveform.level_bits);
    let at_once = STRIPE_COLUMNS >> (level_bits - 8);
    // Each stripe's part of each channel's counts.
    let mut parts: Vec<Vec<&mut [u32]>> = (0..columns).step_by(at_once as usize).map(|_| Vec::new()).collect();
    let (of_channel, stride) = ((columns as usize) << level_bits, (waveform.columns[0] as usize) << level_bits);
    for counts in waveform.counts.chunks_exact_mut(stride.max(1)).skip(first).take(channels) {
        let stripes = counts[..of_channel].chunks_mut((at_once as usize) << level_bits);
        parts.iter_mut().zip(stripes).for_each(|(part, counts)| part.push(counts));
    }
    let level = Level::detect();
    let bits = if let Pass::Color { conversion, .. } = pass { conversion.bits } else { level_bits };
    parts.into_par_iter().enumerate().for_each(|(number, counts)| {
        let begin = number as u32 * at_once;
        let stripe =
            Stripe { samples, columns: begin..(begin + at_once).min(columns), column_count: columns, level_bits };
        match bits {
            8 => level.run(Job::<256> { stripe, pass, counts }),
            10 => level.run(Job::<1024> { stripe, pass, counts }),
            _ => level.run(Job::<4096> { stripe, pass, counts }),
        }
    });
}

/// Some of the columns of a rectangle of samples.
struct Stripe {
    samples: Rect,
    columns: Range<u32>,
    /// Number of columns of the whole rectangle.
    column_count: u32,
    level_bits: u32,
}

impl Stripe {
    /// Returns the samples of a row that fall into the stripe, as columns of the whole picture.
    fn samples_of_row(&self) -> Range<usize> {
        let first_of = |column: u32| {
            let before = (u64::from(column) * u64::from(self.samples.width)).div_ceil(u64::from(self.column_count));
            self.samples.x as usize + before as usize
        };
        first_of(self.columns.start)..first_of(self.columns.end)
    }

    /// Returns the offset at which the counts of each sample's column begin.
    fn offsets(&self, samples: Range<usize>) -> Vec<u32> {
        let column = |x: usize| column_of(x as u32 - self.samples.x, self.samples.width, self.column_count);
        samples.map(|x| (column(x) - self.columns.start) << self.level_bits).collect()
    }

    fn rows(&self) -> Range<usize> {
        self.samples.y as usize..(self.samples.y + self.samples.height) as usize
    }
}

/// The task of counting a stripe.
struct Job<'a, 'p, const BINS: usize> {
    stripe: Stripe,
    pass: &'a Pass<'p>,
    /// The counts to add to: for each channel, column by column, one per level.
    counts: Vec<&'a mut [u32]>,
}

impl<const BINS: usize> Kernel for Job<'_, '_, BINS> {
    #[inline(always)]
    fn run(mut self) {
        match self.pass {
            Pass::Color { sources, chroma_shift, conversion } => {
                count_color::<BINS>(&self.stripe, sources, *chroma_shift, conversion, &mut self.counts);
            }
            Pass::Mapped { source, levels } => count_mapped(&self.stripe, source, levels, &mut self.counts),
        }
    }
}

#[inline(always)]
fn count_color<const BINS: usize>(
    stripe: &Stripe,
    [first, second, third]: &[Source<'_>; 3],
    (columns_shift, rows_shift): (u8, u8),
    conversion: &Conversion,
    counts: &mut [&mut [u32]],
) {
    let samples = stripe.samples_of_row();
    let rows = stripe.rows();
    let places = stripe.offsets(samples.clone());
    let surplus = BINS.trailing_zeros() - stripe.level_bits;
    let mut converter = Converter::new();
    let mut components = [[0_u16; BLOCK]; 3];
    let mut out_of_range = [0; 6];
    // Blocks begin at a chroma sample; samples before the stripe are not counted.
    let mut x = samples.start >> columns_shift << columns_shift;
    while x < samples.end {
        let pixels = (samples.end - x).min(BLOCK);
        let skipped = samples.start.saturating_sub(x);
        let shared = pixels.div_ceil(1 << columns_shift);
        let places = &places[x + skipped - samples.start..][..pixels - skipped];
        let [luma, cb, cr] = components.each_mut().map(|codes| &mut codes[..pixels]);
        for group in rows.start >> rows_shift..((rows.end - 1) >> rows_shift) + 1 {
            second.unpack(x >> columns_shift, group, &mut cb[..shared]);
            third.unpack(x >> columns_shift, group, &mut cr[..shared]);
            converter.set_chroma(conversion, columns_shift, &cb[..shared], &cr[..shared]);
            for y in (group << rows_shift).max(rows.start)..((group + 1) << rows_shift).min(rows.end) {
                first.unpack(x, y, luma);
                let codes = converter.convert::<BINS>(conversion, luma, &mut out_of_range);
                for (counts, codes) in counts.iter_mut().zip(codes) {
                    for (&place, &code) in places.iter().zip(&codes[skipped..]) {
                        counts[place as usize + usize::from(code >> surplus)] += 1;
                    }
                }
            }
        }
        x += pixels;
    }
}

#[inline(always)]
fn count_mapped(stripe: &Stripe, source: &Source<'_>, levels: &[Vec<u16>], counts: &mut [&mut [u32]]) {
    let samples = stripe.samples_of_row();
    let places = stripe.offsets(samples.clone());
    let mut codes = vec![0; samples.len()];
    for y in stripe.rows() {
        source.unpack(samples.start, y, &mut codes);
        for (counts, levels) in counts.iter_mut().zip(levels) {
            for (&place, &code) in places.iter().zip(&codes) {
                counts[place as usize + usize::from(levels[usize::from(code)])] += 1;
            }
        }
    }
}

//! Histograms of codes, before or after an adjustment.

use rayon::prelude::*;

use super::Codes;
use super::recolor::{by_depth, luminance};
use crate::histogram::{Components, Histogram};
use crate::picture::luminance::LuminanceWeights;

/// Number of pixels that a thread processes at a time.
const SHARE: usize = 1 << 14;

impl Codes {
    /// Returns the histograms of the codes. No pixel is out of range, because codes are already clamped.
    #[must_use]
    pub fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::empty(self.bits, Components::Rgbl);
        let channels = self.channel_bins().into_iter().chain([self.luminance_bins()]);
        for (channel, bins) in channels.enumerate() {
            histogram.bins_mut(channel).copy_from_slice(&bins);
        }
        histogram
    }

    /// Returns the bins of red, green and blue.
    pub(super) fn channel_bins(&self) -> [Vec<u32>; 3] {
        let bins = 1 << self.bits;
        let sums = count(&self.rgb, 3 * bins, |counts, pixel| {
            for (channel, code) in pixel.into_iter().enumerate() {
                counts[channel * bins + usize::from(code)] += 1;
            }
        });
        std::array::from_fn(|channel| sums[channel * bins..][..bins].to_vec())
    }

    /// Returns the bins of luminance.
    #[must_use]
    pub fn luminance_bins(&self) -> Vec<u32> {
        by_depth!(self.bits, count_luminance(&self.rgb, self.luminance))
    }
}

/// Counts the bins of red, green, blue and luminance, one pixel after the other.
#[must_use]
pub fn reference(codes: &Codes) -> [Vec<u32>; 4] {
    let mut bins: [Vec<u32>; 4] = std::array::from_fn(|_| vec![0; 1 << codes.bits]);
    for &pixel in &codes.rgb {
        for (bins, code) in bins.iter_mut().zip(pixel) {
            bins[usize::from(code)] += 1;
        }
        bins[3][codes.luminance_bin(pixel) as usize] += 1;
    }
    bins
}

fn count_luminance<const BINS: usize>(rgb: &[[u16; 3]], weights: LuminanceWeights) -> Vec<u32> {
    count(rgb, BINS, |counts, pixel| counts[luminance::<BINS>(weights, pixel) as usize] += 1)
}

/// Calls `add` for every pixel to count it in `bins` bins. Neighbouring pixels, which are often equal, are counted in
/// separate bins, so that an addition does not depend on the previous one.
fn count(rgb: &[[u16; 3]], bins: usize, add: impl Fn(&mut [u32], [u16; 3]) + Sync) -> Vec<u32> {
    let empty = || vec![0_u32; 2 * bins];
    let count = |mut counts: Vec<u32>, pixels: &[[u16; 3]]| {
        let (even, odd) = counts.split_at_mut(bins);
        let (pairs, rest) = pixels.as_chunks::<2>();
        for &[first, second] in pairs {
            add(even, first);
            add(odd, second);
        }
        rest.iter().for_each(|&pixel| add(even, pixel));
        counts
    };
    let sum = |mut sums: Vec<u32>, more: Vec<u32>| {
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        sums
    };
    let mut counts = rgb.par_chunks(SHARE).fold(empty, count).reduce(empty, sum);
    let (even, odd) = counts.split_at_mut(bins);
    even.iter_mut().zip(odd).for_each(|(even, odd)| *even += *odd);
    counts.truncate(bins);
    counts
}

//! The figures that FFmpeg's signalstats filter gives, from the same samples and by the same rounding.
//!
//! What depends on one plane alone is read off its histogram. Only the share of pixels outside the broadcast range
//! depends on luma and chroma together and takes a look at the picture of its own. Samples count at their full depth,
//! also where the other outputs bin by the top 12 bits.

use crate::histogram::Histogram;
use crate::picture::layout::ColorModel;
use crate::picture::{Picture, SourceFormat};

/// The figures of one plane.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneSignal {
    /// Lowest code.
    pub min: u32,
    /// The 10 % level.
    pub low: u32,
    /// Mean code.
    pub average: f64,
    /// The 90 % level.
    pub high: u32,
    /// Highest code.
    pub max: u32,
    /// Bits that are set in at least one code.
    pub bit_depth: u32,
}

/// The figures of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// Y', Cb and Cr.
    pub planes: [PlaneSignal; 3],
    /// Share of pixels of which a component lies outside the broadcast range.
    pub out_of_broadcast: f64,
}

/// What the parts of a picture add up to.
#[derive(Debug, Default)]
pub struct SignalCount {
    planes: [Vec<u64>; 3],
    outside: u64,
    pixels: u64,
}

impl SignalCount {
    /// Adds the parts of a picture. `counted` is their coded histogram, which spares counting them again where its bins
    /// are their codes.
    pub fn add(&mut self, parts: &[Picture], counted: &Histogram) {
        let Some(first) = parts.first() else { return };
        let depth = u32::from(first.layout().depth);
        for component in 0..first.layout().component_count() {
            let plane = &mut self.planes[component];
            plane.resize(1 << depth, 0);
            if depth == counted.bits {
                for (sum, &bin) in plane.iter_mut().zip(counted.bins(component)) {
                    *sum += u64::from(bin);
                }
            } else {
                parts.iter().for_each(|part| count_deep(part, component, plane));
            }
        }
        for part in parts {
            self.outside += outside_broadcast(part);
            self.pixels += u64::from(part.pixel_count());
        }
    }

    /// The figures of all that was added.
    #[must_use]
    pub fn finish(&self) -> Signal {
        Signal {
            planes: self.planes.each_ref().map(|bins| plane_signal(bins)),
            out_of_broadcast: self.outside as f64 / self.pixels.max(1) as f64,
        }
    }
}

/// Whether signalstats reads such pictures as they are, or puts their samples only in another order. It converts others first, to
/// values that are no longer the file's.
///
/// Samples of 8 or 16 bits keep their values when alpha is left out or planes are parted. Those of a depth between become
/// ones of 16 bits then: such a format must be one that the filter reads, and all of these are planes of Y'CbCr alone, "yuv4…".
#[must_use]
pub fn is_native(picture: &Picture, source: &SourceFormat) -> bool {
    let layout = picture.layout();
    let keeps_depth = matches!(layout.depth, 8 | 16) || source.pixel_format.starts_with("yuv4");
    let grid = layout.chroma_shift;
    let known_grid = match layout.depth {
        8 => grid.0 + grid.1 < 3 && grid != (0, 2),
        10 | 12 => grid.0 < 2 && grid.1 < 2,
        _ => matches!(grid, (0, 0) | (1, 0) | (1, 1)),
    };
    let is_coded = layout.model == ColorModel::YCbCr && picture.has_coded_components();
    is_coded && source.converted_to.is_none() && known_grid && keeps_depth
}

fn plane_signal(bins: &[u64]) -> PlaneSignal {
    let count: u64 = bins.iter().sum();
    let sum: u64 = bins.iter().zip(0..).map(|(&bin, code)| bin * code).sum();
    let used = || bins.iter().zip(0_u32..).filter(|(bin, _)| **bin > 0).map(|(_, code)| code);
    // The filter rounds the number of samples as lrint does, and takes the first level that reaches it.
    let level = |percent: f64| {
        let wanted = (count as f64 * percent / 100.0).round_ties_even() as u64;
        let mut up_to = 0;
        let reached = bins.iter().position(|&bin| {
            up_to += bin;
            up_to >= wanted
        });
        reached.unwrap_or(0) as u32
    };
    PlaneSignal {
        min: used().next().unwrap_or(0),
        low: level(10.0),
        average: sum as f64 / count.max(1) as f64,
        high: level(90.0),
        max: used().last().unwrap_or(0),
        bit_depth: used().fold(0, |bits, code| bits | code).count_ones(),
    }
}

/// Counts the samples of a component at its full depth.
fn count_deep(picture: &Picture, component: usize, bins: &mut [u64]) {
    let (width, height) = picture.layout().component_size(component, picture.width(), picture.height());
    let mut row = vec![0; width as usize];
    for y in 0..height {
        read_row(picture, component, y, &mut row);
        for &code in &row {
            bins[usize::from(code)] += 1;
        }
    }
}

/// Reads a row of a component at its full depth.
fn read_row(picture: &Picture, component: usize, y: u32, codes: &mut [u16]) {
    let layout = picture.layout();
    let place = layout.components[component];
    let view = picture.plane(usize::from(place.plane));
    let bytes = &view.bytes[y as usize * view.stride + usize::from(place.offset)..];
    let mask = (((1_u32 << layout.depth) - 1) & 0xffff) as u16;
    match (layout.sample_bytes, place.step) {
        (1, 1) => codes.iter_mut().zip(bytes).for_each(|(code, &byte)| *code = u16::from(byte)),
        (1, step) => {
            for (code, sample) in codes.iter_mut().zip(bytes.chunks(usize::from(step))) {
                *code = u16::from(sample[0] >> place.shift) & mask;
            }
        }
        (_, step) => {
            for (code, sample) in codes.iter_mut().zip(bytes.chunks(usize::from(step))) {
                *code = (u16::from_le_bytes([sample[0], sample[1]]) >> place.shift) & mask;
            }
        }
    }
}

/// Pixels whose luma, or the chroma that covers them, lies outside the broadcast range.
fn outside_broadcast(picture: &Picture) -> u64 {
    let layout = picture.layout();
    if layout.model != ColorModel::YCbCr {
        return 0;
    }
    let scale = layout.depth - 8;
    let [low, top_luma, top_chroma] = [16_u16, 235, 240].map(|code| code << scale);
    let (sx, sy) = layout.chroma_shift;
    let (width, height) = (picture.width() as usize, picture.height());
    let (chroma_width, chroma_height) = layout.component_size(1, picture.width(), height);
    let mut luma = vec![0; width];
    let [mut cb, mut cr, mut bad] = [(); 3].map(|()| vec![0_u16; chroma_width as usize]);
    // One entry a pixel, so that the loop over a row of luma is free of divisions.
    let mut spread = vec![0_u16; width];
    let mut outside = 0;
    for chroma_row in 0..chroma_height {
        read_row(picture, 1, chroma_row, &mut cb);
        read_row(picture, 2, chroma_row, &mut cr);
        for ((bad, &cb), &cr) in bad.iter_mut().zip(&cb).zip(&cr) {
            *bad = u16::from((cb < low) | (cb > top_chroma) | (cr < low) | (cr > top_chroma));
        }
        for (pixels, &bad) in spread.chunks_mut(1 << sx).zip(&bad) {
            pixels.fill(bad);
        }
        for y in chroma_row << sy..((chroma_row + 1) << sy).min(height) {
            read_row(picture, 0, y, &mut luma);
            // A run is short enough for 16-bit sums.
            for (luma, spread) in luma.chunks(1 << 15).zip(spread.chunks(1 << 15)) {
                let bad = |(&luma, &bad): (&u16, &u16)| bad | u16::from((luma < low) | (luma > top_luma));
                outside += u64::from(luma.iter().zip(spread).map(bad).sum::<u16>());
            }
        }
    }
    outside
}

/// A number that is not negative, as C's "%g" prints it.
#[must_use]
pub fn format_g(value: f64) -> String {
    let scientific = format!("{value:.5e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        return trim(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trim(mantissa), exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_c_prints_them() {
        for (value, text) in [
            (0.0, "0"),
            (71.763, "71.763"),
            (57.221_44, "57.2214"),
            (0.520_833_333, "0.520833"),
            (1.0, "1"),
            (100_000.0, "100000"),
            (999_999.6, "1e+06"),
            (1_234_567.0, "1.23457e+06"),
            (0.000_1, "0.0001"),
            (0.000_012_345_678, "1.23457e-05"),
            (2000.95, "2000.95"),
            (0.1 + 0.2, "0.3"),
        ] {
            assert_eq!(format_g(value), text);
        }
    }
}

//! Synthetic pictures, for measuring without a video.

use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use histoscope_core::picture::color::Colorimetry;
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
use histoscope_core::picture::{OwnedPlanes, Picture, PictureError};

/// The number of different pictures.
pub(super) const PICTURES: u64 = 4;

/// The content of the measured pictures. It affects the speed of a histogram: many equal pixels in a row compete for
/// the same bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BenchContent {
    /// Smooth gradients, edges, flat areas and a little sensor noise, as in a photograph.
    #[default]
    Natural,
    /// Random codes. Neighbours hardly ever compete for a bin.
    Noise,
    /// One colour. All pixels compete for the same bin.
    Constant,
    /// Every code equally often, from black at the left to white at the right.
    Ramp,
}

impl BenchContent {
    /// Every kind of content.
    pub const ALL: [Self; 4] = [Self::Natural, Self::Noise, Self::Constant, Self::Ramp];

    /// Returns the name used by the command line and the report.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Natural => "natural",
            Self::Noise => "noise",
            Self::Constant => "constant",
            Self::Ramp => "ramp",
        }
    }

    /// Returns a picture of this content in R'G'B', as large as another one.
    #[must_use]
    pub fn in_place_of(self, picture: &Picture) -> Option<Picture> {
        let layout = super::layouts::parse("gbrp")?;
        self.picture(layout, (picture.width(), picture.height()), 0).ok()
    }

    /// Makes a picture of this content. Pictures with different seeds differ, except constant ones.
    ///
    /// # Errors
    /// [`PictureError`] if a picture cannot have this size or layout.
    pub fn picture(self, layout: PixelLayout, size: (u32, u32), seed: u64) -> Result<Picture, PictureError> {
        layout.validate()?;
        // Fails before making the planes of a picture that is too large to count.
        if u64::from(size.0) * u64::from(size.1) > Picture::MAX_PIXELS {
            return Err(PictureError::TooLarge { width: size.0, height: size.1 });
        }
        let colorimetry = Colorimetry::resolve(&layout, size, None, None, false);
        let plane = |index| {
            let (row_bytes, rows) = layout.plane_size(index, size.0, size.1);
            let mut bytes = vec![0; row_bytes * rows];
            let fill_row = |(y, row): (usize, &mut [u8])| {
                let mut random = Random::of_row(seed, index, y);
                match self {
                    Self::Noise => random.fill(row),
                    Self::Constant => fill_constant(&layout, size.0, index, row),
                    Self::Ramp => fill_ramp(&layout, size.0, index, row),
                    Self::Natural => NaturalRow::new(&layout, size, y, seed).fill(index, row, &mut random),
                }
            };
            if row_bytes > 0 {
                bytes.par_chunks_exact_mut(row_bytes).enumerate().for_each(fill_row);
            }
            (bytes, row_bytes)
        };
        let planes = OwnedPlanes { planes: (0..layout.plane_count()).map(plane).collect() };
        Picture::new(layout, size, colorimetry, Arc::new(planes))
    }
}

impl fmt::Display for BenchContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// SplitMix64: pseudo-random numbers that are the same on every machine. Each row has its own generator, so that rows
/// can be made in parallel.
struct Random(u64);

impl Random {
    fn of_row(seed: u64, plane: usize, y: usize) -> Self {
        let mut random = Self(seed ^ ((plane as u64) << 56) ^ ((y as u64) << 24));
        // The first step makes the sequences of neighbouring seeds unrelated.
        Self(random.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        for eight in bytes.chunks_mut(8) {
            let random = self.next().to_le_bytes();
            eight.copy_from_slice(&random[..eight.len()]);
        }
    }
}

/// Calls `write` for each sample of the row, with its component and its bytes.
fn each_sample(
    layout: &PixelLayout,
    width: u32,
    plane: usize,
    row: &mut [u8],
    mut write: impl FnMut(usize, usize, &mut [u8]),
) {
    for index in 0..layout.component_count() {
        let component = layout.components[index];
        if usize::from(component.plane) != plane {
            continue;
        }
        let (offset, bytes) = (usize::from(component.offset), usize::from(layout.sample_bytes));
        // A packed row may end with a sample that belongs to no pixel.
        let (samples, _) = layout.component_size(index, width, 1);
        for (x, pixel) in row.chunks_exact_mut(component.step.into()).take(samples as usize).enumerate() {
            write(index, x, &mut pixel[offset..offset + bytes]);
        }
    }
}

/// Writes a code of the layout's full depth as a word.
fn store(layout: &PixelLayout, component: usize, code: u16, sample: &mut [u8]) {
    let word = (code << layout.components[component].shift).to_le_bytes();
    sample.copy_from_slice(&word[..sample.len()]);
}

/// Fills a row with mid-gray.
fn fill_constant(layout: &PixelLayout, width: u32, plane: usize, row: &mut [u8]) {
    each_sample(layout, width, plane, row, |component, _, sample| {
        store(layout, component, 1 << (layout.depth - 1), sample)
    });
}

/// Fills a row with every code, without colour.
fn fill_ramp(layout: &PixelLayout, width: u32, plane: usize, row: &mut [u8]) {
    let is_chroma = |component| component > 0 && layout.model == ColorModel::YCbCr;
    each_sample(layout, width, plane, row, |component, x, sample| {
        let at = if is_chroma(component) {
            1 << (layout.depth - 1)
        } else {
            ((x as u64) << layout.depth) / u64::from(width)
        };
        store(layout, component, at as u16, sample);
    });
}

/// One row of a picture that resembles a photograph: sky above, texture below, and a disc with a sharp edge. All codes
/// are legal in limited range.
struct NaturalRow<'a> {
    layout: &'a PixelLayout,
    size: (u32, u32),
    y: usize,
    /// The texture and the disc move a little from frame to frame.
    shift: f32,
}

impl<'a> NaturalRow<'a> {
    fn new(layout: &'a PixelLayout, size: (u32, u32), y: usize, seed: u64) -> Self {
        Self { layout, size, y, shift: (seed % 1000) as f32 * 0.01 }
    }

    fn fill(&self, plane: usize, row: &mut [u8], random: &mut Random) {
        let layout = self.layout;
        let top = ((1_u32 << layout.depth) - 1) as f32;
        let waves: [RowWaves; 3] = std::array::from_fn(|component| RowWaves::new(self, component, plane));
        let (mut bits, mut left) = (0, 0);
        each_sample(layout, self.size.0, plane, row, |component, x, sample| {
            if left == 0 {
                (bits, left) = (random.next(), 8);
            }
            let noise = (bits & 0xff) as f32 / 255.0 - 0.5;
            (bits, left) = (bits >> 8, left - 1);
            let value = waves[component].value(x);
            // Photographs have pale colours, so chroma stays near zero.
            let value = if component > 0 && self.is_ycbcr() { 0.5 + (value - 0.5) * 0.4 } else { value };
            let code = (value + 0.02 * noise).clamp(0.0, 1.0) * top * 0.85 + top * 0.07;
            store(layout, component, (code + 0.5) as u16, sample);
        });
    }

    fn is_ycbcr(&self) -> bool {
        self.layout.model == ColorModel::YCbCr
    }
}

/// The values of a component that are constant along a row. Three sines for each sample of an 8K picture would take
/// longer than the measurements. Instead, a vector is rotated from sample to sample.
struct RowWaves {
    width: f32,
    sky: Option<f32>,
    /// The centre of the disc, and the square of half its width in this row. The square is negative if the row misses
    /// the disc.
    disc: (f32, f32),
    disc_value: f32,
    /// The texture by column: a fast wave with this amplitude, and a slow one. Empty if not needed.
    amplitude: f32,
    fast: Vec<f32>,
    slow: Vec<f32>,
}

impl RowWaves {
    fn new(row: &NaturalRow<'_>, component: usize, plane: usize) -> Self {
        let (width, height) = row.layout.component_size(component, row.size.0, row.size.1);
        let v = row.y as f32 / height as f32;
        let phase = component as f32 * 1.7;
        let reach = 0.02 - (v - 0.5) * (v - 0.5);
        let centre = 0.6 + 0.1 * row.shift.sin();
        let sky = (v < 0.4).then_some(0.75 - 0.3 * v);
        let used = usize::from(row.layout.components[component].plane) == plane && sky.is_none();
        let columns = if used { width } else { 0 };
        Self {
            width: width as f32,
            sky,
            disc: (centre, reach),
            disc_value: 0.9 - 0.2 * phase.fract(),
            amplitude: 0.2 * (23.0 * v).cos(),
            fast: sines(columns, 31.0 / width as f32, phase + row.shift),
            slow: sines(columns, 7.0 / width as f32, 5.0 * v + phase),
        }
    }

    fn value(&self, x: usize) -> f32 {
        let (centre, reach) = self.disc;
        let from_centre = x as f32 / self.width - centre;
        if from_centre * from_centre < reach {
            return self.disc_value;
        }
        match self.sky {
            Some(sky) => sky,
            None => 0.35 + self.amplitude * self.fast[x] + 0.1 * self.slow[x],
        }
    }
}

/// Returns sin(first + i · step) for each i below `count`.
fn sines(count: u32, step: f32, first: f32) -> Vec<f32> {
    let (turn_sin, turn_cos) = step.sin_cos();
    let (mut sin, mut cos) = first.sin_cos();
    let mut sines = Vec::with_capacity(count as usize);
    for _ in 0..count {
        sines.push(sin);
        (sin, cos) = (sin * turn_cos + cos * turn_sin, cos * turn_cos - sin * turn_sin);
    }
    sines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::layouts;

    const SIZE: (u32, u32) = (97, 53);

    fn codes(picture: &Picture, component: usize) -> Vec<u32> {
        let (width, height) = picture.layout().component_size(component, picture.width(), picture.height());
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| picture.code(component, x, y)).collect()
    }

    #[test]
    fn every_layout_gets_every_content() {
        for name in layouts::NAMES {
            let layout = layouts::parse(name).unwrap();
            let middle = 1 << (layout.bin_bits() - 1);
            for component in 0..layout.component_count() {
                let of = |content: BenchContent, seed| codes(&content.picture(layout, SIZE, seed).unwrap(), component);
                assert!(of(BenchContent::Constant, 0).iter().all(|&code| code == middle), "{name} {component}");
                for content in [BenchContent::Natural, BenchContent::Noise] {
                    assert_eq!(of(content, 1), of(content, 1), "{name}: the same on every run");
                    assert_ne!(of(content, 1), of(content, 2), "{name}: another seed, another picture");
                }
            }
        }
    }

    #[test]
    fn natural_pictures_are_legal_in_limited_range_and_smoother_than_noise() {
        for name in ["yuv420p", "p010", "yuyv422", "rgb24", "gbrp12"] {
            let layout = layouts::parse(name).unwrap();
            let unit = 1 << (layout.bin_bits() - 8);
            for component in 0..layout.component_count() {
                let natural = codes(&BenchContent::Natural.picture(layout, SIZE, 3).unwrap(), component);
                assert!(natural.iter().all(|code| (16 * unit..=235 * unit).contains(code)), "{name} {component}");
                let roughness = |codes: &[u32]| codes.windows(2).map(|w| w[0].abs_diff(w[1])).sum::<u32>();
                let noise = codes(&BenchContent::Noise.picture(layout, SIZE, 3).unwrap(), component);
                assert!(roughness(&natural) * 4 < roughness(&noise), "{name} {component}");
            }
        }
    }

    #[test]
    fn impossible_pictures_are_refused() {
        let layout = layouts::parse("yuv420p").unwrap();
        for size in [(0, 4), (4, 0), (1 << 20, 1 << 20)] {
            assert!(BenchContent::Noise.picture(layout, size, 0).is_err(), "{size:?}");
        }
    }
}

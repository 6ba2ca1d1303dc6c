//! The figures of FFmpeg's signalstats filter, computed from the same samples with the same rounding.
//!
//! Saturation is the distance from the middle code, truncated to a whole code. Hue is the angle in whole degrees, from
//! 0 to 359. The filter computes both in single precision, so its rounding decides hues close to a whole degree.
//!
//! Figures of a single plane are computed from its histogram. Figures that depend on several planes or on neighbouring
//! samples need a pass over the picture. Samples are counted at full depth, even if other outputs use bins of the top
//! 12 bits.

use std::f64::consts::PI;

use histoscope_core::histogram::Histogram;
use histoscope_core::picture::Picture;

use super::defects::{Defects, defects, dropouts};
use super::filters::{self, Combing};
use super::planes::{Planes, REPEAT_LINES, SampleReading, distance, read_row};

/// The figures of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// Figures of Y', Cb and Cr.
    pub planes: [PlaneSignal; 3],
    /// Figures of saturation and hue.
    pub chroma: ChromaSignal,
    /// Share of pixels with a component outside the broadcast range.
    pub out_of_broadcast: f64,
    /// The figures that depend on neighbouring samples, if requested.
    pub texture: Option<Texture>,
}

/// The figures to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SignalUse {
    /// No figures.
    #[default]
    None,
    /// Figures that depend on single samples.
    Samples,
    /// Also figures that depend on neighbours, in this picture and the previous one, and those of the other filters in
    /// QCTools' reports. The whole picture must be counted.
    Report,
    /// Figures that depend on neighbours, and the defects of tape and film.
    Defects,
}

/// Computes the figures of successive pictures.
#[derive(Debug, Default)]
pub struct SignalCounter {
    chroma: ChromaCounter,
    last: Option<Planes>,
}

impl SignalCounter {
    /// Forgets the previous picture.
    pub fn restart(&mut self) {
        self.last = None;
    }

    /// Returns the figures of the next picture, given in parts. `counted` is its histogram of coded components; planes
    /// are recounted only if its bins are not the codes that the filter reads.
    pub fn count(
        &mut self,
        parts: &[Picture],
        reading: SampleReading,
        counted: &Histogram,
        wanted: SignalUse,
    ) -> Signal {
        let pixels: u64 = parts.iter().map(|part| u64::from(part.pixel_count())).sum();
        let outside: u64 = parts.iter().map(outside_broadcast).sum();
        let bins = [0, 1, 2].map(|component| {
            if reading.depth == counted.bits && reading.shift == 0 {
                return counted.bins(component).iter().map(|&bin| bin.into()).collect();
            }
            let mut bins = vec![0; 1 << reading.depth];
            parts.iter().for_each(|part| count_deep(part, component, reading, &mut bins));
            bins
        });
        let texture = match (wanted, parts) {
            (SignalUse::Report | SignalUse::Defects, [whole]) => {
                let planes = Planes::of(whole, reading);
                let found = texture(&planes, self.last.as_ref(), &bins, wanted);
                self.last = Some(planes);
                Some(found)
            }
            _ => None,
        };
        Signal {
            planes: bins.each_ref().map(|bins| plane_signal(bins)),
            chroma: self.chroma.count(parts, reading),
            out_of_broadcast: outside as f64 / pixels.max(1) as f64,
            texture,
        }
    }
}

impl Signal {
    /// Returns the filter's tags in its order, without their prefix, and with the values formatted as by the filter.
    #[must_use]
    pub fn tags(&self) -> Vec<(String, String)> {
        let planes = || ['Y', 'U', 'V'].into_iter().zip(&self.planes);
        let mut tags = Vec::with_capacity(31);
        let levels = planes().map(|(letter, plane)| (letter.to_string(), plane));
        for (name, plane) in levels.chain([("SAT".to_owned(), &self.chroma.saturation)]) {
            let PlaneSignal { min, low, average, high, max, .. } = plane;
            tags.push((format!("{name}MIN"), min.to_string()));
            tags.push((format!("{name}LOW"), low.to_string()));
            tags.push((format!("{name}AVG"), format_g(*average)));
            tags.push((format!("{name}HIGH"), high.to_string()));
            tags.push((format!("{name}MAX"), max.to_string()));
        }
        tags.push(("HUEMED".to_owned(), self.chroma.hue_median.to_string()));
        tags.push(("HUEAVG".to_owned(), format_g(self.chroma.hue_average)));
        if let Some(texture) = &self.texture {
            let differences = ["YDIF", "UDIF", "VDIF"].into_iter().zip(texture.differences);
            tags.extend(differences.map(|(name, difference)| (name.to_owned(), format_g(difference))));
        }
        tags.extend(planes().map(|(letter, plane)| (format!("{letter}BITDEPTH"), plane.bit_depth.to_string())));
        if let Some(texture) = &self.texture {
            tags.push(("TOUT".to_owned(), format_g(texture.outliers)));
            tags.push(("VREP".to_owned(), format_g(texture.repeats)));
        }
        tags.push(("BRNG".to_owned(), format_g(self.out_of_broadcast)));
        tags
    }
}

/// Counts the samples of a component at full depth.
fn count_deep(picture: &Picture, component: usize, reading: SampleReading, bins: &mut [u64]) {
    let (width, height) = picture.layout().component_size(component, picture.width(), picture.height());
    let mut row = vec![0; width as usize];
    for y in 0..height {
        reading.row(picture, component, y, &mut row);
        for &code in &row {
            bins[usize::from(code)] += 1;
        }
    }
}

/// Counts the pixels whose luma or chroma is outside the broadcast range. A chroma sample applies to all pixels it
/// covers.
fn outside_broadcast(picture: &Picture) -> u64 {
    let layout = picture.layout();
    let scale = layout.depth - 8;
    let [low, top_luma, top_chroma] = [16_u16, 235, 240].map(|code| code << scale);
    let (sx, sy) = layout.chroma_shift;
    let (width, height) = (picture.width() as usize, picture.height());
    let (chroma_width, chroma_height) = layout.component_size(1, picture.width(), height);
    let mut luma = vec![0; width];
    let [mut cb, mut cr, mut bad] = [(); 3].map(|()| vec![0_u16; chroma_width as usize]);
    // One entry per pixel, so that the loop over a row of luma needs no divisions.
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
            // Chunks are short enough for 16-bit sums.
            for (luma, spread) in luma.chunks(1 << 15).zip(spread.chunks(1 << 15)) {
                let bad = |(&luma, &bad): (&u16, &u16)| bad | u16::from((luma < low) | (luma > top_luma));
                outside += u64::from(luma.iter().zip(spread).map(bad).sum::<u16>());
            }
        }
    }
    outside
}

/// Formats a non-negative number like C's "%g".
fn format_g(value: f64) -> String {
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

/// The figures of one plane, computed from its histogram with the filter's rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneSignal {
    /// Lowest code.
    pub min: u32,
    /// The level at or below which 10 % of the samples lie.
    pub low: u32,
    /// Mean code.
    pub average: f64,
    /// The level at or below which 90 % of the samples lie.
    pub high: u32,
    /// Highest code.
    pub max: u32,
    /// Number of bits that are set in at least one code.
    pub bit_depth: u32,
}

/// Computes the figures of a plane from its bins.
#[must_use]
pub fn plane_signal(bins: &[u64]) -> PlaneSignal {
    let count: u64 = bins.iter().sum();
    let sum: u64 = bins.iter().zip(0..).map(|(&bin, code)| bin * code).sum();
    let used = || bins.iter().zip(0_u32..).filter(|(bin, _)| **bin > 0).map(|(_, code)| code);
    // Like the filter, round the number of samples as lrint does and take the first level that reaches it.
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

/// The figures that depend on neighbours: the difference from the previous picture, pixels that stand out from the
/// lines around them, repeated lines, and those of other filters.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    /// Mean absolute difference of Y', Cb and Cr from the previous picture, in codes; 0 for the first picture.
    pub differences: [f64; 3],
    /// Share of pixels that stand out from the lines above and below.
    pub outliers: f64,
    /// Share of lines that repeat the line four above.
    pub repeats: f64,
    /// What idet compares.
    pub combing: Combing,
    /// The tags of other filters, if requested.
    pub others: Vec<(String, String)>,
    /// The mean difference of the fields, if defects are requested.
    pub between_fields: f64,
    /// The defects, if requested.
    pub defects: Defects,
}

/// Computes the figures of a picture. The previous one is ignored if it has a different size or layout.
#[must_use]
pub fn texture(planes: &Planes, last: Option<&Planes>, bins: &[Vec<u64>; 3], wanted: SignalUse) -> Texture {
    let has_defects = wanted == SignalUse::Defects;
    let luma = &planes.planes[0];
    let rows: Vec<_> = luma.rows().collect();
    let pixels = luma.samples().max(1) as f64;
    let mut texture = Texture {
        differences: [0.0; 3],
        outliers: outliers(&rows) as f64 / pixels,
        repeats: (repeated_lines(&rows) * rows.first().map_or(0, |row| row.len()) as u64) as f64 / pixels,
        combing: Combing::default(),
        others: if wanted == SignalUse::Report { filters::tags(planes, bins) } else { Vec::new() },
        between_fields: if has_defects { filters::between_fields(planes) } else { 0.0 },
        defects: if has_defects { defects(planes) } else { Defects::default() },
    };
    texture.compare(planes, last);
    if has_defects && let Some(last) = last.filter(|last| last.is_like(planes)) {
        texture.defects.dropouts = dropouts(planes, last);
    }
    texture
}

impl Texture {
    /// Compares the picture with the previous one, which is ignored if it has a different size or layout.
    pub fn compare(&mut self, planes: &Planes, last: Option<&Planes>) {
        let last = last.filter(|last| last.is_like(planes));
        self.differences = [0, 1, 2].map(|component| last.map_or(0.0, |last| difference(planes, last, component)));
        self.combing = filters::combing(planes, last);
    }
}

fn difference(planes: &Planes, last: &Planes, component: usize) -> f64 {
    let [now, before] = [planes, last].map(|planes| &planes.planes[component]);
    let sum: u64 = now.rows().zip(before.rows()).map(|(now, before)| distance(now, before)).sum();
    sum as f64 / now.samples() as f64
}

fn repeated_lines(rows: &[&[u16]]) -> u64 {
    let pairs = rows.iter().zip(rows.iter().skip(REPEAT_LINES));
    pairs.map(|(above, row)| u64::from(distance(above, row) < row.len() as u64)).sum()
}

/// Counts the pixels that stand out from the adjacent lines together with both their neighbours in the line. If lines
/// two away exist, the pixels must stand out from those too. The outermost lines and columns are excluded.
fn outliers(rows: &[&[u16]]) -> u64 {
    let Some(width) = rows.first().map(|row| row.len()) else { return 0 };
    let [mut stands_out, mut farther] = [(); 2].map(|()| vec![0_u8; width]);
    let mut count = 0;
    for y in 1..rows.len().saturating_sub(1) {
        mark(&mut stands_out, [rows[y - 1], rows[y], rows[y + 1]]);
        if y >= 2 && y + 2 < rows.len() {
            mark(&mut farther, [rows[y - 2], rows[y], rows[y + 2]]);
            stands_out.iter_mut().zip(&farther).for_each(|(near, far)| *near &= far);
        }
        count += stands_out.windows(3).map(|three| u64::from(three[0] & three[1] & three[2])).sum::<u64>();
    }
    count
}

/// Marks the samples of the middle row that stand out from the other two rows. The filter uses the lowest 8 bits of
/// each sample, whatever the depth.
fn mark(marks: &mut [u8], [above, row, below]: [&[u16]; 3]) {
    for (((out, &above), &row), &below) in marks.iter_mut().zip(above).zip(row).zip(below) {
        let [above, row, below] = [above, row, below].map(|code| i32::from(code as u8));
        let stands_out = ((above - row).abs() + (below - row).abs()) / 2 - (below - above).abs() > 4;
        *out = u8::from(stands_out);
    }
}

/// Degrees in a full turn.
const DEGREES: usize = 360;
/// Maximum depth at which a table holds an entry for every pair of codes. At 12 bits, the table would take 64 MB.
const MAX_TABLE_BITS: u32 = 10;

/// The colour figures of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct ChromaSignal {
    /// Figures of the saturation, in codes. The bit depth is unused.
    pub saturation: PlaneSignal,
    /// The median hue in degrees: the first at or below which more than half of the samples lie.
    pub hue_median: u32,
    /// The mean hue, in degrees.
    pub hue_average: f64,
}

/// Counts saturations and hues, with one lookup table for all frames.
#[derive(Debug, Default)]
pub struct ChromaCounter {
    table: Option<(SampleReading, Vec<u32>)>,
}

impl ChromaCounter {
    /// Returns the figures of a picture, given in parts.
    pub fn count(&mut self, parts: &[Picture], reading: SampleReading) -> ChromaSignal {
        let mut saturations = vec![0_u64; 1 << reading.depth];
        let mut hues = [0_u64; DEGREES];
        let table = self.table(parts, reading);
        for part in parts {
            let (width, height) = part.layout().component_size(1, part.width(), part.height());
            let [mut cb, mut cr] = [(); 2].map(|()| vec![0_u16; width as usize]);
            for y in 0..height {
                reading.row(part, 1, y, &mut cb);
                reading.row(part, 2, y, &mut cr);
                for (&cb, &cr) in cb.iter().zip(&cr) {
                    let pair = match table {
                        Some((table, bits)) => {
                            table[(usize::from(cb >> reading.shift) << bits) | usize::from(cr >> reading.shift)]
                        }
                        None => pack(saturation_and_hue(cb, cr, reading)),
                    };
                    saturations[(pair & 0xffff) as usize] += 1;
                    hues[(pair >> 16) as usize] += 1;
                }
            }
        }
        let count: u64 = hues.iter().sum();
        let sum: u64 = hues.iter().zip(0..).map(|(&hue, degrees)| hue * degrees).sum();
        let mut up_to = 0;
        let median = hues.iter().position(|&hue| {
            up_to += hue;
            up_to > count / 2
        });
        ChromaSignal {
            saturation: plane_signal(&saturations),
            hue_median: median.unwrap_or(0) as u32,
            hue_average: sum as f64 / count.max(1) as f64,
        }
    }

    /// Returns the table for all pairs of codes and the bits per code, or `None` if the depth is too high for a table.
    fn table(&mut self, parts: &[Picture], reading: SampleReading) -> Option<(&[u32], u32)> {
        let bits = parts.first().map(|part| u32::from(part.layout().depth)).filter(|bits| *bits <= MAX_TABLE_BITS)?;
        let kept = self.table.take().filter(|(of, _)| *of == reading);
        let (_, table) = self.table.insert(kept.unwrap_or_else(|| {
            let codes = || (0..1_u16 << bits).map(|code| code << reading.shift);
            let pairs = codes().flat_map(|cb| codes().map(move |cr| (cb, cr)));
            (reading, pairs.map(|(cb, cr)| pack(saturation_and_hue(cb, cr, reading))).collect())
        }));
        Some((table, bits))
    }
}

const fn pack((saturation, hue): (u32, u32)) -> u32 {
    (hue << 16) | saturation
}

/// Returns the saturation and hue of a pair, using the system library's single-precision functions as the filter does.
/// At 8 bits, all libraries agree; at higher depths, a hue close to a whole degree may depend on the library.
fn saturation_and_hue(cb: u16, cr: u16, reading: SampleReading) -> (u32, u32) {
    let [cb, cr] = [cb, cr].map(|code| (i32::from(code) - reading.middle()) as f32);
    let degrees = (180.0 / PI * f64::from(cb.atan2(cr)) + 180.0) as f32;
    (cb.hypot(cr) as u32, degrees.floor() as u32 % DEGREES as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_as_in_c() {
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

#[cfg(test)]
mod chroma_tests {
    use super::*;

    /// Computes saturation and hue with each step rounded correctly.
    fn rounded_well(cb: u16, cr: u16, middle: i32) -> (u32, u32) {
        let [cb, cr] = [cb, cr].map(|code| f64::from(i32::from(code) - middle));
        let degrees = (180.0 / PI * f64::from(cb.atan2(cr) as f32) + 180.0) as f32;
        (cb.hypot(cr) as f32 as u32, degrees.floor() as u32 % DEGREES as u32)
    }

    #[test]
    fn library_rounding_affects_at_most_one_degree_of_deep_hues() {
        for depth in [8, 10] {
            let reading = SampleReading { depth, shift: 0 };
            for cb in 0..1 << depth {
                for cr in 0..1 << depth {
                    let (found, expected) =
                        (saturation_and_hue(cb, cr, reading), rounded_well(cb, cr, reading.middle()));
                    let degrees = u32::from(depth > 8);
                    assert_eq!(found.0, expected.0, "{cb}, {cr} of {depth} bits");
                    assert!(
                        found.1.abs_diff(expected.1) <= degrees,
                        "{cb}, {cr} of {depth} bits: {found:?}, {expected:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn pairs_match_the_filters_results() {
        let reading = SampleReading { depth: 8, shift: 0 };
        for ((cb, cr), expected) in [
            ((128, 128), (0, 180)),
            ((128, 100), (28, 0)),
            ((100, 128), (28, 90)),
            ((127, 129), (1, 135)),
            ((129, 127), (1, 315)),
            ((0, 0), (181, 45)),
        ] {
            assert_eq!(saturation_and_hue(cb, cr, reading), expected, "{cb}, {cr}");
        }
    }
}

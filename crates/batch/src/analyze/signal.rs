//! The figures that FFmpeg's signalstats filter gives, from the same samples and by the same rounding.
//!
//! What depends on one plane alone is read off its histogram. What depends on several, or on neighbours, takes a look at the
//! picture of its own. Samples count at their full depth, also where the other outputs bin by the top 12 bits.

mod chroma;
mod levels;
mod reading;
mod texture;

use chroma::ChromaCounter;
pub use chroma::ChromaSignal;
pub use levels::PlaneSignal;
use levels::plane_signal;
pub use reading::SampleReading;
use reading::read_row;
pub use texture::Texture;
use texture::texture;

use histoscope_core::histogram::Histogram;
use histoscope_core::picture::Picture;

/// The figures of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// Y', Cb and Cr.
    pub planes: [PlaneSignal; 3],
    /// Saturation and hue.
    pub chroma: ChromaSignal,
    /// Share of pixels of which a component lies outside the broadcast range.
    pub out_of_broadcast: f64,
    /// Neighbours, where they are looked at.
    pub texture: Option<Texture>,
}

/// Which of the filter's figures are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SignalUse {
    /// None.
    #[default]
    None,
    /// Those of a picture's samples, each by itself.
    Samples,
    /// Those of a sample's neighbours too, in the picture and in the one before, which must be whole.
    Neighbours,
}

/// Reads the figures off one picture after the other.
#[derive(Debug, Default)]
pub struct SignalCounter {
    chroma: ChromaCounter,
    last: Option<Picture>,
}

impl SignalCounter {
    /// The figures of the next picture, given in parts. `counted` is their coded histogram, which spares counting them again
    /// where its bins are their codes.
    pub fn count(
        &mut self,
        parts: &[Picture],
        reading: SampleReading,
        counted: &Histogram,
        wanted: SignalUse,
    ) -> Signal {
        let pixels: u64 = parts.iter().map(|part| u64::from(part.pixel_count())).sum();
        let outside: u64 = parts.iter().map(outside_broadcast).sum();
        let texture = match (wanted, parts) {
            (SignalUse::Neighbours, [whole]) => {
                let found = texture(whole, self.last.as_ref(), reading);
                self.last = Some(whole.clone());
                Some(found)
            }
            _ => None,
        };
        Signal {
            planes: [0, 1, 2].map(|component| {
                if reading.depth == counted.bits && reading.shift == 0 {
                    let bins: Vec<u64> = counted.bins(component).iter().map(|&bin| bin.into()).collect();
                    return plane_signal(&bins);
                }
                let mut bins = vec![0; 1 << reading.depth];
                parts.iter().for_each(|part| count_deep(part, component, reading, &mut bins));
                plane_signal(&bins)
            }),
            chroma: self.chroma.count(parts, reading),
            out_of_broadcast: outside as f64 / pixels.max(1) as f64,
            texture,
        }
    }
}

impl Signal {
    /// The filter's tags in its order, without what stands before their names, and their values as it writes them.
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

/// Counts the samples of a component at its full depth.
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

/// Pixels whose luma, or the chroma that covers them, lies outside the broadcast range.
fn outside_broadcast(picture: &Picture) -> u64 {
    let layout = picture.layout();
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

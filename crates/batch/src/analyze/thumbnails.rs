//! Thumbnails of frames that may begin a shot or be among the worst.
//!
//! Whether a frame is one of these only becomes known later: from the frames that follow or, with several decoders,
//! from other parts of the file. So a few too many thumbnails are made, never too few; the report keeps those it needs.

use histoscope_core::picture::Frame;
use histoscope_core::strip::{CutGuess, WorstFrame, WorstFrames, fold, shares};
use histoscope_render::cpu::thumbnail::Thumbnail;
use jpeg_encoder::{ColorType, Encoder, EncodingError, SamplingFactor};

use super::counter::FrameCounts;

/// Maximum width and height of a thumbnail in pixels.
const MOST_PIXELS: (u32, u32) = (288, 192);

/// The choice of frames to make thumbnails of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThumbnailUse {
    /// The minimum distance between frames that may be a cut, as a fraction of the scale.
    pub cut_threshold: f64,
}

/// Chooses the frames to make thumbnails of. Frames arrive in order.
pub(super) struct Picker {
    cuts: CutGuess,
    worst: [WorstFrames; 3],
}

impl Picker {
    pub(super) fn new(wanted: ThumbnailUse) -> Self {
        Self { cuts: CutGuess::new(wanted.cut_threshold), worst: Default::default() }
    }

    /// Returns the thumbnail of the next frame, if one is needed.
    ///
    /// # Errors
    /// [`EncodingError`] if it cannot be encoded.
    pub(super) fn picture(
        &mut self,
        number: u64,
        frame: &Frame,
        counts: &FrameCounts,
    ) -> Result<Option<Jpeg>, EncodingError> {
        let Some(histogram) = counts.rgbl.as_ref().or(counts.coded.as_ref()) else { return Ok(None) };
        let mut is_wanted = self.cuts.push(&fold(histogram));
        let shares = shares(histogram, frame.picture.colorimetry().range.value);
        for (worst, share) in self.worst.iter_mut().zip(shares) {
            is_wanted |= worst.push(WorstFrame { frame: number, time_secs: frame.time_secs, share });
        }
        is_wanted.then(|| Jpeg::of(&Thumbnail::of(frame, MOST_PIXELS))).transpose()
    }
}

/// Maximum size of a thumbnail in bytes.
pub const MOST_BYTES: usize = 30_000;

/// JPEG qualities in the order tried; the first one that yields a small enough file is used. At the last one, noise
/// takes half of the maximum size.
const QUALITIES: [u8; 3] = [80, 55, 25];

/// A small picture as JPEG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jpeg {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The JPEG file, at most [`MOST_BYTES`] long.
    pub bytes: Vec<u8>,
}

impl Jpeg {
    /// Encodes a thumbnail at the best quality that fits.
    ///
    /// # Errors
    /// [`EncodingError`] if the thumbnail is wider or higher than 65,535 pixels.
    pub fn of(thumbnail: &Thumbnail) -> Result<Self, EncodingError> {
        let (width, height) = (thumbnail.width, thumbnail.height);
        let sides = (u16::try_from(width).unwrap_or(u16::MAX), u16::try_from(height).unwrap_or(u16::MAX));
        let mut bytes = Vec::new();
        for quality in QUALITIES {
            bytes.clear();
            let mut encoder = Encoder::new(&mut bytes, quality);
            encoder.set_sampling_factor(SamplingFactor::F_2_2);
            encoder.set_optimized_huffman_tables(true);
            encoder.encode(&thumbnail.rgba, sides.0, sides.1, ColorType::Rgba)?;
            if bytes.len() <= MOST_BYTES {
                break;
            }
        }
        Ok(Self { width, height, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, code: impl Fn(u32, u32) -> [u8; 3]) -> Thumbnail {
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let rgba = pixels.flat_map(|(x, y)| code(x, y).into_iter().chain([255])).collect();
        Thumbnail { width, height, rgba }
    }

    #[test]
    fn thumbnails_are_small_whatever_they_show() {
        let noise = |x: u32, y: u32| {
            let mut word = (x ^ (y << 10)).wrapping_mul(2_654_435_761);
            word ^= word >> 15;
            word = word.wrapping_mul(2_246_822_519);
            [word as u8, (word >> 8) as u8, (word >> 16) as u8]
        };
        let calm = Jpeg::of(&picture(288, 162, |x, y| [x as u8, y as u8, 90])).unwrap();
        let noisy = Jpeg::of(&picture(288, 192, noise)).unwrap();
        assert!(calm.bytes.len() < 6_000, "{} bytes", calm.bytes.len());
        assert!((8_000..=MOST_BYTES).contains(&noisy.bytes.len()), "{} bytes", noisy.bytes.len());
        for jpeg in [&calm, &noisy, &Jpeg::of(&picture(1, 1, noise)).unwrap()] {
            assert!(jpeg.bytes.starts_with(&[0xff, 0xd8, 0xff]) && jpeg.bytes.ends_with(&[0xff, 0xd9]));
        }
    }
}

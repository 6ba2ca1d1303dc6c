//! Which frames come with a small picture: those that may begin a shot, and those that may be among the worst.
//!
//! Whether they do is known only when later frames are counted, and, with several decoders, those of other parts. So a few too many are
//! made, and none too few: whoever gathers them keeps what is wanted.

use histoscope_core::picture::Frame;
use histoscope_core::strip::{CutGuess, WorstFrame, WorstFrames, fold, shares};
use histoscope_render::cpu::thumbnail::Thumbnail;
use jpeg_encoder::{ColorType, Encoder, EncodingError, SamplingFactor};

use super::counter::FrameCounts;

/// Width and height that one has at most, in pixels.
const MOST_PIXELS: (u32, u32) = (288, 192);

/// Of which frames small pictures are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThumbnailUse {
    /// The distance from which a change can be a cut, as a part of the scale.
    pub cut_threshold: f64,
}

/// Picks the frames, which come in order.
pub(super) struct Picker {
    cuts: CutGuess,
    worst: [WorstFrames; 3],
}

impl Picker {
    pub(super) fn new(wanted: ThumbnailUse) -> Self {
        Self { cuts: CutGuess::new(wanted.cut_threshold), worst: Default::default() }
    }

    /// The picture of the next frame, where it is wanted.
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

/// The most bytes that one takes.
pub const MOST_BYTES: usize = 30_000;

/// Qualities, best first: the first that is small enough is taken. At the last, noise takes half of what it may.
const QUALITIES: [u8; 3] = [80, 55, 25];

/// A small picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jpeg {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The file, [`MOST_BYTES`] at most.
    pub bytes: Vec<u8>,
}

impl Jpeg {
    /// Encodes it, as well as fits.
    ///
    /// # Errors
    /// [`EncodingError`] if it has more than 65,535 pixels in a row or a column.
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
    fn whatever_it_shows_it_is_small() {
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

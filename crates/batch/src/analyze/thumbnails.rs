//! Thumbnails of frames that may begin a shot or be among the worst.
//!
//! Whether a frame is one of these only becomes known later: from the frames that follow or, with several decoders,
//! from other parts of the file. So a few too many thumbnails are made, never too few; the report keeps those it needs.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use histoscope_core::picture::Frame;
use histoscope_core::strip::{CutGuess, FindingLimits, WorstOfClip, fold, is_black, shares};
use histoscope_render::cpu::thumbnail::Thumbnail;
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use super::counter::FrameCounts;
use super::inspection::Inspected;

/// Maximum width and height of a thumbnail in pixels.
const MAX_PIXELS: (u32, u32) = (288, 192);
/// Thumbnails that may wait for a thread, because each keeps its frame's memory.
const MAX_UNMADE: usize = 4;

/// The choice of frames to make thumbnails of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThumbnailUse {
    /// The minimum distance between frames that may be a cut, as a fraction of the scale.
    pub cut_threshold: f64,
    /// The limits beyond which frames are findings.
    pub limits: FindingLimits,
}

/// Chooses the frames to make thumbnails of. Frames arrive in order.
pub(super) struct Picker {
    cuts: CutGuess,
    limits: FindingLimits,
    worst: WorstOfClip,
    /// The properties of the last frame with which a finding may begin.
    before: [bool; 6],
    /// The last thumbnails, which may not be made yet.
    unmade: VecDeque<Weak<Pending>>,
}

impl Picker {
    pub(super) fn new(wanted: ThumbnailUse) -> Self {
        Self {
            cuts: CutGuess::new(wanted.cut_threshold),
            limits: wanted.limits,
            worst: WorstOfClip::default(),
            before: [false; 6],
            unmade: VecDeque::new(),
        }
    }

    /// Returns the thumbnail of the next frame, if it may be needed.
    pub(super) fn picture(
        &mut self,
        number: u64,
        frame: Frame,
        counts: &FrameCounts,
        inspected: &mut Inspected,
    ) -> Option<PendingJpeg> {
        let histogram = counts.rgbl.as_ref().or(counts.coded.as_ref())?;
        let cells = fold(histogram);
        let may_be_cut = self.cuts.push(&cells);
        let shares = shares(histogram, frame.picture.colorimetry().range.value);
        let may_be_worst = self.worst.push((number, frame.time_secs), shares, &cells);
        // A flash begins where a cut may be. The other findings begin where one of these properties does.
        let now = [
            is_black(&cells, self.limits.black_share),
            shares[1].share >= self.limits.clipped_share,
            inspected.difference.is_some_and(|difference| difference <= self.limits.frozen_difference),
            inspected.outside_r103.is_some_and(|outside| outside > 0.0),
            frame.damaged,
            inspected.active.is_some_and(|active| active.has_straight_bar()),
        ];
        let before = std::mem::replace(&mut self.before, now);
        inspected.begins = may_be_cut || now.iter().zip(before).any(|(now, before)| *now && !before);
        (inspected.begins || may_be_worst).then(|| self.begin(frame))
    }

    /// Begins to make a frame's thumbnail. Counting continues meanwhile if other threads can make it.
    fn begin(&mut self, frame: Frame) -> PendingJpeg {
        let pending = PendingJpeg(Arc::new(Pending { frame: Mutex::new(Some(frame)), jpeg: OnceLock::new() }));
        if rayon::current_num_threads() == 1 {
            pending.make();
            return pending;
        }
        let task = Arc::downgrade(&pending.0);
        self.unmade.push_back(Weak::clone(&task));
        rayon::spawn(move || {
            if let Some(pending) = task.upgrade() {
                PendingJpeg(pending).make();
            }
        });
        while self.unmade.len() > MAX_UNMADE {
            if let Some(oldest) = self.unmade.pop_front().and_then(|oldest| oldest.upgrade()) {
                let _ = PendingJpeg(oldest).get();
            }
        }
        pending
    }
}

/// A thumbnail that another thread may still be making. It is not made if it is dropped before.
#[derive(Debug, Clone)]
pub struct PendingJpeg(Arc<Pending>);

#[derive(Debug)]
struct Pending {
    /// The frame, until a thread makes the thumbnail.
    frame: Mutex<Option<Frame>>,
    jpeg: OnceLock<Jpeg>,
}

impl PendingJpeg {
    /// Makes the thumbnail, unless a thread has begun to.
    fn make(&self) {
        let frame = self.0.frame.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(frame) = frame {
            self.0.jpeg.get_or_init(|| Jpeg::of(&Thumbnail::of(&frame, MAX_PIXELS)));
        }
    }

    /// Returns the thumbnail. Makes it if no thread has begun to, otherwise waits for it, so a task of rayon must not
    /// call this: its thread may be the one that is making the thumbnail.
    #[must_use]
    pub fn get(&self) -> &Jpeg {
        self.make();
        self.0.jpeg.wait()
    }
}

#[cfg(test)]
impl From<Jpeg> for PendingJpeg {
    fn from(jpeg: Jpeg) -> Self {
        Self(Arc::new(Pending { frame: Mutex::new(None), jpeg: OnceLock::from(jpeg) }))
    }
}

/// Maximum size of a thumbnail in bytes.
pub const MAX_BYTES: usize = 30_000;

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
    /// The JPEG file, at most [`MAX_BYTES`] long.
    pub bytes: Vec<u8>,
}

impl Jpeg {
    /// Encodes a thumbnail, of at most 288 × 192 pixels, at the best quality that fits.
    #[must_use]
    pub fn of(thumbnail: &Thumbnail) -> Self {
        let (width, height) = (thumbnail.width, thumbnail.height);
        let mut bytes = Vec::new();
        for quality in QUALITIES {
            bytes.clear();
            let mut encoder = Encoder::new(&mut bytes, quality);
            encoder.set_sampling_factor(SamplingFactor::F_2_2);
            encoder.set_optimized_huffman_tables(true);
            let encoded = encoder.encode(&thumbnail.rgba, width as u16, height as u16, ColorType::Rgba);
            encoded.expect("JPEG has room for these sides, and a vector for all bytes");
            if bytes.len() <= MAX_BYTES {
                break;
            }
        }
        Self { width, height, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::{Components, Histogram};
    use histoscope_core::test_data;

    fn picture(width: u32, height: u32, code: impl Fn(u32, u32) -> [u8; 3]) -> Thumbnail {
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let rgba = pixels.flat_map(|(x, y)| code(x, y).into_iter().chain([255])).collect();
        Thumbnail { width, height, rgba }
    }

    /// A picker that is offered `frames` frames, each of which may be among the worst of its second.
    fn picked(frames: u64) -> (Picker, Vec<PendingJpeg>) {
        let mut picker = Picker::new(ThumbnailUse { cut_threshold: 0.1, limits: FindingLimits::default() });
        let pictures = (0..frames).filter_map(|number| {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            histogram.bins_mut(0)[255] = number as u32 + 1;
            histogram.bins_mut(0)[100] = 100;
            let counts = FrameCounts { rgbl: Some(histogram), ..FrameCounts::default() };
            picker.picture(number, test_data::gray((64, 48), |_, _| number as u8), &counts, &mut Inspected::default())
        });
        let pictures = pictures.collect();
        (picker, pictures)
    }

    #[test]
    fn few_thumbnails_wait_and_each_shows_its_frame() {
        let (picker, pictures) = picked(40);
        assert_eq!(pictures.len(), 40);
        let unmade = pictures.iter().filter(|picture| picture.0.jpeg.get().is_none());
        assert!(picker.unmade.len() <= MAX_UNMADE && unmade.count() <= MAX_UNMADE);
        for (picture, code) in pictures.iter().zip(0..) {
            assert_eq!(*picture.get(), Jpeg::of(&Thumbnail::of(&test_data::gray((64, 48), |_, _| code), MAX_PIXELS)));
            assert!(picture.0.frame.lock().unwrap().is_none(), "its memory is free");
        }
    }

    #[test]
    fn thumbnails_are_small_whatever_they_show() {
        let noise = |x: u32, y: u32| {
            let mut word = (x ^ (y << 10)).wrapping_mul(2_654_435_761);
            word ^= word >> 15;
            word = word.wrapping_mul(2_246_822_519);
            [word as u8, (word >> 8) as u8, (word >> 16) as u8]
        };
        let calm = Jpeg::of(&picture(288, 162, |x, y| [x as u8, y as u8, 90]));
        let noisy = Jpeg::of(&picture(288, 192, noise));
        assert!(calm.bytes.len() < 6_000, "{} bytes", calm.bytes.len());
        assert!((8_000..=MAX_BYTES).contains(&noisy.bytes.len()), "{} bytes", noisy.bytes.len());
        for jpeg in [&calm, &noisy, &Jpeg::of(&picture(1, 1, noise))] {
            assert!(jpeg.bytes.starts_with(&[0xff, 0xd8, 0xff]) && jpeg.bytes.ends_with(&[0xff, 0xd9]));
        }
    }
}

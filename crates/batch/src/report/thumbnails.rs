//! The thumbnails of a page: the first frame of every shot, and the worst frames. Their total size is bounded, whatever
//! the clip's length.

use std::collections::{BTreeMap, VecDeque};

use super::clip::{Clip, ClipBuilder};
use crate::analyze::thumbnails::{Jpeg, PendingJpeg};
use histoscope_core::strip::{CUT_DELAY, Cut, MAX_LISTED};

/// Maximum total size in bytes of the shots' thumbnails, encoded in the page. There are at most 30 thumbnails of worst
/// frames.
pub const MAX_PAGE_BYTES: usize = 16_000_000;

/// Maximum number of thumbnails of findings, besides those of the worst frames.
const MAX_BEGUN: usize = 200;

/// The thumbnails that a page shows, selected while frames arrive.
#[derive(Debug, Default)]
pub struct Thumbnails {
    /// Thumbnails of recent frames, which may turn out to begin a shot.
    recent: VecDeque<(u64, PendingJpeg)>,
    /// Thumbnails by the number of the shot's first frame.
    shots: BTreeMap<u64, PendingJpeg>,
    worst: BTreeMap<u64, PendingJpeg>,
    /// Thumbnails of frames at which a finding may begin.
    begun: BTreeMap<u64, PendingJpeg>,
    /// Number of cuts processed.
    cuts: usize,
    /// Total size in bytes of the shots' thumbnails, encoded in the page.
    taken: usize,
    /// `true` if there was no room for a thumbnail.
    is_full: bool,
}

impl Thumbnails {
    /// Adds the thumbnail, if any, of the frame that was last added to the clip.
    /// `begins` is `true` if a finding may begin with it.
    pub fn add(&mut self, frame: u64, picture: Option<PendingJpeg>, begins: bool, clip: &ClipBuilder) {
        let is_first = clip.frames() == 1;
        if let Some(picture) = picture {
            if clip.has_among_worst(frame) {
                self.worst.insert(frame, picture.clone());
                self.worst.retain(|&frame, _| clip.has_among_worst(frame));
            }
            if begins && self.begun.len() < MAX_BEGUN {
                self.begun.insert(frame, picture.clone());
            }
            self.recent.push_back((frame, picture));
        }
        if is_first {
            self.begin_shot(frame);
        }
        self.follow(clip.cuts());
        // A cut is detected up to this many frames later.
        while self.recent.len() > CUT_DELAY + 1 {
            self.recent.pop_front();
        }
    }

    /// Selects the final thumbnails, once the clip has ended.
    pub fn finish(&mut self, clip: &Clip) {
        self.follow(&clip.cuts);
        self.recent.clear();
        self.worst.retain(|&frame, _| clip.worst.iter().flatten().any(|worst| worst.frame == frame));
    }

    /// Returns the thumbnail of a shot's first frame.
    #[must_use]
    pub fn shot(&self, frame: u64) -> Option<&Jpeg> {
        self.shots.get(&frame).map(PendingJpeg::get)
    }

    /// Returns the number of shots with a thumbnail, if there was no room for all of them.
    #[must_use]
    pub fn shots_if_full(&self) -> Option<usize> {
        self.is_full.then_some(self.shots.len())
    }

    /// Returns the thumbnail of one of the worst frames.
    #[must_use]
    pub fn worst(&self, frame: u64) -> Option<&Jpeg> {
        self.worst.get(&frame).map(PendingJpeg::get)
    }

    /// Returns the thumbnail of the frame at which a finding begins.
    #[must_use]
    pub fn begun(&self, frame: u64) -> Option<&Jpeg> {
        // A frozen stretch begins with the frame that is repeated.
        let begun = self.begun.get(&frame).or_else(|| self.begun.get(&(frame + 1)));
        begun.or_else(|| self.worst.get(&frame)).or_else(|| self.shots.get(&frame)).map(PendingJpeg::get)
    }

    /// Processes the cuts that have been added since the last call.
    fn follow(&mut self, cuts: &[Cut]) {
        for cut in cuts.iter().take(MAX_LISTED).skip(self.cuts) {
            self.cuts += 1;
            self.begin_shot(cut.frame);
        }
    }

    fn begin_shot(&mut self, frame: u64) {
        let Some((_, picture)) = self.recent.iter().find(|(number, _)| *number == frame) else { return };
        // Base64 takes four characters for every three bytes.
        let length = picture.get().bytes.len().div_ceil(3) * 4;
        self.is_full |= self.taken + length > MAX_PAGE_BYTES;
        if !self.is_full {
            self.taken += length;
            self.shots.insert(frame, picture.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::clip::{FramePlace, SoundLevels};
    use super::*;
    use histoscope_core::histogram::{Components, Histogram};
    use histoscope_core::picture::color::Range;

    /// Returns the thumbnails kept for frames whose pictures have this size. All samples of a frame have the code
    /// returned by `code`.
    fn kept(frames: u64, bytes: usize, code: impl Fn(u64) -> usize) -> (Clip, Thumbnails) {
        let (mut clip, mut thumbnails) = (ClipBuilder::new(Components::Rgbl, 0.03), Thumbnails::default());
        for number in 0..frames {
            let mut histogram = Histogram::empty(8, Components::Rgbl);
            (0..4).for_each(|channel| histogram.bins_mut(channel)[code(number)] = 100);
            let time_secs = number as f64 / 25.0;
            clip.add(
                FramePlace {
                    number,
                    time_secs,
                    duration_secs: 0.04,
                    range: Range::Full,
                    timecode: None,
                    difference: None,
                    sound: SoundLevels::default(),
                },
                &histogram,
            );
            let picture = Jpeg { width: 1, height: 1, bytes: vec![number as u8; bytes] };
            thumbnails.add(number, Some(picture.into()), false, &clip);
            assert!(thumbnails.recent.len() <= CUT_DELAY + 1);
            assert!(thumbnails.worst.len() <= 33, "{} pictures of worst frames", thumbnails.worst.len());
        }
        let clip = clip.finish().unwrap();
        thumbnails.finish(&clip);
        (clip, thumbnails)
    }

    #[test]
    fn every_shot_has_a_thumbnail_of_its_first_frame() {
        // The last cut is confirmed only at the end.
        let (clip, thumbnails) =
            kept(43, 10, |number| 50 + 100 * ((number / 20) % 2) as usize + usize::from(number > 40));
        let cuts: Vec<u64> = clip.cuts.iter().map(|cut| cut.frame).collect();
        assert_eq!(cuts, [20, 40]);
        for frame in [0, 20, 40] {
            assert_eq!(thumbnails.shot(frame).map(|picture| picture.bytes[0]), Some(frame as u8));
        }
        assert_eq!((thumbnails.shots.len(), thumbnails.shots_if_full()), (3, None));
    }

    #[test]
    fn only_the_worst_frames_have_thumbnails() {
        // In each second, every frame is worse than the one before; each second is better than the one before.
        let (clip, thumbnails) = kept(25 * 30, 10, |number| if number % 25 > 3 { 255 } else { 100 });
        let worst: Vec<u64> = clip.worst[1].iter().map(|worst| worst.frame).collect();
        assert_eq!(worst.len(), 10);
        assert!(worst.iter().all(|&frame| thumbnails.worst(frame).is_some()), "{worst:?}");
        assert_eq!(thumbnails.worst.len(), 10);
    }

    #[test]
    fn thumbnails_of_shots_stay_within_the_limit() {
        let (clip, thumbnails) = kept(3000, 30_000, |number| 50 + 100 * ((number / 6) % 2) as usize);
        assert!(clip.cuts.len() > 450, "{} cuts", clip.cuts.len());
        assert_eq!((thumbnails.shots_if_full(), thumbnails.taken), (Some(400), MAX_PAGE_BYTES));
        let with: Vec<bool> = clip.cuts.iter().map(|cut| thumbnails.shot(cut.frame).is_some()).collect();
        assert!(with.is_sorted_by(|a, b| a >= b), "the first have them, without a gap");
    }
}

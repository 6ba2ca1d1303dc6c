//! How much time lies between the picture that was adjusted last and the next: what the smoothing of equalization goes by.

use crate::gpu::FrameTag;
use histoscope_core::adjust::Adjustments;
use histoscope_core::picture::Picture;
use histoscope_core::picture::color::Colorimetry;

/// The longest gap, in seconds, after which a picture still follows the one before.
const LONGEST_SECS: f64 = 1.0;

/// A picture that was adjusted, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdjustmentKey {
    /// The frame it is of, where it is one.
    pub tag: Option<FrameTag>,
    /// Number of its loading.
    pub loading: u64,
    /// Where its first plane lies: two videos may have frames of the same number.
    pub planes: usize,
    pub colorimetry: Colorimetry,
    pub adjustments: Adjustments,
}

impl AdjustmentKey {
    pub fn new(tag: Option<FrameTag>, loading: u64, picture: &Picture, adjustments: Adjustments) -> Self {
        let planes = picture.plane(0).bytes.as_ptr() as usize;
        Self { tag, loading, planes, colorimetry: *picture.colorimetry(), adjustments }
    }

    /// Seconds since the picture before: 0 where it is the same picture, so that its curve stays as it is, and `None` where
    /// the picture does not follow the one before. Of a picture that has stood still a new choice takes hold at once.
    pub fn elapsed_secs(&self, before: Option<&Self>) -> Option<f64> {
        let before = before?;
        if self.is_picture_of(before) {
            let is_same =
                (self.adjustments.blur, self.adjustments.tone) == (before.adjustments.blur, before.adjustments.tone);
            return is_same.then_some(0.0);
        }
        let (now, then) = (self.tag?, before.tag?);
        let elapsed = now.time_secs - then.time_secs;
        (now.serial == then.serial && elapsed > 0.0 && elapsed <= LONGEST_SECS).then_some(elapsed)
    }

    fn is_picture_of(&self, other: &Self) -> bool {
        let is_frame = self.tag.is_some() && self.tag == other.tag;
        self.loading == other.loading
            || (is_frame && self.planes == other.planes && self.colorimetry == other.colorimetry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::adjust::{Equalize, Posterize, Reduction, Tone, working_colorimetry};

    fn key(serial: u64, time_secs: f64, loading: u64) -> AdjustmentKey {
        let tag = Some(FrameTag { serial, time_secs, ..FrameTag::default() });
        let tone = Some(Tone::Equalize(Equalize::default()));
        let adjustments = Adjustments { tone, ..Adjustments::default() };
        AdjustmentKey { tag, loading, planes: loading as usize, colorimetry: working_colorimetry(), adjustments }
    }

    #[test]
    fn a_frame_follows_the_one_shortly_before_it() {
        let first = key(1, 5.0, 1);
        assert_eq!(key(1, 5.25, 2).elapsed_secs(Some(&first)), Some(0.25));
        assert_eq!(key(1, 6.0, 2).elapsed_secs(Some(&first)), Some(1.0));
        assert_eq!(key(1, 6.01, 2).elapsed_secs(Some(&first)), None, "a jump");
        assert_eq!(key(1, 4.9, 2).elapsed_secs(Some(&first)), None, "backward");
        assert_eq!(key(2, 5.25, 2).elapsed_secs(Some(&first)), None, "after a seek");
        assert_eq!(key(1, f64::NAN, 2).elapsed_secs(Some(&first)), None);
        assert_eq!(first.elapsed_secs(None), None, "the first");
    }

    #[test]
    fn the_same_picture_again_takes_no_time() {
        let first = key(1, 5.0, 1);
        assert_eq!(first.elapsed_secs(Some(&first)), Some(0.0));
        let again = AdjustmentKey { loading: 2, ..first };
        assert_eq!(again.elapsed_secs(Some(&first)), Some(0.0), "loaded again");
        let other = AdjustmentKey { loading: 2, planes: 99, ..first };
        assert_eq!(other.elapsed_secs(Some(&first)), None, "of another video");
        let unnamed = AdjustmentKey { tag: None, ..key(0, 0.0, 2) };
        assert_eq!(
            unnamed.elapsed_secs(Some(&AdjustmentKey { loading: 3, ..unnamed })),
            None,
            "pictures that are no frames"
        );
    }

    #[test]
    fn a_new_choice_on_the_same_picture_takes_hold_at_once() {
        let first = key(1, 5.0, 1);
        let mut other = first;
        other.adjustments.tone = Some(Tone::Equalize(Equalize { per_channel: true, ..Equalize::default() }));
        assert_eq!(other.elapsed_secs(Some(&first)), None);
        let mut later = first;
        later.adjustments.reduction = Some(Reduction::Posterize(Posterize::default()));
        assert_eq!(later.elapsed_secs(Some(&first)), Some(0.0), "what comes after the curve leaves it alone");
    }
}

//! Frames before a position: those that were decoded on the way to a seek's target, and those fetched for stepping back.

use std::collections::VecDeque;

use super::approach::Manner;
use super::decoder::Decoder;
use super::error::MediaError;
use super::position::{Room, Timed};
use super::target::SeekTarget;
use histoscope_core::picture::Frame;

/// How long before the wanted frames decoding begins at least, in seconds, so that one go gives more than a few of them
/// where keyframes are close to each other.
const BACK_SECS: f64 = 0.4;
/// The most frames fetched where each has to be converted.
const MAX_CONVERTED: usize = 24;

impl Decoder {
    /// The frames that were decoded on the way to the target of the last seek, whose timestamp is `next`, and come right
    /// before it, in presentation order.
    pub(super) fn frames_passed(&mut self, next: i64) -> Vec<Frame> {
        let passed = std::mem::take(&mut self.position.passed);
        self.finish_all(passed.into_frames(), next)
    }

    /// The frame of the target with those right before it, as many as are decoded in one go from a keyframe and fit into
    /// `bytes`, in presentation order. Before the first frame there are none. Afterwards only a seek leads to a certain frame.
    ///
    /// # Errors
    /// As for seeking. A request that waits ends this at once where the target is the frame before another one.
    pub(super) fn frames_back(&mut self, target: SeekTarget, bytes: usize) -> Result<Vec<Frame>, MediaError> {
        let next = if let SeekTarget::Before(next) = target { Some(next) } else { None };
        // So many fit, as far as the last one's size tells; those before them that nothing refers to are not decoded.
        let fitting = self.frame_bytes.and_then(|each| bytes.checked_div(each)).unwrap_or(usize::MAX);
        let most = if self.info.conversion.is_some() { fitting.min(MAX_CONVERTED) } else { fitting };
        let room = Room { frames: most, bytes };
        let manner = Manner { room, back_secs: next.map(|_| BACK_SECS), ..Manner::default() };
        self.position.passed.clear();
        let result = self.seek_target(target, &manner).and_then(|()| self.pull());
        let mut passed = std::mem::take(&mut self.position.passed);
        let Some(last) = result?.filter(|last| next.is_none_or(|next| last.pts < next)) else {
            return Ok(Vec::new());
        };
        let following = next.unwrap_or_else(|| last.pts.saturating_add(self.timeline.frame_ticks()));
        match next {
            Some(_) => passed.push(last, room),
            // This one was asked for by itself.
            None => passed.push_wanted(last),
        }
        Ok(self.finish_all(passed.into_frames(), following))
    }

    /// Makes frames of what was decoded; the next one after them has the timestamp `next`.
    fn finish_all(&mut self, passed: VecDeque<Timed>, next: i64) -> Vec<Frame> {
        let following: Vec<i64> = passed.iter().skip(1).map(|timed| timed.pts).chain([next]).collect();
        let mut frames = Vec::with_capacity(passed.len());
        for (timed, following) in passed.into_iter().zip(following) {
            let ticks = self.stated_ticks(&timed.frame).unwrap_or_else(|| following.saturating_sub(timed.pts));
            // A frame that cannot be read is none of the video's frames: those around it are neighbours.
            frames.extend(self.make_frame(timed, self.info.time_base.times(ticks)));
        }
        frames
    }
}

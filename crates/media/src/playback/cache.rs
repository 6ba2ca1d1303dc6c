//! The frames around the one on screen: those shown recently or decoded on the way to it, and those to be shown next.

use std::collections::VecDeque;

use histoscope_core::picture::Frame;

/// A run of frames in presentation order, with a cursor. Frames behind the cursor have been shown or could have been;
/// those ahead of it are still to be shown. There is no gap between them, except at the front while decoding leaves out
/// frames to catch up.
#[derive(Debug, Default)]
pub(super) struct FrameCache {
    frames: VecDeque<Frame>,
    /// Position of the next frame to show.
    next: usize,
    /// `true` if the frame before the cursor is the one on screen.
    joined: bool,
    /// Number of frames at the front with gaps after them: they are shown in turn, but are not adjacent to any others.
    sparse: usize,
    bytes: usize,
    /// The bytes of the frames before the one at the cursor, kept as a sum: hours of live input are many frames.
    behind: usize,
}

impl FrameCache {
    /// Drops all frames.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the size of all frames' planes in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of frames.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Returns the number of frames ahead of the cursor.
    pub(super) fn ahead(&self) -> usize {
        self.frames.len() - self.next
    }

    /// Returns the frames ahead of the cursor.
    pub(super) fn coming(&self) -> impl DoubleEndedIterator<Item = &Frame> {
        self.frames.range(self.next..)
    }

    /// Returns the oldest frame, if the others follow it without a gap.
    pub(super) fn first(&self) -> Option<&Frame> {
        self.frames.front().filter(|_| self.sparse == 0)
    }

    /// Returns the newest frame.
    pub(super) fn last(&self) -> Option<&Frame> {
        self.frames.back()
    }

    /// Returns `true` if the frame on screen is cached, so that its neighbours are known.
    pub(super) const fn is_joined(&self) -> bool {
        self.joined && self.sparse == 0
    }

    /// Returns `true` if frames may be missing after the one on screen, or between those to be shown next.
    pub(super) const fn is_sparse(&self) -> bool {
        self.sparse > 0
    }

    /// Drops all frames except the one on screen. `sparse` states whether frames may be missing after it.
    pub(super) fn keep_shown(&mut self, sparse: bool) {
        let shown = self.next.checked_sub(1).filter(|_| self.joined).and_then(|at| self.frames.get(at).cloned());
        self.clear();
        if let Some(frame) = shown {
            self.push(frame);
            self.move_to(1);
            (self.joined, self.sparse) = (true, usize::from(sparse));
        }
    }

    /// Returns the bytes of the frames before the one on screen.
    pub(super) const fn bytes_behind(&self) -> usize {
        self.behind
    }

    /// Moves the cursor.
    fn move_to(&mut self, next: usize) {
        let [from, to] = [self.next, next].map(|next| next.saturating_sub(1));
        let passed: usize = self.frames.range(from.min(to)..from.max(to)).map(Frame::plane_bytes).sum();
        self.behind = if from < to { self.behind + passed } else { self.behind - passed };
        self.next = next;
    }

    /// Adds the frame that follows the newest.
    pub(super) fn push(&mut self, frame: Frame) {
        self.bytes += frame.plane_bytes();
        self.frames.push_back(frame);
    }

    /// Adds a later frame that is adjacent neither to the newest one nor to the next one to be added.
    pub(super) fn push_sparse(&mut self, frame: Frame) {
        self.push(frame);
        self.note_gap();
    }

    /// Records that frames may be missing after the newest.
    pub(super) fn note_gap(&mut self) {
        self.sparse = self.frames.len();
    }

    /// Adds the frames right before the oldest, in presentation order.
    pub(super) fn prepend(&mut self, earlier: Vec<Frame>) {
        let next = self.next + earlier.len();
        for frame in earlier.into_iter().rev() {
            self.bytes += frame.plane_bytes();
            if self.next > 0 {
                self.next += 1;
                self.behind += frame.plane_bytes();
            }
            self.frames.push_front(frame);
        }
        self.move_to(next);
    }

    /// Replaces all frames by these, the last of which is still to be shown.
    pub(super) fn fill(&mut self, frames: Vec<Frame>) {
        self.clear();
        frames.into_iter().for_each(|frame| self.push(frame));
        self.move_to(self.frames.len().saturating_sub(1));
    }

    /// Moves the cursor forward by `count` frames and returns the last of them, which is shown.
    pub(super) fn advance(&mut self, count: usize) -> Option<Frame> {
        let shown = self.next + count.checked_sub(1)?;
        self.show(shown)
    }

    /// Moves the cursor back by one frame and returns the frame to show; `None` if it is not cached.
    pub(super) fn back(&mut self) -> Option<Frame> {
        if !self.is_joined() {
            return None;
        }
        self.show(self.next.checked_sub(2)?)
    }

    /// Moves the cursor so that the frame at that position is shown. Returns the frame.
    pub(super) fn show(&mut self, position: usize) -> Option<Frame> {
        let frame = self.frames.get(position)?.clone();
        self.move_to(position + 1);
        self.joined = true;
        // Frames before a gap are of no more use.
        for _ in 0..self.sparse.min(position) {
            self.pop_front();
        }
        Some(frame)
    }

    /// Returns the position of the frame on screen, if it is cached.
    pub(super) fn shown(&self) -> Option<usize> {
        if self.is_joined() { self.next.checked_sub(1) } else { None }
    }

    /// Returns the position of the frame whose presentation interval contains the time, if these frames determine it.
    /// The newest frame's interval ends where the next frame's starts, so it is certain only if there is no next frame.
    pub(super) fn position_at(&self, secs: f64, last_is_end: bool) -> Option<usize> {
        let after = self.frames.partition_point(|frame| begins_by(frame, secs));
        let position = after.checked_sub(1)?;
        let is_certain = after < self.frames.len()
            || last_is_end
            || self.frames.get(position).is_some_and(|frame| !begins_by(frame, secs - tick_secs(frame)));
        is_certain.then_some(position)
    }

    /// Returns the frame at a position.
    pub(super) fn frame_at(&self, position: usize) -> Option<&Frame> {
        self.frames.get(position)
    }

    /// Returns the timestamp of the frame at a position.
    pub(super) fn ticks_at(&self, position: usize) -> Option<i64> {
        self.frames.get(position).map(|frame| frame.pts_ticks)
    }

    /// Returns the position of the frame with that number.
    pub(super) fn position_of(&self, index: u64) -> Option<usize> {
        self.frames.iter().position(|frame| frame.index == Some(index))
    }

    /// Returns the position of the frame with that timestamp.
    pub(super) fn position_of_ticks(&self, ticks: i64) -> Option<usize> {
        self.frames.iter().position(|frame| frame.pts_ticks == ticks)
    }

    /// Drops the oldest frames until those behind the cursor take no more than `limit` bytes. The frame on screen
    /// stays.
    pub(super) fn trim_behind(&mut self, limit: usize) {
        while self.behind > limit && self.next > 1 {
            self.pop_front();
        }
    }

    /// Drops the oldest frame, which is behind the cursor.
    fn pop_front(&mut self) {
        let Some(frame) = self.frames.pop_front() else { return };
        if self.next > 1 {
            self.behind -= frame.plane_bytes();
        }
        self.next = self.next.saturating_sub(1);
        self.sparse = self.sparse.saturating_sub(1);
        self.bytes -= frame.plane_bytes();
    }

    /// Drops the newest frames ahead of the cursor until all frames take no more than `limit` bytes. Returns whether
    /// any was dropped.
    pub(super) fn trim_ahead(&mut self, limit: usize) -> bool {
        let count = self.frames.len();
        while self.bytes > limit && self.ahead() > 0 {
            self.pop_newest();
        }
        self.frames.len() < count
    }

    /// Drops the newest frame, which is ahead of the cursor.
    pub(super) fn pop_newest(&mut self) {
        if let Some(frame) = self.frames.pop_back() {
            self.bytes -= frame.plane_bytes();
            self.sparse = self.sparse.min(self.frames.len());
        }
    }
}

fn tick_secs(frame: &Frame) -> f64 {
    frame.time_base.value()
}

/// Returns `true` if the frame's interval starts at or before the time. Like the decoder, allows a tolerance of a
/// thousandth of a tick, so that a frame's own time leads to it.
fn begins_by(frame: &Frame, secs: f64) -> bool {
    frame.time_secs <= secs + 1e-3 * tick_secs(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::test_data;

    /// Returns a frame whose plane has this many bytes.
    fn frame(bytes: u32) -> Frame {
        test_data::gray((bytes, 1), |_, _| 0)
    }

    #[test]
    fn the_bytes_behind_the_cursor_are_those_of_its_frames() {
        let (mut cache, mut word) = (FrameCache::default(), 1_u64);
        for step in 0..20_000_u32 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let chance = (word >> 33) as usize;
            let size = step % 90 + 1;
            match chance % 10 {
                0..4 => cache.push(frame(size)),
                4 => cache.prepend(vec![frame(size), frame(size + 7)]),
                5 => drop(cache.show(chance / 10 % cache.len().max(1))),
                6 => drop(cache.advance(1)),
                7 => drop(cache.back()),
                8 => cache.trim_behind(chance / 10 % 3000),
                _ if chance.is_multiple_of(30) => cache.keep_shown(chance.is_multiple_of(60)),
                _ if chance.is_multiple_of(70) => cache.fill(vec![frame(size), frame(size + 1), frame(3)]),
                _ => drop(cache.trim_ahead(5000)),
            }
            let behind: usize = cache.frames.range(..cache.next.saturating_sub(1)).map(Frame::plane_bytes).sum();
            let all: usize = cache.frames.iter().map(Frame::plane_bytes).sum();
            assert_eq!((cache.bytes_behind(), cache.bytes()), (behind, all), "step {step}");
        }
    }
}

//! The frames around the one on screen: those shown lately or decoded on the way to it, and those that come next.

use std::collections::VecDeque;

use histoscope_core::picture::Frame;

/// A run of frames in presentation order, with a cursor. Frames behind the cursor have been shown or could have been; those
/// ahead of it are yet to come. There is no gap between them, except at the front while decoding leaves frames out to
/// catch up.
#[derive(Debug, Default)]
pub(super) struct FrameCache {
    frames: VecDeque<Frame>,
    /// Position of the next frame to show.
    next: usize,
    /// True if the frame before the cursor is the one on screen.
    joined: bool,
    /// So many frames at the front have a gap behind them: they are shown in their turn, and are nobody's neighbours.
    sparse: usize,
    bytes: usize,
}

impl FrameCache {
    /// Forgets all frames.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Bytes of all frames' planes.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Number of frames.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Number of frames ahead of the cursor.
    pub(super) fn ahead(&self) -> usize {
        self.frames.len() - self.next
    }

    /// The frames ahead of the cursor.
    pub(super) fn coming(&self) -> impl DoubleEndedIterator<Item = &Frame> {
        self.frames.range(self.next..)
    }

    /// The oldest frame that the others follow without a gap.
    pub(super) fn first(&self) -> Option<&Frame> {
        self.frames.front().filter(|_| self.sparse == 0)
    }

    /// The newest frame.
    pub(super) fn last(&self) -> Option<&Frame> {
        self.frames.back()
    }

    /// Returns whether the frame on screen is one of these, so that its neighbours are known.
    pub(super) const fn is_joined(&self) -> bool {
        self.joined && self.sparse == 0
    }

    /// Returns whether frames may be missing after the one on screen, or between those that come next.
    pub(super) const fn is_sparse(&self) -> bool {
        self.sparse > 0
    }

    /// Forgets all frames but the one on screen, after which some may be missing from now on, or not.
    pub(super) fn keep_shown(&mut self, sparse: bool) {
        let shown = self.next.checked_sub(1).filter(|_| self.joined).and_then(|at| self.frames.get(at).cloned());
        self.clear();
        if let Some(frame) = shown {
            self.push(frame);
            (self.next, self.joined, self.sparse) = (1, true, usize::from(sparse));
        }
    }

    /// Bytes of the frames before the one on screen.
    pub(super) fn bytes_behind(&self) -> usize {
        self.frames.range(..self.next.saturating_sub(1)).map(Frame::plane_bytes).sum()
    }

    /// Adds the frame that follows the newest.
    pub(super) fn push(&mut self, frame: Frame) {
        self.bytes += frame.plane_bytes();
        self.frames.push_back(frame);
    }

    /// Adds a frame that comes after the newest, though not next to it, nor the one after it next to this one.
    pub(super) fn push_sparse(&mut self, frame: Frame) {
        self.push(frame);
        self.note_gap();
    }

    /// Notes that frames may be missing after the newest.
    pub(super) fn note_gap(&mut self) {
        self.sparse = self.frames.len();
    }

    /// Adds the frames that come right before the oldest, in presentation order.
    pub(super) fn prepend(&mut self, earlier: Vec<Frame>) {
        self.next += earlier.len();
        for frame in earlier.into_iter().rev() {
            self.bytes += frame.plane_bytes();
            self.frames.push_front(frame);
        }
    }

    /// Holds these frames and no others; the last of them is yet to be shown.
    pub(super) fn fill(&mut self, frames: Vec<Frame>) {
        self.clear();
        frames.into_iter().for_each(|frame| self.push(frame));
        self.next = self.frames.len().saturating_sub(1);
    }

    /// Moves the cursor over `count` frames and gives the last of them, which is shown.
    pub(super) fn advance(&mut self, count: usize) -> Option<Frame> {
        let shown = self.next + count.checked_sub(1)?;
        self.show(shown)
    }

    /// Moves the cursor back by one frame and gives the one that is then shown; `None` if it is not here.
    pub(super) fn back(&mut self) -> Option<Frame> {
        if !self.is_joined() {
            return None;
        }
        self.show(self.next.checked_sub(2)?)
    }

    /// Moves the cursor so that the frame at that position is shown.
    pub(super) fn show(&mut self, position: usize) -> Option<Frame> {
        let frame = self.frames.get(position)?.clone();
        self.next = position + 1;
        self.joined = true;
        // What lies before a gap is of no more use.
        for _ in 0..self.sparse.min(position) {
            self.pop_front();
        }
        Some(frame)
    }

    /// Position of the frame on screen.
    pub(super) fn shown(&self) -> Option<usize> {
        if self.is_joined() { self.next.checked_sub(1) } else { None }
    }

    /// Position of the frame whose presentation interval contains the time, if these frames tell. The newest frame's
    /// interval ends where the next one begins, so it is only certain where there is no next one.
    pub(super) fn position_at(&self, secs: f64, last_is_end: bool) -> Option<usize> {
        let after = self.frames.partition_point(|frame| begins_by(frame, secs));
        let position = after.checked_sub(1)?;
        let is_certain = after < self.frames.len()
            || last_is_end
            || self.frames.get(position).is_some_and(|frame| !begins_by(frame, secs - tick_secs(frame)));
        is_certain.then_some(position)
    }

    /// The frame at a position.
    pub(super) fn frame_at(&self, position: usize) -> Option<&Frame> {
        self.frames.get(position)
    }

    /// Timestamp of the frame at a position.
    pub(super) fn ticks_at(&self, position: usize) -> Option<i64> {
        self.frames.get(position).map(|frame| frame.pts_ticks)
    }

    /// Position of the frame of that index.
    pub(super) fn position_of(&self, index: u64) -> Option<usize> {
        self.frames.iter().position(|frame| frame.index == Some(index))
    }

    /// Position of the frame with that timestamp.
    pub(super) fn position_of_ticks(&self, ticks: i64) -> Option<usize> {
        self.frames.iter().position(|frame| frame.pts_ticks == ticks)
    }

    /// Frees the oldest frames until those behind the cursor take no more than `limit` bytes; the one on screen stays.
    pub(super) fn trim_behind(&mut self, limit: usize) {
        let mut behind = self.bytes_behind();
        while behind > limit && self.next > 1 {
            behind -= self.pop_front();
        }
    }

    /// Frees the oldest frame, which is behind the cursor; its bytes.
    fn pop_front(&mut self) -> usize {
        let Some(frame) = self.frames.pop_front() else { return 0 };
        self.next = self.next.saturating_sub(1);
        self.sparse = self.sparse.saturating_sub(1);
        self.bytes -= frame.plane_bytes();
        frame.plane_bytes()
    }

    /// Frees the newest frames ahead of the cursor until all take no more than `limit` bytes; says whether any was freed.
    pub(super) fn trim_ahead(&mut self, limit: usize) -> bool {
        let count = self.frames.len();
        while self.bytes > limit && self.ahead() > 0 {
            self.pop_newest();
        }
        self.frames.len() < count
    }

    /// Frees the newest frame, which is ahead of the cursor.
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

/// Returns whether the frame's interval begins at or before the time, with the grace of a thousandth of a tick that the decoder
/// gives, so that a frame's own time leads to it.
fn begins_by(frame: &Frame, secs: f64) -> bool {
    frame.time_secs <= secs + 1e-3 * tick_secs(frame)
}

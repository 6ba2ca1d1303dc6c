//! Where a seek leads, and what it may keep.

/// A seek, from the key to the demuxer: its precision, where it leads, and what it may keep. Times are seconds from the first
/// frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seek {
    /// The frame itself, and then those after it.
    Exact(SeekTarget),
    /// The frame itself with those right before it that fit into the budget, all together, and none after it; see
    /// [`DecodeEvent::Earlier`](super::DecodeEvent::Earlier).
    Back {
        /// The frame.
        target: SeekTarget,
        /// Bytes of planes that they may take.
        budget: usize,
    },
    /// A keyframe at or before the time, and then the frames after it.
    Keyframe(f64),
    /// A single frame as close before the time as can be had in an instant, and none after it. Frames between it and the
    /// time may be missing where a seek goes on from it.
    Near(f64),
    /// On towards the frame at the time, which is ahead: from the last keyframe on the way, if there is one, and without
    /// frames before it that no other refers to. From that frame on every one.
    Towards(f64),
}

/// The frame that a seek leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeekTarget {
    /// The one whose presentation interval contains this time, in seconds from the first frame; the first or the last one
    /// beyond the ends.
    Time(f64),
    /// The one of this position in presentation order, counted from zero; the last one beyond the end.
    Number(u64),
    /// The last one whose timestamp is not above this one, in ticks of the stream's time base.
    Timestamp(i64),
    /// The last one before the one with this timestamp, in ticks.
    Before(i64),
    /// The last one.
    End,
}

impl Seek {
    /// To the first frame.
    pub const START: Self = Self::Exact(SeekTarget::Time(0.0));

    /// To the frame at a time, in seconds from the first frame.
    #[must_use]
    pub const fn to(secs: f64) -> Self {
        Self::Exact(SeekTarget::Time(secs))
    }
}

//! The target of a seek, and its precision.

/// A seek, from the key press to the demuxer: its precision, its target, and what it may keep. Times are seconds from
/// the first frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seek {
    /// The frame itself, followed by those after it.
    Exact(SeekTarget),
    /// The frame itself and those right before it that fit into the budget, delivered together, and none after it; see
    /// [`DecodeEvent::Earlier`](crate::DecodeEvent::Earlier).
    Back {
        /// The frame.
        target: SeekTarget,
        /// Maximum size of their planes, in bytes.
        budget: usize,
    },
    /// A keyframe at or before the time, followed by the frames after it.
    Keyframe(f64),
    /// A single frame as close before the time as can be decoded quickly, and none after it. If a seek continues from
    /// it, frames between it and the time may be missing.
    Near(f64),
    /// Skips ahead towards the frame at the time: from the last keyframe on the way, if there is one, and without
    /// earlier frames that no other refers to. From that frame on, every frame is delivered.
    Towards(f64),
}

/// The frame that a seek leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeekTarget {
    /// The frame whose presentation interval contains this time, in seconds from the first frame; the first or last
    /// frame if the time is beyond the ends.
    Time(f64),
    /// The frame at this position in presentation order, counting from zero; the last frame if the position is beyond
    /// the end.
    Number(u64),
    /// The last frame whose timestamp is not above this one, in ticks of the stream's time base.
    Timestamp(i64),
    /// The last frame before the one with this timestamp, in ticks.
    Before(i64),
    /// The last frame.
    End,
}

impl Seek {
    /// A seek to the first frame.
    pub const START: Self = Self::Exact(SeekTarget::Time(0.0));

    /// Creates a seek to the frame at a time, in seconds from the first frame.
    #[must_use]
    pub const fn to(secs: f64) -> Self {
        Self::Exact(SeekTarget::Time(secs))
    }
}

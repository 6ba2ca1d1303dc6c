//! What goes into the player and what comes out of it.

use std::time::Instant;

use crate::picture::Frame;

/// What a player is told about the video, and how it starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlayerOptions {
    /// Length of the video in seconds, where it is known.
    pub duration_secs: Option<f64>,
    /// Whether to open paused.
    pub paused: bool,
    /// Whether to start again at the end.
    pub looped: bool,
    /// Bytes of frames that may be kept around the one on screen.
    pub cache_bytes: usize,
    /// Frames a second, where they are known to be evenly spaced.
    pub frame_rate: Option<f64>,
    /// Whether the video can be positioned; otherwise it is only played forwards.
    pub seekable: bool,
}

impl Default for PlayerOptions {
    fn default() -> Self {
        Self {
            duration_secs: None,
            paused: false,
            looped: false,
            cache_bytes: 512 << 20,
            frame_rate: None,
            seekable: true,
        }
    }
}

/// Where a seek leads. Times are seconds from the start, timestamps ticks of the stream's time base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// The frame that is on screen at this time.
    Exact(f64),
    /// A frame near this time that is quick to reach, the one of a keyframe at or before it.
    Keyframe(f64),
    /// A single frame as close before this time as can be had in an instant, and none after it.
    Near(f64),
    /// The frame that is on screen at this time, with those right before it, to be kept, and none after it.
    Back {
        /// The time.
        secs: f64,
        /// Bytes of planes that they may take.
        bytes: usize,
    },
    /// The frame of this position in presentation order, counted from zero.
    Frame {
        /// The position.
        index: u64,
        /// Its time as far as that can be told.
        secs: f64,
    },
    /// The last frame.
    Last {
        /// Its time as far as that can be told.
        secs: f64,
    },
    /// The frame before a frame.
    Before {
        /// That frame's timestamp.
        ticks: i64,
        /// Its time.
        secs: f64,
    },
    /// The frames that come right before a frame, to be kept, and none after it.
    Earlier {
        /// That frame's timestamp.
        ticks: i64,
        /// Bytes of planes that they may take.
        bytes: usize,
    },
    /// The frames up to this time as fast as they can be had, some left out, and from then on every frame.
    Towards(f64),
    /// The frames from a frame on, without showing any out of turn.
    Onward {
        /// That frame's timestamp.
        ticks: i64,
    },
}

impl Target {
    /// The time that the target names, in seconds, if it is one that is shown.
    pub(super) const fn secs(self) -> Option<f64> {
        match self {
            Self::Exact(secs)
            | Self::Keyframe(secs)
            | Self::Near(secs)
            | Self::Back { secs, .. }
            | Self::Frame { secs, .. }
            | Self::Last { secs }
            | Self::Before { secs, .. } => Some(secs),
            Self::Earlier { .. } | Self::Towards(_) | Self::Onward { .. } => None,
        }
    }
}

/// A seek for the decoder to carry out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeekRequest {
    /// The serial that its frames shall carry.
    pub serial: u64,
    /// Where it leads.
    pub target: Target,
}

/// What to do now.
#[derive(Debug, Default)]
pub struct Tick {
    /// A new frame to show.
    pub show: Option<Frame>,
    /// When to ask again, if nothing happens before.
    pub wake_at: Option<Instant>,
    /// A seek to hand to the decoder.
    pub seek: Option<SeekRequest>,
}

/// What happened to the frames so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Frames shown.
    pub shown: u64,
    /// Frames that were due while playing and that a later one replaced before they could be shown.
    pub dropped: u64,
    /// Frames shown that the decoder reported as damaged.
    pub damaged: u64,
}

/// The ends of the part that is played again and again, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Marks {
    /// Time of the part's first frame.
    pub a: Option<f64>,
    /// Time of the part's last frame, which belongs to it.
    pub b: Option<f64>,
}

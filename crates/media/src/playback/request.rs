//! The player's input and output.

use std::time::Instant;

use crate::Seek;
use crate::SeekTarget;
use histoscope_core::picture::{Frame, Timecode};

/// Facts about the video, and how the player starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlayerOptions {
    /// Duration of the video in seconds, if known.
    pub duration_secs: Option<f64>,
    /// `true` to start paused.
    pub paused: bool,
    /// `true` to start again at the end.
    pub looped: bool,
    /// Budget for the frames cached around the one on screen, in bytes.
    pub cache_bytes: usize,
    /// Frame rate in frames per second, if the frames are known to be evenly spaced.
    pub frame_rate: Option<f64>,
    /// `true` if the video supports seeking; otherwise it only plays forwards.
    pub seekable: bool,
    /// `true` if a sender sets the pace: during playback, the newest frame is shown as soon as it arrives.
    pub live: bool,
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
            live: false,
        }
    }
}

/// A seek whose frame will be shown, and the time to which it leads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Destination {
    pub(super) seek: Seek,
    /// In seconds from the start, as far as it is known before the frame arrives.
    pub(super) secs: f64,
}

impl Destination {
    /// Creates a seek to the frame at a time.
    pub(super) const fn at(secs: f64) -> Self {
        Self { seek: Seek::to(secs), secs }
    }

    /// Creates a seek to a frame near a time.
    pub(super) const fn near(secs: f64) -> Self {
        Self { seek: Seek::Near(secs), secs }
    }

    /// Creates a seek to a target whose time is an estimate.
    pub(super) const fn exact(target: SeekTarget, secs: f64) -> Self {
        Self { seek: Seek::Exact(target), secs }
    }
}

/// A seek for the decoder to carry out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeekRequest {
    /// The serial that its frames will carry.
    pub serial: u64,
    /// The target, and how to reach it.
    pub seek: Seek,
}

/// The goal of a seek, as shown to the user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeekGoal {
    /// The frame at a time, in seconds from the start.
    Time(f64),
    /// The frame with that number, counting from 0.
    Frame(u64),
    /// The last frame.
    LastFrame,
    /// The frame before the one on screen.
    FrameBefore,
}

impl Destination {
    /// Returns the goal to show to the user.
    pub(super) const fn goal(self) -> SeekGoal {
        match self.seek {
            Seek::Exact(SeekTarget::Number(number)) => SeekGoal::Frame(number),
            Seek::Exact(SeekTarget::End) => SeekGoal::LastFrame,
            Seek::Exact(SeekTarget::Before(_)) => SeekGoal::FrameBefore,
            _ => SeekGoal::Time(self.secs),
        }
    }
}

/// The names of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FramePlace {
    /// Its time, in seconds from the start.
    pub time_secs: f64,
    /// Its number in presentation order, counting from zero, if it is known beyond doubt: counted by the decoder, or
    /// listed.
    pub number: Option<u64>,
    /// Its timecode, as far as the decoder knows it.
    pub timecode: Option<Timecode>,
}

/// The reason why a step led nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepEnd {
    /// The first frame is on screen.
    First,
    /// The last frame is on screen.
    Last,
    /// The source only plays forwards, and no earlier frame is cached.
    ForwardsOnly,
}

/// The actions that are due now.
#[derive(Debug, Default)]
pub struct Tick {
    /// A new frame to show.
    pub show: Option<Frame>,
    /// When to call [`tick`](super::Player::tick) again, if nothing happens before.
    pub wake_at: Option<Instant>,
    /// A seek to pass to the decoder.
    pub seek: Option<SeekRequest>,
    /// The reason why a requested step led nowhere.
    pub step_end: Option<StepEnd>,
}

/// Counts of frames so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlaybackCounts {
    /// Frames shown.
    pub shown: u64,
    /// Frames that were due during playback but were replaced by a later one before they could be shown.
    pub dropped: u64,
    /// Frames shown that the decoder reported as damaged.
    pub damaged: u64,
}

/// The ends of the part that is repeated, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Marks {
    /// Time of the part's first frame.
    pub a: Option<f64>,
    /// Time of the part's last frame, which is included.
    pub b: Option<f64>,
}

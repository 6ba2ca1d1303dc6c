//! What goes into the player and what comes out of it.

use std::time::Instant;

use crate::{Seek, SeekTarget};
use histoscope_core::picture::Frame;

/// What a player is told about the video, and how it starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlayerOptions {
    /// Length of the video in seconds, where it is known.
    pub duration_secs: Option<f64>,
    /// True if to open paused.
    pub paused: bool,
    /// True if to start again at the end.
    pub looped: bool,
    /// Bytes of frames that may be kept around the one on screen.
    pub cache_bytes: usize,
    /// Frames a second, where they are known to be evenly spaced.
    pub frame_rate: Option<f64>,
    /// True if the video can be positioned; otherwise it is only played forwards.
    pub seekable: bool,
    /// True if a sender gives the pace: while playing, the newest frame is shown as soon as it is there.
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

/// A seek whose frame is shown, and the time that it leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Destination {
    pub(super) seek: Seek,
    /// In seconds from the start, as far as that can be told before the frame is there.
    pub(super) secs: f64,
}

impl Destination {
    /// The frame at a time.
    pub(super) const fn at(secs: f64) -> Self {
        Self { seek: Seek::to(secs), secs }
    }

    /// A frame near a time.
    pub(super) const fn near(secs: f64) -> Self {
        Self { seek: Seek::Near(secs), secs }
    }

    /// The frame of a target whose time is a guess.
    pub(super) const fn exact(target: SeekTarget, secs: f64) -> Self {
        Self { seek: Seek::Exact(target), secs }
    }
}

/// A seek for the decoder to carry out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeekRequest {
    /// The serial that its frames shall carry.
    pub serial: u64,
    /// Where it leads, and how.
    pub seek: Seek,
}

/// Where a seek leads, as it is told to people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeekGoal {
    /// The frame at a time, in seconds from the start.
    Time(f64),
    /// The frame of that number, the first being 0.
    Frame(u64),
    /// The last frame.
    LastFrame,
    /// The frame before the one on screen.
    FrameBefore,
}

impl Destination {
    /// Where it leads.
    pub(super) const fn goal(self) -> SeekGoal {
        match self.seek {
            Seek::Exact(SeekTarget::Number(number)) => SeekGoal::Frame(number),
            Seek::Exact(SeekTarget::End) => SeekGoal::LastFrame,
            Seek::Exact(SeekTarget::Before(_)) => SeekGoal::FrameBefore,
            _ => SeekGoal::Time(self.secs),
        }
    }
}

/// Why a step led nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepEnd {
    /// The first frame is on screen.
    First,
    /// The last frame is on screen.
    Last,
    /// The source only plays forwards, and nothing earlier was kept.
    ForwardsOnly,
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
    /// Why a step that was asked for leads nowhere.
    pub step_end: Option<StepEnd>,
}

/// What happened to the frames so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlaybackCounts {
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

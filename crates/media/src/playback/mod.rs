//! Which frame is due, and how a seek changes that: pure state, tested without a file, a GPU or a window.
//!
//! The [`Player`] decides; a [`Follower`] follows what another clip's player shows. [`take_events`] and [`send`] carry
//! frames and requests between the player and the decoding thread.

mod cache;
mod clock;
mod drive;
mod follower;
mod late;
mod phase;
mod player;
mod request;
mod supply;
mod tally;

pub use clock::Clock;
pub use drive::{SourceEvent, send, take_events};
pub use follower::{FollowGoal, FollowState, Followed, Follower, take_followed};
pub use player::Player;
pub use request::PlaybackCounts;
pub use request::{FramePlace, Marks, PlayerOptions, SeekGoal, SeekRequest, StepEnd, Tick};

//! Which frame is due, and what a seek does to that: pure state, tested without a file, a GPU or a window.
//!
//! The [`Player`] decides; a [`Follower`] goes after what another clip's player shows. [`take_events`] and [`send`] carry frames and requests between it and the decoding thread.

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
pub use drive::{News, send, take_events};
pub use follower::{FollowGoal, FollowState, Followed, Follower, take_followed};
pub use player::Player;
pub use request::PlaybackCounts;
pub use request::{Marks, PlayerOptions, SeekGoal, SeekRequest, StepEnd, Tick};

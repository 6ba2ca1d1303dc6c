//! Which frame is due, and what a seek does to that: pure state, tested without a file, a GPU or a window.

mod clock;
mod player;

pub use clock::Clock;
pub use player::{Counts, Player, SeekRequest, Target, Tick};

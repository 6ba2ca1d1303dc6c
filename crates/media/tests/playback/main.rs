//! The player with its decoding thread, and the frames that its seeks lead to.

#[path = "../../../../tests/common/mod.rs"]
mod common;

mod follower;
mod live;
mod matrix;
mod numbers;
mod seek_property;
mod session;
mod shifted;
mod sources;
mod times;

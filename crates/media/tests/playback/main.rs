//! The player on its decoding thread, and where its seeks lead.

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

//! Counting, adjusting and drawing: each engine against plain definitions, against the other, and against independent software.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../../../../tests/support/adjuster.rs"]
mod adjuster;
#[path = "../../../../tests/common/mod.rs"]
mod common;
#[path = "../../../../tests/support/counter.rs"]
mod counter;
#[path = "../../../../tests/support/studio.rs"]
mod studio;
#[path = "../../../../tests/support/mod.rs"]
mod support;

mod adjust;
mod engines;
mod gpu;
mod shaders;

//! The lab: every method against its expected result.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../../../../tests/support/mod.rs"]
mod support;

mod blur;
mod drawing;
mod ladder;
mod own;
mod scan;

//! The program as a user runs it, without a window: one module for each command, and one for its error messages.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../command/mod.rs"]
mod command;
#[path = "../common/mod.rs"]
mod common;
#[path = "../support/mod.rs"]
mod support;

mod analyze;
mod archive;
mod bench;
mod check;
mod cli;
mod report;
mod snapshot;

//! `histoscope bench`: its rows, its page, the sweep of plans, playing.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../report/browser.rs"]
mod browser;
#[path = "../command/mod.rs"]
mod command;
#[path = "../support/mod.rs"]
mod support;

mod adjustments;
mod page;
mod playing;
mod rows;
mod sweep;

//! `analyze` and `merge` from outside: the records against other programs, the selection of frames, and failures.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../command/mod.rs"]
mod command;
#[path = "../common/mod.rs"]
mod common;

mod adjusted;
mod against;
mod against_selection;
mod bad_input;
mod cropping;
mod damaged;
mod endings;
mod interlaced;
mod interrupt;
mod limited;
mod live;
mod matrices;
mod numbering;
mod numpy;
mod output;
mod parquet;
mod probe;
mod program;
mod qctools;
mod saturation;
mod segments;
mod selection;
mod sequences;
mod shares;
mod threads;
mod timecodes;
mod verify;

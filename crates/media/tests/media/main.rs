//! Decoding: frames, times and samples as in the file, seeks, and bad files.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../../../../tests/common/mod.rs"]
mod common;

mod cropping;
mod damage;
mod decode;
mod dynamic_light;
mod info;
mod joined;
mod layouts;
mod mutants;
mod pages;
mod refusals;
mod seek;
mod seek_omissions;
mod seek_times;
mod seek_ways;
mod sequences;
mod sound;
mod stated;
mod stills;
mod thread;
mod tiles;
mod timecodes;
mod tracks;
mod traps;
mod undecodable;

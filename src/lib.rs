//! Histoscope: exact, live histograms of video.
//!
//! [`media`] decodes a file to [`picture`]s, [`playback`] decides which of them is due, an [`engine`] counts it to a
//! [`histogram`], [`gpu`] counts and draws, [`app`] shows it in a window and [`export`] writes it to files.
//! [`histogram::reference`] defines every number; the engines must agree with it to the last count.

pub mod adjust;
pub mod app;
pub mod bench;
pub mod cpu;
pub mod engine;
pub mod export;
pub mod gpu;
pub mod histogram;
pub mod keys;
pub mod media;
pub mod picture;
pub mod playback;
pub mod text;
pub mod view;

//! Histoscope: exact, live histograms of video.
//!
//! [`media`] decodes a file to [`frame`]s, [`playback`] decides which of them is due, an [`engine`] counts it to a
//! [`histogram`], [`gpu`] counts and draws, [`app`] shows it in a window and [`export`] writes it to files.
//! [`mod@reference`] defines every number; the engines must agree with it to the last count.

pub mod adjust;
pub mod app;
pub mod bench;
pub mod brush;
pub mod cli;
pub mod color;
pub mod config;
pub mod cpu;
pub mod engine;
pub mod export;
pub mod frame;
pub mod gpu;
pub mod histogram;
pub mod layout;
pub mod media;
pub mod overlay;
pub mod placement;
pub mod playback;
pub mod probe;
pub mod reference;
pub mod region;
pub mod scene;
pub mod words;

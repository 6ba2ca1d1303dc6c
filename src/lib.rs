//! Histoscope: exact, live histograms of video.
//!
//! A frame goes from [`frame`] (what a decoder hands over) through a counting engine to a [`histogram`]. [`mod@reference`]
//! defines every number; the engines must agree with it to the last count.

pub mod bench;
pub mod color;
pub mod cpu;
pub mod frame;
pub mod gpu;
pub mod histogram;
pub mod layout;
pub mod reference;

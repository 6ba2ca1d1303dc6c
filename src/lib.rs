//! Histoscope: exact, live histograms of video.
//!
//! A frame goes from [`frame`] (what a decoder hands over) through a counting engine to a [`histogram`]. [`mod@reference`]
//! defines every number; the engines must agree with it to the last count.

pub mod color;
pub mod frame;
pub mod histogram;
pub mod layout;
pub mod media;
pub mod reference;

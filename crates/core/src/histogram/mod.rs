//! Histograms and their statistics.

mod bins;
mod clip;
mod cumulative;
mod light;
pub mod limits;
mod measure;
pub mod pixel_light;
pub mod reference;
mod stats;

pub use bins::{BIN_COUNTS, CHANNELS, CLAMPED_CHANNELS, Components, Histogram, TAIL_WORDS, regroup};
pub use bins::{samples_cut_off, vertical_scale};
pub use clip::ClipHistogram;
pub use cumulative::{Cumulative, Selected, Sums};
pub use light::{LightTable, Transfer};
pub use pixel_light::{LightCounts, LightFigures, LightMeter, LightScale};
pub use stats::ChannelStats;

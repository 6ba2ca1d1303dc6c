//! Whole files as data: exact counts of every frame, without a window.
//!
//! [`pipeline`] decodes and counts the frames of a [`selection`] and delivers one
//! [`CountedFrame`](pipeline::CountedFrame) per frame, in order. `frames` numbers them, [`counter`] counts them, and
//! `against` and [`comparison`] compare them with the frames of another file if requested. [`run`] writes them to an
//! [`output`] as records in a [`mod@format`], or as [`scenes`]; [`merge`] joins outputs. `error` defines the errors of
//! a run.

mod against;
mod audio;
pub mod comparison;
pub mod counter;
mod counting;
pub mod defects;
mod error;
mod ffprobe;
pub mod filters;
pub mod format;
mod frames;
pub mod inspection;
mod jobs;
pub mod light;
pub mod merge;
pub mod output;
pub mod overview;
mod parquet;
pub mod pipeline;
pub mod planes;
mod record;
mod record_output;
mod resume;
pub mod run;
pub mod scenes;
pub mod selection;
pub mod signal;
pub mod stated_light;
pub mod summary;
pub mod thumbnails;

pub use against::align;
pub use error::{AnalyzeError, Stop};

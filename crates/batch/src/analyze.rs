//! Whole files as data: every frame's exact counts, without a window.
//!
//! [`pipeline`] decodes, counts and hands out one [`CountedFrame`](pipeline::CountedFrame) a frame, in order: those of a
//! [`selection`], which [`frames`] brings with their numbers, counted by [`counter`], and where that is asked for compared
//! with those of another file, as `against` and [`comparison`] have it. [`run`] writes them to an [`output`] as
//! [`record`]s of a [`mod@format`]; [`merge`] joins outputs. [`error`] says why a run failed.

mod against;
pub mod comparison;
pub mod counter;
mod counting;
mod error;
mod ffprobe;
pub mod format;
mod frames;
pub mod jobs;
pub mod merge;
pub mod output;
pub mod overview;
mod parquet;
pub mod pipeline;
mod record;
mod record_output;
mod resume;
pub mod run;
pub mod selection;
pub mod signal;
pub mod summary;
pub mod thumbnails;

pub use against::align;
pub use error::{AnalyzeError, Stop};

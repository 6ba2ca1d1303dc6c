//! Histoscope: exact histograms of video, frame by frame, in integers that every machine counts alike.
//!
//! The program of the same name plays a video with them in a window; this crate is what it is made of, and counts for other
//! programs too. A [`Decoder`] opens whatever FFmpeg can decode and gives [`Frame`]s, each with its [`Picture`] in the planes
//! that the decoder wrote. A [`CpuCounter`] counts a picture's red, green, blue and luminance, or Y', Cb and Cr as coded
//! ([`Components`]), to a [`Histogram`] of 2^n bins a channel, n being the source's bits, at most 12. Its
//! [`stats`](Histogram::stats) are mean, percentiles and the like ([`ChannelStats`]).
//!
//! ```no_run
//! use histoscope::{Components, CpuCounter, Decoder, OpenOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut decoder = Decoder::open("clip.mp4", &OpenOptions::default())?;
//! let mut counter = CpuCounter::new();
//! while let Some(frame) = decoder.next_frame()? {
//!     let histogram = counter.count(&frame.picture, Components::Rgbl);
//!     let luminance = histogram.stats(3, None);
//!     println!("{:.3} s: mean luminance {:.2}, median {}", frame.time_secs, luminance.mean, luminance.median);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! What the program's commands do stands beside: [`play`], [`snapshot`], [`analysis`], [`reporting`] and [`benchmark`], with
//! [`adjusting`] for what is done to a picture before it is counted.
//!
//! The colour conversion is fixed point with the bounds of BT.601, BT.709, BT.2020 and the others of [`Matrix`]; luminance is
//! 0.2126 R' + 0.7152 G' + 0.0722 B' of the gamma-encoded codes (BT.709), exactly. GPU and CPU agree to the last count.

// The rooms are private. Tests and benchmarks, which look into them, switch a feature on that opens them.
#[cfg(not(feature = "internals"))]
mod adjust;
#[cfg(feature = "internals")]
pub mod adjust;
#[cfg(not(feature = "internals"))]
mod app;
#[cfg(feature = "internals")]
pub mod app;
#[cfg(not(feature = "internals"))]
mod bench;
#[cfg(feature = "internals")]
pub mod bench;
#[cfg(not(feature = "internals"))]
mod compare;
#[cfg(feature = "internals")]
pub mod compare;
#[cfg(not(feature = "internals"))]
mod cpu;
#[cfg(feature = "internals")]
pub mod cpu;
#[cfg(not(feature = "internals"))]
mod engine;
#[cfg(feature = "internals")]
pub mod engine;
#[cfg(not(feature = "internals"))]
mod export;
#[cfg(feature = "internals")]
pub mod export;
#[cfg(not(feature = "internals"))]
mod gpu;
#[cfg(feature = "internals")]
pub mod gpu;
#[cfg(not(feature = "internals"))]
mod histogram;
#[cfg(feature = "internals")]
pub mod histogram;
#[cfg(not(feature = "internals"))]
mod keys;
#[cfg(feature = "internals")]
pub mod keys;
#[cfg(not(feature = "internals"))]
#[allow(dead_code, unused_imports, reason = "some of what it tells is for tests and for those who look into it alone")]
mod lab;
#[cfg(feature = "internals")]
pub mod lab;
#[cfg(not(feature = "internals"))]
mod media;
#[cfg(feature = "internals")]
pub mod media;
#[cfg(not(feature = "internals"))]
mod picture;
#[cfg(feature = "internals")]
pub mod picture;
#[cfg(not(feature = "internals"))]
mod playback;
#[cfg(feature = "internals")]
pub mod playback;
#[cfg(not(feature = "internals"))]
mod scopes;
#[cfg(feature = "internals")]
pub mod scopes;
#[cfg(not(feature = "internals"))]
mod strip;
#[cfg(feature = "internals")]
pub mod strip;
#[cfg(not(feature = "internals"))]
mod text;
#[cfg(feature = "internals")]
pub mod text;
#[cfg(not(feature = "internals"))]
mod view;
#[cfg(feature = "internals")]
pub mod view;

pub use app::{AppError, CompareAs, CompareBy, Comparing, FirstView, LabChoice, PlayOptions, PlayStart, play};
pub use cpu::Engine as CpuCounter;
pub use engine::EngineChoice;
pub use export::snapshot::{SnapshotDrawing, SnapshotError, SnapshotOptions, snapshot};
pub use gpu::{AdapterChoice, AdapterInfo, GpuError, adapters, wait_until_released};
pub use histogram::{ChannelStats, Components, Histogram};
pub use keys::as_text as keys_as_text;
pub use lab::{Method as LabMethod, Topic as LabTopic};
pub use media::{Decoder, MediaError, OpenOptions, StreamInfo, TrackKind, VideoTrack, ffmpeg_version};
pub use picture::Field;
pub use picture::color::{Matrix, Range};
pub use picture::crop::CroppingChoice;
pub use picture::layout::ChromaLines;
pub use picture::layout::LayoutError;
pub use picture::{Frame, Picture, PictureError, Ratio, Timecode};
pub use text::{file_name, parse_time, plain, public, shown};
pub use view::overlay::{Channels, Overlaps};
pub use view::scene::Counted;

/// What is done to a picture before it is counted and shown: parameters, read from the texts of the command line.
pub mod adjusting {
    pub use crate::adjust::{
        Adjustments, Blur, Clahe, ClassDisplay, Equalize, Gain, Otsu, ParseError, Placing, Posterize, Reduction, Tone,
    };
}

/// What the picture tells of its exposure: zebras, marks and false colour, read from the texts of the command line.
pub mod exposing {
    pub use crate::view::exposure::{ExposureChoice, FalseColorTable, Level, MarkLimits};
}

/// Scopes beside the histogram: which are counted, and where the colours of bars fall in a vectorscope.
pub mod scoping {
    pub use crate::scopes::{ColorTarget, ScopeChoice, targets};
    pub use crate::view::scopes::{Layout as ScopeLayout, ScopeStyle};
}

/// Every frame's counts as data: what `analyze` and `merge` do.
pub mod analysis {
    pub use crate::export::analyze::comparison::Against;
    pub use crate::export::analyze::counter::{RunComponents, ScopeUse};
    pub use crate::export::analyze::format::{Format, TextFormat};
    pub use crate::export::analyze::merge::merge;
    pub use crate::export::analyze::output::OutputTarget;
    pub use crate::export::analyze::pipeline::Request;
    pub use crate::export::analyze::run::{Destination, Finished, run};
    pub use crate::export::analyze::selection::{Point, Selection};
    pub use crate::export::analyze::signal::SignalUse;
    pub use crate::export::analyze::{AnalyzeError, Stop};
    pub use crate::export::figures::SCHEMA;
    pub use crate::export::region::RegionSpec;
}

/// A whole clip as one picture or page: what `report` does.
pub mod reporting {
    pub use crate::export::report::run::{Finished, ReportFormat, ReportOptions, run};
    pub use crate::strip::DEFAULT_THRESHOLD;
}

/// How fast this machine counts: what `bench` does.
pub mod benchmark {
    pub use crate::bench::{
        BenchContent, Error, JoinError, Joined, LENGTHS, Options, Report, Survey, SweepGrid, join, joined_page, page,
        rows, run_on, sweep_on,
    };
    pub use crate::export::file::{FileError, check_writable, write_whole};
    pub use crate::lab::{Shape, ShapeError};
}

//! Histoscope: exact, frame-by-frame histograms of video, in integers that are identical on every machine.
//!
//! The program of the same name plays a video in a window with its histograms. This crate contains its parts, which
//! other programs can use for counting too. A [`Decoder`] opens anything that FFmpeg can decode. It returns [`Frame`]s,
//! each with its [`Picture`] in the planes as decoded. A [`CpuCounter`] counts a picture's red, green, blue and
//! luminance, or Y', Cb and Cr as coded ([`Components`]). The result is a [`Histogram`] with 2^n bins per channel,
//! where n is the bit depth of the source, at most 12. Its [`stats`](Histogram::stats) return the mean, percentiles and
//! more ([`ChannelStats`]).
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
//! The program's commands are available too: [`play`], [`snapshot`], [`analysis`], [`reporting`] and [`benchmark`].
//! [`adjusting`] contains the adjustments that can be applied to a picture before it is counted.
//!
//! Colour conversion uses fixed-point arithmetic with the limits of BT.601, BT.709, BT.2020 and the other variants of
//! [`Matrix`]. Luminance is exactly 0.2126 R' + 0.7152 G' + 0.0722 B' of the gamma-encoded codes (BT.709), or has the
//! weights of BT.2020 if asked ([`LuminanceWeights`]). GPU and CPU produce identical counts.

#![warn(missing_docs)]

#[doc(hidden)]
pub mod app;

pub use app::{
    AppError, CompareAs, CompareBy, Comparing, FirstView, LabChoice, PlayOptions, PlayStart, SoundOptions, TrackChoice,
    play, show_error,
};
pub use histoscope_batch::snapshot::{SnapshotDrawing, SnapshotError, SnapshotOptions, snapshot};
pub use histoscope_core::histogram::{ChannelStats, Components, Histogram};
pub use histoscope_core::picture::Field;
pub use histoscope_core::picture::color::{Matrix, Range};
pub use histoscope_core::picture::crop::CroppingChoice;
pub use histoscope_core::picture::layout::ChromaLines;
pub use histoscope_core::picture::layout::LayoutError;
pub use histoscope_core::picture::luminance::{LuminanceWeights, WeightsChoice};
pub use histoscope_core::picture::transfer::Transfer;
pub use histoscope_core::picture::{Frame, Picture, PictureError, Ratio, Timecode};
pub use histoscope_core::text::{file_name, parse_time, public, sanitized, shown};
pub use histoscope_core::tone_map::{Stops, ToneMapping};
pub use histoscope_keys::{self as keys, as_text as keys_as_text};
pub use histoscope_lab::{ChannelSet as LabChannels, Method as LabMethod, Topic as LabTopic};
pub use histoscope_media::{
    Decoder, DeviceMemory, HardwareChoice, HardwareOptions, MediaError, MediaFault, OpenOptions, StreamInfo, TrackKind,
    VideoTrack, ffmpeg_version, is_live, wait_until_closed,
};
pub use histoscope_render::cpu::Engine as CpuCounter;
pub use histoscope_render::engine::EngineChoice;
pub use histoscope_render::gpu::output::HdrChoice;
pub use histoscope_render::gpu::{AdapterChoice, AdapterInfo, GpuError, OfferedAdapter, adapters, wait_until_released};
pub use histoscope_render::view::guides::Guides;
pub use histoscope_render::view::overlay::{Channels, Overlaps};
pub use histoscope_render::view::scene::Counted;

/// Adjustments applied to a picture before it is counted and shown. Their parameters can be parsed from command-line
/// values.
pub mod adjusting {
    pub use histoscope_core::adjust::*;
}

/// Exposure aids drawn on the picture: zebra, marks and false colour. They can be parsed from command-line values.
pub mod exposing {
    pub use histoscope_render::view::exposure::{ExposureChoice, FalseColorTable, Level, MarkLimits, Peaking};
}

/// Scopes shown next to the histogram: the choice of scopes, what the vectorscope counts, and its colour-bar targets.
pub mod scoping {
    pub use histoscope_core::scopes::{ColorTarget, Diagram, Scope, ScopeChoice, targets};
    pub use histoscope_render::view::scopes::{Layout as ScopeLayout, ScopeKind, ScopeStyle};
}

/// Every frame's counts as data: the commands `analyze` and `merge`.
pub mod analysis {
    pub use histoscope_batch::analyze::comparison::Against;
    pub use histoscope_batch::analyze::counter::{RunComponents, ScopeUse};
    pub use histoscope_batch::analyze::format::{Format, TextFormat};
    pub use histoscope_batch::analyze::light::LightUse;
    pub use histoscope_batch::analyze::merge::merge;
    pub use histoscope_batch::analyze::output::OutputTarget;
    pub use histoscope_batch::analyze::pipeline::{AudioUse, Jobs, Request};
    pub use histoscope_batch::analyze::run::{Destination, Finished, run};
    pub use histoscope_batch::analyze::scenes::SceneFormat;
    pub use histoscope_batch::analyze::selection::Selection;
    pub use histoscope_batch::analyze::signal::SignalUse;
    pub use histoscope_batch::analyze::{AnalyzeError, Stop};
    pub use histoscope_batch::fields::SCHEMA;
    pub use histoscope_batch::region::RegionSpec;
    pub use histoscope_core::histogram::Transfer;
    pub use histoscope_core::histogram::pixel_light::{LOWEST_HLG_PEAK, USUAL_HLG_PEAK};
    pub use histoscope_core::picture::Point;
}

/// A whole clip on one page: the command `report`.
pub mod reporting {
    pub use histoscope_batch::report::run::{Finished, ReportOptions, run};
    pub use histoscope_batch::report::shots::ShotFormat;
    pub use histoscope_core::strip::DEFAULT_THRESHOLD;
}

/// A file's findings against a profile: the command `check`.
pub mod checking {
    pub use histoscope_batch::check::output::{CheckFormat, summary, table, write_all};
    pub use histoscope_batch::check::profile::{BUILT_IN, Profile, ProfileError, Setting, text_of};
    pub use histoscope_batch::check::run::{CheckedFile, idle_waivers, run};
    pub use histoscope_batch::file::check_output;
}

/// This machine's counting and playing speed: the command `bench`.
pub mod benchmark {
    pub use crate::app::{PlayFigures, Spread, measure_playing};
    pub use histoscope_batch::file::{FileError, check_writable, write_whole};
    pub use histoscope_lab::bench::{BenchContent, Error, Options, Report, Survey, rows, run_on};
    pub use histoscope_lab::{Shape, ShapeError};
}

//! The lab: the ladder of methods that the tutorials on GPU histograms climb, each ready to count a picture.
//!
//! `histoscope bench` measures them and the window shows them at work. The tutorial (webgpufundamentals.org, "WebGPU Compute
//! Shaders - Image Histogram", two parts) goes from a loop in JavaScript to chunks reduced pair by pair. Its methods count an
//! image of 8-bit RGBA, ours a video's native planes; a pass makes the image of the planes with the conversion by which ours
//! count.
//!
//! - [`Method`] and [`ChannelSet`] say what is counted and how, [`Shape`] in which chunks and into how many bins: together a
//!   [`Setup`].
//! - [`Costs`] tells what a method asks of the memory, by calculation.
//! - [`CountingPass`] is a method of the tutorial on the GPU, [`Floor`] the pass that only reads.
//! - [`LabBlur`] is a box blur by any of the tutorials' methods.
//! - [`Scan`] is a prefix sum by any of the tutorials' methods.
//! - [`PreparedScan`] and [`Blurring`] are those at work on a frame, beside a window, in a [`Worker`].
//! - [`Ladder`] is any method set up for a video's frames, with the right counts beside its own; [`Live`] brings its figures
//!   back from a playing video, and [`Runner`] has it count beside a window.

pub mod bench;
pub mod blur;
pub mod blurring;
pub mod cost;
pub mod counting;
mod expected;
pub mod floor;
pub mod image;
pub mod job;
pub mod ladder;
pub mod live;
pub mod method;
pub mod ours;
mod repeated;
pub mod runner;
pub mod scan;
pub mod setup;
pub mod shape;
pub mod summing;

pub use blur::{BlurMethod, LabBlur};
pub use blurring::{BlurSetup, Blurred, Blurring};
pub use cost::Costs;
pub use counting::{CountingPass, Step};
pub use floor::Floor;
pub use job::{Answer, LabWork, Stop, Worker};
pub use ladder::{Ladder, LadderCounts};
pub use live::{Live, Measured};
pub use method::{ChannelSet, Method, Topic};
pub use runner::Runner;
pub use scan::{Scan, ScanKind, ScanMethod, ScanPass};
pub use setup::Setup;
pub use shape::{Shape, ShapeError};
pub use summing::{PreparedScan, ScannedWords, SumSetup, Summed};

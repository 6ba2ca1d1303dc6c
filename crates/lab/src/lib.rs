//! The lab: the methods of the tutorials on GPU histograms, each ready to count a picture.
//!
//! `histoscope bench` measures the methods, and the window shows them at work. The tutorial (webgpufundamentals.org,
//! "WebGPU Compute Shaders - Image Histogram", two parts) goes from a loop in JavaScript to chunks that are summed pair
//! by pair. Its methods count an 8-bit RGBA image; our own passes count a video's native planes. For the tutorial's
//! methods, a pass first makes the image from the planes, with our own conversion.
//!
//! - [`Method`] and [`ChannelSet`] say what is counted and how. [`Shape`] says in which chunks and into how many bins.
//!   Together they are a [`Setup`].
//! - [`Costs`] is the calculated memory traffic of a method.
//! - [`CountingPass`] is a method of the tutorial on the GPU. [`Floor`] only reads the planes.
//! - [`LabBlur`] is a box blur by any of the tutorials' methods.
//! - [`LabDrawing`] draws the bars of a histogram, by the tutorial's method or by ours.
//! - [`Scan`] is a prefix sum by any of the tutorials' methods.
//! - [`PreparedScan`], [`PreparedBlur`] and [`PreparedDrawing`] sum up, blur or draw the frame on screen, in a
//!   [`Worker`].
//! - [`Ladder`] is any method set up for a video's frames, together with the correct counts. [`Live`] returns its
//!   counts and times while a video plays. [`Runner`] owns it for the window.
//! - [`OwnShader`] is a shader of the user's own, in place of a method's.

pub mod bench;
mod blur;
mod cost;
mod counting_pass;
pub mod drawing;
pub mod image;
mod job;
mod ladder;
mod live;
mod method;
mod ours;
mod own;
mod prepared_blur;
mod prepared_drawing;
mod prepared_scan;
mod repeated;
pub mod scan;
mod setup;
mod shape;

pub use blur::{BlurMethod, LabBlur, MAX_SIZE};
pub use cost::Costs;
pub use counting_pass::{CountingPass, Step};
pub use drawing::{DrawMethod, LabDrawing};
pub use job::{Answer, LabWork, Stop, Worker};
pub use ladder::{Floor, Ladder, LadderCounts};
pub use live::{Live, Measured, Runner};
pub use method::{ChannelSet, Method, Topic};
pub use ours::OursPass;
pub use own::{OwnShader, OwnShaderError};
pub use prepared_blur::{BlurSetup, Blurred, PreparedBlur};
pub use prepared_drawing::{DrawSetup, Drawn, PreparedDrawing};
pub use prepared_scan::{GROUPS, PreparedScan, ScannedWords, SumSetup, Summed};
pub use scan::{Scan, ScanKind, ScanMethod, ScanPass};
pub use setup::Setup;
pub use shape::{Shape, ShapeError};

//! `histoscope bench`: how fast this machine counts, with each method of the web article on image histograms and with
//! ours, and whether each counts right.

pub mod content;
pub mod inputs;
pub mod layouts;
pub mod measure;
pub mod ours;
pub mod sweep;

pub use content::Content;
pub use sweep::{Grid, Sweep, sweep};

use crate::frame::PictureError;
use crate::gpu::GpuError;

/// What can go wrong while measuring.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The GPU failed or cannot do what is asked.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The size or layout cannot be a picture.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// There is no layout of that name.
    #[error("'{0}' is no pixel layout that is counted natively; there are {known}", known = layouts::KNOWN)]
    UnknownLayout(String),
}

/// A bar on standard error, which is not drawn where that is no terminal.
fn progress(steps: usize) -> indicatif::ProgressBar {
    let bar = indicatif::ProgressBar::new(steps as u64);
    if let Ok(style) = indicatif::ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar
}

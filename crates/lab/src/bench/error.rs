//! What can go wrong while measuring.

use super::layouts;
use super::rows::rows;
use crate::ShapeError;
use histoscope_core::picture::PictureError;
use histoscope_render::gpu::GpuError;

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
    #[error("'{0}' is no pixel layout that is counted natively; there are {known}", known = layouts::NAMES.join(", "))]
    UnknownLayout(String),
    /// There are no such chunks or bins.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The adapter cannot scan so many words; the sentence names the most that it can.
    #[error("{0}")]
    Length(String),
    /// No row has such a name.
    #[error(
        "no method is called '{}'; there are {known}",
        .0.join("' or '"),
        known = rows().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    )]
    UnknownMethod(Vec<String>),
    /// The picture is so small that nothing but the way to the GPU would be measured.
    #[error("a picture of {0}×{1} pixels is too small to measure; it takes at least 16×16")]
    TooSmall(u32, u32),
}

/// Something that could be made, or in words why not.
pub(super) type Possible<T> = Result<T, String>;

/// Sorts out what one adapter cannot hold, which is a remark in the table, from what ends the run.
pub(super) fn possible<T>(result: Result<T, Error>) -> Result<Possible<T>, Error> {
    match result {
        Err(Error::Gpu(why @ (GpuError::PictureTooLarge { .. } | GpuError::TooDeep { .. }))) => {
            Ok(Err(format!("not measured: {why}")))
        }
        other => other.map(Ok),
    }
}

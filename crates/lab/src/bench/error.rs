//! Errors while measuring.

use super::layouts;
use super::rows::rows;
use crate::ShapeError;
use histoscope_core::picture::PictureError;
use histoscope_render::gpu::GpuError;

/// An error while measuring.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The GPU failed, or cannot do what was requested.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The size or layout is not possible for a picture.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// No layout has this name.
    #[error("'{0}' is not a pixel layout that is counted natively; choose one of {known}", known = layouts::NAMES.join(", "))]
    UnknownLayout(String),
    /// The chunks or bins are not possible.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// No row has this name.
    #[error(
        "'{}' is not the name of a method; choose from {known}",
        .0.join("' or '"),
        known = rows().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    )]
    UnknownMethod(Vec<String>),
    /// The picture is so small that only the transfer to the GPU would be measured.
    #[error("a picture of {0}×{1} pixels is too small to measure; use at least 16×16")]
    TooSmall(u32, u32),
}

/// A value, or the reason why the adapter cannot make it.
pub(super) type Possible<T> = Result<T, String>;

/// Separates what this adapter cannot do, which becomes a remark in the table, from errors that end the run.
pub(super) fn possible<T>(result: Result<T, Error>) -> Result<Possible<T>, Error> {
    match result {
        Err(Error::Gpu(why @ (GpuError::PictureTooLarge { .. } | GpuError::TooDeep { .. }))) => {
            Ok(Err(format!("not measured: {why}")))
        }
        other => other.map(Ok),
    }
}

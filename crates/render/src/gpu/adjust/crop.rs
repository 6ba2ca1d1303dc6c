//! Crops a rectangle from an adjusted picture, so that only the rectangle is counted.

use super::WorkingPicture;
use crate::gpu::resources::{Dispatch, uniform};
use crate::gpu::shaders::{self, groups};
use crate::gpu::{Gpu, GpuError};
use bytemuck::{Pod, Zeroable};
use histoscope_core::picture::region::Rect;

/// `Crop` of shaders/adjust/crop.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct CropParams {
    /// The rectangle's first word in the source.
    pub first: u32,
    /// Words per row of the source.
    pub source_stride: u32,
    /// Words per row of the result, including padding.
    pub result_stride: u32,
    /// Words per row of the rectangle.
    pub row_words: u32,
    /// Rows of the rectangle.
    pub rows: u32,
}

const _: () = assert!(size_of::<CropParams>() == 20);

/// Words of a row that a workgroup copies, as in the shader.
const WORKGROUP: u32 = 64;
/// The most workgroups that share the rows; if there are more rows, each processes several.
const MAX_ROWS: u32 = 1 << 15;

/// The pass, and the resources of the last rectangle.
#[derive(Debug)]
pub struct CropPass {
    pipeline: wgpu::ComputePipeline,
    made: Option<CropDispatch>,
}

#[derive(Debug)]
struct CropDispatch {
    source: wgpu::Buffer,
    rect: Rect,
    dispatch: Dispatch,
    result: WorkingPicture,
}

impl CropPass {
    /// Creates the pass.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let device = &gpu.device;
        Self { pipeline: shaders::CROP.module(device).compute(device, "crop", &[]), made: None }
    }

    /// Prepares cropping a rectangle, which must lie in `source`, and returns the picture for the result; cheap if
    /// nothing has changed.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if the adapter does not bind a picture that large.
    pub fn prepare(&mut self, gpu: &Gpu, source: &WorkingPicture, rect: Rect) -> Result<&WorkingPicture, GpuError> {
        // Drops the old picture first, so that two results are never held at the same time.
        let made = match self.made.take().filter(|made| made.source == source.buffer && made.rect == rect) {
            Some(made) => made,
            None => self.make(gpu, source, rect)?,
        };
        Ok(&self.made.insert(made).result)
    }

    fn make(&self, gpu: &Gpu, source: &WorkingPicture, rect: Rect) -> Result<CropDispatch, GpuError> {
        let result = WorkingPicture::new(gpu, (rect.width, rect.height), source.bits, source.luminance)?;
        let words = if source.bits == 8 { 1 } else { 2 };
        let source_stride = WorkingPicture::stride(source.size.0) * words;
        let params = CropParams {
            first: rect.y * source_stride + rect.x * words,
            source_stride,
            result_stride: WorkingPicture::stride(rect.width) * words,
            row_words: rect.width * words,
            rows: rect.height,
        };
        let params = uniform(gpu, "crop", &params);
        let group = groups::CROP.bind(&gpu.device, &[&params, &source.buffer, &result.buffer]);
        let workgroups = ((rect.width * words).div_ceil(WORKGROUP), rect.height.min(MAX_ROWS));
        let dispatch = Dispatch { pipeline: self.pipeline.clone(), group, workgroups };
        Ok(CropDispatch { source: source.buffer.clone(), rect, dispatch, result })
    }

    /// Crops the rectangle in the caller's compute pass, and returns the picture with the result; `None` if nothing has
    /// been prepared.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) -> Option<&WorkingPicture> {
        let made = self.made.as_ref()?;
        made.dispatch.run(pass, None);
        Some(&made.result)
    }
}

//! The interface of the passes that count scopes.

use std::fmt::Debug;

use super::params::InputPicture;
use super::readback::read_buffer;
use super::timing::Spans;
use super::{Gpu, GpuError};
use histoscope_core::histogram::Components;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, ScopeCounts};

/// The pass of a scope.
pub trait ScopePass: Debug + Send {
    /// Prepares the pass for a rectangle within a picture; cheap if nothing has changed. A scope that the picture lacks
    /// counts nothing.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter cannot count it.
    fn prepare(&mut self, gpu: &Gpu, subject: &ScopeSubject) -> Result<(), GpuError>;

    /// Records the pass for the prepared picture that `picture` binds, so that it replaces the earlier counts.
    fn record(&self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::BindGroup, spans: Option<Spans<'_>>);

    /// Records the pass so that it adds to the earlier counts, which must have been prepared for the same subject.
    fn add(&self, encoder: &mut wgpu::CommandEncoder, picture: &wgpu::BindGroup);

    /// Returns the buffer with the counts of the prepared picture, and their number; `None` if there are none.
    fn counts(&self) -> Option<(&wgpu::Buffer, usize)>;

    /// Returns the counts without their words.
    fn shape(&self) -> ScopeCounts;

    /// Reads the last counts; there are none if the picture lacks the scope. Blocks until they are available.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    fn read(&self, gpu: &Gpu) -> Result<ScopeCounts, GpuError> {
        let Some((buffer, words)) = self.counts() else { return Ok(ScopeCounts::default()) };
        Ok(self.shape().with_words(bytemuck::pod_collect_to_vec(&read_buffer(gpu, buffer, 4 * words as u64)?)))
    }
}

/// A part of a picture whose scopes are counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScopeSubject {
    /// The picture.
    pub picture: InputPicture,
    /// The counted rectangle.
    pub pixels: Rect,
    /// The components of the waveform.
    pub components: Components,
    /// What the vectorscope counts; `None` if the picture has no colour.
    pub chroma: Option<Chroma>,
}

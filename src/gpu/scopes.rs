//! Counting the scopes of one picture at once, for files and figures.

use super::upload::PictureBuffers;
use super::vectorscope::VectorscopePasses;
use super::waveform::WaveformPasses;
use super::{Gpu, GpuError};
use crate::histogram::Components;
use crate::picture::Picture;
use crate::picture::region::Rect;
use crate::scopes::{Choice, ScopeCounts};

/// Counts those scopes of a rectangle of a picture, in which it must lie, and waits for them.
///
/// # Errors
/// [`GpuError`] if the adapter cannot hold the picture or a column of it, or fails.
pub fn count(
    gpu: &Gpu,
    picture: &Picture,
    pixels: Rect,
    components: Components,
    wanted: Choice,
) -> Result<ScopeCounts, GpuError> {
    let mut buffers = PictureBuffers::default();
    buffers.upload(gpu, picture)?;
    let mut waveform = wanted.waveform.then(|| WaveformPasses::new(gpu));
    if let Some(waveform) = &mut waveform {
        waveform.prepare(gpu, picture, pixels, components)?;
    }
    let mut vectorscope = wanted.vectorscope.then(|| VectorscopePasses::new(gpu));
    if let Some(vectorscope) = &mut vectorscope {
        vectorscope.prepare(gpu, picture, pixels);
    }
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("scopes") });
    if let Some(group) = buffers.bind_group() {
        waveform.iter().for_each(|waveform| waveform.record(&mut encoder, group, None));
        vectorscope.iter().for_each(|vectorscope| vectorscope.record(&mut encoder, group, None));
    }
    gpu.queue.submit([encoder.finish()]);
    Ok(ScopeCounts {
        waveform: waveform.map(|waveform| waveform.read(gpu)).transpose()?.flatten(),
        vectorscope: vectorscope.map(|vectorscope| vectorscope.read(gpu)).transpose()?.flatten(),
    })
}

//! Counting the scopes of one picture at once, for files and figures.

use super::adjust::Chain;
use super::histogram::HistogramPasses;
use super::params::InputPicture;
use super::upload::PictureBuffers;
use super::vectorscope::VectorscopePasses;
use super::waveform::WaveformPasses;
use super::{Gpu, GpuError};
use crate::adjust::Adjustments;
use crate::histogram::Components;
use crate::picture::Picture;
use crate::picture::region::Rect;
use crate::scopes::{Choice, Chroma, ScopeCounts};

/// Counts those scopes of a rectangle of a picture, in which it must lie, and waits for them. Where adjustments are on they are those
/// of the adjusted picture, its red, green, blue and luminance.
///
/// # Errors
/// [`GpuError`] if the adapter cannot hold the picture or a column of it, or fails.
pub fn count(
    gpu: &Gpu,
    picture: &Picture,
    adjustments: &Adjustments,
    (pixels, components): (Rect, Components),
    wanted: Choice,
) -> Result<ScopeCounts, GpuError> {
    let mut buffers = PictureBuffers::default();
    buffers.upload(gpu, picture)?;
    let mut chain = (!adjustments.is_off()).then(|| Chain::new(gpu, &HistogramPasses::new(gpu)));
    if let Some(chain) = &mut chain {
        chain.prepare(gpu, picture.into(), adjustments, None, false)?;
    }
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("scopes") });
    let Some(group) = buffers.bind_group() else { return Ok(ScopeCounts { waveform: None, vectorscope: None }) };
    if let Some(chain) = &mut chain {
        let descriptor = wgpu::ComputePassDescriptor { label: Some("adjust"), timestamp_writes: None };
        chain.dispatch(&mut encoder.begin_compute_pass(&descriptor), group);
    }
    let (input, group, components, chroma) = match chain.as_ref().and_then(Chain::result) {
        Some(result) => (result.into(), &result.bind_group, Components::Rgbl, Some(Chroma::of_adjusted(picture))),
        None => (InputPicture::from(picture), group, components, Chroma::of(picture)),
    };
    let mut waveform = wanted.waveform.then(|| WaveformPasses::new(gpu));
    if let Some(waveform) = &mut waveform {
        waveform.prepare(gpu, input, pixels, components)?;
        waveform.record(&mut encoder, group, None);
    }
    let mut vectorscope = wanted.vectorscope.then(|| VectorscopePasses::new(gpu));
    if let Some(vectorscope) = &mut vectorscope {
        vectorscope.prepare(gpu, input, pixels, chroma);
        vectorscope.record(&mut encoder, group, None);
    }
    gpu.queue.submit([encoder.finish()]);
    Ok(ScopeCounts {
        waveform: waveform.map(|waveform| waveform.read(gpu)).transpose()?.flatten(),
        vectorscope: vectorscope.map(|vectorscope| vectorscope.read(gpu)).transpose()?.flatten(),
    })
}

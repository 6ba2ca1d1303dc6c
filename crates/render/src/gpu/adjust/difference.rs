//! Computes the difference of two pictures on the adapter.

use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

use super::WorkingPicture;
use crate::gpu::params::PixelReading;
use crate::gpu::resources::{Dispatch, storage, uniform};
use crate::gpu::shaders::{self, groups};
use crate::gpu::{Gpu, GpuError};
use histoscope_core::adjust::difference::{Extent, Gain, Mapping};

/// `Difference` of shaders/adjust/difference.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct DifferenceParams {
    /// Columns and rows of the other picture.
    pub other_size: [u32; 2],
    /// Bits of its codes.
    pub other_bits: u32,
    /// `true` if a column of the picture is a row of the other one.
    pub is_turned: u32,
    /// Factor by which differences are enlarged.
    pub gain: u32,
    /// Padding to a multiple of 16 bytes.
    pub padding: [u32; 3],
}

const _: () = assert!(size_of::<DifferenceParams>() == 32);

/// Pixels of a row per workgroup, as in the shader.
const WORKGROUP: u32 = 64;
/// The most workgroups that share the rows; if there are more rows, each processes several.
const MAX_ROWS: u32 = 1 << 15;

/// One of the two pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// How its pixels are read.
    pub reading: PixelReading,
    /// Its size and orientation.
    pub extent: Extent,
}

/// The passes, and the resources of the last pair.
#[derive(Debug)]
pub struct DifferencePass {
    shader: shaders::Module,
    pipelines: HashMap<(PixelReading, &'static str), wgpu::ComputePipeline>,
    /// Placeholder for bindings that one of the passes does not read.
    nothing: wgpu::Buffer,
    made: Option<DifferenceDispatch>,
}

/// The resources for a pair of pictures, whatever their codes are.
#[derive(Debug)]
struct DifferenceDispatch {
    pair: [Operand; 2],
    params: DifferenceParams,
    /// The uniform buffer that holds `params`.
    params_buffer: wgpu::Buffer,
    unpack: Dispatch,
    subtract: Dispatch,
    result: WorkingPicture,
}

impl DifferencePass {
    /// Creates the passes.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            shader: shaders::DIFFERENCE.module(&gpu.device),
            pipelines: HashMap::new(),
            nothing: storage(&gpu.device, "nothing", 4),
            made: None,
        }
    }

    /// Prepares the difference of a picture and another one; cheap if both are like the previous ones.
    ///
    /// # Errors
    /// [`GpuError::PictureTooLarge`] if the adapter cannot hold a picture derived from either.
    pub fn prepare(&mut self, gpu: &Gpu, pair: [Operand; 2], gain: Gain) -> Result<(), GpuError> {
        // Drops the old pictures first, so that large pictures are not held twice.
        let made = self.made.take().filter(|made| made.pair == pair);
        let mut made = match made {
            Some(made) => made,
            None => self.make(gpu, pair, gain)?,
        };
        if made.params.gain != gain.times() {
            made.params.gain = gain.times();
            gpu.queue.write_buffer(&made.params_buffer, 0, bytemuck::bytes_of(&made.params));
        }
        self.made = Some(made);
        Ok(())
    }

    fn make(&mut self, gpu: &Gpu, pair: [Operand; 2], gain: Gain) -> Result<DifferenceDispatch, GpuError> {
        let device = &gpu.device;
        let [(size, bits), (other_size, other_bits)] =
            pair.map(|operand| (operand.extent.size, operand.reading.layout.bin_bits()));
        let luminance = pair[0].reading.luminance;
        let codes = WorkingPicture::new(gpu, other_size, other_bits, luminance)?;
        let result = WorkingPicture::new(gpu, size, bits, luminance)?;
        let mapping = Mapping::new(pair[0].extent, pair[1].extent);
        let params = DifferenceParams {
            other_size: other_size.into(),
            other_bits,
            is_turned: mapping.is_turned.into(),
            gain: gain.times(),
            padding: [0; 3],
        };
        let places = [mapping.columns, mapping.rows].concat();
        let place_buffer = storage(device, "places", places.len());
        gpu.queue.write_buffer(&place_buffer, 0, bytemuck::cast_slice(&places));
        let told = uniform(gpu, "difference", &params);
        let dispatch = |pipeline, of: (u32, u32), [read, places, written]: [&wgpu::Buffer; 3]| Dispatch {
            pipeline,
            group: groups::DIFFERENCE.bind(device, &[&told, read, places, written]),
            workgroups: (of.0.div_ceil(WORKGROUP), of.1.min(MAX_ROWS)),
        };
        let [unpacks, subtracts] =
            [(pair[1].reading, "unpack"), (pair[0].reading, "subtract")].map(|(reading, entry)| {
                let shader = &self.shader;
                let pipeline = || shader.compute(device, entry, &reading.constants());
                self.pipelines.entry((reading, entry)).or_insert_with(pipeline).clone()
            });
        let unpack = dispatch(unpacks, other_size, [&self.nothing, &self.nothing, &codes.buffer]);
        let subtract = dispatch(subtracts, size, [&codes.buffer, &place_buffer, &result.buffer]);
        Ok(DifferenceDispatch { pair, params, params_buffer: told, unpack, subtract, result })
    }

    /// Computes the difference in the caller's compute pass, from the pictures bound by these groups.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, [picture, other]: [&wgpu::BindGroup; 2]) {
        let Some(made) = &self.made else { return };
        made.unpack.run(pass, Some(other));
        made.subtract.run(pass, Some(picture));
    }

    /// Returns the picture that the next dispatch makes; `None` if nothing has been prepared.
    #[must_use]
    pub fn result(&self) -> Option<&WorkingPicture> {
        self.made.as_ref().map(|made| &made.result)
    }
}

//! The integers of a lookup table in the GPU's memory.

use super::recolor::{Change, RecolorParams};
use crate::gpu::Gpu;
use crate::gpu::resources::storage;
use histoscope_core::adjust::Lut;
use histoscope_core::adjust::lut::FRACTION_BITS;

/// The buffers of a table at one depth.
#[derive(Debug)]
pub(super) struct LutBuffers {
    lut: Lut,
    bits: u32,
    /// The curves of red, green and blue.
    pub(super) curves: wgpu::Buffer,
    /// The cube's nodes in two words each: red and green, blue.
    pub(super) nodes: Option<wgpu::Buffer>,
    /// Nodes along each edge of the cube, and the right shift from a weighted sum of nodes to a code.
    cube: [u32; 2],
}

impl LutBuffers {
    /// Uploads a table for codes of `bits` bits.
    pub(super) fn new(gpu: &Gpu, lut: Lut, bits: u32) -> Self {
        let tables = lut.tables(bits);
        let upload = |label, words: &[u32]| {
            let buffer = storage(&gpu.device, label, words.len());
            gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
            buffer
        };
        let nodes = tables.cube.as_ref().map(|cube| {
            let words = |&[red, green, blue]: &[u16; 3]| [u32::from(red) | u32::from(green) << 16, blue.into()];
            upload("LUT's nodes", &cube.nodes.iter().flat_map(words).collect::<Vec<_>>())
        });
        let cube = tables.cube.as_ref().map_or([0; 2], |cube| [cube.side, FRACTION_BITS + cube.unit_bits(bits)]);
        Self { lut, bits, curves: upload("LUT's curves", &tables.curves), nodes, cube }
    }

    /// Returns `true` if the buffers hold this table at this depth.
    pub(super) fn is_of(&self, lut: Lut, bits: u32) -> bool {
        (self.lut, self.bits) == (lut, bits)
    }

    /// Returns the change to every pixel.
    pub(super) fn change(&self) -> (Change, RecolorParams) {
        let change = if self.nodes.is_some() { Change::Cube } else { Change::Channels };
        (change, RecolorParams { cube: self.cube, ..RecolorParams::default() })
    }
}

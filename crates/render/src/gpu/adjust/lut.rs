//! The integers of a lookup table in the GPU's memory.

use super::recolor::{Change, RecolorParams};
use crate::gpu::Gpu;
use crate::gpu::resources::storage;
use histoscope_core::adjust::Lut;
use histoscope_core::adjust::lut::{FRACTION_BITS, Stage};

/// The buffers of a table at one depth.
#[derive(Debug)]
pub(super) struct LutBuffers {
    lut: Lut,
    bits: u32,
    /// The curves of red, green and blue.
    pub(super) curves: wgpu::Buffer,
    /// The cube's nodes in two words each, red and green, blue; or the matrix and the codes of light.
    pub(super) stage: Option<wgpu::Buffer>,
    change: Change,
    params: RecolorParams,
}

impl LutBuffers {
    /// Uploads a table for codes of `bits` bits.
    pub(super) fn new(gpu: &Gpu, lut: Lut, bits: u32) -> Self {
        let tables = lut.tables(bits);
        let upload = |label, words: &[u32]| {
            let buffer = storage(&gpu.device, label, words.len().next_multiple_of(2));
            gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
            buffer
        };
        let (change, stage, cube) = match &tables.stage {
            Stage::Done => (Change::Channels, None, [0; 2]),
            Stage::Cube(cube) => {
                let words = |&[red, green, blue]: &[u16; 3]| [u32::from(red) | u32::from(green) << 16, blue.into()];
                let nodes = upload("LUT's nodes", &cube.nodes.iter().flat_map(words).collect::<Vec<_>>());
                (Change::Cube, Some(nodes), [cube.side, FRACTION_BITS + cube.unit_bits(bits)])
            }
            Stage::Gamut(gamut) => {
                let matrix = gamut.matrix.iter().flatten().map(|weight| weight.cast_unsigned());
                let words: Vec<_> = matrix.chain(gamut.codes.iter().map(|&code| code.into())).collect();
                (Change::Gamut, Some(upload("LUT's gamut", &words)), [0; 2])
            }
        };
        let params = RecolorParams { cube, ..RecolorParams::default() };
        Self { lut, bits, curves: upload("LUT's curves", &tables.curves), stage, change, params }
    }

    /// Returns `true` if the buffers hold this table at this depth.
    pub(super) fn is_of(&self, lut: Lut, bits: u32) -> bool {
        (self.lut, self.bits) == (lut, bits)
    }

    /// Returns the change to every pixel.
    pub(super) const fn change(&self) -> (Change, RecolorParams) {
        (self.change, self.params)
    }
}

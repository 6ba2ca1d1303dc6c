//! What shaders need to compute the pairs that a vectorscope counts.

use bytemuck::{Pod, Zeroable};

use super::Gpu;
use super::resources::storage;
use histoscope_core::scopes::{Diamond, Differences, PairComputation};

/// `PairWeights` of shaders/pairs.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct PairWeights {
    /// Weights of red, green and blue in Cb, or in the first coordinate of a chromaticity, and what is added to the
    /// products.
    pub first: [i32; 4],
    /// The same for Cr, or for the second coordinate.
    pub second: [i32; 4],
    /// The same for the sum that divides both coordinates.
    pub whole: [i32; 4],
}

impl PairWeights {
    /// Returns the weights of a computation; without one, none.
    #[must_use]
    pub fn of(computation: Option<&PairComputation>) -> Self {
        match computation {
            None => Self::default(),
            Some(PairComputation::Differences(Differences { weights: [cb, cr], bias, .. })) => {
                let with_bias = |[red, green, blue]: [i32; 3]| [red, green, blue, *bias];
                Self { first: with_bias(*cb), second: with_bias(*cr), whole: [0; 4] }
            }
            Some(PairComputation::Chromaticity(table)) => {
                // At most 2^16.
                let [first, second, whole] = table.weights.map(|row| row.map(|weight| weight as i32));
                Self { first, second, whole }
            }
            Some(PairComputation::Diamond(Diamond { weight, bias })) => {
                Self { first: [*weight, 0, 0, *bias], ..Self::default() }
            }
        }
    }
}

/// The source of pairs, as numbered in shaders/pairs.wgsl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PairSource {
    /// Cb and Cr as coded.
    Coded = 1,
    /// Colour differences of R'G'B' codes.
    Differences = 2,
    /// Chromaticities.
    Chromaticities = 3,
    /// The double diamond.
    Diamonds = 4,
}

impl PairSource {
    /// Returns the source of pairs with this computation.
    #[must_use]
    pub const fn of(computation: Option<&PairComputation>) -> Self {
        match computation {
            None => Self::Coded,
            Some(PairComputation::Differences(_)) => Self::Differences,
            Some(PairComputation::Chromaticity(_)) => Self::Chromaticities,
            Some(PairComputation::Diamond(_)) => Self::Diamonds,
        }
    }

    /// Returns the number of pairs of a sample.
    #[must_use]
    pub const fn per_sample(self) -> u32 {
        if matches!(self, Self::Diamonds) { 2 } else { 1 }
    }
}

/// Writes the linear light of each code into `light`, which is replaced if it is too small. Other pairs need none.
pub fn write_light(gpu: &Gpu, light: &mut wgpu::Buffer, computation: Option<&PairComputation>) {
    let Some(PairComputation::Chromaticity(table)) = computation else { return };
    let lights = table.light();
    if light.size() < size_of_val(lights) as u64 {
        *light = storage(&gpu.device, "light of codes", lights.len());
    }
    gpu.queue.write_buffer(light, 0, bytemuck::cast_slice(lights));
}

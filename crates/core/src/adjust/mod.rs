//! Adjustments driven by histograms: equalization, CLAHE, thresholds, posterization, and the low-pass before them.
//!
//! This module defines each of them in integers, with their parameters. The passes of `histoscope_render::gpu::adjust`
//! give the same codes exactly. If the only adapter is software, [`Processor`] does the work instead. [`plain`]
//! defines the same pixel by pixel, for tests.
//!
//! A picture becomes R'G'B' codes at its own bin depth, by the conversion that counting uses ([`Codes`]). Then these
//! steps follow, as far as they are on: [`blur`], a tone mapping ([`equalize`] or [`clahe`]), and a reduction to few
//! tones ([`posterize`] or [`otsu`]). The result is packed R'G'B', full range, which every engine counts and draws
//! like any other picture.

mod bins;
pub mod blur;
mod choices;
pub mod clahe;
mod codes;
pub mod difference;
pub mod equalize;
mod kind;
pub mod otsu;
mod parameters;
pub mod plain;
pub mod posterize;
mod processor;
mod recolor;

pub use choices::Choices;
pub use codes::scaled;
pub use codes::working_colorimetry;
pub use codes::{Codes, working_layout};
pub use difference::Gain;
pub use kind::{Adjustment, CLIP_LIMITS, Parameter, TIME_CONSTANTS, clip_limit_text, place_on, time_constant_text};
pub use parameters::{
    Adjustments, Blur, Clahe, ClassDisplay, Equalize, Otsu, ParseError, Placing, Posterize, Reduction, Tone,
};
pub use processor::Processor;

/// Returns ⌊value · factor / divisor⌋ and the remainder, for counts whose product may need more than 32 bits.
///
/// The shaders have no 64-bit integers and find the same from a guess in floats (shaders/adjust/exact.wgsl).
#[must_use]
pub fn mul_div(value: u32, factor: u32, divisor: u32) -> (u32, u32) {
    let product = u64::from(value) * u64::from(factor);
    let divisor = u64::from(divisor.max(1));
    ((product / divisor) as u32, (product % divisor) as u32)
}

/// Returns value · factor / divisor, rounded; halves are rounded up.
#[must_use]
pub fn mul_div_rounded(value: u32, factor: u32, divisor: u32) -> u32 {
    let (quotient, remainder) = mul_div(value, factor, divisor);
    quotient + u32::from(2 * u64::from(remainder) >= u64::from(divisor.max(1)))
}

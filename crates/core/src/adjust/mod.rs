//! Adjustments: lookup tables, a low-pass, and those driven by histograms: equalization, CLAHE, thresholds and
//! posterization.
//!
//! This module defines each adjustment in integers, with its parameters. The passes of `histoscope_render::gpu::adjust`
//! produce exactly the same codes. [`Processor`] does the work on the CPU if the only adapter is software.
//! [`mod@reference`] is the reference implementation, pixel by pixel.
//!
//! A picture is first converted to R'G'B' [`Codes`] at its own bin depth, as for counting. The steps that are on then
//! follow: a lookup table ([`lut`]), [`blur`], a tone mapping ([`equalize`] or [`clahe`]), and a reduction to few tones
//! ([`posterize`] or [`otsu`]). The result is packed full-range R'G'B', which every engine counts and draws like any
//! other picture.

mod bins;
pub mod blur;
mod camera_log;
mod chain;
pub mod clahe;
mod codes;
mod cube_file;
pub mod difference;
pub mod equalize;
pub mod lut;
pub mod otsu;
mod parameters;
mod parse_error;
pub mod posterize;
mod processor;
mod recolor;
pub mod reference;

pub use blur::Blur;
pub use camera_log::CameraLog;
pub use chain::{Adjustment, Adjustments, Choices, Reduction, Tone};
pub use clahe::Clahe;
pub use codes::scaled;
pub use codes::working_colorimetry;
pub use codes::{Codes, working_layout};
pub use cube_file::LutError;
pub use difference::Gain;
pub use equalize::Equalize;
pub use lut::{Lut, StopScale};
pub use otsu::{ClassDisplay, Otsu};
pub use parameters::{Field, Parameter, Parameters};
pub use parse_error::ParseError;
pub use posterize::{Placing, Posterize};
pub use processor::Processor;

/// Returns ⌊value · factor / divisor⌋ and the remainder. The product may exceed 32 bits.
///
/// The shaders have no 64-bit integers and obtain the same result by correcting a floating-point estimate
/// (shaders/adjust/exact.wgsl).
#[must_use]
pub fn mul_div(value: u32, factor: u32, divisor: u32) -> (u32, u32) {
    let product = u64::from(value) * u64::from(factor);
    let divisor = u64::from(divisor.max(1));
    ((product / divisor) as u32, (product % divisor) as u32)
}

/// Returns value · factor / divisor, rounded to nearest, with halves rounded up.
#[must_use]
pub fn mul_div_rounded(value: u32, factor: u32, divisor: u32) -> u32 {
    let (quotient, remainder) = mul_div(value, factor, divisor);
    quotient + u32::from(2 * u64::from(remainder) >= u64::from(divisor.max(1)))
}

//! Decoded pictures: native planes, their interpretation, and frame metadata.

pub mod bars;
mod clamped;
pub mod color;
pub mod crop;
pub mod field;
mod frame;
pub mod layout;
pub mod luminance;
pub mod nonlinear;
mod point;
pub mod primaries;
pub mod region;
pub mod stated_light;
mod timecode;
pub mod transfer;
pub mod unpack;

pub use clamped::{ClampedSamples, OutOfRange};
pub use frame::*;
pub use point::Point;
pub use timecode::{Timecode, TimecodeRate, TimecodeSource, Timecodes};

//! What a decoded picture is: native planes, how to read them, and when to show them.

pub mod bars;
mod clamped;
pub mod color;
mod frame;
pub mod layout;
#[cfg(test)]
pub mod made;
pub mod region;
pub(crate) mod unpack;

pub use clamped::{ClampedSamples, OutOfRange};
pub use frame::*;

//! What is measured of the frame on screen: its bins, its light, its marked pixels.

pub mod bins;
pub mod frame_light;
pub mod marked;

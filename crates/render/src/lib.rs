//! Counting and drawing: on the GPU through wgpu, or on the CPU if there is no usable GPU.

pub mod cpu;
pub mod engine;
pub mod gpu;
pub mod labels;
pub mod view;

//! Counting and drawing: on the GPU through wgpu, or on the processor where there is none.

pub mod cpu;
pub mod engine;
pub mod gpu;
pub mod view;

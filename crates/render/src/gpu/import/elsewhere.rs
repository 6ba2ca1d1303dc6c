//! Stub for platforms without Vulkan.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use histoscope_core::picture::Memory;

/// A device that can import the program's memory; there is none on this platform.
#[derive(Debug)]
pub enum HostMemory {}

/// Returns `None`: no such device exists here.
pub const fn open(
    _: &wgpu::Adapter,
    _: &wgpu::DeviceDescriptor<'_>,
) -> Option<(wgpu::Device, wgpu::Queue, HostMemory)> {
    None
}

impl HostMemory {
    /// Cannot be called, because there is no value of this type.
    ///
    /// # Errors
    /// Never.
    pub const fn import(
        &self,
        _: &wgpu::Device,
        _: &Arc<Memory>,
        _: &Arc<AtomicUsize>,
    ) -> Result<wgpu::Buffer, String> {
        match *self {}
    }
}

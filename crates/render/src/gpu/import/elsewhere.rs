//! Where there is no Vulkan, there is nothing to ask.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use histoscope_core::picture::Memory;

/// A device that takes memory which the program has, of which there is none.
#[derive(Debug)]
pub enum HostMemory {}

/// Opens no device.
pub const fn open(
    _: &wgpu::Adapter,
    _: &wgpu::DeviceDescriptor<'_>,
) -> Option<(wgpu::Device, wgpu::Queue, HostMemory)> {
    None
}

impl HostMemory {
    /// Is never called.
    ///
    /// # Errors
    /// None.
    pub const fn import(
        &self,
        _: &wgpu::Device,
        _: &Arc<Memory>,
        _: &Arc<AtomicUsize>,
    ) -> Result<wgpu::Buffer, String> {
        match *self {}
    }
}

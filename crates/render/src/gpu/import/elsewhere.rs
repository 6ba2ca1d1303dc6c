//! Stub for platforms without Vulkan.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use histoscope_core::picture::{Memory, SharedHandle};

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

/// Memory of the device that other programming interfaces can open.
pub struct SharedBuffer {
    pub buffer: wgpu::Buffer,
    pub handle: SharedHandle,
    pub bytes: u64,
    pub memory_type: u32,
    pub device: [u8; 16],
}

impl HostMemory {
    /// Cannot be called, because there is no value of this type.
    pub const fn share(&self, _: &wgpu::Device, _: u64, _: &Arc<AtomicUsize>) -> Option<Result<SharedBuffer, String>> {
        match *self {}
    }

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

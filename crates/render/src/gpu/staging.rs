//! Reusable memory through which planes are uploaded to the GPU.
//!
//! A queue's own write method allocates new memory for every frame. The system has to clear it and the driver to pin
//! it, which takes longer than copying a picture.

use std::sync::mpsc::{self, Receiver, Sender};

use super::Gpu;

/// Buffers that the CPU writes and the GPU copies from.
#[derive(Debug)]
pub(super) struct Staging {
    /// Mapped buffers that are not in use.
    idle: Receiver<wgpu::Buffer>,
    /// Returns buffers to `idle` once the GPU has copied from them.
    home: Sender<wgpu::Buffer>,
}

/// A buffer that the commands being recorded copy from.
#[derive(Debug)]
#[must_use = "call `submitted` after submitting, or the buffer is never reused"]
pub(super) struct Staged {
    buffer: wgpu::Buffer,
    home: Sender<wgpu::Buffer>,
}

impl Staging {
    /// Creates staging memory without any buffers.
    pub fn new() -> Self {
        let (home, idle) = mpsc::channel();
        Self { idle, home }
    }

    /// Returns a mapped buffer of at least `bytes` bytes.
    pub fn take(&self, gpu: &Gpu, bytes: u64) -> Staged {
        // Buffers of a different size belong to another video and are dropped.
        let fits = |buffer: &wgpu::Buffer| (bytes..=2 * bytes).contains(&buffer.size());
        let buffer = self.idle.try_iter().find(fits).unwrap_or_else(|| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("staging"),
                size: bytes,
                usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: true,
            })
        });
        Staged { buffer, home: self.home.clone() }
    }

    /// Frees the memory that is not in use.
    pub fn release(&self) {
        self.idle.try_iter().for_each(drop);
    }
}

impl Staged {
    /// Returns the memory to write to; `None` if the device has failed, which [`Gpu::check`] reports.
    pub fn view(&self) -> Option<wgpu::BufferViewMut> {
        self.buffer.get_mapped_range_mut(..).ok()
    }

    /// Returns the buffer to copy from. All writing to its memory must be finished.
    pub fn written(&self) -> &wgpu::Buffer {
        self.buffer.unmap();
        &self.buffer
    }

    /// Must be called after the copying commands are submitted. Returns the buffer to the idle ones when they are done.
    pub fn submitted(self) {
        let Self { buffer, home } = self;
        let mapped = buffer.clone();
        buffer.map_async(wgpu::MapMode::Write, .., move |result| {
            // A failed device maps nothing, and nothing receives the buffer if the video has been closed.
            if result.is_ok() {
                let _ = home.send(mapped);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::AdapterChoice;

    #[test]
    fn memory_is_reused_once_the_gpu_has_copied_from_it() {
        let gpu = Gpu::headless(&AdapterChoice::default()).expect("an adapter, if only a software one");
        let staging = Staging::new();
        let use_once = |bytes| {
            let staged = staging.take(&gpu, bytes);
            staged.view().expect("a mapped buffer").copy_from_slice(&vec![7; staged.buffer.size() as usize]);
            let buffer = staged.written().clone();
            gpu.queue.submit([]);
            staged.submitted();
            gpu.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device works");
            buffer
        };
        let first = use_once(4096);
        assert_eq!(use_once(4096), first);
        assert_eq!(use_once(2048), first, "a little more than is needed will do");
        let (one, other) = (staging.take(&gpu, 4096), staging.take(&gpu, 4096));
        assert_ne!(one.buffer, other.buffer, "what is in use is not given away");
        one.written();
        one.submitted();
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device works");
        assert_ne!(use_once(1024), first, "another video's memory is not kept");
    }
}

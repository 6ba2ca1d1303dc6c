//! Common kinds of buffers and dispatches.

use super::Gpu;

/// Creates a buffer of `words` words, at least four.
pub fn buffer(device: &wgpu::Device, label: &str, words: usize, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: words.max(4) as u64 * 4,
        usage,
        mapped_at_creation: false,
    })
}

/// Creates a buffer that passes read and write, and that can be read back.
pub fn storage(device: &wgpu::Device, label: &str, words: usize) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    buffer(device, label, words, usage)
}

/// Creates a buffer with these parameters.
pub fn uniform<P: bytemuck::NoUninit>(gpu: &Gpu, label: &str, params: &P) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let uniform = buffer(&gpu.device, label, size_of::<P>().div_ceil(4), usage);
    gpu.queue.write_buffer(&uniform, 0, bytemuck::bytes_of(params));
    uniform
}

/// A dispatch with everything it needs, except the bind group of the picture if it reads one.
#[derive(Debug, Clone)]
pub struct Dispatch {
    /// The pipeline.
    pub pipeline: wgpu::ComputePipeline,
    /// Group 1 of a pass that reads a picture, otherwise group 0.
    pub group: wgpu::BindGroup,
    /// Workgroups per row, and number of rows.
    pub workgroups: (u32, u32),
}

impl Dispatch {
    /// Runs the dispatch in the caller's compute pass, on the picture of this bind group if it reads one.
    pub fn run(&self, pass: &mut wgpu::ComputePass<'_>, picture: Option<&wgpu::BindGroup>) {
        pass.set_pipeline(&self.pipeline);
        match picture {
            Some(picture) => {
                pass.set_bind_group(0, picture, &[]);
                pass.set_bind_group(1, &self.group, &[]);
            }
            None => pass.set_bind_group(0, &self.group, &[]),
        }
        pass.dispatch_workgroups(self.workgroups.0, self.workgroups.1, 1);
    }
}

/// Arranges `count` workgroups in rows that do not exceed the limit of a dispatch; the last row may have a few too
/// many.
#[must_use]
pub fn rows_of_workgroups(count: u32) -> (u32, u32) {
    const ROW: u32 = 1 << 15;
    if count <= ROW { (count, 1) } else { (ROW, count.div_ceil(ROW)) }
}

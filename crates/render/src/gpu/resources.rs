//! Buffers and dispatches of the kinds that the passes use.

use super::Gpu;

/// A buffer of that many words, four at least.
pub fn buffer(device: &wgpu::Device, label: &str, words: usize, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: words.max(4) as u64 * 4,
        usage,
        mapped_at_creation: false,
    })
}

/// A buffer that passes read and write, and tests read back.
pub fn storage(device: &wgpu::Device, label: &str, words: usize) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    buffer(device, label, words, usage)
}

/// A buffer of parameters.
pub fn uniform<P: bytemuck::NoUninit>(gpu: &Gpu, label: &str, params: &P) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let uniform = buffer(&gpu.device, label, size_of::<P>().div_ceil(4), usage);
    gpu.queue.write_buffer(&uniform, 0, bytemuck::bytes_of(params));
    uniform
}

/// A dispatch that has all it needs but, for those that read a picture, that picture's bind group.
#[derive(Debug, Clone)]
pub struct Dispatch {
    /// The pipeline.
    pub pipeline: wgpu::ComputePipeline,
    /// Group 1 of passes that read a picture, else group 0.
    pub group: wgpu::BindGroup,
    /// Workgroups in a row, and rows of them.
    pub workgroups: (u32, u32),
}

impl Dispatch {
    /// Dispatches it in a compute pass of the caller's, on the picture of that bind group if it reads one.
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

/// So many workgroups in rows of at most as many as a dispatch may have; a few in the last row may be too many.
#[must_use]
pub fn rows_of_workgroups(count: u32) -> (u32, u32) {
    const ROW: u32 = 1 << 15;
    if count <= ROW { (count, 1) } else { (ROW, count.div_ceil(ROW)) }
}

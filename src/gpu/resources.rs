//! Making what passes are made of: layouts, bind groups, pipelines and buffers of the kinds that this program uses.

/// The layout of a bind group of buffers that are bound in order from 0.
pub fn group_layout(
    device: &wgpu::Device,
    label: &str,
    buffers: &[(wgpu::ShaderStages, wgpu::BufferBindingType)],
) -> wgpu::BindGroupLayout {
    let entry = |(&(visibility, ty), binding)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let entries: Vec<_> = buffers.iter().zip(0..).map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

/// A bind group of whole buffers, bound in order from 0.
pub fn bind(
    device: &wgpu::Device,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    buffers: &[&wgpu::Buffer],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries: &entries })
}

/// The layout of a pipeline of these groups.
pub fn pipeline_layout(device: &wgpu::Device, label: &str, groups: &[&wgpu::BindGroupLayout]) -> wgpu::PipelineLayout {
    let groups: Vec<_> = groups.iter().map(|&group| Some(group)).collect();
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: &groups,
        immediate_size: 0,
    })
}

/// A compute pipeline; without a layout, that of the shader.
pub fn compute(
    device: &wgpu::Device,
    label: &str,
    layout: Option<&wgpu::PipelineLayout>,
    module: &wgpu::ShaderModule,
    entry_point: &str,
    constants: &[(&str, f64)],
) -> wgpu::ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(label),
        layout,
        module,
        entry_point: Some(entry_point),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants,
            // Every pass writes workgroup memory before it reads it, each invocation its part. What wgpu would add in
            // front may be one invocation that clears it all.
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    })
}

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

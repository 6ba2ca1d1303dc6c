//! The passes of the adjustments: each of what [`crate::adjust`] defines, on the GPU, to the same codes.
//!
//! [`Chain`] puts them together: from a picture's planes, and the bins that the counting passes left, to an adjusted picture
//! in a buffer ([`WorkingPicture`]), which the counting and drawing passes read as they read any other. Nothing is read
//! back: what a frame's histogram decides is computed by passes of one workgroup or a few from the bins, by way of
//! the prefix sum of [`scan`].

mod blur;
mod chain;
mod clahe;
mod curves;
mod otsu;
pub mod params;
mod point;
pub mod scan;
mod working;

pub use blur::{BlurPass, BlurPlan};
pub use chain::{Chain, Source};
pub use working::WorkingPicture;

use super::shared::PICTURE_WGSL;

/// The shared text of passes that read a picture four pixels at a time.
const QUADS_WGSL: &str = include_str!("../../shaders/adjust/quads.wgsl");
/// The shared text of passes that need integers beyond 32 bits.
const EXACT_WGSL: &str = include_str!("../../shaders/adjust/exact.wgsl");

/// Name and whole source of every pass's module, for checking them without an adapter.
#[must_use]
pub fn sources() -> Vec<(&'static str, String)> {
    vec![
        ("scan", scan::source()),
        ("curves", curves::source()),
        ("point", point::source()),
        ("blur", blur::source()),
        ("tiles", clahe::tiles_source()),
        ("tile_curves", clahe::curves_source()),
        ("otsu", otsu::source()),
    ]
}

/// The source of a pass that reads a picture.
fn with_quads(pass: &str) -> String {
    [PICTURE_WGSL, QUADS_WGSL, pass].join("\n")
}

fn with_exact(pass: &str) -> String {
    [EXACT_WGSL, pass].join("\n")
}

/// A module without the counters by which wgpu would end every loop that runs too long.
fn module(device: &wgpu::Device, label: &str, source: &str) -> wgpu::ShaderModule {
    let descriptor =
        wgpu::ShaderModuleDescriptor { label: Some(label), source: wgpu::ShaderSource::Wgsl(source.into()) };
    let checks = wgpu::ShaderRuntimeChecks { force_loop_bounding: false, ..wgpu::ShaderRuntimeChecks::checked() };
    // SAFETY: the sources are this program's own, and every loop in them counts towards an end that does not depend on what
    // is read from pictures or bins. All other checks stay.
    unsafe { device.create_shader_module_trusted(descriptor, checks) }
}

/// What a binding of a pass is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binding {
    Uniform,
    Read,
    Write,
}

/// The layout of a bind group whose bindings are numbered from 0.
fn group_layout(device: &wgpu::Device, label: &str, bindings: &[Binding]) -> wgpu::BindGroupLayout {
    let entry = |(binding, &kind): (u32, &Binding)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match kind {
                Binding::Uniform => wgpu::BufferBindingType::Uniform,
                Binding::Read => wgpu::BufferBindingType::Storage { read_only: true },
                Binding::Write => wgpu::BufferBindingType::Storage { read_only: false },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<_> = (0..).zip(bindings).map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

/// A bind group of whole buffers, bound in order from 0.
fn bind(
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

fn pipeline_layout(device: &wgpu::Device, label: &str, groups: &[&wgpu::BindGroupLayout]) -> wgpu::PipelineLayout {
    let groups: Vec<_> = groups.iter().map(|&group| Some(group)).collect();
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: &groups,
        immediate_size: 0,
    })
}

fn compute(
    device: &wgpu::Device,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    entry_point: &str,
    constants: &[(&str, f64)],
) -> wgpu::ComputePipeline {
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry_point),
        layout: Some(layout),
        module,
        entry_point: Some(entry_point),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants,
            // Every pass writes what it reads of workgroup memory.
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    })
}

fn buffer(device: &wgpu::Device, label: &str, words: usize, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: words.max(4) as u64 * 4,
        usage,
        mapped_at_creation: false,
    })
}

/// A buffer that passes read and write, and tests read back.
fn storage(device: &wgpu::Device, label: &str, words: usize) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    buffer(device, label, words, usage)
}

/// A buffer of parameters.
fn uniform<P: bytemuck::NoUninit>(gpu: &super::Gpu, label: &str, params: &P) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let uniform = buffer(&gpu.device, label, size_of::<P>().div_ceil(4), usage);
    gpu.queue.write_buffer(&uniform, 0, bytemuck::bytes_of(params));
    uniform
}

/// A dispatch that has all it needs but, for those that read a picture, that picture's bind group.
#[derive(Debug, Clone)]
struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    /// Group 1 of passes that read a picture, else group 0.
    group: wgpu::BindGroup,
    workgroups: (u32, u32),
}

impl Dispatch {
    fn run(&self, pass: &mut wgpu::ComputePass<'_>, picture: Option<&wgpu::BindGroup>) {
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
fn rows_of_workgroups(count: u32) -> (u32, u32) {
    const ROW: u32 = 1 << 15;
    if count <= ROW { (count, 1) } else { (ROW, count.div_ceil(ROW)) }
}

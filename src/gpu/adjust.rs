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

pub use blur::{BlurJob, BlurPass, BlurPlan};
pub use chain::{Chain, Source};
pub use working::WorkingPicture;

use super::resources::{self, bind, buffer, pipeline_layout, storage};
use super::upload::with_quads;

/// The shared text of passes that need integers beyond 32 bits.
const EXACT_WGSL: &str = include_str!("../../shaders/adjust/exact.wgsl");

/// Name and whole source of every pass's module, for checking them without an adapter.
#[must_use]
pub fn sources() -> Vec<(&'static str, String)> {
    vec![
        ("scan", scan::source()),
        ("curves", curves::source()),
        ("point", point::source()),
        ("point_count", point::counting_source()),
        ("blur", blur::source()),
        ("tiles", clahe::tiles_source()),
        ("tile_curves", clahe::curves_source()),
        ("otsu", otsu::source()),
    ]
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

/// The layout of a bind group of a compute pass whose bindings are numbered from 0.
fn group_layout(device: &wgpu::Device, label: &str, bindings: &[Binding]) -> wgpu::BindGroupLayout {
    let kind = |binding: &Binding| match binding {
        Binding::Uniform => wgpu::BufferBindingType::Uniform,
        Binding::Read => wgpu::BufferBindingType::Storage { read_only: true },
        Binding::Write => wgpu::BufferBindingType::Storage { read_only: false },
    };
    let buffers: Vec<_> = bindings.iter().map(|binding| (wgpu::ShaderStages::COMPUTE, kind(binding))).collect();
    resources::group_layout(device, label, &buffers)
}

fn compute(
    device: &wgpu::Device,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    entry_point: &str,
    constants: &[(&str, f64)],
) -> wgpu::ComputePipeline {
    resources::compute(device, entry_point, Some(layout), module, entry_point, constants)
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

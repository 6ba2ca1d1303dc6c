//! The bind groups, with their bindings and layouts.

use Binding::{Drawn, Image, Read, Texture, Uniform, Write};
use wgpu::ShaderStages;

/// The kind of a binding in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// A buffer of parameters.
    Uniform,
    /// A buffer that is read.
    Read,
    /// A buffer that is written, and possibly read.
    Write,
    /// A texture of integers.
    Texture,
    /// A texture of real numbers, such as a view, read without a sampler.
    Drawn,
    /// A texture of 8-bit RGBA integers that is written.
    Image,
}

/// A bind group: its bindings, numbered from 0.
#[derive(Debug)]
pub struct GroupLayout {
    label: &'static str,
    stages: ShaderStages,
    /// The bindings.
    pub bindings: &'static [Binding],
}

const FRAGMENT_AND_COMPUTE: ShaderStages = ShaderStages::FRAGMENT.union(ShaderStages::COMPUTE);
const VERTEX_FRAGMENT_AND_COMPUTE: ShaderStages = FRAGMENT_AND_COMPUTE.union(ShaderStages::VERTEX);

impl GroupLayout {
    const fn of_compute(label: &'static str, bindings: &'static [Binding]) -> Self {
        Self { label, stages: ShaderStages::COMPUTE, bindings }
    }

    /// Creates its layout. wgpu treats all layouts created from the same group as the same one.
    #[must_use]
    pub fn layout(&self, device: &wgpu::Device) -> wgpu::BindGroupLayout {
        let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
        let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
        let view_dimension = wgpu::TextureViewDimension::D2;
        let texture = |sample_type| wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false };
        // Vertex shaders read only parameters, since not every adapter allows them other bindings.
        let but_vertex = self.stages.difference(ShaderStages::VERTEX);
        let entry = |(&binding, number)| {
            let (visibility, ty) = match binding {
                Uniform => (self.stages, buffer(wgpu::BufferBindingType::Uniform)),
                Read => (but_vertex, buffer(storage(true))),
                Write => (but_vertex, buffer(storage(false))),
                Texture => (but_vertex, texture(wgpu::TextureSampleType::Uint)),
                Drawn => (but_vertex, texture(wgpu::TextureSampleType::Float { filterable: false })),
                Image => {
                    let access = wgpu::StorageTextureAccess::WriteOnly;
                    let format = wgpu::TextureFormat::Rgba8Uint;
                    (but_vertex, wgpu::BindingType::StorageTexture { access, format, view_dimension })
                }
            };
            wgpu::BindGroupLayoutEntry { binding: number, visibility, ty, count: None }
        };
        let entries: Vec<_> = self.bindings.iter().zip(0..).map(entry).collect();
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(self.label), entries: &entries })
    }

    /// Creates a bind group of whole buffers.
    #[must_use]
    pub fn bind(&self, device: &wgpu::Device, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        self.bind_resources(device, buffers.iter().map(|buffer| buffer.as_entire_binding()))
    }

    /// Creates a bind group of resources of any kind.
    pub fn bind_resources<'a>(
        &self,
        device: &wgpu::Device,
        resources: impl IntoIterator<Item = wgpu::BindingResource<'a>>,
    ) -> wgpu::BindGroup {
        let entries: Vec<_> =
            (0..).zip(resources).map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
        let layout = self.layout(device);
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.label),
            layout: &layout,
            entries: &entries,
        })
    }
}

/// A picture: its parameters and three planes.
pub static PICTURE: GroupLayout =
    GroupLayout { label: "picture", stages: FRAGMENT_AND_COMPUTE, bindings: &[Uniform, Read, Read, Read] };
/// Chunks, and the scales that are prepared with them.
pub static CHUNKS: GroupLayout = GroupLayout::of_compute("chunks", &[Write, Write]);
/// The rectangle to count.
pub static REGION: GroupLayout = GroupLayout::of_compute("region", &[Uniform]);
/// Parameters, chunks, bins and scales.
pub static SUMS: GroupLayout = GroupLayout::of_compute("reduce", &[Uniform, Read, Write, Write]);
/// Bins and scales.
pub static SCALES: GroupLayout = GroupLayout::of_compute("scale", &[Read, Write]);
/// Placement of a picture on the view: parameters, nearest samples, lit pixels and tables of tone mapping.
pub static PLACEMENT: GroupLayout =
    GroupLayout { label: "placement", stages: VERTEX_FRAGMENT_AND_COMPUTE, bindings: &[Uniform, Read, Read, Read] };
/// A brush, and the counts of the pixels that it selects.
pub static SELECTION: GroupLayout = GroupLayout::of_compute("selection", &[Uniform, Write]);
/// Brushes, the selected pairs, planes of selected pixels, their number, and the linear light of each code.
pub static BRUSH: GroupLayout = GroupLayout::of_compute("brush", &[Uniform, Read, Write, Write, Read]);
/// Parameters, planes of selected pixels, their counts (bins, and those of a scope), and the linear light of each code.
pub static BRUSHED: GroupLayout = GroupLayout::of_compute("brushed", &[Uniform, Read, Write, Write, Read]);
/// Limits, and the number of pixels outside them.
pub static LIMITS: GroupLayout = GroupLayout::of_compute("limits", &[Uniform, Write]);
/// The counted part of a picture, the linear light of each code, and bins.
pub static LINEAR: GroupLayout = GroupLayout::of_compute("linear", &[Uniform, Read, Write]);
/// The counted part of a picture, the tables of light, bins, and totals of workgroups.
pub static PIXEL_LIGHT: GroupLayout = GroupLayout::of_compute("pixel light", &[Uniform, Read, Write, Write]);
/// Parameters, and the counts of a waveform.
pub static WAVEFORM: GroupLayout = GroupLayout::of_compute("waveform", &[Uniform, Write]);
/// Parameters, the counts of a vectorscope, and the linear light of each code.
pub static VECTORSCOPE: GroupLayout = GroupLayout::of_compute("vectorscope", &[Uniform, Write, Read]);
/// Parameters, and the counts or the painted pixels of a scope.
pub static TRACE: GroupLayout =
    GroupLayout { label: "trace", stages: ShaderStages::VERTEX_FRAGMENT, bindings: &[Uniform, Read] };
/// The lit pixels that the pass finds.
pub static LIGHT: GroupLayout = GroupLayout::of_compute("light", &[Write]);
/// Parameters, bins, scales, columns, the outlines' bins and scales, cumulative bins, strokes, and bins of linear
/// light.
pub static COLUMNS: GroupLayout =
    GroupLayout::of_compute("columns", &[Uniform, Read, Read, Write, Read, Read, Read, Write, Read]);
/// Parameters, columns, strokes and backdrop.
pub static OVERLAY: GroupLayout =
    GroupLayout { label: "overlay", stages: ShaderStages::VERTEX_FRAGMENT, bindings: &[Uniform, Read, Read, Read] };
/// Parameters, the drawn picture and the controls.
pub static OUTPUT: GroupLayout =
    GroupLayout { label: "output", stages: ShaderStages::FRAGMENT, bindings: &[Uniform, Drawn, Drawn] };
/// Parameters.
pub static DIVIDER: GroupLayout =
    GroupLayout { label: "divider", stages: ShaderStages::VERTEX_FRAGMENT, bindings: &[Uniform] };
/// Parameters, source, target and the blocks' sums.
pub static SCAN: GroupLayout = GroupLayout::of_compute("scan", &[Uniform, Read, Write, Write]);
/// Parameters, bins, cumulative bins, smoothed curves and curves.
pub static CURVES: GroupLayout = GroupLayout::of_compute("curves", &[Uniform, Read, Read, Write, Write]);
/// Parameters, codes of the other picture, positions in it, and the output.
pub static DIFFERENCE: GroupLayout = GroupLayout::of_compute("difference", &[Uniform, Read, Read, Write]);
/// Parameters, curves, axes and the recoloured picture.
pub static RECOLOR: GroupLayout = GroupLayout::of_compute("recolor", &[Uniform, Read, Read, Write]);
/// Sums along the rows: those of red and blue, and those of green.
pub static BLUR_ROWS: GroupLayout = GroupLayout::of_compute("blur across", &[Write, Write]);
/// Parameters, sums along the rows and the blurred picture.
pub static BLUR_COLUMNS: GroupLayout = GroupLayout::of_compute("blur down", &[Uniform, Read, Read, Write]);
/// Parameters and the bins of slices of tiles.
pub static TILES: GroupLayout = GroupLayout::of_compute("tiles", &[Uniform, Write]);
/// Parameters, the bins of slices of tiles, curves and packed curves.
pub static TILE_CURVES: GroupLayout = GroupLayout::of_compute("tile curves", &[Uniform, Read, Write, Write]);
/// Bins, cumulative bins, moments, scores and thresholds.
pub static OTSU: GroupLayout = GroupLayout::of_compute("otsu", &[Read, Read, Write, Write, Write]);
/// Parameters, an adjusted picture and the part cropped from it.
pub static CROP: GroupLayout = GroupLayout::of_compute("crop", &[Uniform, Read, Write]);
/// An image and its bins or chunks.
pub static IMAGE_BINS: GroupLayout = GroupLayout::of_compute("tutorial's count", &[Texture, Write]);
/// Whether a loop was stopped in a shader of the user's own.
pub static LAB_STOPPED: GroupLayout = GroupLayout::of_compute("stopped", &[Write]);
/// Chunks.
pub static CHUNK_SUM: GroupLayout = GroupLayout::of_compute("tutorial's sum", &[Write]);
/// Chunks and parameters.
pub static CHUNK_PAIRS: GroupLayout = GroupLayout::of_compute("tutorial's pairs", &[Write, Uniform]);
/// The image that the tutorial's methods count, as output.
pub static LAB_IMAGE: GroupLayout = GroupLayout::of_compute("lab's image", &[Image]);
/// The expected bins.
pub static LAB_EXPECTED: GroupLayout = GroupLayout::of_compute("expected bins", &[Write]);
/// Parameters, an image and the blurred one.
pub static LAB_BLUR: GroupLayout = GroupLayout::of_compute("tutorials' blur", &[Uniform, Read, Write]);
/// Bins, and the counts at which their bars touch the top.
pub static LAB_FULL: GroupLayout = GroupLayout::of_compute("lab's scale", &[Read, Write]);
/// Bins, the counts at which their bars touch the top, colours, and columns to find.
pub static LAB_COLUMNS: GroupLayout = GroupLayout::of_compute("lab's columns", &[Read, Read, Read, Write]);
/// Bins, the counts at which their bars touch the top, colours, and columns to draw.
pub static LAB_BARS: GroupLayout =
    GroupLayout { label: "lab's bars", stages: ShaderStages::FRAGMENT, bindings: &[Read, Read, Read, Read] };
/// Counted bins, and the regrouped bins made from them.
pub static REGROUP: GroupLayout = GroupLayout::of_compute("regroup", &[Read, Write]);
/// A word that is never read.
pub static FLOOR: GroupLayout = GroupLayout::of_compute("floor", &[Write]);

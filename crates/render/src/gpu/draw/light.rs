//! Turns views into light, for displays for HDR.
//!
//! The picture and the controls over it are drawn to textures of their own: the picture as light of BT.709, as precise
//! as the best surfaces take it, and the controls as codes. The last pass joins them. So controls have the same
//! colours, and the same brightness relative to SDR's white, as on a display for SDR.

use bytemuck::{Pod, Zeroable};

use crate::gpu::Gpu;
use crate::gpu::output::{Encoding, Output};
use crate::gpu::readback::{VIEW_FORMAT, VIEW_USAGE};
use crate::gpu::resources::uniform;
use crate::gpu::shaders::{self, groups};
use crate::gpu::timing::Spans;

/// `Output` of shaders/output.wgsl.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct OutputParams {
    /// The factor from light relative to white to the values of the output; for PQ, to 10,000 cd/m².
    pub scale: f32,
    /// `true` if the output is PQ.
    pub is_pq: u32,
    /// Unused.
    pub unused: [u32; 2],
}

const _: () = assert!(size_of::<OutputParams>() == 16);

/// Joins a picture and the controls over it, and writes their light.
#[derive(Debug)]
pub struct LightPass {
    pipeline: wgpu::RenderPipeline,
    params: wgpu::Buffer,
    layers: Option<Layers>,
}

/// The textures of a view.
#[derive(Debug, Clone)]
pub struct Layers {
    /// The picture.
    pub picture: wgpu::TextureView,
    /// What is over it, premultiplied by its opacity.
    pub controls: wgpu::TextureView,
    group: wgpu::BindGroup,
}

impl LightPass {
    /// Format of the picture's light, in which 1 is SDR's white.
    pub const PICTURE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
    /// Format of the controls' codes.
    pub const CONTROLS_FORMAT: wgpu::TextureFormat = VIEW_FORMAT;

    /// Creates the pass for an output; `None` if it shows codes as they are drawn.
    #[must_use]
    pub fn new(gpu: &Gpu, output: &Output) -> Option<Self> {
        let (unit, is_pq) = match output.encoding {
            Encoding::Codes => return None,
            Encoding::Linear { unit } => (unit as f32, false),
            Encoding::Pq => (10_000.0, true),
        };
        let params = OutputParams { scale: output.white as f32 / unit, is_pq: is_pq.into(), unused: [0; 2] };
        let module = shaders::OUTPUT.module(&gpu.device);
        Some(Self {
            pipeline: module.rectangle(&gpu.device, "emit", &[], output.format, None),
            params: uniform(gpu, "output", &params),
            layers: None,
        })
    }

    /// Returns the textures to draw a view of `size` pixels to.
    pub fn layers(&mut self, gpu: &Gpu, size: (u32, u32)) -> Layers {
        let has_size = |layers: &Layers| (layers.picture.texture().width(), layers.picture.texture().height()) == size;
        let kept = self.layers.take().filter(has_size);
        self.layers.insert(kept.unwrap_or_else(|| Layers::new(gpu, size, &self.params))).clone()
    }

    /// Records the light of the layers to a view, and ends the span that times the drawing.
    pub fn emit(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        layers: &Layers,
        view: &wgpu::TextureView,
        spans: Option<Spans<'_>>,
    ) {
        let timestamps = spans.map(|spans| spans.end_with_drawing(encoder, false));
        let pass = super::ViewPass { view, cleared: Some(wgpu::Color::BLACK), timestamps };
        let mut pass = pass.begin(encoder);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &layers.group, &[]);
        pass.draw(0..4, 0..1);
    }
}

impl Layers {
    fn new(gpu: &Gpu, (width, height): (u32, u32), params: &wgpu::Buffer) -> Self {
        let layer = |label, format| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: VIEW_USAGE | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        let picture = layer("picture", LightPass::PICTURE_FORMAT);
        let controls = layer("controls", LightPass::CONTROLS_FORMAT);
        let [below, over] = [&picture, &controls].map(wgpu::BindingResource::TextureView);
        let group = groups::OUTPUT.bind_resources(&gpu.device, [params.as_entire_binding(), below, over]);
        Self { picture, controls, group }
    }
}

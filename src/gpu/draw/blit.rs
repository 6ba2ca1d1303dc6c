//! The pass that shows pixels which the CPU has drawn for the view.

use super::rectangle_pipeline;
use crate::gpu::Gpu;

const BLIT_WGSL: &str = include_str!("../../../shaders/blit.wgsl");

/// Shows pixels made for the view.
#[derive(Debug)]
pub struct BlitPass {
    group_layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    target: Option<(wgpu::Texture, wgpu::BindGroup)>,
}

impl BlitPass {
    /// Makes the pass for views of `format`.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let device = &gpu.device;
        let group_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("blit"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::FRAGMENT,
                ty: wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Float { filterable: false },
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
                count: None,
            }],
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("blit"),
            bind_group_layouts: &[Some(&group_layout)],
            immediate_size: 0,
        });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("blit"),
            source: wgpu::ShaderSource::Wgsl(BLIT_WGSL.into()),
        });
        let pipeline = rectangle_pipeline(device, "blit", &layout, &module, "blit", &[], format, None);
        Self { group_layout, pipeline, target: None }
    }

    /// Queues the pixels of a view of `width` × `height`: four bytes each, red, green, blue and opacity, rows from the
    /// top.
    pub fn upload(&mut self, gpu: &Gpu, (width, height): (u32, u32), pixels: &[u8]) {
        let fits = |(texture, _): &(wgpu::Texture, _)| (texture.width(), texture.height()) == (width, height);
        if !self.target.as_ref().is_some_and(fits) {
            self.target = Some(self.make_target(gpu, width, height));
        }
        let Some((texture, _)) = &self.target else { return };
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width * 4), rows_per_image: Some(height) };
        gpu.queue.write_texture(texture.as_image_copy(), pixels, layout, texture.size());
    }

    fn make_target(&self, gpu: &Gpu, width: u32, height: u32) -> (wgpu::Texture, wgpu::BindGroup) {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("pixels"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("blit"),
            layout: &self.group_layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) }],
        });
        (texture, group)
    }

    /// Draws the pixels that were uploaded last.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        if let Some((_, group)) = &self.target {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..4, 0..1);
        }
    }
}

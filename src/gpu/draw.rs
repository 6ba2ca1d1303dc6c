//! Drawing: the picture first, then the histogram overlays over it, from the same buffers that were counted.

mod backdrop;
mod divider;
mod light;
pub mod overlay;
mod paint;
mod part;
mod text;
mod video;

pub use crate::view::overlay::Channels;
pub use backdrop::BackdropPass;
pub use divider::DividerPass;
pub use overlay::OverlayPass;
pub use paint::PaintPass;
pub use part::{Counted, Part};
pub use text::{FontTextures, Shapes, TextPass};
pub use video::{Side, VideoPass};

/// The blend of premultiplied colours over what is there.
const OVER: wgpu::BlendState = wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING;

/// A render pipeline that draws one rectangle of four corners, made in the vertex shader, to a view of `format`.
#[expect(clippy::too_many_arguments, reason = "each argument is one field of wgpu's descriptor, named there")]
fn rectangle_pipeline(
    device: &wgpu::Device,
    label: &str,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    fragment: &str,
    constants: &[(&str, f64)],
    format: wgpu::TextureFormat,
    blend: Option<wgpu::BlendState>,
) -> wgpu::RenderPipeline {
    let compilation_options = wgpu::PipelineCompilationOptions { constants, ..Default::default() };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(label),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("corner"),
            compilation_options: compilation_options.clone(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState { topology: wgpu::PrimitiveTopology::TriangleStrip, ..Default::default() },
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options,
            targets: &[Some(wgpu::ColorTargetState { format, blend, write_mask: wgpu::ColorWrites::ALL })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

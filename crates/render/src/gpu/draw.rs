//! Drawing: first the picture, then the histogram overlays on top of it, from the same buffers that were counted.

mod backdrop;
mod divider;
mod light;
pub mod overlay;
mod paint;
pub mod scopes;
mod text;
mod video;

pub use crate::view::overlay::Channels;
pub use backdrop::BackdropPass;
pub use divider::{DividerParams, DividerPass};
pub use light::{LightPass, OutputParams};
pub use overlay::OverlayPass;
pub use paint::{PaintPass, overlays};
pub use scopes::ScopePass;
pub use text::{FontTextures, Shapes, TextPass, text_image};
pub use video::{ByCodes, PlacementParams, SelectedPlanes, Side, VideoPass};

/// Blends premultiplied colours over the existing ones.
const OVER: wgpu::BlendState = wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING;

/// The render pass in which a view is drawn.
#[derive(Debug)]
pub struct ViewPass<'a> {
    /// The view.
    pub view: &'a wgpu::TextureView,
    /// The colour to which the view is cleared first; `None` if it keeps what it has.
    pub cleared: Option<wgpu::Color>,
    /// The timestamps of the pass, if it is timed.
    pub timestamps: Option<wgpu::RenderPassTimestampWrites<'a>>,
}

impl ViewPass<'_> {
    /// Begins the pass.
    pub fn begin(self, encoder: &mut wgpu::CommandEncoder) -> wgpu::RenderPass<'static> {
        let Self { view, cleared, timestamps } = self;
        let load = cleared.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear);
        let descriptor = wgpu::RenderPassDescriptor {
            label: Some("draw"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            timestamp_writes: timestamps,
            ..Default::default()
        };
        encoder.begin_render_pass(&descriptor).forget_lifetime()
    }
}

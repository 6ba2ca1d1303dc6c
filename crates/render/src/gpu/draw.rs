//! Drawing: first the picture, then the histogram overlays on top of it, from the same buffers that were counted.

mod backdrop;
mod divider;
pub mod overlay;
mod paint;
pub mod scopes;
mod text;
mod video;

use super::timing::Spans;
pub use crate::view::overlay::Channels;
pub use backdrop::BackdropPass;
pub use divider::{DividerParams, DividerPass};
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
    /// `true` if the pictures have already been painted; otherwise the view is cleared to black first.
    pub is_painted: bool,
    /// The span that times the drawing, if it is timed.
    pub spans: Option<Spans<'a>>,
    /// `true` if the span begins with this pass.
    pub begins: bool,
}

impl ViewPass<'_> {
    /// Begins the pass.
    pub fn begin(self, encoder: &mut wgpu::CommandEncoder) -> wgpu::RenderPass<'static> {
        let Self { view, is_painted, spans, begins } = self;
        let timestamp_writes = spans.map(|spans| spans.end_with_drawing(encoder, begins));
        let load = if is_painted { wgpu::LoadOp::Load } else { wgpu::LoadOp::Clear(wgpu::Color::BLACK) };
        let descriptor = wgpu::RenderPassDescriptor {
            label: Some("draw"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            timestamp_writes,
            ..Default::default()
        };
        encoder.begin_render_pass(&descriptor).forget_lifetime()
    }
}

//! Drawing: the picture first, then the histogram overlays over it, from the same buffers that were counted.

mod backdrop;
mod divider;
pub mod overlay;
mod paint;
mod part;
pub mod scopes;
mod text;
mod video;

pub use crate::view::overlay::Channels;
pub use backdrop::BackdropPass;
pub use divider::DividerPass;
pub use overlay::OverlayPass;
pub use paint::{PaintPass, overlays};
pub use part::{CountedPicture, ViewPart};
pub use scopes::ScopePass;
pub use text::{FontTextures, Shapes, TextPass, text_image};
pub use video::{Selected, Side, VideoPass};

/// The blend of premultiplied colours over what is there.
const OVER: wgpu::BlendState = wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING;

//! The GPU side: uploading, counting, drawing and reading back. The rest of the crate uses wgpu only through the types
//! re-exported here.
//!
//! The path of a frame: [`upload`] puts the native planes into buffers, [`histogram`] counts them in three passes
//! (chunk, reduce, scale), [`adjust`] makes an adjusted picture from them if requested, which is counted as well, and
//! [`draw`] draws the pictures and the overlays from the same buffers. [`Renderer`](crate::engine::Renderer) orders the
//! passes for the window, saved pictures and tests alike; [`target`] is the interface to the window.

pub mod adjust;
pub mod bins;
pub mod brushed;
pub mod context;
pub mod count_queue;
pub mod draw;
pub(crate) mod figures;
pub mod histogram;
mod import;
pub mod live;
pub mod output;
pub mod pairs;
pub mod params;
pub mod pixel_light;
pub mod readback;
pub mod readback_belt;
pub mod recording;
mod regroup;
pub mod resources;
pub mod scan;
pub mod scope_pass;
pub mod scopes;
pub mod shaders;
mod staging;
pub mod surface;
pub mod target;
pub mod timing;
pub mod totals;
pub mod upload;
pub mod vectorscope;
pub mod waveform;

pub use crate::view::scene::Scene;
pub use context::{AdapterChoice, AdapterInfo, Gpu, Instance, Loading, OfferedAdapter, adapters};
pub(crate) use figures::Series;
pub use figures::{FiguresState, FrameTag};
use histoscope_core::picture::PictureError;
pub use import::wait_until_released;
pub use wgpu::{Buffer, Color, CommandEncoder, RenderPass, Texture, TextureFormat, TextureView};

/// What to do on this system about a machine without an adapter.
pub const DRIVER_ADVICE: &str = if cfg!(windows) {
    "install the driver of the graphics card, from its maker"
} else if cfg!(target_os = "macos") {
    "Histoscope needs a Mac with Metal"
} else {
    "install a Vulkan driver, or a software one (on Debian and Ubuntu: mesa-vulkan-drivers)"
};

/// An error on the GPU side. Its message advises what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// There is no adapter.
    #[error("no graphics adapter was found; {DRIVER_ADVICE}")]
    NoAdapter,
    /// No adapter has the requested name.
    #[error("no adapter's name contains '{wanted}'; available adapters: {available}")]
    NoSuchAdapter {
        /// The name that the user requested.
        wanted: String,
        /// The available names, separated by commas.
        available: String,
    },
    /// The adapter gives no device, or one that lacks something that the passes need.
    #[error(
        "the adapter {adapter} cannot be used ({reason}); choose another one with --adapter (see 'histoscope adapters')"
    )]
    Device {
        /// The adapter's name.
        adapter: String,
        /// The driver's reason, or what it lacks.
        reason: String,
    },
    /// A picture is larger than the adapter's buffers.
    #[error(
        "a plane of the {width}×{height} picture takes {bytes} bytes, and {adapter} binds at most {most}; use another \
         adapter, or 'histoscope snapshot --engine cpu' without -o for its figures"
    )]
    PictureTooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Size of the plane in bytes.
        bytes: u64,
        /// The most bytes that the adapter binds.
        most: u64,
        /// The adapter's name.
        adapter: String,
    },
    /// The bins of a deep source do not fit in the adapter's workgroup memory.
    #[error("{adapter} has too little workgroup memory to count {bits} bits per sample; use --engine cpu")]
    TooDeep {
        /// Bits of a bin index.
        bits: u32,
        /// The adapter's name.
        adapter: String,
    },
    /// An image to draw into is larger than the adapter's textures.
    #[error(
        "a view of {width}×{height} pixels is larger than {adapter} can draw; keep --size at or below {most} pixels \
         per side"
    )]
    ViewTooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// The most pixels per side.
        most: u32,
        /// The adapter's name.
        adapter: String,
    },
    /// The region to count is not part of the picture.
    #[error("the region is not inside the picture: {0}")]
    Region(PictureError),
    /// There are adapters, but none of them, or not the requested one, can draw in a window of this display.
    #[error(
        "no graphics adapter can draw in a window of this display; available adapters: {available}. To get one that \
         can, {DRIVER_ADVICE}; 'histoscope snapshot' and 'histoscope report' need no window"
    )]
    NoSurface {
        /// The available names, separated by commas.
        available: String,
    },
    /// The device was lost or stopped answering.
    #[error("the graphics device stopped responding: {0}")]
    Lost(String),
}

impl GpuError {
    /// Returns `true` if the adapter cannot hold or count a picture, so that the CPU takes it.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::PictureTooLarge { .. } | Self::TooDeep { .. })
    }
}

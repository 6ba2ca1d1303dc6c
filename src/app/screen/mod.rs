//! The window as the rest of the program sees it, and the target that its picture is drawn to.

pub mod clipboard;
pub mod dialog;
pub mod graphics;
#[cfg(feature = "test-hooks")]
mod losses;

use std::rc::Rc;
use std::time::Instant;

use clipboard::Clipboard;
use dialog::PickedFiles;
use histoscope_core::picture::Frame;
use histoscope_hud::Host;
use histoscope_render::gpu::output::HdrChoice;
use histoscope_render::gpu::target::{Acquired, Target};
use histoscope_render::gpu::{AdapterChoice, Gpu, GpuError, Instance};
use histoscope_render::view::placement::upright_size;

/// Largest size of the window, as a fraction of the display.
const DISPLAY_PART: f64 = 0.9;
/// Relative difference of aspect ratios below which two pictures have the same shape.
const SAME_SHAPE: f64 = 0.02;
/// The space assumed if the display's size is unknown, in pixels.
const UNKNOWN_SPACE: (f64, f64) = (1280.0, 720.0);
/// Size of the window without a video, in points.
pub const EMPTY_SIZE: (f64, f64) = (960.0, 540.0);

/// A window, on the desktop or offscreen. It also provides the program's clock.
pub trait Window: Host {
    /// Returns the current time.
    fn now(&self) -> Instant;

    /// Returns the size of the picture, in pixels.
    fn size(&self) -> (u32, u32);

    /// Returns the pixels per point.
    fn scale_factor(&self) -> f64;

    /// Returns the size of the display in pixels, if it is known.
    fn display_size(&self) -> Option<(u32, u32)>;

    /// Requests a different size in pixels. Returns the size if it takes effect immediately and no event will report
    /// it.
    fn request_size(&self, size: (u32, u32)) -> Option<(u32, u32)>;

    /// Returns `true` if the window is in full screen, or has requested it.
    fn is_full(&self) -> bool;

    /// Enters or leaves full screen.
    fn set_full(&self, full: bool);

    /// Returns `true` if the user has maximized the window.
    fn is_maximized(&self) -> bool;

    /// Sets the title of the window.
    fn set_title(&self, title: &str);

    /// Requests a redraw: the window sends
    /// [`Event::RedrawRequested`](crate::app::input::event::Event::RedrawRequested).
    fn request_redraw(&self);

    /// Notifies the window that a picture is about to be presented.
    fn before_present(&self);

    /// Creates a device, and the target on it that the window's picture is drawn to.
    ///
    /// # Errors
    /// [`GpuError`] if no adapter can draw in the window.
    fn make_target(
        &self,
        instance: &Instance,
        choice: &AdapterChoice,
        hdr: HdrChoice,
    ) -> Result<(Gpu, Target), GpuError>;

    /// Returns the clipboard.
    fn clipboard(&self) -> Clipboard;

    /// Opens the desktop's file dialog.
    fn pick_files(&self) -> PickedFiles;
}

/// Returns the size of the window for a first frame, in pixels: the video's own size if the display has room for it,
/// otherwise the largest size of the same shape that fits. Tiny videos are enlarged.
#[must_use]
pub fn size_for(frame: &Frame, display: Option<(u32, u32)>) -> (u32, u32) {
    let picture = &frame.picture;
    let size = upright_size(picture.width(), picture.height(), frame.sample_aspect, frame.orientation);
    let room = display
        .map_or(UNKNOWN_SPACE, |(width, height)| (f64::from(width) * DISPLAY_PART, f64::from(height) * DISPLAY_PART));
    let (width, height) = (size.x.max(1.0), size.y.max(1.0));
    let shrink = (room.0 / width).min(room.1 / height).min(1.0);
    // Tiny videos get a window large enough to read the histograms.
    let enlarge = (480.0 / width).max(270.0 / height).max(1.0);
    let scale = if shrink < 1.0 { shrink } else { enlarge.min(room.0 / width).min(room.1 / height) };
    ((width * scale).round().max(1.0) as u32, (height * scale).round().max(1.0) as u32)
}

/// The window, and the target that it shows.
pub struct Screen {
    /// The window.
    pub window: Rc<dyn Window>,
    /// The target.
    pub target: Target,
}

impl Screen {
    /// Creates the window's target, and a device that can draw to it.
    ///
    /// # Errors
    /// [`GpuError`] if no adapter can draw in the window.
    pub fn new(
        instance: &Instance,
        (adapter, hdr): (&AdapterChoice, HdrChoice),
        window: Rc<dyn Window>,
    ) -> Result<(Gpu, Self), GpuError> {
        let (gpu, target) = window.make_target(instance, adapter, hdr)?;
        Ok((gpu, Self { window, target }))
    }

    /// Returns `true` if the window is in full screen, or has requested it.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.window.is_full()
    }

    /// Enters or leaves full screen.
    pub fn set_full(&self, full: bool) {
        self.window.set_full(full);
    }

    /// Resizes the window to the first frame of a video of a different shape than the one before it, whose frame is
    /// `before`, or than the empty window, unless the user has changed its size.
    pub fn fit_first(&mut self, frame: &Frame, before: Option<&Frame>) {
        let display = self.window.display_size();
        let scale = self.window.scale_factor();
        let empty = || ((EMPTY_SIZE.0 * scale).round() as u32, (EMPTY_SIZE.1 * scale).round() as u32);
        let untouched = before.map_or_else(empty, |before| size_for(before, display));
        let wanted = size_for(frame, display);
        let aspect = |size: (u32, u32)| f64::from(size.0) / f64::from(size.1);
        let is_alike = before.is_some() && (aspect(wanted) / aspect(untouched) - 1.0).abs() < SAME_SHAPE;
        if self.is_full() || self.window.is_maximized() || self.window.size() != untouched || is_alike {
            return;
        }
        if let Some(size) = self.window.request_size(wanted) {
            self.resize(size);
        }
    }

    /// Returns the size of the target, in pixels.
    #[must_use]
    pub const fn size(&self) -> (u32, u32) {
        self.target.size()
    }

    /// Notes the window's new size.
    pub fn resize(&mut self, size: (u32, u32)) {
        self.target.resize(size);
    }

    /// Acquires a texture to draw to, whatever state the target is in.
    ///
    /// # Errors
    /// [`GpuError`] if the window's surface is lost for good.
    pub fn acquire(&mut self, gpu: &Gpu) -> Result<Acquired, GpuError> {
        let window = &self.window;
        self.target.acquire(gpu, || window.size())
    }
}

//! The window, as far as the rest of the program sees one, and the target that its picture is drawn to.

use std::rc::Rc;
use std::time::Instant;

use super::clipboard::Clipboard;
use super::dialog::PickedFiles;
use histoscope_core::picture::Frame;
use histoscope_render::gpu::target::{Acquired, Target};
use histoscope_render::gpu::{AdapterChoice, Gpu, GpuError, Instance};
use histoscope_render::view::placement::upright_size;

/// Largest size of the window where the video's own does not fit the display, as a part of the display.
const DISPLAY_PART: f64 = 0.9;
/// The space that is assumed where the display's size is not known, in pixels.
const UNKNOWN_SPACE: (f64, f64) = (1280.0, 720.0);
/// Size of the window without a video, in points.
pub const EMPTY_SIZE: (f64, f64) = (960.0, 540.0);

/// A window: one on the desktop, or one that nobody sees. It is also the clock that the program goes by.
pub trait Window {
    /// The time.
    fn now(&self) -> Instant;

    /// Size of the picture, in pixels.
    fn size(&self) -> (u32, u32);

    /// Pixels to a point.
    fn scale_factor(&self) -> f64;

    /// Size of the display, in pixels, if it is known.
    fn display_size(&self) -> Option<(u32, u32)>;

    /// Asks for another size in pixels. Returns the size where the window has it at once and sends no event of it.
    fn request_size(&self, size: (u32, u32)) -> Option<(u32, u32)>;

    /// Whether the window fills the screen, or has asked to.
    fn is_full(&self) -> bool;

    /// Lets the window fill the screen, or have its own size again.
    fn set_full(&self, full: bool);

    /// Whether the user has maximized the window.
    fn is_maximized(&self) -> bool;

    /// Gives the window a title.
    fn set_title(&self, title: &str);

    /// Asks for a drawing: the window sends [`Event::RedrawRequested`](super::event::Event::RedrawRequested).
    fn request_redraw(&self);

    /// Takes note that a picture is about to be shown.
    fn before_present(&self);

    /// Makes a device, and the target for it that the window's picture is drawn to.
    ///
    /// # Errors
    /// [`GpuError`] if no adapter can draw in the window.
    fn make_target(&self, instance: &Instance, choice: &AdapterChoice) -> Result<(Gpu, Target), GpuError>;

    /// Connects the window to the context that lays out the display over the picture.
    fn connect(&self, context: &egui::Context);

    /// Does what that display asks of the desktop: the pointer's shape, the input method, the clipboard.
    fn take_output(&self, output: egui::PlatformOutput);

    /// The clipboard.
    fn clipboard(&self) -> Clipboard;

    /// Opens the desktop's dialog to choose files.
    fn pick_files(&self) -> PickedFiles;
}

/// Returns the size of the window for a first frame, in pixels: the video's own where the display has room for it, else the largest
/// of its shape that fits.
#[must_use]
pub fn size_for(frame: &Frame, display: Option<(u32, u32)>) -> (u32, u32) {
    let picture = &frame.picture;
    let size = upright_size(picture.width(), picture.height(), frame.sample_aspect, frame.orientation);
    let room = display
        .map_or(UNKNOWN_SPACE, |(width, height)| (f64::from(width) * DISPLAY_PART, f64::from(height) * DISPLAY_PART));
    let (width, height) = (size.x.max(1.0), size.y.max(1.0));
    let shrink = (room.0 / width).min(room.1 / height).min(1.0);
    // Tiny videos get a window that the histograms can be read in.
    let enlarge = (480.0 / width).max(270.0 / height).max(1.0);
    let scale = if shrink < 1.0 { shrink } else { enlarge.min(room.0 / width).min(room.1 / height) };
    ((width * scale).round().max(1.0) as u32, (height * scale).round().max(1.0) as u32)
}

/// The window and the target that it shows.
pub struct Screen {
    /// The window.
    pub window: Rc<dyn Window>,
    /// The target.
    pub target: Target,
}

impl Screen {
    /// Makes the window's target, and a device that can draw to it.
    ///
    /// # Errors
    /// [`GpuError`] if no adapter can draw in the window.
    pub fn new(instance: &Instance, choice: &AdapterChoice, window: Rc<dyn Window>) -> Result<(Gpu, Self), GpuError> {
        let (gpu, target) = window.make_target(instance, choice)?;
        Ok((gpu, Self { window, target }))
    }

    /// Whether the window fills the screen, or has asked to.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.window.is_full()
    }

    /// Lets the window fill the screen, or have its own size again.
    pub fn set_full(&self, full: bool) {
        self.window.set_full(full);
    }

    /// Gives a window that was opened without a video the size for its first frame, unless somebody has chosen another.
    pub fn fit_first(&mut self, frame: &Frame) {
        let scale = self.window.scale_factor();
        let untouched = ((EMPTY_SIZE.0 * scale).round() as u32, (EMPTY_SIZE.1 * scale).round() as u32);
        if self.is_full() || self.window.is_maximized() || self.window.size() != untouched {
            return;
        }
        if let Some(size) = self.window.request_size(size_for(frame, self.window.display_size())) {
            self.resize(size);
        }
    }

    /// Size of the views to draw to, in pixels.
    #[must_use]
    pub const fn size(&self) -> (u32, u32) {
        self.target.size()
    }

    /// Notes the window's new size.
    pub fn resize(&mut self, size: (u32, u32)) {
        self.target.resize(size);
    }

    /// Gets a texture to draw to, whatever state the target is in.
    ///
    /// # Errors
    /// [`GpuError`] if the window's surface is lost for good.
    pub fn acquire(&mut self, gpu: &Gpu) -> Result<Acquired, GpuError> {
        let window = &self.window;
        self.target.acquire(gpu, || window.size())
    }
}

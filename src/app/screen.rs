//! A window with its surface.

use std::sync::Arc;

use winit::dpi::{LogicalSize, PhysicalSize};
use winit::error::OsError;
use winit::event_loop::ActiveEventLoop;
use winit::monitor::MonitorHandle;
use winit::window::{Fullscreen, Window, WindowAttributes};

use histoscope_core::picture::Frame;
use histoscope_render::gpu::surface::{Acquired, WindowSurface};
use histoscope_render::gpu::{AdapterChoice, Gpu, GpuError, Instance};
use histoscope_render::view::placement::upright_size;

/// Size of the window where the video's own would not fit the display, as part of the display.
const DISPLAY_PART: f64 = 0.9;
/// Size of the window without a video.
const EMPTY_SIZE: (f64, f64) = (960.0, 540.0);

/// What desktops know the window by, so that it bears the icon and the name of the program's entry in their menus: the name of that
/// entry's file in assets/desktop/.
#[cfg(all(unix, not(any(target_vendor = "apple", target_os = "android"))))]
const APPLICATION: &str = "org.histoscope.Histoscope";

/// Opens a window, in the size of a video's first frame where there is one, or on the full screen.
///
/// # Errors
/// What the display says against it.
pub fn open_window(event_loop: &ActiveEventLoop, first: Option<&Frame>, full: bool) -> Result<Arc<Window>, OsError> {
    let attributes = named(Window::default_attributes().with_title("Histoscope"));
    let attributes = match first {
        Some(frame) => {
            let monitor = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
            attributes.with_inner_size(window_size(monitor, frame))
        }
        None => attributes.with_inner_size(LogicalSize::new(EMPTY_SIZE.0, EMPTY_SIZE.1)),
    };
    let full = full.then_some(Fullscreen::Borderless(None));
    event_loop.create_window(attributes.with_fullscreen(full)).map(Arc::new)
}

#[cfg(all(unix, not(any(target_vendor = "apple", target_os = "android"))))]
fn named(attributes: WindowAttributes) -> WindowAttributes {
    // Wayland's and X11's are one field.
    winit::platform::wayland::WindowAttributesExtWayland::with_name(attributes, APPLICATION, "histoscope")
}

#[cfg(not(all(unix, not(any(target_vendor = "apple", target_os = "android")))))]
fn named(attributes: WindowAttributes) -> WindowAttributes {
    attributes
}

/// The video's own size where the monitor has room for it, else the largest of its shape that fits.
fn window_size(monitor: Option<MonitorHandle>, frame: &Frame) -> PhysicalSize<u32> {
    let picture = &frame.picture;
    let size = upright_size(picture.width(), picture.height(), frame.sample_aspect, frame.orientation);
    let room = monitor.map_or((1280.0, 720.0), |m| {
        (f64::from(m.size().width) * DISPLAY_PART, f64::from(m.size().height) * DISPLAY_PART)
    });
    let (width, height) = (size.x.max(1.0), size.y.max(1.0));
    let shrink = (room.0 / width).min(room.1 / height).min(1.0);
    // Tiny videos get a window that the histograms can be read in.
    let enlarge = (480.0 / width).max(270.0 / height).max(1.0);
    let scale = if shrink < 1.0 { shrink } else { enlarge.min(room.0 / width).min(room.1 / height) };
    PhysicalSize::new((width * scale).round().max(1.0) as u32, (height * scale).round().max(1.0) as u32)
}

/// The window and its surface.
pub struct Screen {
    /// The window.
    pub window: Arc<Window>,
    /// What it shows is drawn to.
    pub surface: WindowSurface,
}

impl Screen {
    /// Makes the window's surface, and a device that can draw to it.
    ///
    /// # Errors
    /// [`GpuError`] if the window takes no surface or no adapter can draw to it.
    pub fn new(instance: &Instance, choice: &AdapterChoice, window: Arc<Window>) -> Result<(Gpu, Self), GpuError> {
        let size = window.inner_size().into();
        let (gpu, surface) = WindowSurface::new(instance, choice, Arc::clone(&window), size)?;
        Ok((gpu, Self { window, surface }))
    }

    /// Whether the window fills the screen, or has asked to.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.window.fullscreen().is_some()
    }

    /// Lets the window fill the screen, or have its size again.
    pub fn set_full(&self, full: bool) {
        self.window.set_fullscreen(full.then_some(Fullscreen::Borderless(None)));
    }

    /// Gives a window that was opened without a video the size for its first frame, unless somebody has chosen another.
    pub fn fit_first(&mut self, frame: &Frame) {
        let window = &self.window;
        let untouched = LogicalSize::new(EMPTY_SIZE.0, EMPTY_SIZE.1).to_physical::<u32>(window.scale_factor());
        if self.is_full() || window.is_maximized() || window.inner_size() != untouched {
            return;
        }
        // Some systems do it at once and send no event of it.
        if let Some(size) = window.request_inner_size(window_size(window.current_monitor(), frame)) {
            self.resize(size);
        }
    }

    /// Size of the views to draw to, in pixels.
    #[must_use]
    pub const fn size(&self) -> (u32, u32) {
        self.surface.size()
    }

    /// Notes the window's new size.
    pub fn resize(&mut self, size: PhysicalSize<u32>) {
        self.surface.resize(size.into());
    }

    /// Gets a texture to draw to, whatever state the surface is in.
    ///
    /// # Errors
    /// [`GpuError`] if the surface is lost for good.
    pub fn acquire(&mut self, gpu: &Gpu) -> Result<Acquired, GpuError> {
        let window = &self.window;
        self.surface.acquire(gpu, || window.inner_size().into())
    }
}

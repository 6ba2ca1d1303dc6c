//! A window with its surface.

use std::sync::Arc;

use winit::dpi::PhysicalSize;
use winit::window::Window;

use crate::gpu::surface::{Acquired, WindowSurface};
use crate::gpu::{AdapterChoice, Gpu, GpuError, Instance};

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

//! What a view is drawn to, one drawing after the other: the surface of a window, or a texture that stands in for one.

use super::readback::{self, Image, VIEW_FORMAT};
use super::surface::WindowSurface;
pub use super::surface::{Acquired, TargetFrame};
use super::{AdapterChoice, Gpu, GpuError, Instance};

/// What a view is drawn to.
#[derive(Debug)]
pub enum Target {
    /// The surface of a window.
    Surface(WindowSurface),
    /// A texture that nobody sees.
    Texture(TextureTarget),
}

/// A texture that stands in for a window, and keeps what was drawn last.
#[derive(Debug)]
pub struct TextureTarget {
    texture: wgpu::Texture,
    size: (u32, u32),
}

impl TextureTarget {
    /// Makes a texture of `size` pixels, and a device that can draw to it.
    ///
    /// # Errors
    /// [`GpuError`] if there is no adapter, or it has no textures of that size.
    pub fn new(instance: &Instance, choice: &AdapterChoice, size: (u32, u32)) -> Result<(Gpu, Self), GpuError> {
        let gpu = Gpu::headless_of(&instance.0, choice)?;
        let texture = readback::view_texture(&gpu, size, VIEW_FORMAT)?;
        Ok((gpu, Self { texture, size }))
    }

    fn acquire(&mut self, gpu: &Gpu) -> Result<wgpu::Texture, GpuError> {
        // A display would not let the program draw ahead of it either.
        gpu.wait()?;
        if self.size != (self.texture.width(), self.texture.height()) {
            self.texture = readback::view_texture(gpu, self.size, VIEW_FORMAT)?;
        }
        Ok(self.texture.clone())
    }
}

impl Target {
    /// Whether pixels can be copied to the views, as drawing on the CPU needs.
    #[must_use]
    pub fn takes_copies(&self) -> bool {
        match self {
            Self::Surface(surface) => surface.takes_copies(),
            Self::Texture(_) => true,
        }
    }

    /// Format of the views to draw to.
    #[must_use]
    pub const fn format(&self) -> wgpu::TextureFormat {
        match self {
            Self::Surface(surface) => surface.format(),
            Self::Texture(_) => VIEW_FORMAT,
        }
    }

    /// Size of the views to draw to, in pixels.
    #[must_use]
    pub const fn size(&self) -> (u32, u32) {
        match self {
            Self::Surface(surface) => surface.size(),
            Self::Texture(target) => target.size,
        }
    }

    /// Reads what was drawn last to a texture that nobody sees; `None` of a window's surface.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    #[must_use]
    pub fn read(&self, gpu: &Gpu) -> Option<Result<Image, GpuError>> {
        match self {
            Self::Surface(_) => None,
            Self::Texture(target) => Some(readback::read_texture(gpu, &target.texture)),
        }
    }

    /// Notes the window's new size; the views follow with the next drawing.
    pub fn resize(&mut self, size: (u32, u32)) {
        match self {
            Self::Surface(surface) => surface.resize(size),
            Self::Texture(target) => target.size = (size.0.max(1), size.1.max(1)),
        }
    }

    /// Follows the window's newest size, so that what is laid out now fits the next texture.
    pub fn follow(&mut self, gpu: &Gpu) {
        if let Self::Surface(surface) = self {
            surface.follow(gpu);
        }
    }

    /// Gets a texture to draw to. `window_size` tells the window's size in pixels, and is asked where a surface has not followed it.
    ///
    /// # Errors
    /// [`GpuError`] if a surface is lost for good, or the device fails.
    pub fn acquire(&mut self, gpu: &Gpu, window_size: impl FnOnce() -> (u32, u32)) -> Result<Acquired, GpuError> {
        match self {
            Self::Surface(surface) => surface.acquire(gpu, window_size),
            Self::Texture(target) => target.acquire(gpu).map(|texture| Acquired::Draw(TargetFrame::Texture(texture))),
        }
    }
}

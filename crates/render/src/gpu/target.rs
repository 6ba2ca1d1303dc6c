//! The target that views are drawn to, one draw after another: the surface of a window, or a texture in its place.

use half::f16;

use super::output::{Encoding, HdrChoice, Output};
use super::readback::{self, Image, VIEW_FORMAT};
use super::surface::WindowSurface;
pub use super::surface::{Acquired, TargetFrame};
use super::{AdapterChoice, Gpu, GpuError, Instance};
use histoscope_core::tone_map::WHITE;

/// The target that views are drawn to.
#[derive(Debug)]
pub enum Target {
    /// The surface of a window.
    Surface(WindowSurface),
    /// A texture that is not displayed.
    Texture(TextureTarget),
}

/// A texture in place of a window, which keeps the last draw.
#[derive(Debug)]
pub struct TextureTarget {
    texture: wgpu::Texture,
    size: (u32, u32),
    output: Output,
}

impl TextureTarget {
    /// Creates a texture of `size` pixels, and a device that can draw to it. It takes light if HDR is
    /// [on](HdrChoice::On).
    ///
    /// # Errors
    /// [`GpuError`] if there is no adapter, or it does not support textures of that size.
    pub fn new(
        instance: &Instance,
        choice: &AdapterChoice,
        size: (u32, u32),
        hdr: HdrChoice,
    ) -> Result<(Gpu, Self), GpuError> {
        let gpu = Gpu::headless_of(&instance.0, choice)?;
        let output = match hdr {
            HdrChoice::On => Output::linear(WHITE),
            HdrChoice::Auto | HdrChoice::Off => Output::of_codes(VIEW_FORMAT),
        };
        let texture = readback::view_texture(&gpu, size, output.format)?;
        Ok((gpu, Self { texture, size, output }))
    }

    fn read(&self, gpu: &Gpu) -> Result<Image, GpuError> {
        let Encoding::Linear { unit } = self.output.encoding else {
            return readback::read_texture(gpu, &self.texture);
        };
        let scale = unit as f32 / self.output.white as f32;
        let code = |half: &[u8]| {
            let light = f16::from_le_bytes([half[0], half[1]]).to_f32() * scale;
            (light.clamp(0.0, 1.0).powf(1.0 / 2.4) * 255.0).round() as u8
        };
        let texels = readback::read_texels(gpu, &self.texture)?;
        let pixels =
            texels.chunks_exact(8).map(|texel| [code(&texel[..2]), code(&texel[2..4]), code(&texel[4..6]), 255]);
        let rgba = pixels.flatten().collect();
        Ok(Image { width: self.texture.width(), height: self.texture.height(), rgba })
    }

    fn acquire(&mut self, gpu: &Gpu) -> Result<wgpu::Texture, GpuError> {
        // A display would not let the program draw ahead of it either.
        gpu.wait()?;
        if self.size != (self.texture.width(), self.texture.height()) {
            self.texture = readback::view_texture(gpu, self.size, self.output.format)?;
        }
        Ok(self.texture.clone())
    }
}

impl Target {
    /// Returns `true` if pixels can be copied to the views, which painting on the CPU requires.
    #[must_use]
    pub fn takes_copies(&self) -> bool {
        match self {
            Self::Surface(surface) => surface.takes_copies(),
            Self::Texture(_) => true,
        }
    }

    /// Returns the form in which the views take pictures.
    #[must_use]
    pub const fn output(&self) -> Output {
        match self {
            Self::Surface(surface) => surface.output(),
            Self::Texture(target) => target.output,
        }
    }

    /// Returns the size of the views to draw to, in pixels.
    #[must_use]
    pub const fn size(&self) -> (u32, u32) {
        match self {
            Self::Surface(surface) => surface.size(),
            Self::Texture(target) => target.size,
        }
    }

    /// Reads the last draw from a texture that is not displayed; returns `None` for a window's surface. Light is read
    /// as the codes that SDR has for it, clipped at white.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the device fails.
    #[must_use]
    pub fn read(&self, gpu: &Gpu) -> Option<Result<Image, GpuError>> {
        match self {
            Self::Surface(_) => None,
            Self::Texture(target) => Some(target.read(gpu)),
        }
    }

    /// Sets the window's new size; the next draw uses it.
    pub fn resize(&mut self, size: (u32, u32)) {
        match self {
            Self::Surface(surface) => surface.resize(size),
            Self::Texture(target) => target.size = (size.0.max(1), size.1.max(1)),
        }
    }

    /// Reconfigures a surface to the window's newest size, so that what is laid out now fits the next texture.
    pub fn follow(&mut self, gpu: &Gpu) {
        if let Self::Surface(surface) = self {
            surface.follow(gpu);
        }
    }

    /// Returns a texture to draw to. `window_size` returns the window's size in pixels; it is called only if a surface
    /// does not match the window.
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

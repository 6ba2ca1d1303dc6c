//! A window with its surface: what the two go through is dealt with here, so that drawing sees only a view or none.

use std::sync::Arc;

use winit::dpi::PhysicalSize;
use winit::window::Window;

use crate::gpu::{Gpu, GpuError};

/// The window and its surface.
pub struct Screen {
    /// The window.
    pub window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    /// Whether the window has no area, as when it is minimised.
    is_empty: bool,
    /// The size to configure before the next drawing.
    pending: Option<PhysicalSize<u32>>,
}

/// What to do about drawing now.
pub enum Acquired {
    /// Draw to this texture and present it.
    Draw(wgpu::SurfaceTexture),
    /// Try again soon.
    Retry,
    /// Do not draw; the window will say when it can be seen again.
    Skip,
}

impl Screen {
    /// Configures the surface for the window in a format that shows codes as they are.
    ///
    /// # Errors
    /// [`GpuError::Lost`] if the adapter has no such format for this surface.
    pub fn new(gpu: &Gpu, window: Arc<Window>, surface: wgpu::Surface<'static>) -> Result<Self, GpuError> {
        let capabilities = surface.get_capabilities(&gpu.adapter);
        let wanted = [wgpu::TextureFormat::Bgra8Unorm, wgpu::TextureFormat::Rgba8Unorm];
        let format = wanted
            .into_iter()
            .find(|format| capabilities.formats.contains(format))
            .or_else(|| capabilities.formats.iter().copied().find(|format| !format.is_srgb()))
            .ok_or_else(|| GpuError::Lost("the window's surface has no format that shows codes as they are".into()))?;
        let size = window.inner_size();
        let config = wgpu::SurfaceConfiguration {
            usage: usage(&capabilities),
            format,
            width: size.width.max(1),
            height: size.height.max(1),
            present_mode: wgpu::PresentMode::AutoVsync,
            desired_maximum_frame_latency: 2,
            alpha_mode: wgpu::CompositeAlphaMode::Auto,
            view_formats: Vec::new(),
            color_space: wgpu::SurfaceColorSpace::default(),
        };
        log::info!("surface format {format:?}, present mode {:?}", config.present_mode);
        let is_empty = size.width == 0 || size.height == 0;
        let mut screen = Self { window, surface, config, is_empty, pending: Some(size) };
        screen.configure(gpu);
        Ok(screen)
    }

    /// Whether pixels can be copied to the views, as drawing on the CPU needs.
    #[must_use]
    pub fn takes_copies(&self) -> bool {
        self.config.usage.contains(wgpu::TextureUsages::COPY_DST)
    }

    /// Format of the views to draw to.
    #[must_use]
    pub const fn format(&self) -> wgpu::TextureFormat {
        self.config.format
    }

    /// Size of the views to draw to, in pixels.
    #[must_use]
    pub const fn size(&self) -> (u32, u32) {
        (self.config.width, self.config.height)
    }

    /// Notes the window's new size; the surface follows with the next drawing, so that a row of sizes costs one.
    pub fn resize(&mut self, size: PhysicalSize<u32>) {
        self.is_empty = size.width == 0 || size.height == 0;
        if !self.is_empty && (size.width, size.height) != self.size() {
            self.pending = Some(size);
        }
    }

    fn configure(&mut self, gpu: &Gpu) {
        if let Some(size) = self.pending.take() {
            // A surface larger than a texture can be would be refused; the display scales what is drawn.
            let most = gpu.device.limits().max_texture_dimension_2d;
            self.config.width = size.width.clamp(1, most);
            self.config.height = size.height.clamp(1, most);
        }
        if !self.is_empty {
            self.surface.configure(&gpu.device, &self.config);
        }
    }

    /// Gets a texture to draw to, whatever state the surface is in.
    ///
    /// # Errors
    /// [`GpuError`] if the surface is lost for good.
    pub fn acquire(&mut self, gpu: &Gpu, instance: &wgpu::Instance) -> Result<Acquired, GpuError> {
        if self.is_empty {
            return Ok(Acquired::Skip);
        }
        if self.pending.is_some() {
            self.configure(gpu);
        }
        match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(texture) => Ok(Acquired::Draw(texture)),
            wgpu::CurrentSurfaceTexture::Suboptimal(texture) => {
                // It can still be shown; the surface follows the window with the next drawing.
                self.pending = Some(self.window.inner_size());
                Ok(Acquired::Draw(texture))
            }
            wgpu::CurrentSurfaceTexture::Timeout => Ok(Acquired::Retry),
            wgpu::CurrentSurfaceTexture::Occluded => Ok(Acquired::Skip),
            wgpu::CurrentSurfaceTexture::Outdated => {
                self.resize(self.window.inner_size());
                self.configure(gpu);
                Ok(Acquired::Retry)
            }
            wgpu::CurrentSurfaceTexture::Lost => {
                log::warn!("the window's surface was lost and is made again");
                gpu.check()?;
                self.surface = instance.create_surface(Arc::clone(&self.window))?;
                self.configure(gpu);
                Ok(Acquired::Retry)
            }
            wgpu::CurrentSurfaceTexture::Validation => {
                gpu.check()?;
                Err(GpuError::Lost("the window's surface gives no texture".into()))
            }
        }
    }
}

/// Drawing always; copying, which drawing on the CPU needs, where the surface has it.
fn usage(capabilities: &wgpu::SurfaceCapabilities) -> wgpu::TextureUsages {
    wgpu::TextureUsages::RENDER_ATTACHMENT | (wgpu::TextureUsages::COPY_DST & capabilities.usages)
}

//! The window's adapter, surface and passes, and how they are made again after the device was lost.

use std::sync::Arc;
use std::time::Instant;

use winit::window::Window;

use super::AppError;
use super::screen::{Acquired, Screen};
use crate::engine::{Engine, EngineChoice};
use crate::frame::{Frame, Picture};
use crate::gpu::draw::Shapes;
use crate::gpu::{AdapterChoice, Artist, Gpu, GpuError, Renderer};
use crate::histogram::{Components, Histogram};
use crate::scene::Scene;

/// Everything that counts and draws for one window.
pub struct Graphics {
    instance: wgpu::Instance,
    choice: (AdapterChoice, EngineChoice),
    /// The adapter.
    pub gpu: Gpu,
    /// The window's surface.
    pub screen: Screen,
    /// The passes.
    pub renderer: Renderer,
    /// What counts.
    pub engine: Engine,
    /// Whether the device was lost and everything made again.
    was_rebuilt: bool,
}

impl Graphics {
    /// Prepares the passes for a window.
    ///
    /// # Errors
    /// [`AppError`] if the adapter or the window's surface refuses.
    pub fn new(
        instance: &wgpu::Instance,
        window: Arc<Window>,
        choice: (AdapterChoice, EngineChoice),
    ) -> Result<Self, AppError> {
        let surface = instance.create_surface(Arc::clone(&window)).map_err(GpuError::Surface)?;
        let gpu = Gpu::new(instance, &choice.0, Some(&surface))?;
        let screen = Screen::new(&gpu, window, surface)?;
        let artist = if gpu.is_software() && screen.takes_copies() { Artist::Cpu } else { Artist::Gpu };
        let renderer = Renderer::with_artist(&gpu, screen.format(), artist);
        let engine = Engine::new(choice.1, &gpu);
        Ok(Self { instance: instance.clone(), choice, gpu, screen, renderer, engine, was_rebuilt: false })
    }

    /// Makes everything again after the device was lost; a second time, gives the error back.
    ///
    /// # Errors
    /// The error if this was tried before, or what the adapter says now.
    pub fn rebuild(&mut self, error: GpuError) -> Result<(), AppError> {
        if self.was_rebuilt || !matches!(error, GpuError::Lost(_)) {
            return Err(error.into());
        }
        log::warn!("{error}; everything on it is made again");
        let window = Arc::clone(&self.screen.window);
        let mut fresh = Self::new(&self.instance, window, self.choice.clone())?;
        fresh.was_rebuilt = true;
        *self = fresh;
        Ok(())
    }

    /// Counts a picture, unless the adapter does so with the next drawing, and uploads it for that.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter refuses the picture.
    pub fn load(&mut self, frame: &Frame, picture: &Picture, components: Components) -> Result<Option<Histogram>, GpuError> {
        let begin = Instant::now();
        let counted = self.engine.count(picture, components);
        self.renderer.note_cpu_count(counted.is_some().then(|| begin.elapsed()));
        let placing = (frame.sample_aspect, frame.orientation);
        self.renderer.load(&self.gpu, picture, placing, components, counted.clone())?;
        Ok(counted)
    }

    /// Draws what is loaded with `shapes` over it; whether it was drawn.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter or the surface fails.
    pub fn draw(&mut self, scene: &Scene, shapes: impl FnOnce(&Self) -> Shapes) -> Result<bool, GpuError> {
        let texture = match self.screen.acquire(&self.gpu, &self.instance)? {
            Acquired::Draw(texture) => texture,
            Acquired::Retry => {
                self.screen.window.request_redraw();
                return Ok(false);
            }
            Acquired::Skip => return Ok(false),
        };
        let shapes = shapes(self);
        self.renderer.set_shapes(shapes);
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder =
            self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("frame") });
        self.renderer.record(&self.gpu, &mut encoder, &view, self.screen.size(), scene);
        self.gpu.queue.submit([encoder.finish()]);
        self.renderer.submitted();
        self.screen.window.pre_present_notify();
        self.gpu.queue.present(texture);
        self.gpu.check()?;
        Ok(true)
    }
}

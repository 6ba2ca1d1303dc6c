//! The window's adapter, surface and passes, and how they are recreated after the device is lost.

use std::rc::Rc;
use std::sync::Arc;

#[cfg(feature = "test-hooks")]
use super::losses::Losses;
use super::{Screen, Window};
use crate::app::options::AppError;
use histoscope_core::histogram::Components;
use histoscope_core::picture::Frame;
use histoscope_core::picture::region::Rect;
use histoscope_render::engine::{Engine, EngineChoice, Renderer};
use histoscope_render::gpu::draw::Shapes;
use histoscope_render::gpu::output::HdrChoice;
use histoscope_render::gpu::target::Acquired;
use histoscope_render::gpu::{AdapterChoice, Gpu, GpuError, Instance};
use histoscope_render::view::scene::Scene;

/// Everything that counts and draws for a window.
pub struct Graphics {
    instance: Instance,
    choice: (AdapterChoice, EngineChoice, HdrChoice),
    /// The adapter.
    pub gpu: Arc<Gpu>,
    /// The window's surface.
    pub screen: Screen,
    /// The renderer, with its passes.
    pub renderer: Renderer,
    /// The engine that counts.
    pub engine: Engine,
    /// `true` if everything has been recreated after the device was lost.
    was_rebuilt: bool,
    #[cfg(feature = "test-hooks")]
    losses: Losses,
}

impl Graphics {
    /// Creates the adapter, the surface and the passes for a window.
    ///
    /// # Errors
    /// [`AppError`] if the adapter or the window's surface fails.
    pub fn new(
        instance: &Instance,
        window: Rc<dyn Window>,
        choice: (AdapterChoice, EngineChoice, HdrChoice),
    ) -> Result<Self, AppError> {
        let (gpu, screen) = Screen::new(instance, (&choice.0, choice.2), window)?;
        let gpu = Arc::new(gpu);
        let engine = Engine::on(choice.1, &gpu);
        let renderer = Renderer::for_target(&gpu, &screen.target, engine.backend());
        let instance = instance.clone();
        Ok(Self {
            instance,
            choice,
            gpu,
            screen,
            renderer,
            engine,
            was_rebuilt: false,
            #[cfg(feature = "test-hooks")]
            losses: Losses::from_environment(),
        })
    }

    /// Recreates everything after the device was lost. This is tried only once.
    ///
    /// # Errors
    /// The given error if the device was not lost, [`AppError::LostAgain`] the second time, or an error while
    /// recreating everything.
    pub fn rebuild(&mut self, error: GpuError) -> Result<(), AppError> {
        if !matches!(error, GpuError::Lost(_)) {
            return Err(error.into());
        }
        if self.was_rebuilt {
            return Err(AppError::LostAgain(error));
        }
        log::warn!("{error}; everything on it is recreated");
        let window = Rc::clone(&self.screen.window);
        let mut fresh = Self::new(&self.instance, window, self.choice.clone())?;
        fresh.was_rebuilt = true;
        #[cfg(feature = "test-hooks")]
        {
            fresh.losses = self.losses.of_next_device();
        }
        *self = fresh;
        Ok(())
    }

    /// Loads a picture. The next draw counts all of it, or only a region.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter cannot take the picture.
    pub fn load(&mut self, frame: &Frame, region: Option<Rect>, components: Components) -> Result<(), GpuError> {
        self.renderer.load_frame(&self.gpu, frame, region, components)
    }

    /// Returns the size of the view for the next draw, in pixels.
    pub fn next_size(&mut self) -> (u32, u32) {
        self.screen.target.follow(&self.gpu);
        self.screen.size()
    }

    /// Draws the loaded picture, with shapes over it. Returns whether it was drawn.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter or the surface fails.
    pub fn draw(&mut self, scene: &Scene, shapes: Shapes) -> Result<bool, GpuError> {
        self.renderer.set_shapes(shapes);
        let target = match self.screen.acquire(&self.gpu)? {
            Acquired::Draw(target) => target,
            Acquired::Retry => {
                self.screen.window.request_redraw();
                return Ok(false);
            }
            Acquired::Skip => return Ok(false),
        };
        let window = &self.screen.window;
        self.renderer.present(&self.gpu, target, scene, || window.before_present());
        #[cfg(feature = "test-hooks")]
        if self.losses.is_due() {
            self.gpu.lose();
        }
        self.gpu.check()?;
        Ok(true)
    }
}

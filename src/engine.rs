//! Which engine counts: the graphics adapter, or the CPU where that adapter is only software.

use crate::cpu;
use crate::frame::Picture;
use crate::gpu::Gpu;
use crate::histogram::{Components, Histogram};

/// What the user wants to count with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// The adapter, or the CPU where the adapter is software.
    #[default]
    Auto,
    /// The adapter, whatever it is.
    Gpu,
    /// The CPU.
    Cpu,
}

/// The engine in use. The counts are the same, to the last one, whichever it is.
#[derive(Default)]
pub struct Engine {
    cpu: Option<cpu::Engine>,
}

impl Engine {
    /// Picks the engine for this adapter and says so in the log.
    #[must_use]
    pub fn new(choice: EngineChoice, gpu: &Gpu) -> Self {
        let on_cpu = match choice {
            EngineChoice::Auto => gpu.is_software(),
            EngineChoice::Gpu => false,
            EngineChoice::Cpu => true,
        };
        if !on_cpu {
            log::info!("engine: gpu");
            return Self { cpu: None };
        }
        let engine = cpu::Engine::new();
        if choice == EngineChoice::Auto {
            log::info!("engine: cpu ({:?}), because {} is a software adapter", engine.level(), gpu.info.name);
        } else {
            log::info!("engine: cpu ({:?})", engine.level());
        }
        Self { cpu: Some(engine) }
    }

    /// The engine's name in figures and on screen.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        if self.cpu.is_some() { "cpu" } else { "gpu" }
    }

    /// The picture's histogram if the CPU counts; `None` leaves it to the passes on the GPU.
    pub fn count(&mut self, picture: &Picture, components: Components) -> Option<Histogram> {
        self.cpu.as_mut().map(|engine| engine.count(picture, components).clone())
    }
}

//! Which engine counts: the graphics adapter, or the CPU where that adapter is only software.

use crate::cpu;
use crate::gpu::Gpu;
use crate::histogram::{Components, Histogram};
use crate::picture::Picture;

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
        if choice == EngineChoice::Auto {
            log::info!("the CPU counts, because {} is a software adapter", gpu.info.name);
        }
        Self::cpu()
    }

    /// The CPU's engine, which needs no adapter.
    #[must_use]
    pub fn cpu() -> Self {
        let engine = cpu::Engine::new();
        log::info!("engine: cpu ({:?})", engine.level());
        Self { cpu: Some(engine) }
    }

    /// Whether the CPU counts.
    #[must_use]
    pub const fn is_cpu(&self) -> bool {
        self.cpu.is_some()
    }

    /// The engine's name in figures and on screen.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        if self.is_cpu() { "cpu" } else { "gpu" }
    }

    /// The picture's histogram if the CPU counts; `None` leaves it to the passes on the GPU.
    pub fn count(&mut self, picture: &Picture, components: Components) -> Option<Histogram> {
        self.cpu.as_mut().map(|engine| engine.count(picture, components).clone())
    }
}

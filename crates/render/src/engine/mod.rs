//! The one place that decides between the graphics adapter and the CPU.
//!
//! An [`Engine`] is found once, by what the user wants and what the machine has, and carried as a value. A [`Counter`] counts whole
//! files with it; a [`Renderer`] draws views with its [backend](backend::Backend), which counts, adjusts and paints. Both give to the
//! CPU what the adapter cannot hold. The counts are the same to the last one, whoever counts.

mod adapter;
mod backend;
mod content;
mod counter;
mod cpu;
mod figures;
mod renderer;

use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

pub use backend::{ScopeAnswer, ScopeQuestion};
pub use counter::{Counter, Counts, EngineError};
pub use renderer::Renderer;

use crate::cpu::Level;
use crate::gpu::{AdapterChoice, Gpu, GpuError};

/// The engine that the user wants.
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

/// The backend that counts, adjusts and paints the pictures of views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendKind {
    /// The adapter, by its shaders.
    Adapter,
    /// The CPU.
    Cpu,
}

/// The engine that was found.
#[derive(Debug, Clone)]
enum FoundEngine {
    Cpu,
    Adapter(Arc<Gpu>),
}

/// The engine, once it is known: drivers take their time to load, and an engine may be started on a thread of its own.
///
/// Unless the user asked for the adapter, frames are counted by the CPU until it is there.
#[derive(Debug)]
pub struct Engine {
    found: Arc<OnceLock<FoundEngine>>,
    thread: Option<JoinHandle<Result<(), GpuError>>>,
    /// `true` if the user asked for the adapter.
    is_wanted: bool,
}

impl Engine {
    /// Starts to look for what the user wants. Without an adapter the CPU counts, unless one was asked for.
    #[must_use]
    pub fn start(choice: EngineChoice, adapter: &AdapterChoice) -> Self {
        if choice == EngineChoice::Cpu {
            return Self::cpu();
        }
        let found = Arc::new(OnceLock::new());
        let (slot, adapter) = (Arc::clone(&found), adapter.clone());
        let is_wanted = choice == EngineChoice::Gpu || adapter.name.is_some();
        let find = move || {
            let engine = match Gpu::shared(&adapter) {
                Ok(gpu) => choose(choice, &gpu),
                Err(error) if !is_wanted => {
                    log::info!("the CPU counts: {error}");
                    FoundEngine::Cpu
                }
                Err(error) => return Err(error),
            };
            let _ = slot.set(engine);
            Ok(())
        };
        Self { found, thread: Some(thread::spawn(find)), is_wanted }
    }

    /// The engine on a machine whose adapter has been found already.
    #[must_use]
    pub fn on(choice: EngineChoice, gpu: &Arc<Gpu>) -> Self {
        Self::known(choose(choice, gpu), choice == EngineChoice::Gpu)
    }

    /// The CPU, which needs no adapter.
    #[must_use]
    pub fn cpu() -> Self {
        say_cpu();
        Self::known(FoundEngine::Cpu, false)
    }

    fn known(found: FoundEngine, is_wanted: bool) -> Self {
        Self { found: Arc::new(OnceLock::from(found)), thread: None, is_wanted }
    }

    /// Waits for an engine that was asked for.
    ///
    /// # Errors
    /// [`GpuError`] if it cannot be used.
    pub fn wait_if_wanted(&mut self) -> Result<(), GpuError> {
        let Some(thread) = self.thread.take_if(|_| self.is_wanted) else { return Ok(()) };
        thread.join().unwrap_or_else(|_| Err(GpuError::Lost("starting the adapter failed".to_owned())))
    }

    /// The engine's name in figures and on screen.
    #[must_use]
    pub fn name(&self) -> &'static str {
        if matches!(self.found.get(), Some(FoundEngine::Adapter(_))) { GPU } else { CPU }
    }

    /// The backend for views: that of the adapter, once that has been found.
    #[must_use]
    pub fn backend(&self) -> BackendKind {
        if matches!(self.found.get(), Some(FoundEngine::Adapter(_))) { BackendKind::Adapter } else { BackendKind::Cpu }
    }

    /// The engine for people: "the CPU", or the adapter's name.
    #[must_use]
    pub fn description(&self) -> String {
        match self.found.get() {
            Some(FoundEngine::Adapter(gpu)) if self.is_wanted => gpu.info.name.clone(),
            Some(FoundEngine::Adapter(gpu)) => format!("the CPU until {} had started, then that", gpu.info.name),
            _ => "the CPU".to_owned(),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // A program that ends while drivers load may crash in them.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The engines' names in figures.
const GPU: &str = "gpu";
const CPU: &str = "cpu";

/// The decision, where there is an adapter.
fn choose(choice: EngineChoice, gpu: &Arc<Gpu>) -> FoundEngine {
    match choice {
        EngineChoice::Auto if gpu.is_software() => {
            log::info!("the CPU counts, because {} is a software adapter", gpu.info.name);
        }
        EngineChoice::Auto | EngineChoice::Gpu => {
            log::info!("engine: gpu");
            return FoundEngine::Adapter(Arc::clone(gpu));
        }
        EngineChoice::Cpu => {}
    }
    say_cpu();
    FoundEngine::Cpu
}

fn say_cpu() {
    log::info!("engine: cpu ({:?})", Level::detect());
}

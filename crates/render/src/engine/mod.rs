//! The one place that decides between the graphics adapter and the CPU.
//!
//! An [`Engine`] is chosen once, from the user's choice and the machine's hardware, and passed around as a value. A
//! [`Counter`] counts whole files with it; a [`Renderer`] draws views with its [backend](backend::Backend), which
//! counts, adjusts and paints. Both fall back to the CPU for pictures that the adapter cannot hold. The counts are
//! identical, whichever engine makes them.

mod adapter;
mod backend;
mod content;
mod counter;
mod cpu;
mod figures;
mod reference_scopes;
mod renderer;

use std::sync::{Arc, OnceLock, Weak};
use std::thread::{self, JoinHandle};

pub use backend::{CountQuestion, ScopeAnswer};
pub use counter::{ActivePart, Counter, Counts, EngineError, Submission};
pub use renderer::Renderer;

use crate::cpu::Level;
use crate::gpu::{AdapterChoice, Gpu, GpuError};
use histoscope_core::picture::{SharedBlock, SharedMemory};

/// The engine that the user requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// The adapter, or the CPU if the adapter is software.
    #[default]
    Auto,
    /// The adapter, even a software one.
    Gpu,
    /// The CPU.
    Cpu,
}

/// The backend that counts, adjusts and paints the pictures of views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendKind {
    /// The adapter, through shaders.
    Adapter,
    /// The CPU.
    Cpu,
}

/// The chosen engine.
#[derive(Debug, Clone)]
enum FoundEngine {
    Cpu,
    Adapter(Arc<Gpu>),
}

/// The engine, which may still be starting on another thread because drivers are slow to load.
///
/// The CPU counts frames until the adapter is ready, unless the user requested the adapter.
#[derive(Debug)]
pub struct Engine {
    found: Arc<OnceLock<FoundEngine>>,
    thread: Option<JoinHandle<Result<(), GpuError>>>,
    /// `true` if the user requested the adapter.
    is_wanted: bool,
}

/// The memory of the engine's adapter. It holds no share of the adapter, which a decoder's thread must not be the last to
/// free.
struct EngineMemory(Weak<OnceLock<FoundEngine>>);

impl SharedMemory for EngineMemory {
    fn is_ready(&self) -> bool {
        self.0.upgrade().is_some_and(|found| found.get().is_some())
    }

    fn allocate(&self, bytes: usize) -> Option<SharedBlock> {
        match self.0.upgrade()?.get()? {
            FoundEngine::Adapter(gpu) => gpu.allocate(bytes),
            FoundEngine::Cpu => None,
        }
    }
}

impl Engine {
    /// Starts looking for the requested engine. If there is no adapter, the CPU counts, unless the user requested an
    /// adapter.
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
                    // A machine without an adapter lacks nothing.
                    let is_broken = matches!(error, GpuError::Device { .. });
                    let level = if is_broken { log::Level::Warn } else { log::Level::Info };
                    log::log!(level, "the CPU counts: {error}");
                    FoundEngine::Cpu
                }
                Err(error) => return Err(error),
            };
            let _ = slot.set(engine);
            Ok(())
        };
        Self { found, thread: Some(thread::spawn(find)), is_wanted }
    }

    /// Creates an engine on a machine whose adapter is already known.
    #[must_use]
    pub fn on(choice: EngineChoice, gpu: &Arc<Gpu>) -> Self {
        Self::known(choose(choice, gpu), choice == EngineChoice::Gpu)
    }

    /// Creates an engine that uses the CPU and needs no adapter.
    #[must_use]
    pub fn cpu() -> Self {
        say_cpu();
        Self::known(FoundEngine::Cpu, false)
    }

    /// Returns the same engine for another thread, which does not wait for the adapter.
    #[must_use]
    pub fn share(&self) -> Self {
        Self { found: Arc::clone(&self.found), thread: None, is_wanted: self.is_wanted }
    }

    fn known(found: FoundEngine, is_wanted: bool) -> Self {
        Self { found: Arc::new(OnceLock::from(found)), thread: None, is_wanted }
    }

    /// Waits for the adapter if the user requested it.
    ///
    /// # Errors
    /// [`GpuError`] if the adapter cannot be used.
    pub fn wait_if_wanted(&mut self) -> Result<(), GpuError> {
        let Some(thread) = self.thread.take_if(|_| self.is_wanted) else { return Ok(()) };
        thread.join().unwrap_or_else(|_| Err(GpuError::Lost("starting the adapter failed".to_owned())))
    }

    /// Returns the memory of the adapter, for decoders that can write to it. There is none until the adapter is ready,
    /// and none if the CPU counts.
    #[must_use]
    pub fn shared_memory(&self) -> Arc<dyn SharedMemory> {
        Arc::new(EngineMemory(Arc::downgrade(&self.found)))
    }

    /// Returns the engine's name for figures and the screen.
    #[must_use]
    pub fn name(&self) -> &'static str {
        if matches!(self.found.get(), Some(FoundEngine::Adapter(_))) { GPU } else { CPU }
    }

    /// Returns the backend for views: the adapter's once the adapter is ready, the CPU's until then.
    #[must_use]
    pub fn backend(&self) -> BackendKind {
        if matches!(self.found.get(), Some(FoundEngine::Adapter(_))) { BackendKind::Adapter } else { BackendKind::Cpu }
    }

    /// Returns the engine's name in prose: "the CPU", or the adapter's name.
    #[must_use]
    pub fn description(&self) -> String {
        match self.found.get() {
            Some(FoundEngine::Adapter(gpu)) if self.is_wanted => gpu.info.name.clone(),
            Some(FoundEngine::Adapter(gpu)) => format!("the CPU until {} was ready, then the adapter", gpu.info.name),
            _ => "the CPU".to_owned(),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // A program that exits while drivers are loading may crash in them.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Names of the engines in figures.
const GPU: &str = "gpu";
const CPU: &str = "cpu";

/// Chooses the engine on a machine that has an adapter.
fn choose(choice: EngineChoice, gpu: &Arc<Gpu>) -> FoundEngine {
    match choice {
        EngineChoice::Auto if gpu.is_software() => {
            log::info!("counting on the CPU, because {} is a software adapter", gpu.info.name);
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

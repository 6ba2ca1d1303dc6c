//! wgpu's entry point, made on a thread of its own: loading the graphics drivers takes longest of all that a start needs.

use std::thread;

use super::context;

/// wgpu's entry point, through which adapters and windows' surfaces come.
#[derive(Debug, Clone)]
pub struct Instance(pub(super) wgpu::Instance);

impl Instance {
    /// One that knows the display, as OpenGL needs.
    #[must_use]
    pub fn with_display(display: impl wgpu::wgt::WgpuHasDisplayHandle) -> Self {
        Self(context::instance(Some(Box::new(display))))
    }
}

/// The entry point in the making. It is waited for in any case: a program that ends while a driver is being loaded on
/// another thread can crash in the driver.
#[derive(Debug)]
pub struct Loading(Option<thread::JoinHandle<wgpu::Instance>>);

impl Loading {
    /// Starts to load the drivers.
    #[must_use]
    pub fn start() -> Self {
        Self(Some(thread::spawn(|| context::instance(None))))
    }

    /// The instance that was made meanwhile; where OpenGL was asked for, or the instance has been taken before, a new one
    /// that knows the display.
    pub fn finish(&mut self, display: impl wgpu::wgt::WgpuHasDisplayHandle) -> Instance {
        let wants_gl = wgpu::Backends::from_env().is_some_and(|backends| backends.contains(wgpu::Backends::GL));
        match self.join() {
            Some(instance) if !wants_gl => Instance(instance),
            _ => Instance::with_display(display),
        }
    }

    /// The instance that was made meanwhile, for a program that draws without a display.
    pub fn finish_without_display(&mut self) -> Instance {
        Instance(self.join().unwrap_or_else(|| context::instance(None)))
    }

    fn join(&mut self) -> Option<wgpu::Instance> {
        self.0.take()?.join().ok()
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        self.join();
    }
}

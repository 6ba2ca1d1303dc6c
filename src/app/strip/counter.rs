//! Counting beside the window, on threads that run only where no other wants to.

use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Frame;
use histoscope_render::cpu::Engine;

/// Counts frames, on threads of the same priority as the one that makes it.
pub struct StripCounter {
    engine: Engine,
    /// `None` where the system gives no threads; then others count, which are shared with the window.
    pool: Option<rayon::ThreadPool>,
}

impl StripCounter {
    /// One with threads of its own, one for each core.
    pub fn new() -> Self {
        // Rayon takes none for that.
        Self::with_threads(0)
    }

    /// One with so many threads of its own.
    pub fn with_threads(threads: usize) -> Self {
        let named = rayon::ThreadPoolBuilder::new().thread_name(|_| "histoscope-strip".to_owned());
        let pool = named.num_threads(threads).build();
        let pool = pool.map_err(|error| log::debug!("strip: no threads of its own to count on: {error}")).ok();
        Self { engine: Engine::new(), pool }
    }

    /// The bins of a frame.
    pub fn count(&mut self, frame: &Frame) -> &Histogram {
        let (engine, picture) = (&mut self.engine, &frame.picture);
        match &self.pool {
            Some(pool) => pool.install(|| engine.count(picture, Components::Rgbl)),
            None => engine.count(picture, Components::Rgbl),
        }
    }
}

/// Has the system run this thread, and those that it starts, only where no other wants to run.
#[cfg(target_os = "linux")]
pub fn give_way() {
    // SAFETY: it takes plain numbers. With zero, Linux changes the calling thread alone, and those that it starts inherit that.
    let code = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, 19) };
    if code != 0 {
        log::debug!("strip: its priority stays as it is: {}", std::io::Error::last_os_error());
    }
}

/// Elsewhere the gate alone has to do.
#[cfg(not(target_os = "linux"))]
pub fn give_way() {}

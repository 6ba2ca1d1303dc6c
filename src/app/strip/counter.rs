//! Counting in the background, on threads that run only when no others want to.

use histoscope_core::histogram::{Components, Histogram};
use histoscope_core::picture::Frame;
use histoscope_render::cpu::Engine;

/// Counts frames, on threads with the priority of the thread that creates it.
pub struct StripCounter {
    engine: Engine,
    /// `None` if the system provides no threads; then rayon's global pool, shared with the window, counts.
    pool: Option<rayon::ThreadPool>,
}

impl StripCounter {
    /// Creates a counter with its own threads, one per core.
    pub fn new() -> Self {
        // Zero means the default number for rayon.
        Self::with_threads(0)
    }

    /// Creates a counter with that number of its own threads.
    pub fn with_threads(threads: usize) -> Self {
        Self { engine: Engine::new(), pool: own_pool("histoscope-strip", threads) }
    }

    /// Counts the bins of a frame.
    pub fn count(&mut self, frame: &Frame) -> &Histogram {
        let (engine, picture) = (&mut self.engine, &frame.picture);
        match &self.pool {
            Some(pool) => pool.install(|| engine.count(picture, Components::Rgbl)),
            None => engine.count(picture, Components::Rgbl),
        }
    }
}

/// Creates a pool of threads with the priority of the calling thread. Returns `None` if the system provides no threads.
pub fn own_pool(name: &'static str, threads: usize) -> Option<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().thread_name(move |_| name.to_owned()).num_threads(threads).build();
    pool.map_err(|error| log::debug!("{name}: cannot start its own threads for counting: {error}")).ok()
}

/// Makes the system run this thread, and the threads that it starts, only when no others want to.
#[cfg(target_os = "linux")]
pub fn give_way() {
    // SAFETY: it takes plain numbers. With zero, Linux changes only the calling thread; threads that it starts inherit
    // this.
    let code = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, 19) };
    if code != 0 {
        log::debug!("strip: its priority could not be lowered: {}", std::io::Error::last_os_error());
    }
}

/// On other systems, the gate alone must suffice.
#[cfg(not(target_os = "linux"))]
pub fn give_way() {}

//! Work that would take too long on the drawing thread. It runs on a thread of its own, one run at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread::JoinHandle;
use std::time::Duration;

use histoscope_core::picture::Picture;
use histoscope_render::gpu::readback_belt::ReadbackBelt;
use histoscope_render::gpu::{Gpu, GpuError};

/// The interval for polling the GPU. Nothing waits inside wgpu, since that would block the window's own submissions.
const INTERVAL: Duration = Duration::from_micros(300);

/// A flag that asks a run to end early.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks the run to end.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if the run was asked to end.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Work on a picture, done in one run.
pub trait LabWork: Sized + Send + 'static {
    /// The parameters of a run.
    type Setup: Copy + Send;
    /// The result of a run.
    type Outcome: Send;

    /// Prepares for pictures like this one.
    ///
    /// Returns `Ok(Err)` with the reason if the adapter cannot do it.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    fn new(gpu: Arc<Gpu>, setup: Self::Setup, picture: &Picture) -> Result<Result<Self, String>, GpuError>;

    /// Returns `true` if this can be used again for this setup and picture.
    fn fits(&self, gpu: &Arc<Gpu>, setup: Self::Setup, picture: &Picture) -> bool;

    /// Does the work for a picture that it was prepared for. Returns `None` if it was asked to stop.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    fn run(&mut self, picture: &Picture, stop: &Stop) -> Result<Option<Self::Outcome>, GpuError>;
}

/// The outcome of a run: `Ok(None)` if it was stopped, `Ok(Some(Err))` with the reason if the adapter cannot do it.
pub type Answer<W> = Result<Option<Result<<W as LabWork>::Outcome, String>>, GpuError>;

/// Does one run at a time. When dropped, it ends the run and waits for the thread.
#[derive(Debug)]
pub struct Worker<W: LabWork>(JobState<W>);

#[derive(Debug)]
enum JobState<W: LabWork> {
    /// No run is in progress. The prepared work of the last run is kept, if there was one.
    Idle(Option<Box<W>>),
    Busy(Busy<W>),
}

#[derive(Debug)]
struct Busy<W: LabWork> {
    stop: Stop,
    done: Receiver<(Option<Box<W>>, Answer<W>)>,
    thread: Option<JoinHandle<()>>,
}

impl<W: LabWork> Drop for Busy<W> {
    fn drop(&mut self) {
        self.stop.ask();
        // The thread has already logged its panic, if any.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl<W: LabWork> Default for Worker<W> {
    fn default() -> Self {
        Self(JobState::Idle(None))
    }
}

impl<W: LabWork> Worker<W> {
    /// Returns `true` while a run is in progress.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        matches!(self.0, JobState::Busy(_))
    }

    /// Asks the current run, if any, to end early.
    pub fn stop(&self) {
        if let JobState::Busy(busy) = &self.0 {
            busy.stop.ask();
        }
    }

    /// Starts a run, unless one is in progress.
    ///
    /// # Errors
    /// The reason why no thread could be started.
    pub fn start(&mut self, gpu: &Arc<Gpu>, setup: W::Setup, picture: &Picture) -> Result<(), String> {
        let JobState::Idle(kept) = &mut self.0 else { return Ok(()) };
        let (kept, stop) = (kept.take(), Stop::default());
        let (sender, done) = mpsc::channel();
        let (gpu, picture, asked) = (Arc::clone(gpu), picture.clone(), stop.clone());
        let run = move || {
            let answer = run_once(kept, gpu, setup, &picture, &asked);
            // There is no receiver if the lab has been closed.
            let _ = sender.send(answer);
        };
        let thread = std::thread::Builder::new().name("histoscope-lab".to_owned()).spawn(run);
        let thread = Some(thread.map_err(|error| format!("cannot start a thread for it: {error}"))?);
        self.0 = JobState::Busy(Busy { stop, done, thread });
        Ok(())
    }

    /// Returns the outcome of the run once it has ended, without waiting.
    pub fn poll(&mut self) -> Option<Answer<W>> {
        let JobState::Busy(busy) = &self.0 else { return None };
        let (kept, answer) = match busy.done.try_recv() {
            Err(TryRecvError::Empty) => return None,
            Ok(done) => done,
            Err(TryRecvError::Disconnected) => {
                (None, Ok(Some(Err("its thread failed; change a setting to restart it".to_owned()))))
            }
        };
        self.0 = JobState::Idle(kept);
        Some(answer)
    }
}

fn run_once<W: LabWork>(
    kept: Option<Box<W>>,
    gpu: Arc<Gpu>,
    setup: W::Setup,
    picture: &Picture,
    stop: &Stop,
) -> (Option<Box<W>>, Answer<W>) {
    let mut work = match kept.filter(|work| work.fits(&gpu, setup, picture)) {
        Some(work) => work,
        None => match W::new(gpu, setup, picture) {
            Ok(Ok(work)) => Box::new(work),
            Ok(Err(reason)) => return (None, Ok(Some(Err(reason)))),
            Err(error) => return (None, Err(error)),
        },
    };
    match work.run(picture, stop) {
        Ok(outcome) => (Some(work), Ok(outcome.map(Ok))),
        Err(error) => (None, Err(error)),
    }
}

/// Submits the commands of `record`, and returns the `bytes` bytes that they copy into a buffer, as words. Returns
/// `None` if asked to stop.
///
/// # Errors
/// [`GpuError`] if the device fails.
pub(super) fn submitted(
    gpu: &Gpu,
    bytes: u64,
    record: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
    stop: &Stop,
) -> Result<Option<Vec<u32>>, GpuError> {
    let mut belt = ReadbackBelt::new(&gpu.device, "lab", bytes, 1);
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("lab") });
    belt.record_with((), |readback| {
        record(&mut encoder, readback);
        bytes
    });
    gpu.queue.submit([encoder.finish()]);
    belt.submitted(None);
    loop {
        if let Some(((), words)) = belt.poll(&gpu.device) {
            return Ok(Some(words));
        }
        gpu.check()?;
        if stop.is_asked() {
            return Ok(None);
        }
        std::thread::sleep(INTERVAL);
    }
}

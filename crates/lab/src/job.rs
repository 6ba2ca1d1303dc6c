//! What takes too long for the thread that draws: done on a thread of its own, one run at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread::JoinHandle;
use std::time::Duration;

use histoscope_core::picture::Picture;
use histoscope_render::gpu::readback_belt::ReadbackBelt;
use histoscope_render::gpu::{Gpu, GpuError};

/// While the GPU is at work it is asked this often whether it is done. Nobody waits inside wgpu: that would hold up the window's
/// own submissions.
const INTERVAL: Duration = Duration::from_micros(300);

/// Whether a run is to end early, because nobody wants it any more.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks for the end.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked for.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Something of the lab that works on pictures, each in one run.
pub trait LabWork: Sized + Send + 'static {
    /// What is to be done, and how.
    type Setup: Copy + Send;
    /// What comes of a run.
    type Outcome: Send;

    /// Gets it ready for pictures like this one; `Ok(Err)` says in words why the adapter cannot do it.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    fn new(gpu: Arc<Gpu>, setup: Self::Setup, picture: &Picture) -> Result<Result<Self, String>, GpuError>;

    /// Whether it is ready for this, so that none must be made anew.
    fn fits(&self, gpu: &Arc<Gpu>, setup: Self::Setup, picture: &Picture) -> bool;

    /// Does it for a picture that it is ready for; `None` where it was asked to stop.
    ///
    /// # Errors
    /// [`GpuError`] if the device fails.
    fn run(&mut self, picture: &Picture, stop: &Stop) -> Result<Option<Self::Outcome>, GpuError>;
}

/// What has come of a run: `Ok(None)` where it was stopped, `Ok(Some(Err))` where the adapter cannot do it, with the reason in words.
pub type Answer<W> = Result<Option<Result<<W as LabWork>::Outcome, String>>, GpuError>;

/// A place for one run at a time. Dropped, it ends the run and waits for that.
#[derive(Debug)]
pub struct Worker<W: LabWork>(JobState<W>);

#[derive(Debug)]
enum JobState<W: LabWork> {
    /// Nothing is done. What it was done with is kept, where there was anything.
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
        // A thread that has panicked has told so itself.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl<W: LabWork> Default for Worker<W> {
    fn default() -> Self {
        Self(JobState::Idle(None))
    }
}

impl<W: LabWork> Worker<W> {
    /// Whether a run is under way.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        matches!(self.0, JobState::Busy(_))
    }

    /// Has the run end early that is under way, if one is.
    pub fn stop(&self) {
        if let JobState::Busy(busy) = &self.0 {
            busy.stop.ask();
        }
    }

    /// Begins a run, where none is under way.
    ///
    /// # Errors
    /// In words why there is no thread for it.
    pub fn start(&mut self, gpu: &Arc<Gpu>, setup: W::Setup, picture: &Picture) -> Result<(), String> {
        let JobState::Idle(kept) = &mut self.0 else { return Ok(()) };
        let (kept, stop) = (kept.take(), Stop::default());
        let (sender, done) = mpsc::channel();
        let (gpu, picture, asked) = (Arc::clone(gpu), picture.clone(), stop.clone());
        let run = move || {
            let answer = run_once(kept, gpu, setup, &picture, &asked);
            // Nobody listens any more where the lab has been closed.
            let _ = sender.send(answer);
        };
        let thread = std::thread::Builder::new().name("histoscope-lab".to_owned()).spawn(run);
        let thread = Some(thread.map_err(|error| format!("no thread could be started for it: {error}"))?);
        self.0 = JobState::Busy(Busy { stop, done, thread });
        Ok(())
    }

    /// Takes what has come of the run, once it has ended, without waiting.
    pub fn poll(&mut self) -> Option<Answer<W>> {
        let JobState::Busy(busy) = &self.0 else { return None };
        let (kept, answer) = match busy.done.try_recv() {
            Err(TryRecvError::Empty) => return None,
            Ok(done) => done,
            Err(TryRecvError::Disconnected) => {
                (None, Ok(Some(Err("its thread has failed; another choice starts it anew".to_owned()))))
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

/// Submits what `record` records, and brings back the bytes that it copies into a buffer of `bytes` bytes, as words; `None` where it
/// was asked to stop.
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

//! Opening what is to be analysed, live input among it, whose sender is waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::counting::Request;
use super::ending::AnalyzeError;
use histoscope_core::text::shown;
use histoscope_media::{Decoder, StopHandle, open_when_there};

/// How long a sender may take to come before that is told.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the request to stop is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(50);

/// Opens a run's video; waits for the sender of a live one until the run is asked to stop.
pub(super) fn open(request: &Request) -> Result<Decoder, AnalyzeError> {
    let stop = StopHandle::new();
    let _watch = Watch::start(request, stop.clone());
    let decoder = open_when_there(&request.input, &request.open, &stop)?;
    if decoder.info().live {
        check(request)?;
    }
    Ok(decoder)
}

/// What is asked for must be had of frames that come once.
fn check(request: &Request) -> Result<(), AnalyzeError> {
    let selection = &request.selection;
    let asked = [
        ("--from", selection.from.is_some()),
        ("--crop-bars", selection.crop_bars),
        ("--jobs", request.jobs > 1),
        ("--resume", request.resume_at > 0),
        ("--against", request.against.is_some()),
    ];
    match asked.into_iter().find(|(_, is_asked)| *is_asked) {
        Some((what, _)) => Err(AnalyzeError::NeedsFile { input: request.input.clone(), what }),
        None => Ok(()),
    }
}

/// Ends the opening of a video where the run is asked to stop, and tells where it takes long.
struct Watch(Arc<AtomicBool>);

impl Watch {
    fn start(request: &Request, decoder: StopHandle) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (theirs, stop, name) = (Arc::clone(&is_over), request.stop.clone(), shown(&request.input));
        let watch = move || {
            let begun = Instant::now();
            let mut has_told = false;
            while !theirs.load(Ordering::Relaxed) {
                if stop.is_stopped() {
                    return decoder.stop();
                }
                if begun.elapsed() >= PATIENCE && !has_told {
                    has_told = true;
                    log::warn!("{name}: nothing has come for {} s; still waiting", PATIENCE.as_secs());
                }
                thread::sleep(LOOK);
            }
        };
        if let Err(error) = thread::Builder::new().name("histoscope-watch".to_owned()).spawn(watch) {
            log::debug!("no thread to watch the opening: {error}");
        }
        Self(is_over)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

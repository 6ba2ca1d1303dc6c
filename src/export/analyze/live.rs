//! Live input: waiting for its sender, and frames that come at the sender's pace.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::counting::Request;
use super::ending::AnalyzeError;
use super::summary::display;
use crate::media::{Decoder, MediaError, NoSignal, Receiver, Reception, StopHandle, open_when_there};
use crate::picture::Frame;
use crate::text::clock_time;

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
        let (theirs, stop, name) = (Arc::clone(&is_over), request.stop.clone(), display(&request.input));
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

/// What has become of a frame that was handed over.
pub(super) enum Handed {
    /// It will be counted.
    Taken,
    /// There is no room for it.
    LeftOut,
    /// Nobody listens any more, as when the span has ended.
    Nowhere,
}

/// Hands live frames over as they come; why there are no more, unless nobody listens. Where counting is too slow, whole frames are
/// left out: packets that are lost would damage others.
pub(super) fn receive(mut receiver: Receiver, hand_over: impl Fn(Frame) -> Handed) -> Option<MediaError> {
    let (mut left_out, mut lost_since) = (0_u64, None);
    let end = loop {
        match receiver.next() {
            Ok(Reception::Frame(frame)) => match hand_over(frame) {
                Handed::Taken => {}
                Handed::LeftOut => {
                    left_out += 1;
                    if left_out == 1 {
                        log::warn!(
                            "frames come faster than they are counted: some are left out, and so are their numbers"
                        );
                    }
                }
                Handed::Nowhere => break None,
            },
            Ok(Reception::NoSignal(NoSignal::Lost { since, reason })) if lost_since != Some(since) => {
                lost_since = Some(since);
                log::warn!("no signal since {} ({reason}); waiting for the sender", clock_time(since));
            }
            Ok(Reception::NoSignal(_)) => {}
            Ok(Reception::Opened(_)) => log::warn!("the signal is back"),
            Err(error) => break Some(error),
        }
    };
    if left_out > 0 {
        log::warn!("{left_out} frames were left out, since they came faster than they were counted");
    }
    end
}

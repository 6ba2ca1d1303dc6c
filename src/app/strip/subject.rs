//! What every thread that fills a strip goes by: the file, the strip, when it may go on, and when it is to end.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::gate::Gate;
use histoscope_core::strip::Strip;
use histoscope_media::{Decoder, MediaError, OpenOptions, StopHandle};

/// Of what a strip is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StripSubject {
    /// The file.
    pub path: PathBuf,
    /// How it is read.
    pub open: OpenOptions,
}

/// The state that the window shares with the threads that fill a strip.
#[derive(Debug)]
pub struct StripShared {
    strip: Mutex<Strip>,
    /// When the threads may go on.
    pub gate: Gate,
}

impl StripShared {
    /// With a gate that is closed.
    pub fn new(strip: Strip) -> Self {
        Self { strip: Mutex::new(strip), gate: Gate::default() }
    }

    /// The strip, which nobody else changes for as long as this is held.
    pub fn lock(&self) -> MutexGuard<'_, Strip> {
        // Between two frames it is whole.
        self.strip.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why filling came to an end before the clip's.
pub enum Break {
    /// Nobody wants the strip any more.
    Unwanted,
    /// The file cannot be read.
    Unreadable(MediaError),
}

impl From<MediaError> for Break {
    fn from(error: MediaError) -> Self {
        match error {
            MediaError::Stopped { .. } => Self::Unwanted,
            error => Self::Unreadable(error),
        }
    }
}

/// A reader of frames for a strip.
pub struct StripReading {
    /// Of what the strip is.
    pub subject: StripSubject,
    /// The strip and its gate.
    pub shared: Arc<StripShared>,
    /// Ends whatever a decoder waits for.
    pub stop: StopHandle,
}

impl StripReading {
    /// Waits until the window lets it go on.
    pub fn pass(&self) -> Result<(), Break> {
        if self.shared.gate.pass() { Ok(()) } else { Err(Break::Unwanted) }
    }

    /// A decoder of the file. `threads` is for who wants another number of them than everybody has.
    pub fn open(&self, threads: Option<usize>) -> Result<Decoder, Break> {
        self.pass()?;
        let mut options = self.subject.open.clone();
        options.threads = threads.or(options.threads);
        Ok(Decoder::open_with(&self.subject.path, &options, &self.stop)?)
    }
}

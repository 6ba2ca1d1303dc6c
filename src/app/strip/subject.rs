//! State shared by the threads that fill a strip: the file, the strip, and when to proceed or stop.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::gate::Gate;
use histoscope_core::strip::Strip;
use histoscope_media::{Decoder, MediaError, MediaFault, OpenOptions, StopHandle};

/// The input that a strip is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StripSubject {
    /// The file.
    pub path: PathBuf,
    /// The options for reading it.
    pub open: OpenOptions,
}

/// The state that the window shares with the threads that fill a strip.
#[derive(Debug)]
pub struct StripShared {
    strip: Mutex<Strip>,
    /// Controls when the threads may proceed.
    pub gate: Gate,
}

impl StripShared {
    /// Creates the state with a closed gate.
    pub fn new(strip: Strip) -> Self {
        Self { strip: Mutex::new(strip), gate: Gate::default() }
    }

    /// Locks the strip.
    pub fn lock(&self) -> MutexGuard<'_, Strip> {
        // Even after a panic, it is consistent: changes are made between two frames.
        self.strip.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reason why filling ended before the end of the clip.
pub enum FillError {
    /// The strip is no longer needed.
    Unwanted,
    /// The file cannot be read.
    Unreadable(MediaError),
}

impl From<MediaError> for FillError {
    fn from(error: MediaError) -> Self {
        match error {
            MediaError { fault: MediaFault::Stopped, .. } => Self::Unwanted,
            error => Self::Unreadable(error),
        }
    }
}

/// A reader of frames for a strip.
pub struct StripReader {
    /// The input of the strip.
    pub subject: StripSubject,
    /// The strip and its gate.
    pub shared: Arc<StripShared>,
    /// Interrupts the decoder wherever it blocks.
    pub stop: StopHandle,
}

impl StripReader {
    /// Waits until the window lets it proceed.
    pub fn pass(&self) -> Result<(), FillError> {
        if self.shared.gate.pass() { Ok(()) } else { Err(FillError::Unwanted) }
    }

    /// Opens a decoder of the file. `threads` overrides the usual number of threads.
    pub fn open(&self, threads: Option<usize>) -> Result<Decoder, FillError> {
        self.pass()?;
        let mut options = self.subject.open.clone();
        options.threads = threads.or(options.threads);
        Ok(Decoder::open_with(&self.subject.path, &options, &self.stop)?)
    }
}

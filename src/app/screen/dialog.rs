//! The desktop's file dialog, which never blocks the window.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

/// A dialog that ends sooner than this was never visible: nobody reads and closes one that fast.
const UNSEEN: Duration = Duration::from_millis(250);

/// A future that yields the files chosen in a dialog, or `None` if the user closes it.
pub type PickedFiles = Pin<Box<dyn Future<Output = Option<Vec<PathBuf>>> + Send>>;

/// An open dialog.
pub struct Dialog {
    answer: Receiver<Option<Vec<PathBuf>>>,
    since: Instant,
}

/// The state of a dialog.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is still open.
    Open,
    /// Files were chosen.
    Files(Vec<PathBuf>),
    /// The user closed it.
    Closed,
    /// The desktop did not show one.
    Unavailable,
}

impl Dialog {
    /// Waits on a separate thread for a dialog that was opened at `now`, and calls `waker` when it has been answered.
    ///
    /// # Errors
    /// The I/O error if no thread can be spawned.
    pub fn wait(picked: PickedFiles, now: Instant, waker: impl FnOnce() + Send + 'static) -> std::io::Result<Self> {
        let (sender, answer) = mpsc::channel();
        std::thread::Builder::new().name("histoscope-dialog".to_owned()).spawn(move || {
            let files = pollster::block_on(picked);
            // The receiver is gone if the window has been closed.
            let _ = sender.send(files);
            waker();
        })?;
        Ok(Self { answer, since: now })
    }

    /// Returns the answer so far, without blocking.
    #[must_use]
    pub fn poll(&self, now: Instant) -> Answer {
        match self.answer.try_recv() {
            Ok(files) => interpret(files, now.saturating_duration_since(self.since)),
            Err(TryRecvError::Empty) => Answer::Open,
            Err(TryRecvError::Disconnected) => Answer::Unavailable,
        }
    }
}

/// Interprets the answer. The library does not distinguish a closed dialog from one that could not be shown; the
/// elapsed time does.
fn interpret(files: Option<Vec<PathBuf>>, after: Duration) -> Answer {
    match files {
        Some(files) if !files.is_empty() => Answer::Files(files),
        _ if after < UNSEEN => Answer::Unavailable,
        _ => Answer::Closed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialog_that_was_never_visible_is_distinguished_from_a_closed_one() {
        let long = Duration::from_secs(3);
        assert_eq!(interpret(Some(vec!["a".into()]), UNSEEN / 2), Answer::Files(vec!["a".into()]));
        assert_eq!(interpret(None, long), Answer::Closed);
        assert_eq!(interpret(None, UNSEEN / 2), Answer::Unavailable);
        assert_eq!(interpret(Some(Vec::new()), long), Answer::Closed);
    }
}

//! The desktop's own dialog to choose a file, which never holds the window up.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

/// A dialog that ends sooner than this was never seen: nobody reads and closes one so fast.
const UNSEEN: Duration = Duration::from_millis(250);

/// The files that a dialog will have chosen; none where the user closes it.
pub type PickedFiles = Pin<Box<dyn Future<Output = Option<Vec<PathBuf>>> + Send>>;

/// A dialog that is open.
pub struct Dialog {
    answer: Receiver<Option<Vec<PathBuf>>>,
    since: Instant,
}

/// The answer of a dialog.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is still open.
    Open,
    /// Files were chosen.
    Files(Vec<PathBuf>),
    /// The user closed it.
    Closed,
    /// The desktop has shown none.
    Unavailable,
}

impl Dialog {
    /// Waits for a dialog that was opened at `now` on a thread of its own; `waker` is called when it has been answered.
    ///
    /// # Errors
    /// Why the system gives no thread.
    pub fn wait(picked: PickedFiles, now: Instant, waker: impl FnOnce() + Send + 'static) -> std::io::Result<Self> {
        let (sender, answer) = mpsc::channel();
        std::thread::Builder::new().name("histoscope-dialog".to_owned()).spawn(move || {
            let files = pollster::block_on(picked);
            // Nobody listens any more when the window has been closed.
            let _ = sender.send(files);
            waker();
        })?;
        Ok(Self { answer, since: now })
    }

    /// Asks for the answer, without waiting.
    #[must_use]
    pub fn poll(&self, now: Instant) -> Answer {
        match self.answer.try_recv() {
            Ok(files) => judge(files, now.saturating_duration_since(self.since)),
            Err(TryRecvError::Empty) => Answer::Open,
            Err(TryRecvError::Disconnected) => Answer::Unavailable,
        }
    }
}

/// The library tells a dialog that was closed and one that could not be shown alike; the time that it took does not.
fn judge(files: Option<Vec<PathBuf>>, after: Duration) -> Answer {
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
    fn a_dialog_that_nobody_can_have_seen_is_told_from_one_that_was_closed() {
        let long = Duration::from_secs(3);
        assert_eq!(judge(Some(vec!["a".into()]), UNSEEN / 2), Answer::Files(vec!["a".into()]));
        assert_eq!(judge(None, long), Answer::Closed);
        assert_eq!(judge(None, UNSEEN / 2), Answer::Unavailable);
        assert_eq!(judge(Some(Vec::new()), long), Answer::Closed);
    }
}

//! Searches for the offset between two clips in a background thread, like `analyze --align`.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};

use crate::app::input::event::Waker;
use histoscope_batch::analyze::align::{self, AlignInput, FoundOffset};
use histoscope_batch::analyze::comparison::Against;
use histoscope_batch::analyze::selection::Selection;
use histoscope_batch::analyze::{AnalyzeError, Stop};
use histoscope_core::text::file_name;
use histoscope_media::OpenOptions;

/// Maximum distance between the starts of the clips, in frames.
const WITHIN: u32 = 250;

/// How both clips are read, and how the result is signalled.
#[derive(Clone)]
pub struct MatchOptions {
    /// The options for opening them.
    pub open: OpenOptions,
    /// Called when the result is available.
    pub waker: Waker,
}

/// Searches for the offset between two clips, one search at a time.
pub struct Matcher {
    options: MatchOptions,
    running: Option<Matching>,
}

impl Matcher {
    /// Creates a matcher without a search.
    #[must_use]
    pub const fn new(reading: MatchOptions) -> Self {
        Self { options: reading, running: None }
    }

    /// Starts searching for the offset of the second clip relative to the first. Returns the note on it.
    pub fn begin(&mut self, clips: [&Path; 2]) -> String {
        if self.running.is_some() {
            return "already looking for the offset".to_owned();
        }
        match Matching::begin(clips, &self.options) {
            Ok(matching) => {
                self.running = Some(matching);
                "looking for the offset: comparing the first frames of both clips …".to_owned()
            }
            Err(error) => format!("cannot search for the offset: {error}"),
        }
    }

    /// Returns the offset once it is found, or the reason why none was.
    pub fn take(&mut self) -> Option<Result<FoundOffset, NoOffset>> {
        let found = self.running.as_ref()?.poll()?;
        self.running = None;
        Some(found)
    }

    /// Cancels the search.
    pub fn give_up(&mut self) {
        self.running = None;
    }
}

/// The reason why no offset was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoOffset {
    /// These two offsets match best, but neither clearly.
    Unsure {
        /// The name of the second clip.
        name: String,
        /// The better one first.
        candidates: [i64; 2],
    },
    /// The search failed for this reason.
    Failed(String),
}

impl fmt::Display for NoOffset {
    /// Writes the reason for a user who has keys and no options.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsure { name, candidates: [best, second] } => write!(
                f,
                "not sure of the offset of {name}; {best:+} and {second:+} match best, but not clearly; Ctrl+. and \
                 Ctrl+, set it"
            ),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

/// A running search. Dropping it cancels it.
struct Matching {
    answer: Receiver<Result<FoundOffset, NoOffset>>,
    stop: Stop,
}

impl Matching {
    /// Starts searching for the offset of the second clip relative to the first.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    fn begin([first, second]: [&Path; 2], reading: &MatchOptions) -> std::io::Result<Self> {
        let stop = Stop::default();
        let (input, open) = (first.to_owned(), reading.open.clone());
        let against = Against { input: second.to_owned(), offset: 0, align: None, sound_ms: None };
        let its_stop = stop.clone();
        let (sender, answer) = mpsc::channel();
        let waker = Arc::clone(&reading.waker);
        let search = move || {
            let ours = AlignInput { input: &input, open: &open, selection: &Selection::default(), stop: &its_stop };
            // The receiver is gone if the window has been closed.
            let _ = sender.send(align::find(ours, &against, WITHIN).map_err(reason));
            waker();
        };
        std::thread::Builder::new().name("histoscope-match".to_owned()).spawn(search)?;
        Ok(Self { answer, stop })
    }

    /// Returns the offset once it is found, or the reason why none was.
    fn poll(&self) -> Option<Result<FoundOffset, NoOffset>> {
        match self.answer.try_recv() {
            Ok(found) => Some(found),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Err(NoOffset::Failed("the search for the offset stopped unexpectedly".to_owned())))
            }
        }
    }
}

impl Drop for Matching {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// Returns the reason why no offset was found.
fn reason(error: AnalyzeError) -> NoOffset {
    match error {
        AnalyzeError::NotSure { other, candidates, .. } => NoOffset::Unsure { name: file_name(&other), candidates },
        error => NoOffset::Failed(error.to_string()),
    }
}

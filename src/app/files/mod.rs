//! The list of files to view, and the file being opened.

pub mod folders;
pub mod inputs;
pub mod start;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::app::options::AppError;
use crate::app::session::close_in_background;
use crate::app::session::signal;
use histoscope_core::picture::Frame;
use histoscope_core::text::file_name;
use histoscope_media::{DecodeEvent, DecodeThread, MediaError, MediaFault, NoSignal, StreamInfo, is_local};

/// The files, including the one on screen.
#[derive(Debug, Clone, Default)]
pub struct Files {
    list: Vec<PathBuf>,
    /// Index of the file on screen.
    shown: usize,
    /// Index of the file requested last. Differs from `shown` while that file is opening, or after it failed to open.
    wanted: usize,
}

impl Files {
    /// Creates the list from the command line; `shown` is the index of the file on screen.
    #[must_use]
    pub fn new(list: Vec<PathBuf>, shown: usize) -> Self {
        Self { list, shown, wanted: shown }
    }

    /// Returns the position of the file on screen, counted from 1, and the number of files.
    #[must_use]
    pub fn place(&self) -> (usize, usize) {
        (self.shown + 1, self.list.len())
    }

    /// Requests the next or the previous file. Returns `None` beyond the ends of the list.
    pub fn step(&mut self, forward: bool) -> Option<&Path> {
        let next = if forward { self.wanted.checked_add(1)? } else { self.wanted.checked_sub(1)? };
        let path = self.list.get(next)?;
        self.wanted = next;
        Some(path)
    }

    /// Inserts files after the one on screen and requests the first of them.
    pub fn add(&mut self, files: Vec<PathBuf>) -> Option<&Path> {
        let at = if self.list.is_empty() { 0 } else { self.shown + 1 };
        let at = at.min(self.list.len());
        let first = files.first()?.clone();
        self.list.splice(at..at, files);
        self.wanted = at;
        log::debug!("{} is requested", first.display());
        self.list.get(at).map(PathBuf::as_path)
    }

    /// Notes that the requested file is now on screen.
    pub fn arrived(&mut self) {
        self.shown = self.wanted;
    }

    /// Notes that the requested file could not be opened. It stays in the list, so that the next step moves past it,
    /// unless nothing was ever shown.
    pub fn failed(&mut self, nothing_is_open: bool) {
        if nothing_is_open && self.wanted < self.list.len() {
            self.list.remove(self.wanted);
            self.wanted = self.wanted.min(self.list.len().saturating_sub(1));
        }
    }
}

/// A video that is being opened while another one, or none, is on screen.
pub struct Opening {
    /// The file or address.
    pub input: PathBuf,
    /// Its name without folders.
    pub name: String,
    /// Where to start, in seconds, if not at the beginning.
    pub at_secs: Option<f64>,
    media: Option<DecodeThread>,
    info: Option<Arc<StreamInfo>>,
    /// State of waiting for the sender of a live source.
    awaited: Option<Awaited>,
}

struct Awaited {
    since: (Instant, SystemTime),
    reason: Option<String>,
    has_been_told: bool,
}

/// The progress of opening a video.
pub enum Opened {
    /// Still being opened.
    NotYet,
    /// The video is open.
    Video(DecodeThread, Arc<StreamInfo>, Frame),
    /// It cannot be shown.
    Failed(AppError),
}

impl Opening {
    /// Creates the state for a decoding thread that has begun to open `input`.
    #[must_use]
    pub fn new(input: PathBuf, media: DecodeThread) -> Self {
        Self { name: file_name(&input), input, at_secs: None, media: Some(media), info: None, awaited: None }
    }

    /// Returns the note to show until the video is open.
    #[must_use]
    pub fn text(&self, now: Instant) -> String {
        match &self.awaited {
            None => format!("opening {} …", self.name),
            Some(awaited) if now < awaited.since.0 + signal::PATIENCE => format!("waiting for {} …", self.name),
            Some(awaited) => signal::awaited_text(&self.name, awaited.since.1, awaited.reason.as_deref()),
        }
    }

    /// Returns `true` if the input consists of files on this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        is_local(&self.input)
    }

    /// Returns `true` if a sender is being waited for.
    #[must_use]
    pub const fn is_awaited(&self) -> bool {
        self.awaited.is_some()
    }

    /// Returns when to report that nothing has arrived, unless already reported.
    #[must_use]
    pub fn report_at(&self) -> Option<Instant> {
        self.awaited.as_ref().filter(|awaited| !awaited.has_been_told).map(|awaited| awaited.since.0 + signal::PATIENCE)
    }

    /// Returns, once, the note that the sender has not appeared for a long time.
    pub fn new_note(&mut self, now: Instant) -> Option<String> {
        self.report_at().filter(|&at| at <= now)?;
        let text = self.text(now);
        self.awaited.as_mut()?.has_been_told = true;
        Some(text)
    }

    /// Checks the progress without blocking.
    pub fn poll(&mut self) -> Opened {
        self.follow(DecodeThread::try_recv)
    }

    /// Checks the progress, waiting up to `most` for each event.
    pub fn wait(&mut self, most: Duration) -> Opened {
        self.follow(|media| media.recv_timeout(most))
    }

    fn follow(&mut self, next: impl Fn(&DecodeThread) -> Option<DecodeEvent>) -> Opened {
        loop {
            let Some(event) = self.media.as_ref().and_then(&next) else { return Opened::NotYet };
            match (event, &self.info) {
                (DecodeEvent::Opened(info), _) => self.info = Some(info),
                (DecodeEvent::NoSignal(NoSignal::Awaited { reason }), _) => match &mut self.awaited {
                    Some(awaited) => awaited.reason = reason,
                    None => {
                        let since = (Instant::now(), SystemTime::now());
                        self.awaited = Some(Awaited { since, reason, has_been_told: false });
                        return Opened::NotYet;
                    }
                },
                (DecodeEvent::NoSignal(NoSignal::Lost { .. }), _) => {}
                (DecodeEvent::Frame(first), Some(info)) => {
                    let info = Arc::clone(info);
                    if let Some(media) = self.media.take() {
                        return Opened::Video(media, info, first);
                    }
                }
                (DecodeEvent::Error { error: MediaError { fault: MediaFault::Stopped, .. }, .. }, _) => {
                    return Opened::NotYet;
                }
                (DecodeEvent::Error { error, .. }, _) => return Opened::Failed(error.into()),
                (_, _) => return Opened::Failed(AppError::NoAnswer(self.input.clone())),
            }
        }
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        close_in_background(self.media.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Files {
        Files::new(names.iter().map(PathBuf::from).collect(), 0)
    }

    #[test]
    fn steps_go_to_the_neighbours_and_not_beyond_the_ends() {
        let mut files = files(&["a", "b"]);
        assert_eq!(files.step(false), None);
        assert_eq!(files.step(true), Some(Path::new("b")));
        assert_eq!(files.place(), (1, 2), "until it is open");
        files.arrived();
        assert_eq!(files.place(), (2, 2));
        assert_eq!(files.step(true), None);
        assert_eq!(files.step(false), Some(Path::new("a")));
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_stepped_over() {
        let mut files = files(&["a", "broken", "c"]);
        files.step(true);
        files.failed(false);
        assert_eq!(files.place(), (1, 3));
        assert_eq!(files.step(true), Some(Path::new("c")));
    }

    #[test]
    fn dropped_files_come_next() {
        let mut files = files(&["a", "z"]);
        assert_eq!(files.add(vec!["b".into(), "c".into()]), Some(Path::new("b")));
        files.arrived();
        assert_eq!(files.place(), (2, 4));
        assert_eq!(files.step(true), Some(Path::new("c")));
        let mut none = Files::default();
        assert_eq!(none.add(vec!["x".into()]), Some(Path::new("x")));
        none.failed(true);
        assert_eq!(none.add(vec!["y".into()]), Some(Path::new("y")));
        none.arrived();
        assert_eq!(none.place(), (1, 1));
    }

    /// The outcome of dropping a file that is not a video; the window only passes the path on.
    #[test]
    fn a_file_that_is_no_video_fails_with_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("letter.txt");
        std::fs::write(&path, "Dear reader, this is no video.").unwrap();
        let media = DecodeThread::open(&path, Default::default(), Default::default(), || {}).unwrap();
        let mut opening = Opening::new(path, media);
        let begin = Instant::now();
        let reason = loop {
            match opening.poll() {
                Opened::Failed(reason) => break reason.to_string(),
                Opened::Video(..) => panic!("a letter is no video"),
                Opened::NotYet => assert!(begin.elapsed().as_secs() < 60, "no answer"),
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(reason.contains("letter.txt") && reason.contains("not a video"), "{reason}");
    }
}

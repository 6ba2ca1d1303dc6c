//! Everything that opens further videos: the file list, files dropped on the window, and the file dialog. The current
//! video keeps playing until the first frame of the new one is available.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::folders;
use super::start;
use super::{Files, Opened, Opening};
use crate::app::input::event::Waker;
use crate::app::kept::luts;
use crate::app::options::PlayOptions;
use crate::app::screen::Window;
use crate::app::screen::dialog::{Answer, Dialog};
use crate::app::session::{Interpretation, Session};
use histoscope_core::picture::Frame;
use histoscope_core::text::file_name;
use histoscope_hud::Note;

/// The progress of opening a video.
pub enum Arrival {
    /// It is being opened.
    Begun,
    /// It is open, and its first frame is available.
    Video(Box<Session>, Frame),
    /// A lookup table to apply was chosen.
    Lut(PathBuf),
    /// There is a note to show.
    Note(Note),
}

/// The files to view, and the means to open more of them.
pub struct Inputs {
    options: PlayOptions,
    waker: Waker,
    files: Files,
    /// The video being opened.
    opening: Option<Opening>,
    /// Files dropped on the window. Several arrive one by one, and are handled together.
    dropped: Vec<PathBuf>,
    /// The dialog, while it is open.
    dialog: Option<Dialog>,
}

impl Inputs {
    /// Creates the inputs from the options; `shown` is the index of the file on screen.
    #[must_use]
    pub fn new(options: PlayOptions, waker: Waker, shown: usize) -> Self {
        let files = Files::new(options.inputs.clone(), shown);
        Self { options, waker, files, opening: None, dropped: Vec::new(), dialog: None }
    }

    /// Returns the position of the file on screen, counted from 1, and the number of files.
    #[must_use]
    pub fn place(&self) -> (usize, usize) {
        self.files.place()
    }

    /// Returns the note on the video being opened.
    #[must_use]
    pub fn opening(&self, now: Instant) -> Option<String> {
        self.opening.as_ref().map(|opening| opening.text(now))
    }

    /// Returns the name of the source whose sender is being waited for.
    #[must_use]
    pub fn awaited(&self) -> Option<&str> {
        self.opening.as_ref().filter(|opening| opening.is_awaited()).map(|opening| &*opening.name)
    }

    /// Returns when there will be something to report about the video being opened.
    #[must_use]
    pub fn wake_at(&self) -> Option<Instant> {
        self.opening.as_ref()?.report_at()
    }

    /// Continues opening a video that was begun before the window existed.
    pub fn resume_opening(&mut self, opening: Opening) {
        self.opening = Some(opening);
    }

    /// Opens the next or the previous file of the list; `playing` is the video on screen.
    pub fn step(&mut self, forward: bool, playing: Option<&Session>) -> Arrival {
        match self.files.step(forward).map(Path::to_owned) {
            Some(input) => self.open(input, playing),
            None => {
                let (_, count) = self.files.place();
                let end = if forward { "last" } else { "first" };
                let text =
                    if count > 1 { format!("this is the {end} file") } else { "there is only one file".to_owned() };
                Arrival::Note(Note::done(text))
            }
        }
    }

    /// Notes a file that was dropped on the window.
    pub fn drop_file(&mut self, path: PathBuf) {
        self.dropped.push(path);
    }

    /// Opens the desktop's file dialog. Returns a note if that fails.
    pub fn ask(&mut self, window: &dyn Window) -> Option<Note> {
        if self.dialog.is_some() {
            return None;
        }
        let waker = Arc::clone(&self.waker);
        match Dialog::wait(window.pick_files(), window.now(), move || waker()) {
            Ok(dialog) => self.dialog = Some(dialog),
            Err(error) => return Some(Note::warning(format!("no file dialog could be opened: {error}"))),
        }
        None
    }

    /// Handles files that have been dropped, opened or chosen since the last call.
    pub fn advance(&mut self, playing: Option<&Session>, now: Instant) -> Vec<Arrival> {
        let dropped = std::mem::take(&mut self.dropped);
        let mut arrivals = self.add(dropped, playing);
        arrivals.extend(self.advance_opening(playing, now));
        arrivals.extend(self.advance_dialog(playing, now));
        arrivals
    }

    /// Opens a chosen file.
    pub fn choose(&mut self, file: PathBuf, playing: Option<&Session>) -> Vec<Arrival> {
        self.add(vec![file], playing)
    }

    /// Inserts files, and the videos of folders, after the file on screen, and opens the first of them.
    fn add(&mut self, files: Vec<PathBuf>, playing: Option<&Session>) -> Vec<Arrival> {
        let mut arrivals = Vec::new();
        let mut videos = Vec::new();
        for file in files {
            if luts::is_lut(&file) {
                arrivals.push(Arrival::Lut(file));
                continue;
            }
            match folders::videos_of(file) {
                Ok(found) => videos.extend(found),
                Err(error) => arrivals.push(Arrival::Note(Note::warning(error.to_string()))),
            }
        }
        let first = self.files.add(videos).map(Path::to_owned);
        arrivals.extend(first.map(|first| self.open(first, playing)));
        arrivals
    }

    /// Opens a different video track of the file on screen, counted from 1, at the current position.
    pub fn read_track(&mut self, number: u32, playing: &Session) -> Arrival {
        let mut options = self.options.clone();
        options.open.track = Some(number);
        let at_secs = playing.player.is_seekable().then(|| playing.player.position_secs());
        self.open_with(playing.input.clone(), &options, at_secs, Some(playing))
    }

    /// Starts opening a file or an address.
    fn open(&mut self, input: PathBuf, playing: Option<&Session>) -> Arrival {
        let options = self.options.clone();
        self.open_with(input, &options, None, playing)
    }

    /// Starts opening a file or an address, to continue at a time in seconds.
    fn open_with(
        &mut self,
        input: PathBuf,
        options: &PlayOptions,
        at_secs: Option<f64>,
        playing: Option<&Session>,
    ) -> Arrival {
        match start::open(&input, options, &self.waker) {
            Ok(media) => {
                let opening = self.opening.insert(Opening::new(input, media));
                opening.at_secs = at_secs;
                Arrival::Begun
            }
            Err(error) => {
                self.files.failed(playing.is_none());
                Arrival::Note(Note::warning(error.to_string()))
            }
        }
    }

    fn advance_opening(&mut self, playing: Option<&Session>, now: Instant) -> Option<Arrival> {
        let opening = self.opening.as_mut()?;
        match opening.poll() {
            Opened::NotYet => opening.new_note(now).map(|text| {
                log::warn!("{text}");
                // If no video is on screen, the window shows the text itself.
                if playing.is_some() { Arrival::Note(Note::warning(text)) } else { Arrival::Begun }
            }),
            Opened::Video(media, info, first) => {
                let (input, at_secs) = (opening.input.clone(), opening.at_secs);
                self.opening = None;
                self.files.arrived();
                let mut options = self.options.clone();
                // The new video inherits the playback state of the previous one.
                if let Some(Session { player, .. }) = playing {
                    (options.begin.paused, options.begin.looped) = (player.is_paused(), player.is_looped());
                }
                let mut player = start::player(&info, &options);
                player.set_speed(playing.map_or(1.0, |session| session.player.speed()), now);
                let interpretation = Interpretation::at_start(&self.options.open);
                let mut session = Session::new(input, (media, info), player, first.clone(), interpretation);
                if let Some(secs) = at_secs {
                    session.go_to(secs);
                }
                Some(Arrival::Video(Box::new(session), first))
            }
            Opened::Failed(reason) => {
                self.opening = None;
                self.files.failed(playing.is_none());
                log::warn!("{reason}");
                Some(Arrival::Note(Note::warning(reason.to_string())))
            }
        }
    }

    fn advance_dialog(&mut self, playing: Option<&Session>, now: Instant) -> Vec<Arrival> {
        let Some(dialog) = &self.dialog else { return Vec::new() };
        let answer = dialog.poll(now);
        if answer != Answer::Open {
            self.dialog = None;
        }
        match answer {
            Answer::Open | Answer::Closed => Vec::new(),
            Answer::Files(files) => {
                let names: Vec<_> = files.iter().map(|file| file_name(file)).collect();
                log::debug!("chosen: {}", names.join(", "));
                self.add(files, playing)
            }
            Answer::Unavailable => {
                let text = "this desktop has no file dialog; drop a file on the window, or name it on the command line";
                vec![Arrival::Note(Note::warning(text))]
            }
        }
    }
}

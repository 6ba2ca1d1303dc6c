//! Ways in: the next file of the list, a dropped one, one chosen in the dialog. What is on screen plays on until the new
//! video's first frame is there.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::dialog::{Answer, Dialog};
use super::files::{Opened, Opening};
use super::hud::Tone;
use super::session::{Session, file_name};
use super::viewer::Viewer;

impl Viewer {
    /// Begins to open a file or an address.
    fn open(&mut self, input: PathBuf, now: Instant) {
        match super::start::open(&input, &self.options, &self.waker) {
            Ok(media) => self.opening = Some(Opening::new(input, media)),
            Err(error) => {
                self.files.failed(self.session.is_none());
                self.note(error.to_string(), Tone::Wrong, now);
            }
        }
        self.window.request_redraw();
    }

    /// Opens the next or the previous file of the list.
    pub(super) fn open_other(&mut self, forward: bool, now: Instant) {
        match self.files.step(forward).map(Path::to_owned) {
            Some(input) => self.open(input, now),
            None => {
                let (_, count) = self.files.place();
                let end = if forward { "last" } else { "first" };
                let text =
                    if count > 1 { format!("this is the {end} file") } else { "there is one file only".to_owned() };
                self.note(text, Tone::Done, now);
            }
        }
    }

    /// Notes a file that was dropped on the window. Several come one by one, and are dealt with together.
    pub fn drop_file(&mut self, path: PathBuf) {
        self.dropped.push(path);
    }

    /// Asks how far the opening of another video has come.
    pub(super) fn advance_opening(&mut self, now: Instant) {
        let dropped = std::mem::take(&mut self.dropped);
        if let Some(first) = self.files.add(dropped).map(Path::to_owned) {
            self.open(first, now);
        }
        let Some(opening) = &mut self.opening else { return };
        match opening.poll() {
            Opened::NotYet => {}
            Opened::Video(media, info, first) => {
                let input = opening.input.clone();
                self.opening = None;
                self.files.arrived();
                let mut options = self.options.clone();
                let mut speed = 1.0;
                // What plays goes on playing, and what stands stands.
                if let Some(session) = self.session.take() {
                    options.paused = session.player.is_paused();
                    options.looped = session.player.is_looped();
                    speed = session.player.speed();
                    session.log_summary();
                }
                let mut player = super::start::player(&info, &options);
                player.set_speed(speed, now);
                self.hud.is_empty = false;
                self.scene.brush = None;
                self.brush_fade.reset();
                self.scene.marks = None;
                self.bins = super::readouts::Bins::default();
                self.scene.view = crate::view::placement::ViewSettings::fitted(self.scene.view.fit);
                let session = Session::new(input, media, info, player, first);
                let (place, count) = self.files.place();
                let place = if count > 1 { format!("  ({place} of {count})") } else { String::new() };
                let text = format!("{}{place}", session.name);
                self.session = Some(session);
                self.note(text, Tone::Done, now);
                self.update_title(now, true);
            }
            Opened::Failed(reason) => {
                self.opening = None;
                self.files.failed(self.session.is_none());
                log::warn!("{reason}");
                self.note(reason, Tone::Wrong, now);
            }
        }
    }

    /// Opens the desktop's dialog.
    pub(super) fn open_dialog(&mut self, now: Instant) {
        if self.dialog.is_some() {
            return;
        }
        let waker = Arc::clone(&self.waker);
        match Dialog::open(&self.window, move || waker()) {
            Ok(dialog) => self.dialog = Some(dialog),
            Err(error) => self.note(format!("no file dialog could be opened: {error}"), Tone::Wrong, now),
        }
    }

    /// Asks whether the dialog has been answered.
    pub(super) fn advance_dialog(&mut self, now: Instant) {
        let Some(dialog) = &self.dialog else { return };
        let answer = dialog.poll(now);
        if answer != Answer::Open {
            self.dialog = None;
        }
        match answer {
            Answer::Open | Answer::Closed => {}
            Answer::Files(files) => {
                let names: Vec<_> = files.iter().map(|file| file_name(file)).collect();
                log::debug!("chosen: {}", names.join(", "));
                if let Some(first) = self.files.add(files).map(Path::to_owned) {
                    self.open(first, now);
                }
            }
            Answer::Unavailable => {
                let text = "this desktop has no file dialog; drop a file on the window, or name it on the command line";
                self.note(text, Tone::Wrong, now);
            }
        }
    }
}

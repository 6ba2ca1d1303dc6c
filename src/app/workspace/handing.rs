//! What is handed over: saved pictures with their bins, and what the desktop's clipboard takes.

use std::time::Instant;

use glam::DVec2;

use super::Workspace;
use crate::app::copying::{self, Copied};
use crate::app::hud::Note;
use histoscope_render::gpu::FrameTag;
use histoscope_render::view::scene::{Counted, Other, Scene};

/// Why nothing is handed over of a held frame, which may be another file's.
const HELD: &str = "the held frame is on screen; Shift+P goes back to the video";
/// The same of the second clip.
const SECOND: &str = "the second clip is on screen; Shift+P goes back to the first";

impl Workspace {
    /// Says what has been saved since.
    pub fn advance_saves(&mut self, now: Instant) {
        for note in self.outgoing.saves.advance() {
            self.note(note, now);
        }
    }

    /// Saves what the window shows, without the controls, with labels or bare, and the bins of the frame.
    pub(super) fn save(&mut self, labelled: bool, now: Instant) {
        let Some(session) = &self.session else { return };
        if self.held.is_shown() {
            return self.note(Note::warning(format!("nothing was saved: {}", self.other_shown())), now);
        }
        let components = self.bins.components;
        let shown = (&self.scene, components, self.bins.region.counted());
        let held = self.held.outlined_in(components).map(|held| held.name.as_str());
        let is_shown = self.scene.paired().is_some_and(|pair| pair.other != Other::Source);
        let other = self.held.chosen().filter(|_| is_shown).map(|held| held.title.as_str());
        if let Err(reason) = self.outgoing.saves.begin(session, &mut self.graphics, shown, (held, other), labelled) {
            self.note(Note::warning(format!("nothing was saved: {reason}")), now);
        }
    }

    /// Copies what the window shows, without the controls.
    pub(super) fn copy_picture(&mut self, now: Instant) {
        let scene = Scene { marks: None, ..self.scene };
        let size = self.graphics.screen.size();
        let image = self.graphics.renderer.snapshot(&self.graphics.gpu, size, &scene);
        let image = image.map_err(|error| format!("nothing was copied: {error}"));
        let copied = image.and_then(|image| self.outgoing.clipboard.copy_image(image));
        self.tell_copied(copied.map(|()| format!("the picture, {}×{}", size.0, size.1)), now);
    }

    /// Copies the values of what lies at a point of the view, or the frame's numbers. They are counted now, so that they are those
    /// of the frame on screen.
    pub fn copy_values(&mut self, at: Option<DVec2>, now: Instant) {
        if self.held.is_shown() {
            return self.tell_copied(Err(format!("nothing was copied: {}", self.other_shown())), now);
        }
        let Some(frame) = self.session.as_ref().and_then(|session| session.frame.as_ref()) else { return };
        let adjusted = self.scene.look.counted_in(self.bins.components) != Counted::Source;
        let tag = FrameTag { adjusted, region: self.bins.region.counted(), ..FrameTag::of(frame) };
        let sums = match self.graphics.renderer.count(&self.graphics.gpu) {
            Ok(histogram) => histogram.cumulative(),
            Err(error) => return self.tell_copied(Err(format!("nothing was copied: {error}")), now),
        };
        let Some(session) = &self.session else { return };
        let Some(Copied { text, name }) = copying::values(&self.geometry(), session, (&tag, &sums), at) else { return };
        let copied = self.outgoing.clipboard.copy_text(text);
        self.tell_copied(copied.map(|()| name), now);
    }

    /// Why nothing is handed over while another picture is on screen than the video's.
    fn other_shown(&self) -> &'static str {
        if self.held.second_shown().is_some() { SECOND } else { HELD }
    }

    fn tell_copied(&mut self, copied: Result<String, String>, now: Instant) {
        let note = match copied {
            Ok(name) => Note::done(format!("copied {name}")),
            Err(reason) => Note::warning(reason),
        };
        self.note(note, now);
    }
}

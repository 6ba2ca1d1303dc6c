//! Frames that are held to compare with: taken, let go of, and shown in the place of the video.

use std::time::Instant;

use super::Workspace;
use crate::app::comparison::{HoldOutcome, MOST, Reference};
use crate::app::hud::Note;
use crate::app::options::AppError;
use histoscope_core::picture::Frame;
use histoscope_render::engine::EngineError;
use histoscope_render::view::scene::Sharing;

/// What is said where no frame is held.
const NOTHING_HELD: &str = "no frame is held: p holds the one on screen";

impl Workspace {
    /// Holds the frame on screen, or lets go of it where it is held.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub(super) fn hold_frame(&mut self, now: Instant) -> Result<(), AppError> {
        if self.held.second_shown().is_some() {
            self.note(
                Note::done("the second clip is on screen: Shift+P goes back, and p holds a frame of the first"),
                now,
            );
            return Ok(());
        }
        if self.held.is_shown() {
            return self.let_go(now);
        }
        let Some(session) = &self.session else { return Ok(()) };
        let Some(frame) = session.frame.as_ref().map(|frame| session.read(frame)) else { return Ok(()) };
        let part = (&self.scene, self.bins.region.counted());
        let held = match Reference::new(&self.graphics.engine, &session.name, frame, part) {
            Ok(held) => held,
            Err(EngineError::Gpu(error)) => return self.rebuild(error),
            Err(error) => {
                self.note(Note::warning(format!("nothing is held: {error}")), now);
                return Ok(());
            }
        };
        let name = held.name.clone();
        let text = match self.held.take(held) {
            HoldOutcome::LetGo => format!("let go of {name}"),
            HoldOutcome::Held(None) => format!("held: {name}; Shift+P shows it, p lets go of it"),
            HoldOutcome::Held(Some(oldest)) => format!("held: {name}; {oldest} was let go of, {MOST} are held at most"),
        };
        self.note(Note::done(text), now);
        Ok(())
    }

    /// Shows the frame that is held in the place of the video, or the video again.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub(super) fn flip_held(&mut self, now: Instant) -> Result<(), AppError> {
        if self.show_video(now)? {
            return Ok(());
        }
        let Some(live) = self.session.as_ref().and_then(|session| session.frame.clone()) else { return Ok(()) };
        let Some(held) = self.held.show(live) else {
            self.note(Note::done(NOTHING_HELD), now);
            return Ok(());
        };
        let name = self.held.chosen().map_or_else(String::new, |held| held.name.clone());
        self.load(held)?;
        let what = if self.held.has_held() { "the held frame" } else { "the second clip" };
        self.note(Note::done(format!("{what}: {name}")), now);
        Ok(())
    }

    /// Goes back from a held frame to the video; whether one was shown.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn show_video(&mut self, now: Instant) -> Result<bool, AppError> {
        let Some(live) = self.held.back() else { return Ok(false) };
        self.load(live)?;
        self.note(Note::done("the video"), now);
        Ok(true)
    }

    /// Puts a frame that is due on screen, unless a held one stays there: that goes when somebody steps or seeks, and not by itself
    /// while the video plays.
    pub(super) fn load_due(&mut self, frame: Frame, stands: bool) -> Result<(), AppError> {
        if stands {
            self.held.back();
        }
        match self.held.pass(frame) {
            Some(frame) => self.load(frame),
            None => Ok(()),
        }
    }

    /// Compares with another one of the frames that are held.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn compare_with(&mut self, place: usize, now: Instant) -> Result<(), AppError> {
        let live = self.held.back();
        self.held.choose(place);
        let name = self.held.chosen().map_or_else(String::new, |held| held.name.clone());
        self.note(Note::done(format!("compared with {name}")), now);
        live.map_or(Ok(()), |live| self.load(live))
    }

    /// Lets go of the frame that is compared with.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn let_go(&mut self, now: Instant) -> Result<(), AppError> {
        let live = self.held.back();
        if let Some(name) = self.held.let_go_of_chosen() {
            self.note(Note::done(format!("let go of {name}")), now);
        }
        live.map_or(Ok(()), |live| self.load(live))
    }

    /// Has the frame that is compared with drawn: its bins as outlines, and its picture with the live one.
    pub fn follow_held(&mut self, now: Instant) {
        self.scene.other = self.held.other();
        let frame =
            self.held.outlined().map(|held| &held.frame).filter(|_| !(self.scene.look.sharing == Sharing::Alone));
        if let Err(reason) = self.graphics.renderer.set_comparison(&self.graphics.gpu, frame) {
            self.scene.look.sharing = Sharing::Alone;
            self.note(
                Note::warning(format!("the other picture cannot be drawn, and the live one is shown alone: {reason}")),
                now,
            );
        }
        let bins = self.held.outlined().and_then(|held| held.histogram(self.bins.components));
        self.graphics.renderer.set_reference(&self.graphics.gpu, bins);
    }

    /// Which pictures the histograms are of, in words; nothing where there is but one.
    pub(super) fn counted_pictures(&self) -> Option<String> {
        let components = self.bins.components;
        match self.held.outlined_in(components) {
            Some(held) => {
                // Its outlines take the place of the source's.
                let filled = self.scene.look.filled_text(components);
                let outline = format!("outline: {}", held.name);
                Some(filled.map_or_else(|| outline.clone(), |filled| format!("{filled}; {outline}")))
            }
            None if self.held.second_shown().is_some() => Some("the second clip".to_owned()),
            None if self.held.is_shown() => Some("held frame".to_owned()),
            None => self.scene.look.counted_text(components),
        }
    }
}

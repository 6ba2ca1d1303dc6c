//! The second clip of `--compare`: brought in step with the one on screen, shifted, and matched with it.

use std::time::Instant;

use super::Workspace;
use crate::app::clip_in_step::Asked;
use crate::app::hud::Note;
use crate::app::options::AppError;
use histoscope_render::engine::EngineError;

/// What is said where there is none.
const NO_SECOND: &str = "there is no second clip: histoscope a.mp4 b.mp4 --compare plays two";

impl Workspace {
    /// Brings the second clip to the frame that belongs to the one on screen, and compares with it; when to look again.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub(super) fn advance_second(&mut self, now: Instant) -> Result<Option<Instant>, AppError> {
        let (Some(second), Some(session)) = (&mut self.second, &self.session) else { return Ok(None) };
        let found = second.take_offset();
        let complaints = second.follow(session, now);
        let asked = Asked { scene: &self.scene, components: self.bins.components, region: self.bins.region.counted() };
        let reference = second.reference(&self.graphics.engine, session, asked, now);
        let wake_at = second.wake_at(now);
        for complaint in complaints {
            self.note(Note::warning(complaint), now);
        }
        if let Some(text) = found {
            self.note(Note::info(text), now);
        }
        match reference {
            Ok(None) => {}
            Ok(Some(reference)) => {
                self.held.set_second(reference);
                if let Some(frame) = self.held.second_shown().cloned() {
                    self.load(frame)?;
                }
                self.redraw();
            }
            Err(EngineError::Gpu(error)) => self.rebuild(error)?,
            Err(error) => self.note(Note::warning(format!("the second clip is not counted: {error}")), now),
        }
        Ok(wake_at)
    }

    /// Whether there is a second clip.
    #[must_use]
    pub const fn has_second(&self) -> bool {
        self.second.is_some()
    }

    /// Shifts the second clip by so many of its frames.
    pub(super) fn shift_second(&mut self, frames: i64, now: Instant) {
        let text = match &mut self.second {
            Some(second) => second.shift(frames),
            None => NO_SECOND.to_owned(),
        };
        self.note(Note::done(text), now);
    }

    /// Looks for the offset at which the histograms of both clips are nearest to each other.
    pub(super) fn match_second(&mut self, now: Instant) {
        let text = match (&mut self.second, &self.session) {
            (Some(second), Some(session)) => second.find_offset(&session.input),
            _ => NO_SECOND.to_owned(),
        };
        self.note(Note::done(text), now);
    }
}

//! What keys ask of the video on screen.

use std::time::Instant;

use super::Workspace;
use crate::app::hud::Note;
use crate::app::options::AppError;
use crate::app::{look, regions, transport};
use crate::keys::Action;
use histoscope_core::adjust::Adjustment;

impl Workspace {
    /// Does what a key asks of the video on screen, `held` where the key has been down for a while.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn act_on_video(&mut self, action: Action, held: bool, now: Instant) -> Result<(), AppError> {
        if self.restyle(action, now) {
            return Ok(());
        }
        match action {
            Action::ToggleComponents => self.toggle_components(now)?,
            Action::ToggleNumbers | Action::ToggleInfo | Action::ToggleAdjusting | Action::ToggleTiming => {
                self.toggle_panel(action)?;
            }
            Action::FindBars | Action::TakeRegion | Action::ClearRegion => self.act_on_region(action, now)?,
            Action::NextStrip => self.show_strip(self.strip.size.next(), now),
            Action::ToCut { forward } => self.go_to_cut(forward, now),
            Action::ToFinding { forward } => self.go_to_finding(forward, now),
            Action::OtherFindings { forward } => self.look_for(self.strip.sought.next(forward), now),
            Action::HoldFrame => self.hold_frame(now)?,
            Action::FlipHeld => self.flip_held(now)?,
            Action::ShiftSecond { frames } => self.shift_second(frames, now),
            Action::MatchSecond => self.match_second(now),
            Action::Save => self.save(true, now),
            Action::SaveBare => self.save(false, now),
            Action::CopyPicture => self.copy_picture(now),
            Action::EnterTime => self.enter_time(now),
            action => self.operate(action, held, now)?,
        }
        Ok(())
    }

    /// Changes how the picture looks where the key is one for that; whether it was.
    fn restyle(&mut self, action: Action, now: Instant) -> bool {
        let (components, bits) = (self.bins.components, self.geometry().bits().unwrap_or(8));
        let before = self.scene.look;
        // What is held may have changed since the last drawing.
        self.scene.other = self.held.other();
        let text = if look::apply(&mut self.scene.look, (components, bits), action) {
            look::note(&before, &self.scene, components, action)
        } else {
            self.adjuster.apply(&mut self.scene.look.adjustments, action)
        };
        let Some(mut text) = text else { return false };
        if let (Action::NextFit | Action::ResetView, Some(percent)) = (action, self.geometry().percent()) {
            text = format!("{text}  ·  {percent}");
        }
        if let Action::ToggleAdjustment(kind) = action {
            self.introduce(kind, now);
        }
        self.note(Note::done(text), now);
        self.settings.changed(now);
        true
    }

    /// Finds, takes or drops the part of the picture that is counted alone.
    fn act_on_region(&mut self, action: Action, now: Instant) -> Result<(), AppError> {
        let frame = self.session.as_ref().and_then(|session| Some((session, session.frame.as_ref()?)));
        let (region, text) = match (action, frame) {
            (Action::ClearRegion, _) => regions::clear(self.bins.region),
            (_, None) => return Ok(()),
            (Action::FindBars, Some((session, frame))) => {
                regions::find_bars(self.bins.region, &session.read(frame).picture)
            }
            (_, Some(_)) => regions::take(self.bins.region),
        };
        self.choose_region(region)?;
        self.note(Note::done(text), now);
        Ok(())
    }

    /// Opens the entry for a time to go to, or says why there is none.
    fn enter_time(&mut self, now: Instant) {
        let player = self.session.as_ref().map(|session| &session.player);
        let refusal = match player {
            Some(player) if player.is_single() => Some(transport::NOTHING_TO_PLAY),
            Some(player) if player.is_live() => Some(transport::LIVE),
            _ => None,
        };
        match refusal {
            Some(text) => self.note(Note::done(text), now),
            None => self.hud.open_entry(),
        }
    }

    /// Does what a key asks of playback and of how the video is read.
    fn operate(&mut self, action: Action, held: bool, now: Instant) -> Result<(), AppError> {
        let Some(session) = &mut self.session else { return Ok(()) };
        let text = transport::operate(session, action, held, now);
        if matches!(action, Action::NextMatrix | Action::NextRange | Action::NextChromaLines | Action::NextField) {
            self.reload()?;
        }
        if let Some(text) = text {
            self.note(Note::done(text), now);
        }
        Ok(())
    }

    /// Opens or closes a panel, and closes those that have no room beside it.
    fn toggle_panel(&mut self, which: Action) -> Result<(), AppError> {
        let width = self.geometry().width_in_points();
        let before = self.hud.panels;
        let mut panels = before.within(width);
        panels.toggle(which, width);
        self.hud.panels = panels;
        // Whoever has opened it knows it.
        self.adjuster.introduced |= panels.adjusting;
        if panels.timing != before.timing {
            self.time_passes(panels.timing)?;
        }
        Ok(())
    }

    /// Opens the panel with the sliders, once, where somebody works with the pointer and it is in nothing's way.
    fn introduce(&mut self, kind: Adjustment, now: Instant) {
        let is_wanted = kind.is_on(&self.scene.look.adjustments) && !self.adjuster.introduced;
        if is_wanted
            && self.hud.shows_controls(now)
            && self.hud.has_room_for_adjusting(self.geometry().width_in_points())
        {
            log::debug!("the panel of adjustments opens by itself");
            self.adjuster.introduced = true;
            self.hud.panels.adjusting = true;
        }
    }
}

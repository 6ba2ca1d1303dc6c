//! Another video on screen, and where each was left.

use std::time::Instant;

use super::Workspace;
use crate::app::clip_in_step::Second;
use crate::app::hud::Note;
use crate::app::recent::{RecentFile, place_text};
use crate::app::session::Session;
use crate::keys::{self, Action};
use histoscope_core::picture::Frame;
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::placement::ViewSettings;

impl Workspace {
    /// Puts another video with its first frame on screen, the one at this place in a list of so many.
    pub fn take_over(&mut self, (session, first): (Session, &Frame), (place, count): (usize, usize), now: Instant) {
        match &self.session {
            Some(before) => before.log_summary(),
            None => self.graphics.screen.fit_first(first),
        }
        self.leave();
        self.scene.brushes = Brushes::default();
        self.scene.marks = None;
        self.scene.look.view = ViewSettings::fitted(self.scene.look.view.fit);
        self.strip.forget();
        self.hud.change_video();
        let place = if count > 1 { format!("  ({place} of {count})") } else { String::new() };
        let track = session.info.track().map(|track| format!("  (track {track} of {})", session.info.tracks.len()));
        let text = format!("{}{place}{}", session.name, track.unwrap_or_default());
        // What stands in for the video before stands in for this one no longer.
        self.held.back();
        self.held.forget_second();
        self.second.iter_mut().for_each(Second::change_first);
        self.session = Some(session);
        self.note(Note::done(text), now);
        self.remember(true, now);
        self.follow_title(now, true);
    }

    /// Notes the video on screen among the recent ones. Where it was left before, that is offered, but gone to only by a key.
    pub fn remember(&mut self, offers: bool, now: Instant) {
        let Some(session) = &mut self.session else { return };
        session.left_at = self.recent.opened(&session.input).filter(|_| session.player.is_seekable());
        let key = keys::label_of(Action::Continue);
        if let (Some(secs), Some(key), true) = (session.left_at, key, offers) {
            self.note(Note::info(format!("left at {}: {key} continues there", place_text(secs))), now);
        }
    }

    /// The files that were opened before the one on screen, the last one first.
    #[must_use]
    pub fn recent_files(&self) -> &[RecentFile] {
        self.recent.others(self.session.as_ref().map(|session| &*session.input))
    }

    /// Notes where the video on screen is left.
    pub fn leave(&mut self) {
        if let Some(Session { input, player, .. }) = &self.session {
            self.recent.left(input, player.position_secs(), player.duration_secs());
        }
    }
}

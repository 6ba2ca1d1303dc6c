//! The clip behind the timeline: how much of it is shown, and the cuts that it knows.

use std::time::Instant;

use super::Workspace;
use crate::app::hud::Note;
use crate::app::strip::StripSize;
use crate::app::transport;
use crate::strip::Cut;
use crate::text::timecode;

/// Cuts no further away than this are where playback is: times are rounded in a file's time base.
const SLACK_SECS: f64 = 1e-3;

impl Workspace {
    /// Shows so much of the clip, and says so.
    pub(super) fn show_strip(&mut self, size: StripSize, now: Instant) {
        self.strip.size = size;
        self.settings.changed(now);
        self.hud.wake(now);
        self.note(Note::done(size.text()), now);
    }

    /// Draws the strip anew where it is on screen and more of it is known; when to look again.
    pub fn follow_strip(&mut self, now: Instant) -> Option<Instant> {
        if !self.hud.shows_controls(now) {
            return None;
        }
        let (has_news, wake_at) = self.strip.news(now);
        if has_news {
            self.redraw();
        }
        wake_at
    }

    /// Goes to the next or the previous cut of those that are known, and says which that is.
    pub(super) fn go_to_cut(&mut self, forward: bool, now: Instant) {
        let Some(session) = &mut self.session else { return };
        if session.player.is_single() {
            return self.note(Note::done(transport::NOTHING_TO_PLAY), now);
        }
        if !session.player.is_seekable() {
            return self.note(Note::done("this input plays forwards only"), now);
        }
        let here_secs = session.player.destination_secs();
        let Some((found, known_secs)) = self.strip.strip().map(|strip| {
            let counted = strip.is_complete();
            (neighbour(strip.cuts(), here_secs, forward), (!counted).then(|| strip.known_secs()))
        }) else {
            return self.note(Note::done("no cuts are known: the clip is not counted (Shift+T)"), now);
        };
        let text = match found {
            Some((number, all, cut)) => {
                session.go_to(cut.time_secs);
                let all = if known_secs.is_some() { format!("{all} so far") } else { all.to_string() };
                let text = format!("cut {number} of {all}: {}", timecode(cut.time_secs));
                session.announce(&text);
                text
            }
            None => {
                let side = if forward { "after" } else { "before" };
                let known = known_secs.map(|secs| format!("; cuts are known up to {}", timecode(secs)));
                format!("no cut {side} this{}", known.unwrap_or_default())
            }
        };
        self.note(Note::done(text), now);
    }
}

/// The cut next to a time, on one side of it, with its number from one and the number of all.
fn neighbour(cuts: &[Cut], here_secs: f64, forward: bool) -> Option<(usize, usize, Cut)> {
    let at = if forward {
        cuts.iter().position(|cut| cut.time_secs > here_secs + SLACK_SECS)?
    } else {
        cuts.iter().rposition(|cut| cut.time_secs < here_secs - SLACK_SECS)?
    };
    Some((at + 1, cuts.len(), cuts[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_cut_on_either_side_is_found() {
        let cuts = [2.0, 4.0, 9.0].map(|time_secs| Cut { frame: 0, time_secs, distance: 0.1 });
        let number = |here, forward| neighbour(&cuts, here, forward).map(|(number, _, cut)| (number, cut.time_secs));
        assert_eq!(
            [0.0, 2.0, 3.9, 9.0].map(|here| number(here, true)),
            [Some((1, 2.0)), Some((2, 4.0)), Some((2, 4.0)), None]
        );
        assert_eq!(
            [2.0, 4.0, 4.1, 99.0].map(|here| number(here, false)),
            [None, Some((1, 2.0)), Some((2, 4.0)), Some((3, 9.0))]
        );
        assert_eq!(number(1.9995, true), Some((2, 4.0)), "rounded, it is on screen already");
    }
}

//! The clip behind the timeline: how much of it is shown, and the cuts and findings that it knows.

use std::time::Instant;

use super::Workspace;
use crate::app::hud::{Note, finding_text, of_all};
use crate::app::strip::StripSize;
use crate::app::transport;
use crate::keys::{self, Action};
use histoscope_core::strip::{Sought, Strip};
use histoscope_core::text::time_text;

/// What is no further away than this is where playback is: times are rounded in a file's time base.
const SLACK_SECS: f64 = 1e-3;
/// Why neither cuts nor findings are known of what cannot be read a second time.
const ONLY_SEEN: &str = "this input cannot be read ahead, and only what is seen is counted";

impl Workspace {
    /// Shows so much of the clip, and says so.
    pub(super) fn show_strip(&mut self, size: StripSize, now: Instant) {
        self.strip.size = size;
        self.settings.changed(now);
        self.hud.wake(now);
        let text = keys::label(Action::NextStrip).map(|label| label.note(&size.state()));
        self.note(Note::done(text.unwrap_or_default()), now);
    }

    /// Draws the strip anew where it is on screen and more of it is known; when to look again.
    pub fn follow_strip(&mut self, now: Instant) -> Option<Instant> {
        if !self.hud.shows_controls(now) {
            return None;
        }
        let (has_news, wake_at) = self.strip.news(now);
        if self.strip.has_other_preview() || has_news {
            self.redraw();
        }
        wake_at
    }

    /// Goes to the next or the previous cut of those that are known, and says which that is.
    pub(super) fn go_to_cut(&mut self, forward: bool, now: Instant) {
        let find = |strip: &Strip, here_secs| {
            let cuts = strip.cuts();
            let at = neighbour(cuts, |cut| cut.time_secs, here_secs, forward)?;
            let all = of_all(cuts.len(), strip);
            Some((cuts[at].time_secs, format!("cut {} of {all}: {}", at + 1, time_text(cuts[at].time_secs))))
        };
        self.go_where_found(("cut", "cuts"), forward, find, now);
    }

    /// Goes to the next or the previous finding of those that are looked for, and says what is there.
    pub(super) fn go_to_finding(&mut self, forward: bool, now: Instant) {
        let sought = self.strip.sought;
        let find = |strip: &Strip, here_secs| {
            let findings: Vec<_> = strip.findings().iter().filter(|finding| sought.has(finding.kind)).collect();
            let at = neighbour(&findings, |finding| finding.start_secs, here_secs, forward)?;
            let secs = findings[at].start_secs;
            // Several may begin with one frame.
            let there = findings.iter().filter(|finding| (finding.start_secs - secs).abs() <= SLACK_SECS);
            let told: Vec<_> = there.map(|finding| finding_text(finding)).collect();
            let number = findings.partition_point(|finding| finding.start_secs < secs - SLACK_SECS) + 1;
            Some((secs, format!("{number} of {}: {}", of_all(findings.len(), strip), told.join("; "))))
        };
        self.go_where_found((sought.one(), sought.several()), forward, find, now);
    }

    /// Goes to what is found in the strip on one side of where playback is, and says what that is. `names` are those of one and of
    /// several such things.
    fn go_where_found(
        &mut self,
        (one, several): (&str, &str),
        forward: bool,
        find: impl FnOnce(&Strip, f64) -> Option<(f64, String)>,
        now: Instant,
    ) {
        let Some(session) = &mut self.session else { return };
        if session.player.is_single() {
            return self.note(Note::done(transport::NOTHING_TO_PLAY), now);
        }
        if self.strip.is_of_what_is_seen() {
            return self.note(Note::done(format!("no {several} are known: {ONLY_SEEN}")), now);
        }
        if !session.player.is_seekable() {
            return self.note(Note::done("this input plays forwards only"), now);
        }
        let here_secs = session.player.destination_secs();
        let Some((found, known_secs)) = self
            .strip
            .strip()
            .map(|strip| (find(&strip, here_secs), (!strip.is_complete()).then(|| strip.known_secs())))
        else {
            return self.note(Note::done(format!("no {several} are known: the clip is not counted (Shift+T)")), now);
        };
        let text = match found {
            Some((secs, text)) => {
                session.go_to(secs);
                session.announce(&text);
                text
            }
            None => {
                let side = if forward { "after" } else { "before" };
                let known = known_secs.map(|secs| format!("; {several} are known up to {}", time_text(secs)));
                format!("no {one} {side} this{}", known.unwrap_or_default())
            }
        };
        self.note(Note::done(text), now);
    }

    /// Looks for these findings from now on, and says how many are known.
    pub fn look_for(&mut self, sought: Sought, now: Instant) {
        self.strip.sought = sought;
        let known = match self.strip.strip() {
            Some(_) if self.strip.is_of_what_is_seen() => ONLY_SEEN.to_owned(),
            Some(strip) => {
                let count = strip.findings().iter().filter(|finding| sought.has(finding.kind)).count();
                of_all(count, &strip)
            }
            None => "the clip is not counted (Shift+T)".to_owned(),
        };
        self.hud.wake(now);
        self.note(Note::done(format!("looking for {}: {known}", sought.name())), now);
    }
}

/// The place of what is next to a time, on one side of it, among things in the order of time.
fn neighbour<T>(all: &[T], secs: impl Fn(&T) -> f64, here_secs: f64, forward: bool) -> Option<usize> {
    if forward {
        all.iter().position(|one| secs(one) > here_secs + SLACK_SECS)
    } else {
        all.iter().rposition(|one| secs(one) < here_secs - SLACK_SECS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_cut_on_either_side_is_found() {
        let cuts = [2.0, 4.0, 9.0];
        let place = |here, forward| neighbour(&cuts, |&secs| secs, here, forward);
        assert_eq!([0.0, 2.0, 3.9, 9.0].map(|here| place(here, true)), [Some(0), Some(1), Some(1), None]);
        assert_eq!([2.0, 4.0, 4.1, 99.0].map(|here| place(here, false)), [None, Some(0), Some(1), Some(2)]);
        assert_eq!(place(1.9995, true), Some(1), "rounded, it is on screen already");
    }
}

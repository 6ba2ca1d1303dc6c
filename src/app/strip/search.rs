//! Navigation to the cuts and findings known from the strip.

use super::ClipStrip;
use crate::app::session::Session;
use crate::app::session::transport;
use histoscope_core::strip::{FindingFilter, Strip};
use histoscope_core::text::time_text;
use histoscope_hud::{finding_text, of_all};

/// Times that differ by no more than this are considered equal: a file's time base rounds them.
const SLACK_SECS: f64 = 1e-3;
/// The reason why no cuts or findings are known for input that cannot be read a second time.
const ONLY_SEEN: &str = "this input cannot be read ahead; only shown frames are counted";

/// Seeks to the next or previous known cut. Returns the note on it.
pub fn go_to_cut(strip: &ClipStrip, session: &mut Session, forward: bool) -> String {
    let find = |strip: &Strip, here_secs| {
        let cuts = strip.cuts();
        let at = neighbour(cuts, |cut| cut.time_secs, here_secs, forward)?;
        let all = of_all(cuts.len(), strip);
        Some((cuts[at].time_secs, format!("cut {} of {all}: {}", at + 1, time_text(cuts[at].time_secs))))
    };
    go_where_found(strip, session, (("cut", "cuts"), forward), find)
}

/// Seeks to the next or previous finding of the selected kind. Returns a description of it.
pub fn go_to_finding(strip: &ClipStrip, session: &mut Session, forward: bool) -> String {
    let sought = strip.sought;
    let find = |strip: &Strip, here_secs| {
        let findings: Vec<_> = strip.findings().iter().filter(|finding| sought.has(finding.kind)).collect();
        let at = neighbour(&findings, |finding| finding.start_secs, here_secs, forward)?;
        let secs = findings[at].start_secs;
        // Several findings may start at the same frame.
        let there = findings.iter().filter(|finding| (finding.start_secs - secs).abs() <= SLACK_SECS);
        let told: Vec<_> = there.map(|finding| finding_text(finding)).collect();
        let number = findings.partition_point(|finding| finding.start_secs < secs - SLACK_SECS) + 1;
        Some((secs, format!("{number} of {}: {}", of_all(findings.len(), strip), told.join("; "))))
    };
    go_where_found(strip, session, ((sought.one(), sought.several()), forward), find)
}

/// Seeks to the result of `find` in the strip, on one side of the current position. Returns the note on it. The names
/// are the singular and plural for the kind of result.
fn go_where_found(
    strip: &ClipStrip,
    session: &mut Session,
    ((one, several), forward): ((&str, &str), bool),
    find: impl FnOnce(&Strip, f64) -> Option<(f64, String)>,
) -> String {
    if session.player.is_single() {
        return transport::NOTHING_TO_PLAY.to_owned();
    }
    if strip.is_of_what_is_seen() {
        return format!("no {several} are known: {ONLY_SEEN}");
    }
    if !session.player.is_seekable() {
        return "forward playback only: this input cannot seek".to_owned();
    }
    let here_secs = session.player.destination_secs();
    let Some(strip) = strip.strip() else {
        return format!("no {several} are known: the clip is not counted (Shift+T)");
    };
    let Some((secs, text)) = find(&strip, here_secs) else {
        let side = if forward { "after" } else { "before" };
        let known_secs = (!strip.is_complete()).then(|| strip.known_secs());
        let known = known_secs.map(|secs| format!("; {several} are known up to {}", time_text(secs)));
        return format!("no {one} {side} this{}", known.unwrap_or_default());
    };
    session.go_to(secs);
    session.announce(&text);
    text
}

/// Selects the kind of findings to look for. Returns a note with the number of known ones.
pub fn look_for(strip: &mut ClipStrip, sought: FindingFilter) -> String {
    strip.sought = sought;
    let known = match strip.strip() {
        Some(_) if strip.is_of_what_is_seen() => ONLY_SEEN.to_owned(),
        Some(strip) => {
            let count = strip.findings().iter().filter(|finding| sought.has(finding.kind)).count();
            of_all(count, &strip)
        }
        None => "the clip is not counted (Shift+T)".to_owned(),
    };
    format!("looking for {}: {known}", sought.name())
}

/// Returns the index of the item nearest to a time on one side of it. Items are in chronological order.
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

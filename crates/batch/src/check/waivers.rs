//! Waivers: findings that somebody has judged and does not count as faults, as a TOML file.

use std::ops::Range;
use std::path::Path;

use histoscope_core::text::shown;
use serde::Deserialize;
use toml::Spanned;

use super::checks;
use super::error::{ProfileError, line_of};
use super::finding::{Span, Waived};

/// A waiver.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Waiver {
    /// Its file and line, for messages.
    pub(super) place: String,
    /// The name of the file without its folder, or `None` for every file.
    file: Option<String>,
    check: &'static str,
    /// The first and last frame within which a finding must lie, or `None` for anywhere.
    frames: Option<[u64; 2]>,
    waived: Waived,
}

/// A file of waivers, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    waiver: Vec<Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: Option<String>,
    check: Option<Spanned<String>>,
    frames: Option<Spanned<[u64; 2]>>,
    reason: Option<String>,
    name: Option<String>,
}

impl Waiver {
    /// Reads the waivers in a file.
    ///
    /// # Errors
    /// [`ProfileError`] if the file cannot be read or is wrong, with the line.
    pub(super) fn read(path: &Path) -> Result<Vec<Self>, ProfileError> {
        let name = shown(path);
        let text = std::fs::read_to_string(path)
            .map_err(|error| ProfileError::NoWaivers { path: name.clone(), reason: error.to_string() })?;
        Self::parse(&name, &text)
    }

    fn parse(path: &str, text: &str) -> Result<Vec<Self>, ProfileError> {
        let wrong =
            |at: usize, what: String| ProfileError::Wrong { path: path.to_owned(), line: line_of(text, at), what };
        let document: Document = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            wrong(at, format!("{}; a file of waivers has tables [[waiver]]", error.message().replace('\n', " ")))
        })?;
        let waiver = |entry: Spanned<Entry>| {
            let Range { start, .. } = entry.span();
            let Entry { file, check, frames, reason, name } = entry.into_inner();
            let stated = |text: Option<String>, what: &str| {
                let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
                text.ok_or_else(|| wrong(start, format!("the waiver states no {what}; write {what} = \"…\"")))
            };
            let check =
                check.ok_or_else(|| wrong(start, "the waiver states no check; write check = \"…\"".to_owned()))?;
            let known = checks::ALL.iter().find(|known| known.name == check.get_ref());
            let Some(known) = known else {
                return Err(wrong(check.span().start, format!("unknown check '{}'", check.get_ref())));
            };
            if let Some(frames) = frames.as_ref().filter(|frames| frames.get_ref()[0] > frames.get_ref()[1]) {
                return Err(wrong(frames.span().start, "the last frame comes before the first".to_owned()));
            }
            let waived = Waived { reason: stated(reason, "reason")?, name: stated(name, "name")? };
            let place = format!("{path}, line {}", line_of(text, start));
            Ok(Self { place, file, check: known.name, frames: frames.map(Spanned::into_inner), waived })
        };
        document.waiver.into_iter().map(waiver).collect()
    }

    /// Returns by whom and why a finding is waived, if it is: the name of its file, its check and its frames.
    pub(super) fn of(waivers: &[Self], file: &str, check: &str, span: Option<Span>) -> Option<Waived> {
        waivers.iter().find(|waiver| waiver.covers(file, check, span)).map(|waiver| waiver.waived.clone())
    }

    /// Returns `true` if it is about this finding.
    pub(super) fn covers(&self, file: &str, check: &str, span: Option<Span>) -> bool {
        let has_frames = match (self.frames, span) {
            (None, _) => true,
            (Some([first, last]), Some(span)) => first <= span.frame && span.last <= last,
            (Some(_), None) => false,
        };
        has_frames && self.check == check && self.file.as_ref().is_none_or(|name| name == file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiver_covers_findings_of_its_check_within_its_frames() {
        let text = "[[waiver]]\ncheck = \"frozen\"\nframes = [100, 199]\nfile = \"a.mp4\"\nreason = \"the end card\"\n\
                    name = \"A. Operator\"\n[[waiver]]\ncheck = \"tags\"\nreason = \"by contract\"\nname = \"B\"\n";
        let waivers = Waiver::parse("w.toml", text).unwrap();
        let span = |frame, last| Some(Span { frame, last, start_secs: 0.0, end_secs: 1.0 });
        let of = |file, check, span| Waiver::of(&waivers, file, check, span).map(|waived| waived.name);
        assert_eq!(of("a.mp4", "frozen", span(100, 199)).as_deref(), Some("A. Operator"));
        assert_eq!(of("a.mp4", "frozen", span(99, 199)), None);
        assert_eq!(of("a.mp4", "frozen", span(100, 200)), None);
        assert_eq!(of("b.mp4", "frozen", span(100, 199)), None);
        assert_eq!(of("a.mp4", "black", span(100, 199)), None);
        assert_eq!(of("b.mp4", "tags", None).as_deref(), Some("B"));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, part) in [
            ("\n[[waiver]]\ncheck = \"flash\"\nname = \"A\"", "w.toml, line 2: the waiver states no reason"),
            ("[[waiver]]\ncheck = \"flash\"\nreason = \" \"\nname = \"A\"", "line 1: the waiver states no reason"),
            ("[[waiver]]\ncheck = \"flash\"\nreason = \"a\"", "line 1: the waiver states no name"),
            ("[[waiver]]\nreason = \"a\"\nname = \"b\"", "line 1: the waiver states no check"),
            ("[[waiver]]\ncheck = \"flesh\"\nreason = \"a\"\nname = \"b\"", "line 2: unknown check 'flesh'"),
            ("[[waiver]]\ncheck = \"flash\"\nframes = [3, 2]\nreason = \"a\"\nname = \"b\"", "line 3: the last frame"),
            ("[[waiver]]\nchek = \"flash\"", "line 2: unknown field `chek`"),
            ("[waiver]\ncheck = \"flash\"", "line 1: "),
        ] {
            let message = Waiver::parse("w.toml", text).unwrap_err().to_string();
            assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
        }
    }
}

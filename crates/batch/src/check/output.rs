//! The findings of checked files as a table on screen, and as CSV, JSON, a page, or markers for editors.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::finding::{CheckFinding, FramePoint, Quantity, Waived};
use super::profile::Severity;
use super::run::CheckedFile;
use crate::analyze::AnalyzeError;
use crate::analyze::overview::announce;
use crate::editors::{EditorFormat, Marker, MarkerColor};
use crate::file::{FileError, write_whole};
use crate::report::content::{CheckList, CheckRow};
use crate::report::page::page;
use histoscope_core::picture::Timecode;
use histoscope_core::text::{counted, sanitized, time_text};

/// The format of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckFormat {
    /// A table of comma-separated values, of all files.
    Csv,
    /// JSON, of all files.
    Json,
    /// The page of a report with the list of findings, of a single file.
    Html,
    /// Markers for an editing program, of a single file.
    Editor(EditorFormat),
}

impl CheckFormat {
    /// Returns the format that matches a path's extension, if any.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            "html" | "htm" => Some(Self::Html),
            _ => EditorFormat::of(path).map(Self::Editor),
        }
    }

    /// Returns the extension of its files.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Html => "html",
            Self::Editor(format) => format.extension(),
        }
    }

    /// Returns `true` if an output contains several files.
    #[must_use]
    pub const fn takes_several(self) -> bool {
        matches!(self, Self::Csv | Self::Json)
    }
}

/// Returns the first and last frame of a finding, each with its time and timecode, as text.
fn ends(finding: &CheckFinding) -> [[String; 3]; 2] {
    let Some(span) = finding.span else { return Default::default() };
    let label = |timecode: Option<Timecode>| timecode.map_or_else(String::new, |timecode| timecode.to_string());
    let [first, last] = finding.timecodes.map(label);
    [
        [time_text(span.start_secs), span.frame.to_string(), first],
        [time_text(span.end_secs), span.last.to_string(), last],
    ]
}

/// Returns the value against the threshold, as text; empty if the words of the finding end with the value.
#[must_use]
pub fn measured(finding: &CheckFinding) -> String {
    let CheckFinding { value, limit, worst, worst_timecode, .. } = finding;
    let place = |point: &FramePoint| worst_timecode.map_or_else(|| time_text(point.time_secs), |code| code.to_string());
    let worst = worst.as_ref().map_or_else(String::new, |point| format!(" at {}", place(point)));
    match (value.text.as_str(), limit.text.as_str()) {
        ("", _) => String::new(),
        (value, "") if finding.text.ends_with(value) => String::new(),
        (value, "") => format!("{value}{worst}"),
        (same, limit_text) if same == limit_text => format!("{}{worst} (limit {limit_text})", exactly(value, limit)),
        (value, limit) => format!("{value}{worst} (limit {limit})"),
    }
}

/// Returns a value with as many digits as tell it from the limit.
fn exactly(value: &Quantity, limit: &Quantity) -> String {
    let (Some(number), Some(limit)) = (value.number, limit.number) else { return value.text.clone() };
    let differs = |digits: &usize| format!("{number:.digits$}") != format!("{limit:.digits$}");
    (2..=6).find(differs).map_or_else(|| value.text.clone(), |digits| format!("{number:.digits$} {}", value.unit))
}

/// Returns the severity of a finding, and by whom and why it was waived.
#[must_use]
pub fn standing(finding: &CheckFinding) -> String {
    let severity = finding.severity.name();
    finding.waived.as_ref().map_or_else(|| severity.to_owned(), |waived| format!("{severity}, {}", waived_text(waived)))
}

fn waived_text(Waived { reason, name }: &Waived) -> String {
    format!("waived by {}: {}", sanitized(name), sanitized(reason))
}

/// Returns the table of a file's findings for the screen, followed by its verdict.
#[must_use]
pub fn table(checked: &CheckedFile) -> String {
    let head = ["from", "frame", "timecode", "to", "frame", "timecode", "finding", "value", "severity"];
    let row = |finding: &CheckFinding| {
        let [first, last] = ends(finding);
        let words = [sanitized(&finding.text), measured(finding), standing(finding)];
        first.into_iter().chain(last).chain(words).collect::<Vec<_>>()
    };
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(checked.findings.iter().map(row));
    // A column without any value is left out.
    let is_used = |column: usize| rows.iter().skip(1).any(|row| !row[column].is_empty());
    let used: Vec<usize> = (0..head.len()).filter(|&column| is_used(column)).collect();
    let mut text = format!("{}\n", checked.name);
    if !checked.findings.is_empty() {
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        for row in &rows {
            let cells = used.iter().map(|&column| format!("{:1$}", row[column], width(column)));
            let line = cells.collect::<Vec<_>>().join("  ");
            let _ = writeln!(text, "  {}", line.trim_end());
        }
    }
    text + &verdict(checked)
}

/// Number of findings up to which a reader counts those of each kind.
const MANY: usize = 10;

/// Returns whether a file has passed, with the number of its findings.
#[must_use]
pub fn verdict(checked: &CheckedFile) -> String {
    let passed = if checked.has_passed() { "passed" } else { "not passed" };
    let [errors, warnings, notes] =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "note")]
            .map(|(severity, name)| counted(checked.count(severity) as u64, name));
    let frames = counted(checked.frames, "frame");
    let waived = checked.findings.iter().filter(|finding| finding.waived.is_some()).count();
    let waived = if waived > 0 { format!(", {waived} waived") } else { String::new() };
    let kinds = kinds(checked);
    format!("{passed} by {}: {errors}, {warnings}, {notes}{waived} in {frames}{kinds}", checked.profile)
}

/// Returns the number of findings of each check, the most frequent first, if there are many findings.
fn kinds(checked: &CheckedFile) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for CheckFinding { check, .. } in &checked.findings {
        match kinds.iter_mut().find(|(name, _)| name == check) {
            Some((_, count)) => *count += 1,
            None => kinds.push((check, 1)),
        }
    }
    if checked.findings.len() <= MANY {
        return String::new();
    }
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let texts: Vec<_> = kinds.iter().map(|(name, count)| format!("{count} {name}")).collect();
    format!(" ({})", texts.join(", "))
}

/// Returns one line about several files.
#[must_use]
pub fn summary(files: &[CheckedFile]) -> String {
    let passed = files.iter().filter(|checked| checked.has_passed()).count();
    format!("{} of {} passed", passed, counted(files.len() as u64, "file"))
}

/// Writes the findings to these files, whose extensions select the formats. Unless `quiet`, a terminal is told their
/// names.
///
/// # Errors
/// [`AnalyzeError`] if a file cannot be written. It is then left unchanged, and later ones are not written.
pub fn write_all(files: &mut [CheckedFile], outputs: &[PathBuf], quiet: bool) -> Result<(), AnalyzeError> {
    for output in outputs {
        write(files, output)?;
    }
    if !outputs.is_empty() {
        let written: Vec<_> = outputs.iter().map(|path| path.display().to_string()).collect();
        announce(&format!("wrote {}", written.join(" and ")), quiet);
    }
    Ok(())
}

/// Writes the findings to a file, whose extension selects the format.
fn write(files: &mut [CheckedFile], output: &Path) -> Result<(), AnalyzeError> {
    let text = match plain_text(files, CheckFormat::of(output).unwrap_or(CheckFormat::Csv)) {
        Some(text) => text,
        None => {
            let png = |source| FileError::Png { path: output.to_owned(), source };
            let mut text = String::new();
            for checked in files {
                let list = list(checked);
                if let Some(report) = &mut checked.report {
                    report.check = Some(list);
                    text = page(report).map_err(png)?;
                }
            }
            text
        }
    };
    Ok(write_whole(output, text.as_bytes())?)
}

/// Returns the findings in a format without pictures, or `None` for [`CheckFormat::Html`].
#[must_use]
pub fn plain_text(files: &[CheckedFile], format: CheckFormat) -> Option<String> {
    match format {
        CheckFormat::Csv => Some(csv(files)),
        CheckFormat::Json => Some(json_text(files)),
        CheckFormat::Editor(format) => {
            Some(files.iter().map(|checked| checked.source.with_markers(format, &markers(checked))).collect())
        }
        CheckFormat::Html => None,
    }
}

/// Returns the findings for the page.
fn list(checked: &CheckedFile) -> CheckList {
    let row = |finding: &CheckFinding| {
        let end = |[time, frame, timecode]: [String; 3]| {
            let frame = if frame.is_empty() { "whole file".to_owned() } else { format!("frame {frame}") };
            let timecode = if timecode.is_empty() { timecode } else { format!(", {timecode}") };
            (time, frame + &timecode)
        };
        CheckRow {
            begin: finding.span.map(|span| (span.frame, span.start_secs)),
            ends: ends(finding).map(end),
            severity: finding.severity.name(),
            waived: finding.waived.as_ref().map(waived_text),
            text: sanitized(&finding.text),
            value: measured(finding),
        }
    };
    let mut findings: Vec<_> = checked.findings.iter().collect();
    findings.sort_by_key(|finding| (finding.waived.is_some(), finding.severity));
    let rows = findings.into_iter().map(row).collect();
    CheckList { verdict: verdict(checked), has_passed: checked.has_passed(), rows }
}

/// Names of the columns.
const COLUMNS: [&str; 20] = [
    "file",
    "profile",
    "check",
    "severity",
    "start_secs",
    "end_secs",
    "frame",
    "last_frame",
    "timecode",
    "last_timecode",
    "finding",
    "value",
    "unit",
    "threshold",
    "threshold_unit",
    "worst_frame",
    "worst_secs",
    "worst_timecode",
    "waived_by",
    "waived_because",
];

/// Returns the values of a finding in the order of [`COLUMNS`].
fn cells(checked: &CheckedFile, finding: &CheckFinding) -> [Value; COLUMNS.len()] {
    let CheckFinding { check, severity, span, timecodes, text, value, worst, worst_timecode, limit, waived } = finding;
    let or_null = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
    let waived = |of: fn(&Waived) -> &String| json!(waived.as_ref().map(|waived| sanitized(of(waived))));
    let millionths = |secs: f64| (secs * 1e6).round() / 1e6;
    [
        json!(checked.name),
        json!(checked.profile),
        json!(check),
        json!(severity.name()),
        json!(span.map(|span| millionths(span.start_secs))),
        json!(span.map(|span| millionths(span.end_secs))),
        json!(span.map(|span| span.frame)),
        json!(span.map(|span| span.last)),
        json!(timecodes[0].map(|timecode| timecode.to_string())),
        json!(timecodes[1].map(|timecode| timecode.to_string())),
        json!(sanitized(text)),
        json!(value.number.map(millionths)),
        or_null(value.unit),
        json!(limit.number.map(millionths)),
        or_null(limit.unit),
        json!(worst.map(|worst| worst.frame)),
        json!(worst.map(|worst| millionths(worst.time_secs))),
        json!(worst_timecode.map(|timecode| timecode.to_string())),
        waived(|waived| &waived.name),
        waived(|waived| &waived.reason),
    ]
}

fn csv(files: &[CheckedFile]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to a vector cannot fail.
    let _ = writer.write_record(COLUMNS);
    for checked in files {
        for finding in &checked.findings {
            let text = |cell: &Value| match cell {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let _ = writer.write_record(cells(checked, finding).iter().map(text));
        }
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn json_text(files: &[CheckedFile]) -> String {
    let file = |checked: &CheckedFile| {
        let findings = checked.findings.iter().map(|finding| {
            let pairs = COLUMNS.iter().map(|name| (*name).to_owned()).zip(cells(checked, finding));
            // The file and the profile are stated once.
            Value::Object(pairs.skip(2).collect())
        });
        json!({
            "file": checked.name,
            "profile": checked.profile,
            "passed": checked.has_passed(),
            "frames": checked.frames,
            "findings": findings.collect::<Vec<_>>(),
        })
    };
    let files: Vec<_> = files.iter().map(file).collect();
    format!("{:#}\n", json!({ "files": files }))
}

/// Returns a marker for each finding.
fn markers(checked: &CheckedFile) -> Vec<Marker> {
    let marker = |finding: &CheckFinding| {
        // The finding comes first: lists of markers show the beginning.
        let waived = finding.waived.as_ref().map_or_else(String::new, |waived| format!("({})", waived_text(waived)));
        let words = [finding.severity.name().to_owned(), sanitized(&finding.text), measured(finding), waived];
        let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let color = match finding.severity {
            _ if finding.waived.is_some() => MarkerColor::Green,
            Severity::Error => MarkerColor::Red,
            Severity::Warning => MarkerColor::Yellow,
            Severity::Info | Severity::Off => MarkerColor::Blue,
        };
        Marker {
            secs: finding.span.map_or([0.0; 2], |span| [span.start_secs, span.end_secs]),
            timecode: finding.timecodes[0],
            text: words.join(" "),
            color,
        }
    };
    checked.findings.iter().map(marker).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::finding::Span;
    use crate::editors::SourceClip;
    use histoscope_core::picture::{Ratio, Timecode, TimecodeRate};

    fn checked() -> CheckedFile {
        let finding = |check, severity, span, text: &str, value, limit| CheckFinding {
            check,
            severity,
            span,
            timecodes: [None; 2],
            text: text.to_owned(),
            value,
            worst: None,
            worst_timecode: None,
            limit,
            waived: None,
        };
        let span = Some(Span { frame: 100, last: 101, start_secs: 4.0, end_secs: 4.08 });
        let first = Timecode::parse("01:00:00:00").unwrap();
        CheckedFile {
            file: "a,b.mp4".to_owned(),
            name: "a,b.mp4".to_owned(),
            profile: "ebu".to_owned(),
            findings: vec![
                finding("tags", Severity::Warning, None, "not tagged: range", Quantity::NONE, Quantity::NONE),
                finding(
                    "range",
                    Severity::Error,
                    span,
                    "outside EBU R 103, 2 frames",
                    Quantity::share(0.032),
                    Quantity::share(0.01),
                ),
            ],
            frames: 250,
            source: SourceClip {
                path: "a,b.mp4".into(),
                name: "a,b.mp4".to_owned(),
                size: (96, 54),
                rate: Some(Ratio { num: 25, den: 1 }),
                labels: Some((first, TimecodeRate::of(25, 1).unwrap())),
                secs: 10.0,
            },
            report: None,
            stopped: false,
        }
    }

    #[test]
    fn the_table_has_a_row_for_each_finding() {
        let text = table(&checked());
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "a,b.mp4");
        assert_eq!(
            lines[3],
            "  0:04.000  100    0:04.080  101    outside EBU R 103, 2 frames  3.2 % (limit 1.0 %)  error"
        );
        assert_eq!(lines[4], "not passed by ebu: 1 error, 1 warning, 0 notes in 250 frames");
    }

    #[test]
    fn a_long_list_is_summed_up_and_worst_frames_have_timecodes() {
        let mut checked = checked();
        checked.findings.extend(vec![checked.findings[1].clone(); 9]);
        assert!(verdict(&checked).ends_with("in 250 frames (10 range, 1 tags)"), "{}", verdict(&checked));
        let finding = &mut checked.findings[1];
        finding.value = Quantity::share(0.010_04);
        finding.worst = Some(FramePoint { frame: 101, time_secs: 4.04 });
        assert_eq!(measured(finding), "1.004 % at 0:04.040 (limit 1.0 %)");
        finding.worst_timecode = Timecode::parse("01:00:04:01");
        assert_eq!(measured(finding), "1.004 % at 01:00:04:01 (limit 1.0 %)");
    }

    #[test]
    fn csv_and_json_have_the_same_values() {
        let files = [checked()];
        let text = csv(&files);
        let last = text.lines().last().unwrap();
        let row = "\"a,b.mp4\",ebu,range,error,4.0,4.08,100,101,,,\"outside EBU R 103, 2 frames\",3.2,%,1.0,%,,,,,";
        assert_eq!(last, row);
        let value: Value = serde_json::from_str(&json_text(&files)).unwrap();
        let file = &value["files"][0];
        assert_eq!((file["passed"].as_bool(), file["frames"].as_u64()), (Some(false), Some(250)));
        assert_eq!(file["findings"][1]["last_frame"], 101);
        assert!(file["findings"][0]["frame"].is_null() && file["findings"][1]["file"].is_null());
    }

    #[test]
    fn markers_are_written_as_resolve_reads_them() {
        let text = plain_text(&[checked()], CheckFormat::Editor(EditorFormat::Edl)).unwrap();
        let expected = "\n002  001      V     C        01:00:04:00 01:00:04:01 01:00:04:00 01:00:04:01  \n \
            |C:ResolveColorRed |M:error outside EBU R 103, 2 frames 3.2 % (limit 1.0 %) |D:2\n";
        assert!(text.starts_with("TITLE: a,b.mp4\nFCM: NON-DROP FRAME\n"), "{text}");
        assert!(text.ends_with(expected), "{text}");
    }
}

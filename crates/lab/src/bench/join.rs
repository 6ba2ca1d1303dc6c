//! One table for the measurements of several machines.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::survey::SCHEMA;

/// The reason why surveys could not be joined.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file is not a survey.
    #[error("{} was not written by 'histoscope bench -o {}': {reason}", .path.display(), .path.with_extension("json").file_name().unwrap_or_default().display())]
    NotASurvey {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A file has a schema of another version.
    #[error("{} has schema {schema}, but this version reads schema {SCHEMA}; measure again with the same version on all machines", .path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// The file's schema version.
        schema: u32,
    },
}

/// The fields that are read from a survey. Later versions may write more.
#[derive(Deserialize)]
struct ReadSurvey {
    schema: u32,
    runs: Vec<ReadRun>,
}

#[derive(Deserialize)]
struct ReadRun {
    adapter: String,
    driver: String,
    size: (u32, u32),
    layout: String,
    content: String,
    bin_count: u32,
    rows: Vec<ReadRow>,
    adjustments: Vec<ReadAdjustment>,
}

#[derive(Deserialize)]
struct ReadRow {
    method: String,
    channels: String,
    size: (u32, u32),
    times: Option<ReadTimes>,
    of_loop: Option<f64>,
    of_floor: Option<f64>,
    check: Option<ReadCheck>,
}

#[derive(Deserialize)]
struct ReadAdjustment {
    name: String,
    length: Option<u32>,
    alone: Option<ReadTimes>,
    exact: Option<bool>,
}

#[derive(Deserialize)]
struct ReadTimes {
    median_us: f64,
}

#[derive(Deserialize)]
struct ReadCheck {
    exact: bool,
}

/// A machine that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// The file with its survey.
    pub file: String,
    /// The name of its adapter.
    pub adapter: String,
    /// The graphics interface and driver.
    pub driver: String,
}

/// One machine's measurement of a row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MachineCell {
    /// The median time.
    pub median_us: f64,
    /// `true` if the time is for a smaller picture.
    pub reduced: bool,
    /// The time per pixel, divided by this machine's time for the loop on the CPU.
    pub of_loop: Option<f64>,
    /// The time per pixel, divided by this machine's time for the floor.
    pub of_floor: Option<f64>,
    /// `true` if the bins were correct.
    pub exact: Option<bool>,
}

/// A row, with one cell per machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JoinedRow {
    /// The name of the row.
    pub name: String,
    /// The machines' measurements. `None` if a machine did not measure the row.
    pub cells: Vec<Option<MachineCell>>,
}

/// The rows for one kind of picture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PictureGroup {
    /// A description of the picture and the channels.
    pub title: String,
    /// The rows.
    pub rows: Vec<JoinedRow>,
}

/// The measurements of several machines, side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Joined {
    /// The machines, in the order of the columns.
    pub machines: Vec<Machine>,
    /// The rows, by kind of picture.
    pub groups: Vec<PictureGroup>,
}

/// Joins surveys that `histoscope bench -o` wrote as JSON.
///
/// # Errors
/// [`JoinError`] for a file that cannot be read, or is not such a survey.
pub fn join(files: &[PathBuf]) -> Result<Joined, JoinError> {
    let mut joined = Joined { machines: Vec::new(), groups: Vec::new() };
    for (index, path) in files.iter().enumerate() {
        let survey = read(path)?;
        let first = survey.runs.first();
        joined.machines.push(Machine {
            file: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            adapter: first.map(|run| run.adapter.clone()).unwrap_or_default(),
            driver: first.map(|run| run.driver.clone()).unwrap_or_default(),
        });
        survey.runs.iter().for_each(|run| joined.add(index, run));
    }
    let machines = joined.machines.len();
    let rows = joined.groups.iter_mut().flat_map(|group| &mut group.rows);
    rows.for_each(|row| row.cells.resize(machines, None));
    Ok(joined)
}

fn read(path: &Path) -> Result<ReadSurvey, JoinError> {
    let text = fs::read_to_string(path).map_err(|source| JoinError::Read { path: path.to_owned(), source })?;
    let not_a_survey = |reason: String| JoinError::NotASurvey { path: path.to_owned(), reason };
    let survey: ReadSurvey = serde_json::from_str(&text).map_err(|error| not_a_survey(error.to_string()))?;
    if survey.schema != SCHEMA {
        return Err(JoinError::Schema { path: path.to_owned(), schema: survey.schema });
    }
    if survey.runs.is_empty() {
        return Err(not_a_survey("it contains no runs".into()));
    }
    Ok(survey)
}

impl Joined {
    /// Adds machine `index`'s measurements of one kind of picture.
    fn add(&mut self, index: usize, run: &ReadRun) {
        let ReadRun { size, layout, content, bin_count, .. } = run;
        let picture = format!("{}×{} {layout}, {content}, {bin_count} bins", size.0, size.1);
        for row in &run.rows {
            let channels = if row.channels == "one" { "luminance" } else { "four channels" };
            let cell = row.times.as_ref().map(|times| MachineCell {
                median_us: times.median_us,
                reduced: row.size != *size,
                of_loop: row.of_loop,
                of_floor: row.of_floor,
                exact: row.check.as_ref().map(|check| check.exact),
            });
            self.put(format!("{picture}; {channels}"), &row.method, index, cell);
        }
        for row in &run.adjustments {
            let times = row.alone.as_ref();
            let cell = times.map(|times| MachineCell {
                median_us: times.median_us,
                reduced: false,
                of_loop: None,
                of_floor: None,
                exact: row.exact,
            });
            // Prefix sums of different lengths share a name, so the length is appended.
            let name = row.length.map_or_else(|| row.name.clone(), |length| format!("{}, {length}", row.name));
            self.put(format!("{picture}; adjustments and drawing, alone"), &name, index, cell);
        }
    }

    fn put(&mut self, title: String, name: &str, index: usize, cell: Option<MachineCell>) {
        let at = self.groups.iter().position(|group| group.title == title).unwrap_or_else(|| {
            self.groups.push(PictureGroup { title, rows: Vec::new() });
            self.groups.len() - 1
        });
        let rows = &mut self.groups[at].rows;
        let at = rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
            rows.push(JoinedRow { name: name.to_owned(), cells: Vec::new() });
            rows.len() - 1
        });
        rows[at].cells.resize(index + 1, None);
        rows[at].cells[index] = cell;
    }

    /// Returns the table as JSON.
    ///
    /// # Errors
    /// Never in practice: everything in it has a JSON form.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }
}

/// Returns the letters that stand for the machine of this column.
pub(super) fn letter(index: usize) -> String {
    let last = char::from(b'A' + (index % 26) as u8).to_string();
    if index < 26 { last } else { letter(index / 26 - 1) + &last }
}

impl fmt::Display for Joined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Machine { file, adapter, driver }) in self.machines.iter().enumerate() {
            writeln!(f, "{}: {adapter} ({driver}), {file}", letter(index))?;
        }
        for group in &self.groups {
            write!(f, "\n{:<60}", group.title)?;
            for index in 0..self.machines.len() {
                write!(f, "{:>14}{:>10}", format!("{} µs", letter(index)), "of floor")?;
            }
            writeln!(f)?;
            for row in &group.rows {
                write!(f, "  {:<58}", row.name)?;
                for cell in &row.cells {
                    match cell {
                        Some(MachineCell { median_us, reduced, of_floor, exact, .. }) => {
                            let wrong = if *exact == Some(false) { "!" } else { "" };
                            let time = if *reduced { format!("({median_us:.1})") } else { format!("{median_us:.1}") };
                            let of_floor = of_floor.map_or("-".into(), |ratio| format!("{ratio:.2}"));
                            write!(f, "{:>14}{of_floor:>10}", format!("{wrong}{time}"))?;
                        }
                        None => write!(f, "{:>14}{:>10}", "-", "-")?,
                    }
                }
                writeln!(f)?;
            }
        }
        writeln!(
            f,
            "\nmedian times; of floor: time per pixel, relative to only reading the planes on the same machine; !: wrong counts"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn survey(adapter: &str, rows: &str) -> String {
        format!(
            r#"{{"schema": 1, "runs": [{{"adapter": "{adapter}", "driver": "d", "size": [64, 32], "layout": "gray",
            "content": "noise", "bin_count": 256, "rows": [{rows}], "adjustments": []}}]}}"#
        )
    }

    fn row(method: &str, us: f64, exact: bool) -> String {
        let height = if method == "subgroup" { 16 } else { 32 };
        format!(
            r#"{{"method": "{method}", "channels": "four", "size": [64, {height}], "times": {{"median_us": {us}, "min_us": 1.0}},
            "of_loop": 0.5, "of_floor": 2.0, "check": {{"exact": {exact}, "lost": 0}}}}"#
        )
    }

    #[test]
    fn machines_with_different_rows_stand_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let first = survey("one", &format!("{}, {}", row("race", 7.25, false), row("sum", 8.0, true)));
        let second = survey("two", &format!("{}, {}", row("sum", 4.0, true), row("subgroup", 3.0, true)));
        let files = [file(folder.path(), "a.json", &first), file(folder.path(), "b.json", &second)];
        let joined = join(&files).unwrap();
        assert_eq!(joined.groups.len(), 1);
        let group = &joined.groups[0];
        assert_eq!(group.title, "64×32 gray, noise, 256 bins; four channels");
        let times: Vec<_> = group
            .rows
            .iter()
            .map(|row| (row.name.as_str(), row.cells.iter().map(|cell| cell.map(|cell| cell.median_us)).collect()))
            .collect();
        let expected: [(&str, Vec<Option<f64>>); 3] = [
            ("race", vec![Some(7.25), None]),
            ("sum", vec![Some(8.0), Some(4.0)]),
            ("subgroup", vec![None, Some(3.0)]),
        ];
        assert_eq!(times, expected);
        let table = joined.to_string();
        for text in ["A: one (d), a.json", "B: two (d), b.json", "!7.2", "2.00", "(3.0)"] {
            assert!(table.contains(text), "no {text} in {table}");
        }
        assert_eq!((letter(0), letter(25), letter(26), letter(27)), ("A".into(), "Z".into(), "AA".into(), "AB".into()));
    }

    #[test]
    fn adjustments_stand_side_by_side_and_prefix_sums_by_length() {
        let folder = tempfile::tempdir().unwrap();
        let scan = |length: &str, us: f64| {
            format!(
                r#"{{"name": "scan-blelloch", {length}"alone": {{"median_us": {us}, "min_us": 1.0}}, "exact": true}}"#
            )
        };
        let survey = |name: &str, rows: &str| {
            let text = survey(name, "").replace(r#""adjustments": []"#, &format!(r#""adjustments": [{rows}]"#));
            file(folder.path(), name, &text)
        };
        let both = format!("{}, {}", scan(r#""length": 512, "#, 2.0), scan(r#""length": 4096, "#, 3.0));
        let files = [
            survey("a.json", &both),
            survey("b.json", &scan(r#""length": 4096, "#, 5.0)),
            survey("c.json", &scan("", 7.0)),
        ];
        let joined = join(&files).unwrap();
        let rows = &joined.groups[0].rows;
        let medians =
            |row: &JoinedRow| row.cells.iter().map(|cell| cell.map(|cell| cell.median_us)).collect::<Vec<_>>();
        let note: Vec<_> = rows.iter().map(|row| (row.name.as_str(), medians(row))).collect();
        let expected = [
            ("scan-blelloch, 512", vec![Some(2.0), None, None]),
            ("scan-blelloch, 4096", vec![Some(3.0), Some(5.0), None]),
            ("scan-blelloch", vec![None, None, Some(7.0)]),
        ];
        assert_eq!(note, expected);
    }

    #[test]
    fn different_pictures_and_channels_get_separate_tables() {
        let folder = tempfile::tempdir().unwrap();
        let one = survey("one", &row("sum", 1.0, true));
        let others = [
            one.replace("[64, 32], \"layout\"", "[32, 32], \"layout\""),
            one.replace("\"gray\"", "\"nv12\""),
            one.replace("\"noise\"", "\"natural\""),
            one.replace("256", "100"),
            one.replace("\"four\"", "\"one\""),
        ];
        for (number, other) in others.iter().enumerate() {
            assert_ne!(other, &one, "{number}");
            let files = [file(folder.path(), "a.json", &one), file(folder.path(), "b.json", other)];
            let joined = join(&files).unwrap();
            assert_eq!(joined.groups.len(), 2, "{number}: {joined}");
            let filled = |group: &PictureGroup| group.rows[0].cells.iter().map(Option::is_some).collect::<Vec<_>>();
            assert_eq!(
                joined.groups.iter().map(filled).collect::<Vec<_>>(),
                [[true, false], [false, true]],
                "{number}"
            );
        }
    }

    #[test]
    fn a_file_that_is_not_a_survey_is_named() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text, words) in [
            ("empty.json", "", "was not written by"),
            ("other.json", "{\"a\": 1}", "was not written by"),
            ("bare.json", "{\"schema\": 1, \"runs\": []}", "contains no runs"),
            ("old.json", "{\"schema\": 0, \"runs\": []}", "has schema 0"),
        ] {
            let path = file(folder.path(), name, text);
            let good = file(folder.path(), "good.json", &survey("one", &row("sum", 1.0, true)));
            // A bad file is refused in any position, and only that file is named.
            for files in [vec![path.clone()], vec![path.clone(), good.clone()], vec![good.clone(), path.clone()]] {
                let error = join(&files).unwrap_err().to_string();
                assert!(error.contains(name) && error.contains(words) && !error.contains("good.json"), "{error}");
            }
        }
        let missing = join(&[folder.path().join("none.json")]).unwrap_err().to_string();
        assert!(missing.contains("none.json cannot be read"), "{missing}");
    }
}

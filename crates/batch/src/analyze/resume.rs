//! The state in which an earlier run has left an output that is to be continued.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::AnalyzeError;
use super::format::Format;
use super::format::{last_line, recognise, scan};
use super::output::{ResumePoint, part_path};
use super::parquet;
use super::summary::Summary;
use crate::file::{FileError, folder_of};

/// The state of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunState {
    /// There is none; the run starts at its beginning.
    Nothing,
    /// The run is finished already.
    Finished,
    /// The preliminary file holds records.
    Unfinished(ResumePoint),
}

/// Looks for the output of an earlier, equal run. A partial output that was given its final name gets its preliminary
/// one back.
///
/// # Errors
/// [`AnalyzeError::Resume`] if there is an output of another run.
pub fn find_unfinished(target: &Path, run: u64, format: Format, summary: &Summary) -> Result<RunState, AnalyzeError> {
    let read = FileError::reading(target);
    let path = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
    let part = part_path(&path, run);
    if !part.exists() {
        if !path.exists() {
            return other_parts(&path).map_or(Ok(RunState::Nothing), |part| {
                Err(AnalyzeError::Resume(format!(
                    "{}: the unfinished output {} is of a run with other options or of another file; give the same options, \
                     or leave --resume out to begin anew",
                    target.display(),
                    part.display()
                )))
            });
        }
        match read_summary(&path, format).map_err(&read)? {
            Some(found) if found.options != summary.options || found.source != summary.source => {
                return Err(AnalyzeError::Resume(format!(
                    "{}: this is the output of a run with other options or of another file; give the same options, or \
                     leave --resume out to begin anew",
                    target.display()
                )));
            }
            Some(found) if !found.complete => {
                take_up(&path, &part, format).map_err(|source| FileError::Io { path: target.to_owned(), source })?
            }
            None if !is_of(&path, format).map_err(&read)? => {
                return Err(AnalyzeError::Resume(format!(
                    "{}: not a {format} output of a run; name another file, or leave --resume out to replace it",
                    target.display()
                )));
            }
            _ => return Ok(RunState::Finished),
        }
    }
    let left = match format {
        Format::Text(format) => scan(&part, format),
        Format::Parquet => parquet::scan(&part),
    };
    let left = left.map_err(FileError::reading(&part))?;
    Ok(if left.records == 0 { RunState::Nothing } else { RunState::Unfinished(left) })
}

/// Returns the summary in an output.
fn read_summary(path: &Path, format: Format) -> io::Result<Option<Summary>> {
    Ok(match format {
        Format::Text(format) => last_line(path)?.and_then(|(_, line)| format.read_tail(&line)),
        Format::Parquet => parquet::read_summary(path)?,
    })
}

/// Returns `true` if an output without a summary is in this format, as a table of a whole file is.
fn is_of(path: &Path, format: Format) -> io::Result<bool> {
    let Format::Text(format) = format else { return Ok(false) };
    Ok(recognise(path)? == Some(format))
}

/// Turns a partial output back into a preliminary file.
fn take_up(path: &Path, part: &Path, format: Format) -> io::Result<()> {
    match format {
        Format::Text(_) => fs::rename(path, part),
        Format::Parquet => parquet::take_up(path, part),
    }
}

/// The unfinished output of any run for that target.
fn other_parts(target: &Path) -> Option<PathBuf> {
    let name = target.file_name()?.to_string_lossy().into_owned();
    let folder = folder_of(target);
    fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).find(|path| {
        let found = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let middle = found.strip_prefix(&name).and_then(|rest| rest.strip_suffix(".part"));
        middle.is_some_and(|hash| hash.len() == 9 && hash.starts_with('.'))
    })
}

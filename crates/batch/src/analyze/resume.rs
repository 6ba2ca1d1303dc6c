//! The state of an output left by an earlier run, for `--resume`.

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
#[derive(Debug, Clone, PartialEq)]
pub enum RunState {
    /// There is no output; the run starts from the beginning.
    Nothing,
    /// The output is finished.
    Finished,
    /// The preliminary file contains records.
    Unfinished(ResumePoint),
}

/// Looks for the output of an earlier, identical run. A partial output that has its final name is converted back to a
/// preliminary file.
///
/// # Errors
/// [`AnalyzeError::Resume`] if the output belongs to a different run; other errors if a file cannot be read or written.
pub fn find_unfinished(target: &Path, run: u64, format: Format, summary: &Summary) -> Result<RunState, AnalyzeError> {
    let read = FileError::reading(target);
    let path = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
    let part = part_path(&path, run);
    if !part.exists() {
        if !path.exists() {
            return other_parts(&path).map_or(Ok(RunState::Nothing), |part| {
                Err(AnalyzeError::Resume(format!(
                    "{}: the unfinished output {} is from a run with other options or a different file; give the same \
                     options, or omit --resume to start over",
                    target.display(),
                    part.display()
                )))
            });
        }
        match read_summary(&path, format).map_err(&read)? {
            Some(found) if found.options != summary.options || found.source != summary.source => {
                return Err(AnalyzeError::Resume(format!(
                    "{}: this output is from a run with other options or a different file; give the same options, or \
                     omit --resume to start over",
                    target.display()
                )));
            }
            Some(found) if !found.complete => revert_to_part(&path, &part, format)
                .map_err(|source| FileError::Io { path: target.to_owned(), source })?,
            None if !is_of(&path, format).map_err(&read)? => {
                return Err(AnalyzeError::Resume(format!(
                    "{}: not {format} output of an earlier run; name another file, or omit --resume to replace it",
                    target.display()
                )));
            }
            _ => return Ok(RunState::Finished),
        }
    }
    let left = match format {
        Format::Text(format) => scan(&part, format),
        Format::Parquet => parquet::scan(&part),
        Format::Scenes(_) => Ok(ResumePoint::default()),
    };
    let left = left.map_err(FileError::reading(&part))?;
    Ok(if left.records == 0 { RunState::Nothing } else { RunState::Unfinished(left) })
}

/// Returns the summary in an output, if there is one.
fn read_summary(path: &Path, format: Format) -> io::Result<Option<Summary>> {
    Ok(match format {
        Format::Text(format) => last_line(path)?.and_then(|(_, line)| format.read_tail(&line)),
        Format::Parquet => parquet::read_summary(path)?,
        Format::Scenes(_) => None,
    })
}

/// Returns `true` if an output without a summary is in this format. CSV for a whole file has no summary.
fn is_of(path: &Path, format: Format) -> io::Result<bool> {
    let Format::Text(format) = format else { return Ok(false) };
    Ok(recognise(path)? == Some(format))
}

/// Converts a partial output back to a preliminary file.
fn revert_to_part(path: &Path, part: &Path, format: Format) -> io::Result<()> {
    match format {
        Format::Text(_) | Format::Scenes(_) => fs::rename(path, part),
        Format::Parquet => parquet::revert_to_part(path, part),
    }
}

/// Finds an unfinished output of any other run for this target.
fn other_parts(target: &Path) -> Option<PathBuf> {
    let name = target.file_name()?.to_string_lossy().into_owned();
    let folder = folder_of(target);
    fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).find(|path| {
        let found = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let middle = found.strip_prefix(&name).and_then(|rest| rest.strip_suffix(".part"));
        middle.is_some_and(|hash| hash.len() == 9 && hash.starts_with('.'))
    })
}

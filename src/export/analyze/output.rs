//! Where records go: the standard output, or a file that appears under its name when it is finished.
//!
//! Until then it has a name of its own beside the final one, with a hash of what the run is to do in it, so that only a
//! run that does the same goes on with it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::ending::AnalyzeError;
use super::format::{Format, Summary};
use super::record::RecordNumber;
use crate::export::file::{FileError, check_writable, folder_of};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 16;

/// The most bytes of a last line that is a summary.
const MOST_SUMMARY_BYTES: u64 = 1 << 16;

/// Where to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The standard output.
    Stdout,
    /// This file.
    File(PathBuf),
}

/// An output that is being written.
pub enum Output {
    /// The standard output.
    Stdout(BufWriter<io::Stdout>),
    /// A device or a named pipe, which takes the bytes as they come.
    Stream(BufWriter<File>, PathBuf),
    /// A file under its preliminary name.
    File(PartFile),
}

/// A file under its preliminary name.
pub struct PartFile {
    writer: BufWriter<File>,
    part: PathBuf,
    target: PathBuf,
}

/// The preliminary name of an output.
fn part_path(target: &Path, run: u64) -> PathBuf {
    let mut name = target.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{:08x}.part", run & 0xffff_ffff));
    target.with_file_name(name)
}

/// Whether a path leads to something that is no file and no folder.
#[must_use]
pub fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|existing| !existing.is_file() && !existing.is_dir())
}

impl Output {
    /// Begins an output, or with `kept` bytes goes on behind those of its preliminary file.
    ///
    /// # Errors
    /// [`AnalyzeError`] if it cannot be written, or another run is writing it.
    pub fn open(target: &Target, run: u64, kept: Option<u64>) -> Result<Self, AnalyzeError> {
        let path = match target {
            Target::Stdout => return Ok(Self::Stdout(BufWriter::with_capacity(BUFFER, io::stdout()))),
            Target::File(path) => path,
        };
        check_writable(path)?;
        let io = |source| FileError::Io { path: path.clone(), source };
        if is_stream(path) {
            let file = OpenOptions::new().write(true).open(path).map_err(io)?;
            return Ok(Self::Stream(BufWriter::with_capacity(BUFFER, file), path.clone()));
        }
        // A symbolic link stays, and the file that it leads to is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let part = part_path(&target, run);
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(&part).map_err(io)?;
        if file.try_lock().is_err() {
            let busy = io::Error::new(ErrorKind::ResourceBusy, "another histoscope is writing it");
            return Err(io(busy).into());
        }
        file.set_len(kept.unwrap_or(0)).and_then(|()| file.seek(SeekFrom::End(0))).map_err(io)?;
        Ok(Self::File(PartFile { writer: BufWriter::with_capacity(BUFFER, file), part, target: path.clone() }))
    }

    /// Writes.
    ///
    /// # Errors
    /// [`AnalyzeError`] if the disk is full, say; [`AnalyzeError::ReaderGone`] if nobody reads any more.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), AnalyzeError> {
        let result = match self {
            Self::Stdout(writer) => writer.write_all(bytes),
            Self::Stream(writer, _) => writer.write_all(bytes),
            Self::File(part) => part.writer.write_all(bytes),
        };
        result.map_err(|error| self.error(error))
    }

    /// Hands everything over that was written, as a reader at the other end of a pipe expects.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    pub fn flush(&mut self) -> Result<(), AnalyzeError> {
        let result = match self {
            Self::Stdout(writer) => writer.flush(),
            Self::Stream(writer, _) => writer.flush(),
            Self::File(part) => part.writer.flush(),
        };
        result.map_err(|error| self.error(error))
    }

    /// Ends the output; a file gets its final name.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    pub fn finish(mut self) -> Result<(), AnalyzeError> {
        self.flush()?;
        if let Self::File(PartFile { part, target, .. }) = &self {
            let final_path = fs::canonicalize(target).unwrap_or_else(|_| target.clone());
            fs::rename(part, final_path).map_err(|error| self.error(error))?;
        }
        Ok(())
    }

    /// Leaves nothing of a file in which nothing is worth keeping.
    pub fn discard(self) {
        if let Self::File(PartFile { part, writer, .. }) = self {
            // Its bytes need not reach the disk any more.
            let (file, _) = writer.into_parts();
            drop(file);
            if let Err(error) = fs::remove_file(&part) {
                log::debug!("{} stays: {error}", part.display());
            }
        }
    }

    /// Whether somebody may be waiting for each line.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        !matches!(self, Self::File(_))
    }

    fn error(&self, error: io::Error) -> AnalyzeError {
        match self {
            Self::Stdout(_) | Self::Stream(..) if error.kind() == ErrorKind::BrokenPipe => AnalyzeError::ReaderGone,
            Self::Stdout(_) => AnalyzeError::Output(error),
            Self::Stream(_, path) => FileError::Io { path: path.clone(), source: error }.into(),
            Self::File(PartFile { part, target, .. }) => {
                AnalyzeError::Kept { path: target.clone(), part: part.clone(), source: error }
            }
        }
    }
}

/// What an unfinished output holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Left {
    /// Bytes up to the end of the last complete record, without the separator and the line's end behind it.
    pub bytes: u64,
    /// Complete records.
    pub records: u64,
    /// Number of the last record's frame.
    pub last: Option<u64>,
}

/// What there is to go on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing; the run begins at its beginning.
    Nothing,
    /// The run is finished already.
    Finished,
    /// Records, in the preliminary file.
    Unfinished(Left),
}

/// Looks for what a run with these options has left of `target`. A partial output that was given its final name is given
/// its preliminary one again.
///
/// # Errors
/// [`AnalyzeError::Resume`] if there is an output of another run.
pub fn find_unfinished(target: &Path, run: u64, format: Format, summary: &Summary) -> Result<Found, AnalyzeError> {
    let io = |source| FileError::Io { path: target.to_owned(), source };
    let path = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
    let part = part_path(&path, run);
    if !part.exists() {
        if !path.exists() {
            return other_parts(&path).map_or(Ok(Found::Nothing), |part| {
                Err(AnalyzeError::Resume(format!(
                    "{}: the unfinished output {} is of a run with other options or of another file; give the same options, \
                     or leave --resume out to begin anew",
                    target.display(),
                    part.display()
                )))
            });
        }
        match last_line(&path).map_err(io)?.and_then(|(_, line)| format.read_tail(&line)) {
            Some(found) if found.options != summary.options || found.source != summary.source => {
                return Err(AnalyzeError::Resume(format!(
                    "{}: this is the output of a run with other options or of another file; give the same options, or \
                     leave --resume out to begin anew",
                    target.display()
                )));
            }
            Some(found) if !found.complete => fs::rename(&path, &part).map_err(io)?,
            None if recognise(&path).map_err(io)? != Some(format) => {
                return Err(AnalyzeError::Resume(format!(
                    "{}: this is no {format} output of a run; name another file, or leave --resume out to replace it",
                    target.display()
                )));
            }
            _ => return Ok(Found::Finished),
        }
    }
    let left = scan(&part, format).map_err(io)?;
    Ok(if left.records == 0 { Found::Nothing } else { Found::Unfinished(left) })
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

/// The format of a file, by its first line.
///
/// # Errors
/// If it cannot be read.
pub fn recognise(path: &Path) -> io::Result<Option<Format>> {
    let mut line = Vec::new();
    BufReader::new(File::open(path)?).take(MOST_SUMMARY_BYTES).read_until(b'\n', &mut line)?;
    let text = String::from_utf8_lossy(&line);
    Ok(Format::recognise(text.trim_end_matches('\n')))
}

/// The last line of a file, without its end, and where it begins; `None` if the file does not end with a whole line.
///
/// # Errors
/// If it cannot be read.
pub fn last_line(path: &Path) -> io::Result<Option<(u64, String)>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let start = length.saturating_sub(MOST_SUMMARY_BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let Some(text) = bytes.strip_suffix(b"\n") else { return Ok(None) };
    let begin = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    Ok(Some((start + begin as u64, String::from_utf8_lossy(&text[begin..]).into_owned())))
}

/// Counts the complete records of an unfinished output.
fn scan(path: &Path, format: Format) -> io::Result<Left> {
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut line = Vec::new();
    let mut at = 0_u64;
    let mut left = Left::default();
    let mut is_head = format != Format::Jsonl;
    let mut frame_column = 0;
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        let Some(text) = line.strip_suffix(b"\n") else {
            // A line that was cut off may still hold a whole record, but nothing shows that it does.
            return Ok(left);
        };
        if std::mem::take(&mut is_head) {
            let columns = String::from_utf8_lossy(text);
            frame_column = columns.split(',').position(|name| name == "frame").unwrap_or(0);
        } else {
            let text = text.strip_suffix(b",").filter(|_| format.has_array()).unwrap_or(text);
            let number = match format {
                Format::Csv => csv_number(text, frame_column),
                _ => serde_json::from_slice::<RecordNumber>(text).ok().map(|record| record.frame),
            };
            let Some(number) = number else { return Ok(left) };
            left.last = Some(number);
            left.records += 1;
            left.bytes = at + text.len() as u64;
        }
        at += read as u64;
    }
}

fn csv_number(text: &[u8], column: usize) -> Option<u64> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text);
    let mut record = csv::ByteRecord::new();
    reader.read_byte_record(&mut record).ok().filter(|read| *read)?;
    std::str::from_utf8(record.get(column)?).ok()?.parse().ok()
}

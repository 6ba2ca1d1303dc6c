//! Destinations of records: standard output, or a file that gets its final name once it is finished.
//!
//! Until then, the file has a preliminary name in the same folder. That name contains a hash of the run's task, so that
//! only an identical run continues it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::AnalyzeError;
use super::light::LightSummary;
use super::pipeline::CountedFrame;
use super::summary::Summary;
use crate::file::{FileError, check_writable};
use histoscope_core::histogram::LightFigures;

/// Size of the write buffer in bytes.
const BUFFER: usize = 1 << 16;

/// A destination for records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputTarget {
    /// Standard output.
    Stdout,
    /// The file at this path.
    File(PathBuf),
}

/// The point at which an unfinished output can be continued.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResumePoint {
    /// Bytes up to the end of the last complete record. In line-based formats, the separator and line end after it are
    /// not included.
    pub bytes: u64,
    /// Number of complete records.
    pub records: u64,
    /// Frame number of the last record.
    pub last: Option<u64>,
    /// The light of the frames, if it was measured.
    pub light: LightSummary,
}

impl ResumePoint {
    /// Adds a complete record.
    pub fn add(&mut self, number: u64, light: Option<&LightFigures>) {
        self.last = Some(number);
        self.records += 1;
        self.light.add_frame(number, light);
    }
}

/// Writes a run's records one after the other, in any format.
pub trait RecordSink: Send {
    /// Writes a frame's record.
    ///
    /// # Errors
    /// [`AnalyzeError`], for example if the disk is full; [`AnalyzeError::ReaderGone`] if the reader has closed the
    /// pipe.
    fn add(&mut self, frame: &CountedFrame) -> Result<(), AnalyzeError>;

    /// Announces that the next record takes a while. A reader waiting for the newest record should get it now.
    ///
    /// # Errors
    /// Any error of [`add`](Self::add).
    fn pause(&mut self) -> Result<(), AnalyzeError>;

    /// Ends the output with a summary of the run. A file gets its final name.
    ///
    /// # Errors
    /// Any error of [`add`](Self::add).
    fn finish(self: Box<Self>, summary: &Summary) -> Result<(), AnalyzeError>;

    /// Removes the file, if its contents are not worth keeping.
    fn discard(self: Box<Self>);
}

/// An output that is being written.
pub enum Output {
    /// Standard output.
    Stdout(BufWriter<io::Stdout>),
    /// A device or named pipe, written directly.
    Stream(BufWriter<File>, PathBuf),
    /// A file with a preliminary name.
    File(PartFile),
}

/// A file with a preliminary name.
pub struct PartFile {
    writer: BufWriter<File>,
    part: PathBuf,
    target: PathBuf,
}

/// Returns the preliminary name of an output.
pub(super) fn part_path(target: &Path, run: u64) -> PathBuf {
    let mut name = target.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{:08x}.part", run & 0xffff_ffff));
    target.with_file_name(name)
}

/// Returns `true` if a path exists but is neither a file nor a folder.
#[must_use]
pub fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|existing| !existing.is_file() && !existing.is_dir())
}

impl Output {
    /// Starts an output, or continues its preliminary file after the first `kept` bytes.
    ///
    /// # Errors
    /// [`AnalyzeError`] if the output cannot be written, or another run is writing it.
    pub fn open(target: &OutputTarget, run: u64, kept: Option<u64>) -> Result<Self, AnalyzeError> {
        let path = match target {
            OutputTarget::Stdout => return Ok(Self::Stdout(BufWriter::with_capacity(BUFFER, io::stdout()))),
            OutputTarget::File(path) => path,
        };
        check_writable(path)?;
        let io = |source| FileError::Io { path: path.clone(), source };
        if is_stream(path) {
            let file = OpenOptions::new().write(true).open(path).map_err(io)?;
            return Ok(Self::Stream(BufWriter::with_capacity(BUFFER, file), path.clone()));
        }
        // A symbolic link stays in place; its target is replaced.
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

    /// Writes bytes to the output.
    ///
    /// # Errors
    /// [`AnalyzeError`], for example if the disk is full; [`AnalyzeError::ReaderGone`] if the reader has closed the
    /// pipe.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), AnalyzeError> {
        let result = match self {
            Self::Stdout(writer) => writer.write_all(bytes),
            Self::Stream(writer, _) => writer.write_all(bytes),
            Self::File(part) => return part.write(bytes),
        };
        result.map_err(|error| self.error(error))
    }

    /// Flushes the output, so that a reader at the other end of a pipe gets everything written so far.
    ///
    /// # Errors
    /// Any error of [`write`](Self::write).
    pub fn flush(&mut self) -> Result<(), AnalyzeError> {
        let result = match self {
            Self::Stdout(writer) => writer.flush(),
            Self::Stream(writer, _) => writer.flush(),
            Self::File(part) => return part.flush(),
        };
        result.map_err(|error| self.error(error))
    }

    /// Ends the output. A file gets its final name.
    ///
    /// # Errors
    /// Any error of [`write`](Self::write).
    pub fn finish(mut self) -> Result<(), AnalyzeError> {
        self.flush()?;
        if let Self::File(part) = self { part.appear(&part.part) } else { Ok(()) }
    }

    /// Removes the file, if its contents are not worth keeping.
    pub fn discard(self) {
        if let Self::File(part) = self {
            part.discard();
        }
    }

    /// Returns `true` if a reader may be waiting for each line.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        !matches!(self, Self::File(_))
    }

    /// Returns the output's display name.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Stdout(_) => "the output".to_owned(),
            Self::Stream(_, path) => path.display().to_string(),
            Self::File(part) => part.name(),
        }
    }

    fn error(&self, error: io::Error) -> AnalyzeError {
        match self {
            Self::Stdout(_) | Self::Stream(..) if error.kind() == ErrorKind::BrokenPipe => AnalyzeError::ReaderGone,
            Self::Stdout(_) => AnalyzeError::Output(error),
            Self::Stream(_, path) => FileError::Io { path: path.clone(), source: error }.into(),
            Self::File(part) => part.error(error),
        }
    }
}

impl PartFile {
    /// Returns the output's display name.
    #[must_use]
    pub fn name(&self) -> String {
        self.target.display().to_string()
    }

    /// Writes bytes to the file.
    ///
    /// # Errors
    /// [`AnalyzeError::Kept`], for example if the disk is full.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), AnalyzeError> {
        self.writer.write_all(bytes).map_err(|error| self.error(error))
    }

    /// Flushes the file.
    ///
    /// # Errors
    /// Any error of [`write`](Self::write).
    pub fn flush(&mut self) -> Result<(), AnalyzeError> {
        self.writer.flush().map_err(|error| self.error(error))
    }

    /// Ends an output whose final file is made from the preliminary one. `make` writes it to a second preliminary file,
    /// and the first one is removed.
    ///
    /// # Errors
    /// Any error of [`write`](Self::write). The existing data is kept.
    pub fn finish_as(
        mut self,
        make: impl FnOnce(&Path, &mut dyn FnMut(&[u8]) -> Result<(), AnalyzeError>) -> Result<(), AnalyzeError>,
    ) -> Result<(), AnalyzeError> {
        self.flush()?;
        let mut name = self.part.clone().into_os_string();
        name.push(".whole");
        let whole = PathBuf::from(name);
        let made = File::create(&whole).map_err(|error| self.error(error)).and_then(|mut file| {
            make(&self.part, &mut |bytes| file.write_all(bytes).map_err(|error| self.error(error)))?;
            self.appear(&whole)
        });
        if made.is_err() {
            remove(&whole);
            return made;
        }
        self.discard();
        Ok(())
    }

    /// Renames a file to the final name.
    fn appear(&self, from: &Path) -> Result<(), AnalyzeError> {
        let final_path = fs::canonicalize(&self.target).unwrap_or_else(|_| self.target.clone());
        fs::rename(from, final_path).map_err(|error| self.error(error))
    }

    /// Removes the file.
    pub fn discard(self) {
        // Discard the buffered bytes; they need not reach the disk.
        let (file, _) = self.writer.into_parts();
        drop(file);
        remove(&self.part);
    }

    fn error(&self, source: io::Error) -> AnalyzeError {
        AnalyzeError::Kept { path: self.target.clone(), part: self.part.clone(), source }
    }
}

/// Converts the error of an output that cannot be continued, and removes the data kept so far.
pub fn into_final_error(error: AnalyzeError) -> AnalyzeError {
    let AnalyzeError::Kept { path, part, source } = error else { return error };
    remove(&part);
    FileError::Io { path, source }.into()
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        log::debug!("{} could not be removed: {error}", path.display());
    }
}

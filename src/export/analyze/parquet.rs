//! Records as a table of Parquet, which other programs read column by column.
//!
//! A [`group`] of rows is gathered, packed, and written behind the others: to a stream as it comes, to a file by way of a
//! [`journal`], so that a run can be continued. The same rows make the same [`mod@file`], byte for byte, whether one run
//! wrote it, several did after each other, or shares were joined.

pub mod file;
pub mod group;
mod journal;

use std::fs;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;

use ::parquet::errors::ParquetError;

use self::file::{TableFile, TableWriter, pack, tree};
use self::group::Group;
use super::ending::{AnalyzeError, Stop, stopped};
use super::left::Left;
use super::output::{Output, PartFile};
use super::pipeline::Counted;
use super::record::Recorder;
use super::summary::Summary;
use crate::export::file::FileError;

/// How a file of Parquet begins.
const MAGIC: &[u8] = b"PAR1";
/// The column of the frames' numbers.
const NUMBER: &str = "frame";

/// A table that is being written.
pub struct TableOutput {
    recorder: Recorder,
    /// Rows that no row group has yet.
    rows: Group,
    writer: TableWriter,
    sink: Sink,
}

enum Sink {
    /// What takes the bytes as they come.
    Stream(Output),
    /// A preliminary file, of row groups that make the final one.
    Journal(PartFile),
}

impl TableOutput {
    /// Goes on behind what is left of an earlier run: `open` opens the output behind so many bytes of its preliminary file, which
    /// is `part`.
    ///
    /// # Errors
    /// As for any output.
    pub fn new(
        recorder: Recorder,
        left: &Left,
        part: Option<&Path>,
        open: impl FnOnce(Option<u64>) -> Result<Output, AnalyzeError>,
    ) -> Result<Self, AnalyzeError> {
        let writer = TableWriter::new(tree(&recorder.fields())?)?;
        let mut rows = Group::new(writer.schema())?;
        let mut kept = left.bytes;
        if let (Some(part), true) = (part, left.records > 0) {
            let io = |source| FileError::Io { path: part.to_owned(), source };
            if let Some(last) = journal::entries(part).map_err(io)?.pop() {
                // A run that was interrupted has written a group that is not full; it is filled up.
                TableFile::of(journal::read(part, &last).map_err(io)?)?.read_group(0, &mut rows)?;
                if rows.is_full() {
                    rows.clear();
                } else {
                    kept = last.start - journal::head(&[]).len() as u64;
                }
            }
        }
        let sink = match open(Some(kept).filter(|bytes| *bytes > 0))? {
            Output::File(part) => Sink::Journal(part),
            stream => Sink::Stream(stream),
        };
        Ok(Self { recorder, rows, writer, sink })
    }

    /// Adds a frame's row.
    ///
    /// # Errors
    /// As for any output.
    pub fn add(&mut self, frame: &Counted) -> Result<(), AnalyzeError> {
        let recorder = &self.recorder;
        self.rows.push(|take| recorder.cells(frame, take));
        if self.rows.is_full() { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<(), AnalyzeError> {
        let group = pack(self.writer.tree(), &self.rows)?;
        self.rows.clear();
        match &mut self.sink {
            Sink::Stream(output) => {
                output.write(&self.writer.append(&TableFile::of(group)?)?)?;
                output.flush()
            }
            Sink::Journal(part) => {
                part.write(&journal::head(&group))?;
                part.write(&group)?;
                part.flush()
            }
        }
    }

    /// Ends the output.
    ///
    /// # Errors
    /// As for any output.
    pub fn finish(mut self, summary: &Summary) -> Result<(), AnalyzeError> {
        if self.rows.rows() > 0 {
            self.write_group()?;
        }
        let mut writer = self.writer;
        match self.sink {
            Sink::Stream(mut output) => {
                output.write(&writer.finish(Some(summary))?)?;
                output.finish()
            }
            Sink::Journal(part) => part.finish_as(|part, write| {
                let io = |source| FileError::Io { path: part.to_owned(), source };
                for entry in journal::entries(part).map_err(io)? {
                    write(&writer.append(&TableFile::of(journal::read(part, &entry).map_err(io)?)?)?)?;
                }
                write(&writer.finish(Some(summary))?)
            }),
        }
    }

    /// Leaves nothing.
    pub fn discard(self) {
        match self.sink {
            Sink::Stream(output) => output.discard(),
            Sink::Journal(part) => part.discard(),
        }
    }
}

/// A finished table.
pub type Table = TableFile<fs::File>;

/// Opens a table; `None` if the file is no table, or was cut off.
///
/// # Errors
/// If it cannot be read.
pub fn open(path: &Path) -> io::Result<Option<Table>> {
    let mut begin = Vec::new();
    fs::File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    Ok(if begin == MAGIC { TableFile::open(path).ok() } else { None })
}

/// Writes the rows of tables of the same columns as one.
///
/// # Errors
/// As for any output, or if a table cannot be read.
pub fn join<'a>(
    like: &Table,
    tables: impl Iterator<Item = (&'a Path, &'a Table)>,
    output: &mut Output,
    summary: &Summary,
    stop: &Stop,
) -> Result<(), AnalyzeError> {
    let mut writer = TableWriter::new(like.tree())?;
    let (mut read, mut rows) = (Group::new(writer.schema())?, Group::new(writer.schema())?);
    let mut write = |rows: &mut Group, writer: &mut TableWriter| {
        let group = TableFile::of(pack(writer.tree(), rows)?)?;
        rows.clear();
        output.write(&writer.append(&group)?)
    };
    for (path, table) in tables {
        for index in 0..table.groups() {
            if stop.is_stopped() {
                return Err(stopped());
            }
            table.read_group(index, &mut read).map_err(|error| {
                AnalyzeError::Merge(format!("{}: cannot be read ({error}); make it again", path.display()))
            })?;
            for row in 0..read.rows() {
                rows.push_row_of(&read, row);
                if rows.is_full() {
                    write(&mut rows, &mut writer)?;
                }
            }
        }
    }
    if rows.rows() > 0 {
        write(&mut rows, &mut writer)?;
    }
    output.write(&writer.finish(Some(summary))?)
}

/// What a finished table says of the run that wrote it; `None` of another file.
///
/// # Errors
/// If it cannot be read.
pub fn read_summary(path: &Path) -> io::Result<Option<Summary>> {
    Ok(open(path)?.and_then(|table| table.summary()))
}

/// Makes the preliminary file of a table that an interrupted run has finished.
///
/// # Errors
/// If either cannot be read or written.
pub fn take_up(path: &Path, part: &Path) -> io::Result<()> {
    let table = TableFile::open(path).map_err(io::Error::other)?;
    // Under its name when all of it is there: what is killed before that takes the table up again.
    let mut journal = tempfile::NamedTempFile::new_in(part.parent().unwrap_or(Path::new(".")))?;
    for index in 0..table.groups() {
        let group = table.group_alone(index).map_err(io::Error::other)?;
        journal.write_all(&journal::head(&group))?;
        journal.write_all(&group)?;
    }
    journal.persist(part).map_err(|error| error.error)?;
    fs::remove_file(path)
}

/// Counts the rows of a preliminary file.
///
/// # Errors
/// If it cannot be read.
pub fn scan(part: &Path) -> io::Result<Left> {
    let mut left = Left::default();
    let entries = journal::entries(part)?;
    for entry in &entries {
        let table = TableFile::of(journal::read(part, entry)?).map_err(io::Error::other)?;
        left.records += table.rows();
        left.bytes = entry.end;
    }
    if let Some(entry) = entries.last() {
        left.last = last_number(part, entry).map_err(io::Error::other)?;
    }
    Ok(left)
}

/// The number of the frame of the last row of a row group.
fn last_number(part: &Path, entry: &Range<u64>) -> Result<Option<u64>, ParquetError> {
    let table = TableFile::of(journal::read(part, entry)?)?;
    let writer = TableWriter::new(table.tree())?;
    let mut rows = Group::new(writer.schema())?;
    table.read_group(0, &mut rows)?;
    let column = writer.schema().columns().iter().position(|column| column.name() == NUMBER);
    Ok(column.and_then(|column| rows.last_number(column)).map(i64::unsigned_abs))
}

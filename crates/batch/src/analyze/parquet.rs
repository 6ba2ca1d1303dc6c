//! Records as a Parquet table, which other programs can read column by column.
//!
//! Rows are collected in a [`group`], compressed, and appended to the output: directly to a stream, or to a file
//! through a [`journal`], so that a run can be continued after its last full group. The same rows produce the same
//! [`mod@file`], byte for byte, whether it was written by one run, by several consecutive runs, or by joining shares.

pub mod file;
pub mod group;
mod journal;
mod seal;

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use ::parquet::errors::ParquetError;
use bytes::Bytes;

use self::file::{TableFile, TableWriter, pack, tree};
use self::group::RowGroup;
use super::error::{AnalyzeError, Stop, check_number, stopped};
use super::output::{Output, PartFile, RecordSink, ResumePoint};
use super::pipeline::CountedFrame;
use super::record::Recorder;
use super::summary::Summary;
use crate::fields::{LIGHT_PREFIX, recorded_light};
use crate::file::FileError;

/// The first bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";
/// The name of the column of frame numbers.
const NUMBER: &str = "frame";
/// The name of the column of the counted pixels.
const PIXELS: &str = "count";

/// A table that is being written.
pub struct TableOutput {
    recorder: Recorder,
    /// Rows that have not been written as a row group yet.
    rows: RowGroup,
    writer: TableWriter,
    sink: Sink,
    /// The output's display name.
    name: String,
}

enum Sink {
    /// An output that is written directly.
    Stream(Output),
    /// A preliminary file of full row groups, from which the final file is made.
    Journal(PartFile),
}

impl TableOutput {
    /// Starts a table, or continues the one whose full row groups `output` contains.
    ///
    /// # Errors
    /// [`AnalyzeError::Table`] if the encodings do not fit the columns, which they do.
    pub fn new(recorder: Recorder, output: Output) -> Result<Self, AnalyzeError> {
        let name = output.name();
        let table = |source| AnalyzeError::Table { output: name.clone(), source };
        let writer = tree(&recorder.columns()).and_then(TableWriter::new).map_err(table)?;
        let rows = RowGroup::new(writer.schema()).map_err(table)?;
        let sink = match output {
            Output::File(part) => Sink::Journal(part),
            stream => Sink::Stream(stream),
        };
        Ok(Self { recorder, rows, writer, sink, name })
    }

    fn write_group(&mut self) -> Result<(), AnalyzeError> {
        let table = |source| AnalyzeError::Table { output: self.name.clone(), source };
        let group = pack(self.writer.tree(), &self.rows).map_err(table)?;
        self.rows.clear();
        match &mut self.sink {
            Sink::Stream(output) => {
                let bytes = TableFile::of(group).and_then(|group| self.writer.append(&group)).map_err(table)?;
                output.write(&bytes)?;
                output.flush()
            }
            Sink::Journal(part) => {
                part.write(&journal::head(&group))?;
                part.write(&group)?;
                part.flush()
            }
        }
    }
}

impl RecordSink for TableOutput {
    fn add(&mut self, frame: &CountedFrame) -> Result<(), AnalyzeError> {
        let recorder = &self.recorder;
        self.rows.push(|take| recorder.cells(frame, take));
        if self.rows.is_full() { self.write_group() } else { Ok(()) }
    }

    fn pause(&mut self) -> Result<(), AnalyzeError> {
        // A row group is written only when it is full.
        Ok(())
    }

    fn finish(self: Box<Self>, summary: &Summary) -> Result<(), AnalyzeError> {
        let Self { rows, mut writer, name, sink, .. } = *self;
        let table = |source| AnalyzeError::Table { output: name.clone(), source };
        // The last group, which is rarely full, goes directly into the final file.
        let last = match rows.rows() {
            0 => None,
            _ => Some(pack(writer.tree(), &rows).and_then(TableFile::of).map_err(table)?),
        };
        let end = |mut writer: TableWriter, write: &mut dyn FnMut(&[u8]) -> Result<(), AnalyzeError>| {
            if let Some(last) = &last {
                write(&writer.append(last).map_err(table)?)?;
            }
            write(&writer.finish(Some(summary)).map_err(table)?)
        };
        match sink {
            Sink::Stream(mut output) => {
                end(writer, &mut |bytes| output.write(bytes))?;
                output.finish()
            }
            Sink::Journal(part) => part.finish_as(|part, write| {
                for entry in journal::entries(part).map_err(FileError::reading(part))? {
                    let group = entry.map_err(FileError::reading(part))?.table;
                    write(&writer.append(&group).map_err(table)?)?;
                }
                end(writer, write)
            }),
        }
    }

    fn discard(self: Box<Self>) {
        match self.sink {
            Sink::Stream(output) => output.discard(),
            Sink::Journal(part) => part.discard(),
        }
    }
}

/// A finished table.
pub type FinishedTable = TableFile<fs::File>;

/// Opens a table. Returns `None` if the file was not written by this program, was truncated, or was changed later.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn open(path: &Path) -> io::Result<Option<FinishedTable>> {
    let mut begin = Vec::new();
    fs::File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    Ok(if begin == MAGIC { TableFile::open(path).ok() } else { None })
}

/// Joins the rows of tables with the same columns. Each table comes with the number of rows that its summary states.
///
/// # Errors
/// Any error from writing the output, or an error if a table cannot be read.
pub fn join<'a>(
    like: &FinishedTable,
    tables: impl Iterator<Item = (&'a Path, &'a FinishedTable, u64)>,
    output: &mut Output,
    summary: &Summary,
    stop: &Stop,
) -> Result<(), AnalyzeError> {
    let name = output.name();
    let unpacked = |source| AnalyzeError::Table { output: name.clone(), source };
    let mut writer = TableWriter::new(like.tree()).map_err(unpacked)?;
    let [mut read, mut rows] =
        [RowGroup::new(writer.schema()).map_err(unpacked)?, RowGroup::new(writer.schema()).map_err(unpacked)?];
    let mut write = |rows: &mut RowGroup, writer: &mut TableWriter| {
        let group = pack(writer.tree(), rows).and_then(TableFile::of).and_then(|group| writer.append(&group));
        rows.clear();
        output.write(&group.map_err(unpacked)?)
    };
    for (path, table, said) in tables {
        let mut records = 0;
        for index in 0..table.groups() {
            if stop.is_stopped() {
                return Err(stopped());
            }
            table.read_group(index, &mut read).map_err(|error| {
                AnalyzeError::Merge(format!("{}: cannot be read ({error}); create it again", path.display()))
            })?;
            records += read.rows() as u64;
            for row in 0..read.rows() {
                rows.push_row_of(&read, row);
                if rows.is_full() {
                    write(&mut rows, &mut writer)?;
                }
            }
        }
        check_number(path, records, said)?;
    }
    if rows.rows() > 0 {
        write(&mut rows, &mut writer)?;
    }
    output.write(&writer.finish(Some(summary)).map_err(unpacked)?)
}

/// Returns the summary of a finished table, or `None` if the file is not one.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn read_summary(path: &Path) -> io::Result<Option<Summary>> {
    Ok(open(path)?.and_then(|table| table.summary()))
}

/// Turns the table left by an interrupted run back into a preliminary file. The table stays until a complete one
/// replaces it.
///
/// # Errors
/// Returns an error if the table cannot be read or the preliminary file cannot be written.
pub fn revert_to_part(path: &Path, part: &Path) -> io::Result<()> {
    journal::revert(&TableFile::open(path).map_err(io::Error::other)?, part)
}

/// Counts the rows in a preliminary file.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn scan(part: &Path) -> io::Result<ResumePoint> {
    let mut left = ResumePoint::default();
    for entry in journal::entries(part)? {
        let entry = entry?;
        add_rows(&entry.table, &mut left).map_err(io::Error::other)?;
        left.bytes = entry.end;
    }
    Ok(left)
}

/// Adds the rows of a row group to those of an unfinished table. Only the numbers that this takes are decoded, and not
/// the bins, which are nearly all of the table.
fn add_rows(table: &TableFile<Bytes>, left: &mut ResumePoint) -> Result<(), ParquetError> {
    let has_light = table.has_columns_like(LIGHT_PREFIX);
    let columns =
        table.numbers(0, |name| name == NUMBER || has_light && (name == PIXELS || name.starts_with(LIGHT_PREFIX)))?;
    let value = |row: usize, name: &str| *columns.get(name)?.get(row)?;
    for row in 0..columns.get(NUMBER).map_or(0, Vec::len) {
        let number = |name| value(row, name).map_or(0, |number| number as u64);
        let light = recorded_light(number(PIXELS), |name| value(row, &format!("{LIGHT_PREFIX}{name}")));
        left.add(number(NUMBER), light.as_ref());
    }
    Ok(())
}

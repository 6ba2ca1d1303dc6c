//! A row group under construction. Rows are stored by column, so that the columns can be written one after the other.
//! The memory is reused for the next group.

use ::parquet::basic::Type as Physical;
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::RowGroupReader;
use ::parquet::file::writer::SerializedRowGroupWriter;
use ::parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use crate::fields::Cell;

/// Maximum number of rows in a group. A killed run loses up to this many: two or three minutes of a film.
pub const MAX_ROWS: usize = 4096;
/// Maximum size of a group in bytes before compression, not counting its last row. With 12-bit samples, the bins of one
/// row take 64 KiB.
pub const MAX_BYTES: usize = 32 << 20;

/// Approximate size of a cell in bytes, without the numbers of a list.
const CELL_BYTES: usize = 8;
/// Rows passed to the encoder at a time, to limit the memory for the levels of each number of a list.
const BATCH_ROWS: usize = 128;

/// Rows of a table, stored by column.
pub struct RowGroup {
    columns: Vec<ColumnCells>,
    rows: usize,
    bytes: usize,
}

impl RowGroup {
    /// Creates an empty group with the columns of a table.
    ///
    /// # Errors
    /// Returns an error if a column has a type that no table here uses.
    pub fn new(schema: &SchemaDescriptor) -> Result<Self> {
        let columns = schema.columns().iter().map(|column| ColumnCells::new(column)).collect::<Result<_>>()?;
        Ok(Self { columns, rows: 0, bytes: 0 })
    }

    /// Returns the number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the size of the rows in bytes.
    #[cfg(test)]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns `true` if the next row belongs to another group. This depends only on the rows, so that the same rows
    /// always form the same groups.
    pub const fn is_full(&self) -> bool {
        self.rows >= MAX_ROWS || self.bytes >= MAX_BYTES
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(ColumnCells::clear);
        (self.rows, self.bytes) = (0, 0);
    }

    /// Appends a row. `fill` passes its cells in column order.
    pub fn push(&mut self, fill: impl FnOnce(&mut dyn FnMut(Cell<'_>))) {
        let mut columns = self.columns.iter_mut();
        let bytes = &mut self.bytes;
        fill(&mut |cell| {
            if let Some(column) = columns.next() {
                *bytes += column.push(&cell);
            }
        });
        self.rows += 1;
    }

    /// Appends a row of another group with the same columns.
    pub fn push_row_of(&mut self, other: &Self, row: usize) {
        for (column, from) in self.columns.iter_mut().zip(&other.columns) {
            self.bytes += from.with_cell(row, |cell| column.push(cell));
        }
        self.rows += 1;
    }

    /// Encodes the rows.
    ///
    /// # Errors
    /// Returns an error if encoding fails.
    pub fn write<W: std::io::Write + Send>(&self, mut writer: SerializedRowGroupWriter<'_, W>) -> Result<()> {
        for column in &self.columns {
            let mut chunk =
                writer.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".to_owned()))?;
            column.write(chunk.untyped(), self.rows)?;
            chunk.close()?;
        }
        writer.close()?;
        Ok(())
    }

    /// Replaces the contents with the rows of a row group that has these columns.
    ///
    /// # Errors
    /// Returns an error if it is not such a row group.
    pub fn read(&mut self, reader: &dyn RowGroupReader) -> Result<()> {
        self.clear();
        self.rows = usize::try_from(reader.metadata().num_rows()).unwrap_or(0);
        for (index, column) in self.columns.iter_mut().enumerate() {
            column.read(reader.get_column_reader(index)?, self.rows)?;
            self.bytes += column.bytes(self.rows);
        }
        Ok(())
    }
}

/// Returns the numbers in a column of a row group, one for each row; `None` for a cell that is empty or not a number.
/// Other columns are not decoded.
///
/// # Errors
/// Returns an error if the column cannot be read.
pub fn read_numbers(reader: &dyn RowGroupReader, column: usize) -> Result<Vec<Option<f64>>> {
    let rows = usize::try_from(reader.metadata().num_rows()).unwrap_or(0);
    let mut cells = ColumnCells::new(reader.metadata().column(column).column_descr())?;
    cells.read(reader.get_column_reader(column)?, rows)?;
    let number = |cell: &Cell<'_>| match cell {
        Cell::Integer(number) => Some(*number as f64),
        Cell::Real(number) => Some(*number),
        _ => None,
    };
    Ok((0..rows).map(|row| cells.with_cell(row, number)).collect())
}

/// A column's cells.
struct ColumnCells {
    values: Values,
    /// For each row, `true` if the cell has a value; `None` if all cells have one.
    filled: Option<Vec<bool>>,
    /// For each row, the end index of its numbers; only for lists.
    ends: Option<Vec<usize>>,
}

/// The values of the cells, one after the other. There is one value per row, except in lists, whose lengths vary by
/// row.
enum Values {
    Boolean(Vec<bool>),
    Integer32(Vec<i32>),
    Integer64(Vec<i64>),
    Real(Vec<f64>),
    Text(Texts),
}

/// Texts, most of which repeat often.
#[derive(Default)]
struct Texts {
    different: Vec<ByteArray>,
    rows: Vec<usize>,
}

impl Texts {
    fn push(&mut self, text: &[u8]) {
        let known = self.different.iter().position(|known| known.data() == text);
        self.rows.push(known.unwrap_or(self.different.len()));
        if known.is_none() {
            self.different.push(text.to_vec().into());
        }
    }
}

impl ColumnCells {
    fn new(column: &ColumnDescriptor) -> Result<Self> {
        let is_list = column.max_rep_level() == 1;
        let may_be_empty = column.max_def_level() > column.max_rep_level();
        let values = match column.physical_type() {
            Physical::BOOLEAN => Values::Boolean(Vec::new()),
            Physical::INT32 => Values::Integer32(Vec::new()),
            Physical::INT64 => Values::Integer64(Vec::new()),
            Physical::DOUBLE => Values::Real(Vec::new()),
            Physical::BYTE_ARRAY => Values::Text(Texts::default()),
            other => return Err(ParquetError::NYI(format!("a column of {other}"))),
        };
        if column.max_rep_level() > 1 || is_list && !matches!(values, Values::Integer32(_)) {
            return Err(ParquetError::NYI("a list of something other than numbers".to_owned()));
        }
        Ok(Self { values, filled: may_be_empty.then(Vec::new), ends: is_list.then(Vec::new) })
    }

    fn clear(&mut self) {
        match &mut self.values {
            Values::Boolean(values) => values.clear(),
            Values::Integer32(values) => values.clear(),
            Values::Integer64(values) => values.clear(),
            Values::Real(values) => values.clear(),
            Values::Text(texts) => *texts = Texts::default(),
        }
        self.filled.iter_mut().for_each(Vec::clear);
        self.ends.iter_mut().for_each(Vec::clear);
    }

    /// Appends a cell and returns its size in bytes.
    fn push(&mut self, cell: &Cell<'_>) -> usize {
        self.filled.iter_mut().for_each(|filled| filled.push(!matches!(cell, Cell::Empty)));
        if let (Values::Integer32(values), Some(ends)) = (&mut self.values, &mut self.ends) {
            let numbers: &[u32] = if let Cell::Numbers(numbers) = cell { numbers } else { &[] };
            values.extend(numbers.iter().map(|number| number.cast_signed()));
            ends.push(values.len());
            return size_of_val(numbers) + CELL_BYTES;
        }
        let whole = if let Cell::Integer(number) = cell { *number } else { 0 };
        match &mut self.values {
            Values::Boolean(values) => values.push(matches!(cell, Cell::Boolean(true))),
            // The column's kind guarantees that these numbers fit.
            Values::Integer32(values) => values.push(whole as i32),
            Values::Integer64(values) => values.push(whole),
            Values::Real(values) => values.push(if let Cell::Real(value) = cell { *value } else { 0.0 }),
            Values::Text(texts) => texts.push(if let Cell::Text(text) = cell { text.as_bytes() } else { &[] }),
        }
        CELL_BYTES
    }

    /// Returns the size of all cells in bytes.
    fn bytes(&self, rows: usize) -> usize {
        let numbers = match (&self.values, &self.ends) {
            (Values::Integer32(numbers), Some(_)) => size_of_val(numbers.as_slice()),
            _ => 0,
        };
        numbers + rows * CELL_BYTES
    }

    /// Returns the index of a row's first number.
    fn begin(&self, row: usize) -> usize {
        let before = |ends: &Vec<usize>| row.checked_sub(1).and_then(|row| ends.get(row).copied()).unwrap_or(0);
        self.ends.as_ref().map_or(row, before)
    }

    fn with_cell<T>(&self, row: usize, take: impl FnOnce(&Cell<'_>) -> T) -> T {
        if self.filled.as_ref().is_some_and(|filled| !filled[row]) {
            return take(&Cell::Empty);
        }
        match &self.values {
            Values::Integer32(values) if self.ends.is_some() => {
                let numbers: &[u32] = bytemuck::cast_slice(&values[self.begin(row)..self.begin(row + 1)]);
                take(&Cell::numbers(numbers))
            }
            Values::Boolean(values) => take(&Cell::Boolean(values[row])),
            Values::Integer32(values) => take(&Cell::Integer(values[row].into())),
            Values::Integer64(values) => take(&Cell::Integer(values[row])),
            Values::Real(values) => take(&Cell::Real(values[row])),
            Values::Text(texts) => take(&Cell::Text(String::from_utf8_lossy(texts.different[texts.rows[row]].data()))),
        }
    }

    fn write(&self, writer: &mut ColumnWriter<'_>, rows: usize) -> Result<()> {
        match (&self.values, writer) {
            (Values::Boolean(values), ColumnWriter::BoolColumnWriter(writer)) => self.write_cells(values, writer),
            (Values::Integer32(values), ColumnWriter::Int32ColumnWriter(writer)) => match &self.ends {
                Some(ends) => self.write_lists(values, ends, writer, rows),
                None => self.write_cells(values, writer),
            },
            (Values::Integer64(values), ColumnWriter::Int64ColumnWriter(writer)) => self.write_cells(values, writer),
            (Values::Real(values), ColumnWriter::DoubleColumnWriter(writer)) => self.write_cells(values, writer),
            (Values::Text(texts), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                let values: Vec<_> = texts.rows.iter().map(|row| texts.different[*row].clone()).collect();
                self.write_cells(&values, writer)
            }
            _ => Err(ParquetError::General("a column has a different type from its cells".to_owned())),
        }
    }

    fn write_cells<T: DataType>(&self, values: &[T::T], writer: &mut ColumnWriterImpl<'_, T>) -> Result<()> {
        match &self.filled {
            None => writer.write_batch(values, None, None)?,
            Some(filled) => {
                // The file stores values only for cells that have one.
                let there: Vec<T::T> =
                    values.iter().zip(filled).filter(|(_, filled)| **filled).map(|(value, _)| value.clone()).collect();
                let levels: Vec<i16> = filled.iter().map(|filled| i16::from(*filled)).collect();
                writer.write_batch(&there, Some(&levels), None)?
            }
        };
        Ok(())
    }

    /// Lists are described by two levels per number: whether it exists, and whether it continues the previous number's
    /// list. An empty list has one pair of levels, too.
    fn write_lists<T: DataType<T = i32>>(
        &self,
        values: &[i32],
        ends: &[usize],
        writer: &mut ColumnWriterImpl<'_, T>,
        rows: usize,
    ) -> Result<()> {
        let full = 1 + i16::from(self.filled.is_some());
        let (mut definition, mut repetition) = (Vec::new(), Vec::new());
        for first in (0..rows).step_by(BATCH_ROWS) {
            let rows = first..(first + BATCH_ROWS).min(rows);
            definition.clear();
            repetition.clear();
            for row in rows.clone() {
                let count = ends[row] - self.begin(row);
                let is_filled = self.filled.as_ref().is_none_or(|filled| filled[row]);
                let level = if count > 0 { full } else { i16::from(is_filled) * (full - 1) };
                definition.extend(std::iter::repeat_n(level, count.max(1)));
                repetition.push(0);
                repetition.extend(std::iter::repeat_n(1, count.max(1) - 1));
            }
            let numbers = &values[self.begin(rows.start)..self.begin(rows.end)];
            writer.write_batch(numbers, Some(&definition), Some(&repetition))?;
        }
        Ok(())
    }

    fn read(&mut self, reader: ColumnReader, rows: usize) -> Result<()> {
        let mut definition = Vec::new();
        match (&mut self.values, reader) {
            (Values::Boolean(values), ColumnReader::BoolColumnReader(mut reader)) => {
                read_cells(&mut reader, rows, &mut definition, values)?;
                spread(values, &definition, self.filled.as_mut(), &false);
            }
            (Values::Integer32(values), ColumnReader::Int32ColumnReader(mut reader)) => match &mut self.ends {
                Some(ends) => read_lists(&mut reader, rows, (values, ends, self.filled.as_mut()))?,
                None => {
                    read_cells(&mut reader, rows, &mut definition, values)?;
                    spread(values, &definition, self.filled.as_mut(), &0);
                }
            },
            (Values::Integer64(values), ColumnReader::Int64ColumnReader(mut reader)) => {
                read_cells(&mut reader, rows, &mut definition, values)?;
                spread(values, &definition, self.filled.as_mut(), &0);
            }
            (Values::Real(values), ColumnReader::DoubleColumnReader(mut reader)) => {
                read_cells(&mut reader, rows, &mut definition, values)?;
                spread(values, &definition, self.filled.as_mut(), &0.0);
            }
            (Values::Text(texts), ColumnReader::ByteArrayColumnReader(mut reader)) => {
                let mut values = Vec::new();
                read_cells(&mut reader, rows, &mut definition, &mut values)?;
                spread(&mut values, &definition, self.filled.as_mut(), &Vec::new().into());
                values.iter().for_each(|value| texts.push(value.data()));
            }
            _ => return Err(ParquetError::General("a column has a different type from its cells".to_owned())),
        }
        Ok(())
    }
}

fn read_cells<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    definition: &mut Vec<i16>,
    values: &mut Vec<T::T>,
) -> Result<()> {
    let (read, ..) = reader.read_records(rows, Some(definition), None, values)?;
    all_there(read, rows)
}

/// Inserts `empty` for each cell without a value, and records in `filled` which cells have one.
fn spread<T: Clone>(values: &mut Vec<T>, definition: &[i16], filled: Option<&mut Vec<bool>>, empty: &T) {
    let Some(filled) = filled else { return };
    filled.extend(definition.iter().map(|level| *level > 0));
    let mut there = std::mem::take(values).into_iter();
    values
        .extend(filled.iter().map(|filled| if *filled { there.next() } else { None }.unwrap_or_else(|| empty.clone())));
}

/// The numbers, the end of each list, and which lists exist.
type Lists<'a> = (&'a mut Vec<i32>, &'a mut Vec<usize>, Option<&'a mut Vec<bool>>);

fn read_lists<T: DataType<T = i32>>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    (values, ends, mut filled): Lists<'_>,
) -> Result<()> {
    let (mut definition, mut repetition) = (Vec::new(), Vec::new());
    let (read, ..) = reader.read_records(rows, Some(&mut definition), Some(&mut repetition), values)?;
    let full = 1 + i16::from(filled.is_some());
    let mut end = 0;
    for (index, (definition, repetition)) in definition.iter().zip(&repetition).enumerate() {
        if *repetition == 0 {
            if index > 0 {
                ends.push(end);
            }
            filled.iter_mut().for_each(|filled| filled.push(*definition > 0));
        }
        end += usize::from(*definition == full);
    }
    if rows > 0 {
        ends.push(end);
    }
    all_there(read.min(ends.len()), rows)
}

fn all_there(read: usize, rows: usize) -> Result<()> {
    if read == rows { Ok(()) } else { Err(ParquetError::EOF(format!("it has {read} of {rows} rows"))) }
}

//! A table as a Parquet file: its columns, their encodings, and the end of the file.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use ::parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use ::parquet::column::writer::ColumnCloseResult;
use ::parquet::errors::Result;
use ::parquet::file::metadata::{KeyValue, RowGroupMetaData};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use ::parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use ::parquet::file::serialized_reader::ReadOptionsBuilder;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::{SchemaDescPtr, Type, TypePtr};
use bytes::Bytes;
use flate2::Crc;

use super::super::record::BINS_SUFFIX;
use super::super::summary::Summary;
use super::group::{RowGroup, read_numbers};
use super::seal;
use crate::fields::{CellKind, Column};

/// The zstd compression level. Higher levels would take more time than counting leaves, and gain little on counts.
const ZSTD_LEVEL: i32 = 3;
/// Page size in bytes before compression.
const PAGE_BYTES: usize = 1 << 20;
/// Key of the summary in the file's metadata.
const SUMMARY_KEY: &str = "histoscope";

/// Builds the schema. Text and numbers are plain columns; lists use the structure that all readers expect.
///
/// # Errors
/// Returns an error if two columns have the same name, which no table here has.
pub fn tree(columns: &[Column]) -> Result<TypePtr> {
    let columns = columns.iter().map(|column| leaf_or_list(column).map(Arc::new)).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Type::group_type_builder("frames").with_fields(columns).build()?))
}

fn leaf_or_list(column: &Column) -> Result<Type> {
    let repetition = if column.may_be_empty { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let (physical, logical) = match column.kind {
        CellKind::Boolean => (Physical::BOOLEAN, None),
        CellKind::Integer32 => (Physical::INT32, None),
        CellKind::Integer64 => (Physical::INT64, None),
        CellKind::Real => (Physical::DOUBLE, None),
        CellKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        CellKind::Numbers => (Physical::INT32, Some(LogicalType::integer(32, false))),
    };
    let leaf = |name, repetition| {
        Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical.clone())
            .build()
    };
    if column.kind != CellKind::Numbers {
        return leaf(&column.name, repetition);
    }
    let list = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(leaf("element", Repetition::REQUIRED)?)])
        .build()?;
    Type::group_type_builder(&column.name)
        .with_repetition(repetition)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(list)])
        .build()
}

/// Chooses the encodings of columns. A picture's bins go up and down, so differences between them are as large as the
/// bins themselves. But most of their higher bytes are alike, so all first bytes are written before all second bytes,
/// and so on; that takes three quarters of the space of differences. Numbers that mostly differ little from the
/// previous row are written as differences. Text and codes, which repeat often, use a dictionary.
fn properties(schema: &SchemaDescPtr) -> Result<WriterPropertiesPtr> {
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_data_page_size_limit(PAGE_BYTES)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        // The offset index would be lost when files are joined.
        .set_offset_index_disabled(true);
    for column in schema.columns() {
        let path = column.path();
        if column.max_rep_level() > 0 {
            // Some readers support this byte order only for floats. Short lists gain nothing from it and do without.
            let are_bins = path.parts().first().is_some_and(|name| name.ends_with(BINS_SUFFIX));
            let encoding = if are_bins { Encoding::BYTE_STREAM_SPLIT } else { Encoding::DELTA_BINARY_PACKED };
            builder = builder
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path.clone(), encoding)
                .set_column_statistics_enabled(path.clone(), EnabledStatistics::None);
        } else if matches!(column.physical_type(), Physical::INT64) {
            builder = builder
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED);
        } else if matches!(column.physical_type(), Physical::DOUBLE) {
            builder = builder.set_column_dictionary_enabled(path.clone(), false);
        }
    }
    Ok(Arc::new(builder.build()))
}

/// Writes a file whose bytes can be taken as they are produced; earlier bytes never change.
pub struct TableWriter {
    writer: SerializedFileWriter<Vec<u8>>,
    /// Checksum of the bytes taken so far.
    sum: Crc,
}

impl TableWriter {
    /// Starts a file with these columns.
    ///
    /// # Errors
    /// Returns an error if the encodings do not fit the columns.
    pub fn new(tree: TypePtr) -> Result<Self> {
        let schema = Arc::new(::parquet::schema::types::SchemaDescriptor::new(tree.clone()));
        Ok(Self { writer: SerializedFileWriter::new(Vec::new(), tree, properties(&schema)?)?, sum: Crc::new() })
    }

    /// Returns the columns.
    pub fn schema(&self) -> &::parquet::schema::types::SchemaDescriptor {
        self.writer.schema_descr()
    }

    /// Returns the columns as a tree.
    pub fn tree(&self) -> TypePtr {
        self.schema().root_schema_ptr()
    }

    /// Appends the row groups of a file with the same columns, without recompressing them.
    ///
    /// # Errors
    /// Returns an error if the columns differ, or the row groups cannot be read.
    pub fn append<R: ChunkReader + 'static>(&mut self, file: &TableFile<R>) -> Result<Vec<u8>> {
        for group in file.reader.metadata().row_groups() {
            self.append_group(&file.source, group)?;
        }
        self.take()
    }

    /// Appends a row group of a file without recompressing it.
    fn append_group<R: ChunkReader>(&mut self, source: &R, group: &RowGroupMetaData) -> Result<()> {
        let mut writer = self.writer.next_row_group()?;
        for column in group.columns() {
            let close = ColumnCloseResult {
                bytes_written: column.compressed_size().unsigned_abs(),
                rows_written: group.num_rows().unsigned_abs(),
                metadata: column.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            writer.append_column(source, close)?;
        }
        writer.close()?;
        Ok(())
    }

    /// Ends the file and returns the part after the row groups.
    ///
    /// # Errors
    /// Returns an error if encoding fails.
    pub fn finish(mut self, summary: Option<&Summary>) -> Result<Vec<u8>> {
        if let Some(summary) = summary {
            // A struct of strings and numbers always serializes to JSON.
            let text = serde_json::to_string(summary).unwrap_or_default();
            self.writer.append_key_value_metadata(KeyValue::new(SUMMARY_KEY.to_owned(), text));
        }
        self.writer.append_key_value_metadata(seal::blank());
        let mut end = self.writer.into_inner()?;
        seal::close(self.sum, &mut end)?;
        Ok(end)
    }

    fn take(&mut self) -> Result<Vec<u8>> {
        self.writer.flush()?;
        let bytes = std::mem::take(self.writer.inner_mut());
        self.sum.update(&bytes);
        Ok(bytes)
    }
}

/// Encodes a file with a single row group, to be appended to the final file.
///
/// # Errors
/// Returns an error if encoding fails.
pub fn pack(tree: TypePtr, rows: &RowGroup) -> Result<Vec<u8>> {
    let mut writer = TableWriter::new(tree)?;
    rows.write(writer.writer.next_row_group()?)?;
    writer.finish(None)
}

/// A file opened for reading.
pub struct TableFile<R: ChunkReader + 'static> {
    source: R,
    reader: SerializedFileReader<R>,
}

impl TableFile<Bytes> {
    /// Opens a file in memory.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a Parquet file written by this program, or were changed since.
    pub fn of(bytes: Vec<u8>) -> Result<Self> {
        let bytes = Bytes::from(bytes);
        Self::read(bytes.clone(), bytes)
    }
}

impl TableFile<File> {
    /// Opens a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, was not written by this program, or was changed since.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path)?;
        Self::read(file.try_clone()?, file)
    }
}

impl<R: ChunkReader + 'static> TableFile<R> {
    fn read(source: R, same: R) -> Result<Self> {
        seal::check(&source)?;
        let options = ReadOptionsBuilder::new().with_encoding_stats_as_mask(false).build();
        Ok(Self { source, reader: SerializedFileReader::new_with_options(same, options)? })
    }

    /// Returns the columns as a tree.
    pub fn tree(&self) -> TypePtr {
        self.reader.metadata().file_metadata().schema_descr().root_schema_ptr()
    }

    /// Returns `true` if both files have the same columns.
    pub fn has_columns_of(&self, other: &Self) -> bool {
        self.tree() == other.tree()
    }

    /// Returns the summary of the run, if there is one.
    pub fn summary(&self) -> Option<Summary> {
        let pairs = self.reader.metadata().file_metadata().key_value_metadata()?;
        let text = pairs.iter().find(|pair| pair.key == SUMMARY_KEY)?.value.as_ref()?;
        serde_json::from_str(text).ok().filter(|summary: &Summary| summary.kind == "summary")
    }

    /// Returns the number of row groups.
    pub fn groups(&self) -> usize {
        self.reader.num_row_groups()
    }

    /// Reads the rows of a row group into `rows`, replacing its contents.
    ///
    /// # Errors
    /// Returns an error if the rows cannot be read.
    pub fn read_group(&self, index: usize, rows: &mut RowGroup) -> Result<()> {
        rows.read(&*self.reader.get_row_group(index)?)
    }

    /// Returns the numbers in some columns of a row group, by the column's name. Other columns are not decoded.
    ///
    /// # Errors
    /// Returns an error if the columns cannot be read.
    pub fn numbers(&self, index: usize, is_wanted: impl Fn(&str) -> bool) -> Result<HashMap<&str, Vec<Option<f64>>>> {
        let columns = self.reader.metadata().file_metadata().schema_descr().columns().iter().enumerate();
        let wanted = columns.filter(|(_, column)| is_wanted(column.name()));
        let group = self.reader.get_row_group(index)?;
        wanted.map(|(at, column)| Ok((column.name(), read_numbers(&*group, at)?))).collect()
    }

    /// Returns `true` if a column's name begins with this prefix.
    pub fn has_columns_like(&self, prefix: &str) -> bool {
        let columns = self.reader.metadata().file_metadata().schema_descr().columns();
        columns.iter().any(|column| column.name().starts_with(prefix))
    }

    /// Returns a row group as a separate file, like [`pack`].
    ///
    /// # Errors
    /// Returns an error if the row group cannot be read.
    pub fn group_alone(&self, index: usize) -> Result<Vec<u8>> {
        let mut writer = TableWriter::new(self.tree())?;
        writer.append_group(&self.source, self.reader.metadata().row_group(index))?;
        writer.finish(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Cell;

    const KINDS: [CellKind; 6] = [
        CellKind::Boolean,
        CellKind::Integer32,
        CellKind::Integer64,
        CellKind::Real,
        CellKind::Text,
        CellKind::Numbers,
    ];

    /// Returns columns of all kinds, once required and once optional.
    fn every_kind() -> TypePtr {
        let column =
            |(index, kind), may_be_empty| Column { name: format!("{index}_{may_be_empty}"), kind, may_be_empty };
        let kinds = || KINDS.into_iter().enumerate();
        let fields: Vec<_> =
            kinds().map(|kind| column(kind, false)).chain(kinds().map(|kind| column(kind, true))).collect();
        tree(&fields).unwrap()
    }

    /// Appends a row to match [`every_kind`]. In every third row, the optional cells are empty.
    fn push(rows: &mut RowGroup, row: u32) {
        let numbers: Vec<u32> = (0..row % 4).map(|index| u32::MAX - row * index).collect();
        let cells = || {
            [
                Cell::Boolean(row.is_multiple_of(2)),
                Cell::Integer(-i64::from(row)),
                Cell::Integer(i64::MAX - i64::from(row)),
                Cell::Real(f64::from(row) / 3.0),
                Cell::Text(format!("row {}", row % 5).into()),
                Cell::numbers(&numbers),
            ]
        };
        rows.push(|take| {
            cells().into_iter().for_each(&mut *take);
            cells().into_iter().for_each(|cell| take(if row.is_multiple_of(3) { Cell::Empty } else { cell }));
        });
    }

    fn no_rows(tree: &TypePtr) -> RowGroup {
        RowGroup::new(TableWriter::new(tree.clone()).unwrap().schema()).unwrap()
    }

    #[test]
    fn rows_round_trip_and_can_be_continued() {
        let tree = every_kind();
        let (mut whole, mut first, mut copied) = (no_rows(&tree), no_rows(&tree), no_rows(&tree));
        (0..300).for_each(|row| push(&mut whole, row));
        (0..131).for_each(|row| push(&mut first, row));
        let packed = pack(tree.clone(), &first).unwrap();
        let mut read = no_rows(&tree);
        // Reading replaces the previous contents.
        push(&mut read, 7);
        TableFile::of(packed).unwrap().read_group(0, &mut read).unwrap();
        (131..300).for_each(|row| push(&mut read, row));
        assert_eq!((read.rows(), read.bytes()), (whole.rows(), whole.bytes()));
        let wanted = pack(tree.clone(), &whole).unwrap();
        assert!(pack(tree.clone(), &read).unwrap() == wanted, "read, and gone on with");
        (0..300).for_each(|row| copied.push_row_of(&whole, row));
        assert_eq!(copied.bytes(), whole.bytes());
        assert!(pack(tree.clone(), &copied).unwrap() == wanted, "copied row by row");
        // A different row makes a difference.
        push(&mut copied, 300);
        assert!(pack(tree, &copied).unwrap() != wanted);
    }

    #[test]
    fn foreign_files_are_refused() {
        assert!(TableFile::of(b"PAR1 and then something else PAR1".to_vec()).is_err());
        let lists =
            "message frames { required group words (LIST) { repeated group list { required binary element; } } }";
        let foreign = ::parquet::schema::parser::parse_message_type(lists).unwrap();
        let schema = ::parquet::schema::types::SchemaDescriptor::new(Arc::new(foreign));
        assert!(RowGroup::new(&schema).is_err(), "a list of words");
    }
}

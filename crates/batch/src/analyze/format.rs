//! Formats of records, and line-based outputs with the text before, between and after the records.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::error::AnalyzeError;
use super::ffprobe::{FfprobeRecord, QctoolsWriter};
use super::output::{Output, RecordSink, ResumePoint};
use super::pipeline::CountedFrame;
use super::record::{RecordedFrame, Recorder};
use super::scenes::SceneFormat;
use super::summary::Summary;
use crate::fields::{Cell, LIGHT_PREFIX, recorded_light};
use histoscope_core::histogram::LightFigures;
use histoscope_media::StreamInfo;

/// A format of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A text format.
    Text(TextFormat),
    /// A Parquet file.
    Parquet,
    /// The light of scenes.
    Scenes(SceneFormat),
}

impl Format {
    /// Returns the name used on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text(format) => format.name(),
            Self::Parquet => "parquet",
            Self::Scenes(format) => format.name(),
        }
    }

    /// Returns the file extension for this format.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Text(TextFormat::Ffprobe) => "ffprobe.json",
            Self::Text(TextFormat::Qctools) => "qctools.xml.gz",
            Self::Scenes(format) => format.extension(),
            other => other.name(),
        }
    }

    /// Returns `true` if an output is a single object, which cannot be followed by another in the same stream.
    #[must_use]
    pub const fn is_one_object(self) -> bool {
        match self {
            Self::Text(format) => format.has_array() || matches!(format, TextFormat::Qctools),
            Self::Parquet | Self::Scenes(_) => true,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text format of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TextFormat {
    /// One JSON object per line; the last one is the summary.
    #[default]
    Jsonl,
    /// A table with a header. It ends with a comment if the records do not cover the whole file.
    Csv,
    /// One JSON object with the records in an array.
    Json,
    /// The object that `ffprobe -show_frames -of json` writes with FFmpeg's signalstats filter.
    Ffprobe,
    /// The gzip-compressed XML that QCTools opens.
    Qctools,
}

impl TextFormat {
    const fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Ffprobe => "ffprobe",
            Self::Qctools => "qctools",
        }
    }

    /// Returns the text after every record.
    #[must_use]
    pub const fn after_record(self) -> &'static str {
        match self {
            Self::Jsonl | Self::Csv => "\n",
            Self::Json | Self::Ffprobe | Self::Qctools => "",
        }
    }

    /// Returns the text before every record except the first.
    #[must_use]
    pub const fn before_next(self) -> &'static str {
        if self.has_array() { ",\n" } else { "" }
    }

    /// Returns the text after the last record.
    #[must_use]
    pub const fn after_last(self) -> &'static str {
        if self.has_array() { "\n" } else { "" }
    }

    /// Returns `true` if the records are the elements of an array.
    #[must_use]
    pub const fn has_array(self) -> bool {
        matches!(self, Self::Json | Self::Ffprobe)
    }

    /// Returns the text that follows the last record and its line end.
    #[must_use]
    pub fn tail(self, summary: &Summary) -> String {
        // A struct of strings and numbers always serializes to JSON.
        let text = serde_json::to_string(summary).unwrap_or_default();
        match self {
            Self::Jsonl => format!("{text}\n"),
            Self::Csv if summary.is_whole() => String::new(),
            Self::Csv => format!("# {text}\n"),
            Self::Json => format!("],\"summary\":{text}}}\n"),
            Self::Ffprobe => format!("],\"histoscope\":{text}}}\n"),
            // Its end is compressed together with the rest.
            Self::Qctools => String::new(),
        }
    }

    /// Parses the summary in the last line of an output. Returns `None` if there is none.
    #[must_use]
    pub fn read_tail(self, line: &str) -> Option<Summary> {
        let text = match self {
            Self::Jsonl => line,
            Self::Csv => line.strip_prefix("# ")?,
            Self::Json => line.strip_prefix("],\"summary\":")?.strip_suffix('}')?,
            Self::Ffprobe => line.strip_prefix("],\"histoscope\":")?.strip_suffix('}')?,
            Self::Qctools => return None,
        };
        serde_json::from_str(text).ok().filter(|summary: &Summary| summary.kind == "summary")
    }

    /// Recognises the format of an output from its first line.
    #[must_use]
    pub fn recognise(first_line: &str) -> Option<Self> {
        match first_line {
            JSON_HEAD => Some(Self::Json),
            FFPROBE_HEAD => Some(Self::Ffprobe),
            line if line.starts_with("{\"schema\":1,\"type\":") => Some(Self::Jsonl),
            line if line.starts_with("schema,input,frame,") => Some(Self::Csv),
            _ => None,
        }
    }
}

const JSON_HEAD: &str = "{\"schema\":1,\"frames\":[";
const FFPROBE_HEAD: &str = "{\"frames\":[";

/// Formats a run's records as lines, without line ends.
pub struct RecordWriter {
    format: TextFormat,
    recorder: Recorder,
    row: CsvRow,
    /// The report for QCTools; only for that format.
    report: Option<QctoolsWriter>,
}

impl RecordWriter {
    /// Creates a writer for the records of this video.
    #[must_use]
    pub fn new(format: TextFormat, recorder: Recorder, info: &StreamInfo) -> Self {
        let report = (format == TextFormat::Qctools).then(|| QctoolsWriter::new(info));
        Self { format, recorder, row: CsvRow::default(), report }
    }

    /// Returns the format.
    #[must_use]
    pub const fn format(&self) -> TextFormat {
        self.format
    }

    /// Returns the text before the records.
    ///
    /// # Errors
    /// Returns an error if compression fails, which no input causes.
    pub fn head(&mut self) -> io::Result<Vec<u8>> {
        if let Some(report) = &mut self.report {
            return report.head();
        }
        Ok(match self.format {
            TextFormat::Json => format!("{JSON_HEAD}\n"),
            TextFormat::Ffprobe => format!("{FFPROBE_HEAD}\n"),
            TextFormat::Csv => {
                let names: Vec<_> = self.recorder.columns().into_iter().map(|column| column.name).collect();
                // No name contains a comma or a quotation mark.
                format!("{}\n", names.join(","))
            }
            TextFormat::Jsonl | TextFormat::Qctools => String::new(),
        }
        .into_bytes())
    }

    /// Returns the text that follows the last record and its line end.
    ///
    /// # Errors
    /// Returns an error if compression fails, which no input causes.
    pub fn tail(&mut self, summary: &Summary) -> io::Result<Vec<u8>> {
        match &mut self.report {
            // A struct of strings and numbers always serializes to JSON.
            Some(report) => report.tail(
                summary.source.as_ref().map(|source| source.bytes),
                &serde_json::to_string(summary).unwrap_or_default(),
            ),
            None => Ok(self.format.tail(summary).into_bytes()),
        }
    }

    /// Formats a frame's record into `line`.
    ///
    /// # Errors
    /// Returns an error if the record cannot be serialized, which no input causes.
    pub fn line(&mut self, counted: &CountedFrame, line: &mut Vec<u8>) -> io::Result<()> {
        line.clear();
        if let Some(report) = &mut self.report {
            line.extend(report.frame(counted)?);
            return Ok(());
        }
        match self.format {
            TextFormat::Ffprobe => return Ok(serde_json::to_writer(line, &FfprobeRecord::new(counted))?),
            TextFormat::Jsonl | TextFormat::Json => {
                return Ok(serde_json::to_writer(line, &self.recorder.record(counted))?);
            }
            TextFormat::Csv | TextFormat::Qctools => {}
        }
        self.row.clear();
        self.recorder.cells(counted, &mut |cell| self.row.push(&cell));
        let mut writer = csv::WriterBuilder::new().buffer_capacity(1 << 12).from_writer(&mut *line);
        writer.write_byte_record(self.row.record())?;
        writer.flush()?;
        drop(writer);
        // The caller writes the line end.
        line.pop();
        Ok(())
    }
}

/// A row of a CSV table. Its memory is reused for the next row.
#[derive(Default)]
struct CsvRow {
    text: String,
    record: csv::ByteRecord,
}

impl CsvRow {
    /// Returns the row's cells.
    const fn record(&self) -> &csv::ByteRecord {
        &self.record
    }

    /// Starts a new row.
    fn clear(&mut self) {
        self.record.clear();
    }

    /// Appends a cell.
    fn push(&mut self, cell: &Cell<'_>) {
        use std::fmt::Write as _;
        self.text.clear();
        // Writing to a string cannot fail.
        let _ = match cell {
            Cell::Empty => Ok(()),
            Cell::Boolean(value) => write!(self.text, "{value}"),
            Cell::Integer(value) => write!(self.text, "{value}"),
            Cell::Real(value) => write!(self.text, "{value}"),
            Cell::Text(value) => self.text.write_str(value),
            Cell::Numbers(numbers) => numbers
                .iter()
                .enumerate()
                .try_for_each(|(index, number)| write!(self.text, "{}{number}", if index == 0 { "" } else { " " })),
        };
        self.record.push_field(self.text.as_bytes());
    }
}

/// Maximum size of a summary in the last line, in bytes.
const MAX_SUMMARY_BYTES: u64 = 1 << 16;

/// A line-based output that is being written.
pub struct LineOutput {
    output: Output,
    writer: RecordWriter,
    /// `true` if a record has been written.
    has_records: bool,
    line: Vec<u8>,
}

impl LineOutput {
    /// Starts an output, or continues one from an earlier run.
    ///
    /// # Errors
    /// Any error from writing the output.
    pub fn new(mut output: Output, writer: RecordWriter, left: &ResumePoint) -> Result<Self, AnalyzeError> {
        let has_records = left.records > 0;
        if has_records {
            output.write(writer.format().after_record().as_bytes())?;
        }
        Ok(Self { output, writer, has_records, line: Vec::new() })
    }
}

impl RecordSink for LineOutput {
    fn add(&mut self, frame: &CountedFrame) -> Result<(), AnalyzeError> {
        let format = self.writer.format();
        if std::mem::replace(&mut self.has_records, true) {
            self.output.write(format.before_next().as_bytes())?;
        } else {
            self.output.write(&self.writer.head().map_err(AnalyzeError::Output)?)?;
        }
        self.writer.line(frame, &mut self.line).map_err(AnalyzeError::Output)?;
        self.line.extend_from_slice(format.after_record().as_bytes());
        self.output.write(&self.line)
    }

    fn pause(&mut self) -> Result<(), AnalyzeError> {
        if self.output.is_live() { self.output.flush() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>, summary: &Summary) -> Result<(), AnalyzeError> {
        if self.has_records {
            self.output.write(self.writer.format().after_last().as_bytes())?;
        } else {
            self.output.write(&self.writer.head().map_err(AnalyzeError::Output)?)?;
        }
        self.output.write(&self.writer.tail(summary).map_err(AnalyzeError::Output)?)?;
        self.output.finish()
    }

    fn discard(self: Box<Self>) {
        self.output.discard();
    }
}

/// Recognises the format of a file from its first line.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn recognise(path: &Path) -> io::Result<Option<TextFormat>> {
    let mut line = Vec::new();
    BufReader::new(File::open(path)?).take(MAX_SUMMARY_BYTES).read_until(b'\n', &mut line)?;
    let text = String::from_utf8_lossy(&line);
    Ok(TextFormat::recognise(text.trim_end_matches('\n')))
}

/// Returns the position and text of a file's last line, without its line end. Returns `None` if the file does not end
/// with a line end.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn last_line(path: &Path) -> io::Result<Option<(u64, String)>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let start = length.saturating_sub(MAX_SUMMARY_BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let Some(text) = bytes.strip_suffix(b"\n") else { return Ok(None) };
    let begin = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    Ok(Some((start + begin as u64, String::from_utf8_lossy(&text[begin..]).into_owned())))
}

/// Counts the complete records of an unfinished output.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn scan(path: &Path, format: TextFormat) -> io::Result<ResumePoint> {
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut line = Vec::new();
    let mut at = 0_u64;
    let mut left = ResumePoint::default();
    let mut is_head = format != TextFormat::Jsonl;
    let mut columns = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        let Some(text) = line.strip_suffix(b"\n") else {
            // A truncated line may contain a whole record, but there is no proof.
            return Ok(left);
        };
        if std::mem::take(&mut is_head) {
            columns = String::from_utf8_lossy(text).split(',').map(str::to_owned).collect();
        } else {
            let text = text.strip_suffix(b",").filter(|_| format.has_array()).unwrap_or(text);
            let record = match format {
                TextFormat::Csv => csv_frame(text, &columns),
                _ => {
                    let record = serde_json::from_slice::<RecordedFrame>(text).ok();
                    record.map(|record| (record.frame, record.light()))
                }
            };
            let Some((number, light)) = record else { return Ok(left) };
            left.add(number, light.as_ref());
            left.bytes = at + text.len() as u64;
        }
        at += read as u64;
    }
}

/// Returns the number and the light of the frame in a line of a table.
fn csv_frame(text: &[u8], columns: &[String]) -> Option<(u64, Option<LightFigures>)> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text);
    let mut record = csv::ByteRecord::new();
    reader.read_byte_record(&mut record).ok().filter(|read| *read)?;
    let cell = |name: &str| std::str::from_utf8(record.get(columns.iter().position(|column| column == name)?)?).ok();
    let pixels = cell("count").and_then(|count| count.parse().ok()).unwrap_or(0);
    let light = recorded_light(pixels, |name| cell(&format!("{LIGHT_PREFIX}{name}"))?.parse().ok());
    Some((cell("frame")?.parse().ok()?, light))
}

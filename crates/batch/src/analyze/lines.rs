//! An output of lines: written record by record, and read back as far as it goes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::ending::AnalyzeError;
use super::format::{RecordWriter, TextFormat};
use super::left::Left;
use super::output::Output;
use super::pipeline::CountedFrame;
use super::record::RecordNumber;
use super::summary::Summary;

/// The most bytes of a last line that is a summary.
const MOST_SUMMARY_BYTES: u64 = 1 << 16;

/// An output of lines that is being written.
pub struct LineOutput {
    output: Output,
    writer: RecordWriter,
    /// Whether a record is there.
    has_records: bool,
    line: Vec<u8>,
}

impl LineOutput {
    /// Goes on behind what is left of an earlier run.
    ///
    /// # Errors
    /// As for any output.
    pub fn new(mut output: Output, writer: RecordWriter, left: &Left) -> Result<Self, AnalyzeError> {
        let has_records = left.records > 0;
        if has_records {
            output.write(writer.format().after_record().as_bytes())?;
        }
        Ok(Self { output, writer, has_records, line: Vec::new() })
    }

    /// Writes a frame's record.
    ///
    /// # Errors
    /// As for any output.
    pub fn add(&mut self, frame: &CountedFrame) -> Result<(), AnalyzeError> {
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

    /// Hands over what was written: a reader that waits for the newest record gets it now.
    ///
    /// # Errors
    /// As for any output.
    pub fn pause(&mut self) -> Result<(), AnalyzeError> {
        if self.output.is_live() { self.output.flush() } else { Ok(()) }
    }

    /// Ends the output.
    ///
    /// # Errors
    /// As for any output.
    pub fn finish(mut self, summary: &Summary) -> Result<(), AnalyzeError> {
        if self.has_records {
            self.output.write(self.writer.format().after_last().as_bytes())?;
        } else {
            self.output.write(&self.writer.head().map_err(AnalyzeError::Output)?)?;
        }
        self.output.write(&self.writer.tail(summary).map_err(AnalyzeError::Output)?)?;
        self.output.finish()
    }

    /// Leaves nothing.
    pub fn discard(self) {
        self.output.discard();
    }
}

/// The format of a file, by its first line.
///
/// # Errors
/// If it cannot be read.
pub fn recognise(path: &Path) -> io::Result<Option<TextFormat>> {
    let mut line = Vec::new();
    BufReader::new(File::open(path)?).take(MOST_SUMMARY_BYTES).read_until(b'\n', &mut line)?;
    let text = String::from_utf8_lossy(&line);
    Ok(TextFormat::recognise(text.trim_end_matches('\n')))
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
///
/// # Errors
/// If it cannot be read.
pub fn scan(path: &Path, format: TextFormat) -> io::Result<Left> {
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut line = Vec::new();
    let mut at = 0_u64;
    let mut left = Left::default();
    let mut is_head = format != TextFormat::Jsonl;
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
                TextFormat::Csv => csv_number(text, frame_column),
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

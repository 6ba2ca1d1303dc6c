//! How records are written, and an output of lines as a whole: what stands before the records, between them and behind them.

use std::fmt;
use std::io;

use super::cells::RowCells;
use super::ffprobe::FfprobeRecord;
use super::pipeline::CountedFrame;
use super::qctools::QctoolsWriter;
use super::record::Recorder;
use super::summary::Summary;
use histoscope_media::StreamInfo;

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// As text, one behind the other.
    Text(TextFormat),
    /// As columns, in a file of Parquet.
    Parquet,
}

impl Format {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text(format) => format.name(),
            Self::Parquet => "parquet",
        }
    }

    /// The ending of files of this format.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Text(TextFormat::Ffprobe) => "ffprobe.json",
            Self::Text(TextFormat::Qctools) => "qctools.xml.gz",
            other => other.name(),
        }
    }

    /// Whether an output is one object, and a second one cannot stand behind it.
    #[must_use]
    pub const fn is_one_object(self) -> bool {
        match self {
            Self::Text(format) => format.has_array() || matches!(format, TextFormat::Qctools),
            Self::Parquet => true,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How records are written as text, one behind the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TextFormat {
    /// A JSON object a line, the last of them the summary.
    #[default]
    Jsonl,
    /// A table with a header; a comment at its end where the records are not those of the whole file.
    Csv,
    /// One JSON object with the records in an array.
    Json,
    /// The object that `ffprobe -show_frames -of json` gives behind FFmpeg's signalstats filter.
    Ffprobe,
    /// The packed XML that QCTools opens.
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

    /// What stands behind a record whether or not another one follows.
    #[must_use]
    pub const fn after_record(self) -> &'static str {
        match self {
            Self::Jsonl | Self::Csv => "\n",
            Self::Json | Self::Ffprobe | Self::Qctools => "",
        }
    }

    /// What stands before every record but the first.
    #[must_use]
    pub const fn before_next(self) -> &'static str {
        if self.has_array() { ",\n" } else { "" }
    }

    /// What stands behind the last record.
    #[must_use]
    pub const fn after_last(self) -> &'static str {
        if self.has_array() { "\n" } else { "" }
    }

    /// Whether the records are an array's elements.
    #[must_use]
    pub const fn has_array(self) -> bool {
        matches!(self, Self::Json | Self::Ffprobe)
    }

    /// What stands behind the records and their last line's end.
    #[must_use]
    pub fn tail(self, summary: &Summary) -> String {
        // A structure of strings and numbers always becomes JSON.
        let text = serde_json::to_string(summary).unwrap_or_default();
        match self {
            Self::Jsonl => format!("{text}\n"),
            Self::Csv if summary.is_whole() => String::new(),
            Self::Csv => format!("# {text}\n"),
            Self::Json => format!("],\"summary\":{text}}}\n"),
            Self::Ffprobe => format!("],\"histoscope\":{text}}}\n"),
            // Its end is packed with the rest.
            Self::Qctools => String::new(),
        }
    }

    /// The summary in the last line of an output; `None` if there is none.
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

    /// The format of an output that begins with this line.
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

/// How a run's records become text: each a line, without the line's end.
pub struct RecordWriter {
    format: TextFormat,
    recorder: Recorder,
    row: RowCells,
    /// The report for QCTools, where that is what is written.
    report: Option<QctoolsWriter>,
}

impl RecordWriter {
    /// Writes the records of a run on that video in that format.
    #[must_use]
    pub fn new(format: TextFormat, recorder: Recorder, info: &StreamInfo) -> Self {
        let report = (format == TextFormat::Qctools).then(|| QctoolsWriter::new(info));
        Self { format, recorder, row: RowCells::default(), report }
    }

    /// The format.
    #[must_use]
    pub const fn format(&self) -> TextFormat {
        self.format
    }

    /// What stands before the records.
    ///
    /// # Errors
    /// If it cannot be packed, which no input causes.
    pub fn head(&mut self) -> io::Result<Vec<u8>> {
        if let Some(report) = &mut self.report {
            return report.head();
        }
        Ok(match self.format {
            TextFormat::Json => format!("{JSON_HEAD}\n"),
            TextFormat::Ffprobe => format!("{FFPROBE_HEAD}\n"),
            TextFormat::Csv => {
                let names: Vec<_> = self.recorder.fields().into_iter().map(|field| field.name).collect();
                // No name has a comma or a quotation mark.
                format!("{}\n", names.join(","))
            }
            TextFormat::Jsonl | TextFormat::Qctools => String::new(),
        }
        .into_bytes())
    }

    /// What stands behind the records and their last line's end.
    ///
    /// # Errors
    /// If it cannot be packed, which no input causes.
    pub fn tail(&mut self, summary: &Summary) -> io::Result<Vec<u8>> {
        match &mut self.report {
            // A structure of strings and numbers always becomes JSON.
            Some(report) => report.tail(
                summary.source.as_ref().map(|source| source.bytes),
                &serde_json::to_string(summary).unwrap_or_default(),
            ),
            None => Ok(self.format.tail(summary).into_bytes()),
        }
    }

    /// The line of a frame.
    ///
    /// # Errors
    /// If the record cannot be serialised, which no input causes.
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
        // The line's end is the caller's.
        line.pop();
        Ok(())
    }
}

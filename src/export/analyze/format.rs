//! The formats: what stands before the records, between them and behind them. A record is always one line.

use std::fmt;

use super::adjusting::Told;
use super::counter::Counting;
use super::pipeline::Counted;
use super::probe_frame::ProbeFrame;
use super::record::{Record, Row, columns};
use super::summary::Summary;
use crate::histogram::Components;

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// A JSON object a line, the last of them the summary.
    #[default]
    Jsonl,
    /// A table with a header; a comment at its end where the records are not those of the whole file.
    Csv,
    /// One JSON object with the records in an array.
    Json,
    /// The object that `ffprobe -show_frames -of json` gives behind FFmpeg's signalstats filter.
    Ffprobe,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Jsonl, Self::Csv, Self::Json, Self::Ffprobe];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Ffprobe => "ffprobe",
        }
    }

    /// The ending of files of this format.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Ffprobe => "ffprobe.json",
            other => other.name(),
        }
    }

    /// What stands before the records.
    #[must_use]
    pub fn head(self, counting: Counting, told: &Told, bins: bool) -> String {
        match self {
            Self::Jsonl => String::new(),
            Self::Json => format!("{}\n", JSON_HEAD),
            Self::Ffprobe => format!("{}\n", FFPROBE_HEAD),
            Self::Csv => {
                let components: &[Components] =
                    if counting.coded { &[Components::Rgbl, Components::YCbCr] } else { &[Components::Rgbl] };
                // No name has a comma or a quotation mark.
                format!("{}\n", columns(components, told, bins).join(","))
            }
        }
    }

    /// What stands behind a record whether or not another one follows.
    #[must_use]
    pub const fn after_record(self) -> &'static str {
        if self.has_array() { "" } else { "\n" }
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

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const JSON_HEAD: &str = "{\"schema\":1,\"frames\":[";
const FFPROBE_HEAD: &str = "{\"frames\":[";

/// Writes records as lines, without the lines' ends.
pub struct LineWriter<'a> {
    told: &'a Told,
    row: Row,
}

impl<'a> LineWriter<'a> {
    /// Writes records that say this of their adjustments.
    #[must_use]
    pub fn new(told: &'a Told) -> Self {
        Self { told, row: Row::default() }
    }

    /// The line of a frame.
    ///
    /// # Errors
    /// If the record cannot be serialised, which no input causes.
    pub fn line(
        &mut self,
        format: Format,
        input: &str,
        counted: &Counted,
        bins: bool,
        line: &mut Vec<u8>,
    ) -> std::io::Result<()> {
        line.clear();
        match format {
            Format::Jsonl | Format::Json => {
                serde_json::to_writer(line, &Record::new(input, self.told, counted, bins))?;
            }
            Format::Ffprobe => serde_json::to_writer(line, &ProbeFrame::new(counted))?,
            Format::Csv => {
                self.row.clear();
                Record::new(input, self.told, counted, bins).write_cells(&mut self.row);
                let mut writer = csv::WriterBuilder::new().buffer_capacity(1 << 12).from_writer(&mut *line);
                writer.write_byte_record(self.row.record())?;
                writer.flush()?;
                drop(writer);
                // The line's end is the caller's.
                line.pop();
            }
        }
        Ok(())
    }
}

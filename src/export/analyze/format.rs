//! An output as a whole: what stands before the records, between them and behind them, and the records as lines.
//!
//! At its end an output says about the run which frames of which file were counted, how, and whether all of them are there.
//! Shares are joined, and runs continued, by it.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::counter::ScopeUse;
use super::pipeline::{Counted, Pipeline, Request};
use super::qctools::QctoolsWriter;
use super::record::{FfprobeRecord, FrameRecord, RowCells, TableShape};
use super::signal::SignalUse;
use crate::adjust::{Adjustments, Reduction};
use crate::export::figures::SCHEMA;
use crate::histogram::Components;
use crate::media::StreamInfo;

/// Bytes at the start and at the end of a file by which it is told from others.
const FINGERPRINT_BYTES: u64 = 1 << 16;

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
    /// The packed XML that QCTools opens.
    Qctools,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Jsonl, Self::Csv, Self::Json, Self::Ffprobe, Self::Qctools];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Ffprobe => "ffprobe",
            Self::Qctools => "qctools",
        }
    }

    /// The ending of files of this format.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Ffprobe => "ffprobe.json",
            Self::Qctools => "qctools.xml.gz",
            other => other.name(),
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

    /// Whether an output is one object, and a second one cannot stand behind it.
    #[must_use]
    pub const fn is_one_object(self) -> bool {
        self.has_array() || matches!(self, Self::Qctools)
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

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const JSON_HEAD: &str = "{\"schema\":1,\"frames\":[";
const FFPROBE_HEAD: &str = "{\"frames\":[";

/// How a run's records become text: each a line, without the line's end.
pub struct RecordWriter {
    format: Format,
    input: String,
    adjustments: Option<String>,
    components: &'static [Components],
    shape: TableShape,
    row: RowCells,
    /// The report for QCTools, where that is what is written.
    report: Option<QctoolsWriter>,
}

impl RecordWriter {
    /// Writes the records of a run on that video in that format; with `bins`, every bin too.
    #[must_use]
    pub fn new(format: Format, request: &Request, info: &StreamInfo, bins: bool) -> Self {
        let adjustments = &request.adjustments;
        let coded = request.counting.coded;
        let shape = TableShape {
            has_adjustments: !adjustments.is_off(),
            has_thresholds: matches!(adjustments.reduction, Some(Reduction::Otsu(_))),
            has_bins: bins,
            has_vectorscope: request.counting.scopes == ScopeUse::Saturation,
        };
        Self {
            format,
            input: display(&request.input),
            adjustments: adjustments_text(adjustments),
            components: if coded { &[Components::Rgbl, Components::YCbCr] } else { &[Components::Rgbl] },
            shape,
            row: RowCells::default(),
            report: (format == Format::Qctools).then(|| QctoolsWriter::new(info)),
        }
    }

    /// The format.
    #[must_use]
    pub const fn format(&self) -> Format {
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
            Format::Json => format!("{JSON_HEAD}\n"),
            Format::Ffprobe => format!("{FFPROBE_HEAD}\n"),
            Format::Csv => {
                let channels = self.components.iter().flat_map(|components| components.channel_names());
                // No name has a comma or a quotation mark.
                format!("{}\n", self.shape.names(channels.copied()).join(","))
            }
            Format::Jsonl | Format::Qctools => String::new(),
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
    pub fn line(&mut self, counted: &Counted, line: &mut Vec<u8>) -> io::Result<()> {
        line.clear();
        if let Some(report) = &mut self.report {
            line.extend(report.frame(counted)?);
            return Ok(());
        }
        if self.format == Format::Ffprobe {
            return Ok(serde_json::to_writer(line, &FfprobeRecord::new(counted))?);
        }
        let record = FrameRecord::new(&self.input, self.adjustments.as_deref(), counted, self.shape);
        if self.format != Format::Csv {
            return Ok(serde_json::to_writer(line, &record)?);
        }
        self.shape.fill(&record, &mut self.row);
        let mut writer = csv::WriterBuilder::new().buffer_capacity(1 << 12).from_writer(&mut *line);
        writer.write_byte_record(self.row.record())?;
        writer.flush()?;
        drop(writer);
        // The line's end is the caller's.
        line.pop();
        Ok(())
    }
}

/// A file's identity, cheap to learn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceIdentity {
    /// Its size.
    pub bytes: u64,
    /// A hash (64-bit FNV-1a) of its first and last 64 KiB.
    pub fingerprint: String,
}

impl SourceIdentity {
    /// The identity of a regular file; `None` for pipes, devices and URLs.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        let read = || -> io::Result<u64> {
            let mut file = File::open(path)?;
            let mut bytes = Vec::new();
            file.by_ref().take(FINGERPRINT_BYTES).read_to_end(&mut bytes)?;
            file.seek(SeekFrom::Start(metadata.len().saturating_sub(FINGERPRINT_BYTES)))?;
            file.take(FINGERPRINT_BYTES).read_to_end(&mut bytes)?;
            Ok(hash(&bytes))
        };
        let fingerprint = format!("{:016x}", read().ok()?);
        Some(Self { bytes: metadata.len(), fingerprint })
    }
}

/// 64-bit FNV-1a.
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Options that change what a record says. Runs that differ in one of them are not parts of one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOptions {
    /// "rgbl", or "rgbl+ycbcr".
    pub components: String,
    /// Whether all bins are told.
    pub bins: bool,
    /// Every how many frames one is counted.
    pub every: u64,
    /// Whether only key frames are.
    pub keyframes: bool,
    /// The region as it was stated.
    pub region: Option<String>,
    /// What black bars leave: x, y, width and height; absent where they were not looked for.
    pub bars_leave: Option<[u32; 4]>,
    /// The matrix that was forced on the video.
    pub matrix: Option<String>,
    /// The range that was forced on it.
    pub range: Option<String>,
    /// What was done to the pictures, in words; absent where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjustments: Option<String>,
    /// Scopes whose figures are told; absent where none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<String>,
}

impl RunOptions {
    /// The options of a run on a file that was opened.
    #[must_use]
    pub fn new(request: &Request, pipeline: &Pipeline, bins: bool) -> Self {
        let components = if request.counting.coded { "rgbl+ycbcr" } else { "rgbl" };
        Self {
            components: if request.counting.signal == SignalUse::None { components } else { "signalstats" }.to_owned(),
            bins,
            every: request.selection.every.get(),
            keyframes: request.selection.keyframes,
            region: request.selection.region.map(|region| region.to_string()),
            bars_leave: pipeline.bars().map(|bars| {
                let rect = bars.picture;
                [rect.x, rect.y, rect.width, rect.height]
            }),
            matrix: request.open.matrix.map(|matrix| matrix.name().to_owned()),
            range: request.open.range.map(|range| range.name().to_owned()),
            adjustments: adjustments_text(&request.adjustments),
            scopes: (request.counting.scopes == ScopeUse::Saturation).then(|| "vectorscope".to_owned()),
        }
    }
}

/// The end of an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Version of the records' shape.
    pub schema: u32,
    /// "summary".
    #[serde(rename = "type")]
    pub kind: String,
    /// The video as it was named.
    pub input: String,
    /// Which file that was.
    pub source: Option<SourceIdentity>,
    /// How it was counted.
    pub options: RunOptions,
    /// Number of records.
    pub frames: u64,
    /// Number of the first frame that was looked at.
    pub first_frame: u64,
    /// Number of the first frame after those that were looked at.
    pub end_frame: u64,
    /// Whether the last of them is the video's last.
    pub reached_end: bool,
    /// Whether every frame that was asked for, and that the file promises, is there.
    pub complete: bool,
    /// Why not.
    pub reason: Option<String>,
}

impl Summary {
    /// The summary of a run that has not begun.
    #[must_use]
    pub fn new(input: &Path, options: RunOptions) -> Self {
        Self {
            schema: SCHEMA,
            kind: "summary".to_owned(),
            input: display(input),
            source: SourceIdentity::of(input),
            options,
            frames: 0,
            first_frame: 0,
            end_frame: 0,
            reached_end: false,
            complete: true,
            reason: None,
        }
    }

    /// Whether there is nothing to say that the records do not say by themselves.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.complete && self.first_frame == 0 && self.reached_end
    }
}

/// A file's name in records, on one line whatever it contains.
pub(super) fn display(path: &Path) -> String {
    path.display().to_string().replace(['\n', '\r'], " ")
}

/// What was done to the pictures, in words; `None` where nothing was.
fn adjustments_text(adjustments: &Adjustments) -> Option<String> {
    (!adjustments.is_off()).then(|| adjustments.to_string())
}

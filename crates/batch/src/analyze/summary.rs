//! What an output says of its run at its end: which frames of which file were counted, how, and whether all of them are
//! there. Shares are joined, and runs continued, by it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::comparison::Against;
use super::comparison::ComparisonSummary;
use super::counter::ScopeUse;
use super::pipeline::{Pipeline, Request};
use super::signal::SignalUse;
use crate::fields::SCHEMA;
use histoscope_core::adjust::Adjustments;
use histoscope_core::picture::crop::CroppingChoice;
use histoscope_core::text::public;

/// Bytes at the start and at the end of a file by which it is told from others.
const FINGERPRINT_BYTES: u64 = 1 << 16;

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
    /// "rgbl", "rgbl+ycbcr", or "ycbcr" where there is no R'G'B'.
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
    /// The lines that were forced to share a chroma row; absent where none were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chroma_lines: Option<String>,
    /// The field that was counted alone; absent where frames were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Which of the file's croppings are applied; absent where all are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cropping: Option<String>,
    /// The video track that was asked for; absent where none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<u32>,
    /// Whether a picture was opened as its whole sequence; absent where not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sequence: bool,
    /// The frame rate that was asked for of numbered pictures; absent where none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_rate: Option<String>,
    /// What was done to the pictures, in words; absent where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjustments: Option<String>,
    /// Scopes whose figures are told; absent where none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<String>,
    /// The file that frames are compared with; absent where they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<AgainstOptions>,
}

/// With what frames are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgainstOptions {
    /// The file as it was named.
    pub input: String,
    /// Which file that was.
    pub source: Option<SourceIdentity>,
    /// What is added to a frame's number for that of its partner.
    pub offset: i64,
}

impl AgainstOptions {
    fn of(against: &Against) -> Self {
        let Against { input, offset, .. } = against;
        Self { input: display(input), source: SourceIdentity::of(input), offset: *offset }
    }
}

impl RunOptions {
    /// The options of a run on a file that was opened.
    #[must_use]
    pub fn new(request: &Request, pipeline: &Pipeline, bins: bool) -> Self {
        let components = match (request.counting.rgbl, request.counting.coded) {
            (true, true) => "rgbl+ycbcr",
            (false, true) => "ycbcr",
            _ => "rgbl",
        };
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
            chroma_lines: request.open.chroma_lines.map(|lines| lines.name().to_owned()),
            field: request.open.field.map(|field| field.name().to_owned()),
            cropping: Some(request.open.cropping)
                .filter(|cropping| *cropping != CroppingChoice::All)
                .map(|cropping| cropping.name().to_owned()),
            track: request.open.track,
            sequence: request.open.sequence,
            frame_rate: request.open.frame_rate.map(|rate| format!("{}/{}", rate.num, rate.den)),
            adjustments: adjustments_text(&request.adjustments),
            scopes: (request.counting.scopes == ScopeUse::Saturation).then(|| "vectorscope".to_owned()),
            against: request.against.as_ref().map(AgainstOptions::of),
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
    /// What the comparison of the frames gave; absent where they are not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ComparisonSummary>,
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
            comparison: None,
        }
    }

    /// Whether there is nothing to say that the records do not say by themselves.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.complete && self.first_frame == 0 && self.reached_end
    }
}

/// A file's name in records: on one line whatever it contains, without a password, and nothing that a spreadsheet would take
/// for a formula. A name that begins like one gets `./` before it, which is the same file.
pub(super) fn display(path: &Path) -> String {
    let text = public(path).display().to_string().replace(['\n', '\r'], " ");
    let is_like_formula = text.starts_with(['=', '+', '-', '@', '\t']) && text != "-";
    if is_like_formula { format!("./{text}") } else { text }
}

/// What was done to the pictures, in words; `None` where nothing was.
pub(super) fn adjustments_text(adjustments: &Adjustments) -> Option<String> {
    (!adjustments.is_off()).then(|| adjustments.to_string())
}

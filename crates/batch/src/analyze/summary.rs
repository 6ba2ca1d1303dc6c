//! The summary at the end of an output: which frames of which file were counted, how, and whether all of them are
//! there. `merge` joins shares and `--resume` continues runs by it.

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

/// Bytes at the start and at the end of a file that identify it.
const FINGERPRINT_BYTES: u64 = 1 << 16;

/// A file's identity that is cheap to compute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceIdentity {
    /// Its size.
    pub bytes: u64,
    /// A hash (64-bit FNV-1a) of its first and last 64 KiB.
    pub fingerprint: String,
}

impl SourceIdentity {
    /// Returns the identity of a regular file; `None` for pipes, devices and URLs.
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

/// Options that affect records. Runs that differ in one of them are not parts of one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOptions {
    /// "rgbl", "rgbl+ycbcr", or "ycbcr" without R'G'B'.
    pub components: String,
    /// True if all bins are listed.
    pub bins: bool,
    /// Only frames whose number is a multiple of this are counted.
    pub every: u64,
    /// True if only keyframes are counted.
    pub keyframes: bool,
    /// The region as it was stated.
    pub region: Option<String>,
    /// The rectangle between black bars: x, y, width and height; absent unless they were looked for.
    pub bars_leave: Option<[u32; 4]>,
    /// The matrix that overrides the video's.
    pub matrix: Option<String>,
    /// The range that overrides the video's.
    pub range: Option<String>,
    /// The lines that share a chroma row, if overridden; otherwise absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chroma_lines: Option<String>,
    /// The field that was counted alone; absent for whole frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The choice among the file's croppings; absent if all are applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cropping: Option<String>,
    /// The video track that was asked for; otherwise absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<u32>,
    /// True if a picture was opened as a whole sequence; otherwise absent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sequence: bool,
    /// The frame rate that was asked for numbered pictures; otherwise absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_rate: Option<String>,
    /// The adjustments in words; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjustments: Option<String>,
    /// Scopes whose figures are in the records; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<String>,
    /// The file that frames are compared with; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<AgainstOptions>,
}

/// The file that frames are compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgainstOptions {
    /// The file as it was named.
    pub input: String,
    /// Its identity.
    pub source: Option<SourceIdentity>,
    /// The difference from a frame's number to that of its partner.
    pub offset: i64,
}

impl AgainstOptions {
    fn of(against: &Against) -> Self {
        let Against { input, offset, .. } = against;
        Self { input: display(input), source: SourceIdentity::of(input), offset: *offset }
    }
}

impl RunOptions {
    /// Returns the options of a run on an open file.
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

/// The summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Version of the records' shape.
    pub schema: u32,
    /// "summary".
    #[serde(rename = "type")]
    pub kind: String,
    /// The video as it was named.
    pub input: String,
    /// Its identity.
    pub source: Option<SourceIdentity>,
    /// The options.
    pub options: RunOptions,
    /// Number of records.
    pub frames: u64,
    /// Number of the first frame that was examined.
    pub first_frame: u64,
    /// Number of the first frame after the last one that was examined.
    pub end_frame: u64,
    /// True if the last of them is the video's last.
    pub reached_end: bool,
    /// True if every frame that was asked for, and that the file should have, is there.
    pub complete: bool,
    /// The reason why it is not complete.
    pub reason: Option<String>,
    /// The totals of the comparisons; absent if frames are not compared.
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

    /// Returns `true` if the summary adds nothing to the records.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.complete && self.first_frame == 0 && self.reached_end
    }
}

/// Returns a file's name for records: on one line, without a password, and not mistaken for a formula by a
/// spreadsheet. A name that begins like a formula gets the prefix `./`, which stands for the same file.
pub(super) fn display(path: &Path) -> String {
    let text = public(path).display().to_string().replace(['\n', '\r'], " ");
    let is_like_formula = text.starts_with(['=', '+', '-', '@', '\t']) && text != "-";
    if is_like_formula { format!("./{text}") } else { text }
}

/// Returns the adjustments in words; `None` without any.
pub(super) fn adjustments_text(adjustments: &Adjustments) -> Option<String> {
    (!adjustments.is_off()).then(|| adjustments.to_string())
}

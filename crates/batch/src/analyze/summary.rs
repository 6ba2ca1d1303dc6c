//! The summary at the end of an output. It states which frames of which file were counted, how, and whether the output
//! is complete. `merge` uses it to join shares, `--resume` to continue runs.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::comparison::Against;
use super::comparison::ComparisonSummary;
use super::counter::ScopeUse;
use super::light::{LightSummary, LightUse};
use super::pipeline::{AudioUse, Pipeline, Request};
use super::signal::SignalUse;
use super::stated_light::StatedLightSummary;
use crate::fields::SCHEMA;
use histoscope_core::adjust::Adjustments;
use histoscope_core::picture::crop::CroppingChoice;
use histoscope_core::picture::luminance::{LuminanceWeights, WeightsChoice};
use histoscope_core::sound::SoundSummary;
use histoscope_core::text::public;

/// Number of bytes hashed at the start and at the end of a file to identify it.
const FINGERPRINT_BYTES: u64 = 1 << 16;

/// A file's identity, cheap to compute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceIdentity {
    /// Size of the file.
    pub bytes: u64,
    /// Hash (64-bit FNV-1a) of the file's first and last 64 KiB.
    pub fingerprint: String,
}

impl SourceIdentity {
    /// Returns the identity of a regular file, or `None` for pipes, devices and URLs.
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

/// Computes the 64-bit FNV-1a hash.
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Options that affect records. Outputs of runs that differ in any of these cannot be joined or continued.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOptions {
    /// "rgbl", "ycbcr", "rgbl+ycbcr", or "signalstats".
    pub components: String,
    /// `true` if all bins are listed.
    pub bins: bool,
    /// Count only frames whose number is a multiple of this.
    pub every: u64,
    /// `true` to count only keyframes.
    pub keyframes: bool,
    /// The region as specified by the user.
    pub region: Option<String>,
    /// The rectangle between the black bars: x, y, width and height. `None` if bars were not searched for.
    pub bars_leave: Option<[u32; 4]>,
    /// The matrix that overrides the video's, if any.
    pub matrix: Option<String>,
    /// The range that overrides the video's, if any.
    pub range: Option<String>,
    /// The weights of luminance; absent if they are the usual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luminance_weights: Option<String>,
    /// The lines that share a chroma row, if overridden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chroma_lines: Option<String>,
    /// The field to count; absent for whole frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Which of the file's croppings to apply; absent if all are applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cropping: Option<String>,
    /// The requested video track, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<u32>,
    /// The requested layer of EXR pictures, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// `true` if a picture file was opened as a sequence of numbered pictures; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sequence: bool,
    /// The frame rate requested for numbered pictures, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_rate: Option<String>,
    /// A description of the adjustments, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjustments: Option<String>,
    /// The scopes whose figures are in the records, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<String>,
    /// How light is measured, in words, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub light: Option<String>,
    /// `true` if the sound is measured; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub audio: bool,
    /// The file that frames are compared with, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<AgainstOptions>,
}

/// The file that frames are compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgainstOptions {
    /// The file as named by the user.
    pub input: String,
    /// The file's identity.
    pub source: Option<SourceIdentity>,
    /// The number of a frame's partner minus its own number.
    pub offset: i64,
    /// How much later than its pictures the file has its sound, in milliseconds, if that was found with the offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sound_ms: Option<i64>,
}

impl AgainstOptions {
    fn of(against: &Against) -> Self {
        let Against { input, offset, sound_ms, .. } = against;
        Self { input: display(input), source: SourceIdentity::of(input), offset: *offset, sound_ms: *sound_ms }
    }
}

impl RunOptions {
    /// Creates the options of a run on an open file.
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
            luminance_weights: Some(request.open.luminance_weights)
                .filter(|weights| *weights != WeightsChoice::default())
                .map(|weights| weights.name().to_owned()),
            chroma_lines: request.open.chroma_lines.map(|lines| lines.name().to_owned()),
            field: request.open.field.map(|field| field.name().to_owned()),
            cropping: Some(request.open.cropping)
                .filter(|cropping| *cropping != CroppingChoice::All)
                .map(|cropping| cropping.name().to_owned()),
            track: request.open.track,
            layer: request.open.layer.clone(),
            sequence: request.open.sequence,
            frame_rate: request.open.frame_rate.map(|rate| format!("{}/{}", rate.num, rate.den)),
            adjustments: adjustments_text(&request.adjustments),
            scopes: (request.counting.scopes == ScopeUse::Saturation).then(|| "vectorscope".to_owned()),
            light: request.counting.light.map(LightUse::in_words),
            audio: request.audio != AudioUse::No,
            against: request.against.as_ref().map(AgainstOptions::of),
        }
    }
}

/// The summary of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Version of the record schema.
    pub schema: u32,
    /// Always "summary".
    #[serde(rename = "type")]
    pub kind: String,
    /// The video as named by the user.
    pub input: String,
    /// The video's identity.
    pub source: Option<SourceIdentity>,
    /// The run's options.
    pub options: RunOptions,
    /// The weights of luminance in the first frame, in words; absent if it is not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luminance: Option<String>,
    /// Number of records.
    pub frames: u64,
    /// Number of the first examined frame.
    pub first_frame: u64,
    /// Number after that of the last examined frame.
    pub end_frame: u64,
    /// `true` if the end of the video was reached.
    pub reached_end: bool,
    /// `true` if no requested frame that the file should have is missing.
    pub complete: bool,
    /// The reason the output is not complete, if so.
    pub reason: Option<String>,
    /// The decoder, if hardware was allowed to decode: FFmpeg's name with the kind of hardware in parentheses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoder: Option<String>,
    /// The totals of the comparison; absent if frames are not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ComparisonSummary>,
    /// The sound; absent unless it is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audio: Option<SoundSummary>,
    /// The light of the frames; absent unless it is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub light: Option<LightSummary>,
    /// What the file states about its light; absent unless light is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_light: Option<StatedLightSummary>,
}

impl Summary {
    /// Creates the summary of a run that has not begun.
    #[must_use]
    pub fn new(input: &Path, options: RunOptions, luminance: LuminanceWeights) -> Self {
        Self {
            schema: SCHEMA,
            kind: "summary".to_owned(),
            input: display(input),
            source: SourceIdentity::of(input),
            luminance: options.components.starts_with("rgbl").then(|| luminance.to_string()),
            options,
            frames: 0,
            first_frame: 0,
            end_frame: 0,
            reached_end: false,
            complete: true,
            reason: None,
            decoder: None,
            comparison: None,
            audio: None,
            light: None,
            stated_light: None,
        }
    }

    /// Returns `true` if the records cover the whole file, so that the summary adds nothing.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.complete && self.first_frame == 0 && self.reached_end
    }
}

/// Returns a file's name for records: on one line, without a password, and never mistaken for a formula by a
/// spreadsheet. A name that begins like a formula is prefixed with `./`, which denotes the same file.
pub(super) fn display(path: &Path) -> String {
    let text = public(path).display().to_string().replace(['\n', '\r'], " ");
    let is_like_formula = text.starts_with(['=', '+', '-', '@', '\t']) && text != "-";
    if is_like_formula { format!("./{text}") } else { text }
}

/// Returns a description of the adjustments, or `None` if there are none.
pub(super) fn adjustments_text(adjustments: &Adjustments) -> Option<String> {
    (!adjustments.is_off()).then(|| adjustments.exact_text())
}

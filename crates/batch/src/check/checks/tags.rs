//! Tags that are missing or contradict each other.

use crate::check::row::{Check, CountedFile, Finder, Found, no_limit};
use crate::fields::FrameDescription;
use histoscope_core::picture::color::{Matrix, Origin};
use histoscope_media::StreamInfo;

/// Tags of the colours that are missing or contradict each other.
pub static TAGS: Check =
    Check { name: "tags", place: 13, threshold: None, has_length: false, limit: no_limit, start: |_| Box::new(Tags) };

struct Tags;

impl Finder for Tags {
    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        let outcome = &file.counted.outcome;
        let frames = outcome.reached_end.then_some(outcome.frames.end);
        faults(&file.counted.info, &file.counted.first, frames).into_iter().map(Found::in_file).collect()
    }
}

/// Transfer functions of high dynamic range, as FFmpeg names them.
const HIGH_RANGE: [&str; 2] = ["smpte2084", "arib-std-b67"];
/// Primaries of a wide gamut, as FFmpeg names them.
const WIDE: [&str; 3] = ["bt2020", "smpte431", "smpte432"];

/// Returns what is wrong with the tags of a video, one phrase each. `frames` is the number of frames of the whole file,
/// if it was read to its end.
fn faults(info: &StreamInfo, first: &FrameDescription, frames: Option<u64>) -> Vec<String> {
    let color = &first.interpretation.colorimetry;
    let source = &first.facts.source;
    let is_rgb = color.matrix.value == Matrix::Identity;
    let missing = [
        ("matrix", color.matrix.origin == Origin::Guessed && !is_rgb),
        ("range", color.range.origin == Origin::Guessed && !is_rgb),
        ("transfer", source.transfer.is_none()),
        ("primaries", source.primaries.is_none()),
    ];
    let missing: Vec<_> = missing.into_iter().filter(|(_, is_missing)| *is_missing).map(|(name, _)| name).collect();
    let mut faults = Vec::new();
    if !missing.is_empty() {
        faults.push(format!("not tagged: {}", missing.join(", ")));
    }
    let matrix = Some(color.matrix).filter(|matrix| matrix.origin == Origin::Tagged).map(|matrix| matrix.value);
    faults.extend(contradictions(matrix, source.primaries, source.transfer));
    faults.extend(info.contradictions.iter().cloned());
    faults.extend(info.unreadable_matrix.map(|matrix| format!("{matrix}: nothing that needs R'G'B' was checked")));
    if info.stated_size != info.coded_size {
        let [(a, b), (c, d)] = [info.stated_size, info.coded_size];
        faults.push(format!("the header states {a}×{b} pixels, the frames have {c}×{d}"));
    }
    if let (Some(stated), Some(frames)) = (info.stated_frames, frames)
        && stated != frames
    {
        faults.push(format!("the header states {stated} frames, the file has {frames}"));
    }
    faults
}

/// Returns the contradictions of these tags.
fn contradictions(matrix: Option<Matrix>, primaries: Option<&str>, transfer: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    if let (Some(matrix), Some(primaries)) = (matrix, primaries) {
        let is_wide = primaries == "bt2020";
        let contradicts = match matrix {
            Matrix::Bt2020 => !WIDE.contains(&primaries),
            Matrix::Bt709 | Matrix::Bt601 => is_wide,
            _ => false,
        };
        if contradicts {
            found.push(format!("the matrix {matrix} contradicts the primaries {primaries}"));
        }
    }
    if let (Some(primaries), Some(transfer)) = (primaries, transfer)
        && HIGH_RANGE.contains(&transfer)
        && !WIDE.contains(&primaries)
    {
        found.push(format!("the transfer {transfer} contradicts the primaries {primaries}"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_are_named() {
        let of = |matrix, primaries, transfer| contradictions(Some(matrix), Some(primaries), Some(transfer)).len();
        assert_eq!(of(Matrix::Bt709, "bt709", "bt709"), 0);
        assert_eq!(of(Matrix::Bt2020, "bt2020", "smpte2084"), 0);
        assert_eq!(of(Matrix::Bt2020, "smpte432", "arib-std-b67"), 0);
        assert_eq!(of(Matrix::Bt709, "bt2020", "bt709"), 1);
        assert_eq!(of(Matrix::Bt2020, "bt709", "smpte2084"), 2);
        assert_eq!(contradictions(None, None, Some("smpte2084")), [""; 0]);
    }
}

//! Counting a file to its end, for a report or a check: its clip, thumbnails, and what was counted.

use std::ops::ControlFlow;

use super::clip::{Clip, ClipBuilder, FramePlace, SoundLevels};
use super::content::{Report, facts};
use super::thumbnails::Thumbnails;
use super::times::{time, whole};
use crate::analyze::AnalyzeError;
use crate::analyze::pipeline::{CountedFrame, Pipeline, RunOutcome};
use crate::fields::FrameDescription;
use histoscope_core::histogram::Components;
use histoscope_core::text::{file_name, shown};
use histoscope_core::tone_map::SourceLight;
use histoscope_media::{MediaFault, StreamInfo};

/// What counting a file has collected.
pub struct Gathered {
    /// Facts about the video.
    pub info: StreamInfo,
    /// The components counted.
    pub components: Components,
    /// The clip.
    pub clip: Clip,
    /// The clip's first frame.
    pub first: FrameDescription,
    /// The thumbnails, if the pipeline makes any.
    pub thumbnails: Thumbnails,
    /// The result of the run.
    pub outcome: RunOutcome,
}

/// Returns the components that a pipeline counts for a clip.
pub const fn components_of(pipeline: &Pipeline) -> Components {
    if pipeline.counting().rgbl { Components::Rgbl } else { Components::YCbCr }
}

/// Counts a file. `each` is called with every frame; if it breaks, that frame is the last. Returns `None` if the run
/// was asked to stop before a frame was counted.
///
/// # Errors
/// [`AnalyzeError`] if the video cannot be read or counted, or has no frame.
pub fn gather(
    pipeline: Pipeline,
    mut clip: ClipBuilder,
    each: &mut dyn FnMut(&CountedFrame) -> ControlFlow<()>,
) -> Result<Option<Gathered>, AnalyzeError> {
    let (info, components) = (pipeline.info().clone(), components_of(&pipeline));
    let rate = info.timecodes.map(|timecodes| timecodes.rate);
    let (mut thumbnails, mut first) = (Thumbnails::default(), None);
    let outcome = pipeline.run(&mut |counted| {
        let flow = each(&counted);
        let CountedFrame { number, frame, counts, thumbnail, inspected, audio, .. } = counted;
        if let Some(histogram) = counts.rgbl.or(counts.coded) {
            let place = FramePlace {
                number,
                time_secs: frame.facts.time_secs,
                duration_secs: frame.facts.duration_secs,
                range: frame.interpretation.colorimetry.range.value,
                timecode: frame.facts.timecode.zip(rate),
                difference: inspected.difference,
                sound: audio.as_ref().map(SoundLevels::of).unwrap_or_default(),
            };
            clip.add(place, &histogram);
            thumbnails.add(number, thumbnail, inspected.begins, &clip);
            first.get_or_insert(frame);
        }
        flow
    })?;
    match (clip.finish(), first, &outcome.ended_early) {
        (Some(clip), Some(first), _) => {
            thumbnails.finish(&clip);
            Ok(Some(Gathered { info, components, clip, first, thumbnails, outcome }))
        }
        _ if outcome.stopped => Ok(None),
        (.., Some(reason)) => {
            let (path, reason) = (info.path, reason.clone());
            Err(MediaFault::Failed { action: "reading the frames", reason }.of(path).into())
        }
        _ => Err(AnalyzeError::NothingCounted(shown(&info.path))),
    }
}

impl Gathered {
    /// Returns the content of a report. Its notes on the counts follow `notes`.
    pub fn into_report(self, mut notes: Vec<String>) -> Report {
        let Self { info, components, clip, first, thumbnails, outcome } = self;
        notes.extend(notes_on(&outcome, clip.left_out, clip.end_secs));
        Report {
            name: file_name(&info.path),
            facts: facts(&info, &first, components, &outcome.counted_by),
            notes,
            clip,
            light: SourceLight::of(&first.facts.source).scale(),
            thumbnails,
            scopes: outcome.scopes,
            sound: outcome.audio,
            check: None,
        }
    }
}

/// Returns the notes required to interpret the counts.
fn notes_on(outcome: &RunOutcome, left_out: u64, end_secs: f64) -> Vec<String> {
    let mut notes = Vec::new();
    if outcome.stopped {
        notes.push(format!("Partial: counting was stopped at {}.", time(end_secs)));
    }
    if let Some(reason) = &outcome.ended_early {
        notes.push(format!("Incomplete: {reason}."));
    }
    notes.extend(outcome.unheard.iter().map(|fault| format!("Sound that could not be read: {fault}.")));
    let decoder = &outcome.decoder;
    for (count, what) in [
        (decoder.damaged, "Damaged frames, counted as decoded"),
        (decoder.refused_packets, "Packets refused by the decoder"),
        (decoder.unusable, "Frames left out because they could not be read as pictures"),
        (left_out, "Frames with a different bit depth, shown in the charts but not in the table"),
    ] {
        if count > 0 {
            notes.push(format!("{what}: {}.", whole(count)));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_state_what_is_missing() {
        assert_eq!(notes_on(&RunOutcome::default(), 0, 9.0), [""; 0]);
        let mut outcome =
            RunOutcome { stopped: true, ended_early: Some("it ends after 3 s of 9 s".into()), ..RunOutcome::default() };
        outcome.decoder.damaged = 2;
        let notes = notes_on(&outcome, 1, 3.5).join(" ");
        for part in [
            "Partial: counting was stopped at 0:03.500",
            "Incomplete: it ends after 3 s",
            "Damaged frames, counted as decoded: 2.",
            "Frames with a different bit depth, shown in the charts but not in the table: 1.",
        ] {
            assert!(notes.contains(part), "{part}: {notes}");
        }
    }
}

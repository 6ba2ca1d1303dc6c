//! Making a report from a file.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::clip::{ClipBuilder, FramePlace};
use super::content::{Report, facts, light_facts};
use super::page::page;
use super::shots::{self, ShotLights};
use super::thumbnails::Thumbnails;
use super::times::{time, whole};
use crate::analyze::AnalyzeError;
use crate::analyze::counter::ScopeUse;
use crate::analyze::inspection::Inspection;
use crate::analyze::light::LightSummary;
use crate::analyze::overview::{Progress, announce};
use crate::analyze::pipeline::{CountedFrame, Pipeline, Request, RunOutcome};
use crate::analyze::stated_light::StatedLightSummary;
use crate::analyze::thumbnails::ThumbnailUse;
use crate::fields::FrameDescription;
use crate::file::{FileError, check_output, write_whole};
use histoscope_core::histogram::Components;
use histoscope_core::scopes::{ScopeChoice, ScopeSums};
use histoscope_core::strip::FindingLimits;
use histoscope_core::text::{file_name, shown};
use histoscope_core::tone_map::SourceLight;
use histoscope_media::{MediaError, StreamInfo};

/// Options for a report, besides those for reading the video.
#[derive(Debug, Clone)]
pub struct ReportOptions {
    /// The components to show. The request must count them.
    pub components: Components,
    /// The minimum distance between frames that may be a cut, as a fraction of the scale.
    pub cut_threshold: f64,
    /// The pages to write.
    pub outputs: Vec<PathBuf>,
    /// The file for the table of shots, if requested.
    pub shots: Option<PathBuf>,
    /// `true` to hide the progress bar.
    pub quiet: bool,
}

/// The result of making a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// The report shows everything that was requested.
    Complete,
    /// The file ended early, for this reason. The report shows what could be read.
    EndedEarly(String),
    /// The run was asked to stop. The report shows what was counted by then.
    Stopped,
    /// The run was asked to stop before a frame was counted, and nothing was written.
    StoppedBeforeFirst,
}

/// Counts the clip and writes its report to all outputs.
///
/// # Errors
/// [`AnalyzeError`] if the video cannot be read or counted, or a report cannot be written. An output that could not be
/// written is left unchanged.
pub fn run(mut request: Request, options: &ReportOptions) -> Result<Finished, AnalyzeError> {
    for output in options.outputs.iter().chain(&options.shots) {
        check_output(output, &request.input)?;
    }
    let (wanted, light_use) = (request.counting.scopes, request.counting.light);
    request.inspection = Inspection::Repeats;
    request.thumbnails = (!options.outputs.is_empty()).then_some(ThumbnailUse {
        cut_threshold: options.cut_threshold,
        clipped_share: FindingLimits::default().clipped_share,
    });
    let pipeline = Pipeline::open(request)?;
    let info = pipeline.info().clone();
    let components = if pipeline.counting().rgbl { Components::Rgbl } else { Components::YCbCr };
    let mut notes = info.notes.clone();
    notes.extend(pipeline.bars().map(|bars| format!("{bars}.")));
    let Gathered { clip, mut thumbnails, first, light, mut outcome } = gather(pipeline, options)?;
    let (Some(clip), Some(first)) = (clip.finish(), first) else {
        if outcome.stopped {
            return Ok(Finished::StoppedBeforeFirst);
        }
        return Err(nothing(&info, &outcome));
    };
    thumbnails.finish(&clip);
    notes.extend(notes_on(&outcome, clip.left_out, clip.end_secs));
    notes.extend(notes_on_scopes(&outcome.scopes, wanted));
    let mut facts = facts(&info, &first, components, &outcome.counted_by);
    if let Some(ClipLight { summary, .. }) = &light {
        let mut stated = StatedLightSummary::of(&info.stated_light);
        stated.judge(summary);
        facts.extend(light_facts(summary, &stated));
    }
    let source = &first.facts.source;
    let scale = light_use.map_or_else(|| SourceLight::of(source).scale(), |light| light.scale(source.transfer));
    let report = Report {
        name: file_name(&info.path),
        facts,
        notes,
        clip,
        light: scale,
        thumbnails,
        scopes: std::mem::take(&mut outcome.scopes),
        check: None,
    };
    for output in &options.outputs {
        let text = page(&report).map_err(|source| FileError::Png { path: output.clone(), source })?;
        write_whole(output, text.as_bytes())?;
    }
    if let Some(output) = &options.shots {
        let lights = light.as_ref().map(|light| &light.frames);
        let text = shots::written(&report.clip, lights, (&report.name, is_json(output)));
        write_whole(output, text.as_bytes())?;
    }
    let written: Vec<_> = options.outputs.iter().chain(&options.shots).map(|path| path.display().to_string()).collect();
    announce(&format!("wrote {}", written.join(" and ")), options.quiet);
    Ok(match outcome.ended_early {
        _ if outcome.stopped => Finished::Stopped,
        Some(reason) => Finished::EndedEarly(reason),
        None => Finished::Complete,
    })
}

/// The measured light of a clip.
struct ClipLight {
    summary: LightSummary,
    /// The frames, if shots are written.
    frames: ShotLights,
}

/// Returns `true` if the shots are to be written as JSON.
fn is_json(output: &Path) -> bool {
    output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// The data collected by counting a clip.
struct Gathered {
    clip: ClipBuilder,
    thumbnails: Thumbnails,
    first: Option<FrameDescription>,
    light: Option<ClipLight>,
    outcome: RunOutcome,
}

fn gather(pipeline: Pipeline, options: &ReportOptions) -> Result<Gathered, AnalyzeError> {
    let name = shown(&pipeline.info().path);
    let mut progress = Progress::new(&name, pipeline.span_secs(), options.quiet);
    let components = if pipeline.counting().rgbl { Components::Rgbl } else { Components::YCbCr };
    let mut clip = ClipBuilder::new(components, options.cut_threshold);
    if options.shots.is_some() {
        clip = clip.keeping_all_cuts();
    }
    let rate = pipeline.info().timecodes.map(|timecodes| timecodes.rate);
    let (mut thumbnails, mut first) = (Thumbnails::default(), None);
    let mut light = pipeline
        .counting()
        .light
        .map(|_| ClipLight { summary: LightSummary::default(), frames: ShotLights::default() });
    let outcome = pipeline.run(&mut |CountedFrame { number, frame, counts, thumbnail, inspected, .. }| {
        let histogram = match components {
            Components::Rgbl => counts.rgbl,
            Components::YCbCr => counts.coded,
        };
        if let Some(histogram) = histogram {
            let place = FramePlace {
                number,
                time_secs: frame.facts.time_secs,
                duration_secs: frame.facts.duration_secs,
                range: frame.interpretation.colorimetry.range.value,
                timecode: frame.facts.timecode.zip(rate),
                repeats: inspected.repeats,
            };
            clip.add(place, &histogram);
            if let Some(ClipLight { summary, frames }) = &mut light {
                summary.add_frame(number, counts.light.as_ref());
                if let (Some(figures), true) = (&counts.light, options.shots.is_some()) {
                    frames.add(number, figures);
                }
            }
            thumbnails.add(number, thumbnail, inspected.begins, &clip);
            progress.frame(frame.facts.time_secs);
            first.get_or_insert(frame);
        }
        ControlFlow::Continue(())
    });
    progress.finish();
    Ok(Gathered { clip, thumbnails, first, light, outcome: outcome? })
}

/// Returns the error if there is no frame to report on.
pub(crate) fn nothing(info: &StreamInfo, outcome: &RunOutcome) -> AnalyzeError {
    match &outcome.ended_early {
        Some(reason) => {
            let (path, reason) = (info.path.clone(), reason.clone());
            MediaError::Failed { path, action: "reading the frames", reason }.into()
        }
        None => AnalyzeError::NothingCounted(shown(&info.path)),
    }
}

/// Returns the notes required to interpret the counts.
pub(crate) fn notes_on(outcome: &RunOutcome, left_out: u64, end_secs: f64) -> Vec<String> {
    let mut notes = Vec::new();
    if outcome.stopped {
        notes.push(format!("Partial: counting was stopped at {}.", time(end_secs)));
    }
    if let Some(reason) = &outcome.ended_early {
        notes.push(format!("Incomplete: {reason}."));
    }
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

/// Returns notes about missing scopes or frames missing from them.
fn notes_on_scopes(scopes: &ScopeSums, wanted: ScopeUse) -> Vec<String> {
    let mut notes = Vec::new();
    if matches!(wanted, ScopeUse::Sums(ScopeChoice { vectorscope: true, .. })) && !scopes.found().vectorscope {
        notes.push("The video is gray: without colour there is no vectorscope.".to_owned());
    }
    if scopes.left_out() > 0 {
        notes.push(format!(
            "Frames with a different width, not included in the waveform: {}.",
            whole(scopes.left_out())
        ));
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

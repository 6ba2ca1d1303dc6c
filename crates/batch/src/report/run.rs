//! Making a report from a file.

use std::ops::ControlFlow;
use std::path::PathBuf;

use super::clip::ClipBuilder;
use super::content::light_facts;
use super::gather::{components_of, gather};
use super::page::page;
use super::shots::{self, ShotFormat, ShotLights};
use super::times::whole;
use crate::analyze::AnalyzeError;
use crate::analyze::counter::ScopeUse;
use crate::analyze::inspection::Inspection;
use crate::analyze::light::LightSummary;
use crate::analyze::overview::{Progress, announce};
use crate::analyze::pipeline::{AudioUse, Pipeline, Request};
use crate::analyze::stated_light::StatedLightSummary;
use crate::analyze::thumbnails::ThumbnailUse;
use crate::editors::SourceClip;
use crate::file::{FileError, check_output, write_whole};
use histoscope_core::scopes::{Scope, ScopeSums};
use histoscope_core::strip::FindingLimits;
use histoscope_core::text::shown;

/// Options for a report, besides those for reading the video.
#[derive(Debug, Clone)]
pub struct ReportOptions {
    /// The minimum distance between frames that may be a cut, as a fraction of the scale.
    pub cut_threshold: f64,
    /// The pages to write.
    pub outputs: Vec<PathBuf>,
    /// The files for the list of shots. Their extensions select the formats.
    pub shots: Vec<PathBuf>,
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
    request.inspection =
        Inspection { differences: Some(FindingLimits::default().frozen_difference), ..Inspection::default() };
    request.thumbnails = (!options.outputs.is_empty())
        .then_some(ThumbnailUse { cut_threshold: options.cut_threshold, limits: FindingLimits::default() });
    request.audio = AudioUse::IfPossible;
    let pipeline = Pipeline::open(request)?;
    let name = shown(&pipeline.info().path);
    let mut notes = pipeline.info().notes.clone();
    notes.extend(pipeline.bars().map(|bars| format!("{bars}.")));
    let mut clip = ClipBuilder::new(components_of(&pipeline), options.cut_threshold);
    if !options.shots.is_empty() {
        clip = clip.keeping_all_cuts();
    }
    let mut light = pipeline
        .counting()
        .light
        .map(|_| ClipLight { summary: LightSummary::default(), frames: ShotLights::default() });
    let mut progress = Progress::new(&name, pipeline.span_secs(), options.quiet);
    let gathered = gather(pipeline, clip, &mut |counted| {
        if let Some(ClipLight { summary, frames }) = &mut light {
            summary.add_frame(counted.number, counted.counts.light.as_ref());
            if let (Some(figures), true) = (&counted.counts.light, !options.shots.is_empty()) {
                frames.add(counted.number, figures);
            }
        }
        progress.frame(counted.frame.facts.time_secs);
        ControlFlow::Continue(())
    });
    progress.finish();
    let Some(gathered) = gathered? else { return Ok(Finished::StoppedBeforeFirst) };
    let scope_notes = notes_on_scopes(&gathered.outcome.scopes, wanted);
    let (stopped, ended_early) = (gathered.outcome.stopped, gathered.outcome.ended_early.clone());
    let (stated_light, transfer) = (gathered.info.stated_light, gathered.first.facts.source.transfer);
    let source = SourceClip::of(&gathered.info, &name, gathered.first.size, gathered.clip.end_secs);
    let mut report = gathered.into_report(notes);
    report.notes.extend(scope_notes);
    if let Some(ClipLight { summary, .. }) = &light {
        let mut stated = StatedLightSummary::of(&stated_light);
        stated.judge(summary);
        report.facts.extend(light_facts(summary, &stated));
    }
    if let Some(light) = light_use {
        report.light = light.scale(transfer);
    }
    for output in &options.outputs {
        let text = page(&report).map_err(|source| FileError::Png { path: output.clone(), source })?;
        write_whole(output, text.as_bytes())?;
    }
    for output in &options.shots {
        let lights = light.as_ref().map(|light| &light.frames);
        let format = ShotFormat::of(output).unwrap_or(ShotFormat::Csv);
        let text = shots::written(&report.clip, lights, &source, format);
        write_whole(output, text.as_bytes())?;
    }
    let written: Vec<_> = options.outputs.iter().chain(&options.shots).map(|path| path.display().to_string()).collect();
    announce(&format!("wrote {}", written.join(" and ")), options.quiet);
    Ok(match ended_early {
        _ if stopped => Finished::Stopped,
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

/// Returns notes about missing scopes or frames missing from them.
fn notes_on_scopes(scopes: &ScopeSums, wanted: ScopeUse) -> Vec<String> {
    let mut notes = Vec::new();
    if matches!(wanted, ScopeUse::Sums(choice, _) if choice[Scope::Vectorscope]) && scopes.vectorscope.is_none() {
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

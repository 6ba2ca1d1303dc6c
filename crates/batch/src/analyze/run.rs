//! The analysis of one file, from opening it to the finished output.

use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use super::against::align::{self, AlignInput};
use super::against::sound::{self, SoundOffset};
use super::comparison::Against;
use super::error::AnalyzeError;
use super::format::Format;
use super::light::LightSummary;
use super::output::{Output, OutputTarget, RecordSink, ResumePoint, into_final_error, is_stream};
use super::overview::{Overview, Progress, announce};
use super::pipeline::{CountedFrame, Pipeline, Request, RunOutcome};
use super::record::Recorder;
use super::record_output::{self, Division, Segments};
use super::resume::{RunState, find_unfinished};
use super::stated_light::StatedLightSummary;
use super::summary::{RunOptions, Summary, display, hash};
use crate::file::check_output;
use histoscope_core::histogram::LightScale;
use histoscope_core::text::{self, counted, sanitized};
use histoscope_media::{HardwareChoice, MediaError, MediaFault};

/// Maximum number of counted frames waiting to be written.
const MAX_WAITING: usize = 32;

/// The destination of the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Records, in a file or a stream.
    Records {
        /// The target.
        target: OutputTarget,
        /// The format.
        format: Format,
        /// `true` to write all bins.
        bins: bool,
        /// `true` to continue an unfinished output.
        resume: bool,
        /// Duration in seconds after which a new file begins, if the output is to be divided. The files are named after
        /// the target, which must be a file.
        segment: Option<NonZeroU32>,
    },
    /// An overview of the file, printed to standard output.
    Overview,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// Everything that was requested was written.
    Complete,
    /// Everything was written; some frames differ from their partners or have none.
    Differs,
    /// Everything was written, but no frame had a partner.
    NothingCompared,
    /// An earlier run had already finished the output.
    Already,
    /// The run was asked to stop. The frames counted by then were written.
    Stopped,
    /// The run was asked to stop before a frame was counted, and nothing was written.
    StoppedBeforeFirst,
    /// The file ended early, for this reason.
    EndedEarly(String),
    /// The file of the comparison ended early, for this reason.
    OtherEndedEarly(String),
}

impl Finished {
    fn of(outcome: RunOutcome) -> Self {
        match outcome {
            RunOutcome { stopped: true, .. } => Self::Stopped,
            RunOutcome { ended_early: Some(reason), .. } => Self::EndedEarly(reason),
            RunOutcome { comparison: Some(tally), .. } => match tally.other_ended_early.clone() {
                Some(reason) => Self::OtherEndedEarly(reason),
                None if tally.is_empty() => Self::NothingCompared,
                None if !tally.summary().identical => Self::Differs,
                None => Self::Complete,
            },
            _ => Self::Complete,
        }
    }
}

/// Analyses a file.
///
/// # Errors
/// [`AnalyzeError`] if the file cannot be opened, counting fails, or the output cannot be written. Earlier records are
/// still written, and the output states that it is partial.
pub fn run(request: Request, destination: &Destination, quiet: bool) -> Result<Finished, AnalyzeError> {
    // Data kept for --resume is removed if --resume could not continue this kind of output.
    let is_lost = request.against.is_some()
        || matches!(
            destination,
            Destination::Records { segment: Some(_), .. } | Destination::Records { format: Format::Scenes(_), .. }
        );
    let finished = run_to_end(request, destination, quiet);
    finished.map_err(|error| if is_lost { into_final_error(error) } else { error })
}

fn run_to_end(mut request: Request, destination: &Destination, quiet: bool) -> Result<Finished, AnalyzeError> {
    if let Destination::Records { target: OutputTarget::File(path), .. } = destination {
        check_output(path, &request.input)?;
        request.against.as_ref().map_or(Ok(()), |against| check_output(path, &against.input))?;
    }
    let name = display(&request.input);
    if let Some(against @ Against { align: Some(within), .. }) = &request.against {
        let Request { input, open, selection, stop, .. } = &request;
        let found = align::find(AlignInput { input, open, selection, stop }, against, *within);
        if request.stop.is_stopped() {
            return Ok(Finished::StoppedBeforeFirst);
        }
        let found = found?;
        let tell = |text: &dyn std::fmt::Display| {
            if !quiet {
                eprint_line(&format!("{name} and {}: {text}", display(&against.input)));
            }
        };
        tell(&found);
        let sound = sound::find(AlignInput { input, open, selection, stop }, &against.input, found.secs);
        let sound_ms = match sound {
            Ok(Some(SoundOffset::Found(secs, _))) => Some((1000.0 * secs).round() as i64),
            _ => None,
        };
        match &sound {
            Ok(Some(offset)) => tell(offset),
            Ok(None) => {}
            Err(error) => tell(&format_args!("no offset of the sound: {}", error.fault)),
        }
        request.against = Some(Against { offset: found.offset, align: None, sound_ms, ..against.clone() });
    }
    let scenes = match destination {
        Destination::Records { format: Format::Scenes(format), .. } => Some(format.name()),
        _ => None,
    };
    let mut pipeline = match Pipeline::open(request.clone()) {
        Err(AnalyzeError::NoLight { input, transfer }) if let Some(format) = scenes => {
            return Err(AnalyzeError::NotPq { input, transfer, format });
        }
        Err(AnalyzeError::Media(MediaError { fault: MediaFault::Stopped, .. })) if request.stop.is_stopped() => {
            return Ok(Finished::StoppedBeforeFirst);
        }
        opened => opened?,
    };
    if let (Some(format), info) = (scenes, pipeline.info())
        && request.counting.light.and_then(|light| light.scale(info.transfer)) != Some(LightScale::Pq)
    {
        let (input, transfer) = (request.input.clone(), info.transfer.unwrap_or("untagged"));
        return Err(AnalyzeError::NotPq { input, transfer, format });
    }
    request.counting = pipeline.counting();
    if let Some(bars) = pipeline.bars().filter(|_| !quiet) {
        eprint_line(&format!("{name}: {bars}"));
    }
    let Destination::Records { target, format, bins, resume, segment } = destination else {
        return overview(pipeline, &name, quiet);
    };
    let request_light = request.counting.light.is_some();
    let options = RunOptions::new(&request, &pipeline, *bins);
    let mut summary = Summary::new(&request.input, options, pipeline.info().luminance);
    let selection = &request.selection;
    let identity =
        (&summary, selection.from.map(|p| p.to_string()), selection.to.map(|p| p.to_string()), format.name());
    let run = hash(format!("{} {identity:?}", env!("CARGO_PKG_VERSION")).as_bytes());
    let mut left = ResumePoint::default();
    if let (true, OutputTarget::File(path)) = (*resume, target)
        && !is_stream(path)
    {
        match find_unfinished(path, run, *format, &summary)? {
            RunState::Nothing => {}
            RunState::Finished => return Ok(Finished::Already),
            RunState::Unfinished(found) => {
                log::info!("{name}: found {} records; continuing after frame {:?}", found.records, found.last);
                request.resume_at = found.last.map_or(0, |last| last + 1);
                drop(pipeline);
                pipeline = Pipeline::open(request.clone())?;
                left = found;
            }
        }
    }
    summary.frames = left.records;
    let info = pipeline.info();
    summary.decoder = Some(info.decoder.clone()).filter(|_| request.open.hardware.choice != HardwareChoice::No);
    summary.stated_light = request_light.then(|| StatedLightSummary::of(&info.stated_light));
    let output: Box<dyn RecordSink> = match (segment, target) {
        (Some(secs), OutputTarget::File(path)) => {
            let (secs, path, info, summary) = (*secs, path.clone(), info.clone(), summary.clone());
            let common = Division { format: *format, path, run, bins: *bins, request, info, summary, secs };
            Box::new(Segments::new(common, pipeline.first_number()))
        }
        _ => {
            let recorder = Recorder::new(&request, info, *bins);
            record_output::open(*format, target, run, &left, recorder, info)?
        }
    };
    summary.first_frame = pipeline.first_number().unwrap_or(0);
    let light = request_light.then_some(left.light);
    let mut writer = Writer { output, records: left.records, damaged: 0, last: None, light };
    let counted = count_and_write(pipeline, &name, &mut writer, quiet)?;
    let records = writer.records;
    let finished = conclude(counted, writer, summary)?;
    if let (OutputTarget::File(path), Finished::Complete | Finished::Differs) = (target, &finished) {
        let files = if segment.is_some() { "files named after " } else { "" };
        announce(&format!("wrote {} to {files}{}", text::counted(records, "record"), path.display()), quiet);
    }
    Ok(finished)
}

/// Writes the summary and returns the run's result.
fn conclude(
    counted: Result<RunOutcome, AnalyzeError>,
    writer: Writer,
    mut summary: Summary,
) -> Result<Finished, AnalyzeError> {
    let Writer { output, records, damaged, last, light } = writer;
    summary.frames = records;
    if let (Some(stated), Some(light)) = (&mut summary.stated_light, &light) {
        stated.judge(light);
    }
    summary.light = light;
    let other = summary.options.against.as_ref().map(|against| against.input.clone()).unwrap_or_default();
    let mut words = Vec::new();
    let (finished, error) = match counted {
        Ok(outcome) => {
            (summary.first_frame, summary.end_frame) = (outcome.frames.start, outcome.frames.end);
            summary.audio.clone_from(&outcome.audio);
            summary.reached_end = outcome.reached_end;
            if let Some(decoder) = summary.decoder.as_mut().filter(|_| outcome.decoder.hardware_failures > 0) {
                decoder.push_str(", then software");
            }
            warn_of_damage(&summary.input, outcome.decoder.refused_packets);
            warn_of_damaged_frames(&summary.input, damaged);
            if let Some(tally) = &outcome.comparison {
                warn_of_damage(&other, tally.other_refused_packets);
                summary.comparison = Some(tally.summary());
                words = tally.in_words(&summary.input, &other);
            }
            (Finished::of(outcome), None)
        }
        Err(error) => {
            summary.end_frame = last.map_or(summary.first_frame, |last| last + 1);
            (Finished::Stopped, Some(error))
        }
    };
    summary.complete = matches!(finished, Finished::Complete | Finished::Differs | Finished::NothingCompared);
    summary.reason = match (&error, &finished) {
        (Some(error), _) => Some(error.to_string()),
        (None, Finished::Stopped) => Some("it was stopped".to_owned()),
        (None, Finished::EndedEarly(reason)) => Some(reason.clone()),
        (None, Finished::OtherEndedEarly(reason)) => Some(format!("{other}: {reason}")),
        _ => None,
    };
    if summary.frames == 0 && finished == Finished::Complete {
        log::warn!("{}", AnalyzeError::NothingCounted(summary.input.clone()));
    }
    if summary.frames > 0 || summary.complete {
        output.finish(&summary)?;
    } else {
        // Nothing is worth keeping. The output of an earlier run stays in place.
        output.discard();
        if finished == Finished::Stopped && error.is_none() {
            return Ok(Finished::StoppedBeforeFirst);
        }
    }
    // The verdict is the result of a comparison, not its progress.
    if finished != Finished::Stopped {
        words.iter().for_each(|line| eprint_line(line));
    }
    error.map_or(Ok(finished), Err)
}

fn warn_of_damage(name: &str, refused: u64) {
    if refused > 0 {
        let (packets, whose) =
            (counted(refused, "packet"), if refused == 1 { "its frame is" } else { "their frames are" });
        log::warn!("{name}: the decoder refused {packets}; {whose} missing");
    }
}

fn warn_of_damaged_frames(name: &str, damaged: u64) {
    if damaged > 0 {
        let frames = counted(damaged, "frame");
        log::warn!("{name}: {frames} damaged, counted as decoded; the records say which");
    }
}

/// Writes a run's records, one after the other.
struct Writer {
    output: Box<dyn RecordSink>,
    /// Number of records in the output, including those of an earlier run.
    records: u64,
    /// Number of damaged frames, not including those of an earlier run.
    damaged: u64,
    /// Number of the last frame written.
    last: Option<u64>,
    /// The light of the frames written, if it is measured.
    light: Option<LightSummary>,
}

impl Writer {
    /// Writes all frames received until counting ends.
    fn write_all(&mut self, counted: Receiver<CountedFrame>) -> Result<(), AnalyzeError> {
        let mut next = counted.recv().ok();
        while let Some(frame) = next {
            self.output.add(&frame)?;
            self.records += 1;
            if let Some(light) = &mut self.light {
                light.add_frame(frame.number, frame.counts.light.as_ref());
            }
            self.damaged += u64::from(frame.frame.facts.damaged);
            self.last = Some(frame.number);
            next = match counted.try_recv() {
                Ok(frame) => Some(frame),
                Err(_) => {
                    self.output.pause()?;
                    counted.recv().ok()
                }
            };
        }
        Ok(())
    }
}

/// Counts on this thread and writes on another, so that neither blocks the other. The inner result comes from counting,
/// the outer error from writing.
fn count_and_write(
    pipeline: Pipeline,
    name: &str,
    writer: &mut Writer,
    quiet: bool,
) -> Result<Result<RunOutcome, AnalyzeError>, AnalyzeError> {
    let mut progress = Progress::new(name, pipeline.span_secs(), quiet);
    let (sender, receiver) = mpsc::sync_channel::<CountedFrame>(MAX_WAITING);
    let (counted, written) = thread::scope(|scope| {
        // The receiver is dropped with the writer, so that counting notices if writing fails.
        let writing = scope.spawn(move || writer.write_all(receiver));
        let counted = pipeline.run(&mut |counted| {
            progress.frame(counted.frame.end_secs());
            if sender.send(counted).is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        drop(sender);
        (counted, writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    progress.finish();
    written.map(|()| counted)
}

/// Counts the file and prints its overview.
fn overview(pipeline: Pipeline, name: &str, quiet: bool) -> Result<Finished, AnalyzeError> {
    let mut overview = Overview::new(pipeline.info(), pipeline.adjustments());
    if pipeline.counting().light.is_some() {
        overview.measure_light(pipeline.info());
    }
    let other = pipeline.against().map(|against| display(&against.input)).unwrap_or_default();
    let mut progress = Progress::new(name, pipeline.span_secs(), quiet);
    let counted = pipeline.run(&mut |counted| {
        progress.frame(counted.frame.end_secs());
        overview.add(&counted);
        ControlFlow::Continue(())
    });
    progress.finish();
    let outcome = counted?;
    overview.end(&outcome);
    let mut output = Output::open(&OutputTarget::Stdout, 0, None)?;
    output.write(format!("{overview}\n").as_bytes())?;
    if let Some(tally) = &outcome.comparison {
        output.write(format!("{}\n", tally.in_words(name, &other).join("\n")).as_bytes())?;
        warn_of_damage(&other, tally.other_refused_packets);
    }
    output.finish()?;
    warn_of_damage(name, outcome.decoder.refused_packets);
    Ok(Finished::of(outcome))
}

/// Prints a line to standard error, ignoring errors.
fn eprint_line(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{}", sanitized(text));
}

//! One file's run, from opening it to the finished output.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use super::ending::AnalyzeError;
use super::format::Format;
use super::left::Left;
use super::output::{Output, Target, is_stream};
use super::overview::{Overview, Progress};
use super::pipeline::{Counted, Outcome, Pipeline, Request};
use super::record::Recorder;
use super::record_output::RecordOutput;
use super::summary::{RunOptions, Summary, display, hash};
use super::unfinished::{Found, find_unfinished};
use crate::export::file::check_output;
use crate::text::counted;

/// Counted frames that may wait for being written.
const MOST_WAITING: usize = 32;

/// What becomes of the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// They are written.
    Records {
        /// Where.
        target: Target,
        /// How.
        format: Format,
        /// Whether every bin is.
        bins: bool,
        /// Whether an unfinished output is continued.
        resume: bool,
    },
    /// They are added up for people, on the standard output.
    Overview,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// Everything that was asked for is there.
    Complete,
    /// The run had been finished before.
    Already,
    /// It was asked to stop.
    Stopped,
    /// The file ended before its headers say; the reason.
    EndedEarly(String),
}

impl Finished {
    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome { stopped: true, .. } => Self::Stopped,
            Outcome { ended_early: Some(reason), .. } => Self::EndedEarly(reason),
            _ => Self::Complete,
        }
    }
}

/// Analyses a file.
///
/// # Errors
/// [`AnalyzeError`] if the file cannot be opened, counting fails, or the output cannot be written. Records of frames
/// before that are written, and the output says that it is partial.
pub fn run(mut request: Request, destination: &Destination, quiet: bool) -> Result<Finished, AnalyzeError> {
    if let Destination::Records { target: Target::File(path), .. } = destination {
        check_output(path, &request.input)?;
    }
    let name = display(&request.input);
    let mut pipeline = Pipeline::open(request.clone())?;
    if let Some(bars) = pipeline.bars().filter(|_| !quiet) {
        eprint_line(&format!("{name}: {bars}"));
    }
    let Destination::Records { target, format, bins, resume } = destination else {
        return overview(pipeline, &name, quiet);
    };
    let options = RunOptions::new(&request, &pipeline, *bins);
    let mut summary = Summary::new(&request.input, options);
    let selection = &request.selection;
    let identity =
        (&summary, selection.from.map(|p| p.to_string()), selection.to.map(|p| p.to_string()), format.name());
    let run = hash(format!("{} {identity:?}", env!("CARGO_PKG_VERSION")).as_bytes());
    let mut left = Left::default();
    if let (true, Target::File(path)) = (*resume, target)
        && !is_stream(path)
    {
        match find_unfinished(path, run, *format, &summary)? {
            Found::Nothing => {}
            Found::Finished => return Ok(Finished::Already),
            Found::Unfinished(found) => {
                log::info!("{name}: {} records are there; going on after frame {:?}", found.records, found.last);
                request.resume_at = found.last.map_or(0, |last| last + 1);
                drop(pipeline);
                pipeline = Pipeline::open(request.clone())?;
                left = found;
            }
        }
    }
    summary.frames = left.records;
    let output = RecordOutput::open(*format, target, run, &left, Recorder::new(&request, *bins), pipeline.info())?;
    summary.first_frame = pipeline.first_number().unwrap_or(0);
    let mut writer = Writer { output, records: left.records, last: None };
    let counted = count_and_write(pipeline, &name, &mut writer, quiet)?;
    conclude(counted, writer, summary)
}

/// Writes the summary, and says how the run ended.
fn conclude(
    counted: Result<Outcome, AnalyzeError>,
    writer: Writer,
    mut summary: Summary,
) -> Result<Finished, AnalyzeError> {
    let Writer { output, records, last } = writer;
    summary.frames = records;
    let (finished, error) = match counted {
        Ok(outcome) => {
            (summary.first_frame, summary.end_frame) = (outcome.frames.start, outcome.frames.end);
            summary.reached_end = outcome.reached_end;
            warn_of_damage(&summary.input, &outcome);
            (Finished::of(outcome), None)
        }
        Err(error) => {
            summary.end_frame = last.map_or(summary.first_frame, |last| last + 1);
            (Finished::Stopped, Some(error))
        }
    };
    summary.complete = finished == Finished::Complete;
    summary.reason = match (&error, &finished) {
        (Some(error), _) => Some(error.to_string()),
        (None, Finished::Stopped) => Some("it was stopped".to_owned()),
        (None, Finished::EndedEarly(reason)) => Some(reason.clone()),
        _ => None,
    };
    if summary.frames == 0 && summary.complete {
        log::warn!("{}: no frame was counted; the selection begins after the last one, or takes none", summary.input);
    }
    if summary.frames > 0 || summary.complete {
        output.finish(&summary)?;
    } else {
        // There is nothing to keep, and what an earlier run has written stays.
        output.discard();
    }
    error.map_or(Ok(finished), Err)
}

fn warn_of_damage(name: &str, outcome: &Outcome) {
    let refused = outcome.decoder.refused_packets;
    if refused > 0 {
        let (packets, whose) =
            (counted(refused, "packet"), if refused == 1 { "its frame is" } else { "their frames are" });
        log::warn!("{name}: the decoder refused {packets}; {whose} missing");
    }
}

/// Writes a run's records, one after the other.
struct Writer {
    output: RecordOutput,
    /// Records that are there, those of an earlier run among them.
    records: u64,
    /// The number of the last frame that was written.
    last: Option<u64>,
}

impl Writer {
    /// Writes until nobody hands over any more.
    fn write_all(&mut self, counted: Receiver<Counted>) -> Result<(), AnalyzeError> {
        let mut next = counted.recv().ok();
        while let Some(frame) = next {
            self.output.add(&frame)?;
            self.records += 1;
            self.last = Some(frame.facts.number);
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

/// Counts on this thread and writes on another, so that neither waits for the other. How counting went is the result; what
/// cannot be written is the error.
fn count_and_write(
    pipeline: Pipeline,
    name: &str,
    writer: &mut Writer,
    quiet: bool,
) -> Result<Result<Outcome, AnalyzeError>, AnalyzeError> {
    let mut progress = Progress::new(name, pipeline.span_secs(), quiet);
    let (sender, receiver) = mpsc::sync_channel::<Counted>(MOST_WAITING);
    let (counted, written) = thread::scope(|scope| {
        // The receiver goes with the writer: where that gives up, counting is told so.
        let writing = scope.spawn(move || writer.write_all(receiver));
        let counted = pipeline.run(&mut |counted| {
            progress.frame(counted.facts.time_secs + counted.facts.duration_secs);
            if sender.send(counted).is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        drop(sender);
        (counted, writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    progress.finish();
    written.map(|()| counted)
}

/// Adds everything up for people.
fn overview(pipeline: Pipeline, name: &str, quiet: bool) -> Result<Finished, AnalyzeError> {
    let mut overview = Overview::new(pipeline.info(), pipeline.adjustments());
    let mut progress = Progress::new(name, pipeline.span_secs(), quiet);
    let counted = pipeline.run(&mut |counted| {
        progress.frame(counted.facts.time_secs + counted.facts.duration_secs);
        overview.add(&counted);
        ControlFlow::Continue(())
    });
    progress.finish();
    let outcome = counted?;
    overview.end(&outcome);
    let mut output = Output::open(&Target::Stdout, 0, None)?;
    output.write(format!("{overview}\n").as_bytes())?;
    output.finish()?;
    warn_of_damage(name, &outcome);
    Ok(Finished::of(outcome))
}

/// A line for people; if even that cannot be written, nothing can be said.
fn eprint_line(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{text}");
}

//! One file's run, from opening it to the finished output.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use super::adjusting::Told;
use super::format::{Format, LineWriter};
use super::output::{Output, Target, is_stream};
use super::overview::Overview;
use super::pipeline::{Counted, Outcome, Pipeline, Request};
use super::progress::Progress;
use super::resume::{self, Found, Left};
use super::summary::{RunOptions, Summary, hash};
use super::{AnalyzeError, display};
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
        match resume::find(path, run, *format, &summary)? {
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
    let mut output = Output::open(target, run, Some(left.bytes).filter(|bytes| *bytes > 0))?;
    let told = Told::of(&request.adjustments);
    let head = format.head(request.counting, &told, *bins);
    let mut text = Text { format: *format, told, bins: *bins, head, before: left.records };
    if left.records > 0 {
        output.write(format.after_record().as_bytes())?;
        text.head.clear();
    }
    summary.first_frame = pipeline.first_number().unwrap_or(0);
    let (output, result) = count_and_write(pipeline, &name, output, &text, quiet);
    conclude(result, output, summary, &text)
}

/// Writes the summary, and says how the run ended.
fn conclude(
    (counted, written): (Result<Outcome, AnalyzeError>, Result<Written, AnalyzeError>),
    mut output: Output,
    mut summary: Summary,
    text: &Text,
) -> Result<Finished, AnalyzeError> {
    let written = written?;
    let format = text.format;
    summary.frames = text.before + written.records;
    let (finished, error) = match counted {
        Ok(outcome) => {
            (summary.first_frame, summary.end_frame) = (outcome.frames.start, outcome.frames.end);
            summary.reached_end = outcome.reached_end;
            warn_of_damage(&summary.input, &outcome);
            match outcome {
                Outcome { stopped: true, .. } => (Finished::Stopped, None),
                Outcome { ended_early: Some(reason), .. } => (Finished::EndedEarly(reason), None),
                _ => (Finished::Complete, None),
            }
        }
        Err(error) => {
            summary.end_frame = written.last.map_or(summary.first_frame, |last| last + 1);
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
    if summary.frames > 0 {
        output.write(format.after_last().as_bytes())?;
    } else if summary.complete {
        say_empty(&summary);
        output.write(text.head.as_bytes())?;
    } else {
        // There is nothing to keep, and what an earlier run has written stays.
        output.discard();
        return error.map_or(Ok(finished), Err);
    }
    output.write(format.tail(&summary).as_bytes())?;
    output.finish()?;
    error.map_or(Ok(finished), Err)
}

fn say_empty(summary: &Summary) {
    log::warn!("{}: no frame was counted; the selection begins after the last one, or takes none", summary.input);
}

fn warn_of_damage(name: &str, outcome: &Outcome) {
    let refused = outcome.decoder.refused_packets;
    if refused > 0 {
        let (packets, whose) =
            (counted(refused, "packet"), if refused == 1 { "its frame is" } else { "their frames are" });
        log::warn!("{name}: the decoder refused {packets}; {whose} missing");
    }
}

/// How records become text.
struct Text {
    format: Format,
    told: Told,
    bins: bool,
    /// What stands before the first record.
    head: String,
    /// Records that an earlier run has written.
    before: u64,
}

/// What the writer wrote.
#[derive(Debug, Default)]
struct Written {
    records: u64,
    last: Option<u64>,
}

/// Counts on this thread and writes on another, so that neither waits for the other.
#[expect(clippy::type_complexity, reason = "the two halves' results, each with its own errors")]
fn count_and_write(
    pipeline: Pipeline,
    name: &str,
    mut output: Output,
    text: &Text,
    quiet: bool,
) -> (Output, (Result<Outcome, AnalyzeError>, Result<Written, AnalyzeError>)) {
    let mut progress = Progress::new(name, pipeline.span_secs(), quiet);
    let (sender, receiver) = mpsc::sync_channel::<Counted>(MOST_WAITING);
    let results = thread::scope(|scope| {
        let sink = &mut output;
        // The receiver goes with the writer: where that gives up, counting is told so.
        let writer = scope.spawn(move || write_records(receiver, name, sink, text));
        let counted = pipeline.run(&mut |counted| {
            progress.frame(counted.facts.time_secs + counted.facts.duration_secs);
            if sender.send(counted).is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        drop(sender);
        let written = match writer.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        (counted, written)
    });
    progress.finish();
    (output, results)
}

fn write_records(
    receiver: Receiver<Counted>,
    name: &str,
    output: &mut Output,
    text: &Text,
) -> Result<Written, AnalyzeError> {
    let Text { format, bins, .. } = *text;
    let mut lines = LineWriter::new(&text.told);
    let mut written = Written::default();
    let mut line = Vec::new();
    let mut next = receiver.recv().ok();
    while let Some(counted) = next {
        let is_first = text.before + written.records == 0;
        output.write(if is_first { text.head.as_bytes() } else { format.before_next().as_bytes() })?;
        lines.line(format, name, &counted, bins, &mut line).map_err(AnalyzeError::Output)?;
        line.extend_from_slice(format.after_record().as_bytes());
        output.write(&line)?;
        written.records += 1;
        written.last = Some(counted.facts.number);
        next = match receiver.try_recv() {
            Ok(counted) => Some(counted),
            Err(_) => {
                // A reader that waits for the newest record gets it now.
                if output.is_live() {
                    output.flush()?;
                }
                receiver.recv().ok()
            }
        };
    }
    Ok(written)
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
    Ok(match outcome {
        Outcome { stopped: true, .. } => Finished::Stopped,
        Outcome { ended_early: Some(reason), .. } => Finished::EndedEarly(reason),
        _ => Finished::Complete,
    })
}

/// A line for people; if even that cannot be written, nothing can be said.
pub(super) fn eprint_line(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{text}");
}

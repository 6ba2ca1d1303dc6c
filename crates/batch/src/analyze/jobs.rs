//! Several decoders that work on different parts of one file, with results delivered in order.
//!
//! The file is cut at keyframes into parts of at least about a hundred frames. The decoders take the parts one after
//! the other, and the caller takes the parts' frames in order. A decoder that is ahead waits, so that only the counts
//! of [`MAX_WAITING`] frames per decoder are in memory at any time.

use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use super::counting::{Context, CountedFrame, CountingWork, Joint, RunOutcome, count_all};
use super::error::{AnalyzeError, Stop};
use super::frames::{Bound, Next, NumberedFrames};
use histoscope_media::{Decoder, FrameCounters, FrameIndex, MediaFault, Seek, SeekTarget};

/// Minimum number of frames in a part, except the last one. Each part is decoded from its keyframe, and a few frames
/// past its end to make sure of the end.
const PART_FRAMES: u64 = 96;
/// The minimum grows with the length of the file up to this number, since starting a part costs time.
const LONG_PART_FRAMES: u64 = 512;
/// Number of parts for each decoder of a long file, so that all decoders end at about the same time.
const PARTS_EACH: u64 = 2;
/// Maximum number of a part's counted frames that wait for the caller. A decoder counts most of its part while the
/// caller takes the parts before it: with less, the decoders would take turns.
const MAX_WAITING: usize = 512;

/// A range of consecutive frames counted by one decoder.
#[derive(Debug, Clone, PartialEq, Eq)]
struct JobPart {
    /// Numbers of the frames.
    numbers: Range<u64>,
    /// Timestamp of the first frame, in ticks.
    start_ticks: i64,
    /// Timestamp of the first frame after the part, in ticks; `None` at the end of the file.
    end_ticks: Option<i64>,
}

/// A message from a decoder: a counted frame, or the outcome of the part.
enum Message {
    Counted(Box<CountedFrame>),
    Ended(Box<Result<PartOutcome, AnalyzeError>>),
}

/// The outcome of a part, with its last picture if pictures are compared with each other.
type PartOutcome = (RunOutcome, Option<Joint>);

/// A part that a decoder has taken: the number of its first frame, and the channel for its messages.
struct TakenPart {
    number: u64,
    messages: Receiver<Message>,
}

/// The remaining parts, and the channel that announces parts in the order in which they are taken.
type Parts = Mutex<(std::vec::IntoIter<JobPart>, Option<SyncSender<TakenPart>>)>;

/// Counts the frames from number `from` up to `end` with this many decoders. `first` is the number of the span's first
/// frame.
pub(super) fn run(
    context: &Context<'_>,
    jobs: usize,
    (first, from): (u64, u64),
    end: Option<Bound>,
    index: &FrameIndex,
    sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
) -> Result<RunOutcome, AnalyzeError> {
    let parts = cut(index, from, end, jobs);
    let jobs = jobs.min(parts.len()).max(1);
    log::info!("{jobs} decoders share {} parts", parts.len());
    let (order, in_order) = mpsc::sync_channel(jobs);
    let parts = Mutex::new((parts.into_iter(), Some(order)));
    let mut outcome = RunOutcome { frames: first..from, ..RunOutcome::default() };
    thread::scope(|scope| {
        let mut started = 0;
        for job in 0..jobs {
            let parts = &parts;
            let work = move || worker(context, parts, index);
            match thread::Builder::new().name(format!("histoscope-job-{job}")).spawn_scoped(scope, work) {
                Ok(_) => started += 1,
                Err(error) => log::warn!("job {job} was not started: {error}"),
            }
        }
        if started == 0 {
            let path = context.request.input.clone();
            let reason = "no thread could be started".to_owned();
            return Err(MediaFault::Failed { action: "decoding in several jobs", reason }.of(path).into());
        }
        let result = collect(context, &in_order, &mut outcome, sink);
        // Workers that are still waiting to send then notice that the receiver is gone.
        drop(in_order);
        result
    })?;
    Ok(outcome)
}

/// Cuts the frames from `first` up to `end` into parts at keyframes.
fn cut(index: &FrameIndex, first: u64, end: Option<Bound>, jobs: usize) -> Vec<JobPart> {
    let all = index.pts.len() as u64;
    let end = match end {
        None => all,
        Some(Bound::Number(number)) => number.min(all),
        Some(Bound::Ticks(ticks)) => index.frames_before(ticks),
    };
    let ticks = |number: u64| usize::try_from(number).ok().and_then(|at| index.pts.get(at)).copied();
    let share = end.saturating_sub(first) / (PARTS_EACH * jobs.max(1) as u64);
    let least = share.clamp(PART_FRAMES, LONG_PART_FRAMES);
    let mut starts = vec![first];
    let mut last = first;
    for key in &index.keys {
        let number = index.frames_before(*key);
        if number >= last + least && number < end {
            starts.push(number);
            last = number;
        }
    }
    let ends = starts.iter().skip(1).copied().chain([end]);
    let part = |(start, end): (&u64, u64)| {
        Some(JobPart { numbers: *start..end, start_ticks: ticks(*start)?, end_ticks: ticks(end) })
    };
    if first >= end { Vec::new() } else { starts.iter().zip(ends).filter_map(part).collect() }
}

/// Counts parts until there are none left or the receiver is gone.
fn worker(context: &Context<'_>, parts: &Parts, index: &FrameIndex) {
    // Each job counts on its own thread only, because the other threads are busy with their own pictures.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    if let Err(error) = &alone {
        log::debug!("a job counts with all threads: {error}");
    }
    let mut decoder = None;
    let mut work = CountingWork::new(context);
    loop {
        let (part, sender) = {
            // Holding the lock while this waits makes sure that parts are announced in order.
            let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(part) = parts.0.next() else {
                parts.1 = None;
                return;
            };
            let (sender, messages) = mpsc::sync_channel(MAX_WAITING);
            let taken = TakenPart { number: part.numbers.start, messages };
            if parts.1.as_ref().is_none_or(|order| order.send(taken).is_err()) {
                return;
            }
            (part, sender)
        };
        work = work.restarted();
        let result = count_part(&mut work, (context, index), &mut decoder, &part, &sender);
        let goes_on = result.as_ref().is_ok_and(|(outcome, _)| !outcome.stopped);
        if sender.send(Message::Ended(Box::new(result))).is_err() || !goes_on {
            return;
        }
    }
}

fn count_part(
    work: &mut CountingWork<'_>,
    (context, index): (&Context<'_>, &FrameIndex),
    decoder: &mut Option<Decoder>,
    part: &JobPart,
    sender: &SyncSender<Message>,
) -> Result<PartOutcome, AnalyzeError> {
    let decoder = match decoder {
        Some(decoder) => decoder,
        None => {
            let decoder = decoder.insert(Decoder::open(&context.request.input, &context.request.open)?);
            // Avoids listing the packets again.
            decoder.adopt(index.clone());
            decoder
        }
    };
    decoder.seek(Seek::Exact(SeekTarget::Timestamp(part.start_ticks)))?;
    let first = part.numbers.start;
    let before = decoder.counters();
    let stop = &context.request.stop;
    let end_ticks = part.end_ticks;
    let frames = PartFrames { decoder, first, number: first, end_ticks, end_secs: 0.0, before, damaged: 0, stop };
    let end = part.end_ticks.map(Bound::Ticks);
    let mut send = |counted| match sender.send(Message::Counted(Box::new(counted))) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let outcome = count_all(work, frames, end, &mut send)?;
    Ok((outcome, work.take_last()))
}

/// A part's frames, decoded on the job's own thread.
struct PartFrames<'a> {
    decoder: &'a mut Decoder,
    first: u64,
    number: u64,
    /// Timestamp of the first frame after the part.
    end_ticks: Option<i64>,
    end_secs: f64,
    /// The decoder's counters before the part.
    before: FrameCounters,
    /// Damaged frames of the part.
    damaged: u64,
    stop: &'a Stop,
}

impl NumberedFrames for PartFrames<'_> {
    fn next(&mut self) -> Next {
        if self.stop.is_stopped() {
            return Next::Stopped;
        }
        match self.decoder.next_frame() {
            Ok(Some(frame)) => {
                self.number += 1;
                self.end_secs = frame.time_secs + frame.duration_secs;
                let is_of_part = self.end_ticks.is_none_or(|end| frame.pts_ticks < end);
                self.damaged += u64::from(frame.damaged && is_of_part);
                Next::Frame(self.number - 1, Box::new(frame))
            }
            Ok(None) => Next::End,
            Err(error) => Next::Failed(error),
        }
    }

    fn first(&self) -> u64 {
        self.first
    }

    fn end_secs(&self) -> f64 {
        self.end_secs
    }

    fn counters(&self) -> FrameCounters {
        let now = self.decoder.counters();
        FrameCounters {
            damaged: self.damaged,
            refused_packets: now.refused_packets - self.before.refused_packets,
            unusable: now.unusable - self.before.unusable,
            read_errors: now.read_errors - self.before.read_errors,
            ..now
        }
    }
}

/// Takes the parts' frames in order and renumbers them as a single decoder would, since damage may have cost some
/// frames.
fn collect(
    context: &Context<'_>,
    in_order: &Receiver<TakenPart>,
    outcome: &mut RunOutcome,
    sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
) -> Result<(), AnalyzeError> {
    let mut last: Option<Joint> = None;
    for TakenPart { number, messages } in in_order {
        let next = outcome.frames.end;
        if next != number && context.request.selection.every.get() > 1 {
            let path = context.request.input.clone();
            let reason = format!("{} frames are missing before frame {number}", number - next);
            return Err(MediaFault::Failed { action: "decoding a damaged file in jobs", reason }.of(path).into());
        }
        for message in messages {
            match message {
                Message::Counted(mut counted) => {
                    counted.number = counted.number - number + next;
                    if let Some((first, last)) = counted.first.take().zip(last.take()) {
                        first.join(&last, &mut counted);
                    }
                    if sink(*counted).is_break() {
                        return Ok(());
                    }
                }
                Message::Ended(result) => {
                    let (part, picture) = (*result)?;
                    last = picture.or(last);
                    outcome.frames.end = next + (part.frames.end - part.frames.start);
                    outcome.counted += part.counted;
                    outcome.scopes.append(part.scopes);
                    outcome.end_secs = outcome.end_secs.max(part.end_secs);
                    // Only the last part can say whether the end was reached.
                    outcome.reached_end = part.reached_end;
                    outcome.decoder.damaged += part.decoder.damaged;
                    outcome.decoder.refused_packets += part.decoder.refused_packets;
                    outcome.decoder.unusable += part.decoder.unusable;
                    outcome.decoder.read_errors += part.decoder.read_errors;
                    outcome.decoder.left_out_part = outcome.decoder.left_out_part.or(part.decoder.left_out_part);
                    outcome.decoder.ends_damaged = part.decoder.ends_damaged;
                    outcome.decoder.discarded = outcome.decoder.discarded.max(part.decoder.discarded);
                    outcome.decoder.hardware_failures += part.decoder.hardware_failures;
                    if part.stopped || part.ended_early.is_some() || part.difference.is_some() {
                        (outcome.stopped, outcome.ended_early) = (part.stopped, part.ended_early);
                        outcome.difference = part.difference;
                        return Ok(());
                    }
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_at_keyframes_and_cover_everything() {
        let index = FrameIndex {
            pts: (0..1000).map(|n| n * 10).collect(),
            keys: (0..1000).step_by(30).map(|n| n * 10).collect(),
        };
        for (first, end) in
            [(0, None), (7, Some(Bound::Number(995))), (500, Some(Bound::Ticks(5005))), (0, Some(Bound::Number(5000)))]
        {
            let parts = cut(&index, first, end, 2);
            assert_eq!(parts[0].numbers.start, first);
            assert!(parts.windows(2).all(|pair| pair[0].numbers.end == pair[1].numbers.start));
            assert!(parts.windows(2).all(|pair| pair[0].end_ticks == Some(pair[1].start_ticks)));
            assert!(parts[1..].iter().all(|part| part.numbers.start.is_multiple_of(30)));
        }
        let longest = |jobs| cut(&index, 0, None, jobs).iter().map(|part| part.numbers.end - part.numbers.start).max();
        assert_eq!(
            (longest(1), longest(2), longest(7)),
            (Some(510), Some(270), Some(120)),
            "two parts each, and no less than 96 frames"
        );
        let ends = |end| cut(&index, 0, end, 2).last().map(|part| (part.numbers.end, part.end_ticks));
        assert_eq!(ends(None), Some((1000, None)));
        assert_eq!(ends(Some(Bound::Ticks(5005))), Some((501, Some(5010))));
        assert_eq!(cut(&index, 3, Some(Bound::Number(3)), 2), []);
    }
}

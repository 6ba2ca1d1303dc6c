//! The sound of a run's frames: a thread decodes and measures it beside the pictures, and frames wait for their figures.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use histoscope_core::sound::{SoundFigures, SoundMeter, SoundSummary};
use histoscope_media::{MediaError, SoundBlock, SoundForm, SoundReader, StreamInfo};

use super::counting::{AudioUse, CountedFrame, Request};

/// The most frames that wait for the sound.
const WAITING: usize = 64;

/// What is asked of the thread.
enum Question {
    /// The figures of the sound from one time to another, in seconds.
    Between(f64, f64),
    /// The figures of all sound; with `true`, of what follows to the end of the track, too.
    Whole(bool),
}

/// What the thread answers.
enum Answer {
    Piece(SoundFigures),
    Whole(Box<Option<SoundSummary>>),
    Failed(MediaError),
}

/// Measures the sound of a run.
pub(super) struct AudioGauge {
    questions: Sender<Question>,
    answers: Receiver<Answer>,
    thread: Option<JoinHandle<()>>,
    waiting: VecDeque<CountedFrame>,
    /// End of the frame before, in seconds.
    end_secs: Option<f64>,
    /// `true` if sound that cannot be read ends the run.
    is_required: bool,
    /// What went wrong first.
    fault: Option<MediaError>,
    /// `true` if no more frames are wanted.
    is_over: bool,
}

impl AudioGauge {
    /// Opens a sound track, counted from 0.
    pub(super) fn start(info: &StreamInfo, request: &Request, track: usize) -> Self {
        let (questions, asked) = mpsc::channel();
        let (told, answers) = mpsc::channel();
        let (thread, fault) = match SoundReader::open(info, &request.open, track, SoundForm::default()) {
            Ok(reader) => {
                let mut measuring =
                    Measuring { reader, meter: None, rest: None, span: None, is_placed: false, is_over: false };
                let measure = move || {
                    for question in asked {
                        let answer = measuring.answer(&question, track as u32 + 1).unwrap_or_else(Answer::Failed);
                        if told.send(answer).is_err() {
                            return;
                        }
                    }
                };
                (thread::Builder::new().name("histoscope-audio".to_owned()).spawn(measure).ok(), None)
            }
            Err(error) => (None, Some(error)),
        };
        let is_required = request.audio == AudioUse::Required;
        let (waiting, end_secs, is_over) = (VecDeque::new(), None, false);
        Self { questions, answers, thread, waiting, end_secs, is_required, fault, is_over }
    }

    /// Takes a frame, and passes on those whose sound is known.
    pub(super) fn pass(
        &mut self,
        frame: CountedFrame,
        sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let facts = &frame.frame.facts;
        let (begin, end) = (facts.time_secs, facts.time_secs + facts.duration_secs);
        // Sound between two frames that are counted belongs to the later one.
        let _ = self.questions.send(Question::Between(self.end_secs.unwrap_or(begin), end));
        self.end_secs = Some(end);
        self.waiting.push_back(frame);
        self.pass_on(WAITING, sink)?;
        if self.is_required && self.fault.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Passes frames on until at most this many wait, and those whose sound is known already.
    fn pass_on(&mut self, most: usize, sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>) -> ControlFlow<()> {
        while !self.waiting.is_empty() {
            let has_to = self.waiting.len() > most;
            // Without a thread, both fail at once.
            let answer = if has_to { self.answers.recv().ok() } else { self.answers.try_recv().ok() };
            let audio = match answer {
                Some(Answer::Piece(figures)) => Some(figures),
                Some(Answer::Failed(error)) => {
                    self.fault.get_or_insert(error);
                    None
                }
                _ if has_to => None,
                _ => break,
            };
            let Some(frame) = self.waiting.pop_front() else { break };
            let audio = audio.filter(|audio| audio.samples > 0);
            if sink(CountedFrame { audio, ..frame }).is_break() {
                self.is_over = true;
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Passes the last frames on, and returns the figures of all sound, and why there are none or only of a part. If the
    /// run reached the end of the video, they are those to the end of the track.
    pub(super) fn finish(
        mut self,
        reached_end: bool,
        sink: &mut dyn FnMut(CountedFrame) -> ControlFlow<()>,
    ) -> (Option<SoundSummary>, Option<MediaError>) {
        if self.is_over || self.pass_on(0, sink).is_break() {
            return (None, self.fault);
        }
        let _ = self.questions.send(Question::Whole(reached_end));
        let whole = match self.answers.recv() {
            Ok(Answer::Whole(summary)) => *summary,
            Ok(Answer::Failed(error)) => {
                self.fault.get_or_insert(error);
                None
            }
            _ => None,
        };
        drop(self.questions);
        if let Some(thread) = self.thread.take() {
            // It has answered everything.
            let _ = thread.join();
        }
        (whole, self.fault)
    }
}

/// The work of the thread.
struct Measuring {
    reader: SoundReader,
    /// Made for the form of the first sound. Sound of another form, after a change in the middle, is left out.
    meter: Option<(u32, usize, SoundMeter)>,
    /// Sound that has been read, but not measured.
    rest: Option<SoundBlock>,
    /// When the measured sound begins and ends, in seconds.
    span: Option<(f64, f64)>,
    /// `true` once the reader is where the selection begins.
    is_placed: bool,
    is_over: bool,
}

impl Measuring {
    fn answer(&mut self, question: &Question, track: u32) -> Result<Answer, MediaError> {
        match *question {
            Question::Between(begin, end) => {
                if !std::mem::replace(&mut self.is_placed, true) && begin > 0.0 {
                    // The selection begins later. What is before it is not measured.
                    self.reader.seek(begin)?;
                    self.measure(begin, false)?;
                }
                self.measure(end, true)?;
                let figures = self.meter.as_mut().map(|(_, _, meter)| meter.take());
                Ok(Answer::Piece(figures.unwrap_or_default()))
            }
            Question::Whole(to_end) => {
                if to_end {
                    self.measure(f64::INFINITY, true)?;
                    if let Some((_, _, meter)) = &mut self.meter {
                        meter.take();
                    }
                }
                let summary =
                    self.meter.as_ref().zip(self.span).map(|((_, _, meter), span)| meter.summary(track, span));
                let summary = summary.map(|summary| SoundSummary { refused_packets: self.reader.refused(), ..summary });
                Ok(Answer::Whole(Box::new(summary)))
            }
        }
    }

    /// Measures the sound up to a time, or leaves it out.
    fn measure(&mut self, until: f64, counts: bool) -> Result<(), MediaError> {
        loop {
            let block = match self.rest.take() {
                Some(block) => Some(block),
                None if self.is_over => None,
                None => self.reader.read()?,
            };
            let Some(mut block) = block else {
                self.is_over = true;
                return Ok(());
            };
            let rate = f64::from(block.rate);
            let due = ((until - block.start_secs) * rate).round().clamp(0.0, block.frames() as f64) as usize;
            let (frames, later) = (block.frames(), block.samples.split_off(due * block.channels));
            if counts && due > 0 {
                let (_, _, meter) = match &mut self.meter {
                    Some(known) if (known.0, known.1) == (block.rate, block.channels) => known,
                    Some(_) => {
                        log::debug!("sound of another form is not measured");
                        continue;
                    }
                    none => match SoundMeter::new(block.rate, block.channels) {
                        Some(meter) => none.insert((block.rate, block.channels, meter)),
                        None => return Ok(()),
                    },
                };
                meter.add(&block.samples);
                let end = block.start_secs + due as f64 / rate;
                self.span = Some((self.span.map_or(block.start_secs, |(begin, _)| begin), end));
            }
            if due < frames {
                let start_secs = block.start_secs + due as f64 / rate;
                self.rest = Some(SoundBlock { start_secs, samples: later, ..block });
                return Ok(());
            }
        }
    }
}

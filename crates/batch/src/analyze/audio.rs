//! The sound of a run's frames: a thread decodes and measures it beside the pictures, and frames wait for their figures.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use histoscope_core::sound::{SoundFigures, SoundSummary};
use histoscope_media::{MeasuredSound, MediaError, MediaFault, StreamInfo};

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
        let opened = match info.live {
            // Its sound comes when it is sent, and not when a frame asks for it.
            true => Err(MediaFault::SoundOnce.of(info.path.clone())),
            false => MeasuredSound::open(info, &request.open, track),
        };
        let (thread, fault) = match opened {
            Ok(mut sound) => {
                let measure = move || {
                    for (question, number) in asked.into_iter().zip(0_u64..) {
                        let answer = answer(&mut sound, &question, number == 0).unwrap_or_else(Answer::Failed);
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

/// Answers a question. With the first one, the selection may begin later than the sound, which is not measured before it.
fn answer(sound: &mut MeasuredSound, question: &Question, is_first: bool) -> Result<Answer, MediaError> {
    match *question {
        Question::Between(begin, end) => {
            if is_first && begin > 0.0 {
                sound.begin_at(begin)?;
            }
            sound.measure(end)?;
            Ok(Answer::Piece(sound.take()))
        }
        Question::Whole(to_end) => {
            if to_end {
                sound.measure(f64::INFINITY)?;
                sound.take();
            }
            Ok(Answer::Whole(Box::new(sound.summary())))
        }
    }
}

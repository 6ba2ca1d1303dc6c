//! The check of the video on screen against a profile, for its panel. A thread of the lowest priority reads the file
//! itself, and only while playback does not need the machine.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use super::outgoing;
use crate::app::input::event::Waker;
use crate::app::session::Session;
use crate::app::strip::{Gate, Pace, Pacer, StripSubject, give_way, own_pool};
use histoscope_batch::analyze::pipeline::Request;
use histoscope_batch::analyze::{AnalyzeError, Stop};
use histoscope_batch::check::finding::CheckFinding;
use histoscope_batch::check::output::{CheckFormat, measured, plain_text, standing as standing_of, verdict};
use histoscope_batch::check::profile::{BUILT_IN, Profile, Severity};
use histoscope_batch::check::run::{CheckedFile, run_observed};
use histoscope_batch::editors::EditorFormat;
use histoscope_core::text::{counted, file_name, sanitized, time_text};
use histoscope_hud::{FindingRow, FindingWeight, FindingsOutcome, FindingsView, Note};
use histoscope_render::engine::EngineChoice;
use histoscope_render::gpu::AdapterChoice;

/// Interval at which progress is shown.
const INTERVAL: Duration = Duration::from_millis(500);
/// The formats in which findings are saved, and their extensions.
const FORMATS: [CheckFormat; 3] = [CheckFormat::Editor(EditorFormat::Edl), CheckFormat::Json, CheckFormat::Csv];
const EXTENSIONS: [&str; 3] = [FORMATS[0].extension(), FORMATS[1].extension(), FORMATS[2].extension()];
/// Name of the threads.
const THREAD: &str = "histoscope-check";

/// The check of the video on screen.
pub struct Checker {
    /// The profiles to choose from: the built-in ones, and perhaps the path of a file.
    profiles: Vec<String>,
    /// The index of the chosen one.
    chosen: usize,
    state: CheckState,
    /// The index of the selected finding.
    selected: Option<usize>,
    pacer: Pacer,
    waker: Waker,
}

/// The input of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CheckSubject {
    video: StripSubject,
    profile: String,
}

enum CheckState {
    Nothing,
    Running(Running),
    Ended(CheckSubject, Ended),
}

/// A check that is running. Dropping it ends the thread at its next frame, without waiting for it.
struct Running {
    subject: CheckSubject,
    gate: Arc<Gate>,
    stop: Stop,
    /// The part of the file that has been examined, in permille.
    permille: Arc<AtomicU32>,
    /// The permille shown last.
    shown: u32,
    answer: Receiver<Result<CheckedFile, String>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.gate.set(Pace::Stop);
        self.stop.stop();
    }
}

/// The result of a check.
enum Ended {
    Checked {
        file: Box<CheckedFile>,
        verdict: String,
        rows: Vec<FindingRow>,
    },
    /// The reason why there is no result.
    Refused(String),
}

impl Checker {
    /// Creates a checker that has not run. The profile is the one given at the start of the program, or that of the
    /// settings.
    #[must_use]
    pub fn new(given: Option<&str>, kept: &str, waker: Waker) -> Self {
        let mut profiles: Vec<_> = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
        let name = given.unwrap_or(kept);
        let chosen = profiles.iter().position(|known| known == name).unwrap_or_else(|| {
            // The default was called so before; the settings may still say it.
            if name.is_empty() || name == "ebu-r103" {
                return 0;
            }
            // The settings may be read in a different working directory.
            profiles
                .push(std::path::absolute(name).map_or_else(|_| name.to_owned(), |path| path.display().to_string()));
            profiles.len() - 1
        });
        Self { profiles, chosen, state: CheckState::Nothing, selected: None, pacer: Pacer::default(), waker }
    }

    /// Returns the chosen profile: the name of a built-in one, or the path of a file.
    #[must_use]
    pub fn profile(&self) -> &str {
        &self.profiles[self.chosen]
    }

    /// Chooses a profile. The file is then checked again.
    pub fn choose(&mut self, index: usize) {
        self.chosen = index.min(self.profiles.len() - 1);
    }

    /// Starts, continues or ends the check. `subject` is the video on screen, or `None` while the panel is closed; a
    /// result remains until another video is on screen. Returns whether the panel has changed, and when to call again.
    pub fn follow(&mut self, subject: Option<(&Session, StripSubject)>, now: Instant) -> (bool, Option<Instant>) {
        let Some((session, video)) = subject else {
            if matches!(self.state, CheckState::Running(_)) {
                log::debug!("check: stopped");
                self.state = CheckState::Nothing;
            }
            return (false, None);
        };
        let subject = CheckSubject { video, profile: self.profile().to_owned() };
        let is_known = match &self.state {
            CheckState::Nothing => false,
            CheckState::Running(running) => running.subject == subject,
            CheckState::Ended(known, _) => *known == subject,
        };
        if !is_known {
            (self.pacer, self.selected) = (Pacer::default(), None);
            self.state = begin(subject, session, &self.waker);
        }
        let CheckState::Running(running) = &mut self.state else { return (!is_known, None) };
        running.gate.set(self.pacer.pace(&session.player, now));
        let answer = match running.answer.try_recv() {
            Ok(answer) => answer,
            Err(TryRecvError::Empty) => {
                let before = std::mem::replace(&mut running.shown, running.permille.load(Ordering::Relaxed));
                return (!is_known || running.shown != before, Some(now + INTERVAL));
            }
            Err(TryRecvError::Disconnected) => Err("the check ended without a result; try again with -vv".to_owned()),
        };
        let ended = match answer {
            Ok(file) => checked(file),
            Err(reason) => refused(reason),
        };
        self.state = CheckState::Ended(running.subject.clone(), ended);
        (true, None)
    }

    fn rows(&self) -> &[FindingRow] {
        match &self.state {
            CheckState::Ended(_, Ended::Checked { rows, .. }) => rows,
            _ => &[],
        }
    }

    /// Selects a finding. Returns it, or `None` if there is none at this index.
    pub fn select(&mut self, index: usize) -> Option<&FindingRow> {
        self.selected = Some(index).filter(|&index| index < self.rows().len());
        self.rows().get(self.selected?)
    }

    /// Returns the index of the selected finding.
    #[must_use]
    pub const fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Selects the next or previous finding. Returns `true` if there are any.
    pub fn step(&mut self, forward: bool) -> bool {
        let Some(last) = self.rows().len().checked_sub(1) else { return false };
        let index = match (self.selected, forward) {
            (None, true) => 0,
            (None, false) => last,
            (Some(at), true) => (at + 1).min(last),
            (Some(at), false) => at.saturating_sub(1),
        };
        if let Some(row) = self.select(index) {
            log::debug!("check: {} is selected", row.as_text());
        }
        true
    }

    /// Saves the findings next to other saved files. Returns the note on it, or `None` without findings to save.
    #[must_use]
    pub fn save(&self, name: &str, format: usize) -> Option<Note> {
        let (format, extension) = (FORMATS.get(format)?, EXTENSIONS.get(format)?);
        let CheckState::Ended(_, Ended::Checked { file, .. }) = &self.state else { return None };
        let text = plain_text(std::slice::from_ref(&**file), *format)?;
        Some(match outgoing::save_text(&format!("{}-check", outgoing::plain_stem(name)), extension, &text) {
            Ok(path) => Note::info(format!("saved {}", path.display())),
            Err(error) => Note::warning(format!("nothing was saved: {error}")),
        })
    }

    /// Returns the contents of the panel.
    #[must_use]
    pub fn view(&self) -> FindingsView<'_> {
        let outcome = match &self.state {
            CheckState::Nothing => FindingsOutcome::Running(0),
            CheckState::Running(running) => FindingsOutcome::Running(running.shown / 10),
            CheckState::Ended(_, Ended::Refused(reason)) => FindingsOutcome::Refused(reason),
            CheckState::Ended(_, Ended::Checked { verdict, rows, .. }) => FindingsOutcome::Found { verdict, rows },
        };
        let profiles = self.profiles.iter().map(|name| file_name(Path::new(name))).collect();
        FindingsView { profiles, chosen: self.chosen, formats: &EXTENSIONS, outcome, selected: self.selected }
    }
}

/// Returns the panel's row for a finding.
fn row_of(finding: &CheckFinding) -> FindingRow {
    let at = match (finding.span, finding.timecodes[0]) {
        (None, _) => "whole file".to_owned(),
        (Some(_), Some(timecode)) => timecode.to_string(),
        (Some(span), None) => time_text(span.start_secs),
    };
    let length = finding.span.map_or_else(String::new, |span| counted(span.frames(), "frame"));
    let waived = finding.waived.as_ref().map_or_else(String::new, |_| format!(" ({})", standing_of(finding)));
    let text = sanitized(&finding.text) + &waived;
    // The words are all there is to say about a finding without a value.
    let value = match (measured(finding), finding.value.text.as_str()) {
        (empty, "") if empty.is_empty() => text.clone(),
        (empty, value) if empty.is_empty() => value.to_owned(),
        (value, _) => value,
    };
    let standing = if finding.waived.is_some() { "waived" } else { finding.severity.name() };
    let cells = [standing.to_owned(), finding.check.to_owned(), at, length, value];
    let weight = match finding.severity {
        _ if finding.waived.is_some() => FindingWeight::Info,
        Severity::Error => FindingWeight::Error,
        Severity::Warning => FindingWeight::Warning,
        Severity::Info | Severity::Off => FindingWeight::Info,
    };
    FindingRow { frame: finding.span.map(|span| span.frame), text, weight, cells }
}

fn checked(file: CheckedFile) -> Ended {
    let rows: Vec<_> = file.findings.iter().map(row_of).collect();
    let verdict = verdict(&file);
    for row in &rows {
        log::trace!("check: finding {}", row.as_text());
    }
    log::debug!("check: {verdict}");
    Ended::Checked { file: Box::new(file), verdict, rows }
}

fn refused(reason: String) -> Ended {
    log::debug!("check: refused: {reason}");
    Ended::Refused(reason)
}

/// Starts the check of a video, or says why it cannot be checked.
fn begin(subject: CheckSubject, session: &Session, waker: &Waker) -> CheckState {
    let info = &session.info;
    // A pipe that is opened again would take data from the video on screen.
    let can_be_read = !info.live && (subject.video.path.is_file() || info.seekable);
    let started = if can_be_read {
        let profile = Profile::named(&subject.profile).map_err(|error| error.to_string());
        profile.and_then(|profile| start(subject.clone(), profile, Arc::clone(waker)))
    } else {
        let input = subject.video.path.clone();
        Err(AnalyzeError::NeedsFile { input, what: "check" }.to_string())
    };
    match started {
        Ok(running) => CheckState::Running(running),
        Err(reason) => CheckState::Ended(subject, refused(reason)),
    }
}

fn start(subject: CheckSubject, profile: Profile, waker: Waker) -> Result<Running, String> {
    let (gate, stop, permille) = (Arc::new(Gate::default()), Stop::new(), Arc::new(AtomicU32::new(0)));
    let request = request(&subject.video, &stop);
    let (sender, answer) = mpsc::channel();
    let (its_gate, its_permille) = (Arc::clone(&gate), Arc::clone(&permille));
    let check = move || {
        give_way();
        if !its_gate.pass() {
            return;
        }
        let run = || {
            let mut follow = |span: &std::ops::Range<f64>, time_secs: f64| {
                let part = (time_secs - span.start) / (span.end - span.start);
                its_permille.store((part.clamp(0.0, 1.0) * 1000.0) as u32, Ordering::Relaxed);
                if its_gate.pass() { std::ops::ControlFlow::Continue(()) } else { std::ops::ControlFlow::Break(()) }
            };
            run_observed(request, &profile, false, &mut follow).map_err(|error| error.to_string())
        };
        // Counting in rayon's global pool would delay the window's.
        let answer = match own_pool(THREAD, 0) {
            Some(pool) => pool.install(run),
            None => run(),
        };
        // The receiver is gone if the check is no longer needed.
        let _ = sender.send(answer);
        waker();
    };
    let thread = std::thread::Builder::new().name(THREAD.to_owned()).spawn(check);
    thread.map_err(|error| format!("the file is not checked: no thread could be started: {error}"))?;
    Ok(Running { subject, gate, stop, permille, shown: 0, answer })
}

/// Returns the request of `histoscope check` for this video, counted by the CPU: the adapter belongs to the window.
fn request(video: &StripSubject, stop: &Stop) -> Request {
    let engine = (EngineChoice::Cpu, AdapterChoice::default());
    Request::new(video.path.clone(), video.open.clone(), engine, stop.clone())
}

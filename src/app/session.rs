//! One open video: its decoding thread, its player, and how its colour is read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use super::delay::Delays;
use super::faults::Faults;
use super::hud::{LiveState, PlayState, Waiting};
use super::seek_note::{Landing, PlaybackPlace};
use super::signal;
use histoscope_core::picture::color::{Colorimetry, Matrix, Origin, Range, Sourced};
use histoscope_core::picture::layout::{ChromaLines, ColorModel};
use histoscope_core::picture::{Field, Frame, Timecode, nonlinear};
use histoscope_core::text::{file_name, time_text};
use histoscope_media::playback::{Marks, News, Player, SeekRequest, StepEnd, Tick, send, take_events};
use histoscope_media::{DecodeThread, NoSignal, OpenOptions, StreamInfo};

/// What is said where the reading of a picture is to change that is not the video's.
const OTHER: &str = "matrix and range are chosen for the video; Shift+P goes back to it";

/// An open video.
pub struct Session {
    /// The file or address as it was given.
    pub input: PathBuf,
    /// Its name without folders.
    pub name: String,
    /// What its headers say.
    pub info: Arc<StreamInfo>,
    /// Since when a live source gives nothing; `None` while it does, and of what is not live.
    pub lost_since: Option<SystemTime>,
    /// What is due when.
    pub player: Player,
    /// Where it was left the last time, in seconds.
    pub left_at: Option<f64>,
    /// The frame on screen, to count it again when something else is to be counted.
    pub frame: Option<Frame>,
    /// Whether that is another picture than the video's, which is read as it says by itself.
    pub is_other: bool,
    media: Option<DecodeThread>,
    /// How long a live source's pictures take to the screen.
    delays: Delays,
    /// How the user reads its colour.
    pub interpretation: Interpretation,
    /// The faults that have been told.
    reported: Faults,
    landing: Landing,
}

/// How the user reads a video, where that is not its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Interpretation {
    /// From Y'CbCr to R'G'B'.
    pub matrix: Option<Matrix>,
    /// Which codes are black and white.
    pub range: Option<Range>,
    /// The lines that share a chroma row in 4:2:0.
    pub chroma_lines: Option<ChromaLines>,
    /// The field that is shown and counted alone.
    pub field: Option<Field>,
}

impl Interpretation {
    /// The one with which a session begins. What else the options say, the decoder does.
    #[must_use]
    pub fn at_start(options: &OpenOptions) -> Self {
        Self { field: options.field, ..Self::default() }
    }
}

/// What has become of a session since it was last asked.
pub struct Due {
    /// A new frame to show.
    pub show: Option<Frame>,
    /// When to ask again, if nothing happens before.
    pub wake_at: Option<Instant>,
    /// What went wrong meanwhile, in words.
    pub complaints: Vec<String>,
    /// What has come of a seek or a step, in words.
    pub told: Option<String>,
}

impl Session {
    /// Takes over a decoding thread that has opened a video and given its first frame.
    #[must_use]
    pub fn new(
        input: PathBuf,
        (media, info): (DecodeThread, Arc<StreamInfo>),
        mut player: Player,
        first: Frame,
        interpretation: Interpretation,
    ) -> Self {
        player.push(first);
        Self {
            name: file_name(&input),
            input,
            info,
            lost_since: None,
            player,
            left_at: None,
            frame: None,
            is_other: false,
            media: Some(media),
            delays: Delays::default(),
            interpretation,
            reported: Faults::default(),
            landing: Landing::default(),
        }
    }

    /// Takes decoded frames and decides what is due.
    pub fn advance(&mut self, now: Instant) -> Due {
        let mut complaints = Vec::new();
        let mut signal = None;
        if let Some(media) = &self.media {
            let (info, lost_since, name) = (&mut self.info, &mut self.lost_since, &self.name);
            let on_news = |news| match news {
                News::Error(error) => {
                    log::warn!("{error}");
                    complaints.push(error.to_string());
                }
                News::NoSignal(NoSignal::Lost { since, reason }) => {
                    if lost_since.replace(since).is_none() {
                        log::warn!("{name}: {}", signal::lost_text(since));
                    }
                    log::debug!("{name}: {reason}");
                }
                News::NoSignal(NoSignal::Awaited { .. }) => {}
                News::Signal(now) => {
                    if lost_since.take().is_some() {
                        log::warn!("{name}: the signal is back");
                        signal = Some(signal::back_text(info, &now));
                    }
                    *info = now;
                }
            };
            let has_ended = take_events(&mut self.player, media, now, on_news);
            complaints.extend(self.report_faults(has_ended));
        }
        let Tick { show, wake_at, seek, step_end } = self.player.tick(now);
        self.seek(seek);
        let player = &self.player;
        let place = PlaybackPlace {
            is_on_its_way: player.is_on_its_way(),
            time_secs: player.position_secs(),
            frame: player.frame_index(),
            timecode: self.timecode(),
        };
        let landed = self.landing.follow(place, now);
        let told = step_end.map(|end| step_end_text(end, player.is_live()).to_owned()).or(landed).or(signal);
        Due { show, wake_at, complaints, told }
    }

    /// Notes what was said of a seek that has just been asked for, so that where it leads is told as well.
    pub fn announce(&mut self, said: &str) {
        self.landing = Landing::UnderWay(said.to_owned());
    }

    /// Notes that the frame on screen was handed to the screen.
    pub fn note_presented(&mut self, now: SystemTime) {
        if self.player.is_paused() {
            self.delays.forget();
        } else if let Some(frame) = &self.frame {
            self.delays.note(frame, now);
        }
    }

    /// Whether something is waited for that the user is to know of, whatever else is shown.
    #[must_use]
    pub fn waits(&self, now: Instant) -> bool {
        self.lost_since.is_some() || self.player.slow_seek(now).is_some()
    }

    /// Hands a seek to the decoder.
    fn seek(&self, request: Option<SeekRequest>) {
        if let Some(media) = &self.media {
            send(media, request);
        }
    }

    /// Pauses or goes on; at the end, starts again.
    pub fn toggle_pause(&mut self, now: Instant) {
        let seek = self.player.toggle_pause(now);
        self.seek(seek);
    }

    /// Pauses and steps one frame forward or back.
    pub fn step(&mut self, forward: bool, now: Instant) {
        let seek = self.player.step(forward, now);
        self.seek(seek);
    }

    /// Shows the exact frame some seconds from where the last request leads.
    pub fn go_by(&mut self, secs: f64) {
        let seek = self.player.seek_by(secs);
        self.seek(seek);
    }

    /// Shows a picture near a time quickly, on the way to it.
    pub fn scrub_to(&mut self, secs: f64, now: Instant) {
        // The timeline tells where that leads.
        self.landing = Landing::Nothing;
        let seek = self.player.scrub_to(secs, now);
        self.seek(seek);
    }

    /// The same, some seconds from where the last request leads.
    pub fn scrub_by(&mut self, secs: f64, now: Instant) {
        self.announce("");
        let seek = self.player.scrub_by(secs, now);
        self.seek(seek);
    }

    /// Shows the exact frame of where scrubbing has led.
    pub fn settle(&mut self, now: Instant) {
        if self.player.is_scrubbing() {
            let seek = self.player.settle(now);
            self.seek(seek);
        }
    }

    /// Shows the exact frame of a time that was typed. What is to be said of it.
    pub fn go_to_time(&mut self, secs: f64) -> String {
        self.go_to(secs);
        match self.player.duration_secs() {
            Some(length) if secs > length => format!("to the end: the video is {} long", time_text(length)),
            _ => format!("to {}", time_text(secs)),
        }
    }

    /// Shows the exact frame of a time.
    pub fn go_to(&mut self, secs: f64) {
        let seek = self.player.seek_to(secs);
        self.seek(seek);
    }

    /// Shows a frame by its number. What is to be said of it.
    pub fn go_to_frame(&mut self, index: u64) -> String {
        let last = self.info.stated_frames.map(|count| count.saturating_sub(1));
        let seek = self.player.seek_to_frame(index);
        self.seek(seek);
        match last {
            Some(last) if index > last => format!("to the last frame, {last}: there is no frame {index}"),
            _ => format!("to frame {index}"),
        }
    }

    /// The timecode of the frame on screen.
    #[must_use]
    pub fn timecode(&self) -> Option<Timecode> {
        let own = self.frame.as_ref().and_then(|frame| frame.timecode);
        self.info.timecodes.and_then(|timecodes| timecodes.of(own, self.player.frame_index()))
    }

    /// Shows the frame with that timecode, as far as the breaks tell where it is, those that are known by now. What is to be said of it.
    pub fn go_to_timecode(&mut self, timecode: Timecode, breaks: &[(u64, Timecode)]) -> String {
        let Some(timecodes) = self.info.timecodes else {
            return "this video has no timecodes; type a time or a frame number".to_owned();
        };
        let Some(number) = timecodes.number_of(timecode, breaks) else {
            return format!("no frame has the timecode {timecode}; the first one has {}", timecodes.first);
        };
        let said = self.go_to_frame(number);
        let is_behind_end = self.info.stated_frames.is_some_and(|count| number >= count);
        if is_behind_end { said } else { format!("to {timecode}") }
    }

    /// Changes the speed; what it is then.
    pub fn set_speed(&mut self, speed: f64, now: Instant) -> f64 {
        // Steps up and down again lead back to exactly 1.
        let speed = if (speed - 1.0).abs() < 0.005 { 1.0 } else { speed };
        self.player.set_speed(speed, now);
        self.player.speed()
    }

    /// Marks A, then B, then clears both. What is to be said of it.
    pub fn mark(&mut self) -> String {
        let seek = self.player.mark();
        self.seek(seek);
        match self.player.marks() {
            Marks { a: Some(a), b: Some(b) } => format!("A–B: {} to {}, again and again", time_text(a), time_text(b)),
            Marks { a: Some(a), .. } => format!("A at {}", time_text(a)),
            Marks { a: None, .. } => "A and B cleared".to_owned(),
        }
    }

    /// Frames a second, where they are known to be evenly spaced.
    #[must_use]
    pub fn frame_rate(&self) -> Option<f64> {
        self.info.constant_rate().map(histoscope_core::picture::Ratio::value).filter(|&rate| rate > 0.0)
    }

    /// Where playback is, for the controls.
    #[must_use]
    pub fn play_state(&self, now: Instant) -> PlayState {
        let player = &self.player;
        let marks = player.marks();
        PlayState {
            position_secs: player.position_secs(),
            destination_secs: player.destination_secs(),
            duration_secs: player.duration_secs(),
            frame_index: player.frame_index(),
            timecode: self.timecode(),
            estimated_index: player.estimated_index(),
            frame_rate: self.frame_rate(),
            paused: player.is_paused(),
            ended: player.has_ended(),
            speed: player.speed(),
            looped: player.is_looped(),
            marks: [marks.a, marks.b],
            seekable: player.is_seekable(),
            still: player.is_single(),
            live: player.is_live().then(|| LiveState {
                kept: player.kept_secs(),
                delay: self.delays.median(),
                arrival: self.frame.as_ref().and_then(|frame| frame.arrival),
            }),
            waiting: match player.slow_seek(now) {
                Some(goal) => Waiting::Seeking(goal),
                None => match self.lost_since {
                    Some(since) => Waiting::Signal(since),
                    None if player.is_buffering(now) => Waiting::Data,
                    None => Waiting::Nothing,
                },
            },
        }
    }

    /// From when to when nothing came of a live source, as far as it is kept, in seconds.
    #[must_use]
    pub fn gaps_secs(&self) -> Vec<(f64, f64)> {
        self.media.as_ref().filter(|_| self.player.is_live()).map(DecodeThread::gaps_secs).unwrap_or_default()
    }

    /// For how long a live source can be looked back into, in seconds: what is lost when it is left.
    #[must_use]
    pub fn kept_secs(&self, now: Instant) -> f64 {
        let live = self.play_state(now).live;
        live.and_then(|live| live.kept).map_or(0.0, |(oldest, newest)| newest - oldest)
    }

    /// The frame, its picture read with the user's matrix and range where they are chosen.
    #[must_use]
    pub fn read(&self, frame: &Frame) -> Frame {
        if self.is_other {
            return frame.clone();
        }
        let own = frame.picture.decoded().colorimetry();
        let Interpretation { matrix, range, chroma_lines, field } = self.interpretation;
        let matrix = matrix.map_or(own.matrix, |value| Sourced { value, origin: Origin::Overridden });
        let range = range.map_or(own.range, |value| Sourced { value, origin: Origin::Overridden });
        let lines = chroma_lines.map(|value| Sourced { value, origin: Origin::Overridden });
        let picture = nonlinear::read_as(&frame.picture, Colorimetry { matrix, range }, lines);
        let whole = Frame { picture, ..frame.clone() };
        match field {
            // A picture of one line is its own top field and has no other.
            Some(field) => whole.clone().of_field(field).unwrap_or(whole),
            None => whole,
        }
    }

    /// Reads the video with the next matrix; after the last one with its own again. What is to be said of it.
    pub fn next_matrix(&mut self) -> String {
        let Some(frame) = &self.frame else { return "no picture yet".to_owned() };
        if self.is_other {
            return OTHER.to_owned();
        }
        let decoded = frame.picture.decoded();
        let layout = decoded.layout();
        if layout.model != ColorModel::YCbCr {
            return "the picture has no chroma to convert: no matrix applies".to_owned();
        }
        let own = decoded.colorimetry().matrix;
        // Planes of G, B and R all have the same size.
        let is_full = layout.chroma_shift == (0, 0);
        let others = Matrix::ALL.into_iter().filter(|&m| m != own.value && (is_full || m != Matrix::Identity));
        let order: Vec<_> = std::iter::once(None).chain(others.map(Some)).collect();
        let chosen = &mut self.interpretation.matrix;
        *chosen = next_of(&order, *chosen);
        match chosen {
            Some(matrix) => format!("matrix {matrix} instead of {} ({})", own.value, own.origin),
            None => format!("matrix {} ({})", own.value, own.origin),
        }
    }

    /// Reads the video with the other range, or with its own again. What is to be said of it.
    pub fn next_range(&mut self) -> String {
        let Some(frame) = &self.frame else { return "no picture yet".to_owned() };
        if self.is_other {
            return OTHER.to_owned();
        }
        let decoded = frame.picture.decoded();
        if decoded.layout().model == ColorModel::Rgb {
            return "the picture is R'G'B': its range is always full".to_owned();
        }
        let own = decoded.colorimetry().range;
        let other = if own.value == Range::Limited { Range::Full } else { Range::Limited };
        let chosen = &mut self.interpretation.range;
        *chosen = next_of(&[None, Some(other)], *chosen);
        match chosen {
            Some(range) => format!("range {range} instead of {} ({})", own.value, own.origin),
            None => format!("range {} ({})", own.value, own.origin),
        }
    }

    /// Reads the chroma of 4:2:0 as shared by the other lines, or by those that the frames say again. What is to be said of it.
    pub fn next_chroma_lines(&mut self) -> String {
        let Some(frame) = &self.frame else { return "no picture yet".to_owned() };
        if self.is_other {
            return OTHER.to_owned();
        }
        let Some(own) = frame.picture.chroma_lines() else {
            return "no lines of this picture share a chroma row: it is not 4:2:0".to_owned();
        };
        let other = if own.value == ChromaLines::Frame { ChromaLines::Field } else { ChromaLines::Frame };
        let chosen = &mut self.interpretation.chroma_lines;
        *chosen = next_of(&[None, Some(other)], *chosen);
        match chosen {
            Some(lines) => format!("4:2:0 chroma by {lines} instead of by {}", own.value),
            None => format!("4:2:0 chroma by {}, as the frame is flagged", own.value),
        }
    }

    /// Shows and counts the next field alone, or both again. What is to be said of it.
    pub fn next_field(&mut self) -> String {
        let Some(frame) = &self.frame else { return "no picture yet".to_owned() };
        if self.is_other {
            return OTHER.to_owned();
        }
        if frame.picture.height() < 2 {
            return "a picture of one line has no two fields".to_owned();
        }
        let chosen = &mut self.interpretation.field;
        *chosen = next_of(&[None, Some(Field::Top), Some(Field::Bottom)], *chosen);
        match chosen {
            Some(field) => format!("{field} field alone"),
            None => "both fields".to_owned(),
        }
    }

    /// What is wrong with the file, as far as it has been read.
    #[must_use]
    pub fn faults(&self) -> Faults {
        let condition = self.media.as_ref().map(DecodeThread::condition).unwrap_or_default();
        Faults::new(condition.0, condition.1)
    }

    /// Says what has turned out to be wrong with the file since the last time.
    fn report_faults(&mut self, has_ended: bool) -> Vec<String> {
        let faults = self.faults();
        let news = faults.news(&self.reported, has_ended);
        if !news.is_empty() {
            self.reported = faults;
        }
        for text in &news {
            log::warn!("{}: {text}", self.name);
        }
        news
    }

    /// Logs what became of the frames.
    pub fn log_summary(&self) {
        let counts = self.player.counts();
        let counters = self.faults().counters();
        log::info!(
            "{} frames shown, {} dropped, {} damaged, {} packets refused",
            counts.shown,
            counts.dropped,
            counters.damaged,
            counters.refused_packets
        );
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        end_aside(self.media.take());
    }
}

/// Ends a decoding thread without waiting for it here: a read from a pipe or a server may take its time.
pub fn end_aside(media: Option<DecodeThread>) {
    if let Some(media) = media {
        // Where the system gives no thread, the closure and the decoder in it are dropped here.
        let _ = std::thread::Builder::new().name("histoscope-close".to_owned()).spawn(move || drop(media));
    }
}

/// Why a step led nowhere, in words.
const fn step_end_text(end: StepEnd, is_live: bool) -> &'static str {
    match end {
        StepEnd::First if is_live => "the oldest picture that is kept",
        StepEnd::First => "first frame",
        StepEnd::Last => "last frame",
        StepEnd::ForwardsOnly => "this input plays forwards only",
    }
}

/// What follows `current` in a circle.
pub fn next_of<T: Copy + PartialEq>(all: &[T], current: T) -> T {
    let at = all.iter().position(|&one| one == current).map_or(0, |at| at + 1);
    all.get(at).or(all.first()).copied().unwrap_or(current)
}

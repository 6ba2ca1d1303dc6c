//! An open video: its decoding thread, its player, and how its colour is interpreted.

mod delay;
pub mod faults;
pub mod info;
mod seek_note;
pub mod signal;
pub mod transport;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use delay::Delays;
use faults::Faults;
use histoscope_core::picture::color::{Colorimetry, Matrix, Origin, Range, Sourced};
use histoscope_core::picture::layout::{ChromaLines, ColorModel};
use histoscope_core::picture::transfer::Transfer;
use histoscope_core::picture::{Field, Frame, Picture, Timecode, nonlinear};
use histoscope_core::text::{file_name, time_text};
use histoscope_hud::{LiveState, PlayState, Waiting, lost_text};
use histoscope_keys::{Property, next_of};
use histoscope_lab::bench::BenchContent;
use histoscope_media::playback::{
    FramePlace, Marks, Player, SeekGoal, SeekRequest, SourceEvent, StepEnd, Tick, send, take_events,
};
use histoscope_media::{DecodeThread, HardwareChoice, NoSignal, OpenOptions, StreamInfo};
use seek_note::PendingSeekNote;

/// The note to show when the user changes the interpretation of a picture that is not the video's.
const OTHER: &str = "matrix and range are chosen for the video; Shift+P goes back to it";

/// An open video.
pub struct Session {
    /// The file or address as it was given.
    pub input: PathBuf,
    /// Its name without folders.
    pub name: String,
    /// The properties given in its headers.
    pub info: Arc<StreamInfo>,
    /// Since when a live source has sent nothing; `None` while it sends, and for other sources.
    pub lost_since: Option<SystemTime>,
    /// Decides which frame is due when.
    pub player: Player,
    /// Position where the video was left last time, in seconds.
    pub left_at: Option<f64>,
    /// The frame on screen, with the user's interpretation if it is the video's.
    pub frame: Option<Frame>,
    /// The same as it was decoded, kept so that it can be interpreted differently.
    pub decoded: Option<Frame>,
    /// `true` if the picture on screen is not the video's; it is then shown without the user's interpretation.
    pub is_other: bool,
    /// The content that the lab shows in place of the video's, if there is one, and a picture of it.
    pub stand_in: Option<(BenchContent, Option<Picture>)>,
    media: Option<DecodeThread>,
    /// How long a live source's pictures take to reach the screen.
    delays: Delays,
    /// How the user interprets the video.
    pub interpretation: Interpretation,
    /// The hardware that decoded last.
    hardware: Option<HardwareChoice>,
    /// The faults that have been reported.
    reported: Faults,
    landing: PendingSeekNote,
}

/// The user's interpretation of a video, where it differs from the video's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Interpretation {
    /// The matrix that relates R'G'B' to Y'CbCr.
    pub matrix: Option<Matrix>,
    /// Which codes are black and white.
    pub range: Option<Range>,
    /// The transfer function from codes to light.
    pub transfer: Option<Transfer>,
    /// The lines that share a chroma row in 4:2:0.
    pub chroma_lines: Option<ChromaLines>,
    /// The only field that is shown and counted.
    pub field: Option<Field>,
}

impl Interpretation {
    /// Returns the interpretation that a session starts with. The decoder applies the other options.
    #[must_use]
    pub fn at_start(options: &OpenOptions) -> Self {
        Self { field: options.field, ..Self::default() }
    }
}

/// Changes to a session since the last call.
pub struct Due {
    /// A new frame to show.
    pub show: Option<Frame>,
    /// When to call again if nothing happens before.
    pub wake_at: Option<Instant>,
    /// What has gone wrong since the last call, in words.
    pub complaints: Vec<String>,
    /// The outcome of a seek or a step, or the return of the signal, in words.
    pub note: Option<String>,
}

/// Returns the choice of the hardware that decodes a video.
fn hardware_of(info: &StreamInfo) -> Option<HardwareChoice> {
    info.hardware.and_then(|name| name.parse().ok())
}

/// Returns a note on what decodes from here on.
fn decoder_text(info: &StreamInfo) -> String {
    match (info.hardware, &info.software_reason) {
        (None, Some(_)) => format!("decoder: {}, in software; i tells why", info.decoder),
        (None, None) => format!("decoder: {}, in software", info.decoder),
        (Some(_), _) => format!("decoder: {}", info.decoder),
    }
}

impl Session {
    /// Takes over a decoding thread that has opened a video and delivered its first frame.
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
            info: Arc::clone(&info),
            lost_since: None,
            player,
            left_at: None,
            frame: None,
            decoded: None,
            is_other: false,
            stand_in: None,
            media: Some(media),
            delays: Delays::default(),
            interpretation,
            hardware: hardware_of(&info),
            reported: Faults::default(),
            landing: PendingSeekNote::default(),
        }
    }

    /// Takes decoded frames and decides what is due.
    pub fn advance(&mut self, now: Instant) -> Due {
        let mut complaints = Vec::new();
        let (mut signal, mut switched) = (None, None);
        if let Some(media) = &self.media {
            let (info, lost_since, name) = (&mut self.info, &mut self.lost_since, &self.name);
            let hardware = &mut self.hardware;
            let on_news = |news| match news {
                SourceEvent::Error(error) => {
                    log::warn!("{error}");
                    complaints.push(error.to_string());
                }
                SourceEvent::Switched(Ok(now)) => {
                    *hardware = hardware_of(&now).or(*hardware);
                    switched = Some(decoder_text(&now));
                    *info = now;
                }
                SourceEvent::Switched(Err(error)) => complaints.push(error.to_string()),
                SourceEvent::NoSignal(NoSignal::Lost { since, reason }) => {
                    if lost_since.replace(since).is_none() {
                        log::warn!("{name}: {}", lost_text(since));
                    }
                    log::debug!("{name}: {reason}");
                }
                SourceEvent::NoSignal(NoSignal::Awaited { .. }) => {}
                SourceEvent::Signal(now) => {
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
        let place = self.place();
        let landed = self.landing.follow(place, self.player.is_seek_pending(), now);
        let note =
            step_end.map(|end| step_end_text(end, self.player.is_live()).to_owned()).or(switched).or(landed).or(signal);
        Due { show, wake_at, complaints, note }
    }

    /// Notes the text shown for a seek that was just requested, so that its destination is reported too.
    pub fn announce(&mut self, said: &str) {
        self.landing = PendingSeekNote::Pending(said.to_owned());
    }

    /// Notes that the frame on screen has been presented.
    pub fn note_presented(&mut self, now: SystemTime) {
        if self.player.is_paused() {
            self.delays.forget();
        } else if let Some(frame) = &self.frame {
            self.delays.note(frame, now);
        }
    }

    /// Returns `true` if the user must be told that something is being waited for, whatever else is shown.
    #[must_use]
    pub fn waits(&self, now: Instant) -> bool {
        self.lost_since.is_some() || self.player.slow_seek(now).is_some()
    }

    /// Sends a seek to the decoder.
    fn seek(&self, request: Option<SeekRequest>) {
        if let Some(media) = &self.media {
            send(media, request);
        }
    }

    /// Decodes with hardware, or in software if hardware decodes now. Returns a note if neither is possible; otherwise
    /// the decoder reports what decodes from there on.
    pub fn switch_decoder(&mut self) -> Option<String> {
        let choice = match self.info.hardware {
            Some(_) => HardwareChoice::No,
            None => self.hardware.unwrap_or(HardwareChoice::Auto),
        };
        if self.info.live {
            return Some("a live source keeps its decoder".to_owned());
        }
        self.decode_with(choice);
        None
    }

    /// Decodes what is on screen, and all that follows, again with the chosen decoder. Cached frames are dropped.
    pub fn decode_with(&mut self, choice: HardwareChoice) {
        let Some(media) = &self.media else { return };
        media.decode_with(choice);
        let request = self.player.reload();
        send(media, Some(request));
    }

    /// Pauses or resumes playback. At the end, starts again.
    pub fn toggle_pause(&mut self, now: Instant) {
        let seek = self.player.toggle_pause(now);
        self.seek(seek);
    }

    /// Pauses and steps one frame forward or back.
    pub fn step(&mut self, forward: bool, now: Instant) {
        let seek = self.player.step(forward, now);
        self.seek(seek);
    }

    /// Shows the exact frame `secs` from where the last request leads.
    pub fn go_by(&mut self, secs: f64) {
        let seek = self.player.seek_by(secs);
        self.seek(seek);
    }

    /// Shows a picture near a time as quickly as possible, while scrubbing.
    pub fn scrub_to(&mut self, secs: f64, now: Instant) {
        // The timeline itself shows the destination.
        self.landing = PendingSeekNote::Nothing;
        let seek = self.player.scrub_to(secs, now);
        self.seek(seek);
    }

    /// Scrubs by some seconds from where the last request leads.
    pub fn scrub_by(&mut self, secs: f64, now: Instant) {
        self.announce("");
        let seek = self.player.scrub_by(secs, now);
        self.seek(seek);
    }

    /// Shows the exact frame at the position that scrubbing has led to.
    pub fn settle(&mut self, now: Instant) {
        if self.player.is_scrubbing() {
            let seek = self.player.settle(now);
            self.seek(seek);
        }
    }

    /// Shows the exact frame at a time that was typed. Returns the note to show.
    pub fn go_to_time(&mut self, secs: f64) -> String {
        self.go_to(secs);
        match self.player.duration_secs() {
            Some(length) if secs > length => format!("to the end: the video is {} long", time_text(length)),
            _ => format!("to {}", time_text(secs)),
        }
    }

    /// Shows the exact frame at a time.
    pub fn go_to(&mut self, secs: f64) {
        let seek = self.player.seek_to(secs);
        self.seek(seek);
    }

    /// Shows a frame by its number. Returns the note to show.
    pub fn go_to_frame(&mut self, index: u64) -> String {
        let last = self.info.stated_frames.map(|count| count.saturating_sub(1));
        let seek = self.player.seek_to_frame(index);
        self.seek(seek);
        match last {
            Some(last) if index > last => format!("to the last frame, {last}: there is no frame {index}"),
            _ => format!("to frame {index}"),
        }
    }

    /// Returns the names of the frame that the player shows. Its timecode may follow from its number.
    #[must_use]
    pub fn place(&self) -> FramePlace {
        let place = self.player.place();
        let timecodes = self.info.timecodes;
        FramePlace { timecode: timecodes.and_then(|all| all.of(place.timecode, place.number)), ..place }
    }

    /// Shows the frame with this timecode, located by means of the timecode breaks known so far. Returns the note to
    /// show.
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

    /// Changes the speed. Returns the resulting speed.
    pub fn set_speed(&mut self, speed: f64, now: Instant) -> f64 {
        // Stepping up and down again returns to exactly 1.
        let speed = if (speed - 1.0).abs() < 0.005 { 1.0 } else { speed };
        self.player.set_speed(speed, now);
        self.player.speed()
    }

    /// Sets mark A, then B, then clears both. Returns the note to show.
    pub fn mark(&mut self) -> String {
        let seek = self.player.mark();
        self.seek(seek);
        match self.player.marks() {
            Marks { a: Some(a), b: Some(b) } => format!("looping A–B: {} to {}", time_text(a), time_text(b)),
            Marks { a: Some(a), .. } => format!("A at {}", time_text(a)),
            Marks { a: None, .. } => "A and B cleared".to_owned(),
        }
    }

    /// Returns the frames per second, if they are known to be evenly spaced.
    #[must_use]
    pub fn frame_rate(&self) -> Option<f64> {
        self.info.constant_rate().map(histoscope_core::picture::Ratio::value).filter(|&rate| rate > 0.0)
    }

    /// Returns the state of playback for the controls.
    #[must_use]
    pub fn play_state(&self, now: Instant) -> PlayState {
        let player = &self.player;
        let marks = player.marks();
        let FramePlace { time_secs, number, timecode } = self.place();
        PlayState {
            position_secs: time_secs,
            destination_secs: player.destination_secs(),
            duration_secs: player.duration_secs(),
            frame_index: number,
            timecode,
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
                Some(goal) => Waiting::Seeking(seeking_text(goal)),
                None => match self.lost_since {
                    Some(since) => Waiting::Signal(since),
                    None if player.is_buffering(now) => Waiting::Data,
                    None => Waiting::Nothing,
                },
            },
        }
    }

    /// Returns the start and end of each period within the stored part of a live source in which nothing arrived, in
    /// seconds.
    #[must_use]
    pub fn gaps_secs(&self) -> Vec<(f64, f64)> {
        self.media.as_ref().filter(|_| self.player.is_live()).map(DecodeThread::gaps_secs).unwrap_or_default()
    }

    /// Returns how far back a live source can be viewed, in seconds. This is lost when the source is left.
    #[must_use]
    pub fn kept_secs(&self, now: Instant) -> f64 {
        let live = self.play_state(now).live;
        live.and_then(|live| live.kept).map_or(0.0, |(oldest, newest)| newest - oldest)
    }

    /// Returns the frame with the user's interpretation, if it is the video's, or with the lab's own picture.
    #[must_use]
    pub fn read(&self, frame: &Frame) -> Frame {
        if let Some((content, made)) = &self.stand_in {
            let size = |picture: &Picture| (picture.width(), picture.height());
            let made = made.clone().filter(|made| size(made) == size(&frame.picture));
            if let Some(picture) = made.or_else(|| content.in_place_of(&frame.picture)) {
                return Frame { picture, ..frame.clone() };
            }
        }
        if self.is_other {
            return frame.clone();
        }
        let own = frame.picture.decoded().colorimetry();
        let Interpretation { matrix, range, transfer, chroma_lines, field } = self.interpretation;
        let matrix = matrix.map_or(own.matrix, |value| Sourced { value, origin: Origin::Overridden });
        let range = range.map_or(own.range, |value| Sourced { value, origin: Origin::Overridden });
        let lines = chroma_lines.map(|value| Sourced { value, origin: Origin::Overridden });
        let picture = nonlinear::read_as(&frame.picture, Colorimetry { matrix, range, ..*own }, lines);
        let whole = Frame { picture, ..frame.clone() };
        let whole = match transfer {
            Some(transfer) => whole.with_transfer(transfer),
            None => whole,
        };
        match field {
            // A picture of one line is its own top field and has no bottom field.
            Some(field) => whole.clone().of_field(field).unwrap_or(whole),
            None => whole,
        }
    }

    /// Interprets the video with the next value of a property; after the last one, with the video's own. Returns the
    /// note to show.
    pub fn reinterpret(&mut self, property: Property) -> String {
        let Some(frame) = &self.decoded else { return "no picture yet".to_owned() };
        if self.is_other {
            return OTHER.to_owned();
        }
        match property {
            Property::Matrix => {
                let decoded = frame.picture.decoded();
                let layout = decoded.layout();
                if layout.model != ColorModel::YCbCr {
                    return "the picture has no chroma to convert: no matrix applies".to_owned();
                }
                let own = decoded.colorimetry().matrix;
                // The identity matrix requires planes of equal size.
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
            Property::Range => {
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
            Property::Transfer => {
                let tag = frame.source.transfer;
                let own = Transfer::of_tag(tag);
                let others =
                    [Transfer::Pq, Transfer::Hlg, Transfer::Bt1886].into_iter().filter(|&transfer| transfer != own);
                let order: Vec<_> = std::iter::once(None).chain(others.map(Some)).collect();
                let chosen = &mut self.interpretation.transfer;
                *chosen = next_of(&order, *chosen);
                match (chosen, tag) {
                    (Some(transfer), _) => format!("transfer {} instead of {}", transfer.title(), own.title()),
                    (None, Some(_)) => format!("transfer {}, as tagged", own.title()),
                    (None, None) => format!("transfer {}: no tag", own.title()),
                }
            }
            Property::ChromaLines => {
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
            Property::Field => {
                if frame.picture.height() < 2 {
                    return "a picture of one line has no two fields".to_owned();
                }
                let chosen = &mut self.interpretation.field;
                *chosen = next_of(&[None, Some(Field::Top), Some(Field::Bottom)], *chosen);
                match chosen {
                    Some(field) => format!("{field} field only"),
                    None => "both fields".to_owned(),
                }
            }
        }
    }

    /// Returns the faults found in the file so far.
    #[must_use]
    pub fn faults(&self) -> Faults {
        let condition = self.media.as_ref().map(DecodeThread::condition).unwrap_or_default();
        Faults::new(condition.0, condition.1)
    }

    /// Returns the notes on faults found since the last call, and logs them.
    fn report_faults(&mut self, has_ended: bool) -> Vec<String> {
        let faults = self.faults();
        let new_notes = faults.new_notes(&self.reported, has_ended);
        if !new_notes.is_empty() {
            self.reported = faults;
        }
        for text in &new_notes {
            log::warn!("{}: {text}", self.name);
        }
        new_notes
    }

    /// Logs how many frames were shown, dropped and damaged, and how many packets were refused.
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
        close_in_background(self.media.take());
    }
}

/// Ends a decoding thread without blocking the caller: a read from a pipe or a server may take a while.
pub fn close_in_background(media: Option<DecodeThread>) {
    if let Some(media) = media {
        // If no thread can be spawned, the closure and the decoder in it are dropped here.
        let _ = std::thread::Builder::new().name("histoscope-close".to_owned()).spawn(move || drop(media));
    }
}

/// Explains why a step led nowhere.
const fn step_end_text(end: StepEnd, is_live: bool) -> &'static str {
    match end {
        StepEnd::First if is_live => "the oldest stored picture",
        StepEnd::First => "first frame",
        StepEnd::Last => "last frame",
        StepEnd::ForwardsOnly => "forward playback only: this input cannot seek",
    }
}

/// Returns the text shown while the picture at the target of a seek is awaited.
fn seeking_text(goal: SeekGoal) -> String {
    match goal {
        SeekGoal::Time(secs) => format!("seeking to {} …", time_text(secs)),
        SeekGoal::Frame(number) => format!("seeking to frame {number} …"),
        SeekGoal::LastFrame => "seeking to the last frame …".to_owned(),
        SeekGoal::FrameBefore => "seeking to the frame before …".to_owned(),
    }
}

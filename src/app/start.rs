//! Opening the first video and the window, and what stands in the way.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::comparison::{ComparedClip, MatchReading, Matcher};
use super::event::Waker;
use super::files::{Opened, Opening};
use super::options::{AppError, PlayOptions};
use super::session::{Interpretation, Session};
use histoscope_core::picture::{Frame, Ratio};
use histoscope_media::playback::{Player, PlayerOptions};
use histoscope_media::{DecodeThread, Decoder, OpenOptions, QueueLimits, StreamInfo};

/// How long a video may take to open.
const OPEN_LIMIT: Duration = Duration::from_secs(60);
/// How long a sender is waited for before the window opens without its picture, and so without its size.
const SENDER_LIMIT: Duration = Duration::from_millis(1500);

/// A player for a video that has been opened.
pub fn player(info: &StreamInfo, options: &PlayOptions) -> Player {
    Player::new(PlayerOptions {
        duration_secs: info.duration_secs,
        paused: options.begin.paused,
        looped: options.begin.looped,
        // Of what is live the rest is for packets.
        cache_bytes: if info.live { options.cache_bytes / 2 } else { options.cache_bytes },
        frame_rate: info.constant_rate().map(Ratio::value),
        seekable: info.seekable,
        live: info.live,
    })
}

/// Begins to open a video.
///
/// # Errors
/// [`AppError::Thread`] if the system gives no thread.
pub fn open(input: &Path, options: &PlayOptions, waker: &Waker) -> Result<DecodeThread, AppError> {
    let waker = Arc::clone(waker);
    // Frames come whole: a field is taken out of them as they are shown, so that the other one can be chosen.
    let open = OpenOptions { kept_packets: options.cache_bytes / 2, field: None, ..options.open.clone() };
    DecodeThread::open(input, open, QueueLimits::default(), move || waker()).map_err(AppError::Thread)
}

/// The video that the window begins with.
pub struct First {
    /// The video.
    pub session: Session,
    /// Its first frame, which knows its size better than any header.
    pub frame: Frame,
    /// Why the files before it in the list could not be opened.
    pub passed_over: Vec<AppError>,
}

/// What the window begins with.
pub enum Beginning {
    /// Nothing: it says what to do.
    Nothing,
    /// A video.
    Video(Box<First>),
    /// A live source whose sender has not come yet, and why the files before it in the list could not be opened.
    Awaited(Opening, Vec<AppError>),
}

impl Beginning {
    /// The first frame of the video, which gives the window its size.
    #[must_use]
    pub fn first_frame(&self) -> Option<&Frame> {
        if let Self::Video(first) = self { Some(&first.frame) } else { None }
    }
}

/// Waits until the first video of the list that can be opened is open, and its first frame there, or a sender is waited for. `media` has
/// begun with the first.
///
/// # Errors
/// [`AppError`] if none can be opened, with each reason.
fn beginning(media: DecodeThread, options: &PlayOptions, waker: &Waker) -> Result<Beginning, AppError> {
    let mut media = Some(media);
    let mut passed_over = Vec::new();
    for input in &options.inputs {
        let opened = match media.take() {
            Some(media) => media,
            None => open(input, options, waker)?,
        };
        let mut opening = Opening::new(input.clone(), opened);
        match wait_for(&mut opening) {
            Opened::Video(media, info, frame) => {
                let player = player(&info, options);
                let interpretation = Interpretation::at_start(&options.open);
                let session = Session::new(input.clone(), (media, info), player, frame.clone(), interpretation);
                return Ok(Beginning::Video(Box::new(First { session, frame, passed_over })));
            }
            Opened::NotYet if opening.is_awaited() => return Ok(Beginning::Awaited(opening, passed_over)),
            Opened::NotYet => passed_over.push(AppError::NoAnswer(input.clone())),
            Opened::Failed(error) => passed_over.push(error),
        }
    }
    Err(none_opens(passed_over))
}

/// Waits for the first video, of which `media` has begun to open the first of the list, and for the one that is compared with it.
///
/// # Errors
/// As [`beginning`] and [`second`].
pub fn begin(
    media: Option<DecodeThread>,
    options: &PlayOptions,
    waker: &Waker,
) -> Result<(Beginning, Option<ComparedClip>), AppError> {
    let beginning = match media {
        Some(media) => beginning(media, options, waker)?,
        None => Beginning::Nothing,
    };
    let second = second(&beginning, options, waker)?;
    Ok((beginning, second))
}

/// Opens the clip that is to play in step with the first one, if one is, and waits for its first frame.
///
/// # Errors
/// [`AppError`] if it cannot be opened, or one of the two is live or a pipe.
fn second(beginning: &Beginning, options: &PlayOptions, waker: &Waker) -> Result<Option<ComparedClip>, AppError> {
    let Some(comparing) = options.compare.clone() else { return Ok(None) };
    let can_go = |info: &StreamInfo| info.seekable && !info.live;
    let is_comparable = matches!(beginning, Beginning::Video(first) if can_go(&first.session.info));
    if !is_comparable {
        return Err(AppError::NotComparable(options.inputs.first().cloned().unwrap_or_default()));
    }
    let input = comparing.input.clone();
    let mut opening = Opening::new(input.clone(), open(&input, options, waker)?);
    match wait_for(&mut opening) {
        Opened::Video(media, info, frame) if can_go(&info) => {
            let has_offset = comparing.offset != 0;
            let reading = MatchReading {
                open: options.open.clone(),
                engine: options.engine,
                adapter: options.adapter.clone(),
                waker: Arc::clone(waker),
            };
            let second = ComparedClip::new(comparing, (media, info, frame), options.cache_bytes, Matcher::new(reading));
            if has_offset && !second.has_offset_in_time() {
                return Err(AppError::NoOffset(input));
            }
            Ok(Some(second))
        }
        Opened::Failed(error) => Err(error),
        Opened::NotYet if !opening.is_awaited() => Err(AppError::NoAnswer(input)),
        Opened::Video(..) | Opened::NotYet => Err(AppError::NotComparable(input)),
    }
}

/// Waits until a video is open and its first frame there, for a while only where a sender has to come first.
fn wait_for(opening: &mut Opening) -> Opened {
    match opening.wait(OPEN_LIMIT) {
        Opened::NotYet if opening.is_awaited() => opening.wait(SENDER_LIMIT),
        opened => opened,
    }
}

/// The only reason, or all of them.
fn none_opens(mut reasons: Vec<AppError>) -> AppError {
    match reasons.pop() {
        Some(only) if reasons.is_empty() => only,
        last => AppError::NoneOpens(reasons.into_iter().chain(last).collect()),
    }
}

/// Why there is no window. Files of which none can be opened are told first: a display would not help them.
pub fn no_display(options: &PlayOptions, error: impl std::fmt::Display) -> AppError {
    let mut reasons = Vec::new();
    for input in &options.inputs {
        // A pipe or a server may keep us waiting, and what it has sent is gone afterwards.
        let is_ready = input.is_file() || input.is_dir() || is_missing(input);
        match is_ready.then(|| Decoder::open(input, &options.open)) {
            Some(Err(reason)) => reasons.push(reason.into()),
            _ => return display_error(error),
        }
    }
    if reasons.is_empty() { display_error(error) } else { none_opens(reasons) }
}

/// Whether a path leads nowhere and is no address either, nor the standard input.
fn is_missing(path: &Path) -> bool {
    let text = path.to_string_lossy();
    !path.exists() && text != "-" && !text.contains(':')
}

/// The reason that the display gives, in one line.
pub fn display_error(error: impl std::fmt::Display) -> AppError {
    // winit's own text spreads over lines and begins with a place in its source; the first reason tells enough.
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let reason = first.strip_prefix("os error at ").and_then(|place| place.split_once(": ")).map(|(_, reason)| reason);
    let unset = |name| std::env::var_os(name).is_none_or(|value| value.is_empty());
    if cfg!(all(unix, not(target_os = "macos"))) && unset("DISPLAY") && unset("WAYLAND_DISPLAY") {
        return AppError::Display("there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)".to_owned());
    }
    AppError::Display(reason.unwrap_or(first).to_owned())
}

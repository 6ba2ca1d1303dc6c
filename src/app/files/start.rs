//! Opens the first video for the window, and reports what prevents that.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{Opened, Opening};
use crate::app::comparison::{ComparedClip, MatchOptions, Matcher};
use crate::app::input::event::Waker;
use crate::app::options::{AppError, Comparing, PlayOptions};
use crate::app::session::{Interpretation, Session};
use histoscope_core::picture::{Frame, Ratio};
use histoscope_media::playback::{Player, PlayerOptions};
use histoscope_media::{DecodeThread, Decoder, HardwareOptions, OpenOptions, QueueLimits, StreamInfo};

/// Longest time that a video may take to open.
const OPEN_LIMIT: Duration = Duration::from_secs(60);
/// The same for files on this machine, which open as fast as the machine can: for ever.
const LOCAL_LIMIT: Duration = Duration::from_secs(u32::MAX as u64);
/// How long to wait for a sender before the window opens without its picture, and so without its size.
const SENDER_LIMIT: Duration = Duration::from_millis(1500);

/// Creates a player for a video that has been opened.
pub fn player(info: &StreamInfo, options: &PlayOptions) -> Player {
    Player::new(PlayerOptions {
        duration_secs: info.duration_secs,
        paused: options.begin.paused,
        looped: options.begin.looped,
        // For live input, the other half of the cache is for packets.
        cache_bytes: if info.live { options.cache_bytes / 2 } else { options.cache_bytes },
        frame_rate: info.constant_rate().map(Ratio::value),
        seekable: info.seekable,
        live: info.live,
    })
}

/// Starts opening a video.
///
/// # Errors
/// [`AppError::Thread`] if no thread can be spawned.
pub fn open(input: &Path, options: &PlayOptions, waker: &Waker) -> Result<DecodeThread, AppError> {
    let waker = Arc::clone(waker);
    // Frames are decoded whole: a field is extracted only to show it, so that the user can switch to the other one.
    let memory = Some(options.memory.clone());
    let hardware = HardwareOptions { memory, ..options.open.hardware.clone() };
    let open = OpenOptions { kept_packets: options.cache_bytes / 2, field: None, hardware, ..options.open.clone() };
    DecodeThread::open(input, open, QueueLimits::default(), move || waker()).map_err(AppError::Thread)
}

/// The video that the window starts with.
pub struct First {
    /// The video.
    pub session: Session,
    /// Its first frame, whose size is more reliable than that in any header.
    pub frame: Frame,
    /// Why the files before it in the list could not be opened.
    pub passed_over: Vec<AppError>,
}

/// The content that the window starts with.
pub enum Beginning {
    /// None: the window says how to open a video.
    Nothing,
    /// A video.
    Video(Box<First>),
    /// A live source whose sender has not appeared yet, and why the files before it in the list could not be opened.
    Awaited(Opening, Vec<AppError>),
}

impl Beginning {
    /// Returns the first frame of the video, which determines the size of the window.
    #[must_use]
    pub fn first_frame(&self) -> Option<&Frame> {
        if let Self::Video(first) = self { Some(&first.frame) } else { None }
    }
}

/// Opens the first video in the list that can be opened, and waits for its first frame, or until it is clear that its
/// sender must be waited for. `media` has already begun to open the first file.
///
/// # Errors
/// [`AppError`] with every reason if none can be opened.
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

/// Waits for the first video, whose file `media` has begun to open, and for the clips that it is compared with.
///
/// # Errors
/// See [`beginning`] and [`others`].
pub fn begin(
    media: Option<DecodeThread>,
    options: &PlayOptions,
    waker: &Waker,
) -> Result<(Beginning, Vec<ComparedClip>), AppError> {
    let beginning = match media {
        Some(media) => beginning(media, options, waker)?,
        None => Beginning::Nothing,
    };
    let others = others(&beginning, options, waker)?;
    Ok((beginning, others))
}

/// Opens the clips that are to play in step with the first one, if requested, and waits for their first frames.
///
/// # Errors
/// [`AppError`] if one cannot be opened, if one is live or a pipe, or if an offset has no equivalent in time.
fn others(beginning: &Beginning, options: &PlayOptions, waker: &Waker) -> Result<Vec<ComparedClip>, AppError> {
    let Some(comparing) = &options.compare else { return Ok(Vec::new()) };
    let is_comparable = matches!(beginning, Beginning::Video(first) if can_go(&first.session.info));
    if !is_comparable {
        return Err(AppError::NotComparable(options.inputs.first().cloned().unwrap_or_default()));
    }
    comparing.inputs.iter().map(|input| other(input.clone(), comparing, options, waker)).collect()
}

fn can_go(info: &StreamInfo) -> bool {
    info.seekable && !info.live
}

fn other(
    input: PathBuf,
    comparing: &Comparing,
    options: &PlayOptions,
    waker: &Waker,
) -> Result<ComparedClip, AppError> {
    let mut opening = Opening::new(input.clone(), open(&input, options, waker)?);
    match wait_for(&mut opening) {
        Opened::Video(media, info, frame) if can_go(&info) => {
            let has_offset = comparing.offset != 0;
            let reading = MatchOptions { open: options.open.clone(), waker: Arc::clone(waker) };
            let (matcher, which) = (Matcher::new(reading), (comparing, input.clone()));
            let other = ComparedClip::new(which, (media, info, frame), options.cache_bytes, matcher);
            if has_offset && !other.has_offset_in_time() {
                return Err(AppError::NoOffset(input));
            }
            Ok(other)
        }
        Opened::Failed(error) => Err(error),
        Opened::NotYet if !opening.is_awaited() => Err(AppError::NoAnswer(input)),
        Opened::Video(..) | Opened::NotYet => Err(AppError::NotComparable(input)),
    }
}

/// Waits until a video is open with its first frame, but only briefly if its sender has yet to appear.
fn wait_for(opening: &mut Opening) -> Opened {
    let limit = if opening.is_local() { LOCAL_LIMIT } else { OPEN_LIMIT };
    match opening.wait(limit) {
        Opened::NotYet if opening.is_awaited() => opening.wait(SENDER_LIMIT),
        opened => opened,
    }
}

/// Returns the only reason, or an error that lists all of them.
fn none_opens(mut reasons: Vec<AppError>) -> AppError {
    match reasons.pop() {
        Some(only) if reasons.is_empty() => only,
        last => AppError::NoneOpens(reasons.into_iter().chain(last).collect()),
    }
}

/// Returns why there is no window. Files that cannot be opened are reported first: a display would not help them.
pub fn no_display(options: &PlayOptions, error: impl std::fmt::Display) -> AppError {
    let mut reasons = Vec::new();
    for input in &options.inputs {
        // A pipe or a server may block, and reading from it would lose what it has sent.
        let is_ready = input.is_file() || input.is_dir() || is_missing(input);
        match is_ready.then(|| Decoder::open(input, &options.open)) {
            Some(Err(reason)) => reasons.push(reason.into()),
            _ => return display_error(error),
        }
    }
    if reasons.is_empty() { display_error(error) } else { none_opens(reasons) }
}

/// Returns `true` if a path does not exist and is neither an address nor the standard input.
fn is_missing(path: &Path) -> bool {
    let text = path.to_string_lossy();
    !path.exists() && text != "-" && !text.contains(':')
}

/// Returns the display's error in one line.
pub fn display_error(error: impl std::fmt::Display) -> AppError {
    // winit's own text spans several lines and starts with a source location; the first reason is enough.
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let reason = first.strip_prefix("os error at ").and_then(|place| place.split_once(": ")).map(|(_, reason)| reason);
    let unset = |name| std::env::var_os(name).is_none_or(|value| value.is_empty());
    if cfg!(all(unix, not(target_os = "macos"))) && unset("DISPLAY") && unset("WAYLAND_DISPLAY") {
        return AppError::Display("there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)".to_owned());
    }
    AppError::Display(reason.unwrap_or(first).to_owned())
}

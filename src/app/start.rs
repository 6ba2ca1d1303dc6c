//! Opening the first video and the window, and what stands in the way.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::session::Session;
use super::{AppError, PlayOptions};
use crate::frame::{Frame, Ratio};
use crate::media::{DecodeEvent, DecodeThread, Decoder, StreamInfo};
use crate::playback::{Player, PlayerOptions};

/// How long a video may take to open.
const OPEN_LIMIT: Duration = Duration::from_secs(60);

/// A player for a video that has been opened.
pub fn player(info: &StreamInfo, options: &PlayOptions) -> Player {
    Player::new(PlayerOptions {
        duration_secs: info.duration_secs,
        paused: options.paused,
        looped: options.looped,
        cache_bytes: options.cache_bytes,
        frame_rate: info.constant_rate().map(Ratio::value),
        seekable: info.seekable,
    })
}

/// Waits until the video is open and its first frame, which knows its size better than any header, is there.
///
/// # Errors
/// [`AppError`] if the video cannot be opened.
pub fn first_session(input: PathBuf, media: DecodeThread, options: &PlayOptions) -> Result<(Session, Frame), AppError> {
    let mut info: Option<Arc<StreamInfo>> = None;
    loop {
        match (media.recv_timeout(OPEN_LIMIT), &info) {
            (Some(DecodeEvent::Opened(opened)), _) => info = Some(opened),
            (Some(DecodeEvent::Frame(frame)), Some(info)) => {
                let player = player(info, options);
                return Ok((Session::new(input, media, Arc::clone(info), player, frame.clone()), frame));
            }
            (Some(DecodeEvent::Error { error, .. }), _) => return Err(error.into()),
            (Some(_) | None, _) => return Err(AppError::NoAnswer(input)),
        }
    }
}

/// Why there is no window. A file that cannot be opened is told first: a display would not help it.
pub fn no_display(options: &PlayOptions, error: impl std::fmt::Display) -> AppError {
    let Some(input) = options.inputs.first() else { return display_error(error) };
    // A pipe or a server may keep us waiting, and what it has sent is gone afterwards.
    let is_ready = input.is_file() || input.is_dir() || is_missing(input);
    match is_ready.then(|| Decoder::open(input, &options.open)) {
        Some(Err(error)) => error.into(),
        _ => display_error(error),
    }
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

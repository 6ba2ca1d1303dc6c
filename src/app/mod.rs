//! The window: its events drive decoding, playback and drawing. No types of FFmpeg or wgpu appear here.
//!
//! [`desktop`] translates winit's events and passes them to the [`viewer`], which queries the parts of the window and
//! acts on their answers, mostly through the workspace: the video on screen and everything chosen for it. A window is a
//! [`screen::Window`] and need not be on a desktop. No part knows about the viewer; each takes what it needs and
//! returns a value or a command:
//!
//! ```text
//!   keys, buttons ──▶ transport (playback), look and adjuster (the scene) ──▶ a note
//!   pointer events ─▶ pointer, over geometry ──▶ PointerCommand
//!   files ──────────▶ inputs (list, drops, dialog) ──▶ Arrival: a Session, or a note
//!   frames ─────────▶ session ──▶ graphics (count, draw), bins (read back as numbers)
//!   the lab ────────▶ its own planes and passes, while it is open
//!   each draw: readouts gathers ──▶ hud lays out ──▶ shapes for graphics, and Command
//! ```

mod adjuster;
mod bins;
mod brush_control;
mod checker;
mod clicks;
mod clipboard;
mod comparison;
pub mod config;
mod delay;
mod desktop;
mod dialog;
mod event;
mod faults;
mod files;
mod fits;
mod folders;
mod frame_light;
mod geometry;
mod gestures;
mod graphics;
mod history;
mod info;
mod inputs;
mod kept;
mod keyboard;
mod lab;
#[cfg(feature = "test-hooks")]
mod losses;
mod luts;
mod marked;
mod offscreen;
mod options;
mod outgoing;
mod pointer;
mod quit_question;
mod readouts;
mod recent;
mod regions;
mod scope_brush;
mod scope_point;
mod scope_readings;
mod screen;
#[cfg(feature = "test-hooks")]
mod scripted;
mod seek_note;
mod session;
mod signal;
mod start;
mod strip;
mod title;
mod transport;
mod undo;
mod viewer;
mod wheel;
mod workspace;

use histoscope_batch::check::profile::Profile;

pub use lab::LabChoice;
pub use offscreen::{PlayFigures, Spread, measure as measure_playing};
pub use options::{AppError, CompareAs, CompareBy, Comparing, FirstView, PlayOptions, PlayStart};

/// Opens the window and plays until the user quits.
///
/// # Errors
/// [`AppError`] if the video cannot be opened, or the adapter or the display fails.
pub fn play(mut options: PlayOptions) -> Result<(), AppError> {
    options.profile.as_deref().map(Profile::named).transpose()?;
    let inputs = options.inputs.into_iter().map(folders::videos_of).collect::<Result<Vec<_>, _>>()?;
    options.inputs = inputs.concat();
    #[cfg(feature = "test-hooks")]
    if let Some(result) = scripted::run(&options) {
        return result;
    }
    desktop::run(options)
}

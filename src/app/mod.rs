//! The window: its events drive decoding, playback and drawing. No types of FFmpeg or wgpu appear here.
//!
//! [`windows`] translate events and pass them to the [`viewer`], which queries the parts of the window and acts on
//! their answers, mostly through the [`workspace`]: the video on screen and everything chosen for it. A window is a
//! [`screen::Window`] and need not be on a desktop. No part knows about the viewer; each takes what it needs and
//! returns a value or a command:
//!
//! ```text
//!   keys, buttons ──▶ transport (playback), histoscope_keys::look and adjuster (the scene) ──▶ a note
//!   pointer events ─▶ pointer, over geometry ──▶ PointerCommand
//!   files ──────────▶ inputs (list, drops, dialog) ──▶ Arrival: a Session, or a note
//!   frames ─────────▶ session ──▶ graphics (count, draw), bins (read back as numbers)
//!   the lab ────────▶ its own planes and passes, while it is open
//!   other programs ▶ remote (a socket) ──▶ Event::Request
//!   each draw: readouts gathers ──▶ hud lays out ──▶ shapes for graphics, and Command
//! ```

mod adjuster;
mod comparison;
mod files;
mod input;
mod kept;
mod lab;
mod measure;
mod options;
mod pointer;
mod readings;
mod remote;
mod screen;
mod session;
mod sound;
mod strip;
mod viewer;
mod windows;
mod workspace;

use histoscope_batch::check::profile::Profile;
use kept::config::Store;
use kept::presets::{self, Presets};

pub use kept::config;
pub use lab::LabChoice;
pub use options::{AppError, CompareAs, CompareBy, Comparing, FirstView, PlayOptions, PlayStart};
use remote::endpoint::Endpoint;
pub use sound::{SoundOptions, TrackChoice};
pub use windows::offscreen::{PlayFigures, Spread, measure as measure_playing};

/// Shows an error in a dialog, for someone who does not see what the program prints. Returns when it has been read.
pub fn show_error(text: &str) {
    let dialog = rfd::MessageDialog::new().set_level(rfd::MessageLevel::Error).set_title("Histoscope");
    dialog.set_description(histoscope_core::text::sanitized(text)).show();
}

/// Opens the window and plays until the user quits.
///
/// # Errors
/// [`AppError`] if the video cannot be opened, or the adapter or the display fails.
pub fn play(mut options: PlayOptions) -> Result<(), AppError> {
    options.profile.as_deref().map(Profile::named).transpose()?;
    if let Some(name) = &options.preset {
        let store = Store::open(!options.keeps_settings);
        presets::read(&Presets::open(store.folder()).file(name)?)?;
    }
    let inputs = options.inputs.into_iter().map(files::folders::videos_of).collect::<Result<Vec<_>, _>>()?;
    options.inputs = inputs.concat();
    let mut endpoint = options.ipc.as_deref().map(Endpoint::bind).transpose()?;
    #[cfg(feature = "test-hooks")]
    if let Some(result) = windows::scripted::run(&options, &mut endpoint) {
        return result;
    }
    windows::desktop::run(options, endpoint.take())
}

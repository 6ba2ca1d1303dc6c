//! The window: winit's event loop drives decoding, playback and drawing. FFmpeg never shows here, and wgpu neither.
//!
//! [`App`] takes the events and hands them to [`Viewer`], which asks the window's parts and does what they answer, most of it to
//! the workspace: the video on screen and all that is chosen for it. No part knows the viewer; each is told what it needs, and
//! gives back a value or a command:
//!
//! ```text
//!   keys, buttons ──▶ transport (playback), look and adjusting (the scene) ──▶ a note
//!   pointer ────────▶ pointing, over geometry ──▶ PointerCommand
//!   files ──────────▶ inputs (list, drops, dialog) ──▶ Arrival: a Session, or a note
//!   frames ─────────▶ session ──▶ graphics (count, draw), bins (read back as numbers)
//!   the lab ───────▶ its own planes and passes, while it is open
//!   each drawing: readouts gathers ──▶ hud lays out ──▶ shapes for graphics, and Command
//! ```

mod adjusting;
mod bins;
mod chosen;
mod clicks;
mod clipboard;
pub mod config;
mod copying;
mod delay;
mod dialog;
mod fade;
mod faults;
mod files;
mod fits;
mod folders;
mod geometry;
mod gestures;
mod graphics;
mod held;
mod history;
mod hud;
mod inputs;
mod kept;
mod keyboard;
mod lab;
mod landing;
mod leaving;
mod look;
#[cfg(feature = "test-hooks")]
mod losing;
mod marked;
mod matching;
mod options;
mod pointing;
mod readouts;
mod recent;
mod regions;
mod saving;
mod scope_brushing;
mod scope_pointing;
mod scope_readings;
mod screen;
mod second;
mod seen;
mod session;
mod signal;
mod start;
mod strip;
mod title;
mod transport;
mod viewer;
mod wheel;
mod workspace;

use std::sync::Arc;
use std::time::Instant;

use winit::application::ApplicationHandler;
use winit::event::{DeviceEvent, DeviceId, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::ModifiersState;
use winit::window::WindowId;

use histoscope_media::DecodeThread;
use histoscope_render::gpu::Loading;
pub use lab::LabChoice;
use options::Waker;
pub use options::{AppError, CompareAs, CompareBy, Comparing, FirstView, PlayOptions, PlayStart};
use start::Beginning;
use viewer::{Flow, Viewer};
use wheel::Wheel;

/// Opens the window and plays until the user quits.
///
/// # Errors
/// `AppError` if the video, the adapter or the display refuses.
pub fn play(mut options: PlayOptions) -> Result<(), AppError> {
    let inputs = options.inputs.into_iter().map(folders::videos_of).collect::<Result<Vec<_>, _>>()?;
    options.inputs = inputs.concat();
    // Loading the graphics drivers takes longest of all, so it comes first, on a thread of its own.
    let instance = Loading::start();
    let event_loop = EventLoop::<()>::with_user_event().build().map_err(|error| start::no_display(&options, error))?;
    let proxy = event_loop.create_proxy();
    let waker: Waker = Arc::new(move || {
        // The loop is gone only when the program ends.
        let _ = proxy.send_event(());
    });
    // The file is opened while the window and the adapter are made; both take their time.
    let media = match options.inputs.first() {
        Some(input) => Some(start::open(input, &options, &waker)?),
        None => None,
    };
    let (modifiers, wheel) = (ModifiersState::empty(), Wheel::default());
    let mut app = App { options, waker, instance, media, viewer: None, modifiers, wheel, result: Ok(()) };
    event_loop.run_app(&mut app).map_err(start::display_error)?;
    if let Some(viewer) = &mut app.viewer {
        viewer.finish();
    }
    app.result
}

struct App {
    options: PlayOptions,
    waker: Waker,
    /// The graphics drivers, being loaded.
    instance: Loading,
    /// The first video's decoding thread until the viewer takes it over.
    media: Option<DecodeThread>,
    viewer: Option<Viewer>,
    modifiers: ModifiersState,
    wheel: Wheel,
    result: Result<(), AppError>,
}

impl App {
    /// Waits until the decoder has opened the file, then makes the window in the video's size.
    fn open_viewer(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        if self.viewer.is_some() {
            return Ok(());
        }
        let instance = self.instance.finish(event_loop.owned_display_handle());
        let beginning = match self.media.take() {
            Some(media) => start::beginning(media, &self.options, &self.waker)?,
            None => Beginning::Nothing,
        };
        let second = start::second(&beginning, &self.options, &self.waker)?;
        let waker = Arc::clone(&self.waker);
        let options = self.options.clone();
        self.viewer = Some(Viewer::new(event_loop, &instance, options, waker, (beginning, second))?);
        Ok(())
    }

    /// Ends the loop with the error, or because the user leaves.
    fn settle(&mut self, event_loop: &ActiveEventLoop, result: Result<Flow, AppError>) {
        match result {
            Ok(Flow::Continue) => return,
            Ok(Flow::Quit) => {}
            Err(error) if self.result.is_ok() => self.result = Err(error),
            Err(error) => log::error!("{error}"),
        }
        event_loop.exit();
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let result = self.open_viewer(event_loop);
        self.settle(event_loop, result.map(|()| Flow::Continue));
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(viewer) = &mut self.viewer else { return };
        if self.wheel.is_repeated(&event) {
            return;
        }
        let begun = viewer.begin_event(&event);
        if !matches!(begun, Ok(Flow::Continue)) {
            return self.settle(event_loop, begun);
        }
        let result = match event {
            WindowEvent::CloseRequested => Ok(Flow::Quit),
            WindowEvent::ModifiersChanged(modifiers) => {
                self.modifiers = modifiers.state();
                Ok(Flow::Continue)
            }
            // Keys that were down when the window got the keyboard were pressed for somebody else.
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } => viewer.on_key(&event, self.modifiers),
            WindowEvent::DroppedFile(path) => {
                viewer.drop_file(path);
                Ok(Flow::Continue)
            }
            WindowEvent::Resized(size) => {
                viewer.resize(size);
                Ok(Flow::Continue)
            }
            WindowEvent::ScaleFactorChanged { .. } => {
                viewer.follow_window();
                Ok(Flow::Continue)
            }
            WindowEvent::Occluded(occluded) => {
                viewer.set_occluded(occluded);
                Ok(Flow::Continue)
            }
            WindowEvent::RedrawRequested => viewer.draw(),
            other => viewer.on_pointer(&other, self.modifiers),
        };
        viewer.end_event();
        self.settle(event_loop, result);
    }

    fn device_event(&mut self, _: &ActiveEventLoop, _: DeviceId, event: DeviceEvent) {
        self.wheel.see(&event);
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(viewer) = &mut self.viewer else { return };
        match viewer.advance(Instant::now()) {
            Ok(Some(wake_at)) => event_loop.set_control_flow(ControlFlow::WaitUntil(wake_at)),
            Ok(None) => event_loop.set_control_flow(ControlFlow::Wait),
            Err(error) => self.settle(event_loop, Err(error)),
        }
    }
}

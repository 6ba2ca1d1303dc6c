//! The window: winit's event loop drives decoding, playback and drawing. FFmpeg never shows here, and wgpu neither.
//!
//! `App` takes the events, `viewer` is the window with everything in it, `session` one open video, `graphics` what
//! counts and draws; `acting`, `adjusting`, `pointing`, `opening` and `saving` are what the user does, `readouts` what the display over
//! the picture is told, `hud` that display.

mod acting;
pub mod adjusting;
pub mod config;
mod dialog;
mod fade;
mod files;
mod graphics;
mod hud;
mod keyboard;
mod opening;
mod pointing;
mod readouts;
mod saving;
mod screen;
mod session;
mod start;
mod title;
mod viewer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::ModifiersState;
use winit::window::WindowId;

use crate::adjust::Adjustments;
use crate::engine::EngineChoice;
use crate::gpu::{AdapterChoice, GpuError, Loading};
use crate::histogram::Components;
use crate::media::{DecodeThread, MediaError, OpenOptions};
use crate::view::scene::Counted;
use viewer::Viewer;

/// What to play and how.
#[derive(Debug, Clone)]
pub struct PlayOptions {
    /// The videos; none opens a window that invites to open one.
    pub inputs: Vec<PathBuf>,
    /// Whether to start again at the end.
    pub looped: bool,
    /// Whether to open paused.
    pub paused: bool,
    /// Bytes of frames to keep for steps back and loops.
    pub cache_bytes: usize,
    /// Whether choices last from one run to the next.
    pub keeps_settings: bool,
    /// What is counted at first.
    pub components: Components,
    /// What is done to the picture at first.
    pub adjustments: Adjustments,
    /// Which picture is counted at first, where there are two.
    pub counted: Counted,
    /// The adapter.
    pub adapter: AdapterChoice,
    /// The engine.
    pub engine: EngineChoice,
    /// How to read the video.
    pub open: OpenOptions,
    /// When the program started, for the log.
    pub started: Instant,
}

/// Why the window was closed, or did not open.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The video could not be opened.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// None of several videos could be opened.
    #[error("none of the {} files can be opened: {}", .0.len(), joined(.0))]
    NoneOpens(Vec<AppError>),
    /// The adapter could not do its part.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The device was lost, and once more after everything was made again.
    #[error(
        "{0}: the graphics device was lost again after it had been made anew; update its driver, or try another with --adapter (see 'histoscope adapters')"
    )]
    LostAgain(GpuError),
    /// There is no display, or it refused a window.
    #[error("no window could be opened: {0}; without a display, use 'histoscope snapshot FILE -o OUT.png'")]
    Display(String),
    /// The system gave no thread to decode on.
    #[error("no decoding thread could be started: {0}")]
    Thread(std::io::Error),
    /// The decoder never said whether it could open the video.
    #[error("{}: the video could not be opened; try again with -vv to see why", .0.display())]
    NoAnswer(PathBuf),
}

/// Several reasons in one line.
fn joined(reasons: &[AppError]) -> String {
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Wakes the event loop from another thread, because something was decoded, chosen or saved.
type Waker = Arc<dyn Fn() + Send + Sync>;

/// Whether the program goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// It goes on.
    Continue,
    /// The user leaves.
    Quit,
}

/// Opens the window and plays until the user quits.
///
/// # Errors
/// [`AppError`] if the video, the adapter or the display refuses.
pub fn play(options: PlayOptions) -> Result<(), AppError> {
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
    let modifiers = ModifiersState::empty();
    let mut app = App { options, waker, instance, media, viewer: None, modifiers, result: Ok(()) };
    event_loop.run_app(&mut app).map_err(start::display_error)?;
    if let Some(viewer) = &mut app.viewer {
        viewer.keep_settings();
        viewer.log_summary();
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
    result: Result<(), AppError>,
}

impl App {
    /// Waits until the decoder has opened the file, then makes the window in the video's size.
    fn open_viewer(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        if self.viewer.is_some() {
            return Ok(());
        }
        let instance = self.instance.finish(event_loop.owned_display_handle());
        let session = match self.media.take() {
            Some(media) => Some(start::first_session(media, &self.options, &self.waker)?),
            None => None,
        };
        let waker = Arc::clone(&self.waker);
        self.viewer = Some(Viewer::new(event_loop, &instance, self.options.clone(), waker, session)?);
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
        viewer.show_event(&event);
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
            other => {
                viewer.on_pointer(&other);
                Ok(Flow::Continue)
            }
        };
        self.settle(event_loop, result);
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

//! The window: winit's event loop drives decoding, playback and drawing. FFmpeg never shows here.

mod hud;
mod keys;
mod screen;
mod title;
mod viewer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::ModifiersState;
use winit::window::WindowId;

use crate::engine::EngineChoice;
use crate::frame::Frame;
use crate::gpu::{AdapterChoice, GpuError, Loading};
use crate::histogram::Components;
use crate::media::{DecodeEvent, DecodeThread, Decoder, MediaError, OpenOptions, QueueLimits, StreamInfo};
use keys::Action;
use viewer::Viewer;

/// How long a video may take to open.
const OPEN_LIMIT: Duration = Duration::from_secs(60);

/// What to play and how.
#[derive(Debug, Clone)]
pub struct PlayOptions {
    /// The video.
    pub input: PathBuf,
    /// Whether to start again at the end.
    pub looped: bool,
    /// Whether to open paused.
    pub paused: bool,
    /// What is counted at first.
    pub components: Components,
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
    /// The adapter could not do its part.
    #[error(transparent)]
    Gpu(#[from] GpuError),
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

/// What wakes the event loop besides the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wake {
    /// The decoding thread has queued something.
    Media,
}

/// Opens the window and plays until the user quits.
///
/// # Errors
/// [`AppError`] if the video, the adapter or the display refuses.
pub fn play(options: PlayOptions) -> Result<(), AppError> {
    // Loading the graphics drivers takes longest of all, so it comes first, on a thread of its own.
    let instance = Loading::start();
    let event_loop = EventLoop::<Wake>::with_user_event().build().map_err(|error| no_display(&options, error))?;
    let proxy = event_loop.create_proxy();
    // The file is opened while the window and the adapter are made; both take their time.
    let media = DecodeThread::open(&options.input, options.open.clone(), QueueLimits::default(), move || {
        // The loop is gone only when the program ends.
        let _ = proxy.send_event(Wake::Media);
    })
    .map_err(AppError::Thread)?;
    let mut app =
        App { options, instance, media: Some(media), viewer: None, modifiers: ModifiersState::empty(), result: Ok(()) };
    event_loop.run_app(&mut app).map_err(display_error)?;
    if let Some(viewer) = &app.viewer {
        viewer.log_summary();
    }
    app.result
}

/// Why there is no window. A file that cannot be opened is told first: a display would not help it.
fn no_display(options: &PlayOptions, error: impl std::fmt::Display) -> AppError {
    // A pipe or a server may keep us waiting, and what it has sent is gone afterwards.
    let is_ready = options.input.is_file() || options.input.is_dir() || is_missing(&options.input);
    match is_ready.then(|| Decoder::open(&options.input, &options.open)) {
        Some(Err(error)) => error.into(),
        _ => display_error(error),
    }
}

/// Whether a path leads nowhere and is no address either, nor the standard input.
fn is_missing(path: &Path) -> bool {
    let text = path.to_string_lossy();
    !path.exists() && text != "-" && !text.contains(':')
}

fn display_error(error: impl std::fmt::Display) -> AppError {
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

struct App {
    options: PlayOptions,
    /// The graphics drivers, being loaded.
    instance: Loading,
    /// The decoding thread until the viewer takes it over.
    media: Option<DecodeThread>,
    viewer: Option<Viewer>,
    modifiers: ModifiersState,
    result: Result<(), AppError>,
}

impl App {
    /// Waits until the decoder has opened the file, then makes the window in the video's size.
    fn open_viewer(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let Some(media) = self.media.take() else { return Ok(()) };
        let instance = self.instance.finish(event_loop.owned_display_handle());
        let (info, first) = self.first_frame(&media)?;
        self.viewer = Some(Viewer::new(event_loop, &instance, &self.options, media, &info, first)?);
        Ok(())
    }

    /// Waits until the video is open and its first frame, which knows its size better than any header, is there.
    fn first_frame(&self, media: &DecodeThread) -> Result<(Arc<StreamInfo>, Frame), AppError> {
        let mut info = None;
        loop {
            match (media.recv_timeout(OPEN_LIMIT), &info) {
                (Some(DecodeEvent::Opened(opened)), _) => info = Some(opened),
                (Some(DecodeEvent::Frame(frame)), Some(info)) => return Ok((Arc::clone(info), frame)),
                (Some(DecodeEvent::Error { error, .. }), _) => return Err(error.into()),
                (Some(_) | None, _) => {
                    return Err(AppError::NoAnswer(self.options.input.clone()));
                }
            }
        }
    }

    /// Ends the loop with the error, if there is one.
    fn settle(&mut self, event_loop: &ActiveEventLoop, result: Result<(), AppError>) {
        if let Err(error) = result {
            if self.result.is_ok() {
                self.result = Err(error);
            }
            event_loop.exit();
        }
    }

    fn on_key(&mut self, event_loop: &ActiveEventLoop, event: &KeyEvent) {
        let Some(viewer) = &mut self.viewer else { return };
        let Some(action) = keys::action(event, self.modifiers) else { return };
        let held = event.repeat;
        match (event.state, action) {
            (ElementState::Pressed, Action::Quit) => event_loop.exit(),
            (ElementState::Pressed, action) => viewer.act(action, held),
            (ElementState::Released, Action::SeekBy { .. }) => viewer.settle_seek(),
            (ElementState::Released, _) => {}
        }
    }
}

impl ApplicationHandler<Wake> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        let result = self.open_viewer(event_loop);
        self.settle(event_loop, result);
    }

    fn user_event(&mut self, _: &ActiveEventLoop, event: Wake) {
        // Frames are taken in about_to_wait, which follows.
        match event {
            Wake::Media => {}
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => return event_loop.exit(),
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::KeyboardInput { event, .. } => return self.on_key(event_loop, &event),
            _ => {}
        }
        let Some(viewer) = &mut self.viewer else { return };
        let result = match event {
            WindowEvent::Resized(size) => viewer.resize(size),
            WindowEvent::ScaleFactorChanged { .. } => viewer.refresh_size(),
            WindowEvent::Occluded(occluded) => {
                viewer.set_occluded(occluded);
                Ok(())
            }
            WindowEvent::RedrawRequested => viewer.draw(),
            _ => Ok(()),
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

//! The window: a video or none, what is drawn over it, and what its user does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::dpi::PhysicalSize;
use winit::event_loop::ActiveEventLoop;
use winit::window::Window;

use super::adjusting::Adjuster;
use super::dialog::Dialog;
use super::fade::BrushFade;
use super::files::{Files, Opening};
use super::graphics::Graphics;
use super::hud::{Hud, Tone};
use super::pointing::Pointer;
use super::readouts::Bins;
use super::saving::Saving;
use super::session::Session;
use super::start::First;
use super::title::title;
use super::{AppError, Flow, PlayOptions, Waker};
use crate::app::config::{Settings, Store};
use crate::gpu::{GpuError, Instance, TimesState};
use crate::histogram::Components;
use crate::picture::Frame;
use crate::view::placement::{ViewSettings, upright_size};
use crate::view::scene::Scene;

/// The title follows the position no more often than this while playing.
const TITLE_INTERVAL: Duration = Duration::from_millis(100);
/// While the passes' times are under way they are looked for this often.
const TIMES_INTERVAL: Duration = Duration::from_millis(10);
/// Changed settings are kept this long after the last change.
const SETTINGS_DELAY: Duration = Duration::from_secs(1);
/// Size of the window where the video's own would not fit the display, as part of the display.
const DISPLAY_PART: f64 = 0.9;
/// Size of the window without a video.
const EMPTY_SIZE: (f64, f64) = (960.0, 540.0);

/// The window with everything in it.
pub struct Viewer {
    pub(super) options: PlayOptions,
    pub(super) waker: Waker,
    pub(super) window: Arc<Window>,
    pub(super) graphics: Graphics,
    pub(super) session: Option<Session>,
    pub(super) opening: Option<Opening>,
    pub(super) files: Files,
    pub(super) dropped: Vec<std::path::PathBuf>,
    pub(super) dialog: Option<Dialog>,
    pub(super) saving: Saving,
    pub(super) scene: Scene,
    pub(super) adjuster: Adjuster,
    pub(super) components: Components,
    pub(super) hud: Hud,
    pub(super) pointer: Pointer,
    pub(super) bins: Bins,
    pub(super) brush_fade: BrushFade,
    store: Store,
    settings_due: Option<Instant>,
    title_due: Instant,
    occluded: bool,
    /// When the program started, until the first frame has been presented.
    started: Option<Instant>,
}

impl Viewer {
    /// Opens a window, in the video's size where there is one.
    ///
    /// # Errors
    /// [`AppError`] if the display or the adapter refuses.
    pub fn new(
        event_loop: &ActiveEventLoop,
        instance: &Instance,
        options: PlayOptions,
        waker: Waker,
        first: Option<First>,
    ) -> Result<Self, AppError> {
        let store = Store::open(!options.keeps_settings);
        let attributes = Window::default_attributes().with_title("Histoscope");
        let attributes = match &first {
            Some(first) => attributes.with_inner_size(window_size(event_loop, &first.frame)),
            None => attributes.with_inner_size(winit::dpi::LogicalSize::new(EMPTY_SIZE.0, EMPTY_SIZE.1)),
        };
        let window = event_loop.create_window(attributes).map_err(super::start::display_error)?;
        let window = Arc::new(window);
        let graphics = Graphics::new(instance, Arc::clone(&window), (options.adapter.clone(), options.engine))?;
        let settings = store.settings();
        let scene = Scene {
            channels: settings.channels(),
            overlays: settings.shown,
            style: settings.histograms,
            view: ViewSettings::fitted(settings.fit),
            curves: settings.curves,
            adjustments: options.adjustments.clamped(),
            counted: options.counted,
            ..Scene::default()
        };
        let adjuster = Adjuster::new(settings.adjustments, &scene.adjustments);
        let mut hud = Hud::new(&window);
        let now = Instant::now();
        if settings.pinned {
            hud.toggle_pinned(now);
        }
        hud.is_empty = first.is_none();
        let passed_over = first.as_ref().map_or(0, |first| first.passed_over.len());
        let mut viewer = Self {
            files: Files::new(options.inputs.clone(), passed_over),
            started: Some(options.started),
            components: options.components,
            options,
            waker,
            window,
            graphics,
            session: None,
            opening: None,
            dropped: Vec::new(),
            dialog: None,
            saving: Saving::default(),
            scene,
            adjuster,
            hud,
            pointer: Pointer::default(),
            bins: Bins::default(),
            brush_fade: BrushFade::default(),
            store,
            settings_due: None,
            title_due: now,
            occluded: false,
        };
        if let Some(First { session, passed_over, .. }) = first {
            viewer.session = Some(session);
            for reason in passed_over {
                log::warn!("{reason}");
                viewer.note(reason.to_string(), Tone::Wrong, now);
            }
        }
        viewer.update_title(now, true);
        viewer.window.request_redraw();
        Ok(viewer)
    }

    /// Takes what has come, shows the frame that is due, and tells when to be called again.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn advance(&mut self, now: Instant) -> Result<Option<Instant>, AppError> {
        self.advance_opening(now);
        self.advance_dialog(now);
        self.advance_saving(now);
        let mut wake_at = self.advance_session(now)?;
        if let Err(error) = self.graphics.gpu.check() {
            self.rebuild(error)?;
        }
        // Times come back some frames later; a paused video is drawn once more for them.
        match self.graphics.renderer.poll_times(&self.graphics.gpu) {
            TimesState::New if self.stands() => self.window.request_redraw(),
            TimesState::UnderWay => wake_at = earlier(wake_at, Some(now + TIMES_INTERVAL)),
            TimesState::New | TimesState::Settled => {}
        }
        wake_at = earlier(wake_at, self.advance_bins(now));
        let fade = self.brush_fade.wake_at().filter(|_| !self.occluded);
        wake_at = earlier(wake_at, fade);
        if self.hud.is_due(now) || fade.is_some_and(|at| at <= now) {
            self.window.request_redraw();
        }
        if self.settings_due.is_some_and(|due| due <= now) {
            self.keep_settings();
        }
        // What is due already is dealt with by the drawing that was just asked for.
        let hud = self.hud.wake_at(now).filter(|&at| at > now && !self.occluded);
        Ok(earlier(earlier(wake_at, hud), self.settings_due))
    }

    fn advance_session(&mut self, now: Instant) -> Result<Option<Instant>, AppError> {
        let Some(session) = &mut self.session else { return Ok(None) };
        let (had_ended, number) = (session.player.has_ended(), session.player.frame_index());
        let mut complaints = Vec::new();
        let tick = session.advance(now, &mut complaints);
        let (has_ended, is_paused) = (session.player.has_ended(), session.player.is_paused());
        if session.player.frame_index() != number {
            self.window.request_redraw();
        }
        for complaint in complaints {
            self.note(complaint, Tone::Wrong, now);
        }
        if let Some(frame) = tick.show {
            self.load(frame)?;
            self.update_title(now, is_paused);
        } else if had_ended != has_ended {
            self.update_title(now, true);
        }
        Ok(tick.wake_at)
    }

    /// Whether the picture stands.
    pub(super) fn stands(&self) -> bool {
        self.session.as_ref().is_none_or(|session| session.player.is_paused() || session.player.has_ended())
    }

    /// Counts a frame and puts it on screen with the next drawing.
    pub(super) fn load(&mut self, frame: Frame) -> Result<(), AppError> {
        let Some(session) = &mut self.session else { return Ok(()) };
        let read = session.read(&frame);
        if self.components == Components::YCbCr && !read.picture.has_coded_components() {
            log::warn!("the video is R'G'B'; red, green, blue and luminance are counted instead of Y'CbCr codes");
            self.components = Components::Rgbl;
            self.scene.brush = None;
        }
        session.frame = Some(frame);
        if let Err(error) = self.graphics.load(&read, self.components) {
            return self.rebuild(error);
        }
        self.bins.is_current = false;
        self.window.request_redraw();
        Ok(())
    }

    /// Counts and draws the frame on screen once more, as when something else is to be counted.
    pub(super) fn reload(&mut self) -> Result<(), AppError> {
        match self.session.as_mut().and_then(|session| session.frame.take()) {
            Some(frame) => self.load(frame),
            None => Ok(()),
        }
    }

    /// Makes everything on the adapter again after the device was lost.
    fn rebuild(&mut self, error: GpuError) -> Result<(), AppError> {
        self.graphics.rebuild(error)?;
        self.hud.restart(&self.window);
        self.graphics.renderer.set_timing(&self.graphics.gpu, self.hud.sheets.timing);
        self.note("the graphics device was lost; everything on it has been made again", Tone::Wrong, Instant::now());
        self.window.request_redraw();
        self.reload()
    }

    /// Draws what is loaded.
    ///
    /// # Errors
    /// [`AppError`] if the adapter or the surface fails for good.
    pub fn draw(&mut self) -> Result<Flow, AppError> {
        let has_picture = self.session.as_ref().is_none_or(|session| session.frame.is_some());
        if self.occluded || !has_picture {
            return Ok(Flow::Continue);
        }
        let now = Instant::now();
        let size = self.graphics.next_size();
        let (shapes, commands) = self.lay_out(size, now);
        let (brush, brush_strength) = self.brush_fade.follow(self.scene.brush, now);
        let overlays = self.scene.overlays && self.session.is_some();
        let scene = Scene { overlays, brush, brush_strength, ..self.scene };
        match self.graphics.draw(&scene, shapes) {
            Ok(true) => {
                if let Some(started) = self.started.take() {
                    let millis = started.elapsed().as_secs_f64() * 1000.0;
                    log::debug!("first frame presented {millis:.0} ms after the start");
                }
            }
            Ok(false) => {}
            Err(error) => self.rebuild(error)?,
        }
        for command in commands {
            if self.obey(command)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::Continue)
    }

    /// Shows a note, and tells the log.
    pub(super) fn note(&mut self, text: impl Into<String>, tone: Tone, now: Instant) {
        let text = text.into();
        log::debug!("note: {text}");
        self.hud.note(text, tone, now);
        self.window.request_redraw();
    }

    /// Follows the window's size.
    pub fn resize(&mut self, size: PhysicalSize<u32>) {
        self.graphics.screen.resize(size);
        self.window.request_redraw();
    }

    /// Follows the window's size where only its scale factor was reported.
    pub fn follow_window(&mut self) {
        self.resize(self.window.inner_size());
    }

    /// Notes whether anything of the window can be seen.
    pub fn set_occluded(&mut self, occluded: bool) {
        self.occluded = occluded;
        if !occluded {
            self.window.request_redraw();
        }
    }

    pub(super) fn update_title(&mut self, now: Instant, at_once: bool) {
        if now < self.title_due && !at_once {
            return;
        }
        self.title_due = now + TITLE_INTERVAL;
        let text = match &self.session {
            None => "Histoscope".to_owned(),
            Some(session) => {
                let player = &session.player;
                let state = match (player.has_ended(), player.is_paused()) {
                    (true, _) => "at the end",
                    (false, true) => "paused",
                    (false, false) => "",
                };
                title(&session.name, player.position_secs(), player.duration_secs(), state)
            }
        };
        self.window.set_title(&text);
    }

    /// Notes that a choice which lasts has been changed.
    pub(super) fn settings_changed(&mut self, now: Instant) {
        self.settings_due = Some(now + SETTINGS_DELAY);
    }

    /// Writes the choices that last.
    pub fn keep_settings(&mut self) {
        self.settings_due = None;
        let mut settings = Settings {
            histograms: self.scene.style,
            shown: self.scene.overlays,
            fit: self.scene.view.fit,
            pinned: self.hud.is_pinned(),
            curves: self.scene.curves,
            adjustments: self.adjuster.choices,
            ..Settings::default()
        };
        settings.set_channels(self.scene.channels);
        self.store.save(&settings);
    }

    /// Logs what became of the frames.
    pub fn log_summary(&self) {
        if let Some(session) = &self.session {
            session.log_summary();
        }
        log::debug!("controls and text were laid out {} times", self.hud.layouts());
    }
}

/// The earlier of two times, of which either may be none.
fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    a.into_iter().chain(b).min()
}

/// The video's own size where the display has room for it, else the largest of its shape that fits.
fn window_size(event_loop: &ActiveEventLoop, frame: &Frame) -> PhysicalSize<u32> {
    let picture = &frame.picture;
    let size = upright_size(picture.width(), picture.height(), frame.sample_aspect, frame.orientation);
    let monitor = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
    let room = monitor.map_or((1280.0, 720.0), |m| {
        (f64::from(m.size().width) * DISPLAY_PART, f64::from(m.size().height) * DISPLAY_PART)
    });
    let (width, height) = (size.x.max(1.0), size.y.max(1.0));
    let shrink = (room.0 / width).min(room.1 / height).min(1.0);
    // Tiny videos get a window that the histograms can be read in.
    let enlarge = (480.0 / width).max(270.0 / height).max(1.0);
    let scale = if shrink < 1.0 { shrink } else { enlarge.min(room.0 / width).min(room.1 / height) };
    PhysicalSize::new((width * scale).round().max(1.0) as u32, (height * scale).round().max(1.0) as u32)
}

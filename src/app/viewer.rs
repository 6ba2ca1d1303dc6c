//! One open video in its window: frames come from the decoding thread, wait in the player, are counted and drawn.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use winit::dpi::PhysicalSize;
use winit::event_loop::ActiveEventLoop;
use winit::window::{Fullscreen, Window};

use super::hud::{Hud, TimingFigures};
use super::keys::Action;
use super::screen::Screen;
use super::title::title;
use super::{AppError, PlayOptions};
use crate::engine::Engine;
use crate::frame::Frame;
use crate::gpu::surface::Acquired;
use crate::gpu::{Gpu, Instance, Renderer, Scene, TimesState};
use crate::histogram::Components;
use crate::media::{DecodeEvent, DecodeThread, FrameCounters, SeekTarget, StreamInfo};
use crate::placement::upright_size;
use crate::playback::{Player, SeekRequest, Target};

/// The title follows the position no more often than this while playing.
const TITLE_INTERVAL: Duration = Duration::from_millis(100);
/// While the passes' times are under way they are looked for this often.
const TIMES_INTERVAL: Duration = Duration::from_millis(10);
/// Size of the window where the video's own would not fit the display, as part of the display.
const DISPLAY_PART: f64 = 0.9;

/// An open video in its window.
pub struct Viewer {
    gpu: Gpu,
    screen: Screen,
    renderer: Renderer,
    engine: Engine,
    media: DecodeThread,
    player: Player,
    scene: Scene,
    components: Components,
    hud: Hud,
    shows_timing: bool,
    /// The frame on screen, to count it again when something else is to be counted.
    frame: Option<Frame>,
    name: String,
    title_due: Instant,
    /// Where the arrow key that is held has led so far; the exact frame there is shown when it is let go.
    held_seek: Option<f64>,
    occluded: bool,
    /// When the program started, until the first frame has been presented.
    started: Option<Instant>,
    reported: FrameCounters,
}

impl Viewer {
    /// Opens a window in the video's size and prepares the passes for it.
    ///
    /// # Errors
    /// [`AppError`] if the display or the adapter refuses.
    pub fn new(
        event_loop: &ActiveEventLoop,
        instance: &Instance,
        options: &PlayOptions,
        media: DecodeThread,
        info: &StreamInfo,
        first: Frame,
    ) -> Result<Self, AppError> {
        let name = file_name(&options.input);
        let attributes = Window::default_attributes()
            .with_title(title(&name, 0.0, info.duration_secs, ""))
            .with_inner_size(window_size(event_loop, &first));
        let window = event_loop.create_window(attributes).map_err(super::display_error)?;
        let window = Arc::new(window);
        let (gpu, screen) = Screen::new(instance, &options.adapter, window)?;
        let renderer = Renderer::for_surface(&gpu, &screen.surface);
        let engine = Engine::new(options.engine, &gpu);
        let mut player = Player::new(info.duration_secs, options.paused, options.looped);
        player.push(first);
        Ok(Self {
            gpu,
            screen,
            renderer,
            engine,
            media,
            player,
            scene: Scene::default(),
            components: options.components,
            hud: Hud::new(),
            shows_timing: false,
            frame: None,
            name,
            title_due: Instant::now(),
            held_seek: None,
            occluded: false,
            started: Some(options.started),
            reported: FrameCounters::default(),
        })
    }

    /// Takes decoded frames, shows the one that is due, and tells when to be called again.
    ///
    /// # Errors
    /// [`AppError`] if the adapter refuses the frame.
    pub fn advance(&mut self, now: Instant) -> Result<Option<Instant>, AppError> {
        while self.player.wants_frames(now) {
            match self.media.try_recv() {
                Some(DecodeEvent::Frame(frame)) => self.player.push(frame),
                Some(DecodeEvent::EndOfStream { serial }) => {
                    self.player.end_of_stream(serial);
                    self.report_damage();
                }
                Some(DecodeEvent::Error { serial, error }) => {
                    log::warn!("{error}");
                    if !matches!(error, crate::media::MediaError::NotSeekable { .. }) {
                        self.player.end_of_stream(serial);
                    }
                }
                Some(DecodeEvent::Opened(_)) => {}
                None => break,
            }
        }
        let had_ended = self.player.has_ended();
        let tick = self.player.tick(now);
        self.seek(tick.seek);
        if let Some(frame) = tick.show {
            self.load(frame)?;
            self.update_title(now, self.player.is_paused());
        } else if had_ended != self.player.has_ended() {
            self.update_title(now, true);
        }
        self.gpu.check()?;
        // Times come back some frames later; a paused video is drawn once more for them.
        let wake_at = match self.renderer.poll_times(&self.gpu) {
            TimesState::New if self.player.is_paused() => {
                self.screen.window.request_redraw();
                tick.wake_at
            }
            TimesState::UnderWay => Some(tick.wake_at.unwrap_or(now + TIMES_INTERVAL).min(now + TIMES_INTERVAL)),
            TimesState::New | TimesState::Settled => tick.wake_at,
        };
        Ok(wake_at)
    }

    /// Counts a frame and puts it on screen with the next drawing.
    fn load(&mut self, frame: Frame) -> Result<(), AppError> {
        let components = match self.components {
            Components::YCbCr if !frame.picture.has_coded_components() => {
                log::warn!("the video is R'G'B'; red, green, blue and luminance are counted instead of Y'CbCr codes");
                self.components = Components::Rgbl;
                Components::Rgbl
            }
            components => components,
        };
        let begin = Instant::now();
        let counted = self.engine.count(&frame.picture, components);
        self.renderer.note_cpu_count(counted.is_some().then(|| begin.elapsed()));
        self.renderer.load_frame(&self.gpu, &frame, components, counted)?;
        self.frame = Some(frame);
        self.screen.window.request_redraw();
        Ok(())
    }

    /// Draws what is loaded.
    ///
    /// # Errors
    /// [`AppError`] if the adapter or the surface fails for good.
    pub fn draw(&mut self) -> Result<(), AppError> {
        if self.occluded || self.frame.is_none() {
            return Ok(());
        }
        let target = match self.screen.acquire(&self.gpu)? {
            Acquired::Draw(target) => target,
            Acquired::Retry => {
                self.screen.window.request_redraw();
                return Ok(());
            }
            Acquired::Skip => return Ok(()),
        };
        self.lay_out_text();
        let window = &self.screen.window;
        self.renderer.present(&self.gpu, target, &self.scene, || window.pre_present_notify());
        if let Some(started) = self.started.take() {
            log::debug!("first frame presented {:.0} ms after the start", started.elapsed().as_secs_f64() * 1000.0);
        }
        self.gpu.check()?;
        Ok(())
    }

    /// Does what a key asks for; `held` where the key has been down for a while.
    pub fn act(&mut self, action: Action, held: bool) {
        let now = Instant::now();
        match action {
            Action::TogglePause if !held => {
                let seek = self.player.toggle_pause(now);
                self.seek(seek);
            }
            Action::SeekBy { secs, exact } => {
                let seek = self.player.seek_by(secs, exact || !held);
                if held && !exact {
                    self.held_seek = Some(self.player.destination_secs());
                }
                self.seek(seek);
            }
            Action::ToStart if !held => self.seek_exactly(0.0),
            Action::ToEnd if !held => self.seek_exactly(f64::MAX),
            Action::Step { forward } => {
                let seek = self.player.step(forward, now);
                self.seek(seek);
            }
            Action::ToggleChannel(channel) if !held => self.scene.channels.toggle(channel),
            Action::ToggleOverlays if !held => self.scene.overlays = !self.scene.overlays,
            Action::ToggleComponents if !held => self.toggle_components(),
            Action::ToggleTiming if !held => self.toggle_timing(),
            Action::ToggleFullscreen if !held => self.toggle_fullscreen(),
            _ => return,
        }
        self.screen.window.request_redraw();
        self.update_title(now, true);
    }

    /// Shows the exact frame that a held arrow key led to.
    pub fn settle_seek(&mut self) {
        if let Some(secs) = self.held_seek.take() {
            self.seek_exactly(secs);
        }
    }

    fn seek_exactly(&mut self, secs: f64) {
        let seek = self.player.seek_to(secs, true);
        self.seek(seek);
    }

    fn seek(&self, request: Option<SeekRequest>) {
        let Some(SeekRequest { serial, target }) = request else { return };
        let target = match target {
            Target::Exact(secs) if secs <= 0.0 => SeekTarget::First,
            Target::Exact(secs) => SeekTarget::Exact(secs),
            Target::Keyframe(secs) => SeekTarget::Keyframe(secs),
            Target::Before { ticks, .. } => SeekTarget::Before(ticks),
        };
        self.media.seek(serial, target);
    }

    fn toggle_components(&mut self) {
        self.components = match self.components {
            Components::Rgbl => Components::YCbCr,
            Components::YCbCr => Components::Rgbl,
        };
        if let Some(frame) = self.frame.take()
            && let Err(error) = self.load(frame)
        {
            log::error!("{error}");
        }
    }

    fn toggle_timing(&mut self) {
        self.shows_timing = !self.shows_timing;
        self.renderer.set_timing(&self.gpu, self.shows_timing);
        // The frame on screen is counted again, so that a paused video has times to show.
        if let Some(frame) = self.frame.take()
            && let Err(error) = self.load(frame)
        {
            log::error!("{error}");
        }
    }

    fn lay_out_text(&mut self) {
        let counts = self.player.counts();
        let timing = self.renderer.pass_times().map(|(times, has_timestamps)| TimingFigures {
            engine: self.engine.name(),
            adapter: self.gpu.info.name.clone(),
            times,
            has_timestamps,
            counted: counts.shown,
            dropped: counts.dropped,
            damaged: counts.damaged,
        });
        let scale_factor = self.screen.window.scale_factor();
        self.renderer.set_shapes(self.hud.lay_out(self.screen.size(), scale_factor, timing.as_ref()));
    }

    fn toggle_fullscreen(&self) {
        let window = &self.screen.window;
        let fullscreen = if window.fullscreen().is_some() { None } else { Some(Fullscreen::Borderless(None)) };
        window.set_fullscreen(fullscreen);
    }

    /// Follows the window's size.
    ///
    /// # Errors
    /// None yet; the surface is configured with the next drawing.
    pub fn resize(&mut self, size: PhysicalSize<u32>) -> Result<(), AppError> {
        self.screen.resize(size);
        self.screen.window.request_redraw();
        Ok(())
    }

    /// Follows the window's size where only the scale factor was reported.
    ///
    /// # Errors
    /// As [`resize`](Self::resize).
    pub fn refresh_size(&mut self) -> Result<(), AppError> {
        self.resize(self.screen.window.inner_size())
    }

    /// Notes whether anything of the window can be seen.
    pub fn set_occluded(&mut self, occluded: bool) {
        self.occluded = occluded;
        if !occluded {
            self.screen.window.request_redraw();
        }
    }

    fn update_title(&mut self, now: Instant, at_once: bool) {
        if now < self.title_due && !at_once {
            return;
        }
        self.title_due = now + TITLE_INTERVAL;
        let state = match (self.player.has_ended(), self.player.is_paused()) {
            (true, _) => "at the end",
            (false, true) => "paused",
            (false, false) => "",
        };
        let text = title(&self.name, self.player.position_secs(), self.player.duration_secs(), state);
        self.screen.window.set_title(&text);
    }

    /// Says how much of the file was damaged since the last time.
    fn report_damage(&mut self) {
        let counters = self.media.counters();
        let refused = counters.refused_packets - self.reported.refused_packets.min(counters.refused_packets);
        let damaged = counters.damaged - self.reported.damaged.min(counters.damaged);
        if refused + damaged > 0 {
            log::warn!("{}: {refused} packets could not be decoded and {damaged} frames are damaged", self.name);
        }
        self.reported = counters;
    }

    /// Logs what became of the frames.
    pub fn log_summary(&self) {
        let counts = self.player.counts();
        let counters = self.media.counters();
        log::info!(
            "{} frames shown, {} dropped, {} damaged, {} packets refused",
            counts.shown,
            counts.dropped,
            counters.damaged,
            counters.refused_packets
        );
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
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

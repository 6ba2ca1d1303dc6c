//! A window that nobody sees. Everything behind it is what the desktop's window has; its picture is drawn to a texture. So playing is
//! measured on machines without a display ([`measure`]), and the window is tested and pictured without one.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use super::clipboard::Clipboard;
use super::dialog::PickedFiles;
use super::event::Event;
use super::hud::UiEvents;
use super::options::{AppError, PlayOptions, Waker};
use super::screen::{EMPTY_SIZE, Window, size_for};
use super::start;
use super::viewer::{Flow, Viewer};
use histoscope_render::gpu::target::{Target, TextureTarget};
use histoscope_render::gpu::{AdapterChoice, Gpu, GpuError, Instance, Loading};

/// Size of the display that the window would be on, in pixels.
const DISPLAY: (u32, u32) = (1920, 1200);

/// The time that such a window goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Real time.
    Real,
    /// The time that it was set to.
    Driven(Instant),
}

/// A window that nobody sees.
pub struct OffscreenWindow {
    clock: Cell<Clock>,
    size: Cell<(u32, u32)>,
    /// The size that the window has again when it no longer fills the screen.
    own_size: Cell<Option<(u32, u32)>>,
    wants_drawing: Cell<bool>,
    title: RefCell<String>,
    /// Lays out the display over the picture.
    context: RefCell<egui::Context>,
    /// The text that was copied in a field.
    copied: RefCell<String>,
    /// Events that the window itself has caused.
    caused: RefCell<VecDeque<Event>>,
}

impl OffscreenWindow {
    fn new(size: (u32, u32), full: bool, clock: Clock) -> Self {
        Self {
            clock: Cell::new(clock),
            size: Cell::new(if full { DISPLAY } else { size }),
            own_size: Cell::new(full.then_some(size)),
            wants_drawing: Cell::default(),
            title: RefCell::default(),
            context: RefCell::default(),
            copied: RefCell::default(),
            caused: RefCell::default(),
        }
    }

    /// What the window is called.
    #[must_use]
    pub fn title(&self) -> String {
        self.title.borrow().clone()
    }

    /// The text that was copied in a field.
    #[must_use]
    pub fn copied(&self) -> String {
        self.copied.borrow().clone()
    }

    /// Pixels to a point of the display over the picture.
    #[must_use]
    pub fn pixels_per_point(&self) -> f32 {
        self.context.borrow().zoom_factor() * self.scale_factor() as f32
    }

    /// Sets the time of a clock that is driven.
    pub fn set_time(&self, now: Instant) {
        self.clock.set(Clock::Driven(now));
    }

    /// Gives the window a size in pixels.
    pub fn resize(&self, size: (u32, u32)) {
        self.size.set(size);
        self.caused.borrow_mut().push_back(Event::Resized(size));
    }
}

impl Window for OffscreenWindow {
    fn now(&self) -> Instant {
        match self.clock.get() {
            Clock::Real => Instant::now(),
            Clock::Driven(now) => now,
        }
    }

    fn size(&self) -> (u32, u32) {
        self.size.get()
    }

    fn scale_factor(&self) -> f64 {
        1.0
    }

    fn display_size(&self) -> Option<(u32, u32)> {
        Some(DISPLAY)
    }

    fn request_size(&self, size: (u32, u32)) -> Option<(u32, u32)> {
        self.resize(size);
        None
    }

    fn is_full(&self) -> bool {
        self.own_size.get().is_some()
    }

    fn set_full(&self, full: bool) {
        match (full, self.own_size.get()) {
            (true, None) => {
                self.own_size.set(Some(self.size.get()));
                self.resize(DISPLAY);
            }
            (false, Some(own)) => {
                self.own_size.set(None);
                self.resize(own);
            }
            _ => {}
        }
    }

    fn is_maximized(&self) -> bool {
        false
    }

    fn set_title(&self, title: &str) {
        title.clone_into(&mut self.title.borrow_mut());
    }

    fn request_redraw(&self) {
        self.wants_drawing.set(true);
    }

    fn before_present(&self) {}

    fn make_target(&self, instance: &Instance, choice: &AdapterChoice) -> Result<(Gpu, Target), GpuError> {
        let (gpu, target) = TextureTarget::new(instance, choice, self.size())?;
        Ok((gpu, Target::Texture(target)))
    }

    fn connect(&self, context: &egui::Context) {
        self.context.replace(context.clone());
    }

    fn take_output(&self, output: egui::PlatformOutput) {
        for command in output.commands {
            if let egui::OutputCommand::CopyText(text) = command {
                self.copied.replace(text);
            }
        }
    }

    fn clipboard(&self) -> Clipboard {
        Clipboard::of_nobody()
    }

    fn pick_files(&self) -> PickedFiles {
        // As on a desktop that has no dialog.
        Box::pin(std::future::ready(None))
    }
}

/// Such a window with the viewer in it.
pub struct Offscreen {
    /// The window.
    pub window: Rc<OffscreenWindow>,
    /// The viewer.
    pub viewer: Viewer,
    /// Hears of it when another thread has something for the viewer.
    woken: Receiver<()>,
}

impl Offscreen {
    /// Opens the window, in the video's size unless another one is given.
    ///
    /// # Errors
    /// [`AppError`] if the video or the adapter refuses.
    pub fn open(options: PlayOptions, size: Option<(u32, u32)>, is_driven: bool) -> Result<Self, AppError> {
        let mut instance = Loading::start();
        let (sender, woken) = mpsc::channel();
        let waker: Waker = Arc::new(move || {
            // Nobody listens any more when the window has been closed.
            let _ = sender.send(());
        });
        let media = match options.inputs.first() {
            Some(input) => Some(start::open(input, &options, &waker)?),
            None => None,
        };
        let instance = instance.finish_without_display();
        let (beginning, comparison) = start::begin(media, &options, &waker)?;
        let own_size = match beginning.first_frame() {
            Some(frame) => size_for(frame, Some(DISPLAY)),
            None => (EMPTY_SIZE.0 as u32, EMPTY_SIZE.1 as u32),
        };
        let clock = if is_driven { Clock::Driven(Instant::now()) } else { Clock::Real };
        let window = Rc::new(OffscreenWindow::new(size.unwrap_or(own_size), options.begin.fullscreen, clock));
        let viewer =
            Viewer::new(Rc::<OffscreenWindow>::clone(&window), &instance, options, waker, (beginning, comparison))?;
        Ok(Self { window, viewer, woken })
    }

    /// Whether a drawing was asked for.
    #[must_use]
    pub fn wants_drawing(&self) -> bool {
        self.window.wants_drawing.get()
    }

    /// Draws.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn draw(&mut self) -> Result<Flow, AppError> {
        self.window.wants_drawing.set(false);
        self.viewer.on_event(Event::RedrawRequested, UiEvents::default)
    }

    /// Hands the viewer the events that the window itself has caused.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn send_caused(&mut self) -> Result<Flow, AppError> {
        loop {
            let Some(event) = self.window.caused.borrow_mut().pop_front() else { return Ok(Flow::Continue) };
            if self.viewer.on_event(event, UiEvents::default)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
    }

    /// Whether another thread has something for the viewer since this was asked last.
    pub fn was_woken(&self) -> bool {
        self.woken.try_iter().count() > 0
    }

    /// Waits until another thread has something for the viewer, for so long at most; whether one has.
    pub fn wait_for_wake(&self, longest: Duration) -> bool {
        self.woken.recv_timeout(longest).is_ok()
    }
}

/// What was measured of playing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlayFigures {
    /// The adapter's name.
    pub adapter: String,
    /// The engine that counted.
    pub engine: &'static str,
    /// Size of the view in pixels.
    pub size: (u32, u32),
    /// How long it played.
    pub played: Duration,
    /// Frames that were dropped because they came too late.
    pub dropped: u64,
    /// Processor time of the whole program, decoding included, where the system tells it.
    pub processor: Option<Duration>,
    /// GPU time of each drawing that was timed, counting included, where the adapter has timestamps.
    pub gpu: Vec<Duration>,
    /// Time from when each frame that was drawn was due to when the adapter had drawn it.
    pub delays: Vec<Duration>,
}

/// Plays in real time for so long, or to the end of the video, in a view of `size` pixels, and measures that.
///
/// # Errors
/// [`AppError`] if the video or the adapter refuses.
pub fn measure(options: PlayOptions, length: Duration, size: Option<(u32, u32)>) -> Result<PlayFigures, AppError> {
    let mut offscreen = Offscreen::open(options, size, false)?;
    offscreen.viewer.time_passes()?;
    let (begin, processor_before) = (Instant::now(), processor_time());
    let mut figures = PlayFigures { size: offscreen.window.size(), ..PlayFigures::default() };
    let mut drawn_frame = None;
    loop {
        offscreen.was_woken();
        let wake_at = offscreen.viewer.advance()?;
        if offscreen.wants_drawing() {
            offscreen.draw()?;
            figures.gpu.extend(offscreen.viewer.finish_drawing()?);
            let shown = offscreen.viewer.time_since_due();
            if let Some((frame, delay)) = shown.filter(|(frame, _)| drawn_frame != Some(*frame)) {
                drawn_frame = Some(frame);
                figures.delays.push(delay);
            }
        }
        let now = Instant::now();
        figures.played = now - begin;
        if figures.played >= length || offscreen.viewer.has_ended() {
            break;
        }
        if !offscreen.wants_drawing() {
            let until = wake_at.unwrap_or(begin + length).min(begin + length);
            offscreen.wait_for_wake(until.saturating_duration_since(now));
        }
    }
    figures.processor = processor_time().zip(processor_before).map(|(after, before)| after.saturating_sub(before));
    (figures.adapter, figures.engine) = offscreen.viewer.engine_names();
    figures.dropped = offscreen.viewer.dropped_frames();
    Ok(figures)
}

/// Processor time that the program has used so far, in all its threads.
#[cfg(target_os = "linux")]
fn processor_time() -> Option<Duration> {
    let line = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may contain spaces; after it, user and system time are the 12th and 13th field, in hundredths of a
    // second on every platform that Rust's Linux targets cover.
    let fields: Vec<_> = line.rsplit(')').next()?.split_whitespace().collect();
    let ticks = [fields.get(11)?, fields.get(12)?].iter().filter_map(|field| field.parse::<u64>().ok()).sum::<u64>();
    Some(Duration::from_millis(10 * ticks))
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> Option<Duration> {
    None
}

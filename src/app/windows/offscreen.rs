//! A window without a display. Everything behind it is the same as in the desktop window, but its picture is drawn to a
//! texture. It is used to measure playback on machines without a display ([`measure`]), and to test and capture the
//! window.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::app::files::start;
use crate::app::input::event::Event;
use crate::app::input::event::Waker;
use crate::app::options::{AppError, PlayOptions};
use crate::app::remote::endpoint::Endpoint;
use crate::app::screen::clipboard::Clipboard;
use crate::app::screen::dialog::PickedFiles;
use crate::app::screen::{EMPTY_SIZE, Window, size_for};
use crate::app::strip::ProcessorTimes;
use crate::app::viewer::{Flow, Viewer};
use histoscope_hud::egui;
use histoscope_hud::{Host, UiEvents};
use histoscope_render::gpu::output::HdrChoice;
use histoscope_render::gpu::target::{Target, TextureTarget};
use histoscope_render::gpu::{AdapterChoice, Gpu, GpuError, Instance, Loading};

/// Size of the imaginary display that the window is on, in pixels.
const DISPLAY: (u32, u32) = (1920, 1200);

/// The clock of an offscreen window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Real time.
    Real,
    /// The time that the clock was last set to.
    Driven(Instant),
}

/// A window that is drawn to a texture.
pub struct OffscreenWindow {
    clock: Cell<Clock>,
    size: Cell<(u32, u32)>,
    /// The size to return to from full screen; `None` unless the window is in full screen.
    own_size: Cell<Option<(u32, u32)>>,
    wants_drawing: Cell<bool>,
    title: RefCell<String>,
    /// The context that lays out the HUD.
    context: RefCell<egui::Context>,
    /// The text that was copied from an input field.
    copied: RefCell<String>,
    /// Events caused by the window itself.
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

    /// Resizes the window to this size, in pixels.
    pub fn resize(&self, size: (u32, u32)) {
        self.size.set(size);
        self.caused.borrow_mut().push_back(Event::Resized(size));
    }
}

/// Methods for scripts only.
#[cfg(feature = "test-hooks")]
impl OffscreenWindow {
    /// Returns the window's title.
    #[must_use]
    pub fn title(&self) -> String {
        self.title.borrow().clone()
    }

    /// Returns the text that was copied from an input field.
    #[must_use]
    pub fn copied(&self) -> String {
        self.copied.borrow().clone()
    }

    /// Returns the pixels per point of the HUD.
    #[must_use]
    pub fn pixels_per_point(&self) -> f32 {
        self.context.borrow().zoom_factor() * self.scale_factor() as f32
    }

    /// Sets the time of a driven clock.
    pub fn set_time(&self, now: Instant) {
        self.clock.set(Clock::Driven(now));
    }
}

impl Host for OffscreenWindow {
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

    fn make_target(
        &self,
        instance: &Instance,
        choice: &AdapterChoice,
        hdr: HdrChoice,
    ) -> Result<(Gpu, Target), GpuError> {
        let (gpu, target) = TextureTarget::new(instance, choice, self.size(), hdr)?;
        Ok((gpu, Target::Texture(target)))
    }

    fn clipboard(&self) -> Clipboard {
        Clipboard::discarding()
    }

    fn pick_files(&self) -> PickedFiles {
        // As on a desktop that has no file dialog.
        Box::pin(std::future::ready(None))
    }
}

/// An offscreen window and the viewer in it.
pub struct Offscreen {
    /// The window.
    pub window: Rc<OffscreenWindow>,
    /// The viewer.
    pub viewer: Viewer,
    /// Receives a message whenever another thread has something for the viewer.
    woken: Receiver<()>,
}

impl Offscreen {
    /// Opens the window, in the video's size unless another size is given.
    ///
    /// # Errors
    /// [`AppError`] if the video cannot be opened or the adapter fails.
    pub fn open(
        options: PlayOptions,
        endpoint: Option<Endpoint>,
        size: Option<(u32, u32)>,
        is_driven: bool,
    ) -> Result<Self, AppError> {
        let mut instance = Loading::start();
        let (sender, woken) = mpsc::channel();
        let waker: Waker = Arc::new(move || {
            // The receiver is gone if the window has been closed.
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
        let own_waker = Arc::clone(&waker);
        let mut viewer =
            Viewer::new(Rc::<OffscreenWindow>::clone(&window), &instance, options, waker, (beginning, comparison))?;
        viewer.listen(endpoint, &own_waker)?;
        Ok(Self { window, viewer, woken })
    }

    /// Returns `true` if a redraw was requested.
    #[must_use]
    pub fn wants_drawing(&self) -> bool {
        self.window.wants_drawing.get()
    }

    /// Draws the window.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn draw(&mut self) -> Result<Flow, AppError> {
        self.send_caused()?;
        self.window.wants_drawing.set(false);
        self.viewer.on_event(Event::RedrawRequested, UiEvents::default)
    }

    /// Lets the viewer do its pending work. Returns when to call again.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn advance(&mut self) -> Result<Option<Instant>, AppError> {
        self.send_caused()?;
        self.viewer.advance()
    }

    /// Passes the viewer the events caused by the window itself: new sizes, on which the viewer never quits.
    fn send_caused(&mut self) -> Result<(), AppError> {
        loop {
            let Some(event) = self.window.caused.borrow_mut().pop_front() else { return Ok(()) };
            self.viewer.on_event(event, UiEvents::default)?;
        }
    }

    /// Returns `true` if another thread has woken the viewer since the last call.
    pub fn was_woken(&self) -> bool {
        self.woken.try_iter().count() > 0
    }

    /// Waits up to `longest` for another thread to wake the viewer. Returns whether one did.
    pub fn wait_for_wake(&self, longest: Duration) -> bool {
        self.woken.recv_timeout(longest).is_ok()
    }
}

/// Measurements of playback.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayFigures {
    /// The adapter's name.
    pub adapter: String,
    /// The name of the engine that counted.
    pub engine: &'static str,
    /// Width and height of the view in pixels.
    pub size: (u32, u32),
    /// Time played, in seconds.
    pub played_secs: f64,
    /// Number of frames drawn.
    pub drawn: usize,
    /// Number of frames dropped because they were late.
    pub dropped: u64,
    /// Processor time per frame for playing, including decoding, in milliseconds; `None` if the system does not report
    /// it.
    pub processor_ms: Option<f64>,
    /// Processor time per frame of the background, which fills the strip, in milliseconds.
    pub background_ms: Option<f64>,
    /// GPU time per timed draw, including counting; `None` if the adapter has no timestamps.
    pub gpu_ms: Option<Spread>,
    /// Time from when a frame was due to when the adapter had drawn it; `None` if no frame was drawn.
    pub delay_ms: Option<Spread>,
}

/// The distribution of a set of times, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// Half of the times are at most this.
    pub median: f64,
    /// 95 % of the times are at most this.
    pub p95: f64,
    /// The longest time.
    pub most: f64,
}

impl Spread {
    /// Returns the distribution of these times, or `None` if there are none.
    #[must_use]
    pub fn of(mut times: Vec<Duration>) -> Option<Self> {
        times.sort_unstable();
        let most = times.len().checked_sub(1)?;
        let ms = |part: f64| times[(most as f64 * part).round() as usize].as_secs_f64() * 1000.0;
        Some(Self { median: ms(0.5), p95: ms(0.95), most: ms(1.0) })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "median {:.2} ms, 95 % within {:.2} ms, longest {:.2} ms", self.median, self.p95, self.most)
    }
}

impl fmt::Display for PlayFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { adapter, engine, size: (width, height), played_secs, drawn, dropped, .. } = self;
        writeln!(f, "{adapter}, counted by the {engine} engine, view of {width}×{height} pixels, {played_secs:.1} s")?;
        writeln!(f, "frames drawn               {drawn}")?;
        writeln!(f, "frames dropped             {dropped}")?;
        match self.processor_ms {
            Some(ms) => writeln!(f, "processor time per frame   {ms:.2} ms, decoding included")?,
            None => writeln!(f, "processor time per frame   not known on this system")?,
        }
        if let Some(ms) = self.background_ms {
            writeln!(f, "in the background          {ms:.2} ms, filling the strip")?;
        }
        match &self.gpu_ms {
            Some(spread) => writeln!(f, "GPU time per frame         {spread}")?,
            None => writeln!(f, "GPU time per frame         not known: the adapter has no timestamps")?,
        }
        match &self.delay_ms {
            Some(spread) => write!(f, "delay from due to drawn    {spread}"),
            None => write!(f, "delay from due to drawn    no frame was drawn"),
        }
    }
}

/// Plays in real time for `length` from the first picture on, or to the end of the video, in a view of `size` pixels or
/// the video's own size, and measures playback.
///
/// # Errors
/// [`AppError`] if the video cannot be opened or the adapter fails.
pub fn measure(options: PlayOptions, length: Duration, size: Option<(u32, u32)>) -> Result<PlayFigures, AppError> {
    let mut offscreen = Offscreen::open(options, None, size, false)?;
    offscreen.viewer.time_passes()?;
    // Until the first picture is drawn, decoder and graphics device get ready.
    let (mut begin, mut processor_before) = (Instant::now(), None);
    let (mut gpu, mut delays, mut drawn_frame) = (Vec::new(), Vec::new(), None);
    while drawn_frame.is_none() || begin.elapsed() < length {
        offscreen.was_woken();
        let end = Instant::now() + length.saturating_sub(begin.elapsed()).max(Duration::from_millis(1));
        let wake_at = offscreen.advance()?.unwrap_or(end).min(end);
        if !offscreen.wants_drawing() {
            // At the end of the video, no event would end the wait.
            if offscreen.viewer.has_ended() {
                break;
            }
            offscreen.wait_for_wake(wake_at.saturating_duration_since(Instant::now()));
            continue;
        }
        offscreen.draw()?;
        gpu.extend(offscreen.viewer.finish_drawing()?);
        let shown = offscreen.viewer.time_since_due();
        if let Some((frame, delay)) = shown.filter(|(frame, _)| drawn_frame != Some(*frame)) {
            if drawn_frame.replace(frame).is_none() {
                (begin, processor_before) = (Instant::now(), ProcessorTimes::now());
                gpu.clear();
                continue;
            }
            delays.push(delay);
        }
    }
    let processor = ProcessorTimes::now().zip(processor_before);
    let (adapter, engine) = offscreen.viewer.engine_names();
    let drawn = delays.len();
    let per_frame =
        |after: Duration, before: Duration| after.saturating_sub(before).as_secs_f64() * 1000.0 / drawn.max(1) as f64;
    Ok(PlayFigures {
        adapter,
        engine,
        size: offscreen.window.size(),
        played_secs: begin.elapsed().as_secs_f64(),
        drawn,
        dropped: offscreen.viewer.dropped_frames(),
        processor_ms: processor.map(|(after, before)| per_frame(after.foreground, before.foreground)),
        background_ms: processor.map(|(after, before)| {
            // The background's threads come and go.
            per_frame(after.all - after.foreground, before.all - before.foreground)
        }),
        gpu_ms: Spread::of(gpu),
        delay_ms: Spread::of(delays),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_computed_from_times_in_any_order() {
        let times = (1..=101).rev().map(Duration::from_millis).collect();
        assert_eq!(Spread::of(times), Some(Spread { median: 51.0, p95: 96.0, most: 101.0 }));
        assert_eq!(Spread::of(Vec::new()), None);
    }
}

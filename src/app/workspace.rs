//! What is worked on in the window: the video on screen, how it is counted and shown, and what the display over it says.

mod choosing;
mod handing;
mod holding;
mod opening;
mod operating;
mod pairing;
mod stripping;
mod telling;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use super::adjuster::Adjuster;
use super::bins::{Bins, Wanted};
use super::clip_in_step::Second;
use super::comparison::References;
use super::config::{Keeper, Store};
use super::fits::{Aspect, Fits};
use super::geometry::Geometry;
use super::graphics::Graphics;
use super::hud::{Hud, Note};
use super::look;
use super::marked::MarkedPixels;
use super::options::{AppError, Comparing, PlayOptions, Waker};
use super::outgoing::Outgoing;
use super::recent::Recent;
use super::screen::Window;
use super::session::Session;
use super::strip::ClipStrip;
use super::title::Title;
use histoscope_batch::analyze::selection::Point;
use histoscope_core::histogram::Components;
use histoscope_core::picture::Frame;
use histoscope_render::gpu::{GpuError, Instance};
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::overlay::OverlayStyle;
use histoscope_render::view::placement::{Shape, ViewSettings};
use histoscope_render::view::scene::{Look, Scene};
use histoscope_render::view::scopes::ScopeStyle;

/// The video on screen and everything that is chosen for it.
pub struct Workspace {
    /// What counts and draws, and the window that it draws to.
    pub graphics: Graphics,
    /// The video on screen.
    pub session: Option<Session>,
    /// The clip that plays in step with it.
    second: Option<Second>,
    /// What is being saved or was copied.
    outgoing: Outgoing,
    /// What is drawn over and around the picture.
    pub scene: Scene,
    /// The adjustments' parameters.
    pub adjuster: Adjuster,
    /// What is counted, and its bins as numbers.
    pub bins: Bins,
    /// What of the picture is marked, where that stands.
    pub marked: MarkedPixels,
    /// The frames that are held to compare with.
    pub held: References,
    /// The clip behind the timeline.
    pub strip: ClipStrip,
    /// The display over the picture.
    pub hud: Hud,
    /// The choices that last.
    pub settings: Keeper,
    /// How pictures of each shape fit the window.
    fits: Fits,
    /// The files that were opened last.
    pub recent: Recent,
    /// What the window is called.
    pub title: Title,
}

impl Workspace {
    /// What there is at the start, in a window that has just been opened: a video or none, and the settings of earlier runs.
    ///
    /// # Errors
    /// [`AppError`] if the adapter refuses.
    pub fn new(
        instance: &Instance,
        window: Rc<dyn Window>,
        options: &PlayOptions,
        waker: Waker,
        (session, second): (Option<Session>, Option<Second>),
    ) -> Result<Self, AppError> {
        let store = Store::open(!options.keeps_settings);
        let now = window.now();
        let mut hud = Hud::new(&*window);
        let clipboard = window.clipboard();
        let graphics = Graphics::new(instance, window, (options.adapter.clone(), options.engine))?;
        let settings = store.settings();
        let kept = settings.look;
        let histograms = OverlayStyle {
            bins: options.view.bin_count.or(kept.histograms.bins),
            linear_luminance: options.view.linear_luminance.unwrap_or(kept.histograms.linear_luminance),
            overlaps: options.view.overlaps.unwrap_or(kept.histograms.overlaps),
            ..kept.histograms
        };
        // Who compares wants to see both.
        let (sharing, gain) = options.compare.as_ref().map(Comparing::shown).unwrap_or_default();
        let scene = Scene::from(Look {
            histograms,
            view: ViewSettings::fitted(settings.fits.fit),
            exposure: options.view.exposure.over(kept.exposure),
            adjustments: options.view.adjustments.clamped(),
            counted: options.view.counted,
            sharing,
            gain,
            ..kept
        });
        hud.readout = settings.readout;
        if settings.pinned {
            hud.toggle_pinned(now);
        }
        Ok(Self {
            graphics,
            session,
            second,
            outgoing: Outgoing::new(Arc::clone(&waker), clipboard),
            adjuster: Adjuster::new(settings.adjustments, &scene.look.adjustments),
            scene,
            bins: Bins::new(options.view.components),
            marked: MarkedPixels::new(Arc::clone(&waker)),
            held: References::default(),
            strip: ClipStrip::new(settings.strip, options.open.clone(), options.keeps_settings, waker),
            hud,
            fits: Fits::new(settings.fits.clone()),
            recent: Recent::open(store.folder()),
            settings: Keeper::new(store),
            title: Title::new(now),
        })
    }

    /// The window itself.
    pub fn window(&self) -> &dyn Window {
        &*self.graphics.screen.window
    }

    /// The time by the window's clock.
    pub fn now(&self) -> Instant {
        self.window().now()
    }

    /// Asks for a drawing.
    pub fn redraw(&self) {
        self.window().request_redraw();
    }

    /// Whether the picture stands.
    pub fn stands(&self) -> bool {
        self.session.as_ref().is_none_or(|session| session.player.is_paused() || session.player.has_ended())
    }

    /// Takes what was decoded and puts the frame that is due on screen; when to look again.
    pub fn advance_session(&mut self, now: Instant) -> Result<Option<Instant>, AppError> {
        let Some(session) = &mut self.session else { return Ok(None) };
        let (had_ended, number) = (session.player.has_ended(), session.player.frame_index());
        let lost_before = session.lost_since;
        let due = session.advance(now);
        let (has_ended, is_paused) = (session.player.has_ended(), session.player.is_paused());
        // What a slow seek says comes when it is slow, and goes with its picture.
        self.strip.follow(session, now);
        due.show.iter().for_each(|frame| self.strip.see(session, frame));
        let waits = session.waits(now);
        let has_signal_changed = session.lost_since != lost_before;
        if let Some(goal) = session.player.slow_seek(now).filter(|_| !self.hud.waits()) {
            log::debug!("a seek takes long: {goal:?}");
        }
        if session.player.frame_index() != number || waits != self.hud.waits() {
            self.redraw();
        }
        for complaint in due.complaints {
            self.note(Note::fault(complaint), now);
        }
        if let Some(told) = due.told {
            self.note(Note::done(told), now);
        }
        if let Some(frame) = due.show {
            self.load_due(frame, is_paused || has_ended)?;
            self.follow_title(now, is_paused);
        } else if had_ended != has_ended || has_signal_changed {
            self.follow_title(now, true);
        }
        let wake_at = self.advance_second(now)?;
        Ok(due.wake_at.into_iter().chain(wake_at).min())
    }

    /// Asks for bins where something that is to be seen tells of them, such as what the pointer is at; when to look for
    /// them.
    pub fn advance_bins(&mut self, is_pointed_at: bool, now: Instant) -> Option<Instant> {
        let points_at_bins = self.hud.shows_controls(now) && is_pointed_at;
        let wanted = match self.session.as_ref().and_then(|session| session.frame.as_ref()) {
            None => Wanted::Nothing,
            Some(_) if self.hud.panels.numbers => Wanted::Numbers,
            Some(_) if self.scene.brushes.histogram.is_some() || points_at_bins => Wanted::Bins,
            Some(_) => Wanted::Nothing,
        };
        let (has_come, wake_at) = self.bins.advance(&mut self.graphics, (wanted, self.scene.brushes.histogram), now);
        // While it plays the next frame's drawing tells them.
        if has_come && self.stands() {
            self.redraw();
        }
        wake_at
    }

    /// Counts a frame and puts it on screen with the next drawing.
    pub(super) fn load(&mut self, frame: Frame) -> Result<(), AppError> {
        let Some(session) = &mut self.session else { return Ok(()) };
        session.is_other = self.held.is_shown();
        let read = session.read(&frame);
        // Chosen in pictures of another size, it has no meaning in these.
        let region = self.bins.region.in_pictures_of((read.picture.width(), read.picture.height()));
        let is_lost = self.bins.region.shown().is_some() && region.shown().is_none();
        self.bins.region = region;
        if self.bins.components == Components::YCbCr && !read.picture.has_coded_components() {
            log::warn!("the video is R'G'B'; red, green, blue and luminance are counted instead of Y'CbCr codes");
            self.bins.components = Components::Rgbl;
            self.scene.brushes = Brushes::default();
        }
        if let (Components::Rgbl, Some(matrix)) = (self.bins.components, read.picture.unreadable_matrix()) {
            log::warn!("{matrix}: Y', Cb and Cr are counted as coded instead of red, green, blue and luminance");
            self.bins.components = Components::YCbCr;
            self.scene.brushes = Brushes::default();
        }
        let read = Frame { picture: self.bins.components.in_picture(&read.picture).clone(), ..read };
        session.frame = Some(frame);
        self.fits.keep(self.scene.look.view.fit);
        if let Some(fit) = self.fits.show(Aspect::of(Shape::of(&read).upright())) {
            self.scene.look.view = ViewSettings::fitted(fit);
        }
        if let Err(error) = self.graphics.load(&read, region.counted(), self.bins.components) {
            return self.rebuild(error);
        }
        self.bins.outdate();
        self.redraw();
        if is_lost {
            let text = "region cleared: the picture has another size now";
            self.note(Note::done(text), self.now());
        }
        Ok(())
    }

    /// Counts and draws the frame on screen once more, as when something else is to be counted.
    fn reload(&mut self) -> Result<(), AppError> {
        match self.session.as_mut().and_then(|session| session.frame.take()) {
            Some(frame) => self.load(frame),
            None => Ok(()),
        }
    }

    /// Makes everything on the adapter again after the device was lost.
    pub fn rebuild(&mut self, error: GpuError) -> Result<(), AppError> {
        self.graphics.rebuild(error)?;
        self.hud.restart(&*self.graphics.screen.window);
        self.marked.forget();
        self.second.iter_mut().for_each(Second::restart);
        self.graphics.renderer.set_timing(&self.graphics.gpu, self.hud.panels.timing);
        let text = "the graphics device was lost; everything on it has been made again";
        self.note(Note::warning(text), self.now());
        self.reload()
    }

    /// Where everything lies on the view.
    pub fn geometry(&self) -> Geometry<'_> {
        let size = self.graphics.screen.size();
        Geometry {
            scene: &self.scene,
            components: self.bins.components,
            frame: self.session.as_ref().and_then(|session| session.frame.as_ref()),
            other: self.held.outlined(),
            region: self.bins.region,
            size,
            points: Hud::pixels_per_point(size, self.window().scale_factor()),
        }
    }

    /// Shows another part of the picture; says how large it is shown where that has changed.
    pub fn look_at(&mut self, view: ViewSettings, now: Instant) {
        let before = self.geometry().percent();
        self.scene.look.view = view;
        let after = self.geometry().percent();
        if let Some(percent) = after.filter(|now| Some(now) != before.as_ref()) {
            self.note(Note::done(format!("zoom {percent}")), now);
        }
    }

    /// Shows the scopes so, and says what has changed that is not seen by itself.
    pub fn show_scopes(&mut self, scopes: ScopeStyle, now: Instant) {
        let before = self.scene.look;
        self.scene.look.scopes = scopes;
        self.settings.changed(now);
        let visible = ScopeStyle { picture: before.scopes.picture, widths: before.scopes.widths, ..scopes };
        let changed = look::changes(&before, &Look { scopes: visible, ..before }, self.bins.components);
        if !changed.is_empty() {
            self.note(Note::done(changed.join(", ")), now);
        }
    }

    /// Begins or ends to time the passes.
    pub fn time_passes(&mut self, is_wanted: bool) -> Result<(), AppError> {
        self.graphics.renderer.set_timing(&self.graphics.gpu, is_wanted);
        // The frame on screen is counted again, so that a paused video has times to show.
        self.reload()
    }

    /// Shows the exact frame that a held arrow key or a drag led to.
    pub fn settle(&mut self) {
        let now = self.now();
        if let Some(session) = &mut self.session {
            session.settle(now);
        }
    }

    /// Goes where a typed text leads.
    pub fn go_to(&mut self, goal: Point, now: Instant) {
        let Some(session) = &mut self.session else { return };
        let told = match goal {
            Point::Time(secs) => session.go_to_time(secs),
            Point::Frame(index) => session.go_to_frame(index),
            Point::Timecode(timecode) => {
                let strip = self.strip.strip();
                let breaks: Vec<_> =
                    strip.as_deref().map(|strip| strip.timecode_breaks().collect()).unwrap_or_default();
                session.go_to_timecode(timecode, &breaks)
            }
        };
        session.announce(&told);
        self.note(Note::done(told), now);
        self.follow_title(now, true);
    }

    /// Shows a note, and tells the log.
    pub fn note(&mut self, note: Note, now: Instant) {
        log::debug!("note: {}", note.text);
        self.hud.note(note, now);
        self.redraw();
    }

    /// Lets the title tell where playback is.
    pub fn follow_title(&mut self, now: Instant, at_once: bool) {
        self.title.follow(&*self.graphics.screen.window, self.session.as_ref(), now, at_once);
    }

    /// Logs what became of the frames.
    pub fn log_summary(&self) {
        if let Some(session) = &self.session {
            session.log_summary();
        }
        log::debug!("controls and text were laid out {} times", self.hud.layouts());
    }
}

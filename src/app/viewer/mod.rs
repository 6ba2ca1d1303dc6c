//! The viewer: shows a video, or none, with the HUD over it, and handles the user's input. The parts of the window
//! return requests, which are carried out here.

mod control;
mod dispatch;
mod events;
mod quit_question;
mod requests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::app::comparison::ComparedClip;
use crate::app::files::inputs::{Arrival, Inputs};
use crate::app::files::start::Beginning;
use crate::app::input::event::Modifiers;
use crate::app::input::event::Waker;
use crate::app::lab::{Lab, ScreenState};
use crate::app::options::{AppError, PlayOptions};
use crate::app::pointer::Pointer;
use crate::app::pointer::brush_control::BrushControl;
use crate::app::pointer::geometry::Geometry;
use crate::app::pointer::scope_point::ScopePoint;
use crate::app::readings::readouts::{Readings, Sources};
use crate::app::screen::Window;
use crate::app::screen::graphics::Graphics;
use crate::app::workspace::Workspace;
use crate::app::workspace::undo::Undo;
use control::Control;
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::Range;
use histoscope_hud::{
    Command, ComparisonView, ExposureView, FileView, Model, Note, Persistent, PictureView, PointerView, ScopesView,
    SoundView, Tables, left_for_others,
};
use histoscope_render::gpu::draw::Shapes;
#[cfg(feature = "test-hooks")]
use histoscope_render::gpu::readback::Image;
use histoscope_render::gpu::{FiguresState, Instance};
use histoscope_render::view::scene::{Look, Scene};
use quit_question::QuitQuestion;

/// Polling interval while pass times or counts of the scopes are being read back.
const TIMES_INTERVAL: Duration = Duration::from_millis(10);

/// Whether the program continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The program continues.
    Continue,
    /// The user quits.
    Quit,
}

/// The window with everything in it.
pub struct Viewer {
    work: Workspace,
    inputs: Inputs,
    pointer: Pointer,
    brush: BrushControl,
    undo: Undo,
    /// The lab, which runs various methods of counting, summing and blurring on the frame on screen.
    lab: Lab,
    /// The question asked before live input is lost.
    quit: QuitQuestion,
    /// The programs that control the window.
    control: Option<Control>,
    /// The held modifier keys.
    modifiers: Modifiers,
    /// `true` if the window is fully hidden.
    occluded: bool,
    /// When the program started; `None` once the first frame has been presented.
    started: Option<Instant>,
}

impl Viewer {
    /// Creates a viewer in a window that has just been opened.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails.
    pub fn new(
        window: Rc<dyn Window>,
        instance: &Instance,
        mut options: PlayOptions,
        waker: Waker,
        (beginning, others): (Beginning, Vec<ComparedClip>),
    ) -> Result<Self, AppError> {
        let (session, opening, passed_over) = match beginning {
            Beginning::Video(first) => (Some(first.session), None, first.passed_over),
            Beginning::Awaited(opening, passed_over) => (None, Some(opening), passed_over),
            Beginning::Nothing => (None, None, Vec::new()),
        };
        let mut work = Workspace::new(instance, window, &options, Arc::clone(&waker), (session, others))?;
        let now = work.now();
        for reason in &passed_over {
            log::warn!("{reason}");
            work.note(Note::warning(reason.to_string()), now);
        }
        work.offer_lut(now);
        work.remember(options.begin.at.is_none(), now);
        if let Some(at) = options.begin.at {
            work.go_to(at, now);
        }
        work.title.wait_for(opening.as_ref().map(|opening| &*opening.name));
        work.follow_title(now, true);
        work.redraw();
        let (started, mut lab) = (options.started, Lab::new(options.view.lab, now));
        if let Some(path) = options.view.lab_shader.take() {
            lab = lab.with_shader(path, now);
        }
        let mut inputs = Inputs::new(options, waker, passed_over.len());
        if let Some(opening) = opening {
            inputs.resume_opening(opening);
        }
        Ok(Self {
            undo: Undo::new(work.chosen()),
            work,
            started: Some(started),
            lab,
            inputs,
            pointer: Pointer::default(),
            brush: BrushControl::default(),
            quit: QuitQuestion::default(),
            control: None,
            modifiers: Modifiers::NONE,
            occluded: false,
        })
    }

    /// Handles everything that has arrived and shows the frame that is due. Returns when to call again.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn advance(&mut self) -> Result<Option<Instant>, AppError> {
        let now = self.work.now();
        for arrival in self.inputs.advance(self.work.session.as_ref(), now) {
            self.receive(arrival, now);
        }
        self.work.advance_saves(now);
        let mut wake_at = self.work.advance_session(now)?;
        if let Err(error) = self.work.graphics.gpu.check() {
            self.work.rebuild(error)?;
        }
        // Times arrive some frames later. A paused video is drawn once more to show them.
        match self.work.graphics.renderer.poll_times(&self.work.graphics.gpu) {
            FiguresState::New if self.work.is_still() => self.work.redraw(),
            FiguresState::InFlight => wake_at = earlier(wake_at, Some(now + TIMES_INTERVAL)),
            FiguresState::New | FiguresState::Settled => {}
        }
        match self.work.graphics.renderer.poll_scope(&self.work.graphics.gpu) {
            FiguresState::New if self.work.is_still() => self.work.redraw(),
            FiguresState::InFlight => wake_at = earlier(wake_at, Some(now + TIMES_INTERVAL)),
            FiguresState::New | FiguresState::Settled => {}
        }
        wake_at = earlier(wake_at, self.inputs.wake_at());
        wake_at = earlier(wake_at, self.work.advance_bins(self.pointer.at.is_some(), now));
        wake_at = earlier(wake_at, self.advance_lab(now)?);
        if (self.work.follow_marked() | self.work.follow_quality() | self.work.follow_light()) && !self.occluded {
            self.work.redraw();
        }
        if !self.occluded {
            wake_at = earlier(wake_at, self.work.follow_strip(now));
        }
        wake_at = earlier(wake_at, self.work.follow_check(now));
        let fade = self.brush.wake_at().filter(|_| !self.occluded);
        wake_at = earlier(wake_at, fade);
        if self.work.hud.is_due(now) || fade.is_some_and(|at| at <= now) {
            self.work.redraw();
        }
        if self.work.settings.due().is_some_and(|due| due <= now) {
            self.work.keep_settings();
        }
        self.report_properties();
        // Whatever is already due is handled by the draw that was just requested.
        let hud = self.work.hud.wake_at(now).filter(|&at| at > now && !self.occluded);
        Ok(earlier(earlier(wake_at, hud), self.work.settings.due()))
    }

    /// Lets the lab count the frame on screen, if it is open. Returns when to check again.
    fn advance_lab(&mut self, now: Instant) -> Result<Option<Instant>, AppError> {
        self.work.show_input(self.lab.input())?;
        if !self.lab.is_open() || self.occluded {
            return Ok(None);
        }
        let session = self.work.session.as_ref();
        let frame = session.and_then(|session| session.frame.as_ref());
        let is_playing = !self.work.is_still();
        let shown = frame.map(|frame| ScreenState { frame, is_playing });
        match self.lab.advance(&self.work.graphics.gpu, shown, now) {
            Ok(advanced) => {
                if let Some(told) = advanced.note {
                    self.work.note(Note::warning(told), now);
                }
                // While the video plays, the next frame's draw shows the results.
                if advanced.has_news && self.work.is_still() {
                    self.work.redraw();
                }
                Ok(advanced.wake_at)
            }
            Err(error) => {
                self.work.rebuild(error)?;
                Ok(None)
            }
        }
    }

    /// Handles the progress of something that was to be opened.
    fn receive(&mut self, arrival: Arrival, now: Instant) {
        self.work.title.wait_for(self.inputs.awaited());
        self.work.follow_title(now, true);
        match arrival {
            Arrival::Begun => self.work.redraw(),
            Arrival::Note(note) => self.work.note(note, now),
            Arrival::Lut(path) => self.work.apply_lut(&path, now),
            Arrival::Video(session, first) => {
                self.brush.change_video();
                self.undo.clear();
                self.work.take_over((*session, &first), self.inputs.place(), now);
            }
        }
    }

    /// Draws the loaded picture, and carries out the requests of the HUD over it.
    ///
    /// # Errors
    /// [`AppError`] if the adapter or the surface fails for good.
    fn draw(&mut self) -> Result<Flow, AppError> {
        let has_picture = self.work.session.as_ref().is_none_or(|session| session.frame.is_some());
        if self.occluded || !has_picture {
            return Ok(Flow::Continue);
        }
        let now = self.work.now();
        self.work.scene.drop_hidden_brushes();
        self.work.show_comparison(now);
        let (shapes, commands) = self.lay_out(now);
        let (brushes, brush_strength) = self.brush.follow(self.work.scene.brushes, now);
        // The lab's bars replace the histograms.
        let overlays = self.work.scene.look.overlays && self.work.session.is_some() && !self.lab.has_bars();
        let scene =
            Scene { look: Look { overlays, ..self.work.scene.look }, brushes, brush_strength, ..self.work.scene };
        match self.work.graphics.draw(&scene, shapes) {
            Ok(true) => {
                if let Some(started) = self.started.take() {
                    let millis = started.elapsed().as_secs_f64() * 1000.0;
                    log::debug!("first frame presented {millis:.0} ms after the start");
                }
                let now = self.work.now();
                if let Some(session) = &mut self.work.session {
                    session.player.note_drawn(now);
                    let presented = SystemTime::now();
                    session.note_presented(presented);
                    let since = presented.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                    log::trace!("drawn: {:.6} at {:.6}", session.player.position_secs(), since.as_secs_f64());
                }
            }
            Ok(false) => {}
            Err(error) => self.work.rebuild(error)?,
        }
        // Redraw if the counts that the HUD just showed are out of date.
        if self.brushed_pixels() != self.brush.shown {
            self.work.redraw();
        }
        for command in commands {
            if self.handle_command(command)? == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::Continue)
    }

    /// Lays out the HUD. No data is gathered while the HUD is invisible.
    fn lay_out(&mut self, now: Instant) -> (Shapes, Vec<Command>) {
        let size = self.work.graphics.next_size();
        self.work.hud.is_large = self.lab.is_large() && self.work.session.is_some();
        self.work.hud.has_code = self.lab.has_code();
        let seen = self.work.picture_text();
        self.work.hud.persistent = self.persistent_content(seen.is_some(), now);
        // Marks found in a previous picture must not be shown on this one.
        self.work.follow_marked();
        self.work.follow_quality();
        self.work.follow_light();
        let pointed = self.point_in_scopes(now);
        self.brush.shown = self.brushed_pixels();
        let sources = self.sources();
        let mut readings = if self.work.hud.is_visible(now) { sources.read(now) } else { Readings::default() };
        if let Some((at, text)) = pointed {
            readings.scopes.set_hint(at, text);
        }
        readings.scopes.tell_brushed(&sources.geometry, self.brush.shown);
        let adjusting = sources.adjusting(&self.work.adjuster);
        let (corners, guides) = (sources.picture_corners(), sources.geometry.guides());
        let beside = sources.pictures_beside();
        let pointer = self.pointer.at.map(|at| sources.geometry.in_points(at));
        let width = left_for_others(sources.geometry.width_in_points(), self.lab.is_open());
        let (bits, components) = (sources.geometry.bits().unwrap_or(8), sources.geometry.components);
        self.work.scene.marks = readings.marks;
        let counted = self.lab.counted_text().or_else(|| self.work.counted_text());
        let held: Vec<&str> = self.work.comparison.names().collect();
        let clips = self.work.compared_clips();
        let has_findings = self.work.session.is_some() && self.work.hud.panels.within(width).checks;
        let findings = has_findings.then(|| self.work.checker.view());
        let preview = self.work.strip.preview();
        let strip = self.work.strip.strip();
        let lab = self.lab.view(self.work.scene.look.histograms.scale, corners, now);
        let opening = self.inputs.opening(now);
        let gaps = self.work.session.as_ref().map(|session| session.gaps_secs()).unwrap_or_default();
        let tracks = self
            .work
            .session
            .iter()
            .flat_map(|session| &session.info.tracks)
            .map(ToString::to_string)
            .collect::<Vec<_>>();
        let (heard, heard_track) = self.work.sound.tracks();
        let measured = self.work.meters.trace();
        let frame = self.work.session.as_ref().and_then(|session| session.frame.as_ref());
        let sums = frame.and_then(|frame| Some(self.work.bins.counted_now(&self.work.scene, frame)?.1));
        let model = Model {
            file: FileView {
                name: self.work.session.as_ref().map(|session| session.name.as_str()),
                opening: opening.as_deref(),
                place: self.inputs.place(),
                recent: self.work.recent.others(self.work.session.as_ref().map(|session| &*session.input)),
                left_at: self.work.session.as_ref().and_then(|session| session.left_at),
                strip: strip.as_deref(),
                preview: preview.as_ref().map(|(preview, is_asked)| (preview, *is_asked)),
                strip_size: self.work.strip.size,
                sound: SoundView {
                    tracks: heard,
                    track: heard_track.map(|track| track as u32 + 1),
                    is_muted: self.work.sound.volume().is_muted,
                    measured: measured.as_deref(),
                },
                tracks: &tracks,
                track: self.work.session.as_ref().and_then(|session| session.info.track()),
                sought: self.work.strip.sought,
                gaps: &gaps,
                faulty: self.work.session.as_ref().is_some_and(|session| session.faults().any()),
            },
            look: self.work.scene.look,
            picture: PictureView {
                is_full: self.work.graphics.screen.is_full(),
                seen: seen.as_deref(),
                guides: &guides,
                rings: &readings.probe_rings,
                beside,
            },
            play: self.work.session.as_ref().map(|session| session.play_state(now)).unwrap_or_default(),
            scopes: ScopesView {
                components,
                bits,
                range: readings.range.unwrap_or(Range::Full),
                light: readings.light,
                light_marks: readings.light_marks,
                stops: readings.range.and_then(|range| self.work.scene.look.counted_stops(components, range)),
                sums,
                histograms: &readings.histograms,
                counted: counted.as_deref(),
                brush_channel: self.brush.clicked(),
            },
            other_scopes: readings.scopes.view(),
            tables: Tables { findings: findings.as_ref(), ..readings.tables() },
            adjusting,
            region: readings.region.as_ref(),
            // Without a video there is nothing to count.
            lab: lab.as_ref().filter(|_| self.work.session.is_some()),
            exposure: ExposureView {
                tint: self.work.tint(),
                is_adjustable: self.work.hud.shows_controls(now),
                marked: self.work.marked.view(),
                rings: &readings.rings,
            },
            comparison: ComparisonView {
                names: &held,
                place: self.work.comparison.place(),
                is_shown: self.work.comparison.is_shown(),
                clips: &clips,
                title: self.work.comparison.chosen().map(|held| held.title.as_str()),
            },
            presets: self.work.presets.names(),
            steps: self.undo.steps(),
            pointer: PointerView { at: pointer, probe: readings.probe.as_ref(), readouts: &readings.readouts },
        };
        let window = &*self.work.graphics.screen.window;
        self.work.hud.lay_out(Some(window), (size, window.scale_factor()), &model, now)
    }

    /// Returns the content that stays on screen as long as it applies. `is_seen` is `true` if only a part of the
    /// counted picture is in view.
    fn persistent_content(&self, is_seen: bool, now: Instant) -> Persistent {
        let work = &self.work;
        let Some(session) = &work.session else { return Persistent::Invitation };
        if work.scene.brushes.any() || !work.scene.look.adjustments.is_off() {
            return Persistent::Readouts;
        }
        if session.waits(now) {
            return Persistent::Waiting;
        }
        let is_read = is_seen
            || work.bins.region.shown().is_some()
            || work.comparison.chosen().is_some()
            || work.scene.look.exposure.is_on()
            || work.scene.look.guides.any()
            || !work.scene.look.probes.is_empty()
            || self.lab.is_open()
            || !work.geometry().arranged().panels.is_empty();
        if is_read { Persistent::Readouts } else { Persistent::Nothing }
    }

    /// Describes the point of a scope under the pointer. Returns its position, in points, and the text.
    fn point_in_scopes(&mut self, now: Instant) -> Option<(histoscope_hud::Pos2, String)> {
        let geometry = self.work.geometry();
        let at = self.pointer.at.filter(|_| !self.pointer.is_dragging() && self.work.hud.shows_controls(now))?;
        let point = geometry.in_points(at);
        if self.work.hud.covers(point) {
            return None;
        }
        let spot = ScopePoint::at(&geometry, at)?;
        let Graphics { gpu, renderer, .. } = &mut self.work.graphics;
        let answer = renderer.ask_scope(gpu, spot.question);
        Some((point, spot.text(answer.as_ref())))
    }

    /// Returns the number of pixels selected by the brushes of the scopes and the number counted, once known.
    fn brushed_pixels(&mut self) -> Option<(u32, u64)> {
        let brushes = self.work.scene.brushes;
        let Graphics { gpu, renderer, .. } = &mut self.work.graphics;
        renderer.ask_brushed(gpu, brushes).filter(|_| brushes.in_scopes())
    }

    /// Returns everything that the HUD's data is gathered from.
    fn sources(&self) -> Sources<'_> {
        // The lab counts red, green, blue and luminance, whatever the chosen components.
        let geometry = self.work.geometry();
        let components = if self.lab.has_bars() { Components::Rgbl } else { geometry.components };
        Sources {
            geometry: Geometry { components, ..geometry },
            lab: &self.lab,
            session: self.work.session.as_ref(),
            bins: &self.work.bins,
            graphics: &self.work.graphics,
            comparison: &self.work.comparison,
            hud: &self.work.hud,
            pointer: &self.pointer,
            marked: self.work.marked.view(),
            quality: &self.work.quality,
            light: &self.work.light,
            meters: &self.work.meters,
        }
    }

    /// Turns on timing of each draw's passes.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn time_passes(&mut self) -> Result<(), AppError> {
        self.work.time_passes(true)
    }

    /// Waits until the adapter has finished drawing. Returns how long the last draw took on the GPU, including
    /// counting, if it was timed.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails.
    pub fn finish_drawing(&mut self) -> Result<Option<Duration>, AppError> {
        let Graphics { gpu, renderer, .. } = &mut self.work.graphics;
        gpu.wait()?;
        let is_new = renderer.poll_times(gpu) == FiguresState::New;
        Ok(renderer.pass_times().filter(|_| is_new).and_then(|(times, _)| times.on_gpu()))
    }

    /// Returns the timestamp of the frame on screen, in ticks, and the time since it was due, while the video plays.
    #[must_use]
    pub fn time_since_due(&self) -> Option<(i64, Duration)> {
        let session = self.work.session.as_ref()?;
        let secs = session.player.since_due_secs(self.work.now())?;
        Some((session.frame.as_ref()?.pts_ticks, Duration::from_secs_f64(secs)))
    }

    /// Returns `true` if the video has ended, or there is none.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.work.session.as_ref().is_none_or(|session| session.player.has_ended())
    }

    /// Returns the number of frames dropped because they were late.
    #[must_use]
    pub fn dropped_frames(&self) -> u64 {
        self.work.session.as_ref().map_or(0, |session| session.player.counts().dropped)
    }

    /// Returns the name of the adapter that draws and of the engine that counts.
    #[must_use]
    pub fn engine_names(&self) -> (String, &'static str) {
        let Graphics { gpu, engine, .. } = &self.work.graphics;
        (gpu.info.name.clone(), engine.name())
    }

    /// Returns the picture in an offscreen window, or `None` on the desktop.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails.
    #[cfg(feature = "test-hooks")]
    pub fn image(&self) -> Result<Option<Image>, AppError> {
        let Graphics { gpu, screen, .. } = &self.work.graphics;
        Ok(screen.target.read(gpu).transpose()?)
    }

    /// Writes the settings and the position of the video, and logs what became of the frames.
    pub fn finish(&mut self) {
        self.work.keep_settings();
        self.work.leave();
        self.work.log_summary();
    }
}

/// Returns the earlier of two times, either of which may be missing.
fn earlier(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    a.into_iter().chain(b).min()
}

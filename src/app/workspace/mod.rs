//! The state of the window: the video on screen, how it is counted and shown, and the HUD over it.

mod history;
mod title;
pub mod undo;

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use glam::DVec2;

use crate::app::adjuster::Adjuster;
use crate::app::comparison::{ComparedClip, Comparison, CountedPart, MeasuredPair, NO_CLIP, Outcome, QualityMeter};
use crate::app::input::event::{Key, Modifiers, Waker};
use crate::app::kept::config::{Keeper, Settings, Store};
use crate::app::kept::fits::{Fits, visible_share_text};
use crate::app::kept::luts::FolderLuts;
use crate::app::kept::presets::{self, Presets};
use crate::app::kept::recent::Recent;
use crate::app::measure::bins::{Bins, RequestedFigures};
use crate::app::measure::frame_light::FrameLight;
use crate::app::measure::marked::{MarkedPicture, MarkedPixels, PictureId};
use crate::app::options::{AppError, Comparing, PlayOptions};
use crate::app::pointer::geometry::Geometry;
use crate::app::pointer::{pins, regions};
use crate::app::readings::checker::Checker;
use crate::app::readings::outgoing::{OtherPictures, Outgoing, figures, values_at};
use crate::app::screen::Window;
use crate::app::screen::graphics::Graphics;
use crate::app::session::Session;
use crate::app::session::transport;
use crate::app::sound::{MeterNews, Meters, Sound, Volume};
use crate::app::strip::{ClipStrip, search};
use histoscope_core::adjust::{Adjustment, Lut, working_colorimetry, working_layout};
use histoscope_core::histogram::{Components, Transfer, samples_cut_off};
use histoscope_core::picture::Frame;
use histoscope_core::picture::Point;
use histoscope_core::picture::region::Rect;
use histoscope_core::strip::{FindingFilter, StripLine};
use histoscope_core::tone_map::{ToneMapping, doubts};
use histoscope_hud::{EntryKind, FindingsCommand, Hud, Note};
use histoscope_hud::{RecentFile, StripSize, place_text};
use histoscope_keys::look;
use histoscope_keys::{self as keys, Action, Change, NamedKey, Panel, Setting};
use histoscope_lab::bench::BenchContent;
use histoscope_media::{DeviceMemory, HardwareChoice};
use histoscope_render::gpu::{FrameTag, GpuError, Instance};
use histoscope_render::view::brushes::Brushes;
use histoscope_render::view::exposure::{FalseColorTable, Peaking, Tint};
use histoscope_render::view::guides::{Guides, Mask, MaskAspect};
use histoscope_render::view::overlay::{BarScale, OverlayStyle, linear_text};
use histoscope_render::view::placement::{Shape, ViewSettings};
use histoscope_render::view::probes::Probes;
use histoscope_render::view::region::Region;
use histoscope_render::view::scene::{Counted, Look, Other, Scene, Sharing};
use histoscope_render::view::scopes::ScopeStyle;
use title::Title;
use undo::Chosen;

/// The video on screen and everything chosen for it.
pub struct Workspace {
    /// The engine, the renderer and the window.
    pub graphics: Graphics,
    /// The memory of the engine's adapter, as decoders know it.
    memory: DeviceMemory,
    /// The video on screen.
    pub session: Option<Session>,
    /// Saves pictures in the background, and copies to the clipboard.
    outgoing: Outgoing,
    /// The look of the picture, and the brushes in it.
    pub scene: Scene,
    /// The adjustments' parameters.
    pub adjuster: Adjuster,
    /// The components and the region that are counted, and the newest bins.
    pub bins: Bins,
    /// The marked pixels of a still picture.
    pub marked: MarkedPixels,
    /// The frames and the clip that the video is compared with.
    pub comparison: Comparison,
    /// Measures the compared frame.
    pub quality: QualityMeter,
    /// Measures the light of the frames on screen.
    pub light: FrameLight,
    /// The strip of the video, behind the timeline.
    pub strip: ClipStrip,
    /// The sound of the video.
    pub sound: Sound,
    /// `true` to hear the second clip instead of the first.
    hears_second: bool,
    /// The sound meters.
    pub meters: Meters,
    /// The check of the video against a profile.
    pub checker: Checker,
    /// The HUD over the picture.
    pub hud: Hud,
    /// The settings that persist between runs.
    pub settings: Keeper,
    /// How pictures of each shape fit the window.
    fits: Fits,
    /// The lookup tables last used in each folder.
    luts: FolderLuts,
    /// The files opened most recently.
    pub recent: Recent,
    /// The presets.
    pub presets: Presets,
    /// The title of the window.
    pub title: Title,
    /// `true` if the user has been told that most of the bars are cut off.
    hinted_at_scale: bool,
    /// What is probably wrong about the light of the frame on screen, as the user has been told.
    doubts: Vec<String>,
}

impl Workspace {
    /// Creates a workspace in a window that has just been opened, with a video or none, and the settings of earlier
    /// runs.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails.
    pub fn new(
        instance: &Instance,
        window: Rc<dyn Window>,
        options: &PlayOptions,
        waker: Waker,
        (session, clips): (Option<Session>, Vec<ComparedClip>),
    ) -> Result<Self, AppError> {
        let store = Store::open(!options.keeps_settings);
        let now = window.now();
        let mut hud = Hud::new(&*window, now);
        let clipboard = window.clipboard();
        let graphics = Graphics::new(instance, window, (options.adapter.clone(), options.engine, options.hdr))?;
        options.memory.set(graphics.engine.shared_memory());
        let settings = store.settings();
        let presets = Presets::open(store.folder());
        let preset = options.preset.as_deref().map(|name| presets::read(&presets.file(name)?)).transpose()?;
        let kept = preset.unwrap_or(settings.look);
        let histograms = OverlayStyle {
            bins: options.view.bin_count.or(kept.histograms.bins),
            linear_luminance: options.view.linear_luminance.unwrap_or(kept.histograms.linear_luminance),
            overlaps: options.view.overlaps.unwrap_or(kept.histograms.overlaps),
            ..kept.histograms
        };
        // With a second clip, both are shown from the start.
        let (sharing, gain) = options.compare.as_ref().map(Comparing::shown).unwrap_or_default();
        let scene = Scene::from(Look {
            histograms,
            overlays: options.view.histograms.unwrap_or(kept.overlays),
            scopes: options.view.scopes.unwrap_or(kept.scopes),
            view: ViewSettings::fitted(settings.fits.fit),
            exposure: options.view.exposure.apply_to(kept.exposure),
            guides: options.view.guides.unwrap_or(kept.guides),
            tone_mapping: options.view.tone_mapping.unwrap_or(kept.tone_mapping),
            stops: options.view.stops,
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
            memory: options.memory.clone(),
            session,
            outgoing: Outgoing::new(Arc::clone(&waker), clipboard),
            adjuster: Adjuster::new(settings.adjustments, &scene.look.adjustments),
            scene,
            bins: Bins::new(options.view.components),
            marked: MarkedPixels::new(Arc::clone(&waker)),
            comparison: Comparison::new(clips),
            quality: QualityMeter::new(Arc::clone(&waker)),
            light: FrameLight::new(Arc::clone(&waker)),
            sound: Sound::new(options.sound, settings.volume, options.open.clone()),
            hears_second: false,
            meters: Meters::new(options.open.clone(), Arc::clone(&waker)),
            strip: ClipStrip::new(settings.strip, options.open.clone(), options.keeps_settings, Arc::clone(&waker)),
            checker: Checker::new(options.profile.as_deref(), &settings.profile, waker),
            hud,
            fits: Fits::new(settings.fits.clone()),
            luts: settings.luts.clone(),
            recent: Recent::open(store.folder()),
            presets,
            settings: Keeper::new(store),
            title: Title::new(now),
            hinted_at_scale: false,
            doubts: Vec::new(),
        })
    }

    /// Returns the window.
    pub fn window(&self) -> &dyn Window {
        &*self.graphics.screen.window
    }

    /// Returns the time on the window's clock.
    pub fn now(&self) -> Instant {
        self.window().now()
    }

    /// Requests a redraw.
    pub fn redraw(&self) {
        self.window().request_redraw();
    }

    /// Returns `true` if the picture is still: there is no video, or it is paused or has ended.
    pub fn is_still(&self) -> bool {
        self.session.as_ref().is_none_or(|session| session.player.is_paused() || session.player.has_ended())
    }

    /// Takes decoded frames and puts the frame that is due on screen. Returns when to check again.
    pub fn advance_session(&mut self, now: Instant) -> Result<Option<Instant>, AppError> {
        let Some(session) = &mut self.session else { return Ok(None) };
        let has_failed = self.memory.take_failure();
        if has_failed {
            session.decode_with(HardwareChoice::No);
        }
        let (had_ended, number) = (session.player.has_ended(), session.player.frame_index());
        let lost_before = session.lost_since;
        let wrong = self.sound.take_over(&session.info);
        let due = session.advance(now);
        // Another comparison begins with the sound of the first clip again.
        self.hears_second &= self.comparison.clip_count() > 0;
        let second = self.comparison.sound(session).filter(|_| self.hears_second);
        self.sound.hear(second.map(|(_, info, later_secs)| (info, later_secs)));
        let unheard = self.sound.follow(&mut session.player, now);
        let (has_ended, is_paused) = (session.player.has_ended(), session.player.is_paused());
        self.strip.follow(session, &self.graphics.engine, now);
        due.show.iter().for_each(|frame| self.strip.on_frame(session, frame));
        let waits = session.waits(now);
        let has_signal_changed = session.lost_since != lost_before;
        if let Some(goal) = session.player.slow_seek(now).filter(|_| !self.hud.waits()) {
            log::debug!("a seek takes long: {goal:?}");
        }
        // Also redraw when the message about a slow seek or a lost signal must appear or disappear.
        if session.player.frame_index() != number || waits != self.hud.waits() {
            self.redraw();
        }
        if has_failed {
            let text = "the graphics device did not return a decoded picture; software decodes from here on";
            self.note(Note::warning(text), now);
        }
        for complaint in due.complaints.into_iter().chain(wrong).chain(unheard) {
            self.note(Note::fault(complaint), now);
        }
        if let Some(told) = due.note {
            self.note(Note::done(told), now);
        }
        if let Some(frame) = due.show {
            if let Some(frame) = self.comparison.pass(frame, is_paused || has_ended) {
                self.load(frame)?;
            }
            self.follow_title(now, is_paused);
        } else if had_ended != has_ended || has_signal_changed {
            self.follow_title(now, true);
        }
        self.follow_meters(now);
        let wake_at = self.advance_comparison(now)?;
        Ok(due.wake_at.into_iter().chain(wake_at).min())
    }

    /// Measures the sound while its meters are open or the line over the strip shows it.
    fn follow_meters(&mut self, now: Instant) {
        let Some(session) = &self.session else { return };
        let has_line = self.scene.look.strip_line == StripLine::Loudness && self.strip.size != StripSize::Off;
        let is_wanted = self.hud.panels.sound || has_line;
        let shown = (&session.player, session.frame.as_ref());
        let MeterNews { has_more, complaint } = self.meters.follow(&self.sound, shown, is_wanted, now);
        if has_more {
            self.redraw();
        }
        if let Some(complaint) = complaint {
            self.note(Note::warning(complaint), now);
        }
    }

    /// Requests bins if something visible depends on them, such as a readout under the pointer. Returns when to poll
    /// for them.
    pub fn advance_bins(&mut self, is_pointed_at: bool, now: Instant) -> Option<Instant> {
        let points_at_bins = self.hud.shows_controls(now) && is_pointed_at;
        let has_bands = self.scene.look.overlays && !self.scene.look.scopes.lines.bands(8).is_empty();
        let wanted = match self.session.as_ref().and_then(|session| session.frame.as_ref()) {
            None => RequestedFigures::Nothing,
            Some(_) if self.hud.panels.numbers => RequestedFigures::Numbers,
            Some(_) if self.scene.brushes.histogram.is_some() || points_at_bins || has_bands => RequestedFigures::Bins,
            Some(_) => RequestedFigures::Nothing,
        };
        let (has_come, wake_at) = self.bins.advance(&mut self.graphics, (wanted, self.scene.brushes.histogram), now);
        // While the video plays, the next frame's draw shows them.
        if has_come && self.is_still() {
            self.redraw();
        }
        if has_come && !self.hinted_at_scale && self.cuts_off_most_bars() {
            self.hinted_at_scale = true;
            let key = keys::label_of(Setting::Scale.next()).unwrap_or_default();
            self.note(Note::info(format!("most of the bars are cut off · {key} changes the scale")), now);
        }
        wake_at
    }

    /// Returns `true` if more than half of the samples in the histograms are in the parts of bars that are cut off.
    fn cuts_off_most_bars(&self) -> bool {
        let Look { overlays, channels, histograms, .. } = &self.scene.look;
        let frame = self.session.as_ref().and_then(|session| session.frame.as_ref());
        let Some((_, sums)) = frame.and_then(|frame| self.bins.newest(frame)) else { return false };
        if !overlays || histograms.scale != BarScale::Tutorial {
            return false;
        }
        let binning = histograms.binning(sums.bits);
        let shown = (0..self.bins.components.channel_names().len()).filter(|&channel| channels.contains(channel));
        let (cut, all) = shown.fold((0.0, 0.0), |(cut, all), channel| {
            let sums = sums.channel(channel);
            (cut + samples_cut_off(&binning.regrouped(&sums.bins())), all + sums.samples() as f64)
        });
        cut > 0.5 * all
    }

    /// Loads a frame, to be counted and shown by the next draw.
    fn load(&mut self, frame: Frame) -> Result<(), AppError> {
        let Some(session) = &mut self.session else { return Ok(()) };
        session.is_other = self.comparison.is_shown();
        let read = session.read(&frame);
        // A region chosen in pictures of a different size has no meaning in this one.
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
        session.decoded = Some(frame);
        session.frame = Some(read.clone());
        let read = Frame { picture: self.bins.components.in_picture(&read.picture).clone(), ..read };
        self.fits.keep(self.scene.look.view.fit);
        if let Some(fit) = self.fits.show(Shape::of(&read).upright(), self.graphics.screen.size()) {
            self.scene.look.view = ViewSettings::fitted(fit);
        }
        if let Err(error) = self.graphics.load(&read, region.counted(), self.bins.components) {
            return self.rebuild(error);
        }
        self.bins.outdate();
        self.redraw();
        let doubts = doubts(&read.source, read.picture.layout().depth);
        if doubts != self.doubts {
            self.doubts.clone_from(&doubts);
            let now = self.now();
            doubts.into_iter().for_each(|doubt| self.note(Note::fault(doubt), now));
        }
        if is_lost {
            let text = "region cleared: the picture's size has changed";
            self.note(Note::done(text), self.now());
        }
        Ok(())
    }

    /// Shows a picture of the lab's in place of the video's, or the video's again.
    pub fn show_input(&mut self, input: Option<BenchContent>) -> Result<(), AppError> {
        match &mut self.session {
            Some(session) if session.stand_in.as_ref().map(|(content, _)| *content) != input => {
                let frame = session.decoded.as_ref();
                let made = |content: BenchContent| frame.and_then(|frame| content.in_place_of(&frame.picture));
                session.stand_in = input.map(|content| (content, made(content)));
                self.reload()
            }
            _ => Ok(()),
        }
    }

    /// Loads the frame on screen again, to count or show it differently.
    fn reload(&mut self) -> Result<(), AppError> {
        match self.session.as_mut().and_then(|session| session.decoded.take()) {
            Some(frame) => self.load(frame),
            None => Ok(()),
        }
    }

    /// Recreates everything on the adapter after the device was lost.
    pub fn rebuild(&mut self, error: GpuError) -> Result<(), AppError> {
        self.graphics.rebuild(error)?;
        self.memory.set(self.graphics.engine.shared_memory());
        let now = self.now();
        self.hud.restart(&*self.graphics.screen.window, now);
        self.marked.forget();
        self.comparison.restart();
        self.graphics.renderer.set_timing(&self.graphics.gpu, self.hud.panels.timing);
        let text = "the graphics device was lost; everything on it was recreated";
        self.note(Note::warning(text), self.now());
        self.reload()
    }

    /// Returns the layout of the view.
    pub fn geometry(&self) -> Geometry<'_> {
        let size = self.graphics.screen.size();
        Geometry {
            scene: &self.scene,
            components: self.bins.components,
            frame: self.session.as_ref().and_then(|session| session.frame.as_ref()),
            other: self.comparison.outlined(),
            region: self.bins.region,
            size,
            points: self.hud.pixels_per_point(size, self.window().scale_factor()),
        }
    }

    /// Shows a different part of the picture, with a note if its size on screen changes.
    pub fn look_at(&mut self, view: ViewSettings, now: Instant) {
        let before = self.geometry().percent();
        self.scene.look.view = view;
        let after = self.geometry().percent();
        if let Some(percent) = after.filter(|now| Some(now) != before.as_ref()) {
            self.note(Note::done(format!("zoom {percent}")), now);
        }
    }

    /// Shows the scopes in this style, with a note on changes that are not obvious.
    pub fn show_scopes(&mut self, scopes: ScopeStyle, now: Instant) {
        let before = self.scene.look;
        self.scene.look.scopes = scopes;
        self.settings.changed(now);
        let ScopeStyle { picture, widths, lines, .. } = before.scopes;
        let visible = ScopeStyle { picture, widths, lines, ..scopes };
        let changed = look::changes(&before, &Look { scopes: visible, ..before }, self.bins.components);
        if !changed.is_empty() {
            self.note(Note::done(changed.join(", ")), now);
        }
    }

    /// Pins these probes.
    pub fn pin(&mut self, probes: Probes, now: Instant) {
        self.scene.look.probes = probes;
        self.settings.changed(now);
    }

    /// Pins a probe at a point of the view, or removes the one that is there, with a note.
    pub fn pin_at(&mut self, at: Option<DVec2>, now: Instant) {
        let (probes, text) = pins::pin(&self.geometry(), at);
        self.pin(probes, now);
        self.note(Note::done(text), now);
    }

    /// Turns timing of the passes on or off.
    pub fn time_passes(&mut self, is_wanted: bool) -> Result<(), AppError> {
        self.graphics.renderer.set_timing(&self.graphics.gpu, is_wanted);
        // The frame on screen is counted again, so that a paused video has times to show.
        self.reload()
    }

    /// Shows the exact frame at the position that a held arrow key or a drag has led to.
    pub fn settle(&mut self) {
        let now = self.now();
        if let Some(session) = &mut self.session {
            session.settle(now);
        }
    }

    /// Goes to a time, a frame or a timecode, with a note.
    pub fn go_to(&mut self, goal: Point, now: Instant) {
        let Some(session) = &mut self.session else { return };
        let note = match goal {
            Point::Time(secs) => session.go_to_time(secs),
            Point::Frame(index) => session.go_to_frame(index),
            Point::Timecode(timecode) => {
                let strip = self.strip.strip();
                let breaks: Vec<_> =
                    strip.as_deref().map(|strip| strip.timecode_breaks().collect()).unwrap_or_default();
                session.go_to_timecode(timecode, &breaks)
            }
        };
        session.announce(&note);
        self.note(Note::done(note), now);
        self.follow_title(now, true);
    }

    /// Shows a note and logs it.
    pub fn note(&mut self, note: Note, now: Instant) {
        log::debug!("note: {}", note.text);
        self.hud.note(note, now);
        self.redraw();
    }

    /// Updates the title with the state of playback.
    pub fn follow_title(&mut self, now: Instant, at_once: bool) {
        self.title.follow(&*self.graphics.screen.window, self.session.as_ref(), now, at_once);
    }

    /// Logs what became of the frames, and how often the HUD was laid out.
    pub fn log_summary(&self) {
        if let Some(session) = &self.session {
            session.log_summary();
        }
        log::debug!("controls and text were laid out {} times", self.hud.layouts());
    }

    /// Puts a different video on screen, with its first frame. It is number `place` out of `count` in the list.
    pub fn take_over(&mut self, (session, first): (Session, &Frame), (place, count): (usize, usize), now: Instant) {
        if let Some(before) = &self.session {
            before.log_summary();
        }
        let before = self.session.as_ref().and_then(|session| session.decoded.as_ref());
        self.graphics.screen.fit_first(first, before);
        self.leave();
        self.scene.brushes = Brushes::default();
        self.scene.marks = None;
        self.doubts.clear();
        self.scene.look.view = ViewSettings::fitted(self.scene.look.view.fit);
        self.strip.forget();
        self.hud.change_video();
        let place = if count > 1 { format!("  ({place} of {count})") } else { String::new() };
        let track = session.info.track().map(|track| format!("  (track {track} of {})", session.info.tracks.len()));
        let text = format!("{}{place}{}", session.name, track.unwrap_or_default());
        self.comparison.change_video();
        self.session = Some(session);
        self.note(Note::done(text), now);
        self.offer_lut(now);
        self.remember(true, now);
        self.follow_title(now, true);
    }

    /// Offers the lookup table that was last used in the video's folder, or else the camera's log that the file names,
    /// unless a table or a log is on.
    pub fn offer_lut(&mut self, now: Instant) {
        let Some(session) = self.session.as_ref().filter(|_| self.scene.look.adjustments.lut.is_none()) else { return };
        let (lut, log) = (self.luts.of(&session.input), session.info.camera_log);
        self.adjuster.choices.lut = lut.or(self.adjuster.choices.lut);
        self.adjuster.choices.camera_log = log.unwrap_or(self.adjuster.choices.camera_log);
        let used = lut.map(|lut| (Adjustment::Lut, format!("{lut} was used in this folder")));
        let named = || log.map(|log| (Adjustment::CameraLog, format!("camera log {} by the file's tags", log.name())));
        if let Some((kind, text)) = used.or_else(named)
            && let Some(key) = keys::label_of(Action::ToggleAdjustment(kind))
        {
            self.note(Note::info(format!("{text}: {key} applies it")), now);
        }
    }

    /// Reads a lookup table and applies it.
    pub fn apply_lut(&mut self, path: &Path, now: Instant) {
        let lut = match Lut::open(path) {
            Ok(lut) => lut,
            Err(error) => return self.note(Note::warning(error.to_string()), now),
        };
        self.adjuster.choices.lut = Some(lut);
        let text = self.adjuster.switch_on(Adjustment::Lut, &mut self.scene.look.adjustments);
        self.note(Note::done(text), now);
        self.settings.changed(now);
        self.redraw();
    }

    /// Adds the video on screen to the recent files. If it was left somewhere before, a note offers to continue there
    /// by a key, unless `offers` is `false`.
    pub fn remember(&mut self, offers: bool, now: Instant) {
        let Some(session) = &mut self.session else { return };
        session.left_at = self.recent.opened(&session.input).filter(|_| session.player.is_seekable());
        let key = keys::label_of(Action::Continue);
        if let (Some(secs), Some(key), true) = (session.left_at, key, offers) {
            self.note(Note::info(format!("left at {}: {key} continues there", place_text(secs))), now);
        }
    }

    /// Returns the files opened before the one on screen, most recent first.
    #[must_use]
    pub fn recent_files(&self) -> &[RecentFile] {
        self.recent.others(self.session.as_ref().map(|session| &*session.input))
    }

    /// Records where the video on screen is left.
    pub fn leave(&mut self) {
        if let Some(Session { input, player, .. }) = &self.session {
            self.recent.left(input, player.position_secs(), player.duration_secs());
        }
    }

    /// Describes how the picture is shown: its tone mapping and exposure, and how much of the counted part is in view.
    /// Returns `None` if codes are shown as they are, and all of them.
    pub fn picture_text(&self) -> Option<String> {
        let texts: Vec<_> = self.tone_text().into_iter().chain(self.visible_share_text()).collect();
        (!texts.is_empty()).then(|| texts.join("  ·  "))
    }

    /// Describes the tone mapping and the exposure of the picture; `None` if its codes are shown as they are.
    fn tone_text(&self) -> Option<String> {
        let session = self.session.as_ref()?;
        let look = &self.scene.look;
        let pair = self.scene.paired();
        if look.exposure.false_color.shown || pair.is_some_and(|pair| pair.sharing == Sharing::Difference) {
            return None;
        }
        let display = self.graphics.renderer.display();
        let text = |frame: &Frame| Some(look.tone_map(&frame.source, display)?.text());
        let live = text(session.frame.as_ref()?);
        let beside = pair.filter(|pair| pair.other != Other::Source).and_then(|_| self.comparison.outlined());
        let other = beside.map_or_else(|| live.clone(), |compared| text(&compared.frame));
        if live == other {
            return live;
        }
        let stated = |text: Option<String>| text.unwrap_or_else(|| "as coded".to_owned());
        Some(format!("{}  |  the other: {}", stated(live), stated(other)))
    }

    /// Describes how much of the counted picture is in view; `None` if all of it is.
    fn visible_share_text(&self) -> Option<String> {
        let part = self.bins.region.counted();
        let share = self.geometry().placement()?.seen(part);
        visible_share_text(share, part.is_some(), &self.scene.look.view)
    }

    /// Describes which picture and region the histograms show, in how many bins, and the meaning of the line in them;
    /// `None` for the whole picture with one bin per code and no line.
    pub fn counted_text(&self) -> Option<String> {
        let session = self.session.as_ref()?;
        let frame = session.frame.as_ref()?;
        let region = self.bins.region.counted().map(|rect| regions::words_in(rect, frame));
        let bins = self.scene.look.histograms.binning(frame.picture.layout().bin_bits()).text();
        let linear = self.scene.look.shows_linear(self.bins.components);
        let linear = linear.then(|| linear_text(Transfer::of_tag(frame.source.transfer)));
        let counted = self.comparison.counted_text(&self.scene.look, self.bins.components);
        let texts: Vec<_> = region.into_iter().chain(counted).chain(bins).chain(linear).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }

    /// Carries out a key's action on the video on screen; `held` if the key has been down for a while.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn act_on_video(&mut self, action: Action, held: bool, now: Instant) -> Result<(), AppError> {
        if self.restyle(action, now) {
            return Ok(());
        }
        match action {
            Action::ToggleComponents => self.toggle_components(now)?,
            Action::TogglePanel(panel) => {
                self.toggle_panel(panel)?;
                self.follow_meters(now);
            }
            Action::FindBars | Action::TakeRegion | Action::MoveLine { .. } | Action::ClearRegion => {
                self.act_on_region(action, now)?
            }
            Action::NextStrip => self.show_next_strip(now),
            Action::ToggleMute | Action::ChangeVolume { .. } | Action::NextSound => self.act_on_sound(action, now),
            Action::ResetMeters => {
                self.meters.reset();
                self.follow_meters(now);
                self.note(Note::done("sound meters reset"), now);
            }
            Action::ToCut { forward } => self.search(search::go_to_cut, forward, now),
            Action::ToFinding { forward } => self.search(search::go_to_finding, forward, now),
            Action::OtherFindings { forward } => self.look_for(self.strip.sought.next(forward), now),
            Action::HoldFrame => self.hold_frame(now)?,
            Action::FlipHeld => {
                let live = self.session.as_ref().and_then(|session| session.decoded.as_ref());
                let outcome = self.comparison.flip(live);
                self.on_outcome(outcome, now)?;
            }
            Action::ShiftSecond { frames } => {
                let text = self.comparison.shift(frames);
                self.note(Note::done(text), now);
            }
            Action::MatchSecond => {
                let text = self.session.as_ref().map(|session| self.comparison.find_offset(session));
                self.note(Note::done(text.unwrap_or_default()), now);
            }
            Action::HearSecond => {
                let second = self.session.as_ref().and_then(|session| self.comparison.sound(session));
                let text = match (second, &self.session) {
                    (Some((second, ..)), Some(session)) => {
                        self.hears_second = !self.hears_second;
                        format!("sound of {}", if self.hears_second { second } else { &session.name })
                    }
                    _ => NO_CLIP.to_owned(),
                };
                self.note(Note::done(text), now);
            }
            Action::Save => self.save(true, now),
            Action::SaveBare => self.save(false, now),
            Action::CopyPicture => self.copy_picture(now),
            Action::EnterTime => self.enter_time(now),
            action => self.operate(action, held, now)?,
        }
        Ok(())
    }

    /// Applies an action that changes how the picture looks. Returns whether it was such an action.
    fn restyle(&mut self, action: Action, now: Instant) -> bool {
        let (components, bits) = (self.bins.components, self.geometry().bits().unwrap_or(8));
        let before = self.scene.look;
        // The compared frame may have changed since the last draw.
        self.scene.other = self.comparison.other();
        let text = if look::apply(&mut self.scene.look, (components, bits), action) {
            look::note(&before, &self.scene, components, action)
        } else {
            self.adjuster.apply(&mut self.scene.look.adjustments, action)
        };
        let Some(mut text) = text else { return false };
        let is_fitted = action == Action::ResetView || action == Setting::Fit.next();
        if let Some(percent) = self.geometry().percent().filter(|_| is_fitted) {
            text = format!("{text}  ·  {percent}");
        }
        let is_coded = action == Setting::ToneMapping.next() && self.tone_text().is_none();
        if is_coded && self.scene.look.tone_mapping != ToneMapping::None {
            text += "; takes effect on PQ and HLG";
        }
        let is_by_light = matches!(action, Action::Change(Setting::FalseColor, _))
            && self.scene.look.exposure.false_color.table == FalseColorTable::Light;
        if is_by_light && self.tint().is_some_and(|tint| tint.table != FalseColorTable::Light) {
            text += "; takes effect on PQ and HLG";
        }
        let is_exposed = matches!(action, Action::Change(Setting::Exposure, _)) && !self.scene.look.stops.is_none();
        if is_exposed && self.tone_text().is_none() {
            text += "; takes effect on the picture's own colours";
        }
        if matches!(action, Action::Change(Setting::Diagram, _)) && self.lacks_chromaticities() {
            text += "; Cb and Cr are counted, because these codes have no R'G'B'";
        }
        if self.scene.look.guides != before.guides
            && self.scene.look.guides.any()
            && self.geometry().guides().is_empty()
        {
            text += "; this picture has no room for them";
        }
        if let Action::ToggleAdjustment(kind) = action {
            self.introduce(kind, now);
        }
        if self.scene.look.strip_line != before.strip_line {
            if before.strip_line == StripLine::Off {
                // A line can be read only in a strip that has some height.
                self.strip.size = StripSize::Tall;
            }
            self.hud.wake(now);
        }
        self.note(Note::done(text), now);
        self.settings.changed(now);
        true
    }

    /// Keeps layout and settings under a name.
    pub fn save_preset(&mut self, name: &str, now: Instant) {
        let note = match self.presets.save(name, &self.scene.look) {
            Ok(name) => {
                let key = keys::label_of(Action::OpenPresets).unwrap_or_default();
                Note::done(format!("saved the preset {name}: {key} brings it back"))
            }
            Err(error) => Note::warning(error.to_string()),
        };
        self.note(note, now);
    }

    /// Takes layout and settings from a preset that is kept.
    pub fn choose_preset(&mut self, name: &str, now: Instant) {
        match self.presets.file(name) {
            Ok(path) => self.apply_preset(&path, now),
            Err(error) => self.note(Note::warning(error.to_string()), now),
        }
    }

    /// Takes layout and settings from a preset's file. The rest, such as zoom and adjustments, stays as it is.
    pub fn apply_preset(&mut self, path: &Path, now: Instant) {
        let kept = match presets::read(path) {
            Ok(kept) => kept,
            Err(error) => return self.note(Note::warning(error.to_string()), now),
        };
        let before = self.scene.look;
        let Look { stops, view, adjustments, counted, sharing, gain, .. } = before;
        self.scene.look = Look { stops, view, adjustments, counted, sharing, gain, ..kept };
        let changes = look::changes(&before, &self.scene.look, self.bins.components).join(", ");
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let changes = if changes.is_empty() { "nothing changes".to_owned() } else { changes };
        self.note(Note::done(format!("preset {name}: {changes}")), now);
        self.settings.changed(now);
        self.redraw();
    }

    /// Shows a mask with an aspect of the user's own.
    pub fn show_own_mask(&mut self, own: MaskAspect, now: Instant) {
        self.scene.look.guides = Guides { own, ..self.scene.look.guides };
        let place = Mask::ALL.iter().position(|&mask| mask == Mask::Own).unwrap_or_default();
        self.restyle(Action::Change(Setting::Mask, Change::To(place)), now);
    }

    /// Returns `true` if the vectorscope is to count chromaticities, but the codes on screen have none.
    fn lacks_chromaticities(&self) -> bool {
        let geometry = self.geometry();
        let chroma = geometry.frame.and_then(|frame| geometry.scope_subject(frame).chroma);
        chroma.is_some_and(|chroma| chroma.diagram() != self.scene.look.scopes.diagram)
    }

    /// Finds, takes, moves or clears the region.
    fn act_on_region(&mut self, action: Action, now: Instant) -> Result<(), AppError> {
        let frame = self.session.as_ref().and_then(|session| session.frame.as_ref());
        let (region, text) = match (action, frame) {
            (Action::ClearRegion, _) => regions::clear(self.bins.region),
            (Action::MoveLine { forward }, _) => regions::move_line(self.bins.region, forward),
            (_, None) => return Ok(()),
            (Action::FindBars, Some(frame)) => regions::find_bars(self.bins.region, &frame.picture),
            (_, Some(_)) => regions::take(self.bins.region),
        };
        self.choose_region(region)?;
        self.note(Note::done(text), now);
        Ok(())
    }

    /// Opens the field for a time to go to, or shows a note on why there is none.
    fn enter_time(&mut self, now: Instant) {
        let player = self.session.as_ref().map(|session| &session.player);
        let refusal = match player {
            Some(player) if player.is_single() => Some(transport::NOTHING_TO_PLAY),
            Some(player) if player.is_live() => Some(transport::LIVE),
            _ => None,
        };
        match refusal {
            Some(text) => self.note(Note::done(text), now),
            None => self.hud.open_entry(EntryKind::Place),
        }
    }

    /// Carries out an action on playback or on how the video is interpreted.
    fn operate(&mut self, action: Action, held: bool, now: Instant) -> Result<(), AppError> {
        let Some(session) = &mut self.session else { return Ok(()) };
        let text = transport::operate(session, action, held, now);
        if matches!(action, Action::Reinterpret(_)) {
            self.reload()?;
        }
        if let Some(text) = text {
            self.note(Note::done(text), now);
        }
        Ok(())
    }

    /// Opens or closes a panel, and closes others that have no room next to it.
    fn toggle_panel(&mut self, which: Panel) -> Result<(), AppError> {
        let width = self.geometry().width_in_points();
        let before = self.hud.panels;
        let mut panels = before.within(width);
        panels.toggle(which, width);
        self.hud.panels = panels;
        // A user who has opened the panel need not be shown it again.
        self.adjuster.introduced |= panels.adjusting;
        if panels.timing != before.timing {
            self.time_passes(panels.timing)?;
        }
        Ok(())
    }

    /// Opens the panel with the sliders, once, if the pointer is in use and the panel covers nothing.
    fn introduce(&mut self, kind: Adjustment, now: Instant) {
        let is_wanted = kind.is_on(&self.scene.look.adjustments) && !self.adjuster.introduced;
        if is_wanted && self.hud.shows_controls(now) && self.hud.fits_adjustments(self.geometry().width_in_points()) {
            log::debug!("the panel of adjustments opens by itself");
            self.adjuster.introduced = true;
            self.hud.panels.adjusting = true;
        }
    }

    /// Changes the volume, or the sound track.
    fn act_on_sound(&mut self, action: Action, now: Instant) {
        /// The step of the volume, in percent.
        const STEP: u32 = 5;
        let Volume { percent, is_muted } = self.sound.volume();
        let text = match action {
            Action::ToggleMute => self.sound.set_volume(Volume { percent, is_muted: !is_muted }),
            Action::ChangeVolume { louder } => {
                let percent = if louder { (percent + STEP).min(100) } else { percent.saturating_sub(STEP) };
                self.sound.set_volume(Volume { percent, is_muted: false })
            }
            _ => self.sound.next_track(),
        };
        let has_sound = !self.sound.tracks().0.is_empty();
        let text =
            if has_sound || action == Action::NextSound { text } else { format!("{text}; the video has no sound") };
        self.settings.changed(now);
        self.note(Note::done(text), now);
    }

    /// Switches the strip behind the timeline to its next size.
    fn show_next_strip(&mut self, now: Instant) {
        self.strip.size = self.strip.size.next();
        self.settings.changed(now);
        self.hud.wake(now);
        let text = keys::label(Action::NextStrip).map(|label| label.note(&self.strip.size.state()));
        self.note(Note::done(text.unwrap_or_default()), now);
    }

    /// Goes to the result of a search in the strip behind the timeline.
    fn search(&mut self, go: fn(&ClipStrip, &mut Session, bool) -> String, forward: bool, now: Instant) {
        let Some(session) = &mut self.session else { return };
        let text = go(&self.strip, session, forward);
        self.note(Note::done(text), now);
    }

    /// Changes which findings to look for in the strip.
    pub fn look_for(&mut self, sought: FindingFilter, now: Instant) {
        let text = search::look_for(&mut self.strip, sought);
        self.hud.wake(now);
        self.note(Note::done(text), now);
    }

    /// Requests a redraw if the strip is on screen and has changed. Returns when to check again.
    pub fn follow_strip(&mut self, now: Instant) -> Option<Instant> {
        if !self.hud.shows_controls(now) {
            return None;
        }
        let (has_news, wake_at) = self.strip.poll(now);
        if self.strip.has_other_preview() || has_news {
            self.redraw();
        }
        wake_at
    }

    /// Follows the check of the video, which runs while its panel is open. Returns when to check again.
    pub fn follow_check(&mut self, now: Instant) -> Option<Instant> {
        let session = self.session.as_ref().filter(|_| self.hud.panels.checks);
        let subject = session.map(|session| (session, self.strip.subject(session)));
        let (has_news, wake_at) = self.checker.follow(subject, now);
        if has_news {
            self.redraw();
        }
        wake_at
    }

    /// Carries out a command of the panel of findings.
    pub fn use_findings(&mut self, command: FindingsCommand, now: Instant) {
        match command {
            FindingsCommand::GoTo(index) => self.go_to_finding(index, now),
            FindingsCommand::Profile(index) => {
                self.checker.choose(index);
                self.settings.changed(now);
            }
            FindingsCommand::Save(format) => {
                let session = self.session.as_ref();
                let Some(note) = session.and_then(|session| self.checker.save(&session.name, format)) else { return };
                self.note(note, now);
            }
        }
    }

    /// Goes to the first frame of a finding in the panel, and pauses there.
    fn go_to_finding(&mut self, index: usize, now: Instant) {
        let (Some(session), Some(row)) = (&mut self.session, self.checker.select(index)) else { return };
        let (frame, text) = (row.frame, row.text.clone());
        let Some(frame) = frame else {
            return self.note(Note::done(format!("{text}: this finding is about the whole file")), now);
        };
        if !session.player.is_seekable() {
            return self.note(Note::done("forward playback only: this input cannot seek"), now);
        }
        if !session.player.is_paused() {
            session.toggle_pause(now);
        }
        session.go_to_frame(frame);
        session.announce(&text);
        self.note(Note::done(text), now);
        self.follow_title(now, true);
    }

    /// Passes a key to the list of findings, if it is on screen. Returns `true` if the list uses this key.
    pub fn press_in_findings(&mut self, key: &Key, modifiers: Modifiers, now: Instant) -> bool {
        if modifiers != Modifiers::NONE || !self.hud.panels.checks {
            return false;
        }
        match key {
            Key::Named(NamedKey::Down) => self.checker.step(true),
            Key::Named(NamedKey::Up) => self.checker.step(false),
            Key::Named(NamedKey::Enter) if self.bins.region.taken().is_none() => match self.checker.selected() {
                Some(index) => {
                    self.go_to_finding(index, now);
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    /// Holds the frame on screen for comparison, or releases it.
    fn hold_frame(&mut self, now: Instant) -> Result<(), AppError> {
        let Some(session) = &self.session else { return Ok(()) };
        let part = (&self.scene, self.bins.region.counted());
        match self.comparison.hold(&self.graphics.engine, session, part) {
            Ok(outcome) => self.on_outcome(outcome, now),
            Err(error) => self.rebuild(error),
        }
    }

    /// Carries out the outcome of a request to the comparison.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn on_outcome(&mut self, Outcome { note, load }: Outcome, now: Instant) -> Result<(), AppError> {
        if let Some(frame) = load {
            self.load(frame)?;
        }
        if let Some(note) = note {
            self.note(note, now);
        }
        Ok(())
    }

    /// Advances the clip that plays in step to the frame on screen. Returns when to check again.
    fn advance_comparison(&mut self, now: Instant) -> Result<Option<Instant>, AppError> {
        let Some(session) = &self.session else { return Ok(None) };
        let region = self.bins.region.counted();
        let counted = CountedPart { scene: &self.scene, components: self.bins.components, region };
        let news = match self.comparison.follow(&self.graphics.engine, session, counted, now) {
            Ok(news) => news,
            Err(error) => {
                self.rebuild(error)?;
                return Ok(None);
            }
        };
        for note in news.notes {
            self.note(note, now);
        }
        if let Some(frame) = news.load {
            self.load(frame)?;
        }
        if news.has_changed {
            self.redraw();
        }
        Ok(news.wake_at)
    }

    /// Passes the compared frame to the renderer: its bins for outlines, and its picture if it is shown with the live
    /// one.
    pub fn show_comparison(&mut self, now: Instant) {
        self.scene.other = self.comparison.other();
        let compared = self.comparison.outlined();
        let frame = compared.map(|compared| &compared.frame).filter(|_| self.scene.look.sharing != Sharing::Alone);
        if let Err(reason) = self.graphics.renderer.set_comparison(&self.graphics.gpu, frame) {
            self.scene.look.sharing = Sharing::Alone;
            let text = format!("the other picture cannot be drawn; only the live one is shown: {reason}");
            self.note(Note::warning(text), now);
        }
        let bins = self.comparison.outlined().and_then(|compared| compared.histogram(self.bins.components));
        self.graphics.renderer.set_reference(&self.graphics.gpu, bins);
        // The CPU counts the scopes, which takes too long for every frame of a second clip that plays.
        let outlined = self.comparison.outlined().filter(|_| self.comparison.has_held() || self.is_still());
        let scoped = outlined.and_then(|compared| compared.scoped(self.bins.components));
        self.graphics.renderer.set_reference_scopes(scoped);
    }

    /// Shows notes on files that have been saved since the last call.
    pub fn advance_saves(&mut self, now: Instant) {
        for note in self.outgoing.advance() {
            self.note(note, now);
        }
    }

    /// Saves the view, without the controls and with or without labels, together with the bins of the frame.
    fn save(&mut self, labelled: bool, now: Instant) {
        let Some(session) = &self.session else { return };
        if let Some(reason) = self.comparison.refusal() {
            return self.note(Note::warning(format!("nothing was saved: {reason}")), now);
        }
        let components = self.bins.components;
        let shown = (&self.scene, components, self.bins.region.counted());
        let is_paired = self.scene.paired().is_some_and(|pair| pair.other != Other::Source);
        let names = OtherPictures {
            outlined: self.comparison.outlined_in(components).map(|compared| compared.name.as_str()),
            beside: self.comparison.chosen().filter(|_| is_paired).map(|compared| compared.title.as_str()),
            shape: self.geometry().other_shape(),
        };
        if let Err(reason) = self.outgoing.save(session, &mut self.graphics, shown, names, labelled) {
            self.note(Note::warning(format!("nothing was saved: {reason}")), now);
        }
    }

    /// Returns the figures of the frame on screen, as saved with a picture, without the bins.
    ///
    /// # Errors
    /// A message that says why there are none.
    pub fn figures(&mut self) -> Result<serde_json::Value, String> {
        let session = self.session.as_ref().ok_or("no video is open")?;
        if let Some(reason) = self.comparison.refusal() {
            return Err(reason.to_owned());
        }
        let shown = (&self.scene, self.bins.components, self.bins.region.counted());
        let figures = figures(session, &mut self.graphics, shown, false)?;
        serde_json::to_value(&figures).map_err(|error| error.to_string())
    }

    /// Copies the view without the controls.
    fn copy_picture(&mut self, now: Instant) {
        let Some(session) = &self.session else { return };
        let (shown, shape) = ((&self.scene, self.bins.components), self.geometry().other_shape());
        let note = self.outgoing.copy_picture(session, &mut self.graphics, shown, shape);
        self.note(note, now);
    }

    /// Copies the values at a point of the view, or the frame's numbers. The frame is counted again, so that the values
    /// belong to the frame on screen.
    pub fn copy_values(&mut self, at: Option<DVec2>, now: Instant) {
        if let Some(reason) = self.comparison.refusal() {
            return self.note(Note::warning(format!("nothing was copied: {reason}")), now);
        }
        let Some(frame) = self.session.as_ref().and_then(|session| session.frame.as_ref()) else { return };
        let adjusted = self.scene.look.counted_in(self.bins.components) != Counted::Source;
        let tag = FrameTag { adjusted, region: self.bins.region.counted(), ..FrameTag::of(frame) };
        let sums = match self.graphics.renderer.count(&self.graphics.gpu) {
            Ok(histogram) => histogram.cumulative(),
            Err(error) => return self.note(Note::warning(format!("nothing was copied: {error}")), now),
        };
        let Some(session) = &self.session else { return };
        let Some(values) = values_at(&self.geometry(), session, (&tag, &sums), at) else { return };
        let note = self.outgoing.copy_values(values);
        self.note(note, now);
    }

    /// Writes the settings that persist.
    pub fn keep_settings(&mut self) {
        self.fits.keep(self.scene.look.view.fit);
        if let (Some(session), Some(lut)) = (&self.session, self.scene.look.adjustments.lut) {
            self.luts.keep(&session.input, lut);
        }
        let settings = Settings {
            look: self.scene.look,
            fits: self.fits.choices().clone(),
            pinned: self.hud.is_pinned(),
            strip: self.strip.size,
            volume: self.sound.volume(),
            readout: self.hud.readout,
            adjustments: self.adjuster.choices,
            luts: self.luts.clone(),
            profile: self.checker.profile().to_owned(),
        };
        self.settings.keep(&settings);
    }

    /// Counts only a rectangle of the picture on screen, which the user is drawing.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn draw_region(&mut self, rect: Rect) -> Result<(), AppError> {
        let session = self.session.as_ref();
        let frame = session.and_then(|session| session.frame.as_ref());
        let Some(frame) = frame else { return Ok(()) };
        let size = (frame.picture.width(), frame.picture.height());
        log::trace!("{}", regions::words(rect));
        self.choose_region(Region::part(rect, size))
    }

    /// Changes the region that is counted.
    fn choose_region(&mut self, region: Region) -> Result<(), AppError> {
        let is_other = self.bins.region.counted() != region.counted();
        self.bins.region = region;
        self.redraw();
        if is_other { self.reload() } else { Ok(()) }
    }

    /// Drops a proposed region, otherwise the brushes. Returns whether there was anything to drop.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn clear_selection(&mut self, now: Instant) -> Result<bool, AppError> {
        if self.bins.region.taken().is_some() {
            return self.drop_region(now);
        }
        let had_brushes = std::mem::take(&mut self.scene.brushes).any();
        if had_brushes {
            self.note(Note::done("selection cleared"), now);
        }
        Ok(had_brushes)
    }

    /// Drops a proposed region, otherwise the region. Returns whether there was one.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn drop_region(&mut self, now: Instant) -> Result<bool, AppError> {
        let Some((left, text)) = regions::drop_last(self.bins.region) else { return Ok(false) };
        self.choose_region(left)?;
        self.note(Note::done(text), now);
        Ok(true)
    }

    /// Turns off zebra, marks, false colour and focus peaking. Returns whether any of them were on.
    pub fn clear_exposure(&mut self, now: Instant) -> bool {
        let before = self.scene.look;
        let exposure = &mut self.scene.look.exposure;
        (exposure.zebra, exposure.marks, exposure.false_color.shown) = (false, false, false);
        exposure.peaking = Peaking::Off;
        let changed = look::changes(&before, &self.scene.look, self.bins.components);
        if changed.is_empty() {
            return false;
        }
        self.settings.changed(now);
        self.note(Note::done(changed.join(", ")), now);
        true
    }

    /// Returns the false colours to show, for the codes of the picture on screen: the adjusted picture, if there is
    /// one.
    pub fn tint(&self) -> Option<Tint> {
        let session = self.session.as_ref()?;
        let frame = session.frame.as_ref()?;
        let (picture, look) = (&frame.picture, &self.scene.look);
        let light = look.shown_light(&frame.source).scale();
        if look.adjustments.is_off() {
            return look.exposure.tint(picture.layout(), picture.colorimetry(), light);
        }
        look.exposure.tint(
            &working_layout(picture.layout().bin_bits()),
            &working_colorimetry(picture.colorimetry().luminance),
            light,
        )
    }

    /// Continues the search for marked pixels if the picture is still. Returns whether what is known has changed.
    pub fn follow_marked(&mut self) -> bool {
        let session = self.session.as_ref().filter(|_| self.scene.look.exposure.marks && self.is_still());
        let frame = session.and_then(|session| session.frame.as_ref());
        let adjustments = self.scene.look.adjustments;
        let shown = match (frame, self.graphics.renderer.result(&adjustments)) {
            (None, _) => MarkedPicture::Nothing,
            (Some(frame), _) if adjustments.is_off() => {
                MarkedPicture::Here(&frame.picture, PictureId::of_source(frame))
            }
            (_, Some((loading, Some(picture)))) => {
                MarkedPicture::Here(picture, PictureId::Result { loading, adjustments })
            }
            (_, Some((_, None))) => MarkedPicture::OnAdapter,
            // The next draw creates it.
            (_, None) => MarkedPicture::Nothing,
        };
        self.marked.follow(shown, &self.scene.look.exposure, (self.bins.components, self.bins.region.counted()))
    }

    /// Continues measuring the compared frame against the one on screen, if both are still and the numbers are shown.
    /// Returns `true` if the figures have changed.
    pub fn follow_quality(&mut self) -> bool {
        let live = self.session.as_ref().filter(|_| self.hud.panels.numbers);
        let live = live.and_then(|session| session.frame.as_ref());
        let other = live.and_then(|live| self.comparison.partner_of(live.time_secs));
        let pair = match (live, other) {
            (Some(_), _) if self.comparison.outlined().is_some() && !self.is_still() => MeasuredPair::Moving,
            (Some(live), Some(other)) => MeasuredPair::Still([live, &other.frame]),
            _ => MeasuredPair::None,
        };
        let region = self.bins.region.counted();
        let has_changed = self.quality.follow(pair, region);
        if let Some((of, text)) = self.quality.summary().filter(|_| has_changed && !self.comparison.has_held()) {
            self.comparison.keep_quality(of, text);
        }
        has_changed
    }

    /// Returns the clips that play in step, one at a time, as lines for a list, and which one is compared.
    pub fn compared_clips(&self) -> Vec<(String, bool)> {
        let live = self.session.as_ref().and_then(|session| session.frame.as_ref());
        let of = live.map(|live| (PictureId::of_source(live), self.bins.region.counted()));
        self.comparison.clip_lines(of.as_ref()).collect()
    }

    /// Continues measuring the light of the frames on screen while it is seen: in the panel about the file, or marked
    /// on the axes of the histograms, for which the video must be still or its numbers shown. Returns `true` if the
    /// figures have changed.
    pub fn follow_light(&mut self) -> bool {
        let has_axes = self.scene.look.overlays && self.hud.shows_controls(self.now());
        let is_marked = has_axes && (self.is_still() || self.hud.panels.numbers);
        let is_seen = (self.hud.panels.info || is_marked) && !self.comparison.is_shown();
        let live = self.session.as_ref().filter(|_| is_seen);
        let live = live.and_then(|session| session.frame.as_ref());
        self.light.follow(live, self.bins.region.counted())
    }

    /// Returns the choices that undo restores.
    #[must_use]
    pub fn chosen(&self) -> Chosen {
        let interpretation = self.session.as_ref().map(|session| session.interpretation).unwrap_or_default();
        Chosen {
            look: self.scene.look,
            components: self.bins.components,
            region: self.bins.region,
            interpretation,
            parameters: self.adjuster.choices,
        }
    }

    /// Restores earlier choices.
    ///
    /// # Errors
    /// [`AppError`] if the adapter fails for good.
    pub fn choose(&mut self, chosen: &Chosen, now: Instant) -> Result<(), AppError> {
        let counts_others = self.bins.components != chosen.components;
        let mut is_counted_anew = counts_others || self.bins.region.counted() != chosen.region.counted();
        if let Some(session) = &mut self.session {
            is_counted_anew |= session.interpretation != chosen.interpretation;
            session.interpretation = chosen.interpretation;
        }
        chosen.restore(&mut self.scene);
        if counts_others {
            self.scene.brushes = Brushes::default();
        }
        self.bins.components = chosen.components;
        self.bins.region = chosen.region;
        self.adjuster.choices = chosen.parameters;
        self.settings.changed(now);
        self.redraw();
        if is_counted_anew { self.reload() } else { Ok(()) }
    }

    /// Explains why red, green and blue of the frame on screen cannot be counted.
    fn no_rgb(&self) -> String {
        let frame = self.session.as_ref().and_then(|session| session.frame.as_ref());
        let matrix = frame.and_then(|frame| frame.picture.unreadable_matrix());
        let reason = matrix.map_or_else(|| "the matrix is not supported".to_owned(), |matrix| matrix.to_string());
        format!("no R'G'B' here: {reason} (m chooses another)")
    }

    fn toggle_components(&mut self, now: Instant) -> Result<(), AppError> {
        let wanted = match self.bins.components {
            Components::Rgbl => Components::YCbCr,
            Components::YCbCr => Components::Rgbl,
        };
        self.bins.components = wanted;
        self.scene.brushes = Brushes::default();
        self.scene.marks = None;
        self.reload()?;
        let text = match (wanted, self.bins.components) {
            (Components::YCbCr, Components::Rgbl) => "this is R'G'B': it has no Y'CbCr codes to count".to_owned(),
            (Components::Rgbl, Components::YCbCr) => self.no_rgb(),
            (_, Components::YCbCr) => "counting Y', Cb and Cr as coded".to_owned(),
            (_, Components::Rgbl) => "counting red, green, blue and luminance".to_owned(),
        };
        self.note(Note::done(text), now);
        Ok(())
    }
}

//! The HUD, drawn over the picture: the controls, which appear when the pointer moves and fade out, and the panels that
//! keys open.
//!
//! [`Hud`] decides whether anything is visible and lays it out with egui from a [`Model`]. It changes nothing itself,
//! but returns [`Command`]s. While nothing is visible, egui does not run at all.

mod adjustments;
mod arrangement;
mod bar;
mod card;
mod compared;
mod controls;
mod divider;
mod empty;
mod entry;
mod exposure;
mod false_color;
mod findings;
mod findings_panel;
mod help;
mod icons;
mod info;
mod lab;
mod lab_view;
mod labels;
mod legend;
mod letters;
mod marks;
mod meanings;
mod menu;
mod model;
mod notes;
mod panels;
mod places;
mod preview;
mod probe;
mod probes;
mod readout;
mod region;
mod scopes;
mod sound_meters;
mod stats;
mod strip;
mod strip_line;
mod theme;
mod timeline;
mod timing;
mod visibility;

use std::time::{Duration, Instant};

pub use egui;
use egui::Vec2;
pub use egui::{Color32, CursorIcon, Pos2, Rect, pos2, vec2};

pub use bar::PositionReadout;
pub use bar::speed_text;
pub use card::Card;
use entry::Entry;
pub use entry::EntryKind;
pub use findings::{FindingRow, FindingWeight, FindingsCommand, FindingsOutcome, FindingsView};
use histoscope_keys::NamedKey;
use histoscope_keys::event::{Key, KeyEvent, Modifiers};
use histoscope_render::gpu::draw::{FontTextures, Shapes};
use histoscope_render::labels::fonts;
pub use info::InfoLine;
pub use lab::{
    BINS as LAB_BINS, BasicsView, BlurView, CHUNKS as LAB_CHUNKS, ChannelBins as LabBins, ChoiceOutcome, CountingView,
    Cut, DrawView, Figures, LOST as LAB_LOST, LabCommand, LabPage, LabView, Measured as LabMeasured, OwnView,
    PassFigures, Sample, SumView, TICK, TopicView, blur_verdict, draw_verdict, grouped, left_for_others, sum_kind,
    sum_verdict, verdict,
};
use menu::Menu;
pub use model::{
    AdjustmentView, BrushedArea, Command, ComparisonView, ExposureView, FileView, HistogramArea, LightMark, LightMarks,
    LiveState, MarkedView, Model, OtherScopesView, Outline, PictureView, PlayState, PointerView, Preview, RecentFile,
    ScopeArea, ScopesView, SoundView, Steps, StripSize, Tables, Waiting, lost_text, place_text,
};
pub use notes::Note;
pub use panels::OpenPanels;
use places::{CoveredWidths, PanelGap};
pub use probe::ProbeText;
pub use readout::{Readout, share_text};
pub use region::RegionView;
pub use scopes::border_cursor;
pub use sound_meters::SoundTable;
pub use stats::StatsTable;
pub use strip::{finding_text, of_all};
pub use theme::{AXIS, DOUBLE_CLICK};
pub use timing::TimingTable;

/// Content that stays visible even while the pointer rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Persistent {
    /// Nothing.
    #[default]
    Nothing,
    /// The invitation to open a video, while none is open.
    Invitation,
    /// Readouts of the scene: brushes, the names of two pictures, adjustments, scopes, the lab.
    Readouts,
    /// A long seek, or a source without a signal.
    Waiting,
}

/// What the HUD needs of the window that it is in.
pub trait Host {
    /// Connects the window to the context that lays out the HUD.
    fn connect(&self, context: &egui::Context);

    /// Carries out the HUD's requests to the desktop: the pointer's shape, the input method, the clipboard.
    fn take_output(&self, output: egui::PlatformOutput);
}

/// A window event, as far as the HUD distinguishes events.
#[derive(Debug, Clone, Copy)]
pub enum InputKind<'a> {
    /// A key was pressed or released.
    Key(&'a KeyEvent),
    /// The input method sent an event.
    InputMethod,
    /// Any other event.
    Other,
}

/// A window event, translated for egui.
#[derive(Debug, Default)]
pub struct UiEvents {
    /// The events for egui.
    pub events: Vec<egui::Event>,
    /// `true` if the window has keyboard focus, if that is known.
    pub focused: Option<bool>,
    /// `true` if the next draw may look different from the last one.
    pub repaint: bool,
}

/// The HUD: lays out text and controls over the picture.
pub struct Hud {
    context: egui::Context,
    /// The events since the last draw.
    input: egui::RawInput,
    /// The start of egui's clock; `None` in tests that draw at a single time.
    started: Option<Instant>,
    visibility: visibility::Visibility,
    notes: notes::Notes,
    /// Which panels are open.
    pub panels: OpenPanels,
    entry: Option<Entry>,
    menu: Option<Menu>,
    timeline: timeline::Timeline,
    /// The form of the position that the control bar shows first.
    pub readout: PositionReadout,
    /// Content that stays visible while the pointer rests.
    pub persistent: Persistent,
    /// The hint shown while a file is dragged over the window.
    pub drop_hint: Option<&'static str>,
    /// Opacity of the controls at the last draw; `None` if nothing was visible.
    drawn: Option<f32>,
    /// `true` if the last draw reported a long seek or a lost signal.
    waits: bool,
    /// `true` if all letters are large, because the lab takes the whole window.
    pub is_large: bool,
    /// `true` if they leave room for the lab's code then.
    pub has_code: bool,
    /// Number of layouts so far.
    layouts: u64,
    /// Rectangles of the cards on the view, in points.
    cards: Vec<Rect>,
    /// The width left by the panels at the last layout.
    between: PanelGap,
    /// The width of the panels over each of two pictures side by side.
    covered: CoveredWidths,
    /// Height available to the adjustments panel, whether open or not, in points.
    height_for_adjusting: f32,
    /// When egui wants the next draw, for a tooltip or a blinking cursor.
    repaint_at: Option<Instant>,
}

impl Hud {
    /// Creates an empty HUD for a window.
    #[must_use]
    pub fn new(window: &dyn Host, now: Instant) -> Self {
        let mut hud = Self::without_window();
        // The window reports when it has keyboard focus.
        hud.input.focused = false;
        hud.started = Some(now);
        window.connect(&hud.context);
        hud
    }

    fn without_window() -> Self {
        let context = egui::Context::default();
        context.add_font_provider(fonts::provider());
        theme::apply(&context);
        Self {
            context,
            input: egui::RawInput::default(),
            started: None,
            visibility: visibility::Visibility::default(),
            notes: notes::Notes::default(),
            panels: OpenPanels::default(),
            entry: None,
            menu: None,
            timeline: timeline::Timeline::default(),
            readout: PositionReadout::default(),
            persistent: Persistent::default(),
            drop_hint: None,
            drawn: None,
            waits: false,
            is_large: false,
            has_code: false,
            layouts: 0,
            cards: Vec::new(),
            between: PanelGap::default(),
            covered: CoveredWidths::default(),
            height_for_adjusting: 0.0,
            repaint_at: None,
        }
    }

    /// Takes a window event, which `as_ui` translates for egui. Returns `true` if the next draw may look different from
    /// the last one.
    pub fn on_event(&mut self, event: InputKind<'_>, as_ui: impl FnOnce() -> UiEvents) -> bool {
        // Keys belong to the key table, except while the field or a menu is open. Tab would only move the focus out of
        // the field.
        let is_foreign = match event {
            InputKind::Key(event) => {
                let leads = self.menu.is_some() && leads_through_menu(&event.key);
                let is_typed = self.entry.is_some() && event.key != Key::Named(NamedKey::Tab);
                event.pressed && !leads && !is_typed
            }
            InputKind::InputMethod => self.entry.is_none(),
            InputKind::Other => false,
        };
        if is_foreign {
            return false;
        }
        let UiEvents { mut events, focused, repaint } = as_ui();
        if self.uses_pointer() {
            // egui would end the drag when the pointer leaves the window.
            events.retain(|event| !matches!(event, egui::Event::PointerGone));
        }
        self.input.events.extend(events);
        self.input.focused = focused.unwrap_or(self.input.focused);
        repaint
    }

    /// Returns `true` if the pointer has done something to a control that only the next draw will handle: a click, or a
    /// drag that moved on.
    #[must_use]
    pub fn awaits_drawing(&self) -> bool {
        let is_dragging = self.uses_pointer();
        let is_done = |event: &egui::Event| match event {
            egui::Event::PointerButton { .. } => true,
            egui::Event::PointerMoved(_) | egui::Event::PointerGone => is_dragging,
            _ => false,
        };
        self.drawn.is_some() && self.input.events.iter().any(is_done)
    }

    /// Returns `true` if the next draw shows controls that the last one did not.
    #[must_use]
    pub fn is_appearing(&self, now: Instant) -> bool {
        self.shows_controls(now) && self.drawn.is_none_or(|strength| strength <= 0.0)
    }

    /// Returns `true` if the point, in points, lies on something that reacts to the pointer.
    #[must_use]
    pub fn covers(&self, point: Pos2) -> bool {
        let order = self.context.layer_id_at(point).map(|layer| layer.order);
        self.drawn.is_some()
            && (self.menu.is_some()
                || self.uses_pointer()
                || order.is_some_and(|order| order != egui::Order::Background))
    }

    /// Returns `true` if a control is being dragged, the timeline for example.
    fn uses_pointer(&self) -> bool {
        self.timeline.is_dragged() || self.context.egui_is_using_pointer()
    }

    /// Returns `true` if the point, in points, lies on a visible timeline that can seek.
    #[must_use]
    pub fn is_on_timeline(&self, point: Pos2, now: Instant) -> bool {
        self.drawn.is_some() && self.shows_controls(now) && self.menu.is_none() && self.timeline.is_at(point)
    }

    /// Notes that the pointer has moved: the controls appear.
    pub fn wake(&mut self, now: Instant) {
        self.visibility.wake(now);
    }

    /// Lets the controls fade out, because the pointer has left the window, unless it is dragging one of them.
    pub fn let_go(&mut self, now: Instant) {
        if !self.uses_pointer() {
            self.visibility.let_go(now);
        }
    }

    /// Drops the notes about the video on screen, because another one replaces it.
    pub fn change_video(&mut self) {
        self.notes.change_video();
    }

    /// Pins the controls, or lets them fade again. Returns `true` if they are pinned now.
    pub fn toggle_pinned(&mut self, now: Instant) -> bool {
        self.visibility.toggle_pinned(now)
    }

    /// Returns `true` if the controls stay on screen.
    #[must_use]
    pub const fn is_pinned(&self) -> bool {
        self.visibility.is_pinned()
    }

    /// Returns the number of layouts so far. Layouts cost time only while something is visible.
    #[must_use]
    pub const fn layouts(&self) -> u64 {
        self.layouts
    }

    /// Recreates the egui context for a new device, which has none of the font textures yet. Open panels stay open.
    pub fn restart(&mut self, window: &dyn Host, now: Instant) {
        let Self { context, input, started: begun, .. } = Self::new(window, now);
        (self.context, self.input, self.started) = (context, input, begun);
        self.timeline.restart();
    }

    /// Returns `true` if the controls are visible, and with them the labels, the probe and the marks on the histograms.
    #[must_use]
    pub fn shows_controls(&self, now: Instant) -> bool {
        self.visibility.strength(now) > 0.0
    }

    /// Returns `true` if the adjustments panel fits into a window of this width, in points, next to the picture and all
    /// open panels.
    #[must_use]
    pub fn fits_adjustments(&self, width: f64) -> bool {
        self.panels.has_width_for_adjusting(width) && self.height_for_adjusting >= adjustments::FULL_HEIGHT
    }

    /// Returns `true` if the last draw reported a long seek or a lost signal.
    #[must_use]
    pub const fn waits(&self) -> bool {
        self.waits
    }

    /// Shows a note: briefly what a key did, or for longer what went wrong.
    pub fn note(&mut self, note: Note, now: Instant) {
        self.notes.add(note, now);
    }

    /// Opens the field for this kind of value, in place of the help.
    pub fn open_entry(&mut self, asked: EntryKind) {
        self.panels.help = false;
        log::debug!("entry: open for {}", asked.subject());
        self.entry = Some(Entry::for_text(asked));
    }

    /// Returns `true` if the field is open and takes the keys.
    #[must_use]
    pub const fn has_entry(&self) -> bool {
        self.entry.is_some()
    }

    /// Closes the field.
    pub fn close_entry(&mut self) {
        self.entry = None;
    }

    /// Opens the menu at a point, in points, or in the middle of the view.
    pub fn open_menu(&mut self, at: Option<Pos2>) {
        let menu = Menu::everything(at.unwrap_or_else(|| self.middle()));
        self.show_menu(menu);
    }

    /// Returns where a menu opens in the middle of the view.
    fn middle(&self) -> Pos2 {
        self.context.content_rect().center() - Vec2::new(125.0, 100.0)
    }

    /// Opens the list of recent files at a point, in points, or in the middle of the view.
    pub fn open_recent(&mut self, at: Option<Pos2>) {
        let menu = Menu::recent(at.unwrap_or_else(|| self.middle()));
        self.show_menu(menu);
    }

    /// Opens the list of presets at a point, in points, or in the middle of the view.
    pub fn open_presets(&mut self, at: Option<Pos2>) {
        let menu = Menu::presets(at.unwrap_or_else(|| self.middle()));
        self.show_menu(menu);
    }

    /// Opens a menu, which then receives the keys instead of the field.
    fn show_menu(&mut self, menu: Menu) {
        self.entry = None;
        // The arrow keys start at its first line, not at a button that was clicked before.
        self.context.memory_mut(|memory| memory.focused().map(|id| memory.surrender_focus(id)));
        self.menu = Some(menu);
    }

    /// Passes a key to the open menu. Returns `true` if the menu uses this key.
    pub fn press_in_menu(&mut self, key: &Key, modifiers: Modifiers) -> bool {
        let Some(menu) = &mut self.menu else { return false };
        if modifiers.control || modifiers.alt || modifiers.logo {
            return false;
        }
        let letter = match key {
            Key::Character(text) => text.chars().next().filter(|letter| letter.is_alphanumeric()),
            _ => None,
        };
        if let Some(letter) = letter {
            menu.type_letter(letter);
        }
        letter.is_some() || leads_through_menu(key)
    }

    /// Closes the menu. Returns `true` if one was open.
    pub fn close_menu(&mut self) -> bool {
        self.menu.take().is_some()
    }

    /// Closes the open submenu, or else the menu. Returns `true` if either was open.
    pub fn leave_menu(&mut self) -> bool {
        let Some(menu) = &mut self.menu else { return false };
        if !menu.leave_beside() {
            self.menu = None;
        }
        true
    }

    /// Closes the field and the help. Returns `true` if either was open.
    pub fn close_something(&mut self) -> bool {
        let typed = self.entry.take().is_some();
        let helped = std::mem::take(&mut self.panels.help);
        typed || helped
    }

    /// Returns `true` if anything is visible.
    #[must_use]
    pub fn is_visible(&self, now: Instant) -> bool {
        self.persistent != Persistent::Nothing
            || self.panels.any()
            || self.entry.is_some()
            || self.menu.is_some()
            || self.drop_hint.is_some()
            || self.notes.any(now)
            || self.visibility.strength(now) > 0.0
    }

    /// Returns `true` if a draw at `now` would look different from the last one, even with the same model.
    #[must_use]
    pub fn is_due(&self, now: Instant) -> bool {
        self.drawn.is_some_and(|drawn| drawn != self.visibility.strength(now) || !self.is_visible(now))
            || self.repaint_at.is_some_and(|at| at <= now)
            || self.notes.has_expired(now)
    }

    /// Returns when [`is_due`](Self::is_due) may next become `true`.
    #[must_use]
    pub fn wake_at(&self, now: Instant) -> Option<Instant> {
        let fade = self.drawn.and_then(|_| self.visibility.next_change(now));
        [fade, self.notes.next_change(now), self.repaint_at].into_iter().flatten().min()
    }

    /// Returns the size in points of a window with large letters, if they are large.
    fn large(&self) -> Option<(f64, f64)> {
        self.is_large.then_some(LARGE[usize::from(self.has_code)])
    }

    /// Returns the pixels of the view per point of the layout.
    #[must_use]
    pub fn pixels_per_point(&self, view: (u32, u32), scale_factor: f64) -> f32 {
        zoom(view, scale_factor, self.large()) * scale_factor as f32
    }

    /// Sets the zoom of the next egui pass to suit the view. Returns the pixels per point. Call this only right before
    /// a pass: until then, egui keeps the old zoom and accumulates a repaint cause per call.
    fn set_scale(&self, view: (u32, u32), scale_factor: f64) -> f32 {
        let zoom = zoom(view, scale_factor, self.large());
        if (self.context.zoom_factor() - zoom).abs() > 1e-3 {
            self.context.set_zoom_factor(zoom);
        }
        self.pixels_per_point(view, scale_factor)
    }

    /// Lays out everything visible for a view of `size` pixels. Returns the shapes and the user's commands.
    pub fn lay_out(
        &mut self,
        window: Option<&dyn Host>,
        (size, scale_factor): ((u32, u32), f64),
        model: &Model<'_>,
        now: Instant,
    ) -> (Shapes, Vec<Command>) {
        self.repaint_at = None;
        self.notes.drop_expired(now);
        if !self.is_visible(now) {
            self.forget_input(window);
            (self.drawn, self.waits) = (None, false);
            lab::forget(&self.context);
            // Textures that are no longer used are released even though nothing is drawn.
            let textures = FontTextures(self.context.tex_manager().write().take_delta());
            let pixels_per_point = self.pixels_per_point(size, scale_factor);
            return (Shapes { pixels_per_point, textures, ..Shapes::default() }, Vec::new());
        }
        let pixels_per_point = self.set_scale(size, scale_factor);
        let extent = Vec2::new(size.0 as f32, size.1 as f32) / pixels_per_point;
        let mut input = self.input.take();
        input.time = self.started.map(|begun| now.saturating_duration_since(begun).as_secs_f64());
        let later = split_after_release(&mut input.events);
        // The surface may lag a frame behind the window.
        input.screen_rect = Some(Rect::from_min_size(Pos2::ZERO, extent));
        input.viewports.entry(egui::ViewportId::ROOT).or_default().native_pixels_per_point = Some(scale_factor as f32);
        let mut commands = Vec::new();
        let context = self.context.clone();
        let mut textures = FontTextures::default();
        if self.is_appearing(now) {
            // Controls take the pointer only once they have been laid out.
            let before = egui::RawInput { events: Vec::new(), ..input.clone() };
            let output = context.run_ui(before, |ui| self.show(ui, model, now, &mut Vec::new()));
            textures.0.append(output.textures_delta);
        }
        // A new area takes two passes; the first one consumes the events.
        let output = context.run_ui(input, |ui| self.show(ui, model, now, &mut commands));
        if let Some(window) = window {
            window.take_output(output.platform_output);
        }
        let delay = output.viewport_output.get(&egui::ViewportId::ROOT).map_or(Duration::MAX, |v| v.repaint_delay);
        self.repaint_at = (delay < Duration::from_secs(3600)).then(|| now + delay);
        if !later.is_empty() {
            self.input.events.splice(0..0, later);
            self.repaint_at = Some(now);
        }
        self.layouts += 1;
        let primitives = context.tessellate(output.shapes, output.pixels_per_point);
        self.drawn = Some(self.visibility.strength(now));
        textures.0.append(output.textures_delta);
        (Shapes { primitives, textures, pixels_per_point: output.pixels_per_point }, commands)
    }

    /// Discards the events that arrived while nothing was visible, and releases the pointer and the input method.
    fn forget_input(&mut self, window: Option<&dyn Host>) {
        self.input.events.clear();
        if let Some(window) = window.filter(|_| self.drawn.is_some()) {
            window.take_output(egui::PlatformOutput::default());
        }
    }
}

/// The size in points of a window with large letters, to which they grow with the window: without the lab's code, and
/// with it.
const LARGE: [(f64, f64); 2] = [(780.0, 440.0), (1180.0, 664.0)];

/// Returns the points of the display per point of the layout: a little fewer on small windows, more on huge ones and
/// for large letters.
fn zoom(view: (u32, u32), scale_factor: f64, large: Option<(f64, f64)>) -> f32 {
    let [width, height] = [view.0, view.1].map(|pixels| f64::from(pixels) / scale_factor);
    let zoom = match height {
        h if h < 360.0 => 0.9,
        h if h > 1080.0 => (h / 1080.0).sqrt().min(1.6),
        _ => 1.0,
    };
    let zoom = large.map_or(zoom, |(points, down)| zoom.max((width / points).min(height / down)));
    // In steps, so that enlarging the window does not lay out all text again at every size.
    ((zoom * 20.0).round() / 20.0) as f32
}

/// Returns `true` if egui uses this key to navigate an open menu; the menu handles letters itself.
fn leads_through_menu(key: &Key) -> bool {
    use NamedKey::{Down, Enter, Left, Right, Space, Up};
    let Key::Named(named) = key else { return false };
    matches!(named, Down | Left | Right | Up | Enter | Space)
}

/// Splits off the events for the next draw: those from the first pointer move after a button release. Within one draw,
/// a widget would take the last pointer position for the position of the release.
fn split_after_release(events: &mut Vec<egui::Event>) -> Vec<egui::Event> {
    let is_release = |event: &egui::Event| matches!(event, egui::Event::PointerButton { pressed: false, .. });
    let is_move = |event: &egui::Event| matches!(event, egui::Event::PointerMoved(_) | egui::Event::PointerGone);
    let Some(release) = events.iter().position(is_release) else { return Vec::new() };
    let moved = events.iter().skip(release).position(is_move);
    moved.map_or_else(Vec::new, |behind| events.split_off(release + behind))
}

#[cfg(test)]
mod contrast_tests;
#[cfg(test)]
mod layout_tests;
#[cfg(test)]
mod tests;

//! What is written over the picture: the controls, which come with the pointer and fade, and the panels that keys open.
//!
//! [`Hud`] decides whether anything is to be seen and lays it out with egui from a [`Model`]; it changes nothing by
//! itself, but hands [`Command`]s back. While nothing is to be seen, egui does not run at all.

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
mod help;
mod icons;
mod info;
mod lab;
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
mod readout;
mod region;
mod scopes;
mod stats;
mod strip;
mod theme;
mod timeline;
mod timing;
mod visibility;

use std::time::{Duration, Instant};

use egui::{Pos2, Rect, Vec2};

use super::event::{Event, Key, Modifiers};
use super::screen::Window;
use crate::keys::NamedKey;
pub use bar::PositionReadout;
pub use bar::speed_text;
pub use card::Card;
use entry::{Asked, Entry};
use histoscope_render::gpu::draw::{FontTextures, Shapes};
pub use info::{InfoLine, Machine, info_lines};
pub use lab::{
    BINS as LAB_BINS, BlurView, CHUNKS as LAB_CHUNKS, ChannelBins as LabBins, ChoiceOutcome, CountingView, Cut,
    Figures, LabCommand, LabView, MOMENT, PassFigures, Sample, SumView, TopicView, blur_verdict, grouped,
    left_for_others, sum_kind, sum_verdict, verdict,
};
use menu::Menu;
pub use model::{
    AdjustmentView, BesideView, BrushedArea, Command, ComparisonView, ExposureView, FileView, HistogramArea, LiveState,
    MarkedView, Model, Outline, PictureView, PlayState, PointerView, ScopeArea, ScopesView, Steps, Tables, Waiting,
};
pub use notes::Note;
pub use panels::OpenPanels;
use places::Between;
pub use probe::ProbeText;
pub use readout::{Readout, share_text};
pub use region::RegionView;
pub use scopes::border_cursor;
pub use stats::StatsTable;
pub use strip::{finding_text, of_all};
pub use timing::TimingTable;

/// Content that stays in view for as long as it lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lasting {
    /// Nothing.
    #[default]
    Nothing,
    /// Words that invite to open a video, while none is open.
    Invitation,
    /// The selection of a brush, or the names of two pictures.
    Readouts,
    /// Where a seek leads that takes long.
    Waiting,
}

/// An event of the window as egui knows it.
#[derive(Debug, Default)]
pub struct UiEvents {
    /// The events for egui.
    pub events: Vec<egui::Event>,
    /// True if the window has the keyboard, where that is known.
    pub focused: Option<bool>,
    /// True if a drawing may show something else than the last one.
    pub repaint: bool,
}

/// Lays out text and controls.
pub struct Hud {
    context: egui::Context,
    /// The events since the last drawing.
    input: egui::RawInput,
    /// From when on egui counts the seconds; `None` in tests that draw at one moment only.
    begun: Option<Instant>,
    visibility: visibility::Visibility,
    notes: notes::Notes,
    /// Which panels are open.
    pub panels: OpenPanels,
    entry: Option<Entry>,
    menu: Option<Menu>,
    timeline: timeline::Timeline,
    /// The form of the position that the bar shows first.
    pub readout: PositionReadout,
    /// Content that stays while the pointer rests.
    pub lasting: Lasting,
    /// How strongly the last drawing showed the controls; `None` if it had nothing of all this.
    drawn: Option<f32>,
    /// True if it said that a seek takes long.
    waits: bool,
    /// How often it was laid out.
    layouts: u64,
    /// Where cards lie on the view, in points.
    cards: Vec<Rect>,
    /// Returns the width that panels leave.
    between: Between,
    /// Height that the adjustments have, or would have, in points.
    height_for_adjusting: f32,
    /// When egui wants to be drawn again, for a tooltip or a blinking cursor.
    repaint_at: Option<Instant>,
}

impl Hud {
    /// A HUD without anything on it, for a window.
    #[must_use]
    pub fn new(window: &dyn Window) -> Self {
        let mut hud = Self::without_window();
        // The window tells when it has the keyboard.
        hud.input.focused = false;
        hud.begun = Some(window.now());
        window.connect(&hud.context);
        hud
    }

    fn without_window() -> Self {
        let context = egui::Context::default();
        theme::apply(&context);
        Self {
            context,
            input: egui::RawInput::default(),
            begun: None,
            visibility: visibility::Visibility::default(),
            notes: notes::Notes::default(),
            panels: OpenPanels::default(),
            entry: None,
            menu: None,
            timeline: timeline::Timeline::default(),
            readout: PositionReadout::default(),
            lasting: Lasting::default(),
            drawn: None,
            waits: false,
            layouts: 0,
            cards: Vec::new(),
            between: Between::default(),
            height_for_adjusting: 0.0,
            repaint_at: None,
        }
    }

    /// Takes an event of the window, which `as_ui` translates for egui. Returns whether a drawing may show something else than the last
    /// one.
    pub fn on_event(&mut self, event: &Event, as_ui: impl FnOnce() -> UiEvents) -> bool {
        // Keys are the table's, and the field's or the menu's while either is open. Tab would only lead out of it.
        let is_foreign = match event {
            Event::Key(event) => {
                let leads = self.menu.is_some() && leads_through_menu(&event.key);
                let is_typed = self.entry.is_some() && event.key != Key::Named(NamedKey::Tab);
                event.pressed && !leads && !is_typed
            }
            Event::InputMethod => self.entry.is_none(),
            _ => false,
        };
        if is_foreign {
            return false;
        }
        let UiEvents { events, focused, repaint } = as_ui();
        self.input.events.extend(events);
        self.input.focused = focused.unwrap_or(self.input.focused);
        repaint
    }

    /// Returns whether the pointer has done something to a control that only the next drawing finds: a click, a drag that moved on.
    #[must_use]
    pub fn awaits_drawing(&self) -> bool {
        let is_dragging = self.timeline.is_dragged() || self.context.egui_is_using_pointer();
        let is_done = |event: &egui::Event| match event {
            egui::Event::PointerButton { .. } => true,
            egui::Event::PointerMoved(_) | egui::Event::PointerGone => is_dragging,
            _ => false,
        };
        self.drawn.is_some() && self.input.events.iter().any(is_done)
    }

    /// Returns whether the point, in points, lies on something that takes the pointer.
    #[must_use]
    pub fn covers(&self, point: Pos2) -> bool {
        let order = self.context.layer_id_at(point).map(|layer| layer.order);
        self.drawn.is_some()
            && (self.menu.is_some()
                || self.timeline.is_dragged()
                || self.context.egui_is_using_pointer()
                || order.is_some_and(|order| order != egui::Order::Background))
    }

    /// Notes that the pointer has moved.
    pub fn wake(&mut self, now: Instant) {
        self.visibility.wake(now);
    }

    /// Lets the controls go, as when the pointer leaves the window.
    pub fn let_go(&mut self, now: Instant) {
        self.visibility.let_go(now);
    }

    /// Drops the notes that are of the video on screen, as another one comes.
    pub fn change_video(&mut self) {
        self.notes.change_video();
    }

    /// Keeps the controls on screen, or lets them fade; which of the two.
    pub fn toggle_pinned(&mut self, now: Instant) -> bool {
        self.visibility.toggle_pinned(now)
    }

    /// Returns whether the controls stay on screen.
    #[must_use]
    pub const fn is_pinned(&self) -> bool {
        self.visibility.is_pinned()
    }

    /// How often anything was laid out, which takes time only while something is to be seen.
    #[must_use]
    pub const fn layouts(&self) -> u64 {
        self.layouts
    }

    /// Starts afresh for a new device, which has none of the letters yet; what is open stays open.
    pub fn restart(&mut self, window: &dyn Window) {
        let Self { context, input, begun, .. } = Self::new(window);
        (self.context, self.input, self.begun) = (context, input, begun);
        self.timeline.restart();
    }

    /// Returns whether the controls are on screen, and so what belongs to them: labels, the probe, marks on the histograms.
    #[must_use]
    pub fn shows_controls(&self, now: Instant) -> bool {
        self.visibility.strength(now) > 0.0
    }

    /// Returns whether the adjustments, in a window of this width in points, have room beside the picture and all that is open.
    #[must_use]
    pub fn has_room_for_adjusting(&self, width: f64) -> bool {
        self.panels.has_width_for_adjusting(width) && self.height_for_adjusting >= adjustments::FULL_HEIGHT
    }

    /// Returns whether the last drawing said that a seek takes long.
    #[must_use]
    pub const fn waits(&self) -> bool {
        self.waits
    }

    /// Says shortly what a key did, or at more length what went wrong.
    pub fn note(&mut self, note: Note, now: Instant) {
        self.notes.add(note, now);
    }

    /// Opens the field for a time or a frame number, in place of the help.
    pub fn open_entry(&mut self) {
        self.panels.help = false;
        self.entry = Some(Entry::default());
    }

    /// Opens the field for a value of the lab.
    pub fn open_lab_entry(&mut self, asked: Asked) {
        log::debug!("entry: open for {}", asked.subject());
        self.entry = Some(Entry::for_text(asked));
    }

    /// Returns whether that field is open, and so takes the keys.
    #[must_use]
    pub const fn has_entry(&self) -> bool {
        self.entry.is_some()
    }

    /// Closes the field.
    pub fn close_entry(&mut self) {
        self.entry = None;
    }

    /// Opens the menu at a point, in points.
    pub fn open_menu(&mut self, at: Pos2) {
        self.show_menu(Menu::everything(at));
    }

    /// Opens the list of recent files at a point, in points, or without one in the middle.
    pub fn open_recent(&mut self, at: Option<Pos2>) {
        let middle = || self.context.content_rect().center() - Vec2::new(125.0, 100.0);
        let menu = Menu::recent(at.unwrap_or_else(middle));
        self.show_menu(menu);
    }

    /// Opens a menu, which then takes keys in the field's place.
    fn show_menu(&mut self, menu: Menu) {
        self.entry = None;
        // Arrows begin at its first line, and not at a button that was clicked before.
        self.context.memory_mut(|memory| memory.focused().map(|id| memory.surrender_focus(id)));
        self.menu = Some(menu);
    }

    /// Takes a key for the menu that is open. Returns whether it was one for it.
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

    /// Closes the menu, if one is open.
    pub fn close_menu(&mut self) {
        self.menu = None;
    }

    /// Closes what has opened beside the menu, else the menu. Returns whether one was open.
    pub fn leave_menu(&mut self) -> bool {
        let Some(menu) = &mut self.menu else { return false };
        if !menu.leave_beside() {
            self.menu = None;
        }
        true
    }

    /// Closes the field or the help, whichever is open. Returns whether one was.
    pub fn close_something(&mut self) -> bool {
        let typed = self.entry.take().is_some();
        let helped = std::mem::take(&mut self.panels.help);
        typed || helped
    }

    /// Returns whether there is anything to see.
    #[must_use]
    pub fn is_visible(&self, now: Instant) -> bool {
        self.lasting != Lasting::Nothing
            || self.panels.any()
            || self.entry.is_some()
            || self.menu.is_some()
            || self.notes.any(now)
            || self.visibility.strength(now) > 0.0
    }

    /// Returns whether a drawing at `now` would show something else than the last one, apart from what it is told.
    #[must_use]
    pub fn is_due(&self, now: Instant) -> bool {
        self.drawn.is_some_and(|drawn| drawn != self.visibility.strength(now) || !self.is_visible(now))
            || self.repaint_at.is_some_and(|at| at <= now)
            || self.notes.has_expired(now)
    }

    /// When that will be the case.
    #[must_use]
    pub fn wake_at(&self, now: Instant) -> Option<Instant> {
        let fade = self.drawn.and_then(|_| self.visibility.next_change(now));
        [fade, self.notes.next_change(now), self.repaint_at].into_iter().flatten().min()
    }

    /// Pixels of a view to a point of the layout.
    #[must_use]
    pub fn pixels_per_point(view: (u32, u32), scale_factor: f64) -> f32 {
        zoom(view, scale_factor) * scale_factor as f32
    }

    /// Has the next pass laid out by the scale that suits a view; pixels to a point. It is for right before a pass: egui notes each
    /// time until there is one.
    fn set_scale(&self, view: (u32, u32), scale_factor: f64) -> f32 {
        let zoom = zoom(view, scale_factor);
        if (self.context.zoom_factor() - zoom).abs() > 1e-3 {
            self.context.set_zoom_factor(zoom);
        }
        Self::pixels_per_point(view, scale_factor)
    }

    /// Lays out what is to be seen for a view of `size` pixels, and gathers what the user asks for.
    pub fn lay_out(
        &mut self,
        window: Option<&dyn Window>,
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
            // Textures that nothing is drawn with any more are given back even though nothing is drawn.
            let textures = FontTextures(self.context.tex_manager().write().take_delta());
            let pixels_per_point = Self::pixels_per_point(size, scale_factor);
            return (Shapes { pixels_per_point, textures, ..Shapes::default() }, Vec::new());
        }
        let pixels_per_point = self.set_scale(size, scale_factor);
        let extent = Vec2::new(size.0 as f32, size.1 as f32) / pixels_per_point;
        let mut input = self.input.take();
        input.time = self.begun.map(|begun| now.saturating_duration_since(begun).as_secs_f64());
        let later = split_behind_release(&mut input.events);
        // The surface may follow the window by a frame.
        input.screen_rect = Some(Rect::from_min_size(Pos2::ZERO, extent));
        input.viewports.entry(egui::ViewportId::ROOT).or_default().native_pixels_per_point = Some(scale_factor as f32);
        let mut commands = Vec::new();
        let context = self.context.clone();
        // A new area takes two passes, of which the first takes the events.
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
        let textures = FontTextures(output.textures_delta);
        (Shapes { primitives, textures, pixels_per_point: output.pixels_per_point }, commands)
    }

    /// Throws away what has happened while nothing was to be seen, and gives the pointer and the input method back.
    fn forget_input(&mut self, window: Option<&dyn Window>) {
        self.input.events.clear();
        if let Some(window) = window.filter(|_| self.drawn.is_some()) {
            window.take_output(egui::PlatformOutput::default());
        }
    }
}

/// Points of the layout to a point of the display: a little more on small and on huge windows.
fn zoom(view: (u32, u32), scale_factor: f64) -> f32 {
    let height = f64::from(view.1) / scale_factor;
    let zoom = match height {
        h if h < 360.0 => 0.9,
        h if h > 1080.0 => (h / 1080.0).sqrt().min(1.6),
        _ => 1.0,
    };
    // Steps, so that text is laid out again only now and then while a window is dragged larger.
    ((zoom * 20.0).round() / 20.0) as f32
}

/// Returns whether a key leads through an open menu, as egui has it; letters are the menu's own.
fn leads_through_menu(key: &Key) -> bool {
    use NamedKey::{Down, Enter, Left, Right, Space, Up};
    let Key::Named(named) = key else { return false };
    matches!(named, Down | Left | Right | Up | Enter | Space)
}

/// Takes away the events behind a release of the pointer's button from where it moves on: they are for the next drawing. A widget takes the
/// pointer's last place in a drawing for the one where it was let go.
fn split_behind_release(events: &mut Vec<egui::Event>) -> Vec<egui::Event> {
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

//! The arrangement of the HUD: the controls at the top, then the field and notes, panels in the remaining room, and
//! cards wherever nothing else is drawn.

use std::time::Instant;

use egui::{Pos2, Rect, Vec2};

use super::entry::Typed;
use super::lab::LabCommand;
use super::model::{
    AdjustmentView, Command, ExposureView, Model, OtherScopesView, PictureView, PointerView, ScopesView, Tables,
};
use super::places::{PanelGap, Placed, free_area};
use super::{
    Hud, OpenPanels, Persistent, adjustments, bar, divider, empty, entry, exposure, false_color, findings_panel, help,
    info, lab, labels, left_for_others, legend, letters, marks, notes, probes, readout, region, scopes, sound_meters,
    stats, theme, timing,
};
use histoscope_keys::Action;
use histoscope_render::labels::{guides, rings};

/// The least width needed for panels on the left, in points.
const MIN_WIDTH: f32 = 100.0;
/// The least height of panels, in points.
const MIN_HEIGHT: f32 = 62.0;

/// The view, and how it is divided. Rectangles are in points.
struct Room<'a> {
    view: Rect,
    /// The room left by the histograms.
    free: Rect,
    /// The part of `free` left by the controls and the axis labels.
    panels: Rect,
    /// The room for the help, if it is open.
    help: Option<Rect>,
    /// Height of the names of the divided pictures, at the top of the panels' room.
    divided: f32,
    /// Opacity of everything that appears and fades with the pointer.
    strength: f32,
    model: &'a Model<'a>,
}

/// The field, the notes and the room they leave for panels.
struct PanelSurroundings {
    /// Rectangle of the field, if it is open.
    field: Option<Rect>,
    /// Width that the field or the notes need next to panels.
    needed: f32,
    notes: notes::LaidOut,
    /// The room for notes.
    place: Rect,
    /// Height of the notes.
    lane: f32,
    /// The room for panels.
    panels: Rect,
}

impl Hud {
    /// Shows everything visible and collects the user's commands.
    pub(super) fn show(&mut self, ui: &mut egui::Ui, model: &Model<'_>, now: Instant, commands: &mut Vec<Command>) {
        let view = ui.ctx().content_rect();
        let alone;
        let model = match model.lab {
            Some(lab) if lab.is_large => {
                alone = without_picture(model);
                &alone
            }
            _ => model,
        };
        let free = free_area(view, model.scopes.histograms);
        let free = model.other_scopes.free.map_or(free, |beside| beside.intersect(free));
        let strength = self.visibility.strength(now);
        show_beneath(ui, view, model, strength);
        if let Some(text) = self.drop_hint {
            drop_target(ui, view, text);
        }
        // If the help leaves no room for the controls, it is shown alone.
        let below_bar = Rect::from_min_max(
            free.min + Vec2::new(0.0, bar::height(free, model) + theme::MARGIN),
            free.max - Vec2::new(0.0, labels::HEIGHT),
        );
        let above_note = Rect { max: below_bar.max - Vec2::new(0.0, notes::MIN_LANE), ..below_bar };
        let help = self.panels.help.then(|| if help::fits(ui, above_note) { below_bar } else { view });
        let controls = self.show_controls(ui, (view, free), (help, strength), model, commands);
        // Sliders keep their position while the controls appear and fade: moving the pointer to one makes the controls
        // appear.
        let is_large = model.lab.is_some_and(|lab| lab.is_large);
        let has_sliders = self.shown_panels(view, model).adjusting || model.lab.is_some() && !is_large;
        let above = controls.or_else(|| has_sliders.then(|| bar::place(free, model)));
        let panels_top = above.map_or(free.min.y + theme::MARGIN, |above| above.max.y + theme::MARGIN * 0.6);
        // The axis labels stand directly above the histograms.
        let bottom = match model.scopes.histograms.is_empty() {
            true if is_large => free.max.y - theme::MARGIN,
            true => free.max.y,
            false => free.max.y - labels::HEIGHT,
        };
        let panels = Rect::from_min_max(Pos2::new(free.min.x, panels_top), Pos2::new(free.max.x, bottom))
            .shrink2(Vec2::new(theme::MARGIN, 0.0));
        let divided = if model.adjusting.pair.is_some() { divider::LABELS } else { 0.0 };
        let room = Room { view, free, panels, help, divided, strength, model };
        let surroundings = self.divide(ui, &room, now, commands);
        let (placed, noted_in) = self.place_panels(ui, &room, &surroundings, commands);
        if let Some(controls) = controls {
            // Controls in use must not fade or move because the pointer rests for a while.
            let is_over = |rect: Rect| model.pointer.at.is_some_and(|pointer| rect.expand(2.0).contains(pointer));
            let is_held = is_over(controls) || is_over(placed.sliders) || self.timeline.is_dragged();
            self.visibility.hold(is_held, now);
        }
        let menus = self.show_open_menu(ui, model, commands);
        let noted = surroundings.notes.show(noted_in, &menus, surroundings.field.is_none());
        if let Some(controls) = controls {
            self.timeline.show_preview(ui.ctx(), controls, &noted, model);
        }
        if let Some(room) = help {
            // Notes on keys that the user tries while the help is open do not move it.
            let room = Rect { max: Pos2::new(room.max.x, room.max.y - surroundings.lane.max(notes::MIN_LANE)), ..room };
            self.panels.help = help::show(ui, room);
            return;
        }
        let mut taken = placed.panels;
        taken.extend(noted.into_iter().chain(surroundings.field).chain(controls));
        self.show_cards(ui, &room, placed.open, taken);
    }

    /// Shows the invitation, or the controls with everything that appears along with them. Returns the rectangle of the
    /// controls.
    fn show_controls(
        &mut self,
        ui: &mut egui::Ui,
        (view, free): (Rect, Rect),
        (help, strength): (Option<Rect>, f32),
        model: &Model<'_>,
        commands: &mut Vec<Command>,
    ) -> Option<Rect> {
        if self.persistent == Persistent::Invitation {
            empty::show(ui, view, model, commands);
            return None;
        }
        let is_covered = model.lab.is_some_and(|lab| lab.is_large);
        if strength <= 0.0 || is_covered || help == Some(view) {
            return None;
        }
        labels::show(ui, view, model, strength);
        letters::show(ui, view, model, strength, commands);
        let context = bar::Context { free, strength, pinned: self.visibility.is_pinned(), readout: self.readout };
        Some(bar::show(ui, &context, model, &mut self.timeline, commands))
    }

    /// Shows the field, lays out the notes, and divides the room among them and the panels. If the panels leave no room
    /// beside them, the field goes above them and the notes below.
    fn divide(&mut self, ui: &egui::Ui, at: &Room<'_>, now: Instant, commands: &mut Vec<Command>) -> PanelSurroundings {
        let waiting = at.model.play.waiting.lasting_text();
        self.waits = waiting.is_some();
        let room = at.panels;
        let below_names = |rect: Rect| Rect { min: Pos2::new(rect.min.x, rect.min.y + at.divided), ..rect };
        let field = self.show_entry(ui, below_names(self.between.part_of(room, entry::WIDTH)), commands);
        let needed = if field.is_some() { entry::WIDTH } else { notes::MIN_WIDTH };
        let has_room_beside = self.between.has(needed);
        let note_area = at.help.unwrap_or_else(|| self.between.part_of(room, needed));
        let notes = self.notes.laid_out(ui, note_area.width(), waiting, now);
        let below_field = field.map_or(room.min.y, |field| field.max.y + 6.0);
        let lane = notes.height_in((0.5 * note_area.height()).min(note_area.max.y - below_field), field.is_none());
        let mut panels = room;
        if !has_room_beside {
            panels.min.y = below_field;
        }
        let place = if let Some(room) = at.help {
            Rect { min: Pos2::new(room.min.x, room.max.y - lane), ..room }
        } else if has_room_beside {
            Rect { min: Pos2::new(note_area.min.x, below_field.max(note_area.min.y + at.divided)), ..note_area }
        } else {
            // A panel in the whole window keeps its height: its diagram would jump at each note.
            if at.model.lab.is_none_or(|lab| !lab.is_large) {
                panels.max.y -= lane;
            }
            Rect { min: Pos2::new(note_area.min.x, note_area.max.y - lane), ..note_area }
        };
        PanelSurroundings { field, needed, notes, place, lane, panels }
    }

    /// Shows the panels in their room, and requests another layout if they leave a different width from the one
    /// assumed. Returns the placed panels and the room for notes.
    fn place_panels(
        &mut self,
        ui: &mut egui::Ui,
        room: &Room<'_>,
        surroundings: &PanelSurroundings,
        commands: &mut Vec<Command>,
    ) -> (Placed, Rect) {
        let PanelSurroundings { field, needed, place, lane, mut panels, .. } = *surroundings;
        let is_apart = panels != room.panels;
        let beside = room.model.picture.beside;
        if let Some(pictures) = beside {
            let limit = self.covered.limit(pictures, room.model.scopes.histograms);
            panels.max.y = panels.max.y.min(limit.max(panels.min.y + MIN_HEIGHT));
        }
        // In a low window, the field and notes are shown without panels.
        let has_room = panels.height() >= MIN_HEIGHT || !is_apart;
        let placed = if has_room { self.show_panels(ui, panels, room, commands) } else { Placed::nothing(room.panels) };
        // Panels that gave up some room may become narrower or wider because of that, which is no reason to undo it.
        let is_settled = !has_room || is_apart && !placed.panels.is_empty() && !self.between.has(needed);
        let between = if is_settled { self.between } else { PanelGap::of(&placed) };
        let covered = beside.map(|pictures| {
            let open = self.shown_panels(room.view, room.model);
            self.covered.after(open, &placed, pictures)
        });
        let is_wider = covered.is_some_and(|covered| std::mem::replace(&mut self.covered, covered) != covered);
        let is_wrong = is_wider || (field.is_some() || lane > 0.0) && self.between.has(needed) != between.has(needed);
        if is_wrong || field.is_some() && self.between != between {
            ui.ctx().request_discard("panels leave another room");
            ui.ctx().request_repaint();
        }
        let noted_in = if self.between.has(needed) { between.part_of(place, 0.0) } else { place };
        self.between = between;
        (placed, noted_in)
    }

    /// Shows the cards of pixels and bins, clear of all other text: overlapping texts cannot be read. `open` is the
    /// room between the panels; `taken` lists the rectangles that already have text.
    fn show_cards(&mut self, ui: &egui::Ui, at: &Room<'_>, open: Rect, mut taken: Vec<Rect>) {
        let Room { view, free, panels: room, strength, model, .. } = *at;
        labels::show_counted(ui, view, model, strength);
        divider::show(ui, view, (open, free), model, strength);
        let named = (at.divided > 0.0).then(|| Rect::from_min_size(open.min, Vec2::new(open.width(), at.divided)));
        taken.extend(named);
        taken.retain(Rect::is_positive);
        taken.extend(labels::show_seen(ui, free, model, &taken));
        if let Some(region) = model.region {
            let room = Rect { min: Pos2::new(room.min.x, room.min.y.max(free.min.y + region::ABOVE)), ..room };
            taken.extend(region::label(ui, room, region, &taken, strength));
        }
        let labels = labels::HEIGHT;
        self.cards = readout::show(ui, (view, free), model.pointer.readouts, (labels, &taken), strength);
        taken.extend(&self.cards);
        let probe = model.pointer.probe.and_then(|probe| probe.show(ui, room, &taken, strength));
        self.cards.extend(probe);
    }

    /// Shows the menu, if it is open. Returns the rectangles of the menu and its submenus.
    fn show_open_menu(&mut self, ui: &egui::Ui, model: &Model<'_>, commands: &mut Vec<Command>) -> Vec<Rect> {
        let Some(menu) = &mut self.menu else { return Vec::new() };
        let stays = menu.show(ui, model, commands);
        let places = menu.places.clone();
        if !stays {
            self.menu = None;
        }
        places
    }

    /// Shows the field, if it is open, and handles the typed text. Returns its rectangle.
    fn show_entry(&mut self, ui: &egui::Ui, room: Rect, commands: &mut Vec<Command>) -> Option<Rect> {
        let (typed, place) = self.entry.as_mut()?.show(ui, room);
        match typed {
            Typed::On => {}
            typed => {
                self.entry = None;
                commands.extend(match typed {
                    Typed::Point(point) => Some(Command::GoTo(point)),
                    Typed::Chunk(width, height) => Some(Command::Lab(LabCommand::Chunk(Some((width, height))))),
                    Typed::Bins(bins) => Some(Command::Lab(LabCommand::Bins(bins))),
                    Typed::Length(length) => Some(Command::Lab(LabCommand::Length(length))),
                    Typed::Width(width) => Some(Command::Lab(LabCommand::Width(width))),
                    Typed::Aspect(aspect) => Some(Command::OwnMask(aspect)),
                    Typed::Name(name) => Some(Command::SavePreset(name)),
                    Typed::On | Typed::Nothing => None,
                });
            }
        }
        Some(place)
    }

    /// Returns the open panels that fit the width.
    fn shown_panels(&self, view: Rect, model: &Model<'_>) -> OpenPanels {
        // Scopes next to the picture leave the panels less than the window; and the window may have been resized since
        // the model was collected.
        let width = model.other_scopes.free.map_or(view.width(), |free| free.width().min(view.width()));
        self.panels.within(left_for_others(f64::from(width), model.lab.is_some()))
    }

    /// Shows the durations or sound meters, adjustments and facts on the left, and the statistics and legends on the right.
    fn show_panels(&mut self, ui: &mut egui::Ui, room: Rect, at: &Room<'_>, commands: &mut Vec<Command>) -> Placed {
        let model = at.model;
        let shown = self.shown_panels(at.view, model);
        let mut placed = Placed::nothing(room);
        if shown.help {
            // The help takes their room.
            return placed;
        }
        let (mut left, mut right) = (room, room);
        let mut sliders = Rect::NOTHING;
        if let Some(view) = model.lab.filter(|_| right.width() >= MIN_WIDTH) {
            let panel = lab::show(ui, right, view, commands);
            sliders = sliders.union(panel);
            right.max.x = panel.min.x - 6.0;
            placed.panels.push(panel);
            if view.is_large {
                // Notes have no room beside it.
                placed.open.max.x = right.max.x;
                return Placed { sliders, ..placed };
            }
        }
        if let Some(stats) = model.tables.stats {
            let panel = stats::show(ui, right, stats);
            // One that the user has moved needs no room at the right.
            if panel.max.x > right.max.x - 1.0 && panel.min.y < right.min.y + 1.0 {
                right.max.x = panel.min.x - 6.0;
            }
            placed.panels.push(panel);
        }
        left.max.x = right.max.x;
        if left.width() < MIN_WIDTH {
            return Placed { sliders, ..placed };
        }
        let mut keep_right_of = |panel: Rect| {
            placed.open.min.x = placed.open.min.x.max(panel.max.x + 6.0);
            placed.panels.push(panel);
        };
        // The panels below the durations or meters need room as well; without room for both, these are hidden.
        let is_above_another = shown.adjusting || model.tables.info.is_some() || model.tables.findings.is_some();
        let is_alone = !is_above_another;
        let has_room = is_alone || left.height() >= 2.0 * MIN_HEIGHT;
        let height = if is_alone { left.height() } else { left.height() / 2.0 };
        let upper = Rect { max: Pos2::new(left.max.x, left.min.y + height), ..left };
        let timing = model.tables.timing.filter(|_| has_room).map(|timing| timing::show(ui, upper, timing));
        let sound = model.tables.sound.filter(|_| has_room && left.width() >= sound_meters::MIN_WIDTH);
        let meters = sound.map(|sound| sound_meters::show(ui, upper, sound));
        if meters.as_ref().is_some_and(egui::Response::clicked) {
            commands.push(Command::Do(Action::ResetMeters));
        }
        if let Some(panel) = timing.or_else(|| meters.map(|meters| meters.rect)) {
            left.min.y = panel.max.y + 6.0;
            keep_right_of(panel);
        }
        if let Some(panel) = exposure::show(ui, left, (model, is_above_another), commands) {
            left.min.y = panel.max.y + 6.0;
            keep_right_of(panel);
            sliders = sliders.union(panel);
        }
        if let Some(panel) = marks::show(ui, left, model, is_above_another) {
            left.min.y = panel.max.y + 6.0;
            keep_right_of(panel);
        }
        if let Some(panel) = model.tables.probes.and_then(|table| probes::show(ui, left, table, is_above_another)) {
            left.min.y = panel.max.y + 6.0;
            keep_right_of(panel);
        }
        self.height_for_adjusting = left.height();
        if shown.adjusting && left.width() >= adjustments::MIN_WIDTH {
            let panel = adjustments::show(ui, left, model, commands);
            left.min.x = panel.max.x + 6.0;
            keep_right_of(panel);
            sliders = sliders.union(panel);
        }
        if let Some(lines) = model.tables.info.filter(|_| left.width() >= MIN_WIDTH) {
            keep_right_of(info::show(ui, left, lines));
        }
        if let Some(view) = model.tables.findings.filter(|_| left.width() >= MIN_WIDTH) {
            keep_right_of(findings_panel::show(ui, left, view, commands));
        }
        right.min.x = placed.open.min.x;
        if let Some(legend) = legend::show(ui, right, model) {
            right.max.x = legend.min.x - 6.0;
            placed.panels.push(legend);
        }
        if let Some(legend) = false_color::show(ui, right, model, commands) {
            right.max.x = legend.min.x - 6.0;
            placed.panels.push(legend);
        }
        placed.open.max.x = right.max.x;
        Placed { sliders, ..placed }
    }
}

/// Returns the model with nothing about the picture and no panel but the lab, which covers them.
fn without_picture<'a>(model: &Model<'a>) -> Model<'a> {
    let histograms = ScopesView { histograms: &[], counted: None, ..model.scopes };
    let picture = PictureView { seen: None, guides: &[], rings: &[], beside: None, ..model.picture };
    Model {
        picture,
        scopes: histograms,
        other_scopes: OtherScopesView::default(),
        tables: Tables::default(),
        adjusting: AdjustmentView { pair: None, ..model.adjusting },
        region: None,
        play: model.play.clone(),
        exposure: ExposureView { tint: model.exposure.tint, ..ExposureView::default() },
        pointer: PointerView { at: model.pointer.at, ..PointerView::default() },
        ..*model
    }
}

/// Frames the view, with a hint, while a file is dragged over it.
fn drop_target(ui: &egui::Ui, view: Rect, text: &str) {
    let painter = ui.ctx().layer_painter(egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop")));
    painter.rect_filled(view, 0, egui::Color32::from_black_alpha(90));
    painter.rect_stroke(view, 0, egui::Stroke::new(4.0, theme::ACCENT), egui::StrokeKind::Inside);
    theme::label(&painter, view, view.center(), egui::Align2::CENTER_CENTER, text, 18.0, theme::LIGHT);
    log::trace!("hint: {text}");
}

/// Draws on the picture and the histograms, beneath all text.
fn show_beneath(ui: &mut egui::Ui, view: Rect, model: &Model<'_>, strength: f32) {
    lab::show_on_picture(ui, model);
    let histograms: Vec<_> = model.scopes.histograms.iter().map(|panel| panel.rect).collect();
    let covered: Vec<_> = histograms.iter().copied().chain(model.other_scopes.areas.iter().map(|a| a.frame)).collect();
    for placed in model.picture.guides {
        guides::draw(&ui.ctx().layer_painter(egui::LayerId::background()), placed, &covered);
    }
    scopes::show(ui, view, model);
    if let Some(shown) = model.region {
        region::show(ui, view, shown, &histograms, strength);
    }
    marks::rings(ui, model.exposure.rings, &histograms);
    rings::draw(&ui.ctx().layer_painter(egui::LayerId::background()), model.picture.rings);
}

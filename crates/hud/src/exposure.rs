//! The small panel of zebras, marks, focus peaking and false colour: their levels, limits and table. It is shown along with
//! the controls while any of them is on.

use egui::{Align2, Rect, Sense, Ui, pos2, vec2};

use super::controls::{self, LETTERS, Places};
use super::meanings;
use super::model::{Command, Model};
use super::panels::TWO_PANELS;
use super::theme;
use histoscope_core::histogram::Components;
use histoscope_keys::{self as keys, Action, Setting};
use histoscope_render::view::exposure::{Exposure, FalseColor, FalseColorTable, Level, MarkLimits, Peaking, Unit};
use histoscope_render::view::scene::Look;

/// Width of the panel's content, in points.
const WIDTH: f32 = 350.0;
/// Width of a switch.
const SWITCH: f32 = 78.0;
/// Width of a level's name.
const NAME: f32 = 38.0;
/// Width of a level's value.
const VALUE: f32 = 46.0;
/// Width of the choice between percent and codes.
const UNIT: f32 = 78.0;
const LINE: f32 = 19.0;
const GAP: f32 = 4.0;
/// Height that another panel below needs.
const MIN_BELOW: f32 = 120.0;
/// Range of the sliders of custom limits, in percent.
const OWN_PERCENTS: (i32, i32) = (-7, 109);
/// Range of the zebra's slider, in percent.
const ZEBRA_PERCENTS: (i32, i32) = (0, 100);

/// Shows the panel at the upper left of `room`, perhaps above another one. Returns its rectangle, or `None` if nothing
/// is on, the controls are hidden or there is no room.
pub fn show(
    ui: &Ui,
    room: Rect,
    (model, is_above_another): (&Model<'_>, bool),
    commands: &mut Vec<Command>,
) -> Option<Rect> {
    let exposure = model.exposure.is_adjustable.then_some(model.look.exposure)?;
    let is_narrow = f64::from(ui.ctx().content_rect().width()) < TWO_PANELS;
    let lines = 4 + if matches!(exposure.limits, MarkLimits::Own(..)) { 2 } else { 0 };
    let height = lines as f32 * (LINE + GAP) + 14.0;
    // The panel below takes precedence.
    let below = if is_above_another { MIN_BELOW } else { 0.0 };
    let has_room = room.width() >= WIDTH + 20.0 && room.height() >= height + below;
    if !exposure.is_on() || !has_room || (is_narrow && model.tables.stats.is_some()) {
        return None;
    }
    let area = egui::Area::new(egui::Id::unique("exposure")).fade_in(false).fixed_pos(room.min);
    let shown = area.show(ui.ctx(), |ui| {
        theme::framed(10, 8).show(ui, |ui| {
            ui.set_width(WIDTH);
            ui.spacing_mut().item_spacing = vec2(0.0, GAP);
            let mut changed = exposure;
            let is_coded = model.scopes.components == Components::YCbCr;
            let mut panel = Panel { ui, is_coded, top: (1 << model.scopes.bits) - 1, commands };
            panel.zebra(&mut changed);
            panel.marks(&mut changed);
            panel.peaking(&mut changed.peaking);
            panel.false_color(&mut changed.false_color, model.exposure.tint.map(|tint| tint.table));
            if changed != exposure {
                panel.commands.push(Command::Show(Box::new(Look { exposure: changed, ..model.look })));
            }
        });
    });
    Some(shown.response.rect)
}

struct Panel<'a> {
    ui: &'a mut Ui,
    /// `true` if Y', Cb and Cr are counted as coded.
    is_coded: bool,
    /// The highest code.
    top: u32,
    commands: &'a mut Vec<Command>,
}

impl Panel<'_> {
    fn next(&mut self) -> Rect {
        self.ui.allocate_exact_size(vec2(WIDTH, LINE), Sense::hover()).0
    }

    /// Adds the switch at the start of a line. Returns the rest of the line.
    fn switch(&mut self, on: bool, name: &str, action: Action, words: &str) -> Rect {
        let line = self.next();
        let rect = Rect::from_min_size(line.min, vec2(SWITCH, LINE));
        let key = keys::label_of(action).map_or_else(String::new, |key| format!("  ({key})"));
        if controls::switch(self.ui, rect, (on, name), &format!("{words}{key}")).clicked() {
            self.commands.push(Command::Do(action));
        }
        beside(line)
    }

    fn zebra(&mut self, exposure: &mut Exposure) {
        let words = "Stripes on pixels at or above this level";
        let line = self.switch(exposure.zebra, "Zebra", Setting::Zebra.switch(), words);
        let standard = Exposure::default().level;
        self.level(line, ("from", exposure.zebra), (&mut exposure.level, standard), ZEBRA_PERCENTS);
    }

    fn peaking(&mut self, peaking: &mut Peaking) {
        let words = "Marks pixels beside which the picture changes by much, as it does in focus";
        let is_off = *peaking == Peaking::Off;
        let line = self.switch(!is_off, "Peaking", Setting::Peaking.next(), words);
        let chosen = Peaking::ALL.iter().position(|one| one == peaking).unwrap_or(0);
        if let Some(to) =
            controls::choice(self.ui, line, "sensitivity", &Peaking::ALL.map(Peaking::name), chosen, is_off)
        {
            *peaking = Peaking::ALL[to];
        }
    }

    fn marks(&mut self, exposure: &mut Exposure) {
        let words = "Marks pixels in the colours of the channels";
        let words = format!("{words}\n{}", meanings::of_marks(exposure.limits, self.is_coded));
        let line = self.switch(exposure.marks, "Marks", Setting::Marks.switch(), &words);
        let chosen = match exposure.limits {
            MarkLimits::Clipped => 0,
            MarkLimits::R103 => 1,
            MarkLimits::Own(..) => 2,
        };
        let names = ["clipped", "EBU R 103", "own"];
        let [first_low, first_high] = MarkLimits::OWN_AT_FIRST;
        let own = MarkLimits::Own(first_low, first_high);
        if let Some(to) = controls::choice(self.ui, line, "marked", &names, chosen, !exposure.marks) {
            exposure.limits = [MarkLimits::Clipped, MarkLimits::R103, own][to];
        }
        if let MarkLimits::Own(low, high) = &mut exposure.limits {
            for (name, level, standard) in [("up to", low, first_low), ("from", high, first_high)] {
                let line = beside(self.next());
                self.level(line, (name, exposure.marks), (level, standard), OWN_PERCENTS);
            }
        }
    }

    /// Adds the line of false colour. `shown` is the table on screen, which is not the chosen one if the picture has no
    /// light.
    fn false_color(&mut self, chosen: &mut FalseColor, shown: Option<FalseColorTable>) {
        let words = "Brightness of each pixel in false colour";
        let words = format!("{words}\n{}", meanings::of_false_color(chosen.table));
        let line = self.switch(chosen.shown, "False colour", Setting::FalseColor.switch(), &words);
        let tables = Rect::from_min_max(line.min, pos2(line.max.x - UNIT - 10.0, line.max.y));
        let at = FalseColorTable::ALL.iter().position(|table| *table == chosen.table).unwrap_or(0);
        if let Some(to) = controls::choice(
            self.ui,
            tables,
            "table",
            &FalseColorTable::ALL.map(FalseColorTable::name),
            at,
            !chosen.shown,
        ) {
            chosen.table = FalseColorTable::ALL[to];
        }
        let unit = Rect::from_min_max(pos2(line.max.x - UNIT, line.min.y), line.max);
        let at = usize::from(chosen.unit == Unit::Codes);
        let has_unit = shown.is_some_and(|table| table != FalseColorTable::Light);
        if let Some(to) = controls::choice(self.ui, unit, "unit of false colour", &["%", "code"], at, !has_unit) {
            chosen.unit = [Unit::Percent, Unit::Codes][to];
        }
    }

    /// Adds a level with its slider and the choice of its unit, percent or codes. `standard` is its default.
    fn level(
        &mut self,
        line: Rect,
        (name, on): (&str, bool),
        (level, standard): (&mut Level, Level),
        (least, most): (i32, i32),
    ) {
        let color = if on { theme::LIGHT } else { theme::DIM };
        let text = |place: egui::Pos2, anchor, text: &str, ui: &Ui| {
            ui.painter().text(place, anchor, text, theme::mono(LETTERS), color);
        };
        text(line.left_center(), Align2::LEFT_CENTER, name, self.ui);
        let unit = Rect::from_min_max(pos2(line.max.x - UNIT, line.min.y), line.max);
        let value = match *level {
            Level::Permille(_) => level.text(),
            Level::Code(code) => code.to_string(),
        };
        text(pos2(unit.min.x - 6.0, line.center().y), Align2::RIGHT_CENTER, &value, self.ui);
        let rail = Rect::from_min_max(pos2(line.min.x + NAME, line.min.y), pos2(unit.min.x - VALUE - 6.0, line.max.y));
        let id = format!("{name} {}", line.min.y as i32);
        let (standard, last) = match *level {
            Level::Permille(_) => (in_percent(standard, self.top), (most - least) as usize),
            Level::Code(_) => (in_codes(standard, self.top), self.top as usize),
        };
        let place = |level: Level| match level {
            Level::Permille(tenths) => (tenths / 10 - least).max(0) as usize,
            Level::Code(code) => code as usize,
        };
        let places = Places { now: place(*level), standard: place(standard), last };
        let shown = Rect::from_min_max(pos2(rail.max.x + 6.0, line.min.y), pos2(unit.min.x, line.max.y));
        if let Some(to) = controls::slider(self.ui, [rail, shown], &id, places, !on) {
            *level = match *level {
                Level::Permille(_) => Level::Permille((least + to as i32) * 10),
                Level::Code(_) => Level::Code(to as u32),
            };
        }
        let chosen = usize::from(matches!(level, Level::Code(_)));
        if let Some(to) = controls::choice(self.ui, unit, &format!("unit of {id}"), &["%", "code"], chosen, !on) {
            *level = if to == 0 { in_percent(*level, self.top) } else { in_codes(*level, self.top) };
        }
    }
}

/// Returns the rest of a line, right of its switch.
fn beside(line: Rect) -> Rect {
    Rect::from_min_max(pos2(line.min.x + SWITCH + 10.0, line.min.y), line.max)
}

/// Converts a level to the nearest whole percentage.
fn in_percent(level: Level, top: u32) -> Level {
    match level {
        Level::Code(code) => Level::Permille((f64::from(code) * 100.0 / f64::from(top)).round() as i32 * 10),
        percent @ Level::Permille(_) => percent,
    }
}

/// Converts a level to the nearest code.
fn in_codes(level: Level, top: u32) -> Level {
    match level {
        Level::Permille(tenths) => {
            Level::Code((f64::from(tenths) * f64::from(top) / 1000.0).round().clamp(0.0, top.into()) as u32)
        }
        code @ Level::Code(_) => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_keeps_its_value_when_its_unit_changes() {
        assert_eq!(in_codes(Level::Permille(950), 255), Level::Code(242));
        assert_eq!(in_percent(Level::Code(242), 255), Level::Permille(950));
        assert_eq!(in_codes(Level::Permille(-70), 1023), Level::Code(0));
        assert_eq!(in_codes(Level::Permille(1090), 1023), Level::Code(1023));
        assert_eq!(in_percent(Level::Permille(955), 255), Level::Permille(955));
    }
}

//! The legend of false colour: which colour stands for which percentages, codes or light. A click switches between
//! percentages and codes.

use egui::{Color32, CornerRadius, Mesh, Rect, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, pos2, vec2};

use super::model::{Command, Model};
use super::{meanings, theme};
use histoscope_keys::{self as keys, Setting};
use histoscope_render::view::exposure::{Exposure, FalseColor, Paint, Tint, TintMeasure, Unit, values};
use histoscope_render::view::scene::{Look, Other};

const LINE: f32 = 16.0;
const SWATCH: f32 = 12.0;
const PADDING: Vec2 = vec2(8.0, 6.0);
/// Space between a swatch and its text, and between columns.
const GAP: f32 = 8.0;
/// The most columns. A low window may have no room for a single one; five leave two lines below the title.
const MAX_COLUMNS: usize = 5;

/// A line of the legend.
#[derive(Debug, Clone, PartialEq)]
struct Entry {
    /// `None` stands for all grays.
    color: Option<Color32>,
    text: String,
}

/// Returns the lines, the brightest first. The grays of some tables come last.
fn entries(tint: &Tint, unit: Unit) -> Vec<Entry> {
    let bands = tint.table.bands();
    let text = |index| match (unit, tint.measure) {
        (Unit::Percent, _) | (_, TintMeasure::Light(_)) => values(bands, index),
        (Unit::Codes, _) => tint.codes(index),
    };
    // A display of HLG may not show the brightest light.
    let reached = bands.iter().enumerate().filter(|&(index, _)| tint.lowest[index] < i32::MAX);
    let flat = reached.rev().filter_map(|(index, band)| match band.paint {
        Paint::Flat([r, g, b], _) => Some(Entry { color: Some(Color32::from_rgb(r, g, b)), text: text(index) }),
        Paint::Gray => None,
    });
    let has_grays = bands.iter().any(|band| band.paint == Paint::Gray);
    flat.chain(has_grays.then(|| Entry { color: None, text: "else".to_owned() })).collect()
}

/// Returns the title above the values.
fn title(tint: &Tint, unit: Unit, other: Option<Other>) -> String {
    let of = match tint.measure {
        TintMeasure::Luma => "Y'",
        TintMeasure::Luminance => "luminance",
        TintMeasure::Light(_) => return "light in cd/m²".to_owned(),
    };
    match (unit, other) {
        (Unit::Percent, None) => format!("{of} in %"),
        (Unit::Percent, Some(_)) => "percent".to_owned(),
        (Unit::Codes, None) => format!("{of} codes"),
        (Unit::Codes, Some(Other::Source)) => "codes of the result".to_owned(),
        (Unit::Codes, Some(Other::Held | Other::Second)) => "codes of the live picture".to_owned(),
    }
}

/// Shows the legend at the upper right of `room`. Returns its rectangle, or `None` if false colour is off or there is
/// no room.
pub fn show(ui: &Ui, room: Rect, model: &Model<'_>, commands: &mut Vec<Command>) -> Option<Rect> {
    let tint = model.exposure.tint?;
    let chosen = model.look.exposure;
    let unit = chosen.false_color.unit;
    let layout = |text: String, color| ui.painter().layout_no_wrap(text, theme::mono(theme::SMALL + 0.5), color);
    let lines: Vec<_> =
        entries(&tint, unit).into_iter().map(|line| (line.color, layout(line.text, theme::LIGHT))).collect();
    let title = layout(title(&tint, unit, model.adjusting.other()), theme::DIM);
    let column = lines.iter().map(|(_, text)| text.size().x).fold(0.0, f32::max) + SWATCH + GAP;
    let size_of = |columns: usize| {
        let width = column * columns as f32 + GAP * (columns - 1) as f32;
        let rows = lines.len().div_ceil(columns) + 1;
        vec2(width.max(title.size().x), LINE * rows as f32) + 2.0 * PADDING
    };
    let fits = |size: Vec2| size.x <= room.width() && size.y <= room.height();
    let columns = (1..=MAX_COLUMNS).find(|&columns| fits(size_of(columns)))?;
    let rect = egui::Align2::RIGHT_TOP.anchor_size(room.right_top(), size_of(columns));
    let area = egui::Area::new(egui::Id::unique("legend of false colour")).fade_in(false).fixed_pos(rect.min);
    area.show(ui.ctx(), |ui| {
        let (rect, response) = ui.allocate_exact_size(rect.size(), Sense::click());
        theme::fill_plate(ui.painter(), rect, theme::ROUND, theme::PLATE);
        ui.painter().galley(rect.min + PADDING, title, theme::DIM);
        let rows = lines.len().div_ceil(columns);
        for (index, (color, text)) in lines.into_iter().enumerate() {
            let (across, down) = ((index / rows) as f32, (index % rows + 1) as f32);
            let left = rect.min + PADDING + vec2(across * (column + GAP), down * LINE);
            swatch(ui, Rect::from_min_size(left + vec2(0.0, (LINE - SWATCH) / 2.0), Vec2::splat(SWATCH)), color);
            let at = pos2(left.x + SWATCH + GAP, left.y + (LINE - text.size().y) / 2.0);
            ui.painter().galley(at, text, theme::LIGHT);
        }
        let is_by_light = matches!(tint.measure, TintMeasure::Light(_));
        if response.clicked() && !is_by_light {
            let unit = if unit == Unit::Percent { Unit::Codes } else { Unit::Percent };
            let false_color = FalseColor { unit, ..chosen.false_color };
            let look = Look { exposure: Exposure { false_color, ..chosen }, ..model.look };
            commands.push(Command::Show(Box::new(look)));
        }
        let other = if unit == Unit::Percent { "codes" } else { "percent" };
        let keys = [Setting::FalseColor.switch(), Setting::FalseColor.next()]
            .map(|action| keys::label_of(action).unwrap_or_default());
        let told = meanings::of_false_color(tint.table);
        let click = if is_by_light { String::new() } else { format!(", a click {other}") };
        response.on_hover_text(format!("{told}\n{} hides it, {} shows the next table{click}.", keys[0], keys[1]));
    });
    Some(rect)
}

/// Draws a swatch of a colour, or of all grays.
fn swatch(ui: &Ui, rect: Rect, color: Option<Color32>) {
    let painter = ui.painter();
    match color {
        Some(color) => drop(painter.rect_filled(rect, CornerRadius::ZERO, color)),
        None => {
            let mut mesh = Mesh::default();
            for (corner, gray) in
                [(rect.left_top(), 200), (rect.right_top(), 200), (rect.right_bottom(), 20), (rect.left_bottom(), 20)]
            {
                mesh.colored_vertex(corner, Color32::from_gray(gray));
            }
            mesh.add_triangle(0, 1, 2);
            mesh.add_triangle(0, 2, 3);
            painter.add(Shape::mesh(mesh));
        }
    }
    painter.rect_stroke(rect, CornerRadius::ZERO, Stroke::new(1.0, theme::DIM), StrokeKind::Inside);
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::histogram::LightScale;
    use histoscope_core::picture::color::{Colorimetry, Matrix, Range};
    use histoscope_core::picture::layout::PixelLayout;
    use histoscope_render::view::exposure::FalseColorTable;

    #[test]
    fn the_legend_names_every_colour_once_the_brightest_first() {
        let color = Colorimetry::tagged(Matrix::Bt709, Range::Limited);
        let tint = |table| Tint::new(table, &PixelLayout::planar_ycbcr(10, (1, 1)), &color, Some(LightScale::Pq));
        let texts = |table, unit| entries(&tint(table), unit).into_iter().map(|line| line.text).collect::<Vec<_>>();
        let percent = ["≥ 99", "97–99", "52–56", "38–42", "2.5–4", "< 2.5", "else"];
        assert_eq!(texts(FalseColorTable::Camera, Unit::Percent), percent);
        // Codes 64 to 940 span 876 codes: 2.5 % is 21.9, 4 % is 35.04, 99 % is 867.24.
        let codes = ["≥ 932", "914–931", "520–554", "397–431", "86–99", "≤ 85", "else"];
        assert_eq!(texts(FalseColorTable::Camera, Unit::Codes), codes);
        assert_eq!(texts(FalseColorTable::Steps, Unit::Percent).len(), 10);
        assert_eq!(entries(&tint(FalseColorTable::Camera), Unit::Percent).last().map(|line| line.color), Some(None));
        let titles = [Unit::Percent, Unit::Codes].map(|unit| title(&tint(FalseColorTable::Camera), unit, None));
        assert_eq!(titles, ["Y' in %", "Y' codes"]);
        let light = ["≥ 4000", "1000–4000", "203–1000", "100–203", "10–100", "1–10", "0.1–1", "< 0.1"];
        assert_eq!(texts(FalseColorTable::Light, Unit::Codes), light);
        assert_eq!(title(&tint(FalseColorTable::Light), Unit::Codes, None), "light in cd/m²");
    }
}

//! The legend of Otsu's classes: the luminance codes of each class, and how it is shown.

use egui::{Align2, Color32, Rect, Stroke, StrokeKind, Ui, Vec2, pos2, vec2};

use super::model::Model;
use super::theme;
use histoscope_core::adjust::{Adjustments, Reduction, otsu};

const LINE: f32 = 16.0;
const SWATCH: f32 = 12.0;
const PADDING: Vec2 = vec2(8.0, 6.0);
const TITLE: &str = "luminance";

/// A class: how it is shown, and its lowest and highest code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// The colour or tone.
    pub color: Color32,
    /// Lowest and highest luminance code; `None` if no code can belong to it.
    pub codes: Option<(u32, u32)>,
}

/// Returns the classes from the darkest to the brightest, if Otsu's method is on and the thresholds are known.
#[must_use]
pub fn classes(adjustments: &Adjustments, thresholds: Option<[u32; 4]>, bits: u32) -> Option<Vec<Class>> {
    let Some(Reduction::Otsu(threshold)) = adjustments.reduction else { return None };
    let thresholds = thresholds?;
    let count = threshold.classes as usize;
    let top = (1_u32 << bits) - 1;
    let begin = |class: usize| if class == 0 { Some(0) } else { thresholds.get(class - 1).copied() };
    let class = |index: usize| {
        let tone = otsu::tone(index, count, threshold.shown, 8).map(|code| code.min(255) as u8);
        let low = begin(index).filter(|&low| low <= top);
        let next = if index + 1 < count { begin(index + 1).unwrap_or(u32::MAX) } else { u32::MAX };
        let high = next.saturating_sub(1).min(top);
        let codes = low.filter(|&low| low <= high).map(|low| (low, high));
        Class { color: Color32::from_rgb(tone[0], tone[1], tone[2]), codes }
    };
    Some((0..count).map(class).collect())
}

/// Shows the legend at the upper right of `room`, the brightest class at the top. Returns its rectangle, or `None` if
/// there are no classes or no room.
pub fn show(ui: &Ui, room: Rect, model: &Model<'_>) -> Option<Rect> {
    let classes = classes(&model.look.adjustments, model.adjusting.thresholds, model.scopes.bits)?;
    let painter = ui.ctx().layer_painter(egui::LayerId::background());
    let layout = |text: String, color| painter.layout_no_wrap(text, theme::mono(theme::SMALL + 0.5), color);
    let texts: Vec<_> = classes.iter().rev().map(|class| layout(codes_text(class.codes), theme::LIGHT)).collect();
    let title = layout(TITLE.to_owned(), theme::DIM);
    let words = texts.iter().map(|text| text.size().x).fold(0.0, f32::max) + SWATCH + 8.0;
    let size = vec2(words.max(title.size().x), LINE * (classes.len() + 1) as f32) + 2.0 * PADDING;
    if size.y > room.height() || size.x > room.width() {
        return None;
    }
    let rect = Align2::RIGHT_TOP.anchor_size(room.right_top(), size);
    theme::fill_plate(&painter, rect, theme::ROUND, theme::PLATE);
    painter.galley(rect.min + PADDING, title, theme::DIM);
    for (index, (class, text)) in classes.iter().rev().zip(texts).enumerate() {
        let left = pos2(rect.min.x + PADDING.x, rect.min.y + PADDING.y + LINE * (index + 1) as f32);
        let swatch = Rect::from_min_size(left + vec2(0.0, (LINE - SWATCH) / 2.0), Vec2::splat(SWATCH));
        painter.rect(swatch, 2, class.color, Stroke::new(1.0, theme::DIM), StrokeKind::Inside);
        let at = pos2(left.x + SWATCH + 8.0, left.y + (LINE - text.size().y) / 2.0);
        painter.galley(at, text, theme::LIGHT);
    }
    Some(rect)
}

fn codes_text(codes: Option<(u32, u32)>) -> String {
    match codes {
        Some((low, high)) if low == high => low.to_string(),
        Some((low, high)) => format!("{low}–{high}"),
        None => "none".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::adjust::{ClassDisplay, Otsu};

    fn of(count: u32, thresholds: Option<[u32; 4]>, bits: u32) -> Option<Vec<Class>> {
        let threshold = Otsu { classes: count, shown: ClassDisplay::Colors };
        let adjustments = Adjustments { reduction: Some(Reduction::Otsu(threshold)), ..Adjustments::default() };
        classes(&adjustments, thresholds, bits)
    }

    fn ranges(count: u32, thresholds: [u32; 4], bits: u32) -> Vec<String> {
        of(count, Some(thresholds), bits).unwrap().iter().map(|class| codes_text(class.codes)).collect()
    }

    #[test]
    fn classes_cover_all_codes() {
        let three = [85, 170, u32::MAX, u32::MAX];
        assert_eq!(ranges(3, three, 8), ["0–84", "85–169", "170–255"]);
        assert_eq!(ranges(2, [1, 7, 9, 11], 10), ["0", "1–1023"], "of two classes there is one cut");
        let colors: Vec<_> = of(3, Some(three), 8).unwrap().iter().map(|class| class.color).collect();
        let palette = |at: usize| Color32::from_rgb(otsu::PALETTE[at][0], otsu::PALETTE[at][1], otsu::PALETTE[at][2]);
        assert_eq!(colors, [palette(0), palette(2), palette(4)]);
    }

    #[test]
    fn an_empty_class_has_no_codes() {
        assert_eq!(ranges(3, [u32::MAX; 4], 8), ["0–255", "none", "none"]);
        assert_eq!(ranges(3, [40, 40, u32::MAX, u32::MAX], 8), ["0–39", "none", "40–255"]);
    }

    #[test]
    fn there_is_no_legend_without_classes() {
        assert_eq!(of(3, None, 8), None, "the thresholds have not come");
        assert_eq!(classes(&Adjustments::default(), Some([1; 4]), 8), None);
    }
}

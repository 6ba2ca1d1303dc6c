//! The field for a time or a frame number to go to.

use egui::{Align2, Color32, Rect, RichText, Ui, pos2, vec2};

use super::theme;
use crate::text::parse_time;

/// The longest text that leads anywhere.
const MOST_LETTERS: usize = 24;
/// Width of the field with all that belongs to it, in points.
const WIDTH: f32 = 330.0;

/// What is being typed.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    /// The text so far.
    pub text: String,
    /// Why it leads nowhere, once that has been tried.
    pub wrong: Option<String>,
}

/// Where a typed text leads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// A time in seconds.
    Time(f64),
    /// A frame, the first being 0.
    Frame(u64),
}

/// Reads a whole number as a frame, with an f or without, and anything with a colon, a point or an s as a time.
///
/// # Errors
/// A sentence on what can be typed.
fn parse_goal(text: &str) -> Result<Goal, String> {
    let text = text.trim();
    let wrong =
        || format!("‘{text}’ is no time and no frame; type 1:02.5, 62.5 or 62s, or a frame number: 250 or 250f");
    // As `analyze --from` reads it, and without the f: here most of what is typed are frames.
    let bare =
        text.strip_prefix('#').or_else(|| text.strip_suffix(['f', 'F'])).or_else(|| text.strip_prefix(['f', 'F']));
    let bare = bare.map_or(text, str::trim);
    if !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit()) {
        return bare.parse().map(Goal::Frame).map_err(|_| wrong());
    }
    let time = text.strip_suffix(['s', 'S']).map_or(text, str::trim_end);
    parse_time(time).map(Goal::Time).map_err(|_| wrong())
}

impl Entry {
    /// Reads the text; where it leads nowhere, the reason is kept.
    pub fn submit(&mut self) -> Option<Goal> {
        match parse_goal(&self.text) {
            Ok(goal) => Some(goal),
            Err(reason) => {
                log::debug!("entry: {reason}");
                self.wrong = Some(reason);
                None
            }
        }
    }

    /// Takes what a key types.
    pub fn type_text(&mut self, text: &str) {
        self.wrong = None;
        let letters = text.chars().filter(|letter| !letter.is_control());
        self.text.extend(letters.take(MOST_LETTERS.saturating_sub(self.text.chars().count())));
    }

    /// Takes the last letter back.
    pub fn erase(&mut self) {
        self.wrong = None;
        self.text.pop();
    }

    /// Shows the field in the middle of `room`'s top.
    pub fn show(&self, ui: &Ui, room: Rect) {
        let area = egui::Area::new(egui::Id::unique("entry"))
            .order(egui::Order::Foreground)
            .fade_in(false)
            .interactable(false)
            .pivot(Align2::CENTER_TOP)
            .fixed_pos(room.center_top());
        area.show(ui.ctx(), |ui| {
            theme::plate().show(ui, |ui| {
                let width = (room.width() - 24.0).clamp(110.0, WIDTH);
                ui.set_width(width);
                ui.horizontal(|ui| {
                    ui.label(RichText::new("Go to").size(theme::TEXT + 1.0).color(theme::DIM));
                    self.show_field(ui, ui.available_width());
                });
                let hint = "a time, or a frame number (250, 250f) · Enter goes there · Esc closes";
                let (words, color) = self.wrong.as_deref().map_or((hint, theme::DIM), |wrong| (wrong, theme::WRONG));
                ui.add(egui::Label::new(RichText::new(words).size(theme::SMALL).color(color)).wrap());
            });
        });
    }

    fn show_field(&self, ui: &mut Ui, width: f32) {
        let (rect, _) = ui.allocate_exact_size(vec2(width, 26.0), egui::Sense::hover());
        let painter = ui.painter();
        painter.rect_filled(rect, 4, Color32::from_white_alpha(24));
        let (text, color) =
            if self.text.is_empty() { ("1:02.5 or 1500", theme::OFF) } else { (self.text.as_str(), theme::LIGHT) };
        let galley = painter.layout_no_wrap(text.to_owned(), theme::mono(theme::TEXT + 3.0), color);
        let shown = if self.text.is_empty() { 0.0 } else { galley.size().x };
        // The end of a long text is what is being typed.
        let left = rect.min.x + 7.0 - (shown - (width - 16.0)).max(0.0);
        let clipped = painter.with_clip_rect(rect);
        clipped.galley(pos2(left, rect.center().y - galley.size().y / 2.0), galley, color);
        clipped.vline(left + shown + 1.0, rect.shrink(5.0).y_range(), egui::Stroke::new(1.5, theme::ACCENT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_frames_are_told_apart() {
        assert_eq!(parse_goal(" 1:02.5 "), Ok(Goal::Time(62.5)));
        assert_eq!(parse_goal("62.5"), Ok(Goal::Time(62.5)));
        assert_eq!(parse_goal("62 s"), Ok(Goal::Time(62.0)));
        assert_eq!(parse_goal("62S"), Ok(Goal::Time(62.0)));
        assert_eq!(parse_goal("1500"), Ok(Goal::Frame(1500)));
        for text in ["250f", "250F", " 250 f ", "f250", "250"] {
            assert_eq!(parse_goal(text), Ok(Goal::Frame(250)), "{text}");
        }
        assert_eq!(parse_goal("#7"), Ok(Goal::Frame(7)));
    }

    #[test]
    fn nonsense_is_answered() {
        for text in
            ["", "abc", "-5", "1:2:3:4", "99999999999999999999999", "#", "s", "f", "-3f", "1.5f", "1f2", "1e3", "NaN"]
        {
            let message = parse_goal(text).unwrap_err();
            assert!(message.contains("is no time and no frame"), "{text}: {message}");
        }
    }

    #[test]
    fn letters_are_typed_and_erased() {
        let mut entry = Entry::default();
        for text in ["1", ":", "\u{8}", "0", "x"] {
            entry.type_text(text);
        }
        entry.erase();
        assert_eq!(entry.text, "1:0");
        entry.type_text(&"9".repeat(1000));
        assert_eq!(entry.text.len(), MOST_LETTERS);
    }
}

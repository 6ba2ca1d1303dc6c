//! The field for a time or a frame number to go to.

use egui::{Align2, Rect, RichText, Ui};

use super::theme;
use crate::cli::parse_time;

/// What is being typed.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    /// The text so far.
    pub text: String,
    /// Whether the user has finished. What was typed before is taken with the next drawing.
    pub is_finished: bool,
}

/// Where a typed text leads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// A time in seconds.
    Time(f64),
    /// A frame, the first being 0.
    Frame(u64),
}

/// Reads a whole number as a frame, and anything with a colon, a point or an s as a time.
///
/// # Errors
/// A sentence on what can be typed.
pub fn parse_goal(text: &str) -> Result<Goal, String> {
    let text = text.trim();
    let wrong = || format!("‘{text}’ is no time and no frame; type 1:02.5, 62.5, 62s or a frame number such as 1500");
    let bare = text.strip_prefix('#').unwrap_or(text);
    if !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit()) {
        return bare.parse().map(Goal::Frame).map_err(|_| wrong());
    }
    let time = text.strip_suffix('s').map_or(text, str::trim_end);
    parse_time(time).map(Goal::Time).map_err(|_| wrong())
}

impl Entry {
    /// Shows the field in the middle of `room`'s top.
    pub fn show(&mut self, ui: &Ui, room: Rect) {
        let area = egui::Area::new(egui::Id::unique("entry"))
            .order(egui::Order::Foreground)
            .fade_in(false)
            .pivot(Align2::CENTER_TOP)
            .fixed_pos(room.center_top());
        area.show(ui.ctx(), |ui| {
            theme::plate().show(ui, |ui| {
                ui.horizontal(|ui| {
                    ui.label(RichText::new("Go to").size(theme::TEXT + 1.0).color(theme::DIM));
                    let field = egui::TextEdit::singleline(&mut self.text)
                        .font(theme::mono(theme::TEXT + 3.0))
                        .desired_width(130.0_f32.min(room.width() - 100.0))
                        .hint_text("1:02.5 or 1500");
                    let response = ui.add(field);
                    if !response.has_focus() {
                        // What is typed before the field has the keyboard is not lost.
                        self.text.extend(ui.input(typed));
                        response.request_focus();
                    }
                });
                let hint = "a time, or a frame number · Enter goes there · Esc closes";
                ui.label(RichText::new(hint).size(theme::SMALL).color(theme::DIM));
            });
        });
    }
}

/// The letters among the events.
fn typed(input: &egui::InputState) -> Vec<String> {
    let text = |event: &egui::Event| match event {
        egui::Event::Text(text) => Some(text.clone()),
        _ => None,
    };
    input.events.iter().filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_frames_are_told_apart() {
        assert_eq!(parse_goal(" 1:02.5 "), Ok(Goal::Time(62.5)));
        assert_eq!(parse_goal("62.5"), Ok(Goal::Time(62.5)));
        assert_eq!(parse_goal("62 s"), Ok(Goal::Time(62.0)));
        assert_eq!(parse_goal("1500"), Ok(Goal::Frame(1500)));
        assert_eq!(parse_goal("#7"), Ok(Goal::Frame(7)));
    }

    #[test]
    fn nonsense_is_answered() {
        for text in ["", "abc", "-5", "1:2:3:4", "99999999999999999999999", "#", "s", "1e3", "NaN"] {
            let message = parse_goal(text).unwrap_err();
            assert!(message.contains("is no time and no frame"), "{text}: {message}");
        }
    }
}

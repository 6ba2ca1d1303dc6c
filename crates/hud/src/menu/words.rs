//! The texts of menu lines.

use super::super::model::Model;
use super::super::model::place_text;
use histoscope_core::adjust::Adjustment;
use histoscope_core::histogram::Components;
use histoscope_keys::look;
use histoscope_keys::{self as keys, Action, Panel, State};

/// Returns the text for an action: what it would do now.
pub fn words(action: Action, model: &Model<'_>) -> String {
    if let Some(words) = look::offer(&model.look, model.scopes.components, action) {
        return words;
    }
    let state = match action {
        Action::TogglePanel(Panel::Numbers) => model.tables.stats.is_some().into(),
        Action::TogglePanel(Panel::Sound) => model.tables.sound.is_some().into(),
        Action::TogglePanel(Panel::Checks) => model.tables.findings.is_some().into(),
        Action::ToggleLab => model.lab.is_some().into(),
        Action::NextStrip => model.file.strip_size.state(),
        Action::ToggleMute => (!model.file.sound.is_muted).into(),
        _ => State::Off,
    };
    match action {
        Action::Continue => format!("Continue at {}", place_text(model.file.left_at.unwrap_or(0.0))),
        Action::TogglePause if model.play.paused || model.play.ended => "Play".to_owned(),
        Action::TogglePause => "Pause".to_owned(),
        Action::ToggleAdjustment(kind @ (Adjustment::Lut | Adjustment::CameraLog)) => {
            let name = if kind == Adjustment::Lut { "the LUT" } else { "the camera log" };
            let verb = if kind.is_on(&model.look.adjustments) { "Stop applying" } else { "Apply" };
            format!("{verb} {name}")
        }
        Action::ToggleFullscreen if model.picture.is_full => "Leave full screen".to_owned(),
        Action::ToggleFullscreen => "Full screen".to_owned(),
        Action::ToggleComponents => match model.scopes.components {
            Components::Rgbl => "Count Y', Cb and Cr as coded".to_owned(),
            Components::YCbCr => "Count red, green, blue, luminance".to_owned(),
        },
        Action::FlipHeld if model.comparison.is_shown => "Show the video".to_owned(),
        Action::FlipHeld if model.comparison.names.is_empty() && !model.comparison.clips.is_empty() => {
            "Show the second clip".to_owned()
        }
        Action::FlipHeld => "Show the held frame".to_owned(),
        Action::ToFinding { forward } => {
            let which = if forward { "Next" } else { "Previous" };
            format!("{which} {}", model.file.sought.one())
        }
        action => keys::label(action).map_or_else(|| keys::help_of(action), |label| label.offer(&state)),
    }
}

/// Shortens a name in the middle until it fits: its end says as much as its beginning.
pub fn shortened(name: &str, fits: impl Fn(&str) -> bool) -> String {
    let letters: Vec<char> = name.chars().collect();
    let kept = |count: usize| -> String {
        let (begin, end) = (count.div_ceil(2), count / 2);
        letters[..begin].iter().chain(&['…']).chain(&letters[letters.len() - end..]).collect()
    };
    let shorter = (2..letters.len()).rev().map(kept);
    std::iter::once(name.to_owned()).chain(shorter).find(|name| fits(name)).unwrap_or_else(|| "…".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_both_its_ends() {
        let long = format!("begin{}end.mp4", "x".repeat(90));
        let fits = |name: &str| name.chars().count() <= 20;
        let short = shortened(&long, fits);
        assert_eq!(short.chars().count(), 20);
        assert!(short.starts_with("beginx") && short.ends_with("xend.mp4") && short.contains('…'), "{short}");
        assert_eq!(shortened("clip.mp4", fits), "clip.mp4");
        assert_eq!(shortened("clip.mp4", |_| false), "…");
    }
}

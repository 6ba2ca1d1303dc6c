//! What a menu's lines say.

use super::super::model::Model;
use crate::app::recent::place_text;
use crate::keys::{self, Action};
use histoscope_core::histogram::Components;
use histoscope_core::strip::Sought;
use histoscope_render::view::scene::Sharing;
use histoscope_render::view::scopes::Layout as ScopeLayout;

/// What a line says: what would come of it now.
pub fn words(action: Action, model: &Model<'_>) -> String {
    let show_or_hide = |is_shown: bool, what: &str| format!("{} {what}", if is_shown { "Hide" } else { "Show" });
    match action {
        Action::OpenFile => "Open a file …".to_owned(),
        Action::Continue => format!("Continue at {}", place_text(model.file.left_at.unwrap_or(0.0))),
        Action::TogglePause if model.play.paused || model.play.ended => "Play".to_owned(),
        Action::TogglePause => "Pause".to_owned(),
        Action::ToggleFullscreen if model.picture.is_full => "Leave full screen".to_owned(),
        Action::ToggleFullscreen => "Full screen".to_owned(),
        Action::NextFit => format!("Fit the picture otherwise (now {})", model.picture.fit.name()),
        Action::ToggleChannel(channel) => {
            let name = model.scopes.components.channel_names().get(channel).copied().unwrap_or_default();
            show_or_hide(model.scopes.channels.contains(channel), name)
        }
        Action::ToggleOverlays => show_or_hide(!model.scopes.histograms.is_empty(), "histograms"),
        Action::ToggleWaveform => show_or_hide(model.beside.style.waveform, "the waveform"),
        Action::ToggleParade => show_or_hide(model.beside.style.parade, "the parade"),
        Action::ToggleVectorscope => show_or_hide(model.beside.style.vectorscope, "the vectorscope"),
        Action::ToggleScopes => {
            let any = model.beside.style.any() || !model.scopes.histograms.is_empty();
            show_or_hide(any, "all scopes")
        }
        Action::ToggleWall if model.beside.style.layout == ScopeLayout::Wall => "Scopes over the picture".to_owned(),
        Action::ToggleWall => "Scopes beside the picture".to_owned(),
        Action::ToggleComponents => match model.scopes.components {
            Components::Rgbl => "Count Y', Cb and Cr as coded".to_owned(),
            Components::YCbCr => "Count red, green, blue, luminance".to_owned(),
        },
        Action::ToggleNumbers => show_or_hide(model.tables.stats.is_some(), "the frame's numbers"),
        Action::ToggleLab => show_or_hide(model.lab.is_some(), "the lab of counting"),
        Action::ToggleZebra => show_or_hide(model.exposure.chosen.zebra, "zebras"),
        Action::ToggleMarks => show_or_hide(model.exposure.chosen.marks, "marks of clipped pixels"),
        Action::ToggleFalseColor => show_or_hide(model.exposure.chosen.false_color.shown, "false colour"),
        Action::NextDatascope => format!("Codes in large pixels (now {})", model.picture.datascope.name()),
        Action::HoldFrame => "Hold this frame".to_owned(),
        Action::FlipHeld if model.held.is_shown => "Show the video".to_owned(),
        Action::FlipHeld if model.held.names.is_empty() && model.held.has_second => "Show the second clip".to_owned(),
        Action::FlipHeld => "Show the held frame".to_owned(),
        Action::ShiftSecond { frames } => {
            format!("Shift the second clip to a frame {}", if frames < 0 { "earlier" } else { "later" })
        }
        Action::MatchSecond => "Match the second clip".to_owned(),
        Action::ToggleDivider => match model.adjusting.sharing {
            Sharing::Alone => "A divider between both",
            Sharing::Divider(_) => "No divider",
            Sharing::SideBySide => "Not side by side",
            Sharing::Difference => "No difference",
        }
        .to_owned(),
        Action::NextSharing => match model.adjusting.sharing {
            Sharing::Alone | Sharing::Divider(_) => "Both side by side",
            Sharing::SideBySide => "Their difference",
            Sharing::Difference => "A divider between both",
        }
        .to_owned(),
        Action::StepGain { more } => format!("{} the difference", if more { "Double" } else { "Halve" }),
        Action::NextStrip => "The clip behind it: tall, off, small".to_owned(),
        Action::ToCut { forward } => format!("{} cut", if forward { "Next" } else { "Previous" }),
        Action::ToFinding { forward } => {
            let which = if forward { "Next" } else { "Previous" };
            match model.file.sought {
                Sought::All => format!("{which} finding"),
                sought => format!("{which} of the {}", sought.name()),
            }
        }
        Action::ClearRegion => "Clear the region".to_owned(),
        Action::Undo => "Undo".to_owned(),
        Action::Redo => "Redo".to_owned(),
        Action::Save => "Save a labelled picture".to_owned(),
        Action::CopyValues => "Copy the values".to_owned(),
        Action::CopyPicture => "Copy the picture".to_owned(),
        Action::ToggleHelp => "All keys".to_owned(),
        other => keys::help_of(other).to_owned(),
    }
}

/// A name without so much of its middle that it fits: its end tells as much as its beginning.
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

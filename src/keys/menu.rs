//! What the menu offers that the pointer's second button opens: the same actions as keys have.

use super::action::Action::{self, *};

/// A line of the menu.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MenuLine {
    /// Something to do.
    Does(Action),
    /// A further menu with the channels.
    Channels,
    /// A further menu with numbers of bins.
    Bins,
    /// A further menu with where the colours of overlaps come from.
    Overlaps,
    /// A further menu with the scopes beside the histograms.
    Scopes,
    /// A further menu with the clip behind the timeline: cuts, and what there is to look at.
    Clip,
    /// A further menu with the comparison and the frames that are held.
    Comparison,
    /// A further menu with the recent files.
    Recent,
    /// A further menu with the video tracks, where the file has several.
    Tracks,
    /// A line between groups.
    Rule,
}

/// The menu, from the top.
pub const MENU: &[MenuLine] = &[
    MenuLine::Does(OpenFile),
    MenuLine::Recent,
    MenuLine::Does(Continue),
    MenuLine::Rule,
    MenuLine::Does(TogglePause),
    MenuLine::Does(ToggleFullscreen),
    MenuLine::Does(NextFit),
    MenuLine::Tracks,
    MenuLine::Clip,
    MenuLine::Rule,
    MenuLine::Channels,
    MenuLine::Scopes,
    MenuLine::Bins,
    MenuLine::Overlaps,
    MenuLine::Does(ToggleOverlays),
    MenuLine::Does(ToggleComponents),
    MenuLine::Does(ToggleNumbers),
    MenuLine::Comparison,
    MenuLine::Does(ToggleLab),
    MenuLine::Does(ToggleZebra),
    MenuLine::Does(ToggleMarks),
    MenuLine::Does(ToggleFalseColor),
    MenuLine::Does(NextDatascope),
    MenuLine::Does(ClearRegion),
    MenuLine::Rule,
    MenuLine::Does(Undo),
    MenuLine::Does(Redo),
    MenuLine::Does(Save),
    MenuLine::Does(CopyValues),
    MenuLine::Does(CopyPicture),
    MenuLine::Does(ToggleHelp),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::label_of;

    #[test]
    fn every_line_has_a_key() {
        for line in MENU {
            if let MenuLine::Does(action) = line {
                assert!(label_of(*action).is_some(), "{action:?}");
            }
        }
    }
}

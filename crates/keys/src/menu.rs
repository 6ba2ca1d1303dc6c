//! The context menu, opened by a right-click. Its actions are the same as those of keys.

use super::action::Action::{self, *};
use super::action::Panel;
use super::settings::Setting;

/// A line of the menu.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MenuLine {
    /// A line that performs an action.
    Does(Action),
    /// A submenu of the channels.
    Channels,
    /// A submenu of a setting's values, with these words.
    Values(&'static str, Setting),
    /// A submenu of the scopes besides the histograms.
    Scopes,
    /// A submenu of the clip strip behind the timeline: cuts and findings.
    Clip,
    /// A submenu of the guides over the picture.
    Guides,
    /// A submenu of the presets.
    Presets,
    /// A submenu of the lookup table and camera logs.
    Luts,
    /// A submenu of the comparison and held frames.
    Comparison,
    /// A submenu of recent files.
    Recent,
    /// A submenu of the file's video tracks, if there are several.
    Tracks,
    /// A submenu of the sound: its meters, volume and tracks.
    Sound,
    /// A separator between groups.
    Rule,
}

/// The lines of the menu, from top to bottom.
pub const MENU: &[MenuLine] = &[
    MenuLine::Does(OpenFile),
    MenuLine::Recent,
    MenuLine::Does(Continue),
    MenuLine::Rule,
    MenuLine::Does(TogglePause),
    MenuLine::Does(ToggleFullscreen),
    MenuLine::Does(Setting::Fit.next()),
    MenuLine::Tracks,
    MenuLine::Sound,
    MenuLine::Clip,
    MenuLine::Rule,
    MenuLine::Channels,
    MenuLine::Scopes,
    MenuLine::Values("Bins", Setting::Bins),
    MenuLine::Values("Overlap colours", Setting::Overlaps),
    MenuLine::Does(Setting::ReferenceLines.switch()),
    MenuLine::Does(Setting::Histograms.switch()),
    MenuLine::Does(ToggleComponents),
    MenuLine::Does(TogglePanel(Panel::Numbers)),
    MenuLine::Comparison,
    MenuLine::Does(ToggleLab),
    MenuLine::Does(Setting::Zebra.switch()),
    MenuLine::Does(Setting::Marks.switch()),
    MenuLine::Does(Setting::FalseColor.switch()),
    MenuLine::Does(Setting::Peaking.next()),
    MenuLine::Guides,
    MenuLine::Does(Setting::Datascope.next()),
    MenuLine::Luts,
    MenuLine::Does(Setting::ToneMapping.next()),
    MenuLine::Presets,
    MenuLine::Does(PinProbe),
    MenuLine::Does(Setting::Probes.switch()),
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
    use crate::label_of;

    #[test]
    fn every_action_has_a_key() {
        for line in MENU {
            if let MenuLine::Does(action) = line {
                assert!(label_of(*action).is_some(), "{action:?}");
            }
        }
    }
}

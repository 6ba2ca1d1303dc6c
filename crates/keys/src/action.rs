//! The actions that keys and buttons can trigger.

use super::change::Change;
use super::settings::Setting;
use histoscope_core::adjust::{Adjustment, Parameter};
use serde::{Deserialize, Serialize};

/// A change to the playback speed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpeedChange {
    /// Multiply by a factor.
    By(f64),
    /// Return to normal speed.
    Normal,
}

/// A panel beside the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Panel {
    /// The numbers of the frame.
    Numbers,
    /// Information about the video and how it is interpreted.
    Info,
    /// The findings of a check of the file.
    Checks,
    /// The adjustments with their parameters.
    Adjusting,
    /// The times of the rendering passes.
    Timing,
    /// The sound meters.
    Sound,
}

/// A property of the video that the user may interpret otherwise than the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// The matrix.
    Matrix,
    /// The range.
    Range,
    /// The transfer function.
    Transfer,
    /// Whether chroma rows of 4:2:0 are shared by lines of the frame or of a field.
    ChromaLines,
    /// The field to show and count: top, bottom or both.
    Field,
}

/// An action triggered by a key or a button.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Play or pause.
    TogglePause,
    /// Seek by seconds.
    SeekBy {
        /// Seconds to move; negative for backwards.
        secs: f64,
        /// `true` to seek to the exact frame even while the key is held.
        exact: bool,
    },
    /// Go to the first frame.
    ToStart,
    /// Go to the last frame.
    ToEnd,
    /// Go to the position where the video was left last time.
    Continue,
    /// Step one frame.
    Step {
        /// `true` to step forward.
        forward: bool,
    },
    /// Ask for a time or a frame number to go to.
    EnterTime,
    /// Show the position in the next unit: time, frame number or timecode.
    NextReadout,
    /// Change the speed.
    Speed(SpeedChange),
    /// Loop over the whole video, or play it once.
    ToggleLoop,
    /// Decode with hardware, or in software.
    SwitchDecoder,
    /// Mark A, then B, then clear both.
    Mark,
    /// Go to the next or the previous cut.
    ToCut {
        /// `true` for the next cut.
        forward: bool,
    },
    /// Go to the next or previous finding: a black, frozen, clipped or worst frame, a flash, or a timecode break.
    ToFinding {
        /// `true` for the next finding.
        forward: bool,
    },
    /// Switch to the next or previous kind of finding.
    OtherFindings {
        /// `true` for the next kind.
        forward: bool,
    },
    /// Mute the sound, or let it be heard again.
    ToggleMute,
    /// Change the volume by a step.
    ChangeVolume {
        /// `true` for louder.
        louder: bool,
    },
    /// Play the next sound track; after the last one, none.
    NextSound,
    /// Forget the levels that the sound meters hold.
    ResetMeters,
    /// Switch the clip strip behind the timeline to the next size: small, tall or off.
    NextStrip,
    /// Change a setting of the look.
    Change(Setting, Change),
    /// Switch between counting Y', Cb and Cr as coded, and red, green, blue and luminance.
    ToggleComponents,
    /// Reset the picture's fit, zoom and position.
    ResetView,
    /// Open or close a panel.
    TogglePanel(Panel),
    /// Interpret the video with the next value of a property.
    Reinterpret(Property),
    /// Hold the frame on screen for comparison, or release it.
    HoldFrame,
    /// Show the held frame instead of the video, or the video again.
    FlipHeld,
    /// Shift the second clip by a number of frames.
    ShiftSecond {
        /// Number of frames; negative for earlier ones.
        frames: i64,
    },
    /// Find the shift at which the two clips match.
    MatchSecond,
    /// Hears the second clip instead of the first, or the first again.
    HearSecond,
    /// Open or close the lab, which shows counting methods at work on the picture.
    ToggleLab,
    /// Switch to the lab's next or previous counting method.
    StepLab {
        /// `true` for the next method.
        forward: bool,
    },
    /// Switch to the lab's next or previous topic.
    StepLabTopic {
        /// `true` for the next topic.
        forward: bool,
    },
    /// Show the lab in the whole window, in large letters, or beside the picture again.
    EnlargeLab,
    /// Pause the lab's diagram, or let it run again.
    PauseLab,
    /// Go to the next or previous step of the lab's diagram, and pause there.
    StepLabDiagram {
        /// `true` for the next step.
        forward: bool,
    },
    /// Turn an adjustment on or off.
    ToggleAdjustment(Adjustment),
    /// Change a parameter of the adjustment that was turned on last, or of the lab while it is open.
    Parameter {
        /// The parameter: the main or the second one.
        parameter: Parameter,
        /// `true` for more.
        more: bool,
    },
    /// Search for black bars and propose the region between them, or accept the proposal.
    FindBars,
    /// Accept the proposed region.
    TakeRegion,
    /// Count the next or previous row or column instead of the only one that is counted.
    MoveLine {
        /// `true` for the next one.
        forward: bool,
    },
    /// Clear the region, so that the whole picture is counted.
    ClearRegion,
    /// Open the list of presets.
    OpenPresets,
    /// Save the view with labels, and its bins.
    Save,
    /// Save the view without labels, and its bins.
    SaveBare,
    /// Copy the values under the pointer, or the frame's numbers.
    CopyValues,
    /// Copy the view as a picture.
    CopyPicture,
    /// Pin a probe under the pointer, or remove the one that is there.
    PinProbe,
    /// Undo the last change of view, channels or adjustments.
    Undo,
    /// Redo the change that was last undone.
    Redo,
    /// Choose a file to open.
    OpenFile,
    /// Choose one of the recent files.
    OpenRecent,
    /// Open the menu, or close it.
    OpenMenu,
    /// Open the next or previous file in the list.
    OtherFile {
        /// `true` for the next file.
        forward: bool,
    },
    /// Enter or leave full screen.
    ToggleFullscreen,
    /// Keep the controls on screen, or let them fade.
    TogglePinned,
    /// Show or hide the help sheet.
    ToggleHelp,
    /// Leave full screen. If not in full screen, clear or close whatever was opened, one thing at a time.
    Back,
    /// Quit.
    Quit,
}

impl Action {
    /// Returns `true` if the action repeats while its key is held. A step of the gain doubles it, so few lead to its
    /// end.
    #[must_use]
    pub fn repeats(self) -> bool {
        match self {
            Self::Change(setting, Change::Step { .. }) => setting != Setting::Gain,
            Self::SeekBy { .. }
            | Self::Step { .. }
            | Self::Speed(_)
            | Self::ChangeVolume { .. }
            | Self::Parameter { .. }
            | Self::StepLab { .. }
            | Self::StepLabTopic { .. }
            | Self::StepLabDiagram { .. }
            | Self::Undo
            | Self::Redo => true,
            _ => false,
        }
    }
}

impl Setting {
    /// Returns the action that turns the setting on or off.
    #[must_use]
    pub const fn switch(self) -> Action {
        Action::Change(self, Change::Switch)
    }

    /// Returns the action that goes to the next value.
    #[must_use]
    pub const fn next(self) -> Action {
        Action::Change(self, Change::Next)
    }

    /// Returns the action that goes one step up or down.
    #[must_use]
    pub const fn step(self, more: bool) -> Action {
        Action::Change(self, Change::Step { more })
    }
}

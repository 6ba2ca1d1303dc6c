//! What a key or a button asks for.

use histoscope_core::adjust::{Adjustment, Parameter};
use histoscope_core::scopes::graticule::Unit;
use histoscope_render::view::overlay::Overlaps;

/// How a key changes the speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpeedChange {
    /// Multiply by a factor.
    By(f64),
    /// Back to normal.
    Normal,
}

/// A request of a key, a button or the menu.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// Pause or go on.
    TogglePause,
    /// Seek by seconds; `exact` even while the key is held.
    SeekBy {
        /// Seconds, negative backwards.
        secs: f64,
        /// True if to land on the exact frame while the key is held, too.
        exact: bool,
    },
    /// Go to the first frame.
    ToStart,
    /// Go to the last frame.
    ToEnd,
    /// Go where the video was left the last time.
    Continue,
    /// Step one frame.
    Step {
        /// Forward or back.
        forward: bool,
    },
    /// Ask for a time or a frame number to go to.
    EnterTime,
    /// Tell the position by the next of time, frame number and timecode.
    NextReadout,
    /// Change the speed.
    Speed(SpeedChange),
    /// Loop over the whole video, or play it once.
    ToggleLoop,
    /// Mark A, then B, then clear both.
    Mark,
    /// Go to the next or the previous cut.
    ToCut {
        /// Next or previous.
        forward: bool,
    },
    /// Go to the next or the previous of the black, frozen, clipped and worst frames and timecode breaks that are looked for.
    ToFinding {
        /// Next or previous.
        forward: bool,
    },
    /// Look for the next kind of those, or the one before.
    OtherFindings {
        /// Next or previous.
        forward: bool,
    },
    /// Show the clip behind the timeline small, tall or not at all.
    NextStrip,
    /// Show or hide a channel: 0 red, 1 green, 2 blue, 3 luminance.
    ToggleChannel(usize),
    /// Show or hide all histograms.
    ToggleOverlays,
    /// Show or hide the waveform.
    ToggleWaveform,
    /// Show or hide the parade.
    ToggleParade,
    /// Show or hide the vectorscope.
    ToggleVectorscope,
    /// Hide all scopes, histograms too, and show them again.
    ToggleScopes,
    /// Give the scopes a part of the window of their own, or lay them over the picture.
    ToggleSplit,
    /// Count Y', Cb and Cr as coded, or red, green, blue and luminance.
    ToggleComponents,
    /// Linear or logarithmic height.
    ToggleLogarithmic,
    /// The next arrangement of the histograms.
    NextArrangement,
    /// Larger or smaller histograms.
    Enlarge {
        /// Larger or smaller.
        more: bool,
    },
    /// More or less opaque histograms.
    Opaque {
        /// More or less.
        more: bool,
    },
    /// The next way to fit the picture into the window.
    NextFit,
    /// Fit, zoom and place of the picture as at the start.
    ResetView,
    /// Stripe what is bright in the picture, or leave it.
    ToggleZebra,
    /// Mark what is clipped or out of range in the picture, or leave it.
    ToggleMarks,
    /// Stripe from a lower or a higher level on.
    StepZebra {
        /// Higher or lower.
        more: bool,
    },
    /// Mark by the next kind of limits.
    NextMarks,
    /// Show the picture in false colour, or as it is.
    ToggleFalseColor,
    /// False colour by the next table.
    NextFalseColor,
    /// Write the codes of large pixels in them in the next way.
    NextDatascope,
    /// Show or hide the numbers of the frame.
    ToggleNumbers,
    /// Hold the frame on screen to compare with, or release it.
    HoldFrame,
    /// Show the frame that is held in the place of the video, and go back.
    FlipHeld,
    /// Shift the second clip by so many of its frames.
    ShiftSecond {
        /// Frames, negative to earlier ones.
        frames: i64,
    },
    /// Look for the shift at which both clips match.
    MatchSecond,
    /// Show or hide what is known about the video and how it is read.
    ToggleInfo,
    /// Read the video with the next matrix.
    NextMatrix,
    /// Read the video with the next range.
    NextRange,
    /// Read the chroma of 4:2:0 as shared by lines of the frame or of each field.
    NextChromaLines,
    /// Show and count the next field alone, or both.
    NextField,
    /// Show or hide the passes' times.
    ToggleTiming,
    /// Open or close the lab: ways of counting, at work on the picture.
    ToggleLab,
    /// Count by the next or previous method of the lab.
    StepLab {
        /// Next or previous.
        forward: bool,
    },
    /// Have the lab be about the next or previous of what it knows.
    StepLabTopic {
        /// Next or previous.
        forward: bool,
    },
    /// Switch an adjustment on or off.
    ToggleAdjustment(Adjustment),
    /// Change a parameter of the adjustment that was switched on last, or, while the lab is open, of the lab.
    Parameter {
        /// Which of its two.
        parameter: Parameter,
        /// More or less.
        more: bool,
    },
    /// Show another picture at the other side of a divider, or the live one alone.
    ToggleDivider,
    /// Show both by the next of a divider, side by side, and as their difference.
    NextSharing,
    /// Show differences larger, or less so.
    StepGain {
        /// Twice or half as large.
        more: bool,
    },
    /// Count the next of source, result and both.
    NextCounted,
    /// Show or hide the cumulative histograms.
    ToggleCurves,
    /// Blur the picture behind the histograms, or leave it.
    ToggleBackdrop,
    /// Draw the luminance of linear light over that of the codes, or leave it away.
    ToggleLinear,
    /// Draw so many bins of a channel; `None` for one for each code.
    SetBins(Option<u32>),
    /// Colour overlaps in this way.
    SetOverlaps(Overlaps),
    /// Label the levels of scopes in this unit.
    SetUnit(Unit),
    /// Enlarge the middle of the vectorscope so many times.
    SetZoom(u32),
    /// Draw the vectorscope's trace in white, or in the hues that it stands for.
    ToggleWhite,
    /// Show or hide the skin-tone line of the vectorscope.
    ToggleSkinTone,
    /// Show or hide the adjustments with their parameters.
    ToggleAdjusting,
    /// Look for black bars and propose what lies between them as the region that is counted; take it where it is proposed.
    FindBars,
    /// Take the region that is proposed.
    TakeRegion,
    /// Count all of the picture again.
    ClearRegion,
    /// Save the view with labels, and the bins.
    Save,
    /// Save the bare view and the bins.
    SaveBare,
    /// Copy the values under the pointer, or the frame's numbers.
    CopyValues,
    /// Copy the view as a picture.
    CopyPicture,
    /// Take back the last change of view, channels or adjustments.
    Undo,
    /// Make the last one that was taken back again.
    Redo,
    /// Choose a file to open.
    OpenFile,
    /// Choose one of the files that were opened before.
    OpenRecent,
    /// Open the next or previous file of the list.
    OtherFile {
        /// Next or previous.
        forward: bool,
    },
    /// Enter or leave full screen.
    ToggleFullscreen,
    /// Keep the controls on screen, or let them fade.
    TogglePinned,
    /// Show or hide the keys.
    ToggleHelp,
    /// Leave full screen, else close what is open, else clear the selection; where there is nothing of that, leave the
    /// program.
    Back,
    /// Leave the program.
    Quit,
}

impl Action {
    /// Returns whether the action is repeated while its key is held.
    #[must_use]
    pub const fn repeats(self) -> bool {
        matches!(
            self,
            Self::SeekBy { .. }
                | Self::Step { .. }
                | Self::Speed(_)
                | Self::Enlarge { .. }
                | Self::Opaque { .. }
                | Self::Parameter { .. }
                | Self::StepLab { .. }
                | Self::StepLabTopic { .. }
                | Self::StepZebra { .. }
                | Self::Undo
                | Self::Redo
        )
    }
}

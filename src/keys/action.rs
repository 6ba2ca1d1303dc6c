//! The actions of keys and buttons.

use histoscope_core::adjust::{Adjustment, Parameter};
use histoscope_core::scopes::graticule::Unit;
use histoscope_render::view::overlay::Overlaps;

/// A change of the playback speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpeedChange {
    /// Multiply by a factor.
    By(f64),
    /// Back to normal.
    Normal,
}

/// The action of a key or a button.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// Play or pause.
    TogglePause,
    /// Seek by seconds.
    SeekBy {
        /// Seconds, negative backwards.
        secs: f64,
        /// True to seek to the exact frame even while the key is held.
        exact: bool,
    },
    /// Go to the first frame.
    ToStart,
    /// Go to the last frame.
    ToEnd,
    /// Go to where the video was left last time.
    Continue,
    /// Step one frame.
    Step {
        /// True for forward.
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
    /// Mark A, then B, then clear both.
    Mark,
    /// Go to the next or the previous cut.
    ToCut {
        /// True for the next cut.
        forward: bool,
    },
    /// Go to the next or previous finding: a black, frozen, clipped or worst frame, or a timecode break.
    ToFinding {
        /// True for the next finding.
        forward: bool,
    },
    /// Look for the next or previous kind of finding.
    OtherFindings {
        /// True for the next kind.
        forward: bool,
    },
    /// Show the clip behind the timeline at the next size: small, tall or off.
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
    /// Hide all scopes, including the histograms, or show them again.
    ToggleScopes,
    /// Show the scopes beside the picture, or over it.
    ToggleSplit,
    /// Count Y', Cb and Cr as coded, or red, green, blue and luminance.
    ToggleComponents,
    /// Switch between linear and logarithmic height.
    ToggleLogarithmic,
    /// Switch to the next arrangement of the histograms.
    NextArrangement,
    /// Make the histograms larger or smaller.
    Enlarge {
        /// True for larger.
        more: bool,
    },
    /// Make the histograms more or less opaque.
    Opaque {
        /// True for more.
        more: bool,
    },
    /// Fit the picture into the window in the next way.
    NextFit,
    /// Reset fit, zoom and position of the picture.
    ResetView,
    /// Switch the zebra on bright parts of the picture on or off.
    ToggleZebra,
    /// Switch the marks on clipped or out-of-range pixels on or off.
    ToggleMarks,
    /// Raise or lower the level of the zebra.
    StepZebra {
        /// True for higher.
        more: bool,
    },
    /// Mark by the next kind of limits.
    NextMarks,
    /// Switch false colour on or off.
    ToggleFalseColor,
    /// Use the next table of false colours.
    NextFalseColor,
    /// Write the codes into large pixels in the next format.
    NextDatascope,
    /// Show or hide the numbers of the frame.
    ToggleNumbers,
    /// Hold the frame on screen for comparison, or release it.
    HoldFrame,
    /// Show the held frame instead of the video, or the video again.
    FlipHeld,
    /// Shift the second clip by a number of frames.
    ShiftSecond {
        /// The number of frames, negative for earlier ones.
        frames: i64,
    },
    /// Find the shift at which both clips match.
    MatchSecond,
    /// Show or hide information on the video and how it is read.
    ToggleInfo,
    /// Read the video with the next matrix.
    NextMatrix,
    /// Read the video with the next range.
    NextRange,
    /// Change whether chroma rows of 4:2:0 are shared by lines of the frame or of a field.
    NextChromaLines,
    /// Show and count the next single field, or both.
    NextField,
    /// Show or hide the times of the passes.
    ToggleTiming,
    /// Open or close the lab: methods of counting at work on the picture.
    ToggleLab,
    /// Count by the next or previous method of the lab.
    StepLab {
        /// True for the next method.
        forward: bool,
    },
    /// Switch to the next or previous topic of the lab.
    StepLabTopic {
        /// True for the next topic.
        forward: bool,
    },
    /// Switch an adjustment on or off.
    ToggleAdjustment(Adjustment),
    /// Change a parameter of the adjustment that was switched on last, or of the lab while it is open.
    Parameter {
        /// The first or second parameter.
        parameter: Parameter,
        /// True for more.
        more: bool,
    },
    /// Show a second picture beyond a divider, or only the live one.
    ToggleDivider,
    /// Show both pictures in the next way: divider, side by side, difference.
    NextSharing,
    /// Make differences look larger or smaller.
    StepGain {
        /// True for twice as large, false for half as large.
        more: bool,
    },
    /// Switch to counting the source, the result or both.
    NextCounted,
    /// Show or hide the cumulative histograms.
    ToggleCurves,
    /// Blur the picture behind the histograms, or stop.
    ToggleBackdrop,
    /// Show or hide the luminance of linear light over the luminance of the codes.
    ToggleLinear,
    /// Draw this many bins per channel; `None` for one per code.
    SetBins(Option<u32>),
    /// Colour overlaps in this way.
    SetOverlaps(Overlaps),
    /// Label the levels of scopes in this unit.
    SetUnit(Unit),
    /// Enlarge the middle of the vectorscope by this factor.
    SetZoom(u32),
    /// Draw the vectorscope's trace in white, or in its hues.
    ToggleWhite,
    /// Show or hide the skin-tone line of the vectorscope.
    ToggleSkinTone,
    /// Show or hide the adjustments with their parameters.
    ToggleAdjusting,
    /// Look for black bars and propose the region between them, or accept the proposal.
    FindBars,
    /// Accept the proposed region.
    TakeRegion,
    /// Clear the region, so that the whole picture is counted.
    ClearRegion,
    /// Save the view with labels, and the bins.
    Save,
    /// Save the bare view and the bins.
    SaveBare,
    /// Copy the values under the pointer, or the frame's numbers.
    CopyValues,
    /// Copy the view as a picture.
    CopyPicture,
    /// Undo the last change of view, channels or adjustments.
    Undo,
    /// Redo the change that was undone last.
    Redo,
    /// Choose a file to open.
    OpenFile,
    /// Choose one of the recent files.
    OpenRecent,
    /// Open the next or previous file of the list.
    OtherFile {
        /// True for the next file.
        forward: bool,
    },
    /// Enter or leave full screen.
    ToggleFullscreen,
    /// Keep the controls on screen, or let them fade.
    TogglePinned,
    /// Show or hide the help sheet.
    ToggleHelp,
    /// Leave full screen. If not in full screen, close what is open; else clear the selection; else quit.
    Back,
    /// Quit.
    Quit,
}

impl Action {
    /// True if the action repeats while its key is held.
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

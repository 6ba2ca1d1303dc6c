//! The actions that keys and buttons can trigger.

use histoscope_core::adjust::{Adjustment, Parameter};
use histoscope_core::scopes::Diagram;
use histoscope_core::scopes::graticule::Unit;
use histoscope_render::view::overlay::Overlaps;

/// A change to the playback speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpeedChange {
    /// Multiply by a factor.
    By(f64),
    /// Return to normal speed.
    Normal,
}

/// An action triggered by a key or a button.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// Switch the clip strip behind the timeline to the next size: small, tall or off.
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
    /// Show the scopes next to the picture, or over it.
    ToggleSplit,
    /// Switch between counting Y', Cb and Cr as coded, and red, green, blue and luminance.
    ToggleComponents,
    /// Switch to the next scale of the bars' heights.
    NextScale,
    /// Switch to the next arrangement of the histograms.
    NextArrangement,
    /// Make the histograms larger or smaller.
    Enlarge {
        /// `true` for larger.
        more: bool,
    },
    /// Make the histograms more or less opaque.
    Opaque {
        /// `true` for more opaque.
        more: bool,
    },
    /// Switch to the next way of fitting the picture into the window.
    NextFit,
    /// Reset the picture's fit, zoom and position.
    ResetView,
    /// Turn the zebra on bright parts of the picture on or off.
    ToggleZebra,
    /// Turn the marks on clipped or out-of-range pixels on or off.
    ToggleMarks,
    /// Raise or lower the level of the zebra.
    StepZebra {
        /// `true` for higher.
        more: bool,
    },
    /// Switch the marks to the next kind of limits.
    NextMarks,
    /// Turn false colour on or off.
    ToggleFalseColor,
    /// Switch to the next table of false colours.
    NextFalseColor,
    /// Switch to the next format for codes written into large pixels.
    NextDatascope,
    /// Switch to the next way of showing PQ and HLG.
    NextToneMapping,
    /// Brighten or darken the picture's own colours.
    StepExposure {
        /// `true` for brighter.
        more: bool,
    },
    /// Show or hide the numbers of the frame.
    ToggleNumbers,
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
    /// Show or hide information about the video and how it is interpreted.
    ToggleInfo,
    /// Show or hide the findings of a check of the file.
    ToggleChecks,
    /// Interpret the video with the next matrix.
    NextMatrix,
    /// Interpret the video with the next range.
    NextRange,
    /// Interpret the video with the next transfer function.
    NextTransfer,
    /// Toggle whether chroma rows of 4:2:0 are shared by lines of the frame or of a field.
    NextChromaLines,
    /// Switch to the next choice of field to show and count: top, bottom or both.
    NextField,
    /// Show or hide the times of the rendering passes.
    ToggleTiming,
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
    /// Show a second picture on one side of a divider, or only the live one.
    ToggleDivider,
    /// Switch to the next way of showing both pictures: divider, side by side, difference.
    NextSharing,
    /// Amplify differences more or less.
    StepGain {
        /// `true` to double the gain, `false` to halve it.
        more: bool,
    },
    /// Switch to counting the source, the result or both.
    NextCounted,
    /// Show or hide the cumulative histograms.
    ToggleCurves,
    /// Turn blurring of the picture behind the histograms on or off.
    ToggleBackdrop,
    /// Show or hide linear-light luminance over the luminance of the codes.
    ToggleLinear,
    /// Draw this many bins per channel; `None` for one per code.
    SetBins(Option<u32>),
    /// Select how overlapping bars are coloured.
    SetOverlaps(Overlaps),
    /// Select the unit of the scopes' level labels.
    SetUnit(Unit),
    /// Enlarge the middle of the vectorscope by this factor.
    SetZoom(u32),
    /// Enlarge the middle of the vectorscope by the next factor.
    NextZoom,
    /// Select what the vectorscope counts.
    SetDiagram(Diagram),
    /// Let the vectorscope count the next of Cb and Cr, and the chromaticities.
    NextDiagram,
    /// Toggle the vectorscope's trace between white and hues.
    ToggleWhite,
    /// Show or hide the vectorscope's skin-tone line.
    ToggleSkinTone,
    /// Show or hide the panel of adjustments with their parameters.
    ToggleAdjusting,
    /// Search for black bars and propose the region between them, or accept the proposal.
    FindBars,
    /// Accept the proposed region.
    TakeRegion,
    /// Clear the region, so that the whole picture is counted.
    ClearRegion,
    /// Save the view with labels, and its bins.
    Save,
    /// Save the view without labels, and its bins.
    SaveBare,
    /// Copy the values under the pointer, or the frame's numbers.
    CopyValues,
    /// Copy the view as a picture.
    CopyPicture,
    /// Undo the last change of view, channels or adjustments.
    Undo,
    /// Redo the change that was last undone.
    Redo,
    /// Choose a file to open.
    OpenFile,
    /// Choose one of the recent files.
    OpenRecent,
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
    /// Returns `true` if the action repeats while its key is held.
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
                | Self::StepLabDiagram { .. }
                | Self::StepZebra { .. }
                | Self::StepExposure { .. }
                | Self::Undo
                | Self::Redo
        )
    }
}

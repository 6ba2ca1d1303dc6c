//! Arguments that show the exposure in the picture, shared by the window and `snapshot`.

use clap::Args;
use histoscope::exposing::{ExposureChoice, FalseColorTable, Level, MarkLimits};

/// The exposure aids.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Exposure")]
pub struct ExposureArgs {
    /// Zebra: stripe pixels at or above LEVEL, in percent (95) or as a code at the video's depth (243c)
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    zebra: Option<Level>,

    /// Mark pixels that are clipped or out of range (the default), outside EBU R 103 (r103), or beyond two levels
    /// (2%,98%)
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "clipped")]
    clip_marks: Option<MarkLimits>,

    /// Show brightness in false colour: with the colours of cameras (camera, the default) or in ten equal steps (steps)
    #[arg(
        long,
        visible_alias = "false-color",
        value_name = "TABLE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "camera"
    )]
    false_colour: Option<FalseColorTable>,
}

impl ExposureArgs {
    /// Returns the chosen exposure aids.
    pub const fn choice(&self) -> ExposureChoice {
        ExposureChoice { zebra: self.zebra, marks: self.clip_marks, false_color: self.false_colour }
    }
}

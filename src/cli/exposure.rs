//! Arguments that have the picture tell of its exposure: for the window and `snapshot` alike.

use clap::Args;
use histoscope::exposing::{ExposureChoice, FalseColorTable, Level, MarkLimits};

/// What the picture shows of its exposure.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Exposure")]
pub struct ExposureArgs {
    /// Stripe what is as bright as LEVEL or brighter: percent (95), or a code at the video's depth (243c)
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    zebra: Option<Level>,

    /// Mark what is clipped or out of range (the default), outside EBU R 103 (r103), or beyond two levels (2%,98%)
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "clipped")]
    clip_marks: Option<MarkLimits>,

    /// Show how bright each pixel is in false colour: as cameras have it (camera, the default), or in ten equal steps (steps)
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
    /// What is asked for.
    pub const fn choice(&self) -> ExposureChoice {
        ExposureChoice { zebra: self.zebra, marks: self.clip_marks, false_color: self.false_colour }
    }
}

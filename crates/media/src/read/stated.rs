//! What a stream states for all of its frames, and where a frame lies in it.

use std::time::SystemTime;

use crate::read::tags::TagNumbers;
use histoscope_core::picture::crop::Crop;
use histoscope_core::picture::stated_light::StatedLight;
use histoscope_core::picture::{Orientation, Ratio, Timecode};

/// The container's defaults for all frames; a frame may state its own.
#[derive(Clone)]
pub(crate) struct StreamDefaults {
    /// Colour tags.
    pub(crate) tags: TagNumbers,
    /// `true` if they take precedence over the frames' (ISO/IEC 14496-12, 12.1.5).
    pub(crate) overrides_tags: bool,
    /// Width of a pixel divided by its height. Takes precedence over the frames' value: flagging a file again without
    /// re-encoding it changes only this one.
    pub(crate) sample_aspect: Option<Ratio>,
    /// The same ratio from the codec's header, for frames that state none.
    pub(crate) coded_sample_aspect: Option<Ratio>,
    /// Orientation of the whole stream. Takes precedence over the frames'.
    pub(crate) orientation: Option<Orientation>,
    /// `true` if each picture flagged as interlaced is a single field, as in HEVC.
    pub(crate) codes_fields: bool,
    /// `true` if the headers state the scan type.
    pub(crate) states_scan: bool,
    /// The container's cropping, applied after the codec's.
    pub(crate) crop: Crop,
    /// `true` if the container states that the pictures are Dolby Vision's IPT-C2.
    pub(crate) is_dolby_ipt: bool,
    /// What the container states about the light of the whole stream.
    pub(crate) stated_light: StatedLight,
}

/// The position of a frame in time and number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FramePosition {
    pub(crate) pts_ticks: i64,
    /// Seconds per tick.
    pub(crate) time_base: Ratio,
    pub(crate) time_secs: f64,
    pub(crate) duration_secs: f64,
    pub(crate) index: Option<u64>,
    pub(crate) timecode: Option<Timecode>,
    /// Arrival time of the data, for a live frame.
    pub(crate) arrival: Option<SystemTime>,
}

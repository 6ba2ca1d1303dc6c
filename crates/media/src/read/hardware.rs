//! The choice of a hardware decoder.

use std::path::PathBuf;
use std::str::FromStr;

use crate::av::{Accelerator, DeviceMemory, HardwareKind};
use histoscope_core::picture::{Frame, FrameFacts};

/// The choice of what decodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HardwareChoice {
    /// Hardware that has been checked on this machine: it gives the same frames as software, and faster.
    Auto,
    /// Software.
    #[default]
    No,
    /// Hardware of this kind, as far as it can decode the stream.
    Named(HardwareKind),
    /// Hardware made for a test.
    #[cfg(test)]
    Made(crate::av::made::MadeHardware),
    /// Hardware made for a test, if its check is passed.
    #[cfg(test)]
    AutoMade(crate::av::made::MadeHardware),
}

impl HardwareChoice {
    /// Returns the choice of exactly this hardware.
    pub(crate) const fn of(accelerator: Accelerator) -> Self {
        match accelerator {
            Accelerator::Device(device) => Self::Named(device.kind),
            #[cfg(test)]
            Accelerator::Made(made) => Self::Made(made),
        }
    }
}

/// The names of all choices, for messages.
pub const HARDWARE_NAMES: &str = "auto, no, vulkan, cuda (or nvdec), vaapi, videotoolbox, d3d11va";

impl FromStr for HardwareChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => return Ok(Self::Auto),
            "no" => return Ok(Self::No),
            // mpv's name for the same decoder.
            "nvdec" => return Ok(Self::Named(HardwareKind::Cuda)),
            _ => {}
        }
        let named = HardwareKind::ALL.into_iter().find(|kind| kind.name() == text);
        named.map(Self::Named).ok_or_else(|| format!("no such hardware decoder; choose one of {HARDWARE_NAMES}"))
    }
}

/// Options for decoding with hardware.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HardwareOptions {
    /// What decodes.
    pub choice: HardwareChoice,
    /// `true` to decode every frame in software too, and to fail at the first that differs.
    pub verify: bool,
    /// File that keeps the results of checks; without it, each run checks again.
    pub checks: Option<PathBuf>,
    /// The memory of the graphics device that counts and draws, for decoders that can write to it.
    pub memory: Option<DeviceMemory>,
}

/// Returns in what a frame that hardware has decoded differs from the expected one, if it does. Frames that are called
/// damaged may differ in their pictures.
pub(crate) fn difference(expected: &Frame, found: &Frame) -> Option<&'static str> {
    let comparable = |frame: &Frame| FrameFacts { index: None, arrival: None, ..frame.facts.clone() };
    let is_damaged = expected.damaged || found.damaged;
    if comparable(expected) != comparable(found) {
        Some("its time, tags or flags")
    } else if !is_damaged && !found.picture.has_codes_of(&expected.picture) {
        Some("its picture")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_have_mpv_s_names() {
        let parsed = |text: &str| HardwareChoice::from_str(text).ok();
        assert_eq!(parsed("auto"), Some(HardwareChoice::Auto));
        assert_eq!(parsed("no"), Some(HardwareChoice::No));
        assert_eq!([parsed("cuda"), parsed("nvdec")], [Some(HardwareChoice::Named(HardwareKind::Cuda)); 2]);
        assert!(HardwareKind::ALL.iter().all(|kind| parsed(kind.name()) == Some(HardwareChoice::Named(*kind))));
        assert!(HardwareKind::ALL.iter().all(|kind| HARDWARE_NAMES.contains(kind.name())));
        assert!(["", "CUDA", "opencl", "yes"].iter().all(|text| parsed(text).is_none()));
    }
}

//! What HDR is delivered with: its tags, the light that it states beside the light that it has, and its colours.

use super::stretches::Beyond;
use crate::analyze::light::LightSummary;
use crate::analyze::pipeline::CountedFrame;
use crate::analyze::stated_light::LightVerdict;
use crate::check::finding::{Quantity, Span};
use crate::check::row::{Check, CountedFile, Finder, Found, Threshold, no_limit};
use crate::fields::FrameDescription;

/// What is expected of a video: SDR, or HDR10 or HLG as they are delivered.
pub static DYNAMIC_RANGE: Check = Check {
    name: "dynamic-range",
    place: 14,
    threshold: Some(Threshold::one_of(&["sdr", "hdr10", "hlg"])),
    has_length: false,
    limit: no_limit,
    start: |rule| Box::new(Expected(if rule.threshold >= 1.0 { Some(Hdr::of(rule.threshold)) } else { None })),
};
/// MaxCLL, MaxFALL and the mastering display that a video of PQ states, against its light.
pub static LIGHT: Check = Check {
    name: "light",
    place: 15,
    threshold: None,
    has_length: false,
    limit: no_limit,
    start: |_| Box::new(Stated::default()),
};
/// Light beyond the peak of the mastering display.
pub static MASTERING: Check = Check::of_share("mastering", 16, |rule| {
    Box::new(Beyond::new(rule.share(), "brighter than the mastering display", above_mastering))
});
/// Colours beyond P3-D65.
pub static GAMUT: Check =
    Check::of_share("gamut", 17, |rule| Box::new(Beyond::new(rule.share(), "outside P3-D65", outside_p3)));

/// A kind of HDR as it is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hdr {
    Hdr10,
    Hlg,
}

impl Hdr {
    fn of(word: f64) -> Self {
        if word < 2.0 { Self::Hdr10 } else { Self::Hlg }
    }

    /// Returns its name, and the name of its transfer function for people and in FFmpeg.
    const fn names(self) -> [&'static str; 3] {
        match self {
            Self::Hdr10 => ["HDR10", "PQ", "smpte2084"],
            Self::Hlg => ["HLG", "HLG", "arib-std-b67"],
        }
    }
}

struct Expected(Option<Hdr>);

impl Finder for Expected {
    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        let FrameDescription { facts, .. } = &file.counted.first;
        let (transfer, primaries) = (facts.source.transfer, facts.source.primaries);
        let found = match self.0 {
            None => {
                let hdr = [Hdr::Hdr10, Hdr::Hlg].map(Hdr::names).into_iter().find(|names| transfer == Some(names[2]));
                hdr.map(|[_, name, _]| vec![format!("tagged as {name}, SDR is expected")]).unwrap_or_default()
            }
            Some(hdr) => unlike(hdr, transfer, primaries, file.counted.clip.bits),
        };
        found.into_iter().map(Found::in_file).collect()
    }
}

/// Returns what is unlike a kind of HDR as it is delivered.
fn unlike(hdr: Hdr, transfer: Option<&str>, primaries: Option<&str>, bits: u32) -> Vec<String> {
    let [name, curve, tag] = hdr.names();
    let mut found = Vec::new();
    match transfer {
        Some(transfer) if transfer == tag => {}
        Some(other) => found.push(format!("the transfer is {other}, {curve} is expected of {name}")),
        None => found.push(format!("the transfer is not tagged, {curve} is expected of {name}")),
    }
    match primaries {
        Some("bt2020") => {}
        Some(other) => found.push(format!("the primaries are {other}, BT.2020 is expected of {name}")),
        None => found.push(format!("the primaries are not tagged, BT.2020 is expected of {name}")),
    }
    if bits < 10 {
        found.push(format!("{bits} bits, at least 10 are expected of {name}"));
    }
    found
}

#[derive(Default)]
struct Stated {
    measured: LightSummary,
}

impl Finder for Stated {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        self.measured.add_frame(here.frame, frame.counts.light.as_ref());
    }

    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        // What HLG and SDR are shown with is not a matter of the file.
        if file.counted.first.facts.source.transfer != Some(Hdr::Hdr10.names()[2]) {
            return Vec::new();
        }
        let stated = file.counted.info.stated_light;
        let content = stated.content;
        let levels = [
            ("MaxCLL", content.map(|level| level.max_cll), self.measured.max_cll),
            ("MaxFALL", content.map(|level| level.max_fall), self.measured.max_fall),
        ];
        let unlike = levels.into_iter().filter_map(|(name, stated, measured)| {
            let what = match LightVerdict::of(stated, measured) {
                LightVerdict::Agrees => return None,
                LightVerdict::Absent => format!("no {name} is stated"),
                LightVerdict::TooLow | LightVerdict::TooHigh => {
                    format!("{name} is stated as {} cd/m²", stated.unwrap_or(0))
                }
            };
            let value = Quantity::of(measured, "cd/m²", format!("{measured:.1} cd/m² measured"));
            Some(Found { value, ..Found::in_file(what) })
        });
        let display = stated.mastering.is_none().then(|| Found::in_file("no mastering display is stated".to_owned()));
        unlike.chain(display).collect()
    }
}

fn above_mastering(frame: &CountedFrame) -> Option<f64> {
    let light = frame.counts.light.as_ref()?;
    Some(light.above_mastering? as f64 / light.pixels as f64)
}

fn outside_p3(frame: &CountedFrame) -> Option<f64> {
    let light = frame.counts.light.as_ref()?;
    Some(light.outside?[0] as f64 / light.pixels as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_of_hdr_is_said() {
        let of = |hdr, transfer, primaries, bits| unlike(hdr, transfer, primaries, bits).join("; ");
        assert_eq!(of(Hdr::Hdr10, Some("smpte2084"), Some("bt2020"), 10), "");
        assert_eq!(of(Hdr::Hlg, Some("arib-std-b67"), Some("bt2020"), 12), "");
        assert_eq!(
            of(Hdr::Hdr10, None, None, 8),
            "the transfer is not tagged, PQ is expected of HDR10; the primaries are not tagged, BT.2020 is expected of \
             HDR10; 8 bits, at least 10 are expected of HDR10"
        );
        assert_eq!(
            of(Hdr::Hlg, Some("smpte2084"), Some("bt2020"), 10),
            "the transfer is smpte2084, HLG is expected of HLG"
        );
    }
}

//! Aids shown in the picture: zebras over bright areas, marks on clipped or out-of-range pixels, false colour, and focus
//! peaking.
//!
//! [`Inspection::inspect`] is the definition: it decides from a pixel's codes whether the pixel is striped and which
//! channels are marked, in integer arithmetic. [`Inspection::painted`] defines their appearance. The picture's shader
//! and the CPU's painter do the same.

mod false_color;
mod inspection;
mod level;
mod peaking;

use serde::{Deserialize, Serialize};

pub use false_color::{FalseColor, FalseColorTable, MAX_BANDS, Paint, Tint, TintMeasure, Unit, values};
use histoscope_core::histogram::limits::Limits;
use histoscope_core::histogram::{Components, LightScale};
use histoscope_core::picture::color::{Colorimetry, Conversion, Range};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};
pub use inspection::{Inspection, MARK_LIGHTS, Marks, PixelMarks, mark_colors, stripe_pixels};
use level::nominal;
pub use level::{Level, MarkLimits};
pub use peaking::{PEAKING_COLOR, Peaking, contrast};

/// Settings of the exposure aids. All of them persist between runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Exposure {
    /// `true` if zebras are shown.
    pub zebra: bool,
    /// The level from which zebras are shown.
    pub level: Level,
    /// `true` if marks are shown.
    pub marks: bool,
    /// The values that are marked.
    pub limits: MarkLimits,
    /// The settings of false colour.
    pub false_color: FalseColor,
    /// The sensitivity of focus peaking.
    pub peaking: Peaking,
}

impl Default for Exposure {
    fn default() -> Self {
        Self {
            zebra: false,
            level: Level::Permille(950),
            marks: false,
            limits: MarkLimits::default(),
            false_color: FalseColor::default(),
            peaking: Peaking::Off,
        }
    }
}

impl Exposure {
    /// Returns `true` if anything is shown.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.zebra || self.marks || self.false_color.shown || self.peaking != Peaking::Off
    }

    /// Describes what is shown on a picture with this light, or returns `None` if nothing is.
    #[must_use]
    pub fn description(&self, light: Option<LightScale>) -> Option<String> {
        let zebra = self.zebra.then(|| format!("zebras from {}", self.level.text()));
        let marks = self.marks.then(|| format!("marked: {} (high solid, low chequered)", self.limits.text()));
        let tint = self.false_color.shown.then(|| self.false_color.table.for_light(light).description());
        let tint = tint.map(|table| format!("false colour: {table}"));
        let peaking = (self.peaking != Peaking::Off).then(|| format!("focus peaking: {}", self.peaking.name()));
        let texts: Vec<_> = tint.into_iter().chain(zebra).chain(marks).chain(peaking).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }
}

/// Exposure aids requested in addition to the stored settings: each one given is switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExposureChoice {
    /// The level from which zebras are shown.
    pub zebra: Option<Level>,
    /// The values to mark.
    pub marks: Option<MarkLimits>,
    /// The table for false colour.
    pub false_color: Option<FalseColorTable>,
    /// The sensitivity of focus peaking.
    pub peaking: Option<Peaking>,
}

impl ExposureChoice {
    /// Returns the largest code among the requested levels.
    #[must_use]
    pub fn most_code(self) -> Option<u32> {
        let limits =
            if let Some(MarkLimits::Own(low, high)) = self.marks { [Some(low), Some(high)] } else { [None; 2] };
        let code = |level: Level| if let Level::Code(code) = level { Some(code) } else { None };
        limits.into_iter().chain([self.zebra]).flatten().filter_map(code).max()
    }

    /// Returns the stored settings with the requested ones applied over them.
    #[must_use]
    pub fn apply_to(self, kept: Exposure) -> Exposure {
        Exposure {
            zebra: kept.zebra || self.zebra.is_some(),
            level: self.zebra.unwrap_or(kept.level),
            marks: kept.marks || self.marks.is_some(),
            limits: self.marks.unwrap_or(kept.limits),
            false_color: FalseColor {
                shown: kept.false_color.shown || self.false_color.is_some(),
                table: self.false_color.unwrap_or(kept.false_color.table),
                ..kept.false_color
            },
            peaking: self.peaking.unwrap_or(kept.peaking),
        }
    }
}

impl Exposure {
    /// Returns what to show on pictures of this layout, colorimetry and light, if that is known, when these components
    /// are counted, or `None` if nothing is switched on.
    ///
    /// The level of zebras is compared with the luminance bin, so that the number of striped pixels equals the
    /// histogram's count from there on. If code values are counted, it is compared with Y'.
    #[must_use]
    pub fn inspection_for(
        &self,
        layout: &PixelLayout,
        colorimetry: &Colorimetry,
        components: Components,
        light: Option<LightScale>,
    ) -> Option<Inspection> {
        if !self.is_on() {
            return None;
        }
        let tint = self.tint(layout, colorimetry, light);
        let conversion = Conversion::new(layout, colorimetry);
        let is_coded = components == Components::YCbCr && layout.model != ColorModel::Rgb;
        let range = if is_coded { colorimetry.range.value } else { Range::Full };
        let [black, white, _] = nominal(range, conversion.bits);
        let zebra = self.zebra.then(|| self.level.code(black, white, true).max(0) as u32);
        let marks = self.marks.then(|| match self.limits {
            MarkLimits::R103 => Marks::of_colors(Limits::r103(&conversion)),
            _ if is_coded => self.coded_marks(range, conversion.bits, layout.component_count()),
            MarkLimits::Clipped => Marks::of_colors(Limits::clipped(&conversion)),
            MarkLimits::Own(low, high) => Marks::of_colors(Limits {
                low: (low.code(0, conversion.max_code(), false) + 1) << conversion.shift,
                high: high.code(0, conversion.max_code(), true) << conversion.shift,
            }),
        });
        let peaking = self.peaking.contrast(conversion.bits);
        Some(Inspection { zebra, is_tone_coded: is_coded, marks, tint, peaking, conversion })
    }

    /// Returns the false-colour table for the codes of such pictures, if it is shown.
    #[must_use]
    pub fn tint(&self, layout: &PixelLayout, colorimetry: &Colorimetry, light: Option<LightScale>) -> Option<Tint> {
        self.false_color.shown.then(|| Tint::new(self.false_color.table, layout, colorimetry, light))
    }

    /// Returns the marks for coded Y', Cb and Cr. `count` is the number of these that the picture has.
    fn coded_marks(&self, range: Range, bits: u32, count: usize) -> Marks {
        let [black, white, chroma_top] = nominal(range, bits);
        let bounds = |channel: usize| {
            let top = if channel == 0 { white } else { chroma_top };
            match (self.limits, range) {
                (MarkLimits::Own(low, high), _) => (low.code(black, top, false) + 1, high.code(black, top, true)),
                // In limited range, only codes outside the range count as clipped.
                (_, Range::Limited) => (black, top + 1),
                (_, Range::Full) => (black + 1, top),
            }
        };
        let bounds: [_; 3] = std::array::from_fn(|c| if c < count { bounds(c) } else { (i32::MIN, i32::MAX) });
        Marks { low: bounds.map(|(low, _)| low), high: bounds.map(|(_, high)| high), is_coded: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::picture::color::Matrix;

    fn exposure(limits: MarkLimits, level: Level) -> Exposure {
        Exposure { zebra: true, level, marks: true, limits, ..Exposure::default() }
    }

    fn color(range: Range) -> Colorimetry {
        Colorimetry::tagged(Matrix::Bt709, range)
    }

    #[test]
    fn the_description_names_what_is_on_the_picture() {
        let plain = Exposure::default();
        assert_eq!(plain.description(None), None);
        let zebra = Exposure { zebra: true, level: Level::Code(700), ..plain };
        assert_eq!(zebra.description(None).as_deref(), Some("zebras from code 700"));
        let both = Exposure { marks: true, limits: MarkLimits::R103, ..zebra };
        let text = "zebras from code 700; marked: codes outside EBU R 103 (high solid, low chequered)";
        assert_eq!(both.description(None).as_deref(), Some(text));
        let tinted = FalseColor { shown: true, table: FalseColorTable::Light, ..FalseColor::default() };
        let of = |light| Exposure { false_color: tinted, ..plain }.description(light).unwrap_or_default();
        assert!(of(Some(LightScale::Pq)).starts_with("false colour: light in cd/m²"));
        assert!(of(None).starts_with("false colour: purple"), "SDR has no known light: {}", of(None));
    }

    #[test]
    fn settings_are_kept_as_words() {
        let kept = exposure(MarkLimits::Own(Level::Permille(20), Level::Code(940)), Level::Code(900));
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(
            text,
            r#"{"zebra":true,"level":"900c","marks":true,"limits":"2%,940c","false_color":{"shown":false,"table":"camera","unit":"percent"},"peaking":"off"}"#
        );
        assert_eq!(serde_json::from_str::<Exposure>(&text).unwrap(), kept);
        assert_eq!(serde_json::from_str::<Exposure>("{}").unwrap(), Exposure::default());
    }

    #[test]
    fn percentages_refer_to_the_range_in_use() {
        let layout = PixelLayout::planar_ycbcr(10, (1, 1));
        let lowest = |range, components, level| {
            exposure(MarkLimits::Clipped, level).inspection_for(&layout, &color(range), components, None).unwrap().zebra
        };
        let percent = Level::Permille(950);
        assert_eq!(lowest(Range::Limited, Components::Rgbl, percent), Some(972), "of the codes of luminance");
        assert_eq!(lowest(Range::Limited, Components::YCbCr, percent), Some(897), "of 64 to 940");
        assert_eq!(lowest(Range::Full, Components::YCbCr, percent), Some(972));
        assert_eq!(lowest(Range::Limited, Components::YCbCr, Level::Code(700)), Some(700));
        assert_eq!(lowest(Range::Limited, Components::YCbCr, Level::Permille(-100)), Some(0));
    }

    #[test]
    fn code_values_outside_the_nominal_range_are_marked() {
        let layout = PixelLayout::planar_ycbcr(8, (0, 0));
        let seen = |range, codes: [u32; 3]| {
            exposure(MarkLimits::Clipped, Level::Permille(1000))
                .inspection_for(&layout, &color(range), Components::YCbCr, None)
                .unwrap()
                .inspect(codes)
        };
        let limited = seen(Range::Limited, [15, 241, 15]);
        assert_eq!((limited.below, limited.above), ([true, false, true], [false, true, false]));
        assert!(!seen(Range::Limited, [16, 240, 16]).is_marked() && !seen(Range::Limited, [235, 16, 240]).is_marked());
        assert!(seen(Range::Limited, [236, 128, 128]).above[0]);
        let full = seen(Range::Full, [255, 0, 254]);
        assert_eq!((full.below, full.above), ([false, true, false], [true, false, false]));
    }

    #[test]
    fn marks_mix_like_light_and_distinguish_low_from_high() {
        let layout = PixelLayout::packed_rgb(8, [0, 1, 2], 3);
        let full = Colorimetry::tagged(Matrix::Identity, Range::Full);
        let inspection = exposure(MarkLimits::Clipped, Level::Permille(950))
            .inspection_for(&layout, &full, Components::Rgbl, None)
            .unwrap();
        let at = |codes: [u32; 3], place| {
            inspection.painted(codes.map(|code| code as u8), &inspection.inspect(codes), place, 6)
        };
        let [white, yellow, red] = [[255, 255, 255], [255, 255, 90], [255, 90, 90]].map(|codes| at(codes, (0, 0)));
        assert!(white.iter().all(|&part| part > 220), "{white:?}");
        assert!(yellow[0] > 220 && yellow[1] > 220 && yellow[2] < 100, "{yellow:?}");
        assert!(red[0] > 220 && red[1] < 100 && red[2] < 100, "{red:?}");
        let low = [at([90, 0, 90], (0, 0)), at([90, 0, 90], (3, 0))];
        assert!(low[0][1] < 200 && low[1][1] < low[0][1] && low[1][1] > 40, "chequered: {low:?}");
        let plain = at([90, 90, 90], (0, 0));
        assert!(plain[0] < 90, "the rest dims: {plain:?}");
        let striped = [at([250, 250, 250], (0, 0)), at([250, 250, 250], (6, 0))];
        assert!(striped[0][0] < striped[1][0], "{striped:?}");
    }
}

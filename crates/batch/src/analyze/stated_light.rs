//! What a file states about its light, compared with what was measured.

use histoscope_core::picture::stated_light::{ContentLight, MasteringDisplay, StatedLight};
use serde::{Deserialize, Serialize};

use super::light::LightSummary;

/// Relative difference within which a stated light agrees with the measured one. MaxCLL and MaxFALL are whole numbers,
/// so they may also differ by 1 cd/m².
const TOLERANCE: f64 = 0.02;

/// How a stated light compares with the measured one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LightVerdict {
    /// It agrees within 2 % or 1 cd/m².
    Agrees,
    /// It is lower than measured.
    TooLow,
    /// It is higher than measured.
    TooHigh,
    /// The file states none; 0 means "unknown" by CTA-861.3.
    Absent,
}

impl LightVerdict {
    /// Returns how a stated light compares with the measured one.
    #[must_use]
    pub fn of(stated: Option<u32>, measured: f64) -> Self {
        let Some(stated) = stated.filter(|stated| *stated > 0).map(f64::from) else { return Self::Absent };
        if (stated - measured).abs() <= (TOLERANCE * measured).max(1.0) {
            return Self::Agrees;
        }
        if stated < measured { Self::TooLow } else { Self::TooHigh }
    }

    /// Returns the verdict in words.
    const fn in_words(self) -> &'static str {
        match self {
            Self::Agrees => "as measured",
            Self::TooLow => "too low",
            Self::TooHigh => "too high",
            Self::Absent => "absent",
        }
    }
}

/// What the file states about its light, as in the summary of a run's records.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StatedLightSummary {
    /// The mastering display's peak in cd/m²; null if none is stated.
    pub mastering_max: Option<f64>,
    /// The mastering display's black in cd/m².
    pub mastering_min: Option<f64>,
    /// MaxCLL in cd/m².
    pub max_cll: Option<u32>,
    /// MaxFALL in cd/m².
    pub max_fall: Option<u32>,
    /// `true` if the first frame has metadata of HDR10+.
    pub hdr10_plus: bool,
    /// The profile of Dolby Vision, if the file states it; 0 if only the first frame has its metadata.
    pub dolby_vision: Option<u8>,
    /// How the stated MaxCLL compares with the measured one; null if light is unknown in every frame.
    pub max_cll_verdict: Option<LightVerdict>,
    /// How the stated MaxFALL compares with the measured one.
    pub max_fall_verdict: Option<LightVerdict>,
}

impl StatedLightSummary {
    /// Returns the statements of a file, without a verdict.
    #[must_use]
    pub fn of(stated: &StatedLight) -> Self {
        Self {
            mastering_max: stated.mastering.map(|display| display.max_cd_m2),
            mastering_min: stated.mastering.map(|display| display.min_cd_m2),
            max_cll: stated.content.map(|level| level.max_cll),
            max_fall: stated.content.map(|level| level.max_fall),
            hdr10_plus: stated.hdr10_plus,
            dolby_vision: stated.dolby_vision,
            max_cll_verdict: None,
            max_fall_verdict: None,
        }
    }

    /// Returns the statements without the verdict.
    fn stated(&self) -> StatedLight {
        let display = self.mastering_max.zip(self.mastering_min);
        StatedLight {
            mastering: display.map(|(max_cd_m2, min_cd_m2)| MasteringDisplay { max_cd_m2, min_cd_m2 }),
            content: self.max_cll.zip(self.max_fall).map(|(max_cll, max_fall)| ContentLight { max_cll, max_fall }),
            hdr10_plus: self.hdr10_plus,
            dolby_vision: self.dolby_vision,
        }
    }

    /// Compares the statements with the measured light.
    pub fn judge(&mut self, measured: &LightSummary) {
        let is_known = measured.frames > 0;
        self.max_cll_verdict = is_known.then(|| LightVerdict::of(self.max_cll, measured.max_cll));
        self.max_fall_verdict = is_known.then(|| LightVerdict::of(self.max_fall, measured.max_fall));
    }

    /// Returns the statements and verdicts as lines for people.
    #[must_use]
    pub fn in_words(&self, measured: &LightSummary) -> Vec<String> {
        let level = |name: &str, stated: Option<u32>, verdict: Option<LightVerdict>, measured: f64| match verdict {
            Some(LightVerdict::Absent) | None => format!("{name} absent"),
            Some(verdict) => {
                format!("{name} {} ({}: {measured:.1} measured)", stated.unwrap_or(0), verdict.in_words())
            }
        };
        let mut parts = vec![
            level("MaxCLL", self.max_cll, self.max_cll_verdict, measured.max_cll),
            level("MaxFALL", self.max_fall, self.max_fall_verdict, measured.max_fall),
        ];
        parts.extend(self.mastering_max.is_none().then(|| "mastering display absent".to_owned()));
        parts.extend(self.stated().others_in_words());
        vec![format!("the file states: {}", parts.join(", "))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_of_the_stated_light() {
        for (stated, measured, verdict) in [
            (Some(1000), 1000.4, LightVerdict::Agrees),
            (Some(985), 1000.0, LightVerdict::Agrees),
            (Some(4), 3.1, LightVerdict::Agrees),
            (Some(979), 1000.0, LightVerdict::TooLow),
            (Some(65_535), 1000.0, LightVerdict::TooHigh),
            (Some(0), 1000.0, LightVerdict::Absent),
            (None, 1000.0, LightVerdict::Absent),
        ] {
            assert_eq!(LightVerdict::of(stated, measured), verdict, "{stated:?} of {measured}");
        }
    }

    #[test]
    fn the_overview_says_what_is_stated_and_how_it_compares() {
        let measured = LightSummary { frames: 1, max_cll: 1200.04, max_fall: 300.0, ..LightSummary::default() };
        let content = Some(ContentLight { max_cll: 1000, max_fall: 0 });
        let mut stated = StatedLightSummary::of(&StatedLight { content, hdr10_plus: true, ..StatedLight::default() });
        stated.judge(&measured);
        let expected = "the file states: MaxCLL 1000 (too low: 1200.0 measured), MaxFALL absent, mastering display absent, \
                        HDR10+";
        assert_eq!(stated.in_words(&measured), [expected]);
    }
}

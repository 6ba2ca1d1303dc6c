//! What a file states about its light: mastering display, content light level, and dynamic metadata.

/// The display that a video was mastered on (SMPTE ST 2086).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MasteringDisplay {
    /// Its peak in cd/m².
    pub max_cd_m2: f64,
    /// Its black in cd/m².
    pub min_cd_m2: f64,
}

/// The content light level (CTA-861.3), in cd/m²; 0 means unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentLight {
    /// Light of the brightest pixel.
    pub max_cll: u32,
    /// Largest average of a frame.
    pub max_fall: u32,
}

/// The light that a frame's dynamic metadata state, in cd/m²: HDR10+ (SMPTE ST 2094-40), or the first level of Dolby
/// Vision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameStatedLight {
    /// The brightest.
    pub max: f64,
    /// The average.
    pub average: f64,
}

/// What a file states about its light, in its header or in its first frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StatedLight {
    /// The mastering display.
    pub mastering: Option<MasteringDisplay>,
    /// The content light level.
    pub content: Option<ContentLight>,
    /// `true` if the first frame has metadata of HDR10+.
    pub hdr10_plus: bool,
    /// The profile of Dolby Vision, or 0 if only the first frame has its metadata.
    pub dolby_vision: Option<u8>,
}

impl StatedLight {
    /// Reads FFmpeg's structures of mastering display and content light level, which consist of these integers.
    #[must_use]
    pub fn new(mastering: Option<[i32; 22]>, content: Option<[u32; 2]>) -> Self {
        let mastering = mastering.and_then(|numbers| {
            // Three primaries and white of two fractions each, the lowest and the highest light, and two flags.
            let [.., min_num, min_den, max_num, max_den, _, has_luminance] = numbers;
            let max_cd_m2 = f64::from(max_num) / f64::from(max_den);
            let min_cd_m2 = f64::from(min_num) / f64::from(min_den);
            let is_stated = has_luminance != 0 && max_cd_m2.is_finite() && min_cd_m2.is_finite() && max_cd_m2 > 0.0;
            is_stated.then_some(MasteringDisplay { max_cd_m2, min_cd_m2 })
        });
        let content = content.map(|[max_cll, max_fall]| ContentLight { max_cll, max_fall });
        Self { mastering, content, hdr10_plus: false, dolby_vision: None }
    }

    /// Returns what is stated about the display and the dynamic metadata, part by part, in words.
    #[must_use]
    pub fn others_in_words(&self) -> Vec<String> {
        let mut parts = Vec::new();
        parts.extend(self.mastering.map(|MasteringDisplay { max_cd_m2, min_cd_m2 }| {
            format!("mastering display {min_cd_m2} to {max_cd_m2} cd/m²")
        }));
        parts.extend(self.hdr10_plus.then(|| "HDR10+".to_owned()));
        parts.extend(self.dolby_vision.map(|profile| match profile {
            0 => "Dolby Vision".to_owned(),
            profile => format!("Dolby Vision profile {profile}"),
        }));
        parts
    }

    /// Returns everything that is stated, part by part, in words.
    #[must_use]
    pub fn in_words(&self) -> Vec<String> {
        let level = |name, level| match level {
            0 => format!("{name} unknown"),
            level => format!("{name} {level} cd/m²"),
        };
        let content = self.content.into_iter();
        let content = content.flat_map(|light| [level("MaxCLL", light.max_cll), level("MaxFALL", light.max_fall)]);
        content.chain(self.others_in_words()).collect()
    }

    /// Returns sentences on light that is stated but cannot be true, since even PQ ends at 10000 cd/m². It is not used.
    #[must_use]
    pub fn incredible(&self) -> Vec<String> {
        let content = self.content.into_iter();
        let levels = content.flat_map(|light| [("MaxCLL", light.max_cll.into()), ("MaxFALL", light.max_fall.into())]);
        let display = self.mastering.map(|display| ("peak of the mastering display", display.max_cd_m2));
        let stated = levels.chain(display).filter(|(_, light): &(&str, f64)| *light > 10_000.0);
        stated.map(|(name, light)| format!("the stated {name} of {light} cd/m² is beyond PQ and not used")).collect()
    }

    /// Returns the statements, completed by those of the first frame.
    #[must_use]
    pub fn or(self, frame: Self) -> Self {
        Self {
            mastering: self.mastering.or(frame.mastering),
            content: self.content.or(frame.content),
            hdr10_plus: self.hdr10_plus || frame.hdr10_plus,
            dolby_vision: self.dolby_vision.or(frame.dolby_vision),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_read_and_put_in_words() {
        assert_eq!(StatedLight::default().in_words(), [""; 0]);
        let mut numbers = [0; 22];
        numbers[16..].copy_from_slice(&[50, 10_000, 10_000_000, 10_000, 0, 1]);
        let stated = StatedLight::new(Some(numbers), Some([1000, 0]));
        let stated = StatedLight { dolby_vision: Some(8), ..stated };
        assert_eq!(
            stated.in_words(),
            ["MaxCLL 1000 cd/m²", "MaxFALL unknown", "mastering display 0.005 to 1000 cd/m²", "Dolby Vision profile 8"]
        );
        assert_eq!(stated.incredible(), [""; 0]);
        let absurd = StatedLight::new(None, Some([65_535, 400])).incredible();
        assert_eq!(absurd, ["the stated MaxCLL of 65535 cd/m² is beyond PQ and not used"]);
        // Absurd statements: no luminance, a peak of 0, a denominator of 0.
        for (at, number) in [(21, 0), (18, 0), (19, 0), (17, 0)] {
            let mut absurd = numbers;
            absurd[at] = number;
            assert_eq!(StatedLight::new(Some(absurd), None), StatedLight::default(), "{at}");
        }
    }
}

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

//! Tone mapping: PQ and HLG as an SDR display is to show them.
//!
//! A display for SDR shows codes of BT.1886. [`ToneMap`] defines the codes that give it the light of PQ or HLG:
//!
//! 1. Codes become light: PQ by its own curve; HLG by its inverse OETF and the system gamma for its peak (BT.2100).
//! 2. Light is multiplied by the [exposure](Stops).
//! 3. The largest of red, green and blue is compressed by the EETF of BT.2390, or not at all. All three are multiplied
//!    by the same factor, which keeps the hue.
//! 4. The primaries become those of BT.709. Colours outside are clipped, channel by channel.
//! 5. Light relative to [`WHITE`] becomes codes by the inverse of BT.1886.
//!
//! A [display for HDR](Display::Hdr) gets all of the light: nothing is compressed or clipped. Its codes are relative to
//! its own white; they are above 1 for brighter light, and negative for colours outside BT.709.
//!
//! Codes that are shown as they are, such as those of SDR, have a tone map only with an exposure: they become light by
//! BT.1886, are exposed, clipped at white, and become codes again.
//!
//! [`ToneMap::shown`] computes this in double precision. Engines look up [`ToneTables`] instead, and differ from it by
//! at most one code of 8 bits. Nothing is counted here.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::adjust::Adjustments;
use crate::histogram::pixel_light::{HLG_WEIGHTS, LightScale, USUAL_HLG_PEAK, system_gamma};
use crate::picture::SourceFormat;
use crate::picture::primaries::Primaries;
use crate::picture::stated_light::StatedLight;
use crate::picture::transfer::{Transfer, power, pq_signal};
use crate::text::with_minus;

/// The light in cd/m² that an SDR display's white stands for (BT.2408's reference white, as in mpv and libplacebo).
pub const WHITE: u32 = 203;
/// Peak of PQ in cd/m².
const PQ_PEAK: u32 = 10_000;

/// The display that pictures are shown on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Display {
    /// A display for SDR, whose white stands for [`WHITE`].
    #[default]
    Sdr,
    /// A display for HDR, which is given light as it is.
    Hdr {
        /// The light in cd/m² of SDR's white, and of the program's controls.
        white: u32,
    },
}

impl Display {
    /// Returns the light of SDR's white in cd/m².
    #[must_use]
    pub const fn white(self) -> u32 {
        match self {
            Self::Sdr => WHITE,
            Self::Hdr { white } => white,
        }
    }
}

/// The way in which the light of PQ and HLG is fitted to an SDR display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToneMapping {
    /// Highlights are compressed by the EETF of BT.2390.
    #[default]
    Bt2390,
    /// Light above white is clipped.
    Clip,
    /// Codes are shown as they are, as if they were SDR.
    None,
}

impl ToneMapping {
    /// Every way, in the order in which a key cycles through them.
    pub const ALL: [Self; 3] = [Self::Bt2390, Self::Clip, Self::None];

    /// Returns the name used on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bt2390 => "BT.2390",
            Self::Clip => "clip",
            Self::None => "none",
        }
    }
}

/// A change of the exposure of a shown picture: its light is multiplied by a power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Stops {
    hundredths: i16,
}

impl Stops {
    /// The largest change in stops, in either direction.
    pub const MOST: i16 = 10;
    /// A step of the keys, in hundredths of a stop.
    const STEP: i16 = 50;

    /// Returns a change by this number of hundredths of a stop, or by the largest one if it is beyond.
    #[must_use]
    pub fn of_hundredths(hundredths: i16) -> Self {
        Self { hundredths: hundredths.clamp(-100 * Self::MOST, 100 * Self::MOST) }
    }

    /// Returns `true` if nothing is changed.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.hundredths == 0
    }

    /// Returns the next multiple of half a stop.
    #[must_use]
    pub fn stepped(self, more: bool) -> Self {
        let steps = self.hundredths.div_euclid(Self::STEP);
        let is_between = self.hundredths.rem_euclid(Self::STEP) != 0;
        let to = if more { steps + 1 } else { steps - i16::from(!is_between) };
        Self::of_hundredths(to * Self::STEP)
    }

    /// Returns the factor of light.
    fn factor(self) -> f64 {
        power(2.0, f64::from(self.hundredths) / 100.0)
    }
}

impl fmt::Display for Stops {
    /// Writes `+1 stop`, `−0.5 stops` or `0 stops`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.hundredths > 0 { "+" } else { "" };
        let number = with_minus(&format!("{sign}{}", f64::from(self.hundredths) / 100.0));
        let unit = if self.hundredths.abs() == 100 { "stop" } else { "stops" };
        write!(f, "{number} {unit}")
    }
}

impl FromStr for Stops {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let most = f64::from(Self::MOST);
        let stops = text.parse().ok().filter(|stops: &f64| stops.abs() <= most);
        let stops =
            stops.ok_or_else(|| format!("exposure is a number of stops from −{most} to {most}, such as 1 or -0.5"))?;
        Ok(Self::of_hundredths((stops * 100.0).round() as i16))
    }
}

/// A video's light, as far as it decides how its pictures are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourceLight {
    /// The transfer function of its codes.
    pub transfer: Transfer,
    /// Its primaries, if they are tagged.
    pub primaries: Option<Primaries>,
    /// The light of its brightest pixel in cd/m² as the file states it, if that is credible.
    pub peak: Option<u32>,
    /// The peak in cd/m² of the display that HLG is shown on, unless it is the usual one.
    pub hlg_peak: Option<u32>,
}

impl SourceLight {
    /// Returns the light of pictures of this format.
    #[must_use]
    pub fn of(source: &SourceFormat) -> Self {
        Self {
            transfer: source.transfer_function(),
            primaries: source.tagged_primaries(),
            peak: credible_peak(&source.stated_light),
            hlg_peak: source.hlg_peak,
        }
    }

    /// Returns the light of these pictures after the adjustments. The codes of a lookup table or of a camera's log are
    /// meant for an SDR display; the other adjustments' are of the same kind as their source's.
    #[must_use]
    pub fn after(self, adjustments: &Adjustments) -> Self {
        if adjustments.lut.is_some() { Self::default() } else { self }
    }

    /// Returns what decides the chromaticity of the codes: the transfer function, and the primaries, which are the
    /// usual ones if untagged.
    #[must_use]
    pub fn colors(self) -> (Transfer, Primaries) {
        (self.transfer, self.primaries.unwrap_or_else(|| Primaries::usual_with(self.transfer)))
    }

    /// Returns the relation between codes and light in cd/m² of PQ and HLG; `None` for others, whose light is unknown.
    #[must_use]
    pub fn scale(self) -> Option<LightScale> {
        match self.transfer {
            Transfer::Pq => Some(LightScale::Pq),
            Transfer::Hlg => Some(LightScale::Hlg { peak: self.hlg_peak.unwrap_or(USUAL_HLG_PEAK) }),
            Transfer::Bt1886 | Transfer::Srgb | Transfer::Linear => None,
        }
    }

    /// Returns how these pictures are shown on a display; `None` if their codes are shown as they are.
    #[must_use]
    pub fn tone_map(self, mapping: ToneMapping, exposure: Stops, display: Display) -> Option<ToneMap> {
        let method = match (mapping, display) {
            (ToneMapping::None, _) => None,
            (_, Display::Hdr { .. }) => Some(Method::Whole),
            (ToneMapping::Bt2390, Display::Sdr) => Some(Method::Bt2390),
            (ToneMapping::Clip, Display::Sdr) => Some(Method::Clip),
        };
        let Some((scale, method)) = self.scale().zip(method) else {
            let white = display.white();
            let (scale, primaries) = (LightScale::Bt1886 { white }, Primaries::Bt709);
            let map = ToneMap { scale, method: Method::Clip, peak: white, primaries, exposure, white };
            return (!exposure.is_none()).then_some(map);
        };
        let peak = match scale {
            // HLG is relative: its brightest code is the peak of the display.
            LightScale::Hlg { peak } => peak,
            LightScale::Pq | LightScale::Bt1886 { .. } => self.peak.unwrap_or(PQ_PEAK),
        };
        Some(ToneMap { scale, method, peak, primaries: self.colors().1, exposure, white: display.white() })
    }
}

/// Returns sentences on tags and statements that are probably wrong, for pictures of this format with `depth` bits per
/// sample.
#[must_use]
pub fn doubts(source: &SourceFormat, depth: u8) -> Vec<String> {
    let is_coarse = Transfer::of_tag(source.transfer) == Transfer::Pq && depth <= 8;
    let coarse = is_coarse.then(|| {
        "PQ with only 8 bits per sample: expect steps, or a wrong tag (--transfer and Ctrl+T read it as another)"
            .to_owned()
    });
    coarse.into_iter().chain(source.stated_light.incredible()).collect()
}

/// Returns the peak that a file states, from MaxCLL if possible, else from the mastering display.
fn credible_peak(stated: &StatedLight) -> Option<u32> {
    let level = stated.content.map(|content| f64::from(content.max_cll));
    let display = stated.mastering.map(|display| display.max_cd_m2);
    let is_credible = |peak: &f64| (1.0..=f64::from(PQ_PEAK)).contains(peak);
    [level, display].into_iter().flatten().find(is_credible).map(|peak| peak.ceil() as u32)
}

/// How light above white is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Method {
    Bt2390,
    Clip,
    /// All light is shown as it is.
    Whole,
}

/// The relation between the codes of a picture and the codes that a display shows for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ToneMap {
    /// The light of the picture's codes.
    scale: LightScale,
    method: Method,
    /// The brightest light of the video in cd/m².
    peak: u32,
    primaries: Primaries,
    exposure: Stops,
    /// The light in cd/m² for which the highest code of SDR stands.
    white: u32,
}

impl ToneMap {
    /// Returns the description for people.
    #[must_use]
    pub fn text(&self) -> String {
        let mapping = match (self.scale, self.method) {
            (LightScale::Bt1886 { .. }, _) => None,
            (_, Method::Bt2390) => Some(format!("tone-mapped BT.2390, {} → {} cd/m²", self.peak, self.white)),
            (_, Method::Clip) => Some(format!("clipped above {} cd/m²", self.white)),
            (_, Method::Whole) => Some(format!("light as it is, up to {} cd/m²", self.peak)),
        };
        let exposure = (!self.exposure.is_none()).then(|| format!("exposure {}", self.exposure));
        mapping.into_iter().chain(exposure).collect::<Vec<_>>().join(", ")
    }

    /// Returns `true` if all light is shown, as on a display for HDR.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.method == Method::Whole
    }

    /// Returns the codes to show for red, green and blue from 0 to 1. They are from 0 to 1, too, unless all light is
    /// shown.
    #[must_use]
    pub fn shown(&self, signal: [f64; 3]) -> [f64; 3] {
        let mut light = signal.map(|signal| self.scale.transfer().light(signal));
        if self.has_system_gamma() {
            let gain = self.system_gain(luminance(light));
            light = light.map(|light| light * gain);
        }
        let gain = self.gain(light[0].max(light[1]).max(light[2]));
        let light = light.map(|light| light * gain);
        self.primaries.to_bt709().map(|row| {
            let light = row[0] * light[0] + row[1] * light[1] + row[2] * light[2];
            if self.is_whole() { code(light.abs()).copysign(light) } else { code(light.clamp(0.0, 1.0)) }
        })
    }

    /// Returns `true` if HLG's system gamma applies.
    const fn has_system_gamma(&self) -> bool {
        matches!(self.scale, LightScale::Hlg { .. })
    }

    /// Returns the factor by which HLG's system gamma multiplies scene light of this luminance.
    fn system_gain(&self, luminance: f64) -> f64 {
        power(luminance, system_gamma(self.scale.peak()) - 1.0)
    }

    /// Returns the factor that turns light, as a fraction of full light, into light relative to white, if this is a
    /// pixel's largest.
    fn gain(&self, largest: f64) -> f64 {
        let exposed = self.scale.peak() * self.exposure.factor();
        let white = f64::from(self.white);
        if self.method != Method::Bt2390 || largest <= 0.0 {
            return exposed / white;
        }
        eetf(largest * exposed, f64::from(self.peak), white) / largest / white
    }
}

/// Returns the code of light relative to white by the inverse of BT.1886, which is not negative.
fn code(light: f64) -> f64 {
    power(light, 1.0 / 2.4)
}

/// Returns the luminance of linear light of BT.2100.
fn luminance(light: [f64; 3]) -> f64 {
    light.iter().zip(HLG_WEIGHTS).map(|(light, weight)| light * f64::from(weight) / 10_000.0).sum()
}

/// Maps light up to `peak` to light up to `target` by the EETF of BT.2390-10, all in cd/m². Black stays black: neither
/// display's is taken into account.
fn eetf(light: f64, peak: f64, target: f64) -> f64 {
    let signal = |light: f64| pq_signal(light / f64::from(PQ_PEAK));
    let whole = signal(peak.max(target));
    let most = signal(target) / whole;
    let knee = 1.5 * most - 0.5;
    let from = (signal(light) / whole).min(1.0);
    let to = if from <= knee {
        from
    } else {
        let t = (from - knee) / (1.0 - knee);
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * knee + (t3 - 2.0 * t2 + t) * (1.0 - knee) + (-2.0 * t3 + 3.0 * t2) * most
    };
    Transfer::Pq.light(to * whole) * f64::from(PQ_PEAK)
}

/// Steps from a signal of 0 to one of 1; light is interpolated between them.
pub const SIGNALS: usize = 4096;
/// Octaves of light in a table, the highest of which ends at 1.
const OCTAVES: usize = 24;
/// Bits of the steps in an octave.
pub const STEP_BITS: u32 = 8;
/// The entries of a table by light: one per step, and one for 1.
pub const LIGHTS: usize = (OCTAVES << STEP_BITS) + 1;
/// The upper bits of the lowest light in a table as a number of 32 bits: exponent and steps.
pub const LOWEST: u32 = (127 - OCTAVES as u32) << STEP_BITS;
/// Positions in [`ToneTables::words`]: the light of each signal; HLG's gain by luminance; the gain by largest light;
/// the codes from 0 to 255 by light.
pub const SYSTEM_AT: usize = SIGNALS;
/// As [`SYSTEM_AT`].
pub const GAINS_AT: usize = SYSTEM_AT + LIGHTS;
/// As [`SYSTEM_AT`].
pub const CODES_AT: usize = GAINS_AT + LIGHTS;
/// Length of [`ToneTables::words`].
pub const WORDS: usize = CODES_AT + LIGHTS;

/// A tone map as tables.
///
/// Tables by light have 256 entries per octave, found by exponent and upper bits of a number of 32 bits. Codes vary by
/// less than half a code of 8 bits from one entry to the next.
#[derive(Debug, PartialEq)]
pub struct ToneTables {
    /// The tone map.
    pub map: ToneMap,
    /// The tables, one after the other.
    words: Box<[f32; WORDS]>,
    /// Rows that give red, green and blue of BT.709.
    pub gamut: [[f32; 3]; 3],
}

impl ToneTables {
    /// Returns the tables of a tone map. The last few are kept.
    #[must_use]
    pub fn of(map: ToneMap) -> Arc<Self> {
        static KEPT: Mutex<Vec<Arc<ToneTables>>> = Mutex::new(Vec::new());
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.iter().find(|tables| tables.map == map) {
            return Arc::clone(found);
        }
        let tables = Arc::new(Self::new(map));
        kept.insert(0, Arc::clone(&tables));
        kept.truncate(4);
        tables
    }

    fn new(map: ToneMap) -> Self {
        let mut words = Box::new([0.0; WORDS]);
        let last = (SIGNALS - 1) as f64;
        for (signal, word) in words[..SIGNALS].iter_mut().enumerate() {
            *word = map.scale.transfer().light(signal as f64 / last) as f32;
        }
        for entry in 0..LIGHTS {
            let light = middle(entry);
            words[SYSTEM_AT + entry] = if map.has_system_gamma() { map.system_gain(light) as f32 } else { 1.0 };
            words[GAINS_AT + entry] = map.gain(light) as f32;
            words[CODES_AT + entry] = (code(light) * 255.0).round() as f32;
        }
        let gamut = map.primaries.to_bt709().map(|row| row.map(|weight| weight as f32));
        Self { map, words, gamut }
    }

    /// Returns the tables, one after the other, for engines.
    #[must_use]
    pub const fn words(&self) -> &[f32; WORDS] {
        &self.words
    }

    /// Returns `true` if HLG's system gamma applies.
    #[must_use]
    pub const fn has_system_gamma(&self) -> bool {
        self.map.has_system_gamma()
    }

    /// Returns `true` if all light is shown: codes are then computed from it, not looked up.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.map.is_whole()
    }

    /// Returns the codes of 8 bits to show for red, green and blue from 0 to [`SIGNALS`] - 1; light above white is
    /// clipped.
    #[inline(always)]
    #[must_use]
    pub fn shown(&self, signal: [f32; 3]) -> [u8; 3] {
        let words = &*self.words;
        let mut light = signal.map(|signal| {
            let signal = signal.clamp(0.0, (SIGNALS - 1) as f32);
            let below = (signal as usize).min(SIGNALS - 2);
            let (low, high) = (words[below], words[below + 1]);
            low + (signal - below as f32) * (high - low)
        });
        if self.map.has_system_gamma() {
            let [red, green, blue] = HLG_WEIGHTS.map(|weight| weight as f32 / 10_000.0);
            let gain = words[SYSTEM_AT + entry(red * light[0] + green * light[1] + blue * light[2])];
            light = light.map(|light| light * gain);
        }
        let gain = words[GAINS_AT + entry(light[0].max(light[1]).max(light[2]))];
        let light = light.map(|light| light * gain);
        self.gamut.map(|row| {
            let light = row[0] * light[0] + row[1] * light[1] + row[2] * light[2];
            words[CODES_AT + entry(light.max(0.0))] as u8
        })
    }
}

/// Returns the entry of a light that is not negative; lights above 1 have that of 1.
#[inline(always)]
fn entry(light: f32) -> usize {
    let upper = light.to_bits() >> (23 - STEP_BITS);
    (upper.max(LOWEST) - LOWEST).min(LIGHTS as u32 - 1) as usize
}

/// Returns the light in the middle of an entry's step.
fn middle(entry: usize) -> f64 {
    if entry == LIGHTS - 1 {
        return 1.0;
    }
    let half = 1 << (22 - STEP_BITS);
    f64::from(f32::from_bits(((entry as u32 + LOWEST) << (23 - STEP_BITS)) + half))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::stated_light::ContentLight;

    fn map(transfer: Transfer, peak: Option<u32>, method: ToneMapping) -> ToneMap {
        exposed(transfer, peak, method, Stops::default())
    }

    fn exposed(transfer: Transfer, peak: Option<u32>, method: ToneMapping, exposure: Stops) -> ToneMap {
        let light = SourceLight { transfer, primaries: Some(Primaries::Bt2020), peak, hlg_peak: None };
        light.tone_map(method, exposure, Display::Sdr).expect("it is mapped")
    }

    fn stops(text: &str) -> Stops {
        text.parse().expect("a number of stops")
    }

    /// Compares with values that NumPy computed in double precision from the formulas of ST 2084, BT.2100, BT.2390-10
    /// and BT.1886, and from the primaries' chromaticities.
    #[test]
    fn shown_codes_are_those_of_the_standards() {
        for (transfer, peak, method, signal, expected) in EXPECTED {
            let shown = map(transfer, peak, method).shown(signal);
            for (own, other) in shown.iter().zip(expected) {
                assert!((own - other).abs() < 2e-5, "{transfer:?}, {peak:?}, {method:?}, {signal:?}: {shown:?}");
            }
        }
    }

    /// Transfer function, peak, way, and red, green and blue before and after.
    type Example = (Transfer, Option<u32>, ToneMapping, [f64; 3], [f64; 3]);

    const EXPECTED: [Example; 30] = [
        (Transfer::Pq, None, ToneMapping::Bt2390, [0.1, 0.1, 0.1], [0.068378, 0.068378, 0.068378]),
        (Transfer::Pq, None, ToneMapping::Bt2390, [0.5, 0.5, 0.5], [0.64893, 0.64893, 0.64893]),
        (Transfer::Pq, None, ToneMapping::Bt2390, [0.75, 0.75, 0.75], [0.948717, 0.948717, 0.948717]),
        (Transfer::Pq, None, ToneMapping::Bt2390, [0.9, 0.9, 0.9], [0.996646, 0.996646, 0.996646]),
        (Transfer::Pq, None, ToneMapping::Bt2390, [0.6, 0.5, 0.4], [0.933063, 0.488734, 0.29838]),
        (Transfer::Pq, None, ToneMapping::Bt2390, [0.3, 0.55, 0.7], [0.0, 0.525076, 0.94766]),
        (Transfer::Pq, Some(1000), ToneMapping::Bt2390, [0.1, 0.1, 0.1], [0.068378, 0.068378, 0.068378]),
        (Transfer::Pq, Some(1000), ToneMapping::Bt2390, [0.5, 0.5, 0.5], [0.719621, 0.719621, 0.719621]),
        (Transfer::Pq, Some(1000), ToneMapping::Bt2390, [0.75, 0.75, 0.75], [1.0, 1.0, 1.0]),
        (Transfer::Pq, Some(1000), ToneMapping::Bt2390, [0.9, 0.9, 0.9], [1.0, 1.0, 1.0]),
        (Transfer::Pq, Some(1000), ToneMapping::Bt2390, [0.6, 0.5, 0.4], [1.0, 0.566157, 0.345648]),
        (Transfer::Pq, Some(1000), ToneMapping::Bt2390, [0.3, 0.55, 0.7], [0.0, 0.573592, 1.0]),
        (Transfer::Pq, None, ToneMapping::Clip, [0.1, 0.1, 0.1], [0.068378, 0.068378, 0.068378]),
        (Transfer::Pq, None, ToneMapping::Clip, [0.5, 0.5, 0.5], [0.719898, 0.719898, 0.719898]),
        (Transfer::Pq, None, ToneMapping::Clip, [0.75, 0.75, 0.75], [1.0, 1.0, 1.0]),
        (Transfer::Pq, None, ToneMapping::Clip, [0.9, 0.9, 0.9], [1.0, 1.0, 1.0]),
        (Transfer::Pq, None, ToneMapping::Clip, [0.6, 0.5, 0.4], [1.0, 0.656155, 0.400593]),
        (Transfer::Pq, None, ToneMapping::Clip, [0.3, 0.55, 0.7], [0.0, 0.91647, 1.0]),
        (Transfer::Hlg, None, ToneMapping::Bt2390, [0.1, 0.1, 0.1], [0.112197, 0.112197, 0.112197]),
        (Transfer::Hlg, None, ToneMapping::Bt2390, [0.5, 0.5, 0.5], [0.560987, 0.560987, 0.560987]),
        (Transfer::Hlg, None, ToneMapping::Bt2390, [0.75, 0.75, 0.75], [0.903443, 0.903443, 0.903443]),
        (Transfer::Hlg, None, ToneMapping::Bt2390, [0.9, 0.9, 0.9], [0.992935, 0.992935, 0.992935]),
        (Transfer::Hlg, None, ToneMapping::Bt2390, [0.6, 0.5, 0.4], [0.742536, 0.550956, 0.453731]),
        (Transfer::Hlg, None, ToneMapping::Bt2390, [0.3, 0.55, 0.7], [0.0, 0.622094, 0.827675]),
        (Transfer::Hlg, None, ToneMapping::Clip, [0.1, 0.1, 0.1], [0.112197, 0.112197, 0.112197]),
        (Transfer::Hlg, None, ToneMapping::Clip, [0.5, 0.5, 0.5], [0.560987, 0.560987, 0.560987]),
        (Transfer::Hlg, None, ToneMapping::Clip, [0.75, 0.75, 0.75], [1.0, 1.0, 1.0]),
        (Transfer::Hlg, None, ToneMapping::Clip, [0.9, 0.9, 0.9], [1.0, 1.0, 1.0]),
        (Transfer::Hlg, None, ToneMapping::Clip, [0.6, 0.5, 0.4], [0.742536, 0.550956, 0.453731]),
        (Transfer::Hlg, None, ToneMapping::Clip, [0.3, 0.55, 0.7], [0.0, 0.635389, 0.845364]),
    ];

    /// Compares with values that NumPy computed in the same way for a display for HDR, whose codes go on beyond 0 and
    /// 1.
    #[test]
    fn displays_for_hdr_are_given_all_light() {
        let shown = |transfer, mapping, white, signal| {
            let light = SourceLight { transfer, primaries: Some(Primaries::Bt2020), peak: Some(400), hlg_peak: None };
            let map = light.tone_map(mapping, Stops::default(), Display::Hdr { white }).expect("it is mapped");
            (map.text(), map.shown(signal))
        };
        for (transfer, signal, expected) in [
            (Transfer::Pq, [0.9, 0.9, 0.9], [3.428325, 3.428325, 3.428325]),
            (Transfer::Pq, [0.6, 0.5, 0.4], [1.252694, 0.656155, 0.400593]),
            (Transfer::Pq, [0.3, 0.55, 0.7], [-0.795727, 0.91647, 1.654051]),
            (Transfer::Hlg, [0.9, 0.9, 0.9], [1.482328, 1.482328, 1.482328]),
            (Transfer::Hlg, [0.0, 0.6, 0.0], [-0.539355, 0.709018, -0.258497]),
        ] {
            for mapping in [ToneMapping::Bt2390, ToneMapping::Clip] {
                let (text, codes) = shown(transfer, mapping, 203, signal);
                let peak = if transfer == Transfer::Pq { 400 } else { 1000 };
                assert_eq!(text, format!("light as it is, up to {peak} cd/m²"));
                // A white twice as bright has half of the relative light.
                let (_, by_brighter) = shown(transfer, mapping, 406, signal);
                for ((code, expected), by_brighter) in codes.into_iter().zip(expected).zip(by_brighter) {
                    assert!((code - expected).abs() < 2e-5, "{transfer:?}, {signal:?}: {codes:?}");
                    assert!((by_brighter - expected * 0.5_f64.powf(1.0 / 2.4)).abs() < 2e-5, "{transfer:?}");
                }
            }
        }
        let hdr = Display::Hdr { white: 203 };
        let pq = SourceLight { transfer: Transfer::Pq, ..SourceLight::default() };
        assert_eq!(pq.tone_map(ToneMapping::None, Stops::default(), hdr), None, "codes as they are");
        assert_eq!(SourceLight::default().tone_map(ToneMapping::Bt2390, Stops::default(), hdr), None, "SDR");
        let exposed = SourceLight::default().tone_map(ToneMapping::Bt2390, stops("2"), hdr).expect("it is exposed");
        assert_eq!(exposed.shown([0.9; 3]), [1.0; 3], "SDR is clipped at its white");
    }

    #[test]
    fn tables_give_the_same_codes_within_one() {
        let maps = [
            map(Transfer::Pq, None, ToneMapping::Bt2390),
            map(Transfer::Pq, Some(1000), ToneMapping::Bt2390),
            map(Transfer::Pq, Some(100), ToneMapping::Bt2390),
            map(Transfer::Pq, None, ToneMapping::Clip),
            map(Transfer::Hlg, None, ToneMapping::Bt2390),
            map(Transfer::Hlg, None, ToneMapping::Clip),
            exposed(Transfer::Pq, None, ToneMapping::Bt2390, stops("10")),
            exposed(Transfer::Pq, Some(1000), ToneMapping::Bt2390, stops("-3")),
            exposed(Transfer::Hlg, None, ToneMapping::Bt2390, stops("4")),
            exposed(Transfer::Bt1886, None, ToneMapping::Bt2390, stops("-10")),
            exposed(Transfer::Bt1886, None, ToneMapping::Bt2390, stops("1")),
            exposed(Transfer::Pq, None, ToneMapping::None, stops("10")),
        ];
        for map in maps {
            let tables = ToneTables::of(map);
            let mut state = 7_u32;
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                f64::from(state >> 22) / 1023.0
            };
            let colors = (0..100_000).map(|_| [next(), next(), next()]);
            let grays = (0..1024).map(|code| [f64::from(code) / 1023.0; 3]);
            for signal in colors.chain(grays) {
                let shown = tables.shown(signal.map(|part| (part * (SIGNALS - 1) as f64) as f32));
                for (own, exact) in shown.into_iter().zip(map.shown(signal)) {
                    let exact = (exact * 255.0).round();
                    assert!((f64::from(own) - exact).abs() <= 1.0, "{map:?}, {signal:?}: {own}, not {exact}");
                }
            }
        }
    }

    #[test]
    fn black_and_white_and_gray_stay_what_they_are() {
        for map in [map(Transfer::Pq, Some(1000), ToneMapping::Bt2390), map(Transfer::Hlg, None, ToneMapping::Bt2390)] {
            let tables = ToneTables::of(map);
            assert_eq!(tables.shown([0.0; 3]), [0; 3]);
            assert_eq!(tables.shown([4095.0; 3]), [255; 3]);
            for signal in 0..4096 {
                let [red, green, blue] = tables.shown([signal as f32; 3]);
                assert!(red.abs_diff(green) <= 1 && red.abs_diff(blue) <= 1, "{map:?}: {signal}");
            }
        }
    }

    #[test]
    fn only_credible_peaks_are_used() {
        let stated = |max_cll, display: Option<f64>| {
            let content = Some(ContentLight { max_cll, max_fall: 0 });
            let mastering =
                display.map(|max_cd_m2| crate::picture::stated_light::MasteringDisplay { max_cd_m2, min_cd_m2: 0.005 });
            credible_peak(&StatedLight { content, mastering, ..StatedLight::default() })
        };
        assert_eq!(stated(800, Some(1000.0)), Some(800));
        assert_eq!(stated(0, Some(1000.0)), Some(1000), "0 is unknown");
        assert_eq!(stated(65_535, Some(4000.0)), Some(4000));
        assert_eq!(stated(65_535, None), None);
        assert_eq!(stated(0, Some(0.01)), None);
    }

    #[test]
    fn sdr_and_codes_as_they_are_have_no_tone_map() {
        for transfer in Transfer::ALL {
            let light = SourceLight { transfer, ..SourceLight::default() };
            let is_hdr = matches!(transfer, Transfer::Pq | Transfer::Hlg);
            assert_eq!(
                light.tone_map(ToneMapping::Bt2390, Stops::default(), Display::Sdr).is_some(),
                is_hdr,
                "{transfer:?}"
            );
            assert_eq!(light.tone_map(ToneMapping::None, Stops::default(), Display::Sdr), None);
            let exposed = light.tone_map(ToneMapping::None, stops("-1"), Display::Sdr).expect("it is exposed");
            assert_eq!(exposed.text(), "exposure −1 stop", "{transfer:?}");
            // A stop less is half the light, whatever the primaries.
            for code in exposed.shown([0.7; 3]) {
                assert!((code - 0.7 * 0.5_f64.powf(1.0 / 2.4)).abs() < 1e-12, "{transfer:?}: {code}");
            }
        }
        let text = |transfer, peak| map(transfer, peak, ToneMapping::Bt2390).text();
        assert_eq!(text(Transfer::Hlg, Some(4000)), "tone-mapped BT.2390, 1000 → 203 cd/m²");
        assert_eq!(text(Transfer::Pq, None), "tone-mapped BT.2390, 10000 → 203 cd/m²");
        assert_eq!(map(Transfer::Pq, None, ToneMapping::Clip).text(), "clipped above 203 cd/m²");
        let bright = exposed(Transfer::Pq, Some(1000), ToneMapping::Bt2390, stops("1.5"));
        assert_eq!(bright.text(), "tone-mapped BT.2390, 1000 → 203 cd/m², exposure +1.5 stops");
    }

    #[test]
    fn stops_are_parsed_stepped_by_halves_and_written() {
        let text = |stops: Stops| stops.to_string();
        assert_eq!(
            ["0", "1", "-1", "+0.33"].map(|typed| text(stops(typed))),
            ["0 stops", "+1 stop", "−1 stop", "+0.33 stops"]
        );
        for wrong in ["", "x", "10.01", "-11", "nan", "inf"] {
            assert!(wrong.parse::<Stops>().is_err(), "{wrong}");
        }
        let stepped = |from, more| text(stops(from).stepped(more));
        assert_eq!([stepped("0", true), stepped("0", false)], ["+0.5 stops", "−0.5 stops"]);
        assert_eq!([stepped("0.33", true), stepped("0.33", false)], ["+0.5 stops", "0 stops"]);
        assert_eq!([stepped("-0.1", true), stepped("-0.1", false)], ["0 stops", "−0.5 stops"]);
        assert_eq!([stepped("10", true), stepped("-10", false)], ["+10 stops", "−10 stops"]);
    }
}

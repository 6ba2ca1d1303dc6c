//! What a vectorscope counts: the diagram that its pairs are coordinates of.

use serde::{Deserialize, Serialize};

use super::diamond::Diamond;

/// What the vectorscope counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Diagram {
    /// Colour differences, Cb against Cr.
    #[default]
    CbCr,
    /// Chromaticities x and y (CIE 1931).
    Xy,
    /// Chromaticities u\u{2032} and v\u{2032} (CIE 1976).
    Uv,
    /// Red, green and blue against their gamut: B\u{2032} \u{2212} G\u{2032} against B\u{2032} + G\u{2032}, and
    /// R\u{2032} \u{2212} G\u{2032} against \u{2212}(R\u{2032} + G\u{2032}).
    Diamond,
}

/// The relation between levels and coordinates, which both axes of a diagram share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// The difference of the coordinates of neighbouring levels.
    pub step: f64,
    /// The level, with a fraction, whose coordinate is 0.
    pub origin: f64,
}

impl Axis {
    /// Returns the coordinate of a level.
    #[must_use]
    pub fn coordinate_of(self, level: f64) -> f64 {
        (level - self.origin) * self.step
    }

    /// Returns the level, with a fraction, of a coordinate.
    #[must_use]
    pub fn level_of(self, coordinate: f64) -> f64 {
        coordinate / self.step + self.origin
    }
}

impl Diagram {
    /// Every diagram, in the order in which a key cycles through them.
    pub const ALL: [Self; 4] = [Self::CbCr, Self::Xy, Self::Uv, Self::Diamond];

    /// Returns the name used on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CbCr => "Cb, Cr",
            Self::Xy => "CIE 1931 x, y",
            Self::Uv => "CIE 1976 u\u{2032}, v\u{2032}",
            Self::Diamond => "R'G'B' diamond",
        }
    }

    /// Returns the names of both coordinates.
    #[must_use]
    pub const fn coordinates(self) -> [&'static str; 2] {
        match self {
            Self::CbCr => ["Cb", "Cr"],
            Self::Xy => ["x", "y"],
            Self::Uv => ["u\u{2032}", "v\u{2032}"],
            Self::Diamond => ["B' \u{2212} G' and R' \u{2212} G'", "B' + G' and \u{2212}(R' + G')"],
        }
    }

    /// Returns the axis of both coordinates for levels of `bits` bits, or `None` for colour differences, whose levels
    /// are codes.
    #[must_use]
    pub fn axis(self, bits: u32) -> Option<Axis> {
        let levels = f64::from(1_u32 << bits);
        match self {
            Self::CbCr => None,
            // A level's own number is the lower end of the coordinates that it stands for.
            Self::Xy => Some(Axis { step: 0.85 / levels, origin: -0.5 }),
            Self::Uv => Some(Axis { step: 0.63 / levels, origin: -0.5 }),
            Self::Diamond => Some(Axis { step: 2.0 * Diamond::EXTENT / levels, origin: levels / 2.0 }),
        }
    }

    /// Describes a distance of this many levels of `bits` bits, or returns `None` for colour differences.
    #[must_use]
    pub fn distance_words(self, levels: u32, bits: u32) -> Option<String> {
        let distance = (f64::from(levels) + 0.5) * self.axis(bits)?.step;
        Some(if self == Self::Diamond { format!("{:.1} %", 100.0 * distance) } else { format!("{distance:.4}") })
    }

    /// Describes a pair of levels of `bits` bits, or returns `None` for colour differences.
    #[must_use]
    pub fn words(self, levels: [u32; 2], bits: u32) -> Option<String> {
        let axis = self.axis(bits)?;
        let [first, second] = levels.map(|level| axis.coordinate_of(level.into()));
        let [x, y] = self.coordinates();
        Some(match self {
            Self::Diamond => {
                let of = |name: char, part: f64| format!("{name}' {:.1} %", 50.0 * part);
                let name = if second < 0.0 { 'R' } else { 'B' };
                format!("{}  {}", of(name, second.abs() + first), of('G', second.abs() - first))
            }
            _ if levels == [0; 2] => "black: no chromaticity".to_owned(),
            _ => format!("{x} {first:.4}  {y} {second:.4}"),
        })
    }
}

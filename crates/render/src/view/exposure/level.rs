//! Levels of a signal, and limits for marks, in percent or codes: how they are parsed, stored and displayed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use histoscope_core::picture::color::Range;

/// A level of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Level {
    /// Tenths of a percent from black to white in the range in use.
    Permille(i32),
    /// A code at the picture's own depth.
    Code(u32),
}

/// The values of a channel that are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum MarkLimits {
    /// Red, green or blue clipped at an end of the codes, or out of range; for code values, codes outside the nominal
    /// range.
    #[default]
    Clipped,
    /// Codes outside the limits of EBU R 103.
    R103,
    /// Codes at or below the first level, and at or above the second.
    Own(Level, Level),
}

impl MarkLimits {
    /// The custom levels before the user has chosen any.
    pub const OWN_AT_FIRST: [Level; 2] = [Level::Permille(0), Level::Permille(1000)];

    /// Returns the kind of limits that follows this one.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Clipped => Self::R103,
            Self::R103 => Self::Own(Self::OWN_AT_FIRST[0], Self::OWN_AT_FIRST[1]),
            Self::Own(..) => Self::Clipped,
        }
    }
}

/// Tenths of a percent that a level may have: as far as codes go beyond black and white.
const PERMILLES: std::ops::RangeInclusive<i32> = -100..=1100;
/// The highest code of any depth.
const MAX_CODE: u32 = 4095;

impl Level {
    /// Returns the level as displayed text.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Permille(tenths) if tenths % 10 == 0 => format!("{} %", tenths / 10),
            Self::Permille(tenths) => format!("{:.1} %", f64::from(tenths) / 10.0),
            Self::Code(code) => format!("code {code}"),
        }
    }

    /// Returns the next whole percentage up or down, or the next code of `bits` bits.
    #[must_use]
    pub fn stepped(self, more: bool, bits: u32) -> Self {
        match self {
            Self::Permille(tenths) => {
                let percent = if more { tenths.div_euclid(10) + 1 } else { (tenths - 1).div_euclid(10) };
                Self::Permille((10 * percent).clamp(0, 1000))
            }
            Self::Code(code) => {
                let next = if more { code + 1 } else { code.saturating_sub(1) };
                Self::Code(next.min((1 << bits) - 1))
            }
        }
    }

    /// Returns the code at this level of a signal from `black` to `white`, rounded up or down to an integer.
    pub(super) fn code(self, black: i32, white: i32, up: bool) -> i32 {
        match self {
            Self::Code(code) => code as i32,
            Self::Permille(tenths) => {
                let part = (white - black) * tenths;
                black + part.div_euclid(1000) + i32::from(up && part.rem_euclid(1000) > 0)
            }
        }
    }
}

/// Returns the codes of black, of white, and of the highest chroma.
pub(super) const fn nominal(range: Range, bits: u32) -> [i32; 3] {
    let unit = 1 << (bits - 8);
    match range {
        Range::Limited => [16 * unit, 235 * unit, 240 * unit],
        Range::Full => [0, (1 << bits) - 1, (1 << bits) - 1],
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Permille(tenths) => write!(f, "{}%", f64::from(*tenths) / 10.0),
            Self::Code(code) => write!(f, "{code}c"),
        }
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'{text}' is not a level; use a percentage from -10 to 110 (95 or 95%), or a code at the video's depth \
                 with a c (243c)"
            )
        };
        if let Some(code) = text.strip_suffix('c') {
            let code: u32 = code.parse().map_err(|_| wrong())?;
            return if code <= MAX_CODE { Ok(Self::Code(code)) } else { Err(wrong()) };
        }
        let percent: f64 = text.strip_suffix('%').unwrap_or(text).trim_end().parse().map_err(|_| wrong())?;
        let tenths = (percent * 10.0).round();
        let is_possible = tenths >= f64::from(*PERMILLES.start()) && tenths <= f64::from(*PERMILLES.end());
        if is_possible { Ok(Self::Permille(tenths as i32)) } else { Err(wrong()) }
    }
}

impl MarkLimits {
    /// Describes the marked values.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Clipped => "clipped or out of range".to_owned(),
            Self::R103 => "codes outside EBU R 103".to_owned(),
            Self::Own(low, high) => format!("at or below {}, at or above {}", low.text(), high.text()),
        }
    }
}

impl fmt::Display for MarkLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clipped => f.write_str("clipped"),
            Self::R103 => f.write_str("r103"),
            Self::Own(low, high) => write!(f, "{low},{high}"),
        }
    }
}

impl FromStr for MarkLimits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.split_once(',')) {
            ("clipped", _) => Ok(Self::Clipped),
            ("r103", _) => Ok(Self::R103),
            (_, Some((low, high))) => match (low.parse()?, high.parse()?) {
                (Level::Permille(low), Level::Permille(high)) if low >= high => Err(upside_down(text)),
                (Level::Code(low), Level::Code(high)) if low >= high => Err(upside_down(text)),
                (low, high) => Ok(Self::Own(low, high)),
            },
            _ => Err(format!("'{text}' is not a valid limit for marks; use clipped, r103, or two levels (2%,98%)")),
        }
    }
}

fn upside_down(text: &str) -> String {
    format!("'{text}' marks everything: the first of the two levels must be below the second (2%,98%)")
}

/// Stores settings as text, in the same words as on the command line.
macro_rules! as_text {
    ($($name:ty),*) => {$(
        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }
    )*};
}
as_text!(Level, MarkLimits);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_limits_round_trip_as_text() {
        for text in ["95%", "-5%", "105%", "0%", "99.5%", "243c", "0c", "4095c"] {
            assert_eq!(text.parse::<Level>().map(|level| level.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("95".parse(), Ok(Level::Permille(950)));
        assert_eq!("70 %".parse(), Ok(Level::Permille(700)));
        for text in ["", "%", "x", "5000c", "-1c", "111", "-11%", "nan", "1e9"] {
            assert!(text.parse::<Level>().is_err(), "{text}");
        }
        for text in ["clipped", "r103", "2%,98%", "16c,235c"] {
            assert_eq!(text.parse::<MarkLimits>().map(|limits| limits.to_string()).as_deref(), Ok(text));
        }
        assert!("5%".parse::<MarkLimits>().is_err() && "a,b".parse::<MarkLimits>().is_err());
        assert_eq!((Level::Permille(950).text(), Level::Permille(-55).text()), ("95 %".into(), "-5.5 %".into()));
    }

    #[test]
    fn levels_step_by_whole_percent_or_codes_within_their_limits() {
        let step = |level: Level, more| level.stepped(more, 10);
        assert_eq!(
            [true, false].map(|more| step(Level::Permille(950), more)),
            [Level::Permille(960), Level::Permille(940)]
        );
        assert_eq!(
            [true, false].map(|more| step(Level::Permille(955), more)),
            [Level::Permille(960), Level::Permille(950)]
        );
        assert_eq!(
            (step(Level::Permille(1000), true), step(Level::Permille(0), false)),
            (Level::Permille(1000), Level::Permille(0))
        );
        assert_eq!([true, false].map(|more| step(Level::Code(700), more)), [Level::Code(701), Level::Code(699)]);
        assert_eq!((step(Level::Code(1023), true), step(Level::Code(0), false)), (Level::Code(1023), Level::Code(0)));
        assert_eq!(Level::Code(4000).stepped(true, 8), Level::Code(255), "chosen for a deeper picture");
        let own = MarkLimits::Own(Level::Permille(0), Level::Permille(1000));
        assert_eq!(
            [MarkLimits::Clipped, MarkLimits::R103, own].map(MarkLimits::next),
            [MarkLimits::R103, own, MarkLimits::Clipped]
        );
    }
}

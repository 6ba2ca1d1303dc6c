//! The colours of overlaps: mixed like light, or looked up by the set of bars that reach a point.

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The source of the colours of overlaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Overlaps {
    /// Bars mix like light.
    #[default]
    Light,
    /// Each set of bars has a colour in the table.
    Table,
}

impl Overlaps {
    /// Returns the name shown on screen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Light => "mixed as light",
            Self::Table => "from the table",
        }
    }
}

/// A colour with 8 bits per part for each set of bars that reach a point: red is 1, green 2, blue 4, luminance 8; or Y'
/// 1, Cb 2, Cr 4. The first entry is for no bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OverlapTable(pub [[u8; 3]; 16]);

impl Default for OverlapTable {
    /// Returns the colours from webgpufundamentals' second lesson on histograms, as far as it draws them: pure colours,
    /// their sums, gray where all three overlap, and white for luminance alone. The lesson draws luminance separately,
    /// and its entries 9 to 15 are white. Here luminance may share a panel with the colours, so it moves the colour
    /// halfway to white instead of hiding it.
    fn default() -> Self {
        const GRAY: [u8; 3] = [128; 3];
        let table = std::array::from_fn(|set| {
            let color = std::array::from_fn(|part| if set >> part & 1 == 1 { 255 } else { 0 });
            match set {
                7 | 15 => GRAY,
                8 => [255; 3],
                9.. => color.map(|part: u8| part.midpoint(255)),
                _ => color,
            }
        });
        Self(table)
    }
}

impl Serialize for OverlapTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.map(|[r, g, b]| format!("#{r:02x}{g:02x}{b:02x}")).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OverlapTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Colours are deserialized individually, so that an error reports the line of the invalid one.
        Ok(Self(<[Color; 16]>::deserialize(deserializer)?.map(|Color(color)| color)))
    }
}

/// A colour as written in the settings.
struct Color([u8; 3]);

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(ColorText)
    }
}

/// Parses a colour. Errors are raised while the string is visited, so that they report its line and not the following
/// one.
struct ColorText;

impl Visitor<'_> for ColorText {
    type Value = Color;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a colour as #rrggbb")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Color, E> {
        let wrong = || E::custom(format!("'{text}' is not a colour; use #rrggbb, for example #ff8000"));
        let is_hex = |digits: &&str| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let digits = text.strip_prefix('#').filter(is_hex).ok_or_else(wrong)?;
        let [_, r, g, b] = u32::from_str_radix(digits, 16).map_err(|_| wrong())?.to_be_bytes();
        Ok(Color([r, g, b]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_table_is_that_of_the_lesson_as_far_as_it_draws() {
        let OverlapTable(table) = OverlapTable::default();
        assert_eq!([table[1], table[2], table[3], table[6]], [[255, 0, 0], [0, 255, 0], [255, 255, 0], [0, 255, 255]]);
        assert_eq!([table[0], table[7], table[8], table[15]], [[0; 3], [128; 3], [255; 3], [128; 3]]);
        // The lesson has white here, which it never draws.
        assert_eq!([table[9], table[11], table[14]], [[255, 127, 127], [255, 255, 127], [127, 255, 255]]);
    }

    #[test]
    fn colours_round_trip_and_an_error_names_its_line() {
        let table = OverlapTable::default();
        let text = serde_json::to_string_pretty(&table).unwrap();
        assert_eq!(serde_json::from_str::<OverlapTable>(&text).unwrap(), table);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!((lines.len(), lines[2]), (18, "  \"#ff0000\","), "a line for each");
        for wrong in ["#ff00", "ff0000", "#ff00zz", "#ff+000", "red", "#äöü"] {
            let error = serde_json::from_str::<OverlapTable>(&text.replace("#00ff00", wrong)).unwrap_err().to_string();
            assert!(error.contains(wrong) && error.contains("#rrggbb") && error.contains("line 4"), "{error}");
        }
        let short = serde_json::from_str::<OverlapTable>("[\"#ffffff\"]").unwrap_err().to_string();
        assert!(short.contains("array of length 16"), "{short}");
    }
}

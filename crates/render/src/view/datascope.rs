//! The datascope: writes the codes of each pixel into it if the picture is enlarged enough.
//!
//! This is the definition: which codes are written, in which font, and which pixels of the view are ink. The picture's
//! shader and the CPU's painter follow it, using the codes of the picture that they draw.

use serde::{Deserialize, Serialize};

use crate::view::placement::Placement;
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::layout::{ColorModel, PixelLayout};

/// The number format of the codes in pixels, if they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Datascope {
    /// No codes are written.
    Off,
    /// Decimal numbers.
    #[default]
    Decimal,
    /// Hexadecimal numbers.
    Hexadecimal,
}

/// Pixels of the view per pixel of the picture, in both directions, from which codes are written.
pub const MIN_CELL: u32 = 16;

impl Datascope {
    /// Every choice, in the order in which a key cycles through them.
    pub const ALL: [Self; 3] = [Self::Decimal, Self::Hexadecimal, Self::Off];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Decimal => "decimal",
            Self::Hexadecimal => "hexadecimal",
        }
    }

    /// Returns the codes to write for pictures of this layout when these components are being counted, or `None` if
    /// switched off.
    #[must_use]
    pub fn codes(self, layout: &PixelLayout, components: Components) -> Option<Codes> {
        let base = match self {
            Self::Off => return None,
            Self::Decimal => 10,
            Self::Hexadecimal => 16,
        };
        Some(Codes {
            base,
            bits: layout.bin_bits(),
            is_coded: components == Components::YCbCr && layout.model != ColorModel::Rgb,
            is_single: layout.model == ColorModel::Gray,
        })
    }
}

/// The codes to write, regardless of the available space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Codes {
    base: u32,
    bits: u32,
    /// `true` for Y', Cb and Cr as coded; `false` for red, green and blue.
    is_coded: bool,
    /// `true` if a pixel has only one code, because the picture is gray.
    is_single: bool,
}

/// A bitmap font. A word contains four rows of dots, the first row in the lowest bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Font {
    /// Dots across.
    pub width: u32,
    /// Dots down.
    pub height: u32,
    /// The glyphs of the digits 0 to 9 and A to F.
    pub glyphs: [[u32; 2]; 16],
}

impl Font {
    /// Parses glyphs drawn side by side, one string per row of dots.
    const fn read(width: u32, height: u32, rows: &[&str]) -> Self {
        let mut glyphs = [[0; 2]; 16];
        let mut row = 0;
        while row < height as usize {
            let line = rows[row].as_bytes();
            assert!(line.len() == 16 * (width as usize + 1) - 1, "a row has another length");
            let mut at = 0;
            while at < line.len() {
                let (glyph, column) = (at / (width as usize + 1), at % (width as usize + 1));
                if line[at] == b'#' {
                    glyphs[glyph][row / 4] |= 1 << ((row % 4) * width as usize + column);
                }
                at += 1;
            }
            row += 1;
        }
        Self { width, height, glyphs }
    }

    /// Returns `true` if a dot of a glyph is ink.
    #[inline(always)]
    #[must_use]
    pub const fn has_ink(&self, sign: u32, row: u32, column: u32) -> bool {
        self.glyphs[sign as usize][(row / 4) as usize] >> ((row % 4) * self.width + column) & 1 != 0
    }
}

/// Font for pixels of the picture that span 16 to about 20 pixels of the view.
#[rustfmt::skip]
const SMALL: Font = Font::read(3, 5, &[
    "### .#. ### ### #.# ### ### ### ### ### ### #.. ### ..# ### ###",
    "#.# ##. ..# ..# #.# #.. #.. ..# #.# #.# #.# #.. #.. ..# #.. #..",
    "#.# .#. ### ### ### ### ### ..# ### ### ### ### #.. ### ### ###",
    "#.# .#. #.. ..# ..# ..# #.# ..# #.# ..# #.# #.# #.. #.# #.. #..",
    "### ### ### ### ..# ### ### ..# ### ### #.# ### ### ### ### #..",
]);

#[rustfmt::skip]
const LARGE: Font = Font::read(5, 7, &[
    ".###. ..#.. .###. ##### ...#. ##### ..##. ##### .###. .###. .###. ####. .###. ####. ##### #####",
    "#...# .##.. #...# ...#. ..##. #.... .#... ....# #...# #...# #...# #...# #...# #...# #.... #....",
    "#...# ..#.. ....# ..#.. .#.#. ####. #.... ...#. #...# #...# #...# #...# #.... #...# #.... #....",
    "#...# ..#.. ...#. ...#. #..#. ....# ####. ..#.. .###. .#### ##### ####. #.... #...# ####. ####.",
    "#...# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....# #...# #...# #.... #...# #.... #....",
    "#...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ...#. #...# #...# #...# #...# #.... #....",
    ".###. .###. ##### .###. ...#. .###. .###. .#... .###. .##.. #...# ####. .###. ####. ##### #....",
]);

/// Rows of dots between two lines.
const LINE_GAP: u32 = 2;

/// The format of the codes in pixels of a certain size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writing {
    /// The font.
    pub font: Font,
    /// Pixels of the view per dot, across and down.
    pub scale: u32,
    /// Number of lines: 3 for the three codes one below the other, or 1 for the luminance, or Y' if the codes are as
    /// coded.
    pub lines: u32,
    /// Number of digits of the highest code.
    pub digits: u32,
    /// 10 or 16; decimal numbers are written without leading zeros.
    pub base: u32,
    /// `true` if the codes are Y', Cb and Cr as coded.
    pub is_coded: bool,
}

impl Codes {
    /// Returns the format for a view, or `None` if the picture's pixels are smaller than [`MIN_CELL`] or have no hard
    /// edges.
    #[must_use]
    pub fn writing(&self, placement: &Placement) -> Option<Writing> {
        let [width, height] = placement.cell_size()?;
        self.in_cells(width, height)
    }

    /// Returns the format for pixels of the picture that span `width` × `height` pixels of the view.
    fn in_cells(&self, width: u32, height: u32) -> Option<Writing> {
        if width.min(height) < MIN_CELL {
            return None;
        }
        let digits = ((1_u32 << self.bits) - 1).ilog(self.base) + 1;
        let writing =
            |font, scale, lines| Writing { font, scale, lines, digits, base: self.base, is_coded: self.is_coded };
        // Leave more space around the text than inside it; otherwise the codes of neighbouring pixels run together.
        let fits = |writing: &Writing| {
            let [across, down] = writing.size();
            let below = if writing.lines > 1 { 7 } else { 3 };
            across + 3 * writing.scale <= width && down + below * writing.scale <= height
        };
        let largest = |lines| (1..=width).map(|scale| writing(LARGE, scale, lines)).take_while(fits).last();
        let all = if self.is_single { None } else { largest(3) };
        // Until three lines fit, a single one keeps the scale that they will start with.
        let one = if self.is_single { largest(1) } else { Some(writing(LARGE, 1, 1)).filter(fits) };
        Some(all.or(one).unwrap_or_else(|| writing(SMALL, 1, 1)))
    }
}

impl Writing {
    /// Returns the width and height of the text, in pixels of the view.
    #[must_use]
    pub const fn size(&self) -> [u32; 2] {
        let [across, down] = self.pitch();
        [self.digits * across - self.scale, self.lines * down - LINE_GAP * self.scale]
    }

    /// Returns the distance between digits and between lines, in pixels of the view.
    #[must_use]
    pub const fn pitch(&self) -> [u32; 2] {
        [(self.font.width + 1) * self.scale, (self.font.height + LINE_GAP) * self.scale]
    }

    /// Returns the codes of the lines, given the component codes of a pixel.
    #[inline(always)]
    #[must_use]
    pub fn values(&self, codes: [u32; 3], conversion: &Conversion) -> [u32; 3] {
        if self.is_coded {
            return codes;
        }
        let rgb = conversion.unclamped(codes.map(|code| code as i32));
        let rgb = rgb.map(|code| code.clamp(0, conversion.max_code()) as u32);
        if self.lines > 1 { rgb } else { [conversion.luminance_bin(rgb); 3] }
    }

    /// Returns `true` if a pixel of the view is ink. It lies at `at` in a pixel of the picture that has these values
    /// and is drawn `size` pixels large.
    #[inline(always)]
    #[must_use]
    pub fn is_ink(&self, at: [u32; 2], size: [u32; 2], values: [u32; 3]) -> bool {
        let ([width, height], pitch) = (self.size(), self.pitch());
        // Before the left or upper edge, the difference wraps around and is too large.
        let x = at[0].wrapping_sub(size[0].saturating_sub(width) / 2);
        let y = at[1].wrapping_sub(size[1].saturating_sub(height) / 2);
        if x >= width || y >= height {
            return false;
        }
        let (row, column) = (y % pitch[1] / self.scale, x % pitch[0] / self.scale);
        if row >= self.font.height || column >= self.font.width {
            return false;
        }
        let place = self.digits - 1 - x / pitch[0];
        let rest = values[(y / pitch[1]) as usize] / self.base.pow(place);
        let is_blank = rest == 0 && place > 0 && self.base == 10;
        !is_blank && self.font.has_ink(rest % self.base, row, column)
    }
}

/// Brightness of a colour from which the ink on it is black; there, black and white contrast equally. A sum of squared
/// codes, weighted in 256ths.
pub const LIGHT_BACKGROUND: u32 = 3_500_000;

/// Returns the colour of ink on a colour: black or white, whichever is more legible.
#[inline(always)]
#[must_use]
pub fn ink_on([r, g, b]: [u8; 3]) -> [u8; 3] {
    let square = |code: u8| u32::from(code) * u32::from(code);
    let light = 54 * square(r) + 183 * square(g) + 19 * square(b);
    if light >= LIGHT_BACKGROUND { [0; 3] } else { [255; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::picture::color::{Matrix, Range};

    fn codes(datascope: Datascope, bits: u8, components: Components) -> Codes {
        datascope.codes(&PixelLayout::planar_ycbcr(bits, (1, 1)), components).unwrap()
    }

    /// Returns the drawn text of a pixel as lines of dots.
    fn drawn(writing: &Writing, [width, height]: [u32; 2], values: [u32; 3]) -> Vec<String> {
        let sign = |x, y| if writing.is_ink([x, y], [width, height], values) { '#' } else { '.' };
        (0..height).map(|y| (0..width).map(|x| sign(x, y)).collect()).collect()
    }

    #[test]
    fn the_format_depends_on_the_available_space() {
        let decimal = |bits, side| codes(Datascope::Decimal, bits, Components::Rgbl).in_cells(side, side);
        let told = |writing: Option<Writing>| writing.map(|w| (w.lines, w.font.width, w.scale, w.digits));
        assert_eq!(told(decimal(8, 15)), None);
        assert_eq!(told(decimal(8, 16)), Some((1, 3, 1, 3)), "luminance in small letters");
        assert_eq!(told(decimal(10, 16)), Some((1, 3, 1, 4)));
        assert_eq!(told(decimal(8, 20)), Some((1, 5, 1, 3)));
        assert_eq!(told(decimal(10, 25)), Some((1, 3, 1, 4)), "four digits need more");
        assert_eq!(told(decimal(10, 26)), Some((1, 5, 1, 4)));
        assert_eq!(
            told(decimal(12, 31)),
            Some((1, 5, 1, 4)),
            "three lines of pixels below each other would run together"
        );
        for side in [32, 40, 63] {
            assert_eq!(told(decimal(12, side)), Some((3, 5, 1, 4)), "all three in {side}");
        }
        assert_eq!(told(decimal(12, 64)), Some((3, 5, 2, 4)));
        let hexadecimal = codes(Datascope::Hexadecimal, 10, Components::YCbCr).in_cells(32, 32);
        assert_eq!(told(hexadecimal), Some((3, 5, 1, 3)));
        let gray = Datascope::Decimal.codes(&PixelLayout::gray(8), Components::Rgbl).unwrap();
        assert_eq!(told(gray.in_cells(64, 64)), Some((1, 5, 3, 3)), "gray has one code");
        assert_eq!(told(gray.in_cells(200, 20)), Some((1, 5, 2, 3)), "wide pixels");
        assert_eq!(Datascope::Off.codes(&PixelLayout::gray(8), Components::Rgbl), None);
    }

    #[test]
    fn text_stays_inside_its_pixel_and_neighbouring_codes_do_not_touch() {
        for (datascope, bits) in [(Datascope::Decimal, 8), (Datascope::Decimal, 12), (Datascope::Hexadecimal, 10)] {
            for (width, height) in (16..90).flat_map(|side| [(side, side), (side, side + 31), (2 * side, side)]) {
                let writing = codes(datascope, bits, Components::Rgbl).in_cells(width, height).unwrap();
                let [across, down] = writing.size();
                assert!(across < width && down < height, "{width}×{height}: {writing:?}");
                let most = (1 << bits) - 1;
                let lines = drawn(&writing, [width, height], [most; 3]);
                let is_bare = |line: &String| !line.contains('#');
                assert!(is_bare(&lines[height as usize - 1]), "{width}×{height}");
                assert!(lines.iter().all(|line| line.ends_with('.')), "{width}×{height}: {lines:#?}");
            }
        }
    }

    #[test]
    fn codes_are_written_as_numbers() {
        let decimal = codes(Datascope::Decimal, 8, Components::Rgbl).in_cells(16, 16).unwrap();
        let lines = drawn(&decimal, [16, 16], [70; 3]);
        // Two empty columns on the left, then the hundreds digit, which is blank.
        assert_eq!(lines[5], "......###.###...");
        assert_eq!(lines[6], "........#.#.#...");
        assert_eq!(lines[9], "........#.###...");
        let hexadecimal = codes(Datascope::Hexadecimal, 8, Components::Rgbl).in_cells(16, 16).unwrap();
        assert_eq!(drawn(&hexadecimal, [16, 16], [0x0d; 3])[4], "...###..####....", "zeros lead");
        let three = codes(Datascope::Decimal, 8, Components::Rgbl).in_cells(32, 32).unwrap();
        let lines = drawn(&three, [32, 32], [111, 222, 0]);
        assert_eq!(lines[3], ".........#.....#.....#..........", "red");
        assert_eq!(lines[12], "........###...###...###.........", "green");
        assert_eq!(lines[21], "....................###.........", "blue is a single zero");
    }

    #[test]
    fn all_glyphs_differ() {
        for font in [SMALL, LARGE] {
            for (one, other) in (0..16).flat_map(|one| (0..one).map(move |other| (one, other))) {
                let dots =
                    |glyph: usize| (0..font.height).flat_map(move |row| (0..font.width).map(move |c| (glyph, row, c)));
                let differing = dots(one).filter(|&(glyph, row, c)| {
                    font.has_ink(glyph as u32, row, c) != font.has_ink(other as u32, row, c)
                });
                let least = if font.width == 3 { 1 } else { 2 };
                assert!(differing.count() >= least, "{one:X} and {other:X}");
            }
        }
    }

    #[test]
    fn the_written_values_are_the_counted_ones() {
        let conversion = Conversion::from_parts(ColorModel::YCbCr, Matrix::Bt709, Range::Limited, 8);
        let of = |components, side| {
            let writing = codes(Datascope::Decimal, 8, components).in_cells(side, side).unwrap();
            writing.values([81, 90, 240], &conversion)
        };
        assert_eq!(of(Components::YCbCr, 40), [81, 90, 240]);
        assert_eq!(of(Components::YCbCr, 16)[0], 81, "Y' alone");
        let rgb = conversion.unclamped([81, 90, 240]).map(|code| code.clamp(0, 255) as u32);
        assert_eq!(of(Components::Rgbl, 40), rgb);
        assert_eq!(of(Components::Rgbl, 16)[0], conversion.luminance_bin(rgb));
        let result = Datascope::Decimal.codes(&PixelLayout::packed_rgb(8, [0, 1, 2], 4), Components::YCbCr);
        assert!(!result.unwrap().is_coded, "adjusted pictures have no Y'");
    }

    #[test]
    fn ink_can_be_read_on_every_colour() {
        let linear = |code: u8| match f64::from(code) / 255.0 {
            code if code <= 0.040_45 => code / 12.92,
            code => ((code + 0.055) / 1.055).powf(2.4),
        };
        let luminance = |[r, g, b]: [u8; 3]| 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) + 0.05;
        let levels = (0..=255).step_by(15).map(|level| level as u8).collect::<Vec<_>>();
        for &r in &levels {
            for (&g, &b) in levels.iter().flat_map(|g| levels.iter().map(move |b| (g, b))) {
                let (ground, ink) = (luminance([r, g, b]), luminance(ink_on([r, g, b])));
                let contrast = ground.max(ink) / ground.min(ink);
                assert!(contrast >= 4.0, "{contrast} on {r} {g} {b}");
            }
        }
        assert_eq!([ink_on([255, 0, 0]), ink_on([0, 0, 255]), ink_on([110; 3])], [[0; 3], [255; 3], [255; 3]]);
    }
}

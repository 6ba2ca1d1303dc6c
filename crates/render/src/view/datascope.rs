//! The datascope: the codes of each pixel written in it, where the picture is enlarged so far that there is room.
//!
//! This is the definition: which codes are written, by which font, and which pixels of the view are ink. The shader of the picture and
//! the CPU's painter do the same, from the codes of the very picture that they draw.

use serde::{Deserialize, Serialize};

use crate::view::placement::Placement;
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::{Conversion, luminance_bin};
use histoscope_core::picture::layout::{ColorModel, PixelLayout};

/// When codes are written in pixels, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Datascope {
    /// They are not.
    Off,
    /// As decimal numbers.
    #[default]
    Decimal,
    /// As hexadecimal ones.
    Hexadecimal,
}

/// Pixels of the view to a pixel of the picture, in either direction, from which on codes are written.
pub const LEAST_CELL: u32 = 16;

impl Datascope {
    /// Every choice, in the order in which a key goes through them.
    pub const ALL: [Self; 3] = [Self::Decimal, Self::Hexadecimal, Self::Off];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Decimal => "decimal",
            Self::Hexadecimal => "hexadecimal",
        }
    }

    /// Which codes of pictures of this layout are written, where those components are counted.
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

/// Which codes are written, whatever room there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Codes {
    base: u32,
    bits: u32,
    /// `true` if they are Y', Cb and Cr as coded, and not red, green and blue.
    is_coded: bool,
    /// `true` if a pixel has but one, because it is gray.
    is_single: bool,
}

/// Letters of so many dots, of which the first row's come first; four rows in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Font {
    /// Dots across.
    pub width: u32,
    /// Dots down.
    pub height: u32,
    /// The signs 0 to 9 and A to F.
    pub glyphs: [[u32; 2]; 16],
}

impl Font {
    /// Reads letters that are drawn beside each other, a text for each row.
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

    /// Returns `true` if a dot of a sign is ink.
    #[inline(always)]
    #[must_use]
    pub const fn has_ink(&self, sign: u32, row: u32, column: u32) -> bool {
        self.glyphs[sign as usize][(row / 4) as usize] >> ((row % 4) * self.width + column) & 1 != 0
    }
}

/// For pixels of 16 to some 20.
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

/// How codes are written in pixels of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writing {
    /// The letters.
    pub font: Font,
    /// Pixels of the view to a dot, across and down.
    pub scale: u32,
    /// Lines: the three codes one below the other, or one of the luminance, which is Y' where those are as coded.
    pub lines: u32,
    /// Digits of the highest code.
    pub digits: u32,
    /// 10 or 16; decimal numbers have no leading zeros.
    pub base: u32,
    /// `true` if the codes are Y', Cb and Cr as coded.
    pub is_coded: bool,
}

impl Codes {
    /// How they are written on a view; nothing where pixels are smaller than [`LEAST_CELL`], or smooth.
    #[must_use]
    pub fn writing(&self, placement: &Placement) -> Option<Writing> {
        let [width, height] = placement.cell_size()?;
        self.in_cells(width, height)
    }

    /// How they are written in pixels of so many pixels of the view.
    fn in_cells(&self, width: u32, height: u32) -> Option<Writing> {
        if width.min(height) < LEAST_CELL {
            return None;
        }
        let digits = ((1_u32 << self.bits) - 1).ilog(self.base) + 1;
        let writing =
            |font, scale, lines| Writing { font, scale, lines, digits, base: self.base, is_coded: self.is_coded };
        // More room around what is written than inside it: else the codes of pixels beside and below each other run together.
        let fits = |writing: &Writing| {
            let [across, down] = writing.size();
            let below = if writing.lines > 1 { 7 } else { 3 };
            across + 3 * writing.scale <= width && down + below * writing.scale <= height
        };
        let largest = |lines| (1..=width).map(|scale| writing(LARGE, scale, lines)).take_while(fits).last();
        let all = if self.is_single { None } else { largest(3) };
        // Three lines come later; until then one stays as small as they will be.
        let one = if self.is_single { largest(1) } else { Some(writing(LARGE, 1, 1)).filter(fits) };
        Some(all.or(one).unwrap_or_else(|| writing(SMALL, 1, 1)))
    }
}

impl Writing {
    /// Width and height of what is written, in pixels of the view.
    #[must_use]
    pub const fn size(&self) -> [u32; 2] {
        let [across, down] = self.pitch();
        [self.digits * across - self.scale, self.lines * down - LINE_GAP * self.scale]
    }

    /// From a digit to the next one, and from a line to the next one, in pixels of the view.
    #[must_use]
    pub const fn pitch(&self) -> [u32; 2] {
        [(self.font.width + 1) * self.scale, (self.font.height + LINE_GAP) * self.scale]
    }

    /// The codes of the lines, from the component codes of a pixel.
    #[inline(always)]
    #[must_use]
    pub fn values(&self, codes: [u32; 3], conversion: &Conversion) -> [u32; 3] {
        if self.is_coded {
            return codes;
        }
        let rgb = conversion.unclamped(codes.map(|code| code as i32));
        let rgb = rgb.map(|code| code.clamp(0, conversion.max_code()) as u32);
        if self.lines > 1 { rgb } else { [luminance_bin(rgb, conversion.bits); 3] }
    }

    /// Returns `true` if a pixel of the view is ink, of a pixel of the picture with these values that is drawn `size` pixels large, at this
    /// place in it.
    #[inline(always)]
    #[must_use]
    pub fn is_ink(&self, at: [u32; 2], size: [u32; 2], values: [u32; 3]) -> bool {
        let ([width, height], pitch) = (self.size(), self.pitch());
        // Beyond the edge it wraps around and is too large.
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

/// Light from which on ink is black: where both contrast alike. In squares of codes weighted by 256ths.
pub const LIGHT_GROUND: u32 = 3_500_000;

/// The colour of ink on a colour: black or white, whichever can be read better.
#[inline(always)]
#[must_use]
pub fn ink_on([r, g, b]: [u8; 3]) -> [u8; 3] {
    let square = |code: u8| u32::from(code) * u32::from(code);
    let light = 54 * square(r) + 183 * square(g) + 19 * square(b);
    if light >= LIGHT_GROUND { [0; 3] } else { [255; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::picture::color::{Matrix, Range};

    fn codes(datascope: Datascope, bits: u8, components: Components) -> Codes {
        datascope.codes(&PixelLayout::planar_ycbcr(bits, (1, 1)), components).unwrap()
    }

    /// Returns the text of a pixel as lines of dots.
    fn drawn(writing: &Writing, [width, height]: [u32; 2], values: [u32; 3]) -> Vec<String> {
        let sign = |x, y| if writing.is_ink([x, y], [width, height], values) { '#' } else { '.' };
        (0..height).map(|y| (0..width).map(|x| sign(x, y)).collect()).collect()
    }

    #[test]
    fn what_has_room_is_written() {
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
    fn whatever_is_written_lies_in_its_pixel_and_codes_beside_each_other_do_not_touch() {
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
        // Two pixels at the left, then a place for hundreds, which is blank.
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
    fn every_sign_is_another_one() {
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
    fn the_values_are_those_that_are_counted() {
        let conversion = Conversion::from_parts(ColorModel::YCbCr, Matrix::Bt709, Range::Limited, 8);
        let of = |components, side| {
            let writing = codes(Datascope::Decimal, 8, components).in_cells(side, side).unwrap();
            writing.values([81, 90, 240], &conversion)
        };
        assert_eq!(of(Components::YCbCr, 40), [81, 90, 240]);
        assert_eq!(of(Components::YCbCr, 16)[0], 81, "Y' alone");
        let rgb = conversion.unclamped([81, 90, 240]).map(|code| code.clamp(0, 255) as u32);
        assert_eq!(of(Components::Rgbl, 40), rgb);
        assert_eq!(of(Components::Rgbl, 16)[0], luminance_bin(rgb, 8));
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

//! A region of the picture as given on the command line.

use std::fmt;
use std::str::FromStr;

use histoscope_core::picture::region::Rect;

/// A coordinate or length in the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Extent {
    Pixels(u32),
    Percent(f64),
}

impl Extent {
    /// Converts to pixels, given the length of that side of the picture. Fractions are rounded to the nearest pixel.
    fn of(self, side: u32) -> u32 {
        match self {
            Self::Pixels(pixels) => pixels,
            Self::Percent(percent) => (f64::from(side) * percent / 100.0).round() as u32,
        }
    }
}

/// `--region x,y,w,h`: each value in pixels, or as a percentage of the picture's width or height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionSpec {
    x: Extent,
    y: Extent,
    width: Extent,
    height: Extent,
}

impl RegionSpec {
    /// Creates a region from a rectangle in pixels.
    #[must_use]
    pub const fn pixels(rect: Rect) -> Self {
        let Rect { x, y, width, height } = rect;
        let [x, y, width, height] =
            [Extent::Pixels(x), Extent::Pixels(y), Extent::Pixels(width), Extent::Pixels(height)];
        Self { x, y, width, height }
    }

    /// Returns the rectangle in a picture of this size, or `None` if it is empty or not completely inside.
    #[must_use]
    pub fn in_picture(&self, width: u32, height: u32) -> Option<Rect> {
        let rect = Rect {
            x: self.x.of(width),
            y: self.y.of(height),
            width: self.width.of(width),
            height: self.height.of(height),
        };
        rect.fits(width, height).then_some(rect)
    }
}

impl fmt::Display for RegionSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = [self.x, self.y, self.width, self.height].map(|extent| match extent {
            Extent::Pixels(pixels) => pixels.to_string(),
            Extent::Percent(percent) => format!("{percent}%"),
        });
        f.write_str(&text.join(","))
    }
}

impl FromStr for RegionSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'{text}' is not a region; write x,y,width,height in pixels (0,140,1920,800) or in percent of the \
                 picture (25%,25%,50%,50%), with width and height above zero"
            )
        };
        let extents = text.split(',').map(|part| extent(part.trim())).collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
        let &[x, y, width, height] = extents.as_slice() else { return Err(wrong()) };
        let is_empty = |extent| matches!(extent, Extent::Pixels(0)) || extent == Extent::Percent(0.0);
        if is_empty(width) || is_empty(height) { Err(wrong()) } else { Ok(Self { x, y, width, height }) }
    }
}

fn extent(text: &str) -> Option<Extent> {
    match text.strip_suffix('%') {
        None => text.parse().ok().map(Extent::Pixels),
        Some(number) if number.bytes().all(|b| b.is_ascii_digit() || b == b'.') => {
            number.parse().ok().filter(|percent| (0.0..=100.0).contains(percent)).map(Extent::Percent)
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_parse_in_pixels_and_percent() {
        let region: RegionSpec = "10, 20,300,40".parse().unwrap();
        assert_eq!(region.in_picture(320, 240), Some(Rect { x: 10, y: 20, width: 300, height: 40 }));
        assert_eq!(region.in_picture(309, 240), None);
        let region: RegionSpec = "25%,0,50%,33.3%".parse().unwrap();
        assert_eq!(region.in_picture(640, 360), Some(Rect { x: 160, y: 0, width: 320, height: 120 }));
        assert_eq!(region.to_string(), "25%,0,50%,33.3%");
        for text in ["", "1,2,3", "1,2,3,4,5", "0,0,0,4", "0,0,4,0%", "-1,0,4,4", "0,0,101%,4", "a,0,1,1", "0,0,1e1%,1"]
        {
            assert!(text.parse::<RegionSpec>().is_err(), "{text}");
        }
        let most = u32::MAX;
        assert_eq!(RegionSpec::pixels(Rect { x: most, y: 0, width: most, height: 1 }).in_picture(100, 100), None);
    }
}

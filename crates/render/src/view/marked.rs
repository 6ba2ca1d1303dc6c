//! The number and positions of marked pixels, for finding a few among millions.

use super::exposure::PixelMarks;

/// Maximum number of stored positions: few enough that each pixel can be pointed out.
pub const MAX_PLACES: usize = 64;

/// The marked pixels of a picture or of a region.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marked {
    /// Number of inspected pixels.
    pub looked_at: u64,
    /// Number of marked pixels.
    pub pixels: u64,
    /// Number of pixels marked as low, for each of three channels.
    pub below: [u64; 3],
    /// Number of pixels marked as high, for each of three channels.
    pub above: [u64; 3],
    /// Columns and rows of the first marked pixels, row by row from the top; complete if there are at most
    /// [`MAX_PLACES`].
    pub places: Vec<[u32; 2]>,
}

impl Marked {
    /// Adds the next pixel.
    #[inline]
    pub fn add(&mut self, seen: &PixelMarks, place: [u32; 2]) {
        self.looked_at += 1;
        if !seen.is_marked() {
            return;
        }
        self.pixels += 1;
        for channel in 0..3 {
            self.below[channel] += u64::from(seen.below[channel]);
            self.above[channel] += u64::from(seen.above[channel]);
        }
        if self.places.len() < MAX_PLACES {
            self.places.push(place);
        }
    }

    /// Returns the positions of all marked pixels, or an empty slice if there are more than [`MAX_PLACES`].
    #[must_use]
    pub fn few(&self) -> &[[u32; 2]] {
        if self.pixels as usize <= MAX_PLACES { &self.places } else { &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_add_up_and_the_first_places_are_kept() {
        let red = PixelMarks { above: [true, false, false], ..PixelMarks::default() };
        let row = |marked: &mut Marked, row: u32, count: u32| {
            (0..50).for_each(|x| marked.add(if x < count { &red } else { &const { dark() } }, [x, row]));
        };
        let mut few = Marked::default();
        [2, 0, 1].into_iter().zip(0..).for_each(|(count, y)| row(&mut few, y, count));
        assert_eq!((few.looked_at, few.pixels, few.above, few.below), (150, 3, [3, 0, 0], [0; 3]));
        assert_eq!(few.few(), [[0, 0], [1, 0], [0, 2]]);
        let mut many = Marked::default();
        [50, 50].into_iter().zip(0..).for_each(|(count, y)| row(&mut many, y, count));
        assert_eq!((many.pixels, many.places.len(), many.few().len()), (100, MAX_PLACES, 0));
        assert_eq!(many.places.last(), Some(&[13, 1]), "the first ones are kept");
    }

    const fn dark() -> PixelMarks {
        PixelMarks { zebra: false, is_light: false, below: [false; 3], above: [false; 3], is_sharp: false }
    }
}

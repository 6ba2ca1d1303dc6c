//! How much of a picture is marked, and where: so that a few pixels among millions are found.

use super::exposure::Seen;

/// The most places that are kept: so few pixels can each be pointed out.
pub const MOST_PLACES: usize = 64;

/// The marked pixels of a picture, or of a region of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marked {
    /// Pixels that were looked at.
    pub looked_at: u64,
    /// Those of them that are marked.
    pub pixels: u64,
    /// Those whose channel is marked as low, for each of three channels.
    pub below: [u64; 3],
    /// The same as high.
    pub above: [u64; 3],
    /// Column and row of those that come first, row by row from the top: of all if they are not more than [`MOST_PLACES`].
    pub places: Vec<[u32; 2]>,
}

impl Marked {
    /// Adds a pixel behind the others.
    #[inline]
    pub fn add(&mut self, seen: &Seen, place: [u32; 2]) {
        self.looked_at += 1;
        if !seen.is_marked() {
            return;
        }
        self.pixels += 1;
        for channel in 0..3 {
            self.below[channel] += u64::from(seen.below[channel]);
            self.above[channel] += u64::from(seen.above[channel]);
        }
        if self.places.len() < MOST_PLACES {
            self.places.push(place);
        }
    }

    /// The places of all pixels that are marked, where they are few.
    #[must_use]
    pub fn few(&self) -> &[[u32; 2]] {
        if self.pixels as usize <= MOST_PLACES { &self.places } else { &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_add_up_and_the_first_places_are_kept() {
        let red = Seen { above: [true, false, false], ..Seen::default() };
        let row = |marked: &mut Marked, row: u32, count: u32| {
            (0..50).for_each(|x| marked.add(if x < count { &red } else { &const { dark() } }, [x, row]));
        };
        let mut few = Marked::default();
        [2, 0, 1].into_iter().zip(0..).for_each(|(count, y)| row(&mut few, y, count));
        assert_eq!((few.looked_at, few.pixels, few.above, few.below), (150, 3, [3, 0, 0], [0; 3]));
        assert_eq!(few.few(), [[0, 0], [1, 0], [0, 2]]);
        let mut many = Marked::default();
        [50, 50].into_iter().zip(0..).for_each(|(count, y)| row(&mut many, y, count));
        assert_eq!((many.pixels, many.places.len(), many.few().len()), (100, MOST_PLACES, 0));
        assert_eq!(many.places.last(), Some(&[13, 1]), "the first ones are kept");
    }

    const fn dark() -> Seen {
        Seen { zebra: false, is_light: false, below: [false; 3], above: [false; 3] }
    }
}

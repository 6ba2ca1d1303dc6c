//! How much of a picture is marked, and where: so that a few pixels among millions are found.

use super::exposure::Seen;

/// The most places that are kept: so few pixels can each be pointed out.
pub const MOST_PLACES: usize = 64;

/// What of a picture, or of a region of it, is marked.
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

    /// Together with what follows in the picture.
    #[must_use]
    pub fn followed_by(mut self, next: Self) -> Self {
        self.looked_at += next.looked_at;
        self.pixels += next.pixels;
        for channel in 0..3 {
            self.below[channel] += next.below[channel];
            self.above[channel] += next.above[channel];
        }
        self.places.extend(next.places);
        self.places.truncate(MOST_PLACES);
        self
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
    fn parts_of_a_picture_add_up_in_their_order() {
        let red = Seen { above: [true, false, false], ..Seen::default() };
        let part = |row: u32, marked: u32| {
            let mut part = Marked::default();
            (0..50).for_each(|x| part.add(if x < marked { &red } else { &const { dark() } }, [x, row]));
            part
        };
        let all = part(0, 2).followed_by(part(1, 0)).followed_by(part(2, 1));
        assert_eq!((all.looked_at, all.pixels, all.above, all.below), (150, 3, [3, 0, 0], [0; 3]));
        assert_eq!(all.few(), [[0, 0], [1, 0], [0, 2]]);
        let many = part(0, 50).followed_by(part(1, 50));
        assert_eq!((many.pixels, many.places.len(), many.few().len()), (100, MOST_PLACES, 0));
        assert_eq!(many.places.last(), Some(&[13, 1]), "the first ones are kept");
    }

    const fn dark() -> Seen {
        Seen { zebra: false, is_light: false, below: [false; 3], above: [false; 3] }
    }
}

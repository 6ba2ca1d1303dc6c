//! Probes: pixels that the user pins.

use serde::{Deserialize, Serialize};

/// Up to eight pixels of the coded picture, by column and row. A probe keeps its number when others are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<[u32; 3]>", into = "Vec<[u32; 3]>")]
pub struct Probes([Option<(u32, u32)>; Self::MOST]);

/// Reads numbers from 1, columns and rows. What is no probe is left out.
impl From<Vec<[u32; 3]>> for Probes {
    fn from(kept: Vec<[u32; 3]>) -> Self {
        let mut probes = Self::default();
        for [number, x, y] in kept {
            let place = (number as usize).checked_sub(1).and_then(|probe| probes.0.get_mut(probe));
            place.into_iter().for_each(|place| *place = Some((x, y)));
        }
        probes
    }
}

impl From<Probes> for Vec<[u32; 3]> {
    fn from(probes: Probes) -> Self {
        probes.within((u32::MAX, u32::MAX)).map(|(probe, (x, y))| [probe as u32 + 1, x, y]).collect()
    }
}

impl Probes {
    /// The most probes.
    pub const MOST: usize = 8;

    /// Returns `true` if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the probes that lie in pictures of this size, with their index.
    pub fn within(&self, (width, height): (u32, u32)) -> impl Iterator<Item = (usize, (u32, u32))> + use<> {
        let places = self.0.into_iter().enumerate().filter_map(|(probe, place)| Some((probe, place?)));
        places.filter(move |(_, (x, y))| *x < width && *y < height)
    }

    /// Returns the probes with one more, and its index, or `None` if there are as many as there can be.
    #[must_use]
    pub fn with(mut self, place: (u32, u32)) -> Option<(Self, usize)> {
        let probe = self.0.iter().position(Option::is_none)?;
        self.0[probe] = Some(place);
        Some((self, probe))
    }

    /// Returns the probes with this one at another pixel.
    #[must_use]
    pub fn moved(mut self, probe: usize, to: (u32, u32)) -> Self {
        self.0.get_mut(probe).into_iter().flatten().for_each(|place| *place = to);
        self
    }

    /// Returns the probes without this one.
    #[must_use]
    pub fn without(mut self, probe: usize) -> Self {
        self.0.get_mut(probe).into_iter().for_each(|place| *place = None);
        self
    }
}

/// Returns a probe's name.
#[must_use]
pub fn name(probe: usize) -> String {
    format!("P{}", probe + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probes(count: u32) -> Probes {
        (0..count).fold(Probes::default(), |probes, index| probes.with((index, 10 * index)).unwrap().0)
    }

    #[test]
    fn a_ninth_probe_is_refused_and_numbers_stay() {
        let eight = probes(8);
        assert_eq!(eight.with((9, 9)), None);
        let fewer = eight.without(2);
        assert_eq!(
            fewer.within((100, 100)).map(|(probe, _)| name(probe)).collect::<Vec<_>>().join(" "),
            "P1 P2 P4 P5 P6 P7 P8"
        );
        assert_eq!(fewer.with((50, 51)), Some((eight.moved(2, (50, 51)), 2)), "the free number is given again");
        assert_eq!(fewer.moved(2, (1, 1)), fewer, "there is nothing to move");
        assert_eq!(eight.within((4, 21)).map(|(probe, _)| probe).collect::<Vec<_>>(), [0, 1, 2], "in a small picture");
        assert!(probes(1).without(0).is_empty() && !probes(1).is_empty());
    }

    #[test]
    fn kept_probes_are_read_again_and_others_left_out() {
        let kept = probes(3).without(1);
        assert_eq!(Vec::from(kept), [[1, 0, 0], [3, 2, 20]]);
        assert_eq!(Probes::from(Vec::from(kept)), kept);
        assert_eq!(Probes::from(vec![[0, 1, 1], [9, 1, 1], [u32::MAX, 1, 1]]), Probes::default());
    }
}

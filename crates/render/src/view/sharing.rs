//! How another picture is shown with the live one: which one that is, and how both share the view.

use crate::view::rect::PanelRect;
use histoscope_core::adjust::Gain;

/// The picture that is shown with the live one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Other {
    /// The live picture without its adjustments.
    #[default]
    Source,
    /// The frame that is held, with the adjustments of the live picture.
    Held,
    /// The frame of the second clip that belongs to the live one, adjusted likewise.
    Second,
}

impl Other {
    /// Returns `true` if it is at the left and the live picture at the right: what was there before is, the second of two clips is not.
    #[must_use]
    pub const fn is_left(self) -> bool {
        !matches!(self, Self::Second)
    }
}

/// How two pictures share a view.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Sharing {
    /// The live picture has it alone.
    #[default]
    Alone,
    /// A line at this share of the view's width, 0 to 1, has one at either side.
    Divider(f32),
    /// Each has a half of its own, in which all of it is seen.
    SideBySide,
    /// Their difference is shown in their place.
    Difference,
}

/// Two pictures on a view.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pair {
    /// How they share it.
    pub sharing: Sharing,
    /// Which one is shown with the live one.
    pub other: Other,
    /// How many times larger differences are shown than they are.
    pub gain: Gain,
}

impl Pair {
    /// A divider at this share of the view's width.
    #[must_use]
    pub fn divided(share: f32) -> Self {
        Self { sharing: Sharing::Divider(share), ..Self::default() }
    }
}

/// Where one picture ends on a view and the other begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seam {
    /// The first column of the one at the right.
    pub column: u32,
    /// The picture that is shown with the live one.
    pub other: Other,
    /// `true` if it can be dragged.
    pub moves: bool,
}

impl Seam {
    /// Returns `true` if a column of the view is the live picture's.
    #[must_use]
    pub fn is_live(&self, x: f64) -> bool {
        (x < f64::from(self.column)) != self.other.is_left()
    }
}

/// The left and the right half of a part of a view.
#[must_use]
pub const fn halves(area: PanelRect) -> [PanelRect; 2] {
    let left = PanelRect { width: area.width / 2, ..area };
    [left, PanelRect { left: area.left + left.width, width: area.width - left.width, ..area }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_make_the_whole_and_are_of_one_size_or_a_column_apart() {
        for width in [2, 3, 97, 1280] {
            let area = PanelRect { left: 5, top: 7, width, height: 40 };
            let [left, right] = halves(area);
            assert_eq!((left.left, left.left + left.width, right.left + right.width), (5, right.left, 5 + width));
            assert!(right.width - left.width <= 1 && (left.top, right.height) == (7, 40));
        }
    }

    #[test]
    fn a_column_is_of_the_side_that_its_picture_has() {
        let seam = |other| Seam { column: 640, other, moves: true };
        for (other, expected) in
            [(Other::Source, [false, true]), (Other::Held, [false, true]), (Other::Second, [true, false])]
        {
            assert_eq!([639.9, 640.0].map(|x| seam(other).is_live(x)), expected, "{other:?}");
        }
    }
}

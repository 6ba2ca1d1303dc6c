//! How another picture is shown with the live one: which picture it is, and how the two share the view.

use crate::view::rect::PanelRect;
use histoscope_core::adjust::Gain;

/// The picture shown with the live one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Other {
    /// The live picture without its adjustments.
    #[default]
    Source,
    /// The held frame, with the adjustments of the live picture.
    Held,
    /// The frame of the second clip that corresponds to the live one, with the same adjustments.
    Second,
}

impl Other {
    /// Returns `true` if it is on the left and the live picture on the right: an earlier state is on the left, the
    /// second of two clips is not.
    #[must_use]
    pub const fn is_left(self) -> bool {
        !matches!(self, Self::Second)
    }
}

/// The way two pictures share a view.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Sharing {
    /// Only the live picture is shown.
    #[default]
    Alone,
    /// A vertical line at this fraction of the view's width, 0 to 1, has one picture on either side.
    Divider(f32),
    /// Each picture has one half of the view, in which it is fully visible.
    SideBySide,
    /// Only the difference of the pictures is shown.
    Difference,
}

/// Two pictures on a view.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pair {
    /// The way they share the view.
    pub sharing: Sharing,
    /// The picture shown with the live one.
    pub other: Other,
    /// Factor by which differences are amplified.
    pub gain: Gain,
}

impl Pair {
    /// Creates a divider at this fraction of the view's width.
    #[must_use]
    pub fn divided(share: f32) -> Self {
        Self { sharing: Sharing::Divider(share), ..Self::default() }
    }
}

/// The boundary between two pictures on a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seam {
    /// The first column of the picture on the right.
    pub column: u32,
    /// The picture shown with the live one.
    pub other: Other,
    /// `true` if it can be dragged.
    pub moves: bool,
}

impl Seam {
    /// Returns `true` if a column of the view belongs to the live picture.
    #[must_use]
    pub fn is_live(&self, x: f64) -> bool {
        (x < f64::from(self.column)) != self.other.is_left()
    }
}

/// Returns the left and the right half of a part of a view.
#[must_use]
pub const fn halves(area: PanelRect) -> [PanelRect; 2] {
    let left = PanelRect { width: area.width / 2, ..area };
    [left, PanelRect { left: area.left + left.width, width: area.width - left.width, ..area }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_make_the_whole_and_differ_by_at_most_a_column() {
        for width in [2, 3, 97, 1280] {
            let area = PanelRect { left: 5, top: 7, width, height: 40 };
            let [left, right] = halves(area);
            assert_eq!((left.left, left.left + left.width, right.left + right.width), (5, right.left, 5 + width));
            assert!(right.width - left.width <= 1 && (left.top, right.height) == (7, 40));
        }
    }

    #[test]
    fn a_column_belongs_to_the_picture_on_its_side() {
        let seam = |other| Seam { column: 640, other, moves: true };
        for (other, expected) in
            [(Other::Source, [false, true]), (Other::Held, [false, true]), (Other::Second, [true, false])]
        {
            assert_eq!([639.9, 640.0].map(|x| seam(other).is_live(x)), expected, "{other:?}");
        }
    }
}

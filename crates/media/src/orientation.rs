//! From a display matrix to quarter turns and mirroring.

use histoscope_core::picture::Orientation;

/// The orientation that a display matrix asks for; `None` for a matrix that flattens the picture.
///
/// The matrix holds 16.16 fixed-point numbers by which (x, y, 1), y downwards, is multiplied from the left. Angles
/// between quarter turns go to the nearest one.
pub(super) fn from_display_matrix(matrix: &[i32; 9]) -> Option<Orientation> {
    let [a, b, _, c, d, ..] = matrix.map(f64::from);
    let determinant = a * d - b * c;
    if determinant == 0.0 {
        return None;
    }
    // A flip does not show in the angle, only in the determinant's sign.
    let mirrored = determinant < 0.0;
    // The picture's x axis after the turn alone: mirroring, which comes first, has reversed it.
    let (x, y) = if mirrored { (-a, -b) } else { (a, b) };
    let turns = (y.atan2(x) / std::f64::consts::FRAC_PI_2).round() as i32;
    Some(Orientation { quarter_turns: turns.rem_euclid(4) as u8, mirrored })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: i32 = 1 << 16;

    fn orientation(a: i32, b: i32, c: i32, d: i32) -> Option<(u8, bool)> {
        let matrix = [a * ONE, b * ONE, 0, c * ONE, d * ONE, 0, 0, 0, 1 << 30];
        from_display_matrix(&matrix).map(|o| (o.quarter_turns, o.mirrored))
    }

    #[test]
    fn turns_and_flips() {
        assert_eq!(orientation(1, 0, 0, 1), Some((0, false)));
        assert_eq!(orientation(0, 1, -1, 0), Some((1, false)));
        assert_eq!(orientation(-1, 0, 0, -1), Some((2, false)));
        assert_eq!(orientation(0, -1, 1, 0), Some((3, false)));
        // Left to right.
        assert_eq!(orientation(-1, 0, 0, 1), Some((0, true)));
        // Upside down: mirrored and turned by half.
        assert_eq!(orientation(1, 0, 0, -1), Some((2, true)));
        // Transposed: mirrored, then a quarter turn anticlockwise.
        assert_eq!(orientation(0, 1, 1, 0), Some((3, true)));
        assert_eq!(orientation(0, -1, -1, 0), Some((1, true)));
    }

    #[test]
    fn oblique_and_flat_matrices() {
        assert_eq!(orientation(10, 3, -3, 10), Some((0, false)));
        assert_eq!(orientation(0, 0, 0, 0), None);
    }
}

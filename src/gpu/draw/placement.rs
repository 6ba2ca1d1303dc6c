//! Where the picture lies on the view: cover scaling, pixel aspect and rotation, as pure functions.

use glam::{Mat4, Vec2, Vec3};

use crate::frame::{Orientation, Ratio};

/// Size of a picture as it is seen: with its pixels made square and turned upright, in pixels of the coded height or
/// width that was not stretched.
#[must_use]
pub fn upright_size(width: u32, height: u32, sample_aspect: Ratio, orientation: Orientation) -> Vec2 {
    let size = Vec2::new((f64::from(width) * sample_aspect.value()) as f32, height as f32);
    if orientation.quarter_turns % 2 == 1 { Vec2::new(size.y, size.x) } else { size }
}

/// Part of the view, in each direction, that a picture covers when it is scaled to cover the view with its aspect ratio
/// kept: 1 in one direction, at least 1 in the other, where the surplus is cut off equally at both ends.
#[must_use]
pub fn cover(picture: Vec2, view: Vec2) -> Vec2 {
    let scale = (view / picture).max_element();
    picture * scale / view
}

/// The matrix that takes a point of the coded picture, 0..1 from its top left corner, to clip space.
///
/// `extent` is the part of the view that the upright picture covers, as [`cover`] gives it.
#[must_use]
pub fn transform(extent: Vec2, orientation: Orientation) -> Mat4 {
    // Clip space points up, the picture's rows go down.
    let centre = Mat4::from_scale(Vec3::new(2.0, -2.0, 1.0)) * Mat4::from_translation(Vec3::new(-0.5, -0.5, 0.0));
    let mirror = Mat4::from_scale(Vec3::new(if orientation.mirrored { -1.0 } else { 1.0 }, 1.0, 1.0));
    // Clockwise on the screen is the negative sense in clip space. Quarter turns are written out, so that no rounding of
    // a sine moves a pixel.
    let (sin, cos) = match orientation.quarter_turns % 4 {
        0 => (0.0, 1.0),
        1 => (-1.0, 0.0),
        2 => (0.0, -1.0),
        _ => (1.0, 0.0),
    };
    let turn = Mat4::from_cols_array(&[
        cos, sin, 0.0, 0.0, //
        -sin, cos, 0.0, 0.0, //
        0.0, 0.0, 1.0, 0.0, //
        0.0, 0.0, 0.0, 1.0,
    ]);
    Mat4::from_scale(extent.extend(1.0)) * turn * mirror * centre
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPRIGHT: Orientation = Orientation { quarter_turns: 0, mirrored: false };

    fn close(a: Vec2, b: Vec2) -> bool {
        (a - b).abs().max_element() < 1e-5
    }

    /// Where the coded picture's corner (u, v) lands in clip space.
    fn corner(extent: Vec2, orientation: Orientation, u: f32, v: f32) -> Vec2 {
        transform(extent, orientation).transform_point3(Vec3::new(u, v, 0.0)).truncate()
    }

    #[test]
    fn a_picture_of_the_view_s_aspect_fits_exactly() {
        assert!(close(cover(Vec2::new(1920.0, 1080.0), Vec2::new(1280.0, 720.0)), Vec2::ONE));
    }

    #[test]
    fn surplus_is_cut_in_the_direction_that_has_it() {
        assert!(close(cover(Vec2::new(200.0, 100.0), Vec2::new(100.0, 100.0)), Vec2::new(2.0, 1.0)));
        assert!(close(cover(Vec2::new(100.0, 400.0), Vec2::new(300.0, 300.0)), Vec2::new(1.0, 4.0)));
        for (w, h) in [(1.0, 1.0), (17.0, 1.0), (1.0, 257.0), (641.0, 359.0)] {
            let extent = cover(Vec2::new(w, h), Vec2::new(1600.0, 900.0));
            assert!(extent.min_element() > 0.9999, "{w}×{h} leaves a border: {extent}");
            assert!((extent.min_element() - 1.0).abs() < 1e-4, "{w}×{h} is larger than it need be: {extent}");
        }
    }

    #[test]
    fn the_surplus_is_the_same_at_both_ends() {
        let extent = Vec2::new(2.0, 1.0);
        assert!(close(corner(extent, UPRIGHT, 0.0, 0.0), Vec2::new(-2.0, 1.0)));
        assert!(close(corner(extent, UPRIGHT, 1.0, 1.0), Vec2::new(2.0, -1.0)));
    }

    #[test]
    fn wide_pixels_widen_the_picture() {
        let sixteen_to_eleven = Ratio { num: 16, den: 11 };
        assert!(close(upright_size(704, 576, sixteen_to_eleven, UPRIGHT), Vec2::new(1024.0, 576.0)));
        let turned = Orientation { quarter_turns: 1, mirrored: false };
        assert!(close(upright_size(704, 576, sixteen_to_eleven, turned), Vec2::new(576.0, 1024.0)));
    }

    #[test]
    fn a_clockwise_quarter_turn_takes_the_top_left_corner_to_the_top_right() {
        let turned = |quarter_turns| corner(Vec2::ONE, Orientation { quarter_turns, mirrored: false }, 0.0, 0.0);
        assert!(close(turned(0), Vec2::new(-1.0, 1.0)));
        assert!(close(turned(1), Vec2::new(1.0, 1.0)));
        assert!(close(turned(2), Vec2::new(1.0, -1.0)));
        assert!(close(turned(3), Vec2::new(-1.0, -1.0)));
    }

    #[test]
    fn mirroring_comes_before_turning() {
        let flipped = Orientation { quarter_turns: 0, mirrored: true };
        assert!(close(corner(Vec2::ONE, flipped, 0.0, 0.0), Vec2::new(1.0, 1.0)));
        let both = Orientation { quarter_turns: 1, mirrored: true };
        assert!(close(corner(Vec2::ONE, both, 0.0, 0.0), Vec2::new(1.0, -1.0)));
    }
}

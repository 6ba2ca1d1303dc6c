//! Where the picture lies on the view: cover scaling, pixel aspect and rotation, as pure functions.

use glam::{DMat4, DVec2, DVec3};

use crate::frame::{Orientation, Ratio};

/// Size of a picture as it is seen: with its pixels made square and turned upright, in pixels of the coded height or
/// width that was not stretched.
#[must_use]
pub fn upright_size(width: u32, height: u32, sample_aspect: Ratio, orientation: Orientation) -> DVec2 {
    let size = DVec2::new(f64::from(width) * sample_aspect.value(), f64::from(height));
    if orientation.quarter_turns % 2 == 1 { DVec2::new(size.y, size.x) } else { size }
}

/// Part of the view, in each direction, that a picture covers when it is scaled to cover the view with its aspect ratio
/// kept: 1 in one direction, at least 1 in the other, where the surplus is cut off equally at both ends.
#[must_use]
pub fn cover(picture: DVec2, view: DVec2) -> DVec2 {
    let scale = (view / picture).max_element();
    picture * scale / view
}

/// The matrix that takes a point of the coded picture, 0..1 from its top left corner, to clip space.
///
/// `extent` is the part of the view that the upright picture covers, as [`cover`] gives it.
#[must_use]
pub fn transform(extent: DVec2, orientation: Orientation) -> DMat4 {
    // Clip space points up, the picture's rows go down.
    let centre = DMat4::from_scale(DVec3::new(2.0, -2.0, 1.0)) * DMat4::from_translation(DVec3::new(-0.5, -0.5, 0.0));
    let mirror = DMat4::from_scale(DVec3::new(if orientation.mirrored { -1.0 } else { 1.0 }, 1.0, 1.0));
    // Clockwise on the screen is the negative sense in clip space. Quarter turns are written out, so that no rounding of
    // a sine moves a pixel.
    let (sin, cos) = match orientation.quarter_turns % 4 {
        0 => (0.0, 1.0),
        1 => (-1.0, 0.0),
        2 => (0.0, -1.0),
        _ => (1.0, 0.0),
    };
    let turn = DMat4::from_cols_array(&[
        cos, sin, 0.0, 0.0, //
        -sin, cos, 0.0, 0.0, //
        0.0, 0.0, 1.0, 0.0, //
        0.0, 0.0, 0.0, 1.0,
    ]);
    DMat4::from_scale(extent.extend(1.0)) * turn * mirror * centre
}

/// Where in the coded picture the pixels of a view lie, in luma samples from the picture's top left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// From a pixel of the view to the next one at its right.
    pub across: DVec2,
    /// From a pixel of the view to the next one below.
    pub down: DVec2,
    /// The view's top left corner.
    pub origin: DVec2,
}

impl Sampling {
    /// The sampling of a picture of `picture` luma samples that `transform` places on a view of `view` pixels.
    #[must_use]
    pub fn new(transform: DMat4, picture: DVec2, view: DVec2) -> Self {
        let clip_from_pixel = DMat4::from_translation(DVec3::new(-1.0, 1.0, 0.0))
            * DMat4::from_scale(DVec3::new(2.0 / view.x, -2.0 / view.y, 1.0));
        let picture_from_pixel = DMat4::from_scale(picture.extend(1.0)) * transform.inverse() * clip_from_pixel;
        let vector = |v| picture_from_pixel.transform_vector3(v).truncate();
        Self {
            across: vector(DVec3::X),
            down: vector(DVec3::Y),
            origin: picture_from_pixel.transform_point3(DVec3::ZERO).truncate(),
        }
    }

    /// Whether the picture's rows are columns of the view.
    #[must_use]
    pub fn is_turned(&self) -> bool {
        self.across.x.abs() < self.across.y.abs()
    }

    /// Origin and step, in luma samples, along the picture's rows and along its columns.
    #[must_use]
    pub fn axes(&self) -> ((f64, f64), (f64, f64)) {
        let (x, y) = if self.is_turned() { (self.down.x, self.across.y) } else { (self.across.x, self.down.y) };
        ((self.origin.x, x), (self.origin.y, y))
    }

    /// Luma samples that a pixel of the view spans, at most, in either direction.
    #[must_use]
    pub fn footprint(&self) -> f64 {
        self.across.length().max(self.down.length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPRIGHT: Orientation = Orientation { quarter_turns: 0, mirrored: false };

    fn close(a: DVec2, b: DVec2) -> bool {
        (a - b).abs().max_element() < 1e-5
    }

    /// Where the coded picture's corner (u, v) lands in clip space.
    fn corner(extent: DVec2, orientation: Orientation, u: f64, v: f64) -> DVec2 {
        transform(extent, orientation).transform_point3(DVec3::new(u, v, 0.0)).truncate()
    }

    #[test]
    fn a_picture_of_the_view_s_aspect_fits_exactly() {
        assert!(close(cover(DVec2::new(1920.0, 1080.0), DVec2::new(1280.0, 720.0)), DVec2::ONE));
    }

    #[test]
    fn surplus_is_cut_in_the_direction_that_has_it() {
        assert!(close(cover(DVec2::new(200.0, 100.0), DVec2::new(100.0, 100.0)), DVec2::new(2.0, 1.0)));
        assert!(close(cover(DVec2::new(100.0, 400.0), DVec2::new(300.0, 300.0)), DVec2::new(1.0, 4.0)));
        for (w, h) in [(1.0, 1.0), (17.0, 1.0), (1.0, 257.0), (641.0, 359.0)] {
            let extent = cover(DVec2::new(w, h), DVec2::new(1600.0, 900.0));
            assert!(extent.min_element() > 0.9999, "{w}×{h} leaves a border: {extent}");
            assert!((extent.min_element() - 1.0).abs() < 1e-4, "{w}×{h} is larger than it need be: {extent}");
        }
    }

    #[test]
    fn the_surplus_is_the_same_at_both_ends() {
        let extent = DVec2::new(2.0, 1.0);
        assert!(close(corner(extent, UPRIGHT, 0.0, 0.0), DVec2::new(-2.0, 1.0)));
        assert!(close(corner(extent, UPRIGHT, 1.0, 1.0), DVec2::new(2.0, -1.0)));
    }

    #[test]
    fn wide_pixels_widen_the_picture() {
        let sixteen_to_eleven = Ratio { num: 16, den: 11 };
        assert!(close(upright_size(704, 576, sixteen_to_eleven, UPRIGHT), DVec2::new(1024.0, 576.0)));
        let turned = Orientation { quarter_turns: 1, mirrored: false };
        assert!(close(upright_size(704, 576, sixteen_to_eleven, turned), DVec2::new(576.0, 1024.0)));
    }

    #[test]
    fn a_clockwise_quarter_turn_takes_the_top_left_corner_to_the_top_right() {
        let turned = |quarter_turns| corner(DVec2::ONE, Orientation { quarter_turns, mirrored: false }, 0.0, 0.0);
        assert!(close(turned(0), DVec2::new(-1.0, 1.0)));
        assert!(close(turned(1), DVec2::new(1.0, 1.0)));
        assert!(close(turned(2), DVec2::new(1.0, -1.0)));
        assert!(close(turned(3), DVec2::new(-1.0, -1.0)));
    }

    #[test]
    fn mirroring_comes_before_turning() {
        let flipped = Orientation { quarter_turns: 0, mirrored: true };
        assert!(close(corner(DVec2::ONE, flipped, 0.0, 0.0), DVec2::new(1.0, 1.0)));
        let both = Orientation { quarter_turns: 1, mirrored: true };
        assert!(close(corner(DVec2::ONE, both, 0.0, 0.0), DVec2::new(1.0, -1.0)));
    }

    #[test]
    fn at_its_own_size_every_pixel_is_a_sample() {
        for (w, h) in [(1280, 720), (641, 359), (1, 257), (3, 5)] {
            let size = DVec2::new(f64::from(w), f64::from(h));
            let sampling = Sampling::new(transform(cover(size, size), UPRIGHT), size, size);
            let exact = |v: DVec2| (v.x as f32, v.y as f32);
            assert_eq!(exact(sampling.across), (1.0, 0.0));
            assert_eq!(exact(sampling.down), (0.0, 1.0));
            assert!(sampling.origin.length() < 1e-9, "{sampling:?}");
        }
    }

    #[test]
    fn a_turned_and_smaller_view_samples_along_the_picture_s_columns() {
        let turned = Orientation { quarter_turns: 1, mirrored: false };
        let placed = transform(DVec2::ONE, turned);
        let sampling = Sampling::new(placed, DVec2::new(200.0, 100.0), DVec2::new(50.0, 100.0));
        assert!(close(sampling.across, DVec2::new(0.0, -2.0)), "{sampling:?}");
        assert!(close(sampling.down, DVec2::new(2.0, 0.0)), "{sampling:?}");
        assert!(close(sampling.origin, DVec2::new(0.0, 100.0)), "{sampling:?}");
        assert!((sampling.footprint() - 2.0).abs() < 1e-9);
    }
}

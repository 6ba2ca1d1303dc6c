//! The upright shape of a picture, and the transform from coded positions to the view.

use glam::{DMat4, DVec2, DVec3};

use histoscope_core::picture::{Frame, Orientation, Ratio};

/// Returns the display size of a picture: with square pixels and turned upright. Only the coded width is scaled.
#[must_use]
pub fn upright_size(width: u32, height: u32, sample_aspect: Ratio, orientation: Orientation) -> DVec2 {
    let size = DVec2::new(f64::from(width) * sample_aspect.value(), f64::from(height));
    if orientation.quarter_turns % 2 == 1 { DVec2::new(size.y, size.x) } else { size }
}

/// Returns the matrix that takes a point of the coded picture, 0..1 from its top left corner, to clip space.
///
/// `extent` is the size of the upright picture relative to the view; both have the same centre.
#[must_use]
pub fn transform(extent: DVec2, orientation: Orientation) -> DMat4 {
    // In clip space, y points up; the picture's rows go down.
    let centre = DMat4::from_scale(DVec3::new(2.0, -2.0, 1.0)) * DMat4::from_translation(DVec3::new(-0.5, -0.5, 0.0));
    let mirror = DMat4::from_scale(DVec3::new(if orientation.mirrored { -1.0 } else { 1.0 }, 1.0, 1.0));
    // Clockwise on screen is the negative direction in clip space. Quarter turns are spelled out so that rounding of a
    // sine moves no pixel.
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

/// The properties of a picture that determine its placement on a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Coded width in pixels.
    pub width: u32,
    /// Coded height in pixels.
    pub height: u32,
    /// Width of a pixel over its height.
    pub sample_aspect: Ratio,
    /// The rotation and mirroring for display.
    pub orientation: Orientation,
}

impl Shape {
    /// Returns the shape of a frame's picture.
    #[must_use]
    pub fn of(frame: &Frame) -> Self {
        let (picture, facts) = (&frame.picture, &frame.facts);
        Self {
            width: picture.width(),
            height: picture.height(),
            sample_aspect: facts.sample_aspect,
            orientation: facts.orientation,
        }
    }

    /// Returns the display size; see [`upright_size`].
    #[must_use]
    pub fn upright(&self) -> DVec2 {
        upright_size(self.width, self.height, self.sample_aspect, self.orientation)
    }
}

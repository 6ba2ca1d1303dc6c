//! The visible part of the upright picture: how it fits the view, zoom and pan.

use glam::DVec2;
use serde::{Deserialize, Serialize};

/// The scaling of the picture before zoom is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// The picture covers the view; the excess is cut off.
    #[default]
    Cover,
    /// The whole picture is visible; the rest of the view is black.
    Contain,
    /// One pixel of the view per pixel of the upright picture.
    Actual,
}

impl Fit {
    /// Every fit, in the order in which the user cycles through them.
    pub const ALL: [Self; 3] = [Self::Cover, Self::Contain, Self::Actual];

    /// Returns the name used in the configuration and in on-screen notes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cover => "cover",
            Self::Contain => "contain",
            Self::Actual => "1:1",
        }
    }

    /// Returns the number of pixels of the view per pixel of the upright picture.
    #[must_use]
    pub fn scale(self, upright: DVec2, view: DVec2) -> f64 {
        match self {
            Self::Cover => (view / upright).max_element(),
            Self::Contain => (view / upright).min_element(),
            Self::Actual => 1.0,
        }
    }
}

/// The position of the upright picture on a view, in pixels from the view's top left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PictureRect {
    /// The picture's top left corner.
    pub top_left: DVec2,
    /// The picture's size on the view.
    pub size: DVec2,
}

/// The visible part of the picture, as chosen by the user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewSettings {
    /// The scaling before zoom is applied.
    pub fit: Fit,
    /// Enlargement on top of `fit`.
    pub zoom: f64,
    /// The requested centre of the view, as a point of the upright picture, 0..1 from its top left corner. If the
    /// picture would leave an avoidable gap, it is moved just enough to fill it.
    pub centre: DVec2,
}

impl Default for ViewSettings {
    fn default() -> Self {
        Self::fitted(Fit::Cover)
    }
}

impl ViewSettings {
    /// Maximum number of pixels of the view per pixel of the picture.
    const MAX_ENLARGED: f64 = 64.0;
    /// Minimum size, relative to the size at which the whole picture is visible, or to its own size if that is smaller.
    const MIN_SHRUNK: f64 = 0.25;

    /// Creates settings for the whole picture, with that fit and without zoom.
    #[must_use]
    pub const fn fitted(fit: Fit) -> Self {
        Self { fit, zoom: 1.0, centre: DVec2::splat(0.5) }
    }

    /// Returns the number of pixels of the view per pixel of the upright picture, including zoom.
    #[must_use]
    pub fn scale(&self, upright: DVec2, view: DVec2) -> f64 {
        let fitted = self.fit.scale(upright, view);
        let most = (Self::MAX_ENLARGED / fitted).max(1.0);
        let least = (Fit::Contain.scale(upright, view).min(1.0) * Self::MIN_SHRUNK / fitted).min(1.0);
        let zoom = if self.zoom.is_finite() { self.zoom } else { 1.0 };
        fitted * zoom.clamp(least, most)
    }

    /// Returns the position of a picture of that upright size on a view.
    ///
    /// A side that is smaller than the view is centred and aligned to whole pixels, so that the border to black is
    /// sharp. At integer enlargements the picture's pixels fill whole pixels of the view.
    #[must_use]
    pub fn picture_rect(&self, upright: DVec2, view: DVec2) -> PictureRect {
        let scale = self.scale(upright, view);
        let is_whole = scale >= 1.0 && (scale - scale.round()).abs() < 1e-9;
        let side = |upright: f64, view: f64, centre: f64| {
            let size = upright * scale;
            if size < view - 1e-6 {
                let begin = ((view - size) * 0.5).round();
                return (begin, size.round().max(1.0));
            }
            let centre = if centre.is_finite() { centre } else { 0.5 };
            let begin = (view * 0.5 - centre * size).clamp((view - size).min(0.0), 0.0);
            (if is_whole { begin.round() } else { begin }, size)
        };
        let (x, width) = side(upright.x, view.x, self.centre.x);
        let (y, height) = side(upright.y, view.y, self.centre.y);
        PictureRect { top_left: DVec2::new(x, y), size: DVec2::new(width, height) }
    }

    /// Returns the settings zoomed by `factor`. The point of the picture under `pointer`, in pixels of the view, stays
    /// there as far as the picture's edges allow.
    #[must_use]
    pub fn zoom_at(self, pointer: DVec2, factor: f64, upright: DVec2, view: DVec2) -> Self {
        let before = self.picture_rect(upright, view);
        let held = ((pointer - before.top_left) / before.size).clamp(DVec2::ZERO, DVec2::ONE);
        let scale = Self { zoom: self.zoom * factor, ..self }.scale(upright, view);
        let zoomed = Self { zoom: scale / self.fit.scale(upright, view), ..self };
        zoomed.moved_to(pointer - held * (upright * scale), upright, view)
    }

    /// Returns the settings moved by `pixels` of the view, as far as the picture's edges allow.
    #[must_use]
    pub fn pan_by(self, pixels: DVec2, upright: DVec2, view: DVec2) -> Self {
        self.moved_to(self.picture_rect(upright, view).top_left + pixels, upright, view)
    }

    fn moved_to(self, top_left: DVec2, upright: DVec2, view: DVec2) -> Self {
        let size = upright * self.scale(upright, view);
        let side = |begin: f64, size: f64, view: f64| {
            if size <= view { 0.5 } else { (view * 0.5 - begin.clamp(view - size, 0.0)) / size }
        };
        let centre = DVec2::new(side(top_left.x, size.x, view.x), side(top_left.y, size.y, view.y));
        Self { centre, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICTURE: DVec2 = DVec2::new(1920.0, 1080.0);

    fn at(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    /// Returns the point of the picture, 0..1, under a point of the view.
    fn under(settings: &ViewSettings, point: DVec2, view: DVec2) -> DVec2 {
        let region = settings.picture_rect(PICTURE, view);
        (point - region.top_left) / region.size
    }

    #[test]
    fn cover_leaves_no_gap_and_contain_cuts_nothing_off() {
        for view in [at(480.0, 270.0), at(1000.0, 300.0), at(301.0, 977.0)] {
            let cover = ViewSettings::default().picture_rect(PICTURE, view);
            assert!(
                cover.top_left.max_element() <= 1e-9 && (cover.top_left + cover.size - view).min_element() >= -1e-6
            );
            let contain = ViewSettings::fitted(Fit::Contain).picture_rect(PICTURE, view);
            assert!(contain.top_left.min_element() >= 0.0, "{contain:?}");
            assert!((contain.top_left + contain.size - view).max_element() <= 1e-6, "{contain:?}");
            let aspect = contain.size.x / contain.size.y;
            assert!((aspect / (16.0 / 9.0) - 1.0).abs() < 0.01, "{contain:?}");
        }
    }

    #[test]
    fn at_its_own_size_pixels_are_aligned_to_the_view() {
        for (picture, view) in [(at(101.0, 53.0), at(64.0, 64.0)), (at(10.0, 11.0), at(33.0, 32.0))] {
            let region = ViewSettings::fitted(Fit::Actual).picture_rect(picture, view);
            assert_eq!(region.size, picture);
            assert_eq!(region.top_left, region.top_left.round(), "{region:?}");
        }
    }

    #[test]
    fn the_point_under_the_pointer_stays_there() {
        let view = at(1280.0, 700.0);
        let pointer = at(900.0, 200.0);
        let mut settings = ViewSettings::default();
        let held = under(&settings, pointer, view);
        for factor in [1.1, 1.5, 2.0, 0.7, 1.25] {
            settings = settings.zoom_at(pointer, factor, PICTURE, view);
            let now = under(&settings, pointer, view);
            assert!((now - held).abs().max_element() < 1e-3, "zoom {}: {now} was {held}", settings.zoom);
        }
        let restored = settings.zoom_at(pointer, 1.0 / settings.zoom, PICTURE, view);
        let region = restored.picture_rect(PICTURE, view);
        assert!((region.size - ViewSettings::default().picture_rect(PICTURE, view).size).length() < 1e-6);
    }

    #[test]
    fn zoom_is_limited_at_both_ends_and_ignores_invalid_values() {
        let view = at(1280.0, 720.0);
        let huge = ViewSettings::default().zoom_at(at(5.0, 5.0), 1e12, PICTURE, view);
        assert!((huge.scale(PICTURE, view) - 64.0).abs() < 1e-9);
        let tiny = ViewSettings::default().zoom_at(at(5.0, 5.0), 1e-12, PICTURE, view);
        assert!((tiny.scale(PICTURE, view) - 0.25 * 1280.0 / 1920.0).abs() < 1e-9);
        let back = tiny.zoom_at(at(5.0, 5.0), 2.0, PICTURE, view);
        assert!(back.scale(PICTURE, view) > tiny.scale(PICTURE, view) * 1.99, "it does not stick at the end");
        let nonsense = ViewSettings { zoom: f64::NAN, centre: DVec2::NAN, ..ViewSettings::default() };
        assert_eq!(nonsense.picture_rect(PICTURE, view), ViewSettings::default().picture_rect(PICTURE, view));
    }

    #[test]
    fn a_pan_ends_at_the_picture_s_edge() {
        let view = at(1280.0, 720.0);
        let zoomed = ViewSettings::default().zoom_at(view * 0.5, 3.0, PICTURE, view);
        let before = zoomed.picture_rect(PICTURE, view);
        let moved = zoomed.pan_by(at(100.0, -50.0), PICTURE, view).picture_rect(PICTURE, view);
        assert!((moved.top_left - before.top_left - at(100.0, -50.0)).length() < 1e-6);
        let far = zoomed.pan_by(at(1e6, 1e6), PICTURE, view);
        assert!(far.picture_rect(PICTURE, view).top_left.length() < 1e-6);
        let back = far.pan_by(at(-10.0, 0.0), PICTURE, view).picture_rect(PICTURE, view);
        assert!((back.top_left.x + 10.0).abs() < 1e-6, "the way back begins at once");
    }

    #[test]
    fn a_picture_that_fits_is_not_moved() {
        let view = at(4000.0, 3000.0);
        let settings = ViewSettings::fitted(Fit::Actual).pan_by(at(300.0, 10.0), PICTURE, view);
        assert_eq!(settings, ViewSettings::fitted(Fit::Actual));
    }
}

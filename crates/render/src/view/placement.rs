//! The position of the picture on the view: scaling, zoom, pixel aspect and rotation, as pure functions.
//!
//! [`ViewSettings`] define the visible part of the upright picture; [`Placement`] applies them to a picture's samples.

mod sampling;
mod settings;
mod shape;

use glam::{DMat4, DVec2, DVec3};

use crate::view::rect::PanelRect;
use histoscope_core::picture::region::Rect;
pub use sampling::{Cells, Nearest, Sampling};
pub use settings::PictureRect;
pub use settings::{Fit, ViewSettings};
use shape::transform;
pub use shape::{Shape, upright_size};

/// A picture on a view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// From the coded picture, 0..1 from its top left corner, to clip space.
    pub transform: DMat4,
    /// Positions of the view's pixels in the picture.
    pub sampling: Sampling,
    /// `true` if every pixel of the view shows a single sample, so that samples have hard edges.
    ///
    /// This applies at twice the picture's size or more, if the user has chosen that size. A small video in a large
    /// window stays smooth unless it is zoomed.
    pub has_hard_edges: bool,
    /// Size of the picture in pixels.
    pub picture: (u32, u32),
    /// Size of the view in pixels.
    pub view: (u32, u32),
    /// The part of the view in which the picture is placed and visible.
    pub area: PanelRect,
}

impl Placement {
    /// Places a picture of that shape on a view of `view` pixels.
    #[must_use]
    pub fn new(shape: &Shape, settings: &ViewSettings, view: (u32, u32)) -> Self {
        Self::within(shape, settings, view, PanelRect { left: 0, top: 0, width: view.0, height: view.1 })
    }

    /// Places a picture of that shape in a part of such a view.
    #[must_use]
    pub fn within(shape: &Shape, settings: &ViewSettings, view: (u32, u32), area: PanelRect) -> Self {
        let extent = DVec2::new(view.0.max(1).into(), view.1.max(1).into());
        let part = DVec2::new(area.width.max(1).into(), area.height.max(1).into());
        let corner = DVec2::new(area.left.into(), area.top.into());
        let region = settings.picture_rect(shape.upright(), part);
        let centre = (corner + region.top_left + region.size * 0.5) / extent;
        let shift = DMat4::from_translation(DVec3::new(2.0 * centre.x - 1.0, 1.0 - 2.0 * centre.y, 0.0));
        let transform = shift * transform(region.size / extent, shape.orientation);
        let picture = (shape.width, shape.height);
        let size = DVec2::new(shape.width.into(), shape.height.into());
        let sampling = Sampling::new(transform, size, extent);
        let was_asked = settings.fit == Fit::Actual || settings.zoom > 1.0;
        Self { transform, sampling, has_hard_edges: was_asked && sampling.footprint() < 0.5001, picture, view, area }
    }

    /// Returns the same picture on only some columns of the view, which become a view of their own. `columns` must not
    /// be empty.
    #[must_use]
    pub fn columns(&self, columns: &std::ops::Range<u32>) -> Self {
        let (start, width) = (f64::from(columns.start), f64::from(columns.end - columns.start));
        let whole = f64::from(self.view.0);
        let (stretch, shift) = (whole / width, (whole - 2.0 * start) / width - 1.0);
        let part =
            DMat4::from_translation(DVec3::new(shift, 0.0, 0.0)) * DMat4::from_scale(DVec3::new(stretch, 1.0, 1.0));
        let origin = self.sampling.origin + self.sampling.across * start;
        Self {
            transform: part * self.transform,
            sampling: Sampling { origin, ..self.sampling },
            view: (columns.end - columns.start, self.view.1),
            ..*self
        }
    }

    /// Returns the same part of the picture, smooth, on a view of a different size and therefore at a coarser or finer
    /// resolution.
    #[must_use]
    pub fn resized(&self, view: (u32, u32)) -> Self {
        let across = self.sampling.across * (f64::from(self.view.0) / f64::from(view.0));
        let down = self.sampling.down * (f64::from(self.view.1) / f64::from(view.1));
        Self { sampling: Sampling { across, down, ..self.sampling }, has_hard_edges: false, view, ..*self }
    }

    /// Returns the position in the picture at a point of the view, in luma samples from the picture's top left corner.
    /// It may lie outside the picture.
    #[must_use]
    pub fn place_of(&self, point: DVec2) -> DVec2 {
        let Sampling { across, down, origin } = self.sampling;
        origin + across * point.x + down * point.y
    }

    /// Returns the point of the view at a position in the picture.
    #[must_use]
    pub fn point_of(&self, place: DVec2) -> DVec2 {
        let Sampling { across, down, origin } = self.sampling;
        let way = place - origin;
        if self.sampling.is_turned() {
            return DVec2::new(way.y / across.y, way.x / down.x);
        }
        DVec2::new(way.x / across.x, way.y / down.y)
    }

    /// Returns the coded pixel under a point of the view, or `None` outside the picture and its area.
    #[must_use]
    pub fn pixel_at(&self, point: DVec2) -> Option<(u32, u32)> {
        let is_whole = (self.area.width, self.area.height) == self.view;
        let is_seen = is_whole || self.area.contains(point);
        if is_seen { self.sampling.pixel_at(point, self.picture) } else { None }
    }

    /// Returns the share, 0 to 1, of a part of the picture, or of all of it, that lies in the view. A side that is
    /// short by less than a pixel of the view in total counts as fully visible, because views have whole pixels.
    #[must_use]
    pub fn seen(&self, part: Option<Rect>) -> f64 {
        let (x_axis, y_axis) = self.sampling.axes();
        let PanelRect { left, top, width, height } = self.area;
        let (columns, rows) = ((left, left + width), (top, top + height));
        let (columns, rows) = if self.sampling.is_turned() { (rows, columns) } else { (columns, rows) };
        let part = part.unwrap_or(Rect { x: 0, y: 0, width: self.picture.0, height: self.picture.1 });
        let side = |(origin, step): (f64, f64), pixels: (u32, u32), begin: u32, length: u32| {
            let [one, other] = [pixels.0, pixels.1].map(|pixel| origin + step * f64::from(pixel));
            let (begin, length) = (f64::from(begin), f64::from(length));
            let seen = (one.max(other).min(begin + length) - one.min(other).max(begin)).max(0.0);
            if length - seen < step.abs() { 1.0 } else { seen / length }
        };
        side(x_axis, columns, part.x, part.width) * side(y_axis, rows, part.y, part.height)
    }

    /// Returns the sample that covers each pixel of the view.
    #[must_use]
    pub fn nearest(&self) -> Nearest {
        self.sampling.nearest(self.picture, self.view)
    }

    /// Returns the minimum number of whole pixels of the view that a pixel of the picture spans, across and down, or
    /// `None` if its edges are not hard.
    #[must_use]
    pub fn cell_size(&self) -> Option<[u32; 2]> {
        let side = |step: DVec2| (1.0 / step.length() + 1e-6).floor().min(4096.0) as u32;
        self.has_hard_edges.then(|| [side(self.sampling.across), side(self.sampling.down)])
    }

    /// Returns the position of each pixel of the view within its pixel of the picture.
    #[must_use]
    pub fn cells(&self) -> Cells {
        self.sampling.cells(self.view)
    }

    /// Returns the columns and rows of the view that the picture covers.
    #[must_use]
    pub fn covered(&self) -> (std::ops::Range<u32>, std::ops::Range<u32>) {
        let corner = |u, v| {
            let clip = self.transform.transform_point3(DVec3::new(u, v, 0.0)).truncate();
            let unit = (clip * DVec2::new(1.0, -1.0) + 1.0) * 0.5;
            (unit * DVec2::new(self.view.0.into(), self.view.1.into())).round()
        };
        let (a, b) = (corner(0.0, 0.0), corner(1.0, 1.0));
        let (low, high) = (a.min(b).max(DVec2::ZERO), a.max(b));
        (low.x as u32..(high.x as u32).min(self.view.0), low.y as u32..(high.y as u32).min(self.view.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::picture::{Orientation, Ratio};

    const UPRIGHT: Orientation = Orientation { quarter_turns: 0, mirrored: false };

    fn close(a: DVec2, b: DVec2) -> bool {
        (a - b).abs().max_element() < 1e-5
    }

    /// Returns the position of the coded picture's corner (u, v) in clip space.
    fn corner(extent: DVec2, orientation: Orientation, u: f64, v: f64) -> DVec2 {
        transform(extent, orientation).transform_point3(DVec3::new(u, v, 0.0)).truncate()
    }

    /// Returns the size that a picture covers by default, relative to the view.
    fn cover(picture: DVec2, view: DVec2) -> DVec2 {
        ViewSettings::default().picture_rect(picture, view).size / view
    }

    #[test]
    fn a_picture_of_the_view_s_aspect_fits_exactly() {
        assert!(close(cover(DVec2::new(1920.0, 1080.0), DVec2::new(1280.0, 720.0)), DVec2::ONE));
    }

    #[test]
    fn excess_is_cut_off_in_the_direction_that_has_it() {
        assert!(close(cover(DVec2::new(200.0, 100.0), DVec2::new(100.0, 100.0)), DVec2::new(2.0, 1.0)));
        assert!(close(cover(DVec2::new(100.0, 400.0), DVec2::new(300.0, 300.0)), DVec2::new(1.0, 4.0)));
        for (w, h) in [(1.0, 1.0), (17.0, 1.0), (1.0, 257.0), (641.0, 359.0)] {
            let extent = cover(DVec2::new(w, h), DVec2::new(1600.0, 900.0));
            assert!(extent.min_element() > 0.9999, "{w}×{h} leaves a border: {extent}");
            assert!((extent.min_element() - 1.0).abs() < 1e-4, "{w}×{h} is larger than it need be: {extent}");
        }
    }

    #[test]
    fn the_excess_is_the_same_at_both_ends() {
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

    fn shape(width: u32, height: u32, quarter_turns: u8, mirrored: bool) -> Shape {
        Shape { width, height, sample_aspect: Ratio::ONE, orientation: Orientation { quarter_turns, mirrored } }
    }

    #[test]
    fn the_pixel_at_a_point_is_the_one_shown_there() {
        let actual = ViewSettings::fitted(Fit::Actual);
        let at = |quarter_turns, mirrored, x, y| {
            let shape = shape(4, 3, quarter_turns, mirrored);
            let size = if quarter_turns % 2 == 1 { (3, 4) } else { (4, 3) };
            Placement::new(&shape, &actual, size).pixel_at(DVec2::new(x, y))
        };
        assert_eq!(at(0, false, 0.0, 0.0), Some((0, 0)));
        assert_eq!(at(0, false, 3.9, 2.9), Some((3, 2)));
        assert_eq!(at(0, false, 4.0, 1.0), None);
        assert_eq!(at(0, false, 1.0, -0.1), None);
        assert_eq!(at(0, false, f64::NAN, 0.0), None);
        assert_eq!(at(0, true, 0.5, 0.5), Some((3, 0)));
        // A quarter turn clockwise moves the lower left corner to the upper left.
        assert_eq!(at(1, false, 0.5, 0.5), Some((0, 2)));
        assert_eq!(at(1, false, 2.5, 3.5), Some((3, 0)));
        assert_eq!(at(2, false, 0.5, 0.5), Some((3, 2)));
        assert_eq!(at(3, false, 0.5, 0.5), Some((3, 0)));
        assert_eq!(at(1, true, 0.5, 0.5), Some((3, 2)));
    }

    #[test]
    fn cells_are_the_runs_of_pixels_that_show_one_sample_and_extend_beyond_the_view() {
        for (turns, mirrored) in (0..4).flat_map(|turns| [(turns, false), (turns, true)]) {
            for (zoom, centre) in [(16.0, 0.3), (17.3, 0.77), (40.0, 0.5), (64.0, 0.01)] {
                let settings = ViewSettings { zoom, centre: DVec2::splat(centre), ..ViewSettings::fitted(Fit::Actual) };
                let shape = Shape { sample_aspect: Ratio { num: 4, den: 3 }, ..shape(31, 17, turns, mirrored) };
                let placement = Placement::new(&shape, &settings, (203, 151));
                let [width, height] = placement.cell_size().expect("its edges are hard");
                let (cells, nearest) = (placement.cells(), placement.nearest());
                for (cells, nearest, least) in
                    [(&cells.columns, &nearest.columns, width), (&cells.rows, &nearest.rows, height)]
                {
                    assert_eq!(cells.len(), nearest.len());
                    for (index, pair) in cells.windows(2).enumerate() {
                        let [[place, size], [next, next_size]] = [pair[0], pair[1]];
                        assert!(place < size && (least..=least + 1).contains(&size), "{place} of {size}, not {least}");
                        let goes_on = place + 1 < size;
                        assert_eq!(goes_on, nearest[index] == nearest[index + 1], "{turns} {zoom} {index}");
                        assert_eq!((next, next_size == size || !goes_on), (if goes_on { place + 1 } else { 0 }, true));
                    }
                }
            }
        }
    }

    #[test]
    fn every_pixel_of_the_view_shows_its_nearest_sample_in_every_turn_and_fit() {
        for (turns, mirrored) in (0..4).flat_map(|turns| [(turns, false), (turns, true)]) {
            for (settings, view) in [
                (ViewSettings::default(), (40, 30)),
                (ViewSettings::fitted(Fit::Contain), (37, 90)),
                (ViewSettings { zoom: 3.3, centre: DVec2::new(0.2, 0.9), ..ViewSettings::default() }, (50, 41)),
                (ViewSettings::fitted(Fit::Actual), (99, 21)),
            ] {
                let shape = Shape { sample_aspect: Ratio { num: 4, den: 3 }, ..shape(31, 17, turns, mirrored) };
                let placement = Placement::new(&shape, &settings, view);
                let nearest = placement.nearest();
                assert_eq!((nearest.columns.len(), nearest.rows.len()), (view.0 as usize, view.1 as usize));
                let (columns, rows) = placement.covered();
                assert!(!columns.is_empty() && !rows.is_empty());
                for (x, y) in (0..view.1).flat_map(|y| (0..view.0).map(move |x| (x, y))) {
                    let found = placement.pixel_at(DVec2::new(f64::from(x) + 0.7, f64::from(y) + 0.2));
                    let covered = columns.contains(&x) && rows.contains(&y);
                    assert_eq!(found.is_some(), covered, "({x}, {y}) {turns} {settings:?} {columns:?} {rows:?}");
                    let (along_view_x, along_view_y) = (nearest.columns[x as usize], nearest.rows[y as usize]);
                    let shown =
                        if nearest.is_turned { (along_view_y, along_view_x) } else { (along_view_x, along_view_y) };
                    assert!(shown.0 < 31 && shown.1 < 17);
                    assert!(found.is_none_or(|found| found == shown), "({x}, {y}): {found:?}, shown {shown:?}");
                }
            }
        }
    }

    #[test]
    fn some_columns_of_a_view_show_the_same_as_in_the_whole() {
        for (turns, zoom, columns) in
            [(0, 1.0, 0..40), (0, 3.3, 17..90), (1, 1.7, 5..6), (2, 0.4, 33..90), (3, 9.0, 1..89)]
        {
            let settings = ViewSettings { zoom, centre: DVec2::new(0.3, 0.6), ..ViewSettings::default() };
            let whole = Placement::new(&shape(31, 17, turns, turns == 2), &settings, (90, 50));
            let part = whole.columns(&columns);
            assert_eq!(part.view, (columns.end - columns.start, 50));
            let (all, some) = (whole.nearest(), part.nearest());
            assert_eq!(some.columns, all.columns[columns.start as usize..columns.end as usize], "{turns} {zoom}");
            assert_eq!((some.rows, some.is_turned), (all.rows, all.is_turned));
            let (covered, rows) = whole.covered();
            let inside = |at: u32| at.clamp(columns.start, columns.end) - columns.start;
            let (found, found_rows) = part.covered();
            assert_eq!((found.len(), &found_rows), ((inside(covered.start)..inside(covered.end)).len(), &rows));
            assert!(found.is_empty() || found == (inside(covered.start)..inside(covered.end)));
            assert_eq!(part.has_hard_edges, whole.has_hard_edges);
        }
    }

    #[test]
    fn a_view_of_another_size_shows_the_same_part() {
        let settings = ViewSettings { zoom: 2.5, centre: DVec2::new(0.2, 0.9), ..ViewSettings::default() };
        let large = Placement::new(&shape(400, 300, 1, true), &settings, (800, 600));
        let small = large.resized((80, 30));
        for (x, y) in [(0.0, 0.0), (0.5, 0.25), (0.99, 0.99)] {
            let at = |placement: &Placement| {
                let (width, height) = placement.view;
                let Sampling { across, down, origin } = placement.sampling;
                origin + across * (x * f64::from(width)) + down * (y * f64::from(height))
            };
            assert!(close(at(&large), at(&small)));
        }
        assert!(!small.has_hard_edges);
    }

    #[test]
    fn a_sample_border_in_the_middle_of_a_pixel_always_resolves_to_the_same_side() {
        // At half its size, every pixel of the view has a border in its middle; at two thirds, every third one.
        let half = Placement::new(&shape(200, 100, 0, false), &ViewSettings::default(), (100, 50)).nearest();
        assert_eq!(half.columns, (0..100).map(|x| 2 * x + 1).collect::<Vec<_>>());
        let third = Placement::new(&shape(300, 150, 0, false), &ViewSettings::default(), (200, 100)).nearest();
        assert_eq!(third.columns[..5], [0, 2, 3, 5, 6]);
    }

    #[test]
    fn samples_have_hard_edges_at_twice_their_size_if_the_user_chose_it() {
        let edges = |settings, view| Placement::new(&shape(100, 50, 0, false), &settings, view).has_hard_edges;
        let zoomed = |zoom| ViewSettings { zoom, ..ViewSettings::default() };
        assert!(!edges(ViewSettings::default(), (1000, 500)), "a small video in a large window");
        assert!(edges(zoomed(2.0), (100, 50)) && !edges(zoomed(1.9), (100, 50)));
        assert!(!edges(ViewSettings::fitted(Fit::Actual), (100, 50)));
        assert!(edges(ViewSettings { zoom: 3.0, ..ViewSettings::fitted(Fit::Actual) }, (100, 50)));
    }

    #[test]
    fn a_turned_picture_s_pixel_appears_where_its_orientation_says() {
        for (turns, mirrored) in
            [(0, false), (1, false), (2, false), (3, false), (0, true), (1, true), (2, true), (3, true)]
        {
            let shape = shape(7, 4, turns, mirrored);
            let view = if turns % 2 == 0 { (7, 4) } else { (4, 7) };
            let placement = Placement::new(&shape, &ViewSettings::fitted(Fit::Actual), view);
            for (x, y) in (0..view.1).flat_map(|y| (0..view.0).map(move |x| (x, y))) {
                let coded = placement.pixel_at(DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5)).expect("a pixel");
                let seen = shape.orientation.seen_at(coded, (shape.width, shape.height));
                assert_eq!(seen, (x, y), "{coded:?}, turned {turns} times, mirrored {mirrored}");
            }
        }
    }

    #[test]
    fn the_visible_share_is_that_of_the_counted_samples_in_the_view() {
        let seen =
            |shape: &Shape, settings: ViewSettings, view, part| Placement::new(shape, &settings, view).seen(part);
        let wide = shape(1920, 1080, 0, false);
        let cover = ViewSettings::default();
        assert_eq!(seen(&wide, cover, (960, 540), None), 1.0);
        // A side that is a pixel short because of rounding counts as whole; one that is shorter does not.
        assert_eq!(seen(&wide, cover, (854, 480), None), 1.0);
        assert!((seen(&wide, cover, (1440, 1080), None) - 0.75).abs() < 1e-12);
        assert_eq!(seen(&wide, ViewSettings::fitted(Fit::Contain), (1440, 1080), None), 1.0);
        assert!((seen(&wide, ViewSettings::fitted(Fit::Actual), (960, 270), None) - 0.125).abs() < 1e-12);
        assert!((seen(&wide, ViewSettings { zoom: 2.0, ..cover }, (960, 540), None) - 0.25).abs() < 1e-12);
        // For a picture turned for display, the sides are swapped.
        let turned = shape(1920, 1080, 1, false);
        assert!((seen(&turned, cover, (1080, 960), None) - 0.5).abs() < 1e-12);
        // A region at the left edge, half of it cut off; one in the middle; and one out of view.
        let part = |x, width| Some(Rect { x, y: 100, width, height: 500 });
        assert!((seen(&wide, cover, (1440, 1080), part(0, 480)) - 0.5).abs() < 1e-12);
        assert_eq!(seen(&wide, cover, (1440, 1080), part(240, 1440)), 1.0);
        assert_eq!(seen(&wide, cover, (1440, 1080), part(0, 200)), 0.0);
    }

    /// The share equals that of the samples shown by some pixel of the view, as long as a pixel is not larger than a
    /// sample.
    #[test]
    fn the_share_agrees_with_the_samples_that_the_view_shows() {
        for (turns, view) in [(0, (301, 977)), (1, (640, 200)), (2, (1000, 300)), (3, (333, 512))] {
            let placement = Placement::new(&shape(200, 100, turns, false), &ViewSettings::default(), view);
            let nearest = placement.nearest();
            let distinct = |line: &[u32]| line.iter().collect::<std::collections::BTreeSet<_>>().len() as f64;
            let shown = distinct(&nearest.columns) * distinct(&nearest.rows) / (200.0 * 100.0);
            let seen = placement.seen(None);
            assert!((seen - shown).abs() < 0.03 && seen < 1.0, "{seen} and {shown}, turned by {turns} on {view:?}");
        }
    }
}

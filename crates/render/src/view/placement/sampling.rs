//! Which samples of the coded picture the pixels of a view show.

use glam::{DMat4, DVec2, DVec3};

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
    /// The most pixels of the view that a pixel of the picture is looked for in.
    const MOST_CELL: i64 = 4096;

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

    /// Returns `true` if the picture's rows are columns of the view.
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

    /// The sample that covers the middle of a pixel of the view, where the picture goes on beyond its edges.
    ///
    /// Rounding must not decide between two samples whose border runs through the middle of the pixel: it is always the
    /// one behind the border. The shader is given what is found here.
    fn covering(origin: f64, step: f64, index: f64) -> f64 {
        (origin + step * (index + 0.5) + 1e-6).floor()
    }

    /// For each column of a view of `view` pixels, then for each of its rows, the column or row of a picture of `picture`
    /// pixels whose sample covers it: a row of the picture for columns of the view if the picture [is
    /// turned](Self::is_turned). Beside the picture, its nearest.
    #[must_use]
    pub fn nearest(&self, picture: (u32, u32), view: (u32, u32)) -> Nearest {
        let (x, y) = self.axes();
        let line = |(origin, step): (f64, f64), count: u32, size: u32| {
            let last = f64::from(size.max(1) - 1);
            (0..count).map(|index| Self::covering(origin, step, index.into()).clamp(0.0, last) as u32).collect()
        };
        let (columns, rows) = if self.is_turned() {
            (line(y, view.0, picture.1), line(x, view.1, picture.0))
        } else {
            (line(x, view.0, picture.0), line(y, view.1, picture.1))
        };
        Nearest { columns, rows, is_turned: self.is_turned() }
    }

    /// For each column of a view of `view` pixels, then for each of its rows, where it lies in the pixel of the picture that covers
    /// it: how many columns of the view of the same pixel come before it, and how many there are, also beyond the view.
    #[must_use]
    pub fn cells(&self, view: (u32, u32)) -> Cells {
        let (x, y) = self.axes();
        let (across, down) = if self.is_turned() { (y, x) } else { (x, y) };
        let line = |(origin, step): (f64, f64), count: u32| {
            let sample = |index: i64| Self::covering(origin, step, index as f64);
            let is_same = |a: i64, b: i64| (sample(a) - sample(b)).abs() < 0.5;
            let mut cells = Vec::with_capacity(count as usize);
            let mut begin = 0;
            while begin > -Self::MOST_CELL && is_same(begin - 1, 0) {
                begin -= 1;
            }
            while cells.len() < count as usize {
                let mut end = begin + 1;
                while end < begin + Self::MOST_CELL && is_same(end, begin) {
                    end += 1;
                }
                let seen = begin.max(0)..end.min(count.into());
                cells.extend(seen.map(|index| [(index - begin) as u32, (end - begin) as u32]));
                begin = end;
            }
            cells
        };
        Cells { columns: line(across, view.0), rows: line(down, view.1) }
    }

    /// The pixel of a picture of `picture` pixels that is shown at a point of the view; `None` beside the picture.
    #[must_use]
    pub fn pixel_at(&self, point: DVec2, picture: (u32, u32)) -> Option<(u32, u32)> {
        if point.min_element() < 0.0 || !point.is_finite() {
            return None;
        }
        let (column, row) = (point.x as u32, point.y as u32);
        let ((x_origin, x_step), (y_origin, y_step)) = self.axes();
        let (along_x, along_y) = if self.is_turned() { (row, column) } else { (column, row) };
        let x = Self::covering(x_origin, x_step, along_x.into());
        let y = Self::covering(y_origin, y_step, along_y.into());
        let is_inside = (0.0..f64::from(picture.0)).contains(&x) && (0.0..f64::from(picture.1)).contains(&y);
        is_inside.then_some((x as u32, y as u32))
    }
}

/// Which sample covers each pixel of a view, by [`Sampling::nearest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// For each column of the view.
    pub columns: Vec<u32>,
    /// For each row of the view.
    pub rows: Vec<u32>,
    /// `true` if columns of the view are rows of the picture.
    pub is_turned: bool,
}

/// Where in its pixel of the picture each pixel of a view lies, by [`Sampling::cells`]: its place in it, and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    /// For each column of the view.
    pub columns: Vec<[u32; 2]>,
    /// For each row of the view.
    pub rows: Vec<[u32; 2]>,
}

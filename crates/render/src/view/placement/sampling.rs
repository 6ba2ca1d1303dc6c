//! The samples of the coded picture that the pixels of a view show.

use glam::{DMat4, DVec2, DVec3};

/// The positions of a view's pixels in the coded picture, in luma samples from the picture's top left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Step from a pixel of the view to the next one on the right.
    pub across: DVec2,
    /// Step from a pixel of the view to the next one below.
    pub down: DVec2,
    /// Position of the view's top left corner.
    pub origin: DVec2,
}

impl Sampling {
    /// Maximum number of pixels of the view that a pixel of the picture is assumed to span.
    const MAX_CELL: i64 = 4096;

    /// Creates the sampling of a picture of `picture` luma samples, which `transform` places on a view of `view`
    /// pixels.
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

    /// Returns origin and step, in luma samples, along the picture's rows and along its columns.
    #[must_use]
    pub fn axes(&self) -> ((f64, f64), (f64, f64)) {
        let (x, y) = if self.is_turned() { (self.down.x, self.across.y) } else { (self.across.x, self.down.y) };
        ((self.origin.x, x), (self.origin.y, y))
    }

    /// Returns the number of luma samples that a pixel of the view spans, in the direction where it is larger.
    #[must_use]
    pub fn footprint(&self) -> f64 {
        self.across.length().max(self.down.length())
    }

    /// Returns the sample that covers the centre of a pixel of the view, as if the picture continued beyond its edges.
    ///
    /// Rounding must not decide between two samples whose border runs through the centre of the pixel: it is always the
    /// one after the border. The shader is given the result of this function.
    fn covering(origin: f64, step: f64, index: f64) -> f64 {
        (origin + step * (index + 0.5) + 1e-6).floor()
    }

    /// Returns, for each column and each row of a view of `view` pixels, the column or row of a picture of `picture`
    /// pixels whose sample covers it. If the picture [is turned](Self::is_turned), columns of the view map to rows of
    /// the picture. Outside the picture, returns the nearest one.
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

    /// Returns, for each column and each row of a view of `view` pixels, its position within the pixel of the picture
    /// that covers it: the number of columns or rows of the same pixel before it, and their total number, including
    /// those outside the view.
    #[must_use]
    pub fn cells(&self, view: (u32, u32)) -> Cells {
        let (x, y) = self.axes();
        let (across, down) = if self.is_turned() { (y, x) } else { (x, y) };
        let line = |(origin, step): (f64, f64), count: u32| {
            let sample = |index: i64| Self::covering(origin, step, index as f64);
            let is_same = |a: i64, b: i64| (sample(a) - sample(b)).abs() < 0.5;
            let mut cells = Vec::with_capacity(count as usize);
            let mut begin = 0;
            while begin > -Self::MAX_CELL && is_same(begin - 1, 0) {
                begin -= 1;
            }
            while cells.len() < count as usize {
                let mut end = begin + 1;
                while end < begin + Self::MAX_CELL && is_same(end, begin) {
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

    /// Returns the pixel of a picture of `picture` pixels shown at a point of the view, or `None` outside the picture.
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

/// The sample that covers each pixel of a view, from [`Sampling::nearest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// For each column of the view.
    pub columns: Vec<u32>,
    /// For each row of the view.
    pub rows: Vec<u32>,
    /// `true` if columns of the view are rows of the picture.
    pub is_turned: bool,
}

/// The position of each pixel of a view within its pixel of the picture, from [`Sampling::cells`]: its index, and the
/// pixel's size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    /// For each column of the view.
    pub columns: Vec<[u32; 2]>,
    /// For each row of the view.
    pub rows: Vec<[u32; 2]>,
}

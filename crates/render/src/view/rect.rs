//! A rectangle of the view in whole pixels, with the mapping between its columns and bins.

use glam::DVec2;

use super::binning::Binning;

/// A panel in whole pixels of the view, so that columns of bars are sharp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PanelRect {
    /// Leftmost column.
    pub left: u32,
    /// Topmost row.
    pub top: u32,
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
}

impl PanelRect {
    /// Returns `true` if a point of the view lies in the panel.
    #[must_use]
    pub fn contains(&self, point: DVec2) -> bool {
        let at = point - DVec2::new(self.left.into(), self.top.into());
        at.min_element() >= 0.0 && at.x < self.width.into() && at.y < self.height.into()
    }

    /// Returns the number of rows of the mark at the top of a clipped bar: a light cap, a third of them, over a dark
    /// gap.
    #[must_use]
    pub fn notch(&self) -> u32 {
        (self.height * 5 / 100).clamp(6, 18).min(self.height)
    }

    /// Returns the first and last of `count` bins that a column of pixels shows. Columns are counted from the panel's
    /// left edge.
    ///
    /// If there are more bins than columns, a column shows the tallest of the bins whose centres lie in it, so that
    /// every bin belongs to exactly one column. Otherwise it shows the bin in which its own centre lies, and all bins
    /// have the same number of columns, give or take one.
    #[must_use]
    pub fn bins_of_column(&self, column: u32, count: u32) -> (u32, u32) {
        let column = u64::from(column.min(self.width - 1));
        let (width, count) = (u64::from(self.width), u64::from(count));
        if width >= count {
            let bin = ((2 * column + 1) * count / (2 * width)) as u32;
            return (bin, bin);
        }
        let start = |column: u64| ((2 * column * count + width - 1) / (2 * width)) as u32;
        (start(column), start(column + 1) - 1)
    }

    /// Returns the first and last column that show a bin out of `count`, counted from the panel's left edge.
    #[must_use]
    pub fn columns_of_bin(&self, bin: u32, count: u32) -> (u32, u32) {
        let (width, count) = (u64::from(self.width), u64::from(count));
        let bin = u64::from(bin).min(count - 1);
        if width < count {
            let column = ((2 * bin + 1) * width / (2 * count)) as u32;
            return (column, column);
        }
        let start = |bin: u64| (2 * width * bin).saturating_sub(count).div_ceil(2 * count) as u32;
        (start(bin), start(bin + 1).min(self.width) - 1)
    }

    /// Returns the first and last column that show the bins of a range of codes.
    #[must_use]
    pub fn columns_of_codes(&self, (low, high): (u32, u32), binning: Binning) -> (u32, u32) {
        let columns = |code| self.columns_of_bin(binning.bin_of(code), binning.count());
        (columns(low).0, columns(high).1)
    }

    /// Returns the centre of the columns that show a bin, in pixels of the view.
    #[must_use]
    pub fn x_of_bin(&self, bin: u32, count: u32) -> f32 {
        let (first, last) = self.columns_of_bin(bin, count);
        self.left as f32 + (first + last + 1) as f32 * 0.5
    }

    /// Returns the bin at a horizontal position of the view. Outside the panel, returns the first or last bin, as
    /// needed for a drag that has left the panel.
    #[must_use]
    pub fn bin_at(&self, x: f64, count: u32) -> u32 {
        let inside = (x - f64::from(self.left)).clamp(0.0, f64::from(self.width));
        let (first, last) = self.bins_of_column(inside as u32, count);
        ((inside * f64::from(count) / f64::from(self.width)) as u32).clamp(first, last)
    }
}

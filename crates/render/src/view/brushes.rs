//! The brushes of all scopes combined: a pixel is lit if every brush selects it. In addition, each scope shows the
//! pixels that the other scopes' brushes select, ignoring its own, so that it remains a background for drawing its own
//! brush.
//!
//! The test uses the same codes that the scopes count, so the number of lit pixels equals the count under the brush. A
//! subsampled sample, or a vectorscope pair made of such samples, is counted if any pixel it covers is selected.

mod pairs;

use crate::view::brush::Brush;
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::Conversion;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, PairLevels, PerScope, Scope};
pub use pairs::{Lasso, PairBrush, PairShape};

/// The brush of each scope. The brush of a parade is a waveform brush with one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Brushes {
    /// A range of bins.
    pub histogram: Option<Brush>,
    /// A rectangle of a waveform.
    pub waveform: Option<WaveformBrush>,
    /// A region of the vectorscope.
    pub vectorscope: Option<PairBrush>,
}

/// A rectangle of a waveform: columns, and levels of one or more channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaveformBrush {
    /// The channels, and the lowest and highest of their codes.
    pub range: Brush,
    /// First and last column, both included.
    pub columns: [u32; 2],
    /// The number of columns of the brushed waveform.
    pub column_count: u32,
}

impl WaveformBrush {
    /// Returns the pixels of a row of `counted` that lie in the columns: the first one, and the one after the last.
    #[must_use]
    pub fn pixels(&self, counted: Rect) -> [u32; 2] {
        let begin = |column: u32| {
            let samples = (u64::from(column) * u64::from(counted.width)).div_ceil(u64::from(self.column_count.max(1)));
            counted.x + samples.min(counted.width.into()) as u32
        };
        [begin(self.columns[0]), begin(self.columns[1] + 1)]
    }
}

impl Brushes {
    /// Creates a brush in the histograms only, or none.
    #[must_use]
    pub fn of_histogram(brush: impl Into<Option<Brush>>) -> Self {
        Self { histogram: brush.into(), waveform: None, vectorscope: None }
    }

    /// Returns `true` if anything is brushed.
    #[must_use]
    pub fn any(&self) -> bool {
        self.histogram.is_some() || self.in_scopes()
    }

    /// Returns which of the other scopes have a brush.
    #[must_use]
    pub fn scopes(&self) -> PerScope<bool> {
        PerScope::from_fn(|scope| match scope {
            Scope::Waveform => self.waveform.is_some(),
            Scope::Vectorscope => self.vectorscope.is_some(),
        })
    }

    /// Returns `true` if any scope other than the histograms has a brush.
    #[must_use]
    pub fn in_scopes(&self) -> bool {
        self.scopes().any()
    }

    /// Returns the selection in the counted part of a picture with these components and colour differences.
    #[must_use]
    pub fn on(&self, counted: Rect, components: Components, chroma: Option<Chroma>) -> Selection {
        let pairs = self.vectorscope.zip(chroma).map(|(brush, chroma)| {
            let level_bits = chroma.level_bits();
            ChromaPairs { levels: chroma.levels(), level_bits, selected: brush.pairs(level_bits) }
        });
        Selection {
            counted,
            components,
            histogram: self.histogram,
            waveform: self.waveform.map(|brush| (brush.range, brush.pixels(counted))),
            pairs,
        }
    }
}

/// Brushes resolved for the pixels of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// The counted part of the picture; nothing else is selected.
    pub counted: Rect,
    /// The components of the channels.
    pub components: Components,
    /// The brush of the histograms.
    pub histogram: Option<Brush>,
    /// The brush of the waveform, with the first pixel of a row and the one after the last.
    pub waveform: Option<(Brush, [u32; 2])>,
    /// The brush of the vectorscope.
    pub pairs: Option<ChromaPairs>,
}

/// A set of selected pairs of levels of Cb and Cr, or of chromaticities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChromaPairs {
    /// How the levels of a pair are found.
    pub levels: PairLevels,
    /// Bits per level.
    pub level_bits: u32,
    /// One bit per pair. Pairs with the same level of Cb are contiguous; the lowest Cr is in the lowest bit of the
    /// first word.
    pub selected: Vec<u32>,
}

impl ChromaPairs {
    /// Returns `true` if a pair of a pixel with these codes is selected.
    fn has(&self, codes: [u32; 3], conversion: &Conversion) -> bool {
        let mut is_selected = false;
        self.levels.each_of(codes, conversion, |[first, second]| {
            let at = (first << self.level_bits) | second;
            is_selected |= (self.selected[at as usize / 32] >> (at % 32)) & 1 != 0;
        });
        is_selected
    }
}

/// The brushes that must select a pixel: all of them, or all but one scope's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// All brushes: the pixels lit in the picture.
    All,
    /// All but the histograms' brush: the pixels shown in the histograms.
    Histogram,
    /// All but the waveform's brush.
    Waveform,
    /// All but the vectorscope's brush.
    Vectorscope,
}

impl Filter {
    /// Every filter, in the order in which its bits are stored.
    pub const ALL: [Self; 4] = [Self::All, Self::Histogram, Self::Waveform, Self::Vectorscope];

    /// Returns the brushes that this filter ignores, as bits of the result of [`Selection::passed`].
    const fn waived(self) -> u32 {
        [0, 1, 2, 4][self as usize]
    }
}

impl Selection {
    /// Returns one bit per brush, set if the brush selects the pixel or if there is no such brush: 1 for the
    /// histograms', 2 for the waveform's, 4 for the vectorscope's.
    #[inline(always)]
    #[must_use]
    pub fn passed(&self, x: u32, codes: [u32; 3], count: usize, conversion: &Conversion) -> u32 {
        let lies_in = |brush: &Brush| !brush.reached(codes, (self.components, count), conversion).is_empty();
        let in_columns = |[first, end]: [u32; 2]| first <= x && x < end;
        let histogram = self.histogram.as_ref().is_none_or(lies_in);
        let waveform = self.waveform.as_ref().is_none_or(|(range, columns)| in_columns(*columns) && lies_in(range));
        let pairs = self.pairs.as_ref().is_none_or(|pairs| pairs.has(codes, conversion));
        u32::from(histogram) | u32::from(waveform) << 1 | u32::from(pairs) << 2
    }

    /// Returns `true` if `passed`, from [`Self::passed`], satisfies a filter.
    #[inline(always)]
    #[must_use]
    pub const fn is_enough(passed: u32, filter: Filter) -> bool {
        passed | filter.waived() == 7
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::overlay::Channels;
    use histoscope_core::scopes::column_of;

    #[test]
    fn columns_of_a_waveform_brush_are_the_pixels_counted_in_them() {
        let range = Brush { channels: Channels::one(0), low: 0, high: 255 };
        for (x, width) in [(0, 1), (3, 7), (0, 1024), (5, 1025), (0, 1920), (11, 4096), (0, 4099)] {
            let counted = Rect { x, y: 0, width, height: 1 };
            let of = width.min(1024);
            for columns in [[0, 0], [0, of - 1], [of / 3, of / 2], [of - 1, of - 1]] {
                let [first, end] = WaveformBrush { range, columns, column_count: of }.pixels(counted);
                for at in 0..width {
                    let column = column_of(at, width, of);
                    let is_there = columns[0] <= column && column <= columns[1];
                    assert_eq!(is_there, (first..end).contains(&(x + at)), "{at} of {width}, {columns:?}");
                }
            }
        }
    }

    #[test]
    fn each_scope_waives_its_own_brush() {
        for passed in 0..8 {
            let enough = Filter::ALL.map(|filter| Selection::is_enough(passed, filter));
            assert_eq!(enough, [passed == 7, passed & 6 == 6, passed & 5 == 5, passed & 3 == 3], "{passed:b}");
        }
    }
}

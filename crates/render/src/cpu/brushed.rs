//! The pixels selected by brushes, and their histogram and scopes, on the CPU. Equivalent to shaders/brush.wgsl and
//! shaders/brushed.wgsl.

use rayon::prelude::*;

use super::rows::Rows;
use crate::view::brushes::{Filter, Selection};
use crate::view::count::SelectionChoice;
use histoscope_core::histogram::{CHANNELS, Components, Histogram};
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::ColorModel;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, Scope, ScopeCounts, Vectorscope, Waveform, column_of, samples_in};

/// Planes per row: one per filter.
const PLANES: usize = Filter::ALL.len();

/// The pixels of a picture that pass each filter. Stored row by row, each row plane by plane, one bit per pixel; a
/// word's lowest bit is its first pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedPixels {
    /// Words per row of a plane.
    pub row_words: usize,
    /// The planes.
    pub words: Vec<u32>,
    /// Number of pixels that pass all brushes.
    pub count: u32,
}

/// The counts of a selection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelectionCounts {
    /// The bins. Out-of-range samples are not counted.
    pub histogram: Option<Histogram>,
    /// The scopes.
    pub scopes: ScopeCounts,
}

impl SelectedPixels {
    /// Finds the pixels of a picture that the brushes of a selection select.
    #[must_use]
    pub fn of(picture: &Picture, selection: &Selection) -> Self {
        let rows = Rows::new(picture);
        let conversion = picture.conversion();
        let row_words = (picture.width() as usize).div_ceil(32);
        let mut words = vec![0; row_words * PLANES * picture.height() as usize];
        let Rect { x: left, y: top, width, height } = selection.counted;
        let counted = words.par_chunks_exact_mut(row_words * PLANES).enumerate();
        let counted = counted.skip(top as usize).take(height as usize);
        let find = |codes: &mut [Vec<u16>; 3], (y, row): (usize, &mut [u32])| {
            rows.unpack(y, codes);
            let mut count = 0;
            for x in left..left + width {
                let passed = selection.passed(x, rows.at(codes, x as usize), rows.sources.len(), &conversion);
                for filter in Filter::ALL {
                    let is_enough = u32::from(Selection::is_enough(passed, filter));
                    row[filter as usize * row_words + x as usize / 32] |= is_enough << (x % 32);
                }
                count += u32::from(Selection::is_enough(passed, Filter::All));
            }
            count
        };
        let count = counted.map_init(|| rows.room(), find).sum();
        Self { row_words, words, count }
    }

    /// Returns a row of a plane.
    fn row(&self, filter: Filter, y: usize) -> &[u32] {
        &self.words[(y * PLANES + filter as usize) * self.row_words..][..self.row_words]
    }

    /// Returns `true` if a pixel passes a filter.
    #[inline(always)]
    #[must_use]
    pub fn has(&self, filter: Filter, x: u32, y: u32) -> bool {
        (self.row(filter, y as usize)[x as usize / 32] >> (x % 32)) & 1 != 0
    }

    /// Makes the requested counts of the pixels that pass each filter.
    #[must_use]
    pub fn count_in(
        &self,
        picture: &Picture,
        selection: &Selection,
        chroma: Option<Chroma>,
        wanted: SelectionChoice,
    ) -> SelectionCounts {
        let (layout, counted, components) = (picture.layout(), selection.counted, selection.components);
        let mut histogram = Histogram::empty(layout.bin_bits(), components);
        let mut waveform = Waveform::shape(layout, counted, components);
        let words = if wanted.scopes[Scope::Waveform] { waveform.count_words() } else { 0 };
        waveform.counts = vec![0; words];
        if wanted.histogram || wanted.scopes[Scope::Waveform] {
            let counting = Channels { selected: self, picture, selection, wanted };
            let bins = histogram.words.par_chunks_exact_mut(1 << layout.bin_bits()).take(CHANNELS);
            let mut columns: Vec<&mut [u32]> = Vec::new();
            columns.resize_with(CHANNELS, Default::default);
            if words > 0 {
                columns = waveform.counts.chunks_exact_mut(words / CHANNELS).collect();
            }
            let shape = (waveform.columns, waveform.level_bits);
            bins.zip(columns).enumerate().for_each(|(channel, into)| counting.count(channel, into, shape));
        }
        let vectorscope = chroma
            .filter(|_| wanted.scopes[Scope::Vectorscope])
            .map(|chroma| self.vectorscope(picture, counted, chroma));
        SelectionCounts {
            histogram: wanted.histogram.then_some(histogram),
            scopes: ScopeCounts { waveform: wanted.scopes[Scope::Waveform].then_some(waveform), vectorscope },
        }
    }

    fn vectorscope(&self, picture: &Picture, counted: Rect, chroma: Chroma) -> Vectorscope {
        let layout = picture.layout();
        let mut scope = Vectorscope::empty(chroma.level_bits());
        let rows = Rows::new(picture);
        let samples = chroma.samples(layout, counted);
        let conversion = picture.conversion();
        let mut codes = rows.room();
        let (is_chroma, levels) = (chroma.is_coded(), chroma.levels());
        let shift = if is_chroma { layout.columns_shift() } else { 0 };
        for y in samples.y..samples.y + samples.height {
            let covering = Covering::of(self, picture, Filter::Vectorscope, (y, is_chroma));
            if covering.is_empty() {
                continue;
            }
            rows.unpack_samples(y as usize, is_chroma, &mut codes);
            for x in (samples.x..samples.x + samples.width).filter(|&x| covering.has(x)) {
                levels.each_of(rows.at(&codes, (x as usize) << shift), &conversion, |[first, second]| {
                    scope.counts[((first << scope.level_bits) | second) as usize] += 1;
                });
            }
        }
        scope
    }
}

/// The samples of a row that cover a pixel that passes a filter.
struct Covering<'a> {
    rows: Vec<&'a [u32]>,
    shift: u8,
}

impl<'a> Covering<'a> {
    /// Creates the row `y` of pixels, or of chroma samples if `is_chroma`.
    fn of(selected: &'a SelectedPixels, picture: &Picture, filter: Filter, (y, is_chroma): (u32, bool)) -> Self {
        let y = y as usize;
        let rows = match is_chroma {
            true => picture.chroma_rows().covered_by(y, picture.height() as usize).collect(),
            false => vec![y],
        };
        let rows = rows.into_iter().map(|y| selected.row(filter, y)).filter(|row| row.iter().any(|&word| word != 0));
        Self { rows: rows.collect(), shift: if is_chroma { picture.layout().columns_shift() } else { 0 } }
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    #[inline(always)]
    fn has(&self, x: u32) -> bool {
        let (first, mask) = (x << self.shift, (1_u32 << (1 << self.shift)) - 1);
        self.rows.iter().any(|row| (row[first as usize / 32] >> (first % 32)) & mask != 0)
    }
}

/// The shared inputs for counting channel by channel.
struct Channels<'a> {
    selected: &'a SelectedPixels,
    picture: &'a Picture,
    selection: &'a Selection,
    wanted: SelectionChoice,
}

impl Channels<'_> {
    /// Counts a channel into its bins and its part of a waveform with that number of columns and bits per level.
    fn count(
        &self,
        channel: usize,
        (bins, waveform): (&mut [u32], &mut [u32]),
        (columns, level_bits): ([u32; CHANNELS], u32),
    ) {
        let Self { selected, picture, selection, wanted } = *self;
        let layout = picture.layout();
        let is_coded = selection.components == Components::YCbCr;
        if is_coded && channel >= layout.component_count() {
            return;
        }
        let rows = Rows::new(picture);
        let is_chroma = is_coded && channel > 0 && layout.model == ColorModel::YCbCr;
        let (samples, shift) = match is_chroma {
            true => (samples_in(layout, channel, selection.counted), layout.columns_shift()),
            false => (selection.counted, 0),
        };
        let conversion = picture.conversion();
        let (top, mut codes) = (conversion.max_code(), rows.room());
        let surplus = layout.bin_bits() - level_bits;
        for y in samples.y..samples.y + samples.height {
            let of = |filter| Covering::of(selected, picture, filter, (y, is_chroma));
            let (in_bins, in_columns) = (of(Filter::Histogram), of(Filter::Waveform));
            if in_bins.is_empty() && in_columns.is_empty() {
                continue;
            }
            rows.unpack_samples(y as usize, is_chroma, &mut codes);
            for x in samples.x..samples.x + samples.width {
                let counts = [wanted.histogram && in_bins.has(x), wanted.scopes[Scope::Waveform] && in_columns.has(x)];
                if counts == [false; 2] {
                    continue;
                }
                let codes = rows.at(&codes, (x as usize) << shift);
                let code = if is_coded {
                    codes[channel]
                } else {
                    let rgb = conversion.unclamped(codes.map(|code| code as i32)).map(|v| v.clamp(0, top) as u32);
                    if channel < 3 { rgb[channel] } else { conversion.luminance_bin(rgb) }
                };
                bins[code as usize] += u32::from(counts[0]);
                if counts[1] {
                    let column = column_of(x - samples.x, samples.width, columns[channel]);
                    waveform[((column << level_bits) | (code >> surplus)) as usize] += 1;
                }
            }
        }
    }
}

//! Access to a picture's codes row by row, for code that works pixel by pixel.

use rayon::prelude::*;

use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::ChromaRows;
use histoscope_core::picture::unpack::Source;

/// Number of rows that a thread takes at a time.
const BAND_ROWS: usize = 16;

/// Rows of a picture's codes.
pub(super) struct Rows<'a> {
    pub sources: Vec<Source<'a>>,
    columns_shift: u8,
    chroma_rows: ChromaRows,
    width: usize,
}

impl<'a> Rows<'a> {
    /// Takes all components of a picture.
    pub fn new(picture: &'a Picture) -> Self {
        Self::of_components(picture, picture.layout().component_count())
    }

    /// Takes the first `count` components of a picture.
    pub fn of_components(picture: &'a Picture, count: usize) -> Self {
        let layout = picture.layout();
        Self {
            sources: (0..count).map(|component| Source::new(picture, component)).collect(),
            columns_shift: layout.columns_shift(),
            chroma_rows: picture.chroma_rows(),
            width: picture.width() as usize,
        }
    }

    /// Creates arrays with room for a row of each component.
    pub fn room(&self) -> [Vec<u16>; 3] {
        std::array::from_fn(|_| vec![0; self.width])
    }

    /// Unpacks a row of pixels.
    #[inline(always)]
    pub fn unpack(&self, y: usize, codes: &mut [Vec<u16>; 3]) {
        for (index, (source, codes)) in self.sources.iter().zip(codes).enumerate() {
            source.unpack(0, if index == 0 { y } else { self.chroma_rows.of(y) }, &mut codes[..source.width]);
        }
    }

    /// Unpacks row `y` of the chroma samples if `is_chroma`, of the pixels otherwise.
    pub fn unpack_samples(&self, y: usize, is_chroma: bool, codes: &mut [Vec<u16>; 3]) {
        if !is_chroma {
            return self.unpack(y, codes);
        }
        for (source, codes) in self.sources.iter().zip(codes).skip(1) {
            source.unpack(0, y, &mut codes[..source.width]);
        }
    }

    /// Returns the codes of pixel `x` of an unpacked row; 0 for components that a gray picture lacks.
    #[inline(always)]
    pub fn at(&self, codes: &[Vec<u16>; 3], x: usize) -> [u32; 3] {
        let [first, second, third] = codes;
        let chroma = x >> self.columns_shift;
        [first[x], second[chroma], third[chroma]].map(u32::from)
    }
}

/// Folds the rows of a picture in bands, on all threads. `row` receives the accumulator, the row's codes in scratch
/// arrays, and its number.
pub(super) fn fold_rows<T: Send>(
    rows: &Rows<'_>,
    height: usize,
    empty: impl Fn() -> T + Sync + Send,
    row: impl Fn(&mut T, &mut [Vec<u16>; 3], usize) + Sync + Send,
    plus: impl Fn(T, T) -> T + Sync + Send,
) -> T {
    let bands = (0..height.div_ceil(BAND_ROWS)).into_par_iter();
    let folded = bands.fold(
        || (rows.room(), empty()),
        |(mut codes, mut sum), band| {
            for y in band * BAND_ROWS..((band + 1) * BAND_ROWS).min(height) {
                rows.unpack(y, &mut codes);
                row(&mut sum, &mut codes, y);
            }
            (codes, sum)
        },
    );
    folded.map(|(_, sum)| sum).reduce(&empty, plus)
}

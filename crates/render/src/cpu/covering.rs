//! The codes of the samples that cover the pixels of a view, row by row: what is lit, striped, coloured or written there follows
//! from them.

use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::ChromaRows;
use histoscope_core::picture::unpack::Source;

/// Components of a picture, and which of its samples cover the columns and rows that are drawn.
pub(super) struct Covering<'a> {
    sources: Vec<Source<'a>>,
    columns_shift: u8,
    chroma_rows: ChromaRows,
    /// The picture's column and row that covers each column and row that is drawn.
    columns: Vec<u32>,
    rows: Vec<u32>,
}

impl<'a> Covering<'a> {
    /// The first components of a picture, so many, in those columns and rows of its own.
    pub fn new(picture: &'a Picture, components: usize, (columns, rows): (&[u32], &[u32])) -> Self {
        let layout = picture.layout();
        Self {
            sources: (0..components).map(|component| Source::new(picture, component)).collect(),
            columns_shift: layout.columns_shift(),
            chroma_rows: picture.chroma_rows(),
            columns: columns.to_vec(),
            rows: rows.to_vec(),
        }
    }

    /// The picture's column that covers each column that is drawn.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// How many components it has.
    pub fn component_count(&self) -> usize {
        self.sources.len()
    }

    /// Unpacks what covers the drawn row of that number, and tells which row of the picture that is. `codes` has room for rows of the
    /// picture.
    #[inline(always)]
    pub fn unpack(&self, y: usize, codes: &mut [Vec<u16>; 3]) -> u32 {
        let row = self.rows[y] as usize;
        for (index, (source, codes)) in self.sources.iter().zip(codes).enumerate() {
            source.unpack(0, if index == 0 { row } else { self.chroma_rows.of(row) }, &mut codes[..source.width]);
        }
        row as u32
    }

    /// The codes in a column of the picture, of a row that was unpacked; 0 for components that there are not.
    #[inline(always)]
    pub fn at(&self, codes: &[Vec<u16>; 3], column: u32) -> [u32; 3] {
        let (at, chroma_at) = (column as usize, column as usize >> self.columns_shift);
        let [first, second, third] = codes;
        let others = if self.sources.len() == 1 { [0; 2] } else { [second[chroma_at], third[chroma_at]] };
        [first[at], others[0], others[1]].map(u32::from)
    }
}

//! How a method's invocations and its memory lie, step by step over the first pixels of the frame: what is drawn, not how.
//!
//! A diagram is rows of cells with links from row to row. Every count in it is worked out from the pixels that it is given, so
//! that it shows what really becomes of them.

use std::borrow::Cow;

/// A pixel of the frame, and the bin that its luminance goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Red, green and blue, 8 bits each.
    pub rgb: [u8; 3],
    /// The bin.
    pub bin: u32,
}

/// How a cell looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellLook {
    /// A pixel in its own colour.
    Pixel([u8; 3]),
    /// The same before or after its turn.
    FaintPixel([u8; 3]),
    /// An invocation or a processor at work.
    Busy,
    /// One that waits or has nothing to do.
    Idle,
    /// Memory that stays as it is.
    Memory,
    /// Memory that is written just now.
    Written,
    /// Memory from which counts were lost.
    Lost,
    /// Nothing is drawn.
    Nothing,
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellContent {
    /// A word or a number.
    Text(String),
    /// The counts of a whole set of bins.
    Bins(Vec<u32>),
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagramCell {
    /// How it looks.
    pub look: CellLook,
    /// The content of the cell.
    pub content: CellContent,
}

/// Cells side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagramRow {
    /// The name of the row.
    pub name: Cow<'static, str>,
    /// The cells.
    pub cells: Vec<DiagramCell>,
    /// So many of them lie close together, as those of a workgroup do.
    pub together: usize,
}

/// A line from one cell to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Row and place in it where it begins.
    pub from: (usize, usize),
    /// The same where it ends.
    pub to: (usize, usize),
    /// True if what went along it was lost.
    pub lost: bool,
}

/// A diagram at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagram {
    /// Its rows from the top.
    pub rows: Vec<DiagramRow>,
    /// Its links.
    pub links: Vec<Link>,
    /// The words for this moment.
    pub caption: String,
}

/// Moments that the last step of a diagram stands still.
const REST: usize = 3;

/// The step of so many that is shown at a moment of all, which come again and again.
#[must_use]
pub fn step_at(moment: u64, steps: usize) -> usize {
    ((moment % (steps + REST) as u64) as usize).min(steps - 1)
}

/// A cell with a word or a number.
pub fn cell(look: CellLook, text: String) -> DiagramCell {
    DiagramCell { look, content: CellContent::Text(text) }
}

/// A link along which nothing is lost.
pub const fn link(from: (usize, usize), to: (usize, usize)) -> Link {
    Link { from, to, lost: false }
}

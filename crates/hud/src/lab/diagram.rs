//! The contents of a diagram: a method's invocations and memory, step by step, over the first pixels of the frame.
//!
//! A diagram consists of rows of cells with links between rows. Every count in it is computed from the given pixels, so
//! that it shows what really happens to them.

use std::borrow::Cow;

/// The appearance of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellAppearance {
    /// A pixel in its own colour.
    Pixel([u8; 3]),
    /// A pixel before or after its turn.
    FaintPixel([u8; 3]),
    /// An invocation or a processor at work.
    Busy,
    /// An invocation or a processor that waits or has nothing to do.
    Idle,
    /// Memory not written in this step.
    Memory,
    /// Memory written in this step.
    Written,
    /// Memory from which counts were lost.
    Lost,
    /// Memory for which a second lane waits.
    Conflict,
    /// Not drawn.
    Nothing,
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellContent {
    /// A word or a number.
    Text(String),
    /// A set of bins, each with its count.
    Bins(Vec<(u32, u32)>),
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagramCell {
    /// The appearance of the cell.
    pub look: CellAppearance,
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
    /// Number of cells in a group. The cells of a group, such as a workgroup, are close together.
    pub together: usize,
}

/// The name of a row of memory banks, to which no links lead.
pub const BANKS: &str = "bank";
/// The beginning of the name of a row of pixels below other pixels.
pub const BELOW: &str = "row\u{a0}";

impl DiagramRow {
    /// Returns `true` if the row stands directly below the one before, without room for links.
    pub fn is_close(&self) -> bool {
        self.name == BANKS || self.name.starts_with(BELOW)
    }
}

/// A line from one cell to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Row of the cell where it begins, and the cell's position in the row.
    pub from: (usize, usize),
    /// Row of the cell where it ends, and the cell's position in the row.
    pub to: (usize, usize),
    /// `true` if the value that it carries was lost.
    pub lost: bool,
    /// `true` if the value that it carries is subtracted.
    pub leaves: bool,
}

/// A diagram at one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagram {
    /// Its rows, from the top.
    pub rows: Vec<DiagramRow>,
    /// Its links.
    pub links: Vec<Link>,
    /// The text about this step.
    pub caption: String,
    /// A part of the line in the shader that the step stands for; empty if there is no such line.
    pub code: &'static str,
}

impl Diagram {
    /// Returns the same without a row: the lowest empty one above the last, which an ellipsis stands for, or the topmost.
    /// Of three rows, a last one without links goes first.
    #[must_use]
    pub fn lower(&self) -> Self {
        let is_empty = |row: &usize| self.rows[*row].cells.iter().all(|cell| cell.look == CellAppearance::Nothing);
        let last = self.rows.len().saturating_sub(1);
        let without = match self.links.iter().any(|link| link.to.0 == last) {
            false if last == 2 => last,
            _ => (1..last).rev().find(is_empty).unwrap_or(0),
        };
        let now = |(row, place): (usize, usize)| (row - usize::from(row > without), place);
        let mut lower = self.clone();
        lower.rows.remove(without);
        if let Some(next) = lower.rows.get_mut(without).filter(|next| without > 0 && !next.name.starts_with('…')) {
            next.name = format!("… {}", next.name).into();
        }
        lower.links.retain(|link| link.from.0 != without && link.to.0 != without);
        lower.links.iter_mut().for_each(|link| (link.from, link.to) = (now(link.from), now(link.to)));
        lower
    }
}

/// Returns which of `steps` steps to show at a moment. After the last one, the diagram starts over; before the first
/// one is the last.
#[must_use]
pub const fn step_at(moment: i64, steps: usize) -> usize {
    moment.rem_euclid(steps as i64) as usize
}

/// Creates a cell with a word or a number.
pub fn cell(look: CellAppearance, text: String) -> DiagramCell {
    DiagramCell { look, content: CellContent::Text(text) }
}

/// Creates a link along which nothing is lost.
pub const fn link(from: (usize, usize), to: (usize, usize)) -> Link {
    Link { from, to, lost: false, leaves: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_moment_shows_the_next_step() {
        for steps in 1..=11 {
            for moment in -50..50 {
                let next = (step_at(moment, steps) + 1) % steps;
                assert_eq!(step_at(moment + 1, steps), next, "{steps} steps, after moment {moment}");
            }
        }
    }

    #[test]
    fn a_lower_diagram_tells_which_rows_it_leaves_out() {
        let row = |name: &'static str, look| DiagramRow {
            name: name.into(),
            cells: vec![cell(look, String::new())],
            together: 1,
        };
        let (full, empty) = (CellAppearance::Memory, CellAppearance::Nothing);
        let rows = vec![
            row("words", full),
            row("1 apart", full),
            row("2 apart", empty),
            row("4 apart", empty),
            row("8 apart", empty),
        ];
        let diagram = Diagram { rows, links: vec![link((0, 0), (1, 0))], caption: String::new(), code: "" };
        let names = |diagram: &Diagram| diagram.rows.iter().map(|row| row.name.to_string()).collect::<Vec<_>>();
        assert_eq!(names(&diagram.lower()), ["words", "1 apart", "2 apart", "… 8 apart"]);
        assert_eq!(names(&diagram.lower().lower()), ["words", "1 apart", "… 8 apart"]);
        assert_eq!(diagram.lower().links, diagram.links);
    }
}

//! Columns of a table and their cells, whatever is told in them; the same fields have the same names and values in JSON.

use std::borrow::Cow;

use serde::ser::{Serialize, Serializer};

/// What the cells of a column hold. Whole numbers have a sign, so that differences of them have one too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Yes or no.
    Boolean,
    /// Whole numbers that fit 32 bits with a sign: codes, sizes.
    Integer32,
    /// Whole numbers of 64 bits with a sign: numbers of frames, counts of samples.
    Integer64,
    /// 64-bit floating point.
    Real,
    /// Words.
    Text,
    /// Numbers of 32 bits without a sign, as many as there are.
    Numbers,
}

/// What one cell holds.
pub enum Cell<'a> {
    /// Nothing; null in JSON.
    Empty,
    /// Of [`CellKind::Boolean`].
    Boolean(bool),
    /// Of both kinds of whole numbers.
    Integer(i64),
    /// Of [`CellKind::Real`].
    Real(f64),
    /// Of [`CellKind::Text`].
    Text(Cow<'a, str>),
    /// Of [`CellKind::Numbers`].
    Numbers(&'a [u32]),
}

impl<'a> Cell<'a> {
    /// A whole number.
    pub fn whole(number: impl Into<i64>) -> Self {
        Self::Integer(number.into())
    }

    /// A number of frames or samples, of which there are never 2^63.
    pub const fn count(count: u64) -> Self {
        Self::Integer(count.cast_signed())
    }

    /// Words.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// The cell of a value, where there is one.
    pub fn maybe<T>(value: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Empty, cell)
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Empty => serializer.serialize_none(),
            Self::Boolean(value) => value.serialize(serializer),
            Self::Integer(value) => value.serialize(serializer),
            Self::Real(value) => value.serialize(serializer),
            Self::Text(value) => value.serialize(serializer),
            Self::Numbers(numbers) => numbers.serialize(serializer),
        }
    }
}

/// A column of a table: its name without that of its channel, what its cells hold, whether one may be empty, and what it is.
pub(super) struct Column<F> {
    pub(super) name: &'static str,
    kind: CellKind,
    may_be_empty: bool,
    pub(super) cell: F,
}

/// A column whose cells are never empty.
pub(super) const fn always<F: Copy>(name: &'static str, kind: CellKind, cell: F) -> Column<F> {
    Column { name, kind, may_be_empty: false, cell }
}

/// A column whose cells may be.
pub(super) const fn perhaps<F: Copy>(name: &'static str, kind: CellKind, cell: F) -> Column<F> {
    Column { name, kind, may_be_empty: true, cell }
}

/// A column as a table's head has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its whole name.
    pub name: String,
    /// What its cells hold.
    pub kind: CellKind,
    /// Whether a cell may be empty.
    pub may_be_empty: bool,
}

impl Field {
    pub(super) fn of<F>(prefix: &str, column: &Column<F>) -> Self {
        Self { name: format!("{prefix}{}", column.name), kind: column.kind, may_be_empty: column.may_be_empty }
    }
}

/// A row of a CSV table that is being filled; its memory is used again and again.
#[derive(Default)]
pub struct RowCells {
    text: String,
    record: csv::ByteRecord,
}

impl RowCells {
    /// The cells.
    #[must_use]
    pub const fn record(&self) -> &csv::ByteRecord {
        &self.record
    }

    /// Begins a row.
    pub fn clear(&mut self) {
        self.record.clear();
    }

    /// Adds a cell.
    pub fn push(&mut self, cell: &Cell<'_>) {
        use std::fmt::Write as _;
        self.text.clear();
        // Writing to a string never fails.
        let _ = match cell {
            Cell::Empty => Ok(()),
            Cell::Boolean(value) => write!(self.text, "{value}"),
            Cell::Integer(value) => write!(self.text, "{value}"),
            Cell::Real(value) => write!(self.text, "{value}"),
            Cell::Text(value) => self.text.write_str(value),
            Cell::Numbers(numbers) => numbers
                .iter()
                .enumerate()
                .try_for_each(|(index, number)| write!(self.text, "{}{number}", if index == 0 { "" } else { " " })),
        };
        self.record.push_field(self.text.as_bytes());
    }
}

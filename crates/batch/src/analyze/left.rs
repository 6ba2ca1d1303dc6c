//! What an earlier run has left of its output.

/// What an unfinished output holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Left {
    /// Bytes up to the end of the last complete record; in lines, without the separator and the line's end behind it.
    pub bytes: u64,
    /// Complete records.
    pub records: u64,
    /// Number of the last record's frame.
    pub last: Option<u64>,
}

//! The strip: columns that divide the clip's time evenly, each with the counts of the frames that begin in its time.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cells::ROWS;
use super::cuts::Cut;
use super::findings::{Finding, FindingKind};
use super::line::Figures;
use super::timecodes::TimecodeBreak;
use crate::histogram::CHANNELS;
use crate::picture::Timecode;

/// Number of columns, whatever the clip's length.
pub const COLUMNS: usize = 1024;
/// Number of cells in a column: the levels of red, green, blue and luminance.
pub const CELLS: usize = CHANNELS * ROWS;

/// The sum of the cells of several frames, and their figures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cells {
    /// Number of frames.
    frames: u64,
    /// [`CELLS`] counts, channel by channel, each from the lowest level up; empty if there are no frames.
    counts: Box<[u64]>,
    /// The figures of those frames for which they are known: all in a column that a sweep has counted.
    pub figures: Figures,
}

impl Cells {
    /// Creates the sum of `frames` frames. Returns `None` unless there are [`CELLS`] counts, or none for zero frames.
    #[must_use]
    pub fn new(frames: u64, counts: Vec<u64>, figures: Figures) -> Option<Self> {
        let expected = if frames > 0 { CELLS } else { 0 };
        (counts.len() == expected).then(|| Self { frames, counts: counts.into(), figures })
    }

    /// Adds a frame's cells; see [`fold`](super::fold).
    pub fn add(&mut self, cells: &[u64]) {
        self.frames += 1;
        if self.counts.is_empty() {
            self.counts = cells.into();
            return;
        }
        for (sum, count) in self.counts.iter_mut().zip(cells) {
            *sum += count;
        }
    }

    /// Adds another sum.
    pub(super) fn join(&mut self, other: &Self) {
        self.frames += other.frames;
        self.figures.join(&other.figures);
        if self.counts.is_empty() {
            self.counts.clone_from(&other.counts);
            return;
        }
        for (sum, count) in self.counts.iter_mut().zip(&other.counts) {
            *sum += count;
        }
    }

    /// Returns the number of frames.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the counts, channel by channel, each from the lowest level up; empty if there are no frames.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }
}

/// The state of a column: which of the frames that begin in its time have been counted.
#[derive(Debug, Clone, PartialEq)]
pub enum StripColumn {
    /// None, and it is unknown whether an earlier frame is still on screen.
    Unseen,
    /// None, or only some, such as a keyframe.
    Glimpsed(Cells),
    /// Every frame. There may be none if frames last longer than a column.
    Counted(Cells),
}

impl StripColumn {
    /// Returns the counts.
    #[must_use]
    pub fn cells(&self) -> &Cells {
        static NOTHING: LazyLock<Cells> = LazyLock::new(Cells::default);
        match self {
            Self::Unseen => &NOTHING,
            Self::Glimpsed(cells) | Self::Counted(cells) => cells,
        }
    }

    /// Joins the column with the following one.
    pub(super) fn joined(self, next: Self) -> Self {
        let is_counted = matches!((&self, &next), (Self::Counted(_), Self::Counted(_)));
        let is_unseen = matches!((&self, &next), (Self::Unseen, Self::Unseen));
        let mut cells = self.cells().clone();
        cells.join(next.cells());
        match (is_unseen, is_counted) {
            (true, _) => Self::Unseen,
            (_, true) => Self::Counted(cells),
            _ => Self::Glimpsed(cells),
        }
    }
}

/// The number of strips created, from which each gets its identifier.
static MADE: AtomicU64 = AtomicU64::new(0);

/// The progress of a sweep since the last report.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The columns that have become exact.
    pub(super) columns: std::ops::Range<usize>,
    /// The frames of the first of these columns; the others have none.
    pub(super) cells: Cells,
    /// All cuts found so far, if there are new ones.
    pub(super) cuts: Option<Vec<Cut>>,
    /// All findings so far, if there are new ones.
    pub(super) findings: Option<Vec<Finding>>,
}

/// A clip as a strip of columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Strip {
    /// A number that no other strip has, except clones.
    id: u64,
    /// The time at its left end, in seconds.
    begin_secs: f64,
    span_secs: f64,
    columns: Vec<StripColumn>,
    /// For each column, the number of the last change that affected it.
    changed: Vec<u64>,
    changes: u64,
    cuts: Vec<Cut>,
    findings: Vec<Finding>,
}

impl Strip {
    /// Creates an empty strip for a clip of `span_secs` seconds. Returns `None` if the length is invalid.
    #[must_use]
    pub fn new(span_secs: f64) -> Option<Self> {
        let is_length = span_secs.is_finite() && span_secs > 0.0;
        is_length.then(|| Self {
            id: MADE.fetch_add(1, Ordering::Relaxed),
            begin_secs: 0.0,
            span_secs,
            columns: vec![StripColumn::Glimpsed(Cells::default()); COLUMNS],
            changed: vec![0; COLUMNS],
            changes: 0,
            cuts: Vec::new(),
            findings: Vec::new(),
        })
    }

    /// Creates a complete strip. Returns `None` if the length is invalid or there are not [`COLUMNS`] columns.
    #[must_use]
    pub fn of(span_secs: f64, columns: Vec<Cells>, cuts: Vec<Cut>, findings: Vec<Finding>) -> Option<Self> {
        let columns: Vec<_> = columns.into_iter().map(StripColumn::Counted).collect();
        let empty = Self::new(span_secs).filter(|_| columns.len() == COLUMNS)?;
        Some(Self { columns, cuts, findings, changes: 1, changed: vec![1; COLUMNS], ..empty })
    }

    /// Creates a strip of a span that was watched, with its number of changes. Returns `None` if the span is invalid or
    /// there are not [`COLUMNS`] columns.
    pub(super) fn watched(
        (begin_secs, span_secs): (f64, f64),
        columns: Vec<StripColumn>,
        changes: u64,
    ) -> Option<Self> {
        let empty = Self::new(span_secs).filter(|_| columns.len() == COLUMNS && begin_secs.is_finite())?;
        Some(Self { begin_secs, columns, changes, changed: vec![changes; COLUMNS], ..empty })
    }

    /// Returns a number that no other strip has, except clones.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Returns the time at the left end, in seconds from the clip's start.
    #[must_use]
    pub const fn begin_secs(&self) -> f64 {
        self.begin_secs
    }

    /// Returns the duration from the left end to the right end, in seconds.
    #[must_use]
    pub const fn span_secs(&self) -> f64 {
        self.span_secs
    }

    /// Returns the column in whose time a frame begins, given in seconds from the clip's start. Times beyond the ends
    /// belong to the nearest column.
    #[must_use]
    pub fn column_at(&self, time_secs: f64) -> usize {
        column_at(self.span_secs, time_secs - self.begin_secs)
    }

    /// Returns a time just before the end of a column, in seconds. It is 1 ms before the end, because some containers
    /// round times to milliseconds, but at most half a column.
    #[must_use]
    pub fn last_secs(&self, column: usize) -> f64 {
        let width = self.span_secs / COLUMNS as f64;
        self.begin_secs + width * (column + 1) as f64 - (width / 2.0).min(1e-3)
    }

    /// Returns the columns in order.
    #[must_use]
    pub fn columns(&self) -> &[StripColumn] {
        &self.columns
    }

    /// Returns the cuts found so far, in order.
    #[must_use]
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// Returns the findings so far, in order of time.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the timecode breaks found so far, in order: the number of the frame and its timecode.
    pub fn timecode_breaks(&self) -> impl Iterator<Item = (u64, Timecode)> {
        self.findings.iter().filter_map(|finding| match finding.kind {
            FindingKind::Timecode(TimecodeBreak { found, .. }) => Some((finding.frame, found)),
            _ => None,
        })
    }

    /// Applies the progress of a sweep.
    pub fn advance(&mut self, progress: Progress) {
        let Progress { columns, mut cells, cuts, findings } = progress;
        for column in columns {
            self.complete(column, std::mem::take(&mut cells));
        }
        self.cuts = cuts.unwrap_or_else(|| std::mem::take(&mut self.cuts));
        self.findings = findings.unwrap_or_else(|| std::mem::take(&mut self.findings));
    }

    /// Adds a frame to its column, unless all frames of the column have been counted.
    pub fn glimpse(&mut self, time_secs: f64, cells: &[u64]) {
        let at = self.column_at(time_secs);
        if let StripColumn::Glimpsed(known) = &mut self.columns[at] {
            known.add(cells);
            self.note_change(at);
        }
    }

    /// Replaces a column by the sum of all its frames.
    pub(super) fn complete(&mut self, column: usize, cells: Cells) {
        self.columns[column] = StripColumn::Counted(cells);
        self.note_change(column);
    }

    fn note_change(&mut self, column: usize) {
        self.changes += 1;
        self.changed[column] = self.changes;
    }

    /// Returns the number of changes.
    #[must_use]
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns the number of the last change that affected a column, counted from 1, or 0 if there was none.
    pub(super) fn changed(&self, column: usize) -> u64 {
        self.changed[column]
    }

    /// Returns the number of columns that are exact.
    #[must_use]
    pub fn counted_columns(&self) -> usize {
        self.columns.iter().filter(|column| matches!(column, StripColumn::Counted(_))).count()
    }

    /// Returns the time, in seconds, up to which every frame has been counted.
    #[must_use]
    pub fn known_secs(&self) -> f64 {
        let first = self.columns.iter().position(|column| !matches!(column, StripColumn::Counted(_)));
        self.begin_secs + first.map_or(self.span_secs, |first| self.span_secs * first as f64 / COLUMNS as f64)
    }

    /// Returns `true` if every frame of the clip has been counted.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.counted_columns() == COLUMNS
    }

    /// Returns the sum of all columns.
    #[must_use]
    pub fn total(&self) -> Cells {
        let mut total = Cells { frames: 0, counts: vec![0; CELLS].into(), ..Cells::default() };
        for cells in self.columns.iter().map(StripColumn::cells) {
            total.frames += cells.frames;
            for (sum, count) in total.counts.iter_mut().zip(&cells.counts) {
                *sum += count;
            }
        }
        total
    }
}

/// Returns the column in whose time a frame begins, in a strip of `span_secs` seconds.
pub(super) fn column_at(span_secs: f64, time_secs: f64) -> usize {
    // The conversion saturates, and NaN becomes 0.
    ((time_secs / span_secs * COLUMNS as f64) as usize).min(COLUMNS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_belong_to_evenly_spaced_columns() {
        let strip = Strip::new(10.0).unwrap();
        let columns = [-1.0, 0.0, 5.0, 9.999, 10.0, 36_000.0, f64::NAN].map(|secs| strip.column_at(secs));
        assert_eq!(columns, [0, 0, 512, 1023, 1023, 1023, 0]);
        for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Strip::new(length), None, "{length} is no length");
        }
    }

    #[test]
    fn counted_columns_replace_glimpsed_ones() {
        let mut strip = Strip::new(1024.0).unwrap();
        strip.glimpse(3.0, &[1; CELLS]);
        strip.glimpse(3.5, &[2; CELLS]);
        assert_eq!((strip.columns()[3].cells().frames(), strip.columns()[3].cells().counts()[7]), (2, 3));
        let mut every = Cells::default();
        every.add(&[5; CELLS]);
        strip.complete(3, every.clone());
        strip.glimpse(3.0, &[1; CELLS]);
        assert_eq!(strip.columns()[3], StripColumn::Counted(every), "a frame is counted twice");
        assert_eq!((strip.counted_columns(), strip.is_complete(), strip.changed(3)), (1, false, 3));
    }

    #[test]
    fn strips_and_cells_require_the_right_length() {
        assert_eq!(Strip::of(1.0, vec![Cells::default(); COLUMNS - 1], Vec::new(), Vec::new()), None);
        assert!(Strip::of(1.0, vec![Cells::default(); COLUMNS], Vec::new(), Vec::new()).unwrap().is_complete());
        assert_eq!(
            (Cells::new(0, vec![1; CELLS], Figures::default()), Cells::new(1, vec![1; 3], Figures::default())),
            (None, None)
        );
    }

    #[test]
    fn the_last_time_of_a_column_lies_just_before_its_end() {
        for span_secs in [0.5, 40.96, 1024.0, 36_000.0] {
            let strip = Strip::new(span_secs).unwrap();
            assert!((0..COLUMNS).all(|at| strip.column_at(strip.last_secs(at)) == at), "{span_secs} s");
            let late = (span_secs / COLUMNS as f64 / 2.0).min(1e-3) + 1e-9;
            assert!((0..COLUMNS - 1).all(|at| strip.column_at(strip.last_secs(at) + late) == at + 1), "{span_secs} s");
        }
    }
}

//! The strip of a clip that can be read only once: the frames that were shown, column by column, in memory that does
//! not grow with the time spent watching.
//!
//! Columns divide the clip's time into equal parts. When there are too many, neighbours are joined in pairs, which
//! doubles the duration of a column. A column is exact if every frame that begins in its time was counted, which is
//! certain if consecutive frames were shown. If frames are missing, or the viewer jumped elsewhere, it is known only in
//! part.

use std::collections::VecDeque;

use super::columns::{COLUMNS, Cells, Strip, StripColumn, column_at};

/// Initial duration of a column in seconds, shorter than a frame.
const FINEST_SECS: f64 = 1.0 / 128.0;

/// A frame that was shown.
#[derive(Debug, Clone, Copy)]
pub struct Watch<'a> {
    /// Time at which it begins, in seconds.
    pub time_secs: f64,
    /// Time at which it ends, in seconds, if the source states it.
    pub end_secs: f64,
    /// Its cells; see [`fold`](super::fold).
    pub cells: &'a [u64],
}

/// A run of consecutive frames.
#[derive(Debug)]
struct Run {
    /// The column in which its last frame begins.
    at: i64,
    /// `true` if the run includes the first frame that begins in that column.
    is_whole: bool,
    /// `true` if frames are added to that column, `false` if it already had frames before the run.
    adds: bool,
    begin_secs: f64,
    end_secs: f64,
}

impl Run {
    /// Returns `true` if a frame continues the run: it begins about when the run's last frame ends.
    fn leads_to(&self, watch: &Watch<'_>) -> bool {
        let slack = (self.end_secs - self.begin_secs).max(0.0) / 2.0 + 1e-3;
        watch.time_secs > self.begin_secs && (watch.time_secs - self.end_secs).abs() <= slack
    }
}

/// The frames that were shown, in columns.
#[derive(Debug)]
pub struct Watched {
    width_secs: f64,
    /// The number of the first column, counted from time 0.
    first: i64,
    /// At most [`COLUMNS`].
    columns: VecDeque<StripColumn>,
    run: Option<Run>,
    changes: u64,
    end_secs: f64,
}

impl Default for Watched {
    fn default() -> Self {
        Self { width_secs: FINEST_SECS, first: 0, columns: VecDeque::new(), run: None, changes: 0, end_secs: 0.0 }
    }
}

impl Watched {
    /// Takes a frame that was shown. A repetition of the previous frame, or a frame without a time, is ignored.
    pub fn add(&mut self, watch: &Watch<'_>) {
        let Watch { time_secs, end_secs, cells } = *watch;
        let is_again = self.run.as_ref().is_some_and(|run| time_secs.to_bits() == run.begin_secs.to_bits());
        if !time_secs.is_finite() || is_again {
            return;
        }
        self.changes += 1;
        self.end_secs = self.end_secs.max(end_secs).max(time_secs);
        self.make_room_for(time_secs);
        let at = self.number(time_secs);
        let before = self.run.take();
        // At the start of the clip, no earlier frame can be missing.
        let follows = before.as_ref().map_or(time_secs.abs() < 1e-3, |run| run.leads_to(watch));
        let (is_whole, adds) = match before {
            Some(run) if follows && run.at == at => (run.is_whole, run.adds),
            before => {
                if let Some(run) = before.filter(|_| follows) {
                    self.leave(&run, at);
                }
                (follows, self.enter(at, follows))
            }
        };
        if adds {
            self.add_to(at, cells);
        }
        self.run = Some(Run { at, is_whole, adds, begin_secs: time_secs, end_secs });
    }

    /// Returns the latest end time of the frames that were shown, in seconds.
    #[must_use]
    pub const fn end_secs(&self) -> f64 {
        self.end_secs
    }

    /// Drops the columns that end by the given time.
    pub fn forget_before(&mut self, secs: f64) {
        while !self.columns.is_empty() && (self.first + 1) as f64 * self.width_secs <= secs {
            self.columns.pop_front();
            self.first += 1;
        }
        let first = self.first;
        self.run.take_if(|run| run.at < first);
    }

    /// Creates the strip of a span of time, or returns `None` if the span is invalid.
    #[must_use]
    pub fn strip(&self, (begin_secs, end_secs): (f64, f64)) -> Option<Strip> {
        let span_secs = end_secs - begin_secs;
        let mut sums = vec![Cells::default(); COLUMNS];
        for (column, number) in self.columns.iter().zip(self.first..) {
            let secs = number as f64 * self.width_secs - begin_secs;
            // A column that straddles the left end is included there.
            if secs > -self.width_secs && secs < span_secs {
                sums[column_at(span_secs, secs)].join(column.cells());
            }
        }
        let width = span_secs / COLUMNS as f64;
        let column = |(at, cells): (usize, Cells)| {
            let from = self.number(begin_secs + width * at as f64);
            let to = self.number(begin_secs + width * (at as f64 + 0.999)).max(from);
            let has = |is: fn(&StripColumn) -> bool| (from..=to).map(move |number| self.column(number).is_some_and(is));
            if has(|column| matches!(column, StripColumn::Counted(_))).all(|is| is) {
                StripColumn::Counted(cells)
            } else if cells.frames() > 0 || has(|column| !matches!(column, StripColumn::Unseen)).any(|is| is) {
                StripColumn::Glimpsed(cells)
            } else {
                StripColumn::Unseen
            }
        };
        let columns = sums.into_iter().enumerate().map(column).collect();
        Strip::watched((begin_secs, span_secs), columns, self.changes)
    }

    /// Returns the number of the column at a time.
    fn number(&self, secs: f64) -> i64 {
        (secs / self.width_secs).floor() as i64
    }

    fn column(&self, number: i64) -> Option<&StripColumn> {
        self.columns.get(usize::try_from(number - self.first).ok()?)
    }

    /// Doubles the duration of columns until there is room for a column at the given time, and adds it.
    fn make_room_for(&mut self, secs: f64) {
        let (mut low, mut high);
        loop {
            let at = self.number(secs);
            let last = self.first + self.columns.len() as i64 - 1;
            (low, high) = if self.columns.is_empty() { (at, at) } else { (self.first.min(at), last.max(at)) };
            if high - low < COLUMNS as i64 {
                break;
            }
            self.join_neighbours();
        }
        if self.columns.is_empty() {
            self.first = low;
        }
        while self.first > low {
            self.columns.push_front(StripColumn::Unseen);
            self.first -= 1;
        }
        while self.first + (self.columns.len() as i64) <= high {
            self.columns.push_back(StripColumn::Unseen);
        }
    }

    fn join_neighbours(&mut self) {
        let (first, mut old) = (self.first, std::mem::take(&mut self.columns));
        if let Some(run) = &mut self.run {
            let is_left = run.at.rem_euclid(2) == 0;
            let other = if is_left { run.at + 1 } else { run.at - 1 };
            let other = usize::try_from(other - first).ok().and_then(|place| old.get(place));
            // If the right half already has frames, no more are added to the joined column. If the left half is not
            // exact, neither is the joined column.
            match other {
                Some(StripColumn::Unseen) | None if is_left => {}
                Some(StripColumn::Counted(_)) if !is_left => {}
                _ => (run.is_whole, run.adds) = (false, run.adds && !is_left),
            }
            run.at = run.at.div_euclid(2);
        }
        if first.rem_euclid(2) == 1 {
            old.push_front(StripColumn::Unseen);
        }
        (self.width_secs, self.first) = (self.width_secs * 2.0, first.div_euclid(2));
        let mut old = old.into_iter();
        while let Some(left) = old.next() {
            self.columns.push_back(left.joined(old.next().unwrap_or(StripColumn::Unseen)));
        }
    }

    fn place(&mut self, number: i64) -> Option<&mut StripColumn> {
        self.columns.get_mut(usize::try_from(number - self.first).ok()?)
    }

    /// Enters a column and returns `true` if frames are to be added to it. If it was known in part, a run that includes
    /// all its frames replaces it; otherwise it stays as it is.
    fn enter(&mut self, at: i64, is_whole: bool) -> bool {
        match self.place(at) {
            Some(column @ StripColumn::Glimpsed(_)) if is_whole => {
                *column = StripColumn::Unseen;
                true
            }
            Some(StripColumn::Unseen) => true,
            _ => false,
        }
    }

    fn add_to(&mut self, at: i64, cells: &[u64]) {
        let Some(column) = self.place(at) else { return };
        if let StripColumn::Unseen = column {
            *column = StripColumn::Glimpsed(Cells::default());
        }
        if let StripColumn::Glimpsed(sum) = column {
            sum.add(cells);
        }
    }

    /// Leaves a column for a later one. It becomes exact if the run included all its frames. Columns in between are
    /// exact and empty, because no other frame began there.
    fn leave(&mut self, run: &Run, to: i64) {
        if let Some(column) = self.place(run.at)
            && let (true, true, StripColumn::Glimpsed(cells)) = (run.is_whole, run.adds, &mut *column)
        {
            *column = StripColumn::Counted(std::mem::take(cells));
        }
        for between in run.at + 1..to {
            if let Some(column) = self.place(between) {
                *column = StripColumn::Counted(Cells::default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::strip::CELLS;

    /// Returns cells that identify frame `number`.
    fn cells(number: u64) -> Vec<u64> {
        let mut cells = vec![0; CELLS];
        cells[0] = number + 1;
        cells
    }

    /// Shows frame `number` of a clip with this frame rate.
    fn show(watched: &mut Watched, number: u64, rate: f64) {
        let cells = cells(number);
        let [time_secs, end_secs] = [number, number + 1].map(|number| number as f64 / rate);
        watched.add(&Watch { time_secs, end_secs, cells: &cells });
        assert!(watched.columns.len() <= COLUMNS, "{} columns", watched.columns.len());
    }

    fn kinds(strip: &Strip) -> [usize; 3] {
        let count = |is: fn(&&StripColumn) -> bool| strip.columns().iter().filter(is).count();
        [
            count(|column| matches!(column, StripColumn::Counted(_))),
            count(|column| matches!(column, StripColumn::Glimpsed(_))),
            count(|column| matches!(column, StripColumn::Unseen)),
        ]
    }

    #[test]
    fn watching_from_the_start_gives_exact_columns_up_to_the_last() {
        for (frames, rate) in [(3, 25.0), (190, 24.0), (9000, 30.0), (40_000, 60.0)] {
            let mut watched = Watched::default();
            (0..frames).for_each(|number| show(&mut watched, number, rate));
            let strip = watched.strip((0.0, watched.end_secs())).unwrap();
            assert_eq!(strip.total().frames(), frames);
            assert_eq!(strip.total().counts()[0], (1..=frames).sum::<u64>());
            let [counted, glimpsed, _] = kinds(&strip);
            let last_secs = (frames - 1) as f64 / rate;
            assert!(
                counted > 0 && counted >= strip.column_at(last_secs - 2.0 * watched.width_secs),
                "{counted} counted"
            );
            assert!((1..COLUMNS / 2).contains(&glimpsed) || frames == 3, "{glimpsed} glimpsed");
        }
    }

    #[test]
    fn missed_frames_leave_columns_unseen() {
        let mut watched = Watched::default();
        let shown = (0..500).filter(|number| !(200..300).contains(number));
        shown.for_each(|number| show(&mut watched, number, 25.0));
        let strip = watched.strip((0.0, 40.0)).unwrap();
        let at = |secs: f64| &strip.columns()[strip.column_at(secs)];
        assert!(matches!(at(5.0), StripColumn::Counted(_)) && matches!(at(15.0), StripColumn::Counted(_)));
        assert!(matches!(at(10.0), StripColumn::Unseen) && matches!(at(30.0), StripColumn::Unseen));
        assert_eq!(strip.total().frames(), 400);
        assert!(!strip.is_complete());
        // The strip of a different span has the same content.
        let later = watched.strip((12.5, 19.0)).unwrap();
        assert_eq!((later.column_at(12.5), later.column_at(18.999)), (0, COLUMNS - 1));
        assert!((160..=165).contains(&later.total().frames()), "{} frames", later.total().frames());
    }

    #[test]
    fn a_frame_counts_once_however_often_it_is_shown() {
        let mut watched = Watched::default();
        for number in [0, 1, 1, 2, 3, 2, 1, 2, 3, 4, 5, 5, 6] {
            show(&mut watched, number, 10.0);
        }
        let strip = watched.strip((0.0, 1.0)).unwrap();
        assert_eq!((strip.total().frames(), strip.total().counts()[0]), (7, (1..=7).sum()));
    }

    #[test]
    fn dropped_columns_make_room_for_later_ones() {
        let mut watched = Watched::default();
        for number in 0..100_000 {
            show(&mut watched, number, 50.0);
            watched.forget_before((number as f64 - 200.0) / 50.0);
        }
        assert_eq!(watched.width_secs.to_bits(), FINEST_SECS.to_bits(), "four seconds need no coarser columns");
        let span = (1996.0, 2000.0);
        let strip = watched.strip(span).unwrap();
        let [counted, ..] = kinds(&strip);
        assert!(counted > COLUMNS - 16, "{counted} counted");
        assert!((199..=201).contains(&strip.total().frames()));
        watched.forget_before(f64::MAX);
        show(&mut watched, 7, 50.0);
        assert_eq!(watched.strip((0.0, 1.0)).unwrap().total().frames(), 1);
        for nothing in [(0.0, 0.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            assert_eq!(watched.strip(nothing), None);
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, cases: 200, ..Default::default() })]

        /// Simulates a viewer who jumps around. No frame may be counted twice.
        #[test]
        fn counted_columns_are_exact(visits in proptest::collection::vec((0..600_u64, 1..200_u64), 1..12)) {
            let (rate, end) = (25.0, 800.0 / 25.0);
            let (mut watched, mut seen) = (Watched::default(), BTreeSet::new());
            for (first, frames) in visits {
                for number in first..first + frames {
                    show(&mut watched, number, rate);
                    seen.insert(number);
                }
            }
            let strip = watched.strip((0.0, end)).unwrap();
            proptest::prop_assert!(strip.total().frames() <= seen.len() as u64);
            // A frame that begins at the boundary of two columns may be in either.
            let number = |at: f64| (at * rate * end / COLUMNS as f64).ceil() as u64;
            let mut at = 0;
            while at < COLUMNS {
                let begin = at;
                while at < COLUMNS && matches!(strip.columns()[at], StripColumn::Counted(_)) {
                    at += 1;
                }
                let counted: u64 = strip.columns()[begin..at].iter().map(|column| column.cells().frames()).sum();
                let expected = number(at as f64) - number(begin as f64);
                let widest = (watched.width_secs * rate).ceil() as u64;
                proptest::prop_assert!(counted.abs_diff(expected) <= 1 + widest, "{begin}..{at}: {counted} of {expected}");
                at += 1;
            }
        }
    }
}

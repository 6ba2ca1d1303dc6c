//! A key frame for each column that has one, all over the length at once and then in between, before every frame is counted.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use super::counter::StripCounter;
use super::subject::{Break, StripReading};
use histoscope_core::strip::{COLUMNS, fold};
use histoscope_media::Seek;

/// Decoders that look for key frames at once.
const MOST_DECODERS: usize = 4;
/// Threads of each of them, to decode and to count. With frame threads a decoder gives its first frame when each of them has a packet, which is longer than one
/// needs for a key frame. What damaged parts look like, which the number of threads can change, is counted later as everybody counts it.
const THREADS: usize = 1;

/// Shows a key frame for each column that has one. What cannot be read ends this, for decoding from the start, which follows, tells what
/// is to be told.
///
/// # Errors
/// That nobody wants the strip any more.
pub fn glimpse(reading: &StripReading) -> Result<(), Break> {
    let decoders = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST_DECODERS);
    let search = Mutex::new(ColumnSearch::new());
    std::thread::scope(|scope| {
        for _ in 0..decoders {
            let thread = std::thread::Builder::new().name("histoscope-strip".to_owned());
            let started = thread.spawn_scoped(scope, || {
                if let Err(Break::Unreadable(error)) = look(reading, &search) {
                    log::debug!("strip: key frames are not looked for any further: {error}");
                }
            });
            if let Err(error) = started {
                log::debug!("strip: no thread to look for key frames: {error}");
            }
        }
    });
    let found = search.into_inner().unwrap_or_else(PoisonError::into_inner).found;
    log::debug!("strip: {found} key frames");
    reading.pass()
}

/// Looks for key frames until somebody has looked for that of every column.
fn look(reading: &StripReading, search: &Mutex<ColumnSearch>) -> Result<(), Break> {
    let search = || search.lock().unwrap_or_else(PoisonError::into_inner);
    let mut decoder = reading.open(Some(THREADS))?;
    if !decoder.info().seekable || !decoder.info().timed {
        return Ok(());
    }
    let mut counter = StripCounter::with_threads(THREADS);
    loop {
        let Some(at) = search().next() else { return Ok(()) };
        reading.pass()?;
        let last_secs = reading.shared.lock().last_secs(at);
        decoder.seek(Seek::Keyframe(last_secs))?;
        let Some(frame) = decoder.next_frame()? else { continue };
        let column = reading.shared.lock().column_at(frame.time_secs);
        if column <= at && search().settle(column, at) && frame.key {
            let cells = fold(counter.count(&frame));
            reading.shared.lock().glimpse(frame.time_secs, &cells);
            search().found += 1;
        }
    }
}

/// Which columns are yet to be looked at.
struct ColumnSearch {
    order: Box<dyn Iterator<Item = usize> + Send>,
    is_settled: Vec<bool>,
    /// Key frames that are shown.
    found: usize,
}

impl ColumnSearch {
    fn new() -> Self {
        Self { order: Box::new(spread()), is_settled: vec![false; COLUMNS], found: 0 }
    }

    /// The next column whose last key frame nobody has found.
    fn next(&mut self) -> Option<usize> {
        self.order.by_ref().find(|&at| !self.is_settled[at])
    }

    /// Takes down that the last key frame before the end of column `at` is in `column`. Returns whether nobody else has found one there.
    fn settle(&mut self, column: usize, at: usize) -> bool {
        let is_new = !self.is_settled[column];
        // No key frame lies between it and the end of this column.
        self.is_settled[column..=at].fill(true);
        is_new
    }
}

/// The columns in an order in which each step halves the gaps between those before.
fn spread() -> impl Iterator<Item = usize> {
    let bits = COLUMNS.trailing_zeros();
    (0..COLUMNS).map(move |index| index.reverse_bits() >> (usize::BITS - bits))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::gate::Pace;
    use super::super::subject::{StripShared, StripSubject};
    use super::*;
    use histoscope_core::strip::{CELLS, Strip};
    use histoscope_media::{OpenOptions, StopHandle};

    #[test]
    fn columns_are_looked_at_all_over_the_length_first() {
        let order: Vec<_> = spread().collect();
        assert_eq!(order[..5], [0, 512, 256, 768, 128]);
        let mut sorted = order;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..COLUMNS));
    }

    #[test]
    fn every_key_frame_is_shown_once_whoever_finds_it() {
        let subject = StripSubject { path: "assets/sample.mp4".into(), open: OpenOptions::default() };
        let empty = Strip::new(10.0).expect("it has a length");
        let reading = StripReading { subject, shared: Arc::new(StripShared::new(empty)), stop: StopHandle::new() };
        reading.shared.gate.set(Pace::Go);
        assert!(glimpse(&reading).is_ok(), "nobody has ended it");
        let strip = reading.shared.lock();
        let seen: Vec<_> = strip.columns().iter().map(|column| column.cells().counts().iter().sum::<u64>()).collect();
        // One every two seconds, of 1280 by 720 pixels in four channels.
        let mut wanted = vec![0; COLUMNS];
        (0..5).for_each(|at| wanted[strip.column_at(f64::from(2 * at))] = 1280 * 720 * 4);
        assert!(seen == wanted, "{:?}", seen.iter().enumerate().filter(|(_, sum)| **sum > 0).collect::<Vec<_>>());
        assert_eq!(strip.columns()[0].cells().counts().len(), CELLS);
    }

    #[test]
    fn it_ends_when_nobody_wants_the_strip() {
        let subject = StripSubject { path: "assets/sample.mp4".into(), open: OpenOptions::default() };
        let empty = Strip::new(10.0).expect("it has a length");
        let reading = StripReading { subject, shared: Arc::new(StripShared::new(empty)), stop: StopHandle::new() };
        reading.shared.gate.set(Pace::Stop);
        assert!(matches!(glimpse(&reading), Err(Break::Unwanted)), "it does not say so");
        assert!(reading.shared.lock().columns().iter().all(|column| column.cells().frames() == 0), "it goes on");
    }
}

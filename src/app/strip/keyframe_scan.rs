//! Finds a key frame for each column that has one, first spread over the whole duration and then in between, before
//! every frame is counted.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use super::counter::StripCounter;
use super::subject::{FillError, StripReader};
use histoscope_core::strip::{COLUMNS, fold};
use histoscope_media::Seek;

/// Number of decoders that look for key frames in parallel.
const MAX_DECODERS: usize = 4;
/// Threads per decoder, for decoding and for counting. With frame threading, a decoder returns its first frame only
/// after every thread has a packet, which takes longer than decoding a single key frame. The number of threads can
/// change how damaged parts look; these are counted again later with the usual number of threads.
const THREADS: usize = 1;

/// Shows a key frame for each column that has one. Stops silently if the file cannot be read, because the decoding from
/// the start that follows reports the error.
///
/// # Errors
/// [`FillError::Unwanted`] if the strip is no longer needed.
pub fn scan_key_frames(reading: &StripReader) -> Result<(), FillError> {
    let decoders = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_DECODERS);
    let search = Mutex::new(ColumnSearch::new());
    std::thread::scope(|scope| {
        for _ in 0..decoders {
            let thread = std::thread::Builder::new().name("histoscope-strip".to_owned());
            let started = thread.spawn_scoped(scope, || {
                if let Err(FillError::Unreadable(error)) = scan_worker(reading, &search) {
                    log::debug!("strip: the search for key frames stopped: {error}");
                }
            });
            if let Err(error) = started {
                log::debug!("strip: cannot start a thread to look for key frames: {error}");
            }
        }
    });
    let found = search.into_inner().unwrap_or_else(PoisonError::into_inner).found;
    log::debug!("strip: {found} key frames");
    reading.pass()
}

/// Looks for key frames until all columns have been searched.
fn scan_worker(reading: &StripReader, search: &Mutex<ColumnSearch>) -> Result<(), FillError> {
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
            let cells = fold(&counter.count(&frame));
            reading.shared.lock().glimpse(frame.time_secs, &cells);
            search().found += 1;
        }
    }
}

/// The columns that remain to be searched.
struct ColumnSearch {
    order: Box<dyn Iterator<Item = usize> + Send>,
    is_settled: Vec<bool>,
    /// Number of key frames shown.
    found: usize,
}

impl ColumnSearch {
    fn new() -> Self {
        Self { order: Box::new(spread()), is_settled: vec![false; COLUMNS], found: 0 }
    }

    /// Returns the next column whose last key frame has not been found yet.
    fn next(&mut self) -> Option<usize> {
        self.order.by_ref().find(|&at| !self.is_settled[at])
    }

    /// Records that the last key frame before the end of column `at` is in `column`. Returns `true` if it is the first
    /// one found there.
    fn settle(&mut self, column: usize, at: usize) -> bool {
        let is_new = !self.is_settled[column];
        // There is no key frame between it and the end of column `at`.
        self.is_settled[column..=at].fill(true);
        is_new
    }
}

/// Returns the columns in an order in which each step halves the gaps left by the previous ones.
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
    fn columns_are_first_searched_across_the_whole_duration() {
        let order: Vec<_> = spread().collect();
        assert_eq!(order[..5], [0, 512, 256, 768, 128]);
        let mut sorted = order;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..COLUMNS));
    }

    #[test]
    fn every_key_frame_is_shown_once_whichever_thread_finds_it() {
        let subject = StripSubject { path: "assets/sample.mp4".into(), open: OpenOptions::default() };
        let empty = Strip::new(10.0).expect("it has a length");
        let reading = StripReader { subject, shared: Arc::new(StripShared::new(empty)), stop: StopHandle::new() };
        reading.shared.gate.set(Pace::Go);
        assert!(scan_key_frames(&reading).is_ok(), "nobody has ended it");
        let strip = reading.shared.lock();
        let seen: Vec<_> = strip.columns().iter().map(|column| column.cells().counts().iter().sum::<u64>()).collect();
        // One every two seconds, with 1280 × 720 pixels in four channels.
        let mut wanted = vec![0; COLUMNS];
        (0..5).for_each(|at| wanted[strip.column_at(f64::from(2 * at))] = 1280 * 720 * 4);
        assert!(seen == wanted, "{:?}", seen.iter().enumerate().filter(|(_, sum)| **sum > 0).collect::<Vec<_>>());
        assert_eq!(strip.columns()[0].cells().counts().len(), CELLS);
    }

    #[test]
    fn it_ends_when_the_strip_is_no_longer_needed() {
        let subject = StripSubject { path: "assets/sample.mp4".into(), open: OpenOptions::default() };
        let empty = Strip::new(10.0).expect("it has a length");
        let reading = StripReader { subject, shared: Arc::new(StripShared::new(empty)), stop: StopHandle::new() };
        reading.shared.gate.set(Pace::Stop);
        assert!(matches!(scan_key_frames(&reading), Err(FillError::Unwanted)), "it does not say so");
        assert!(reading.shared.lock().columns().iter().all(|column| column.cells().frames() == 0), "it goes on");
    }
}

//! How many windows are open at once: two, as each waits for the other half of its time; one where a test measures times.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Windows at once. A software adapter takes all the processors there are, so that more of them would only run into each
/// other's deadlines on a small machine.
const LANES: usize = 2;

static FREE: Mutex<usize> = Mutex::new(LANES);
static GIVEN_BACK: Condvar = Condvar::new();
/// Held by whoever waits for lanes, so that a test that needs all of them is not passed by those that need one.
static QUEUE: Mutex<()> = Mutex::new(());

/// Leave to have a window open; given back when this is dropped.
pub struct Turn {
    lanes: usize,
}

/// Leave to have a window open beside another.
pub fn turn() -> Turn {
    Turn::of(1)
}

/// Leave to have the only window, for a test that measures how long something takes.
pub fn alone() -> Turn {
    Turn::of(LANES)
}

impl Turn {
    fn of(lanes: usize) -> Self {
        let _first = lock(&QUEUE);
        let mut free = GIVEN_BACK.wait_while(lock(&FREE), |free| *free < lanes).unwrap_or_else(PoisonError::into_inner);
        *free -= lanes;
        Self { lanes }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *lock(&FREE) += self.lanes;
        GIVEN_BACK.notify_all();
    }
}

/// A test that failed while it held a lock has left nothing behind that could disturb the next.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

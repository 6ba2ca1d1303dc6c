//! The number of windows open at once: two, since each waits half of its time, or one for tests that measure times.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Windows at once. A software adapter uses all processors, so more windows would only miss each other's deadlines on a
/// small machine.
const LANES: usize = 2;

static FREE: Mutex<usize> = Mutex::new(LANES);
static GIVEN_BACK: Condvar = Condvar::new();
/// Held while waiting for lanes, so that tests which need a single lane do not overtake one that needs all.
static QUEUE: Mutex<()> = Mutex::new(());

/// Permission to have a window open. Dropping it returns the permission.
pub struct Turn {
    lanes: usize,
}

/// Waits for permission to have a window open beside another.
pub fn turn() -> Turn {
    Turn::of(1)
}

/// Waits for permission to have the only window, for a test that measures times.
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

/// A test that failed while holding a lock leaves nothing that could disturb the next.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

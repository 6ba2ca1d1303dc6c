//! The users of hardware drivers, which must be gone when the program ends.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Number of decoders and blocks of memory that use a driver.
static IN_USE: Mutex<usize> = Mutex::new(0);
static RELEASED: Condvar = Condvar::new();

/// Counts as one user of a driver while it exists.
#[derive(Debug)]
pub(super) struct DriverUse(());

impl DriverUse {
    pub(super) fn new() -> Self {
        *IN_USE.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self(())
    }
}

impl Drop for DriverUse {
    fn drop(&mut self) {
        *IN_USE.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        RELEASED.notify_all();
    }
}

/// Waits until no decoder uses a hardware driver, but no longer than `limit`. Returns `true` if none does.
///
/// Must be called at the end of the program: decoders close on their own threads, and drivers do not tolerate that while
/// the program exits.
pub fn wait_until_closed(limit: Duration) -> bool {
    let users = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    let (users, _) =
        RELEASED.wait_timeout_while(users, limit, |users| *users > 0).unwrap_or_else(PoisonError::into_inner);
    *users == 0
}

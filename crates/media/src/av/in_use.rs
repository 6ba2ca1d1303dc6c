//! The users of hardware drivers, which must be gone when the program ends.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The users of drivers.
struct Users {
    /// Number of decoders and blocks of memory.
    count: usize,
    /// `true` once the program ends.
    is_closing: bool,
}

static IN_USE: Mutex<Users> = Mutex::new(Users { count: 0, is_closing: false });
static RELEASED: Condvar = Condvar::new();

fn users() -> MutexGuard<'static, Users> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts as one user of a driver while it exists.
#[derive(Debug)]
pub(super) struct DriverUse(());

impl DriverUse {
    /// Adds a user; `None` once the program ends, as drivers do not tolerate calls then.
    pub(super) fn new() -> Option<Self> {
        let mut users = users();
        if users.is_closing {
            return None;
        }
        users.count += 1;
        Some(Self(()))
    }
}

impl Drop for DriverUse {
    fn drop(&mut self) {
        users().count -= 1;
        RELEASED.notify_all();
    }
}

/// Lets no more decoders use a hardware driver, and waits until none does, but no longer than `limit`. Returns `true`
/// if none does.
///
/// Must be called at the end of the program: decoders open and close on their own threads, and drivers do not tolerate
/// that while the program exits.
pub fn wait_until_closed(limit: Duration) -> bool {
    let mut users = users();
    users.is_closing = true;
    let (users, _) =
        RELEASED.wait_timeout_while(users, limit, |users| users.count > 0).unwrap_or_else(PoisonError::into_inner);
    users.count == 0
}

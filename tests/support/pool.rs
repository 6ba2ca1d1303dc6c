//! A pool of things that are slow to make, for example devices with their passes. Each is lent to one test at a time.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// The things that are not in use.
pub struct Pool<T: 'static>(Mutex<Vec<T>>);

impl<T: 'static> Pool<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Returns an unused one, or a new one.
    pub fn lend(&'static self, make: impl FnOnce() -> T) -> Lent<T> {
        // The lock is not held while one is made.
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lent { item: Some(free.unwrap_or_else(make)), pool: self }
    }
}

/// A borrowed thing. It returns to the pool when dropped, unless the test failed, which may have left it in any state.
pub struct Lent<T: 'static> {
    item: Option<T>,
    pool: &'static Pool<T>,
}

impl<T: 'static> Deref for Lent<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.item.as_ref().expect("it goes back in the end only")
    }
}

impl<T: 'static> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.item.as_mut().expect("it goes back in the end only")
    }
}

impl<T: 'static> Drop for Lent<T> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.pool.0.lock().unwrap_or_else(PoisonError::into_inner).extend(self.item.take());
        }
    }
}

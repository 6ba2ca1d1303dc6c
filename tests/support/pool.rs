//! What takes long to make and is lent to one test at a time, such as a device with its passes: as many as there are tests at once.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// What was made and nobody uses now.
pub struct Pool<T: 'static>(Mutex<Vec<T>>);

impl<T: 'static> Pool<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// One that nobody uses, or a new one.
    pub fn lend(&'static self, make: impl FnOnce() -> T) -> Lent<T> {
        // Not held while one is made.
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lent { item: Some(free.unwrap_or_else(make)), pool: self }
    }
}

/// One of a pool, which goes back when this is dropped; not after a test that has failed, which may have left it anyhow.
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

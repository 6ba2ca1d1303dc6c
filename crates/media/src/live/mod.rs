//! Decoding on its own thread. `reception` reopens a live source as often as needed, and `exchange` is the state that
//! the thread shares with the one that it serves.

pub(crate) mod exchange;
pub(crate) mod reception;
pub(crate) mod thread;

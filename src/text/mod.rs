//! How numbers and times are written for people, and read from them.

mod words;

pub use words::counted;

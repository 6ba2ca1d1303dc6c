//! How numbers and times are written for people, and read from them.

mod time;
mod words;

pub use time::{parse_time, timecode};
pub use words::{counted, file_name};

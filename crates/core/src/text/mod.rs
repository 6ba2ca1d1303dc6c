//! How numbers, times and names are written for people, and read from them.

mod shown;
mod time;
mod words;

pub use shown::{file_name, plain, public, shown};
pub use time::{behind_text, clock_time, file_stamp, parse_time, rfc3339, time_text};
pub use words::counted;

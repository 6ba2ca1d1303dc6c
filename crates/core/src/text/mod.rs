//! Formatting and parsing of numbers, times and names for people.

mod devices;
mod shown;
mod time;
mod words;

pub use devices::is_windows_device;
pub use shown::{file_name, public, sanitized, shown};
pub use time::{behind_text, clock_time, file_stamp, parse_time, rfc3339, time_text};
pub use words::{brief, counted, standard, with_minus};

//! Error messages of the program, for a snapshot and for the window: exit code 1 and one line that says what happened,
//! to which file, and what to do.

mod adapters;
mod devices;
mod files;
mod hardware;
mod names;
mod packaging;
mod parsers;
mod refused;
mod streams;
mod usage;
mod windows;

//! Checks of a file against a profile: findings with their severities, and whether the file has passed.
//!
//! [`profile`] says what is checked, [`run`] counts a file and collects its [`finding`]s, and [`output`] writes them.
//! Black, frozen and clipped frames, flashes and timecode breaks are found as in the window and in reports; the
//! [`tally`] adds what only a check asks for.

mod bars;
mod exposure;
pub mod finding;
pub mod output;
pub mod profile;
pub mod run;
mod tags;
mod tally;

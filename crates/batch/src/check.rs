//! Checks of a file against a profile: findings with their severities, and whether the file has passed.
//!
//! [`checks`] lists what can be checked, [`profile`] says what is, [`run`] counts a file and collects its [`finding`]s,
//! and [`output`] writes them. Black, frozen and clipped frames, flashes and timecode breaks are found as in the window
//! and in reports.

mod checks;
mod error;
pub mod finding;
pub mod output;
pub mod profile;
mod row;
mod rule;
pub mod run;
mod waivers;

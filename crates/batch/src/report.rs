//! A whole clip as one picture and one page: time from left to right, level from bottom to top, and brightness for the
//! count; cuts, worst frames, and facts.
//!
//! [`clip`] collects frames in memory of a fixed size, with the cuts and the worst frames that `strip` finds.
//! [`picture`] draws a report's [`content`] as a PNG, [`page`] writes it as an HTML file that needs nothing else, and
//! [`shots`] writes its shots as a table. [`run`] does all of this for a file.

pub mod canvas;
pub mod chart;
pub mod clip;
pub mod content;
mod flaw_key;
pub mod page;
pub mod picture;
pub mod run;
pub mod scopes;
pub mod shots;
pub mod thumbnails;
pub mod times;
pub mod tone;

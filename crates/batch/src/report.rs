//! A whole clip as one picture and one page: time across, level up, brightness the count; cuts, worst frames, facts.
//!
//! [`clip`] gathers what frames give, in memory of a fixed size, with the cuts and the worst frames that `strip` finds.
//! [`picture`] draws a report's [`content`] as a PNG, [`page`] writes it as an HTML file that needs nothing else, [`shots`]
//! its shots as a table; [`run`] does all of it for a file.

pub mod canvas;
pub mod chart;
pub mod clip;
pub mod content;
pub mod page;
pub mod picture;
pub mod run;
pub mod scopes;
pub mod shots;
pub mod thumbnails;
pub mod times;
pub mod tone;

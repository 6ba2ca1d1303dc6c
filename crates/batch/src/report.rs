//! A whole clip on one page. Time runs from left to right, level from bottom to top, and brightness
//! stands for the count. Cuts, the worst frames, and facts about the clip are included.
//!
//! [`clip`] collects frames in a fixed amount of memory, with the cuts and the worst frames found by `strip`;
//! [`gather`] counts a file for it.
//! [`page`] writes the [`content`] of a report as a self-contained HTML file, and [`shots`] writes its shots as a
//! table. [`run`] does all of this for a file.

pub mod chart;
pub mod clip;
pub mod content;
pub mod gather;
pub mod page;
pub mod run;
pub mod scopes;
pub mod shots;
pub mod thumbnails;
pub mod times;
pub mod tone;

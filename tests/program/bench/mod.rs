//! `histoscope bench`: its rows, its page, the sweep of plans, playing.

mod adjustments;
mod page;
mod playing;
mod rows;
mod sweep;

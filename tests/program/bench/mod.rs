//! `histoscope bench`: its rows, its outputs, playing.

mod adjustments;
mod output;
mod playing;
mod rows;

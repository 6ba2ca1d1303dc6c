//! `histoscope bench`: its rows, its outputs, playing.

mod output;
mod playing;
mod rows;

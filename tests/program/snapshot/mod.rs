//! `histoscope snapshot` as a user runs it: its bins against the plain definition, its figures, its pictures.

mod adjusted;
mod bins;
mod expected;
mod false_color;
mod guides;
mod layouts;
mod linear;
mod luts;
mod output;
mod overlay;
mod picture;
mod png_file;
mod r103;
mod region;
mod report;
mod scopes;
mod timecodes;
mod times;
mod tone_map;

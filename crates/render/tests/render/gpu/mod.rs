//! The adapter's counting and drawing: against the scalar reference, and against the CPU, pixel by pixel.

mod adjust;
mod beside;
mod brushes;
mod count;
mod datascope;
mod draw;
mod exposure;
mod false_color;
mod figures;
mod in_place;
mod overlay;
mod reference;
mod region;
mod scopes;
mod selection;
mod series;
mod strokes;
mod traces;
mod view;

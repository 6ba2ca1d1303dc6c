//! The adapter's counting and drawing: against the scalar reference, and against the CPU, pixel by pixel.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "../../../../tests/common/mod.rs"]
mod common;
#[path = "../../../../tests/support/counter.rs"]
mod counter;
#[path = "../../../../tests/support/studio.rs"]
mod studio;
#[path = "../../../../tests/support/mod.rs"]
mod support;

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
mod light;
mod luminance;
mod overlay;
mod reference;
mod region;
mod scopes;
mod selection;
mod series;
mod strokes;
mod traces;
mod view;

//! The lab: a panel about the method that counts the frame on screen, with its bars where the histograms stand.
//!
//! Blocks stand one below the other, those that tell most first to be kept where the panel is too low for all; it says then that there
//! is more.

mod bars;
mod diagram;
mod drawing;
mod panel;
mod reading;
mod view;
mod words;

use egui::Ui;

pub use diagram::Sample;
pub use panel::{show, verdict};
pub use view::{Bins, Cut, Figures, LabCommand, LabView, MOMENT, Outcome, PassFigures};

use super::model::Model;

/// Width that a window must have, in points, for other panels to have room beside the lab.
const BESIDE_OTHERS: f64 = 1150.0;
/// Width that is left for other panels in a window of this width, in points.
#[must_use]
pub fn left_for_others(width: f64, is_open: bool) -> f64 {
    match is_open {
        false => width,
        true if width < BESIDE_OTHERS => 0.0,
        true => width - f64::from(panel::width(width as f32)) - 12.0,
    }
}

/// Draws the bars, where there are any.
pub fn show_bars(ui: &Ui, model: &Model<'_>) {
    if let Some(&LabView { bars: Some(figures), logarithmic, .. }) = model.lab {
        let bars = bars::Bars { counted: &figures.counted, right: &figures.right, logarithmic };
        bars.show(ui, model.scopes.histograms, model.scopes.channels);
    }
}

#[cfg(test)]
mod layout_tests;

//! The readout of the pixel under the pointer.

use egui::{Pos2, Rect, Ui};

use super::card::Card;
use super::model::Model;

/// What is read off a pixel, and where the pointer is.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeText {
    /// The card.
    pub card: Card,
    /// The pointer, in points.
    pub at: Pos2,
}

/// Shows the readout near the pointer, in the part of the view without histograms.
pub fn show(ui: &Ui, free: Rect, model: &Model<'_>, strength: f32) {
    if let Some(probe) = model.probe {
        probe.card.show(ui, "probe", probe.at, free.shrink(4.0), strength);
    }
}

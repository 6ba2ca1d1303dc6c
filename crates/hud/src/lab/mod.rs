//! The lab: a panel about the method applied to the frame on screen, and the results of the method over the picture:
//! bars in place of the histograms, and a blurred picture in place of the video's.
//!
//! The panel stacks blocks. If it is too low for all of them, the least important ones are dropped, and it says that
//! there is more.

mod bars;
mod basics;
mod block;
mod blurs;
mod code;
mod counting;
mod diagram;
mod drawing;
mod drawings;
mod panel;
mod picture;
mod pixels;
mod reading;
mod sets;
mod sums;
mod tasks;
mod tile;
mod tree;
mod words;

use egui::Ui;

pub use crate::lab_view::Sample;
pub use crate::lab_view::{
    BasicsView, BlurView, ChannelBins, ChoiceOutcome, CountingView, Cut, DrawView, Figures, LOST, LabCommand, LabPage,
    LabView, Measured, OwnView, PassFigures, SumView, TICK, TopicView,
};
pub use blurs::verdict as blur_verdict;
pub use counting::{BINS, CHUNKS, verdict};
pub use drawings::verdict as draw_verdict;
pub use panel::show;
pub use sums::{kind as sum_kind, verdict as sum_verdict};
pub use words::grouped;

use super::model::Model;

/// Minimum width of a window, in points, in which other panels fit next to the lab.
const BESIDE_OTHERS: f64 = 1150.0;
/// Returns the width left for other panels in a window of this width, in points.
#[must_use]
pub fn left_for_others(width: f64, is_open: bool) -> f64 {
    match is_open {
        false => width,
        true if width < BESIDE_OTHERS => 0.0,
        true => width - f64::from(panel::width(width as f32)) - 12.0,
    }
}

/// Releases the lab's textures.
pub fn forget(context: &egui::Context) {
    bars::forget(context);
    blurs::forget(context);
    drawings::forget(context);
}

/// Draws the blurred picture, if there is one, and the bars over it.
pub fn show_on_picture(ui: &Ui, model: &Model<'_>) {
    let topic = model.lab.map(|view| (&view.topic, view.scale));
    let blurred = match topic {
        Some((TopicView::Blur(view), _)) => view.newest.zip(view.corners),
        _ => None,
    };
    blurs::show_picture(ui, blurred);
    let drawn = match topic {
        Some((TopicView::Drawing(view), _)) => view.newest,
        _ => None,
    };
    drawings::show_graphs(ui, drawn, model.scopes.histograms);
    let bars = match topic {
        Some((TopicView::Counting(CountingView { bars: Some(figures), .. }), scale)) => {
            bars::BarChart { counted: &figures.counted, right: &figures.right, scale }
        }
        Some((TopicView::Blur(BlurView { newest: Some((blurred, _)), .. }), scale)) => {
            let [counted, right] = &blurred.bins;
            bars::BarChart { counted, right, scale }
        }
        _ => return bars::forget(ui.ctx()),
    };
    bars.show(ui, model.scopes.histograms, model.look.channels);
}

#[cfg(test)]
mod layout_tests;

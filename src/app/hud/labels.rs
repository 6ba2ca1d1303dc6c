//! The axes' labels: code values of the video's own depth, and percent, above each histogram where no data is.

use egui::{Align2, Rect, Ui, pos2};

use super::model::{Model, Panel};
use super::theme;

/// Height of a strip of labels, in points.
pub const STRIP: f32 = 14.0;
/// The least that can be read.
const LEAST_STRIP: f32 = 10.0;

/// Shows the labels of every histogram.
pub fn show(ui: &Ui, view: Rect, model: &Model<'_>, strength: f32) {
    let mut painter = ui.ctx().layer_painter(egui::LayerId::background());
    painter.set_opacity(strength);
    for panel in model.panels {
        // In a column the next histogram above may leave less room.
        let above =
            model.panels.iter().map(|other| other.rect).filter(|other| {
                other.max.y <= panel.rect.min.y + 0.5 && other.x_range().intersects(panel.rect.x_range())
            });
        let ceiling = above.map(|other| other.max.y).fold(view.min.y, f32::max);
        let height = STRIP.min(panel.rect.min.y - ceiling);
        if height >= LEAST_STRIP {
            strip(&painter, panel, height, model.bits);
        }
    }
}

fn strip(painter: &egui::Painter, panel: &Panel, height: f32, bits: u32) {
    let corner = pos2(panel.rect.min.x, panel.rect.min.y - height);
    let rect = Rect::from_min_max(corner, panel.rect.right_top());
    painter.rect_filled(rect, 0, theme::PLATE);
    let font = theme::mono((height - 2.0).min(theme::SMALL - 0.5));
    let top = (1_u32 << bits) - 1;
    let quarters = if rect.width() < 110.0 { &[0, 4][..] } else { &[0, 1, 2, 3, 4] };
    for &quarter in quarters {
        let code = (quarter << bits >> 2).min(top);
        let (anchor, x) = match quarter {
            0 => (Align2::LEFT_CENTER, rect.min.x + 3.0),
            4 => (Align2::RIGHT_CENTER, rect.max.x - 3.0),
            // The middle of the bin, as the histogram draws it.
            _ => (Align2::CENTER_CENTER, rect.min.x + rect.width() * (code as f32 + 0.5) / (top + 1) as f32),
        };
        let text = painter.text(pos2(x, rect.center().y), anchor, code.to_string(), font.clone(), theme::LIGHT);
        if rect.width() > 460.0 {
            let percent = format!("{} %", quarter * 25);
            let (anchor, x) = if quarter == 4 {
                (Align2::RIGHT_CENTER, text.min.x - 8.0)
            } else {
                (Align2::LEFT_CENTER, text.max.x + 8.0)
            };
            painter.text(pos2(x, rect.center().y), anchor, percent, font.clone(), theme::DIM);
        }
    }
}

//! Icons on the buttons, drawn rather than taken from a font, so that they are sharp and centred at every size.

use std::f32::consts::{FRAC_PI_4, TAU};

use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, pos2, vec2};

use super::theme;

/// An icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Icon {
    /// A triangle.
    Play,
    /// Two bars.
    Pause,
    /// A triangle pointing at a bar.
    Step {
        /// `true` to point right, `false` to point left.
        forward: bool,
    },
    /// Two arrows in a circle.
    Loop,
    /// A pin.
    Pin,
    /// Three sliders.
    Sliders,
}

/// Draws an icon in the middle of `rect`.
pub fn draw(painter: &Painter, rect: Rect, icon: Icon, color: Color32) {
    // Whole pixels, so that upright edges are sharp.
    let centre = pos2(painter.round_to_pixel_center(rect.center().x), painter.round_to_pixel_center(rect.center().y));
    match icon {
        Icon::Play => triangle(painter, centre + vec2(1.0, 0.0), 6.0, 1.0, color),
        Icon::Pause => {
            for x in [-3.5, 3.5] {
                painter.rect_filled(Rect::from_center_size(centre + vec2(x, 0.0), vec2(3.6, 12.0)), 1, color);
            }
        }
        Icon::Step { forward } => {
            let sign = if forward { 1.0 } else { -1.0 };
            triangle(painter, centre - vec2(1.5 * sign, 0.0), 4.5, sign, color);
            painter.rect_filled(Rect::from_center_size(centre + vec2(4.5 * sign, 0.0), vec2(2.0, 9.0)), 0, color);
        }
        Icon::Loop => circle_of_arrows(painter, centre, 5.5, color),
        Icon::Sliders => {
            for (row, knob) in [(-4.5, 2.5), (0.0, -2.5), (4.5, 1.0)] {
                let middle = centre + vec2(0.0, row);
                painter.hline(middle.x - 6.0..=middle.x + 6.0, middle.y, Stroke::new(1.2, color));
                painter.circle_filled(middle + vec2(knob, 0.0), 2.3, color);
            }
        }
        Icon::Pin => {
            let stroke = theme::stroke(color);
            painter.circle_filled(centre - vec2(0.0, 2.5), 3.4, color);
            painter.line_segment([centre - vec2(0.0, 1.0), centre + vec2(0.0, 6.5)], stroke);
        }
    }
}

fn triangle(painter: &Painter, centre: Pos2, half: f32, sign: f32, color: Color32) {
    let point = |x: f32, y: f32| centre + vec2(x * half * sign, y * half);
    let points = vec![point(-0.8, -1.0), point(1.0, 0.0), point(-0.8, 1.0)];
    painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
}

fn circle_of_arrows(painter: &Painter, centre: Pos2, radius: f32, color: Color32) {
    for start in [0.0, TAU / 2.0] {
        let at = |part: f32| {
            let angle = start + FRAC_PI_4 * 0.6 + part * 2.3;
            centre + radius * Vec2::angled(angle)
        };
        let arc: Vec<_> = (0..=8).map(|i| at(i as f32 / 8.0)).collect();
        painter.line(arc, theme::stroke(color));
        let (tip, before) = (at(1.12), at(0.9));
        let along = (tip - before).normalized() * 3.4;
        let aside = along.rot90() * 0.85;
        let head = vec![before + along * 1.1, before + aside, before - aside];
        painter.add(Shape::convex_polygon(head, color, Stroke::NONE));
    }
}

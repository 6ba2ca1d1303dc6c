//! The scopes of the picture: waveform and parade under each other, the vectorscope beside them.

use super::{BLACK, GAP, PANEL_WIDTH, PANEL_X, SIDE_X};
use crate::export::report::canvas::{Align, Area, Canvas, Style};
use crate::export::report::content::Report;
use crate::export::report::scopes::{
    Line, aims, line_look, lines, targets_text, trace_picture, traces, vectorscope_picture,
};
use crate::export::report::tone::{DIM, INK};
use crate::scopes::{SUM_LEVELS, VectorscopeSum};

const HEIGHT: i32 = SUM_LEVELS as i32;
/// Half the side of a target's box.
const BOX: i32 = 3;

/// Height of all of it, with the gap below; 0 where there is none.
pub fn height(report: &Report) -> i32 {
    let rows = report.scopes.waveform().map_or(0, |sum| traces(sum).len());
    let rows = rows.max(usize::from(report.scopes.found().vectorscope)) as i32;
    // The text under a vectorscope takes a little more.
    rows * (HEIGHT + GAP) + if rows == 1 { 20 } else { 0 }
}

/// Draws them from `y` on.
pub fn draw(canvas: &mut Canvas, report: &Report, y: i32) {
    let sum = report.scopes.waveform();
    for (row, trace) in (0..).zip(sum.into_iter().flat_map(traces)) {
        let y = y + row * (HEIGHT + GAP);
        canvas.text((PANEL_X, y - 27), Align::Left, trace.title, Style::new(16.0, INK));
        if let Some(sum) = sum {
            canvas.paste(PANEL_X, y, &trace_picture(sum, &trace, PANEL_WIDTH as usize));
        }
        lines(report, &trace).iter().for_each(|line| draw_line(canvas, line, y));
    }
    if let Some(sum) = &report.scopes.vectorscope {
        draw_vectorscope(canvas, sum, (if sum_is_shown(report) { SIDE_X } else { PANEL_X }, y));
    }
}

fn sum_is_shown(report: &Report) -> bool {
    report.scopes.found().waveform
}

fn draw_line(canvas: &mut Canvas, line: &Line, y: i32) {
    let at = y + ((1.0 - line.place) * f64::from(HEIGHT)) as i32;
    let at = at.min(y + HEIGHT - 1);
    let (color, opacity) = line_look(line.kind);
    canvas.fill(Area::new(PANEL_X, at, PANEL_WIDTH, 1), color, opacity);
    if let Some((percent, code)) = &line.label {
        canvas.fill(Area::new(PANEL_X - 6, at, 4, 1), DIM, 160);
        canvas.text((PANEL_X - 11, at - 9), Align::Right, &code.to_string(), Style::new(14.0, INK));
        canvas.text((PANEL_X - 50, at - 9), Align::Right, &format!("{percent} %"), Style::new(14.0, DIM));
    }
}

fn draw_vectorscope(canvas: &mut Canvas, sum: &VectorscopeSum, (x, y): (i32, i32)) {
    canvas.text((x, y - 27), Align::Left, "Vectorscope", Style::new(16.0, INK));
    canvas.fill(Area::new(x, y, HEIGHT, HEIGHT), BLACK, 255);
    canvas.paste(x, y, &vectorscope_picture(sum));
    canvas.fill(Area::new(x, y + HEIGHT / 2, HEIGHT, 1), INK, 40);
    canvas.fill(Area::new(x + HEIGHT / 2, y, 1, HEIGHT), INK, 40);
    for aim in aims(sum) {
        let [at_x, at_y] = aim.at.map(|place| place.floor() as i32);
        let (left, top, side) = (x + at_x - BOX, y + at_y - BOX, 2 * BOX + 1);
        for (dx, dy, width, height) in
            [(0, 0, side, 1), (0, side - 1, side, 1), (0, 1, 1, side - 2), (side - 1, 1, 1, side - 2)]
        {
            canvas.fill(Area::new(left + dx, top + dy, width, height), INK, 190);
        }
        if let Some(name) = aim.name {
            canvas.text((left + side + 2, top - 8), Align::Left, name, Style::new(12.0, INK));
        }
    }
    canvas.text((x, y + HEIGHT + 6), Align::Left, &targets_text(sum), Style::new(13.0, DIM));
}

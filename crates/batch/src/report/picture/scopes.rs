//! The scopes of the picture: waveform and parade, one below the other, with the vectorscope next to them.

use crate::report::canvas::{Align, Area, Canvas, Style};
use crate::report::content::Report;
use crate::report::scopes::{
    TraceLine, line_look, lines, target_marks, targets_text, trace_picture, traces, vectorscope_picture,
};
use crate::report::tone::{DIM, INK};
use histoscope_core::scopes::{SUM_LEVELS, VectorscopeSum};

const HEIGHT: i32 = SUM_LEVELS as i32;
/// Space between two scopes, including the heading of the lower one.
const GAP: i32 = 44;
/// Half the side of a target's box, in pixels.
const BOX: i32 = 3;

/// Returns the height of all scopes with the gap below, or 0 if there are none.
pub fn height(report: &Report) -> i32 {
    let rows = report.scopes.waveform().map_or(0, |sum| traces(sum).len());
    let rows = rows.max(usize::from(report.scopes.found().vectorscope)) as i32;
    // The text below the vectorscope needs a little more space, as do labels.
    rows * (HEIGHT + GAP) + if rows > 0 { 20 } else { 0 }
}

/// Draws the scopes below the upper edge of `area`, using its width. The vectorscope is at `side` if there is a
/// waveform.
pub fn draw(canvas: &mut Canvas, report: &Report, area: Area, side: i32) {
    let sum = report.scopes.waveform();
    if let Some(sum) = sum {
        for (row, trace) in (0..).zip(traces(sum)) {
            let area = Area { y: area.y + row * (HEIGHT + GAP), ..area };
            canvas.text((area.x, area.y - 27), Align::Left, trace.title, Style::new(16.0, INK));
            canvas.paste(area.x, area.y, &trace_picture(sum, &trace, area.width as usize));
            lines(report, &trace).iter().for_each(|line| draw_line(canvas, line, area));
        }
    }
    if let Some(scope) = &report.scopes.vectorscope {
        draw_vectorscope(canvas, scope, (if sum.is_some() { side } else { area.x }, area.y));
    }
}

fn draw_line(canvas: &mut Canvas, line: &TraceLine, Area { x, y, width, .. }: Area) {
    let at = y + ((1.0 - line.place) * f64::from(HEIGHT)) as i32;
    let at = at.min(y + HEIGHT - 1);
    let (color, opacity) = line_look(line.kind);
    canvas.fill(Area::new(x, at, width, 1), color, opacity);
    if let Some((value, code)) = &line.label {
        canvas.fill(Area::new(x - 6, at, 4, 1), DIM, 160);
        canvas.text((x - 11, at - 9), Align::Right, &code.to_string(), Style::new(14.0, INK));
        canvas.text((x - 50, at - 9), Align::Right, &format!("{value}{}", line.unit), Style::new(14.0, DIM));
    }
}

fn draw_vectorscope(canvas: &mut Canvas, sum: &VectorscopeSum, (x, y): (i32, i32)) {
    canvas.text((x, y - 27), Align::Left, "Vectorscope", Style::new(16.0, INK));
    canvas.fill(Area::new(x, y, HEIGHT, HEIGHT), [0; 3], 255);
    canvas.paste(x, y, &vectorscope_picture(sum));
    canvas.fill(Area::new(x, y + HEIGHT / 2, HEIGHT, 1), INK, 40);
    canvas.fill(Area::new(x + HEIGHT / 2, y, 1, HEIGHT), INK, 40);
    for aim in target_marks(sum) {
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
    canvas.text((x, y + HEIGHT + 6), Align::Left, &targets_text(sum), Style::new(12.0, DIM));
}

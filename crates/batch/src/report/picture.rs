//! The report as one picture.

mod scopes;
mod tables;

use super::canvas::{Align, Area, Canvas, Style};
use super::chart::{Level, heat_map, panel_levels, round_top, side, strip};
use super::clip::Strip;
use super::content::Report;
use super::flaw_key::{flaw_key, is_dash};
use super::times::{percent, ticks};
use super::tone::{AMBER, DIM, INK, Panel, flaw_color, panels};
use histoscope_core::strip::Flaw;
use histoscope_core::strip::{Cut, Rgb, brightness, channel_color, ramp};
use histoscope_render::gpu::readback::Image;

/// Width of the picture in pixels.
pub const WIDTH: i32 = 1600;
/// Left edge of the panels.
pub const PANEL_X: i32 = 144;
/// Width of the panels, which show the clip from beginning to end.
pub const PANEL_WIDTH: i32 = 1120;
/// Upper edge of the first panel.
pub const PANEL_Y: i32 = 190;

const MARGIN: i32 = 48;
const SIDE_X: i32 = PANEL_X + PANEL_WIDTH + 20;
const SIDE_WIDTH: i32 = WIDTH - MARGIN - SIDE_X;
const GAP: i32 = 44;
const STRIP_HEIGHT: i32 = 72;
/// Maximum number of cuts drawn as lines through the panels. If there are more, cuts are only marked above the panels,
/// where they hide nothing.
const MAX_LINES: usize = 80;

const BACKGROUND: Rgb = [17, 18, 21];
const BLACK: Rgb = [0; 3];
const WHITE: Rgb = [255; 3];

/// Draws a report.
#[must_use]
pub fn draw(report: &Report) -> Image {
    let panels = panels(report.clip.components);
    let panels_height: i32 = panels.iter().map(|panel| panel.height() as i32 + GAP).sum();
    let strips_y = PANEL_Y + panels_height + 30;
    let scopes_y = strips_y + 2 * (STRIP_HEIGHT + GAP) + 30;
    let tables_y = scopes_y - 10 + scopes::height(report);
    let height = tables_y + tables::height(report) + MARGIN;
    let mut canvas = Canvas::new(WIDTH as usize, height as usize, BACKGROUND);
    head(&mut canvas, report);
    let mut y = PANEL_Y;
    for panel in panels {
        draw_panel(&mut canvas, report, panel, y);
        y += panel.height() as i32 + GAP;
    }
    time_axis(&mut canvas, report, y - GAP);
    draw_strips(&mut canvas, report, strips_y);
    time_axis(&mut canvas, report, strips_y + 2 * STRIP_HEIGHT + GAP);
    scopes::draw(&mut canvas, report, Area::new(PANEL_X, scopes_y, PANEL_WIDTH, 0), SIDE_X);
    tables::draw(&mut canvas, report, Area::new(MARGIN, tables_y, WIDTH - 2 * MARGIN, 0));
    canvas.into_image()
}

fn head(canvas: &mut Canvas, report: &Report) {
    canvas.text_within((MARGIN, 36), Align::Left, &report.name, Style::new(32.0, INK), SIDE_X - MARGIN - 20);
    let width = SIDE_X - MARGIN - 20;
    canvas.text_within((MARGIN, 82), Align::Left, &report.subtitle(), Style::new(17.0, DIM), width);
    let notes = report.notes.join("  ");
    canvas.text_within((MARGIN, 110), Align::Left, &notes, Style::new(16.0, AMBER), width);
    let right = SIDE_X + SIDE_WIDTH;
    canvas.text((right, 44), Align::Right, "Histoscope", Style::new(18.0, INK));
    tone_legend(canvas, 84);
}

/// Draws the brightness legend.
fn tone_legend(canvas: &mut Canvas, y: i32) {
    let color = channel_color(histoscope_core::histogram::Components::Rgbl, 3);
    for x in 0..SIDE_WIDTH {
        let light = ramp(color, f64::from(x) / f64::from(SIDE_WIDTH - 1));
        canvas.fill(Area::new(SIDE_X + x, y, 1, 10), light, 255);
    }
    for (share, label) in [(0.001, "0.1 %"), (0.01, "1"), (0.1, "10"), (1.0, "100")] {
        let x = SIDE_X + (brightness(share) * f64::from(SIDE_WIDTH - 1)) as i32;
        canvas.fill(Area::new(x, y + 10, 1, 4), DIM, 255);
        let align = if share < 1.0 { Align::Centre } else { Align::Right };
        canvas.text((x, y + 15), align, label, Style::new(13.0, DIM));
    }
    canvas.text((SIDE_X, y + 32), Align::Left, "of a frame's samples at a level", Style::new(13.0, DIM));
}

/// Returns the column of pixels for a time, relative to the panels' left edge.
#[must_use]
pub fn x_of(report: &Report, secs: f64) -> i32 {
    ((report.clip.part_of(secs) * f64::from(PANEL_WIDTH)) as i32).clamp(0, PANEL_WIDTH - 1)
}

fn draw_panel(canvas: &mut Canvas, report: &Report, panel: &Panel, y: i32) {
    let clip = &report.clip;
    let height = panel.height() as i32;
    let color = if let [channel] = panel.channels { channel_color(clip.components, *channel) } else { INK };
    canvas.text((PANEL_X, y - 27), Align::Left, panel.title, Style::new(16.0, color));
    canvas.paste(PANEL_X, y, &heat_map(clip, panel, PANEL_WIDTH as usize));
    draw_side(canvas, report, panel, y);
    let levels = panel_levels(report, panel);
    level_axis(canvas, &levels, height, y);
    let is_inside = |place: &f64| *place > 0.01 && *place < 0.99;
    let rules: Vec<f64> = match report.scale(panel.channels[0]).light() {
        Some(_) => levels.iter().map(|level| level.place).filter(is_inside).collect(),
        None => vec![0.25, 0.5, 0.75],
    };
    for place in rules {
        let at = y + height - (f64::from(height) * place) as i32;
        canvas.fill(Area::new(PANEL_X, at, PANEL_WIDTH, 1), WHITE, 18);
    }
    if clip.cuts.len() <= MAX_LINES {
        for cut in &clip.cuts {
            canvas.fill(Area::new(PANEL_X + x_of(report, cut.time_secs), y, 1, height), WHITE, 96);
        }
    }
    for cut in &clip.cuts {
        cut_mark(canvas, report, cut, y);
    }
    for tick in ticks(clip.begin_secs, clip.end_secs, 10) {
        canvas.fill(Area::new(PANEL_X + x_of(report, tick.secs), y + height, 1, 5), DIM, 160);
    }
}

/// Draws a small triangle above a panel, at the first frame after a cut.
fn cut_mark(canvas: &mut Canvas, report: &Report, cut: &Cut, y: i32) {
    let x = PANEL_X + x_of(report, cut.time_secs);
    for row in 0..4 {
        canvas.fill(Area::new(x - row, y - 3 - row, 2 * row + 1, 1), WHITE, 220);
    }
}

fn draw_side(canvas: &mut Canvas, report: &Report, panel: &Panel, y: i32) {
    let height = panel.height() as i32;
    canvas.fill(Area::new(SIDE_X, y, SIDE_WIDTH, height), BLACK, 255);
    let bars = side(&report.clip, panel);
    for row in 0..panel.height() {
        let at = y + height - 1 - row as i32;
        // Where bars of several channels overlap, their colours add up, as in the overlay.
        for x in 0..SIDE_WIDTH {
            let reached = |bars: &[super::chart::Bar]| bars[row].length * f64::from(SIDE_WIDTH) > f64::from(x) + 0.5;
            let mut light = [0_u16; 3];
            for (bars, &channel) in bars.iter().zip(panel.channels).filter(|(bars, _)| reached(bars)) {
                let color = channel_color(report.clip.components, channel);
                let clipped = bars[row].clipped && x >= SIDE_WIDTH - 3;
                let part = if clipped {
                    255
                } else if panel.channels.len() > 1 {
                    135
                } else {
                    225
                };
                for (light, c) in light.iter_mut().zip(color) {
                    *light += u16::from(c) * part / 255;
                }
            }
            let color = light.map(|c| c.min(255) as u8);
            if color != BLACK {
                canvas.fill(Area::new(SIDE_X + x, at, 1, 1), color, 255);
            }
        }
    }
    if y == PANEL_Y {
        canvas.text((SIDE_X, y - 27), Align::Left, "Whole clip", Style::new(16.0, INK));
    }
}

/// Draws the level axis on the left.
fn level_axis(canvas: &mut Canvas, levels: &[Level], height: i32, y: i32) {
    for Level { place, value, code } in levels {
        let at = y + height - (f64::from(height) * place) as i32;
        let text_y = at - 9;
        canvas.fill(Area::new(PANEL_X - 6, at.min(y + height - 1), 4, 1), DIM, 160);
        canvas.text((PANEL_X - 11, text_y), Align::Right, &code.to_string(), Style::new(14.0, INK));
        canvas.text((PANEL_X - 50, text_y), Align::Right, value, Style::new(14.0, DIM));
    }
}

fn time_axis(canvas: &mut Canvas, report: &Report, y: i32) {
    for tick in ticks(report.clip.begin_secs, report.clip.end_secs, 10) {
        let x = PANEL_X + x_of(report, tick.secs);
        canvas.text((x, y + 8), Align::Centre, &tick.label, Style::new(14.0, INK));
    }
}

fn draw_strips(canvas: &mut Canvas, report: &Report, y: i32) {
    let clip = &report.clip;
    let change = strip(clip, PANEL_WIDTH as usize, |strip| strip.change);
    let top = round_top(change.iter().copied(), clip.threshold * 2.0);
    strip_frame(canvas, y, "Change from frame to frame", top);
    filled(canvas, &change, top, y, INK, 200);
    let line = y + STRIP_HEIGHT - (clip.threshold / top * f64::from(STRIP_HEIGHT)) as i32;
    for x in (0..PANEL_WIDTH).step_by(8) {
        canvas.fill(Area::new(PANEL_X + x, line, 4, 1), AMBER, 255);
    }
    for cut in &clip.cuts {
        cut_mark(canvas, report, cut, y);
    }
    canvas.text((SIDE_X, y + 4), Align::Left, &report.cuts_text(), Style::new(14.0, INK));
    canvas.text((SIDE_X, y + 26), Align::Left, "earth mover's distance of the", Style::new(13.0, DIM));
    canvas.text((SIDE_X, y + 43), Align::Left, "histograms, part of the scale", Style::new(13.0, DIM));

    let y = y + STRIP_HEIGHT + GAP;
    let figures: [fn(&Strip) -> f64; 3] = [|strip| strip.lowest, |strip| strip.highest, |strip| strip.outside];
    let values = figures.map(|figure| strip(clip, PANEL_WIDTH as usize, figure));
    let top = round_top(values.iter().flatten().copied(), 0.001);
    strip_frame(canvas, y, "Clipped and out of range", top);
    // Fill the areas lightly, so that the three can be told apart and no line is hidden below another.
    for (flaw, values) in Flaw::ALL.into_iter().zip(&values) {
        filled(canvas, values, top, y, flaw_color(flaw), 40);
    }
    for (index, flaw) in Flaw::ALL.into_iter().enumerate() {
        stepped(canvas, &values[index], top, y, flaw);
        for worst in clip.worst[index].iter().take(tables::WORST_LISTED) {
            worst_mark(canvas, PANEL_X + x_of(report, worst.time_secs), y, flaw);
        }
        let most = clip.worst[index].first().map_or(0.0, |worst| worst.share.share);
        let at = y + 2 + 22 * index as i32;
        flaw_key(canvas, Area::new(SIDE_X, at + 8, 12, 3), flaw);
        let text = format!("{}: up to {}", flaw.title().to_lowercase(), percent(most));
        canvas.text((SIDE_X + 20, at), Align::Left, &text, Style::new(14.0, INK));
    }
}

fn strip_frame(canvas: &mut Canvas, y: i32, title: &str, top: f64) {
    canvas.fill(Area::new(PANEL_X, y, PANEL_WIDTH, STRIP_HEIGHT), BLACK, 255);
    canvas.text((PANEL_X, y - 27), Align::Left, title, Style::new(16.0, INK));
    canvas.text((PANEL_X - 11, y - 8), Align::Right, &percent(top).replace(".0 %", " %"), Style::new(14.0, DIM));
    canvas.text((PANEL_X - 11, y + STRIP_HEIGHT - 11), Align::Right, "0 %", Style::new(14.0, DIM));
}

fn filled(canvas: &mut Canvas, values: &[f64], top: f64, y: i32, color: Rgb, opacity: u8) {
    for (x, value) in (PANEL_X..).zip(values) {
        let height = (value / top * f64::from(STRIP_HEIGHT)).round() as i32;
        canvas.fill(Area::new(x, y + STRIP_HEIGHT - height, 1, height), color, opacity);
    }
}

/// Draws a stepped line through the values.
fn stepped(canvas: &mut Canvas, values: &[f64], top: f64, y: i32, flaw: Flaw) {
    let color = flaw_color(flaw);
    let level = |value: f64| y + STRIP_HEIGHT - 2 - (value / top * f64::from(STRIP_HEIGHT - 2)).round() as i32;
    let mut before = values.first().copied().map_or(y, level);
    for (x, value) in (PANEL_X..).zip(values) {
        let at = level(*value);
        let (upper, lower) = (at.min(before), at.max(before));
        if (*value > 0.0 || lower > upper) && is_dash(flaw, x) {
            canvas.fill(Area::new(x, upper, 1, lower - upper + 2), color, 255);
        }
        before = at;
    }
}

/// Draws a small triangle below the strip at `y` to mark a worst frame. Frames out of range are marked above the strip,
/// where no other mark hides them.
fn worst_mark(canvas: &mut Canvas, x: i32, y: i32, flaw: Flaw) {
    for row in 0..6 {
        let at = if flaw == Flaw::Outside { y - 3 - row } else { y + STRIP_HEIGHT + 2 + row };
        canvas.fill(Area::new(x - row, at, 2 * row + 1, 1), flaw_color(flaw), 255);
    }
}

#[cfg(test)]
mod tests;

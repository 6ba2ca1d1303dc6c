//! The pictures of the page: panels as PNG, everything around them as SVG and text.

use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::export::file::encode_png;
use crate::export::report::chart::{Bar, heat_map, round_top, side, strip};
use crate::export::report::clip::Strip;
use crate::export::report::content::Report;
use crate::export::report::times::{escape, percent, ticks, time};
use crate::export::report::tone::{Panel, brightness, channel_color, css_color, ramp};
use crate::export::report::worst::Flaw;

/// Width of the pictures in pixels.
const WIDTH: usize = 1120;
/// Steps of the strips over the time.
const STEPS: usize = 1120;

/// A place in percent of the width.
fn left(report: &Report, secs: f64) -> f64 {
    (report.clip.part_of(secs) * 100.0).clamp(0.0, 100.0)
}

/// How bright a share of the samples is.
pub fn legend() -> String {
    let gray = channel_color(crate::histogram::Components::Rgbl, 3);
    let stops: Vec<String> = (0..=20).map(|step| css_color(ramp(gray, f64::from(step) / 20.0))).collect();
    let mut html = format!(
        "<div class=\"legend\"><span>share of a frame's samples at a level</span><div class=\"scale\" \
         style=\"background:linear-gradient(90deg,{})\">",
        stops.join(",")
    );
    for (share, label) in [(0.001, "0.1 %"), (0.01, "1"), (0.1, "10"), (1.0, "100")] {
        let _ = write!(html, "<i style=\"left:{:.2}%\">{label}</i>", brightness(share) * 100.0);
    }
    html + "</div></div>\n"
}

/// A panel with its axis, its marks, and the clip's sum at its side.
pub fn panel(report: &Report, panel: &Panel) -> Result<String, png::EncodingError> {
    let clip = &report.clip;
    let png = BASE64.encode(encode_png(&heat_map(clip, panel, WIDTH))?);
    let color = match *panel.channels {
        [channel] => format!(" style=\"color:{}\"", css_color(channel_color(clip.components, channel))),
        _ => String::new(),
    };
    let size = if panel.levels_per_row == 1 { "tall" } else { "low" };
    let mut html = format!(
        "<section class=\"plot {size}\" data-panel=\"{}\">\n<h2{color}>{}</h2>\n{}<div class=\"over heat\">\
         <img alt=\"Histogram of {} over time\" src=\"data:image/png;base64,{png}\">{}</div>\n",
        panel.name,
        escape(panel.title),
        levels(report, panel),
        escape(panel.title),
        cut_lines(report),
    );
    html += "<div class=\"side\">";
    html += &side_svg(report, panel);
    html += "</div>\n</section>\n";
    Ok(html)
}

/// Labels of the levels: code values and percent.
fn levels(report: &Report, panel: &Panel) -> String {
    let bins = 1_u32 << report.clip.bits;
    let parts = if panel.levels_per_row == 1 { 4 } else { 2 };
    let mut html = "<div class=\"levels\">".to_owned();
    for part in 0..=parts {
        let code = if part == parts { bins - 1 } else { bins / parts * part };
        let share = 100 * part / parts;
        let _ = write!(html, "<span style=\"bottom:{share}%\"><b>{share} %</b> {code}</span>");
    }
    html + "</div>\n"
}

fn cut_lines(report: &Report) -> String {
    let mut svg = "<svg class=\"cuts\" viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\">".to_owned();
    for cut in &report.clip.cuts {
        let x = left(report, cut.time_secs);
        let _ = write!(svg, "<path d=\"M{x:.4} 0V1\"/>");
    }
    svg + "</svg>"
}

/// The summed histogram, lying on its side.
fn side_svg(report: &Report, panel: &Panel) -> String {
    let rows = panel.height();
    let mut svg = format!("<svg viewBox=\"0 0 100 {rows}\" preserveAspectRatio=\"none\">");
    for (bars, &channel) in side(&report.clip, panel).iter().zip(panel.channels) {
        let mut path = format!("M0 {rows}");
        for (row, Bar { length, .. }) in bars.iter().enumerate() {
            let _ = write!(path, "H{:.2}V{}", length * 100.0, rows - 1 - row);
        }
        let color = css_color(channel_color(report.clip.components, channel));
        let _ = write!(svg, "<path d=\"{path}H0z\" fill=\"{color}\"/>");
    }
    svg + "</svg>"
}

/// The times under the panels.
pub fn time_axis(report: &Report) -> String {
    let mut html = "<div class=\"plot axis\"><div class=\"times\">".to_owned();
    for tick in ticks(report.clip.begin_secs, report.clip.end_secs, 10) {
        let _ = write!(html, "<span style=\"left:{:.3}%\">{}</span>", left(report, tick.secs), tick.label);
    }
    html + "</div></div>\n"
}

/// The change from frame to frame with the cuts, and what is clipped with the worst frames.
pub fn strips(report: &Report) -> String {
    let clip = &report.clip;
    let change = strip(clip, STEPS, |strip| strip.change);
    let top = round_top(change.iter().copied(), clip.threshold * 2.0);
    let mut marks = String::new();
    for cut in &clip.cuts {
        let at = left(report, cut.time_secs);
        let title = format!("Cut at {}, frame {}", time(cut.time_secs), cut.frame);
        let _ = write!(marks, "<i class=\"cut\" style=\"left:{at:.3}%\" title=\"{title}\"></i>");
    }
    let line = 100.0 - clip.threshold / top * 100.0;
    let inner = format!(
        "<path class=\"change\" d=\"{}\"/><path class=\"threshold\" d=\"M0 {line:.2}H{STEPS}\"/>",
        area(&change, top)
    );
    let about = format!(
        "{}<small>earth-mover distance of the histograms, as a part of the scale</small>",
        escape(&report.cuts_text())
    );
    let mut html = strip_section("change", "Change from frame to frame", top, &inner, &marks, &about);

    let figures: [fn(&Strip) -> f64; 3] = [|strip| strip.lowest, |strip| strip.highest, |strip| strip.outside];
    let values = figures.map(|figure| strip(clip, STEPS, figure));
    let top = round_top(values.iter().flatten().copied(), 0.001);
    let (mut inner, mut marks, mut about) = (String::new(), String::new(), String::new());
    for (index, flaw) in Flaw::ALL.into_iter().enumerate() {
        let (name, path) = (flaw.name(), area(&values[index], top));
        let _ = write!(inner, "<path class=\"area {name}\" d=\"{path}\"/>");
        let worst = &clip.worst[index];
        for worst in worst {
            let at = left(report, worst.time_secs);
            let title = format!("{}: {} at {}", flaw.title(), percent(worst.share.share), time(worst.time_secs));
            let _ = write!(marks, "<i class=\"worst {name}\" style=\"left:{at:.3}%\" title=\"{title}\"></i>");
        }
        let most = percent(worst.first().map_or(0.0, |worst| worst.share.share));
        let _ = write!(about, "<span class=\"key {name}\">{}: up to {most}</span>", flaw.title().to_lowercase());
    }
    html += &strip_section("clipped", "Clipped and out of range", top, &inner, &marks, &about);
    html
}

fn strip_section(name: &str, title: &str, top: f64, inner: &str, marks: &str, about: &str) -> String {
    format!(
        "<section class=\"plot strip\" data-strip=\"{name}\">\n<h2>{title}</h2>\n<div class=\"levels\">\
         <span style=\"bottom:100%\">{}</span><span style=\"bottom:0\">0 %</span></div>\n<div class=\"over\">\
         <svg viewBox=\"0 0 {STEPS} 100\" preserveAspectRatio=\"none\">{inner}</svg>{marks}</div>\n\
         <div class=\"about\">{about}</div>\n</section>\n",
        percent(top).replace(".0 %", " %")
    )
}

/// The area under the values, in a box of `STEPS` × 100. Steps that do not rise or fall take no room.
fn area(values: &[f64], top: f64) -> String {
    let mut path = "M0 100".to_owned();
    let mut before = String::new();
    for (x, value) in values.iter().enumerate() {
        let y = format!("{:.2}", 100.0 - value / top * 100.0);
        if y != before {
            let _ = write!(path, "H{x}V{y}");
            before = y;
        }
    }
    let _ = write!(path, "H{}V100z", values.len());
    path
}

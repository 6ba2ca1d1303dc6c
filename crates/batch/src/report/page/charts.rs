//! The charts on the page: panels as PNG, everything around them as SVG outlines and text.

use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::file::encode_png;
use crate::report::chart::{Bar, Level, heat_map, panel_levels, round_top, side, strip};
use crate::report::clip::Strip;
use crate::report::content::Report;
use crate::report::times::{percent, ticks, time};
use crate::report::tone::{Panel, css_color};
use histoscope_core::histogram::Components;
use histoscope_core::strip::Flaw;
use histoscope_core::strip::{Rgb, brightness, channel_color, ramp};
use histoscope_render::view::overlay::lights;

/// Width of the panels' pictures in pixels.
const WIDTH: usize = 1120;
/// Number of steps along the time axis of the strips.
pub const STEPS: usize = 1120;
/// The level at the bottom of the strip of the sound, in LUFS and dBTP. Its top is 0.
const SOUND_BOTTOM: f64 = -60.0;

/// A text and its position, in percent of the width.
pub struct Label {
    pub left: String,
    pub label: String,
}

/// The brightness legend.
pub struct Legend {
    pub colors: String,
    pub ticks: Vec<Label>,
}

/// A panel with its axis, its marks, and the clip's summed histogram next to it.
pub struct PanelParts {
    pub name: &'static str,
    pub title: &'static str,
    /// The panel's CSS class.
    pub size: &'static str,
    pub color: Option<String>,
    pub levels: Vec<LevelLabel>,
    pub png: String,
    /// Positions of cuts, in percent of the width.
    pub cuts: Vec<String>,
    pub rows: usize,
    pub sums: Vec<Curve>,
}

/// A label on the level axis. `bottom` is its position in percent of the height.
pub struct LevelLabel {
    pub bottom: String,
    pub value: String,
    pub code: u32,
}

/// An outline, with its colour or CSS class.
pub struct Curve {
    pub style: String,
    pub path: String,
}

/// A mark at a frame's time. `left` is its position in percent of the width.
pub struct Mark {
    pub class: String,
    pub left: String,
    pub title: String,
}

/// A strip of figures over time.
pub struct StripParts {
    pub name: &'static str,
    pub title: &'static str,
    /// The values at the top and the bottom of the strip's scale, formatted.
    pub ends: [String; 2],
    pub curves: Vec<Curve>,
    pub marks: Vec<Mark>,
    pub about: String,
    pub small: Option<&'static str>,
    /// CSS classes and their meanings.
    pub keys: Vec<(&'static str, String)>,
}

/// Returns the position of a time, in percent of the width.
fn left(report: &Report, secs: f64) -> f64 {
    (report.clip.part_of(secs) * 100.0).clamp(0.0, 100.0)
}

/// Returns the brightness legend.
pub fn legend() -> Legend {
    let gray = channel_color(Components::Rgbl, 3);
    let colors: Vec<String> = (0..=20).map(|step| css_color(ramp(gray, f64::from(step) / 20.0))).collect();
    let ticks = [(0.001, "0.1 %"), (0.01, "1"), (0.1, "10"), (1.0, "100")]
        .map(|(share, label)| Label { left: format!("{:.2}", brightness(share) * 100.0), label: label.to_owned() });
    Legend { colors: colors.join(","), ticks: ticks.into() }
}

/// Returns a panel with its axis, marks and summed histogram.
pub fn panel(report: &Report, panel: &Panel) -> Result<PanelParts, png::EncodingError> {
    let clip = &report.clip;
    let color = |channel: usize| css_color(channel_color(clip.components, channel));
    let sides = side(clip, panel);
    Ok(PanelParts {
        name: panel.name,
        title: panel.title,
        size: if panel.levels_per_row == 1 { "tall" } else { "low" },
        color: if let [channel] = *panel.channels { Some(color(channel)) } else { None },
        levels: levels(report, panel),
        png: BASE64.encode(encode_png(&heat_map(clip, panel, WIDTH))?),
        cuts: clip.listed_cuts().iter().map(|cut| format!("{:.4}", left(report, cut.time_secs))).collect(),
        rows: panel.height(),
        sums: sides
            .iter()
            .zip(panel.channels)
            .map(|(side, &channel)| sum(side, css_color(bar_color(clip.components, panel, channel))))
            .collect(),
    })
}

/// Returns the colour of a channel's bars in the summed histogram. Of several channels' bars, the page shows the lightest
/// parts, as the window does.
fn bar_color(components: Components, panel: &Panel, channel: usize) -> Rgb {
    match *panel.channels {
        [_] => channel_color(components, channel),
        _ => lights(components)[channel].map(|part| (255.0 * part).round() as u8),
    }
}

/// Returns the labels of the level axis.
fn levels(report: &Report, panel: &Panel) -> Vec<LevelLabel> {
    let label = |Level { place, value, code }| LevelLabel { bottom: percent_text(place), value, code };
    panel_levels(report, panel).into_iter().map(label).collect()
}

/// Returns a share in percent with as many decimals as it needs, up to two.
fn percent_text(share: f64) -> String {
    format!("{:.2}", 100.0 * share).trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the outline of a channel's summed histogram, drawn sideways.
fn sum(bars: &[Bar], color: String) -> Curve {
    let rows = bars.len();
    let mut path = format!("M0 {rows}");
    for (row, Bar { length, .. }) in bars.iter().enumerate() {
        let _ = write!(path, "H{:.2}V{}", length * 100.0, rows - 1 - row);
    }
    Curve { style: color, path: path + "H0z" }
}

/// Returns the labels of the time axis below the panels.
pub fn times(report: &Report) -> Vec<Label> {
    let ticks = ticks(report.clip.begin_secs, report.clip.end_secs, 10).into_iter();
    ticks.map(|tick| Label { left: format!("{:.3}", left(report, tick.secs)), label: tick.label }).collect()
}

/// Returns the strip of changes between frames, with the cuts.
pub fn change_strip(report: &Report) -> StripParts {
    let clip = &report.clip;
    let change = strip(clip, STEPS, |strip| strip.change);
    let top = round_top(change.iter().copied(), clip.threshold * 2.0);
    let line = format!("M0 {:.2}H{STEPS}", 100.0 - clip.threshold / top * 100.0);
    StripParts {
        name: "change",
        title: "Change from frame to frame",
        ends: percent_ends(top),
        curves: vec![
            Curve { style: "change".to_owned(), path: area(&change, top) },
            Curve { style: "threshold".to_owned(), path: line },
        ],
        marks: clip
            .cuts
            .iter()
            .map(|cut| {
                let title = format!("Cut at {}, frame {}", time(cut.time_secs), cut.frame);
                Mark { class: "cut".to_owned(), left: format!("{:.3}", left(report, cut.time_secs)), title }
            })
            .collect(),
        about: report.cuts_text(),
        small: Some("earth mover's distance of the histograms, as a part of the scale"),
        keys: Vec::new(),
    }
}

/// Returns the strip of clipped samples and samples out of range, with the worst frames.
pub fn clipped_strip(report: &Report) -> StripParts {
    let clip = &report.clip;
    let figures: [fn(&Strip) -> f64; 3] = [|strip| strip.lowest, |strip| strip.highest, |strip| strip.outside];
    let values = figures.map(|figure| strip(clip, STEPS, figure));
    let top = round_top(values.iter().flatten().copied(), 0.001);
    let (mut curves, mut marks, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    for (((flaw, values), worst), figure) in Flaw::ALL.into_iter().zip(&values).zip(&clip.worst).zip(figures) {
        let (name, title) = (flaw.name(), flaw.title());
        curves.push(Curve { style: format!("area {name}"), path: area(values, top) });
        marks.extend(worst.iter().map(|worst| Mark {
            class: format!("worst {name}"),
            left: format!("{:.3}", left(report, worst.time_secs)),
            title: format!("{title}: {} at {}", percent(worst.share.share), time(worst.time_secs)),
        }));
        // Of all frames: black ones, and those of a clip in which none stands out, are not among the worst.
        let most = percent(clip.columns.as_slice().iter().map(|column| figure(&column.strip)).fold(0.0, f64::max));
        keys.push((name, format!("{}: up to {most}", title.to_lowercase())));
    }
    let (name, title) = ("clipped", "Clipped and out of range");
    StripParts { name, title, ends: percent_ends(top), curves, marks, about: String::new(), small: None, keys }
}

/// Returns the strip of the sound's loudness and peaks, if it was measured.
pub fn sound_strip(report: &Report) -> Option<StripParts> {
    let sound = report.sound.as_ref()?;
    let peak: fn(&Strip) -> f64 = |strip| strip.sound.true_peak;
    let loudness: fn(&Strip) -> f64 = |strip| strip.sound.short_term;
    let figures = [("peak", "true peak, in dBTP", peak), ("loudness", "short-term loudness, in LUFS", loudness)];
    let (mut curves, mut keys) = (Vec::new(), Vec::new());
    for (name, title, figure) in figures {
        let above_bottom = |strip: &Strip| (figure(strip) - SOUND_BOTTOM).clamp(0.0, -SOUND_BOTTOM);
        let values = strip(&report.clip, STEPS, above_bottom);
        curves.push(Curve { style: format!("area {name}"), path: area(&values, -SOUND_BOTTOM) });
        keys.push((name, title.to_owned()));
    }
    Some(StripParts {
        name: "sound",
        title: "Sound",
        ends: ["0".to_owned(), format!("{SOUND_BOTTOM}")],
        curves,
        marks: Vec::new(),
        about: sound
            .integrated_lufs
            .map_or_else(|| "silent".to_owned(), |loudness| format!("{loudness:.1} LUFS integrated")),
        small: None,
        keys,
    })
}

/// Returns the ends of a strip's scale in percent.
fn percent_ends(top: f64) -> [String; 2] {
    [percent(top).replace(".0 %", " %"), "0 %".to_owned()]
}

/// Returns the outline of the area under the values, in a box of `STEPS` × 100. Runs of equal values add nothing to the
/// path.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tone::panels;

    #[test]
    fn bars_of_red_green_and_blue_overlap_to_gray() {
        let panel = panels(Components::Rgbl).iter().find(|panel| panel.channels == [0, 1, 2]).expect("it is drawn");
        let colors = [0, 1, 2].map(|channel| bar_color(Components::Rgbl, panel, channel));
        let [r, g, b] = std::array::from_fn(|part| colors.iter().map(|color| color[part]).max());
        assert!(r == g && g == b, "{colors:?}");
        let style = crate::report::page::STYLE;
        assert!(style.contains(".side > svg path { mix-blend-mode: lighten; }"), "the lightest parts are shown");
    }
}

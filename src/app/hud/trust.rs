//! What is known about the video, where it is known from, and how it was used.

use egui::{Rect, RichText, Ui, vec2};

use super::theme;
use crate::color::Origin;
use crate::frame::Frame;
use crate::media::StreamInfo;

/// A line of the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub name: &'static str,
    /// What is known.
    pub value: String,
    /// Whether the file says so, or somebody else.
    pub origin: Option<Origin>,
}

/// What draws and counts.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// The adapter's name.
    pub adapter: &'a str,
    /// The driver and backend.
    pub driver: &'a str,
    /// The engine that counts.
    pub engine: &'a str,
}

const fn plain(name: &'static str, value: String) -> Fact {
    Fact { name, value, origin: None }
}

/// Everything that is known of the video and of this frame of it.
#[must_use]
pub fn facts(info: &StreamInfo, frame: &Frame, machine: Machine<'_>) -> Vec<Fact> {
    let mut facts = of_file(info);
    facts.extend(of_frame(frame));
    facts.push(plain("decoder", decoder(info)));
    facts.push(plain("engine", format!("{} counts", if machine.engine == "cpu" { "the CPU" } else { "the adapter" })));
    facts.push(plain("adapter", format!("{} ({})", machine.adapter, machine.driver)));
    facts.extend(info.notes.iter().map(|note| plain("note", note.clone())));
    facts
}

fn of_file(info: &StreamInfo) -> Vec<Fact> {
    let codec = match &info.profile {
        Some(profile) => format!("{}, {profile}", info.codec),
        None => info.codec.clone(),
    };
    let rate = info
        .average_rate
        .map_or_else(|| "unknown".to_owned(), |rate| format!("{} fps on average", number(rate.value())));
    vec![plain("container", info.container.clone()), plain("codec", codec), plain("frame rate", rate)]
}

fn of_frame(frame: &Frame) -> Vec<Fact> {
    let picture = &frame.picture;
    let color = picture.colorimetry();
    let layout = picture.layout();
    let source = &frame.source;
    let size = format!("{}×{}", picture.width(), picture.height());
    let aspect = match frame.sample_aspect {
        crate::frame::Ratio { num, den } if num == den => "square".to_owned(),
        crate::frame::Ratio { num, den } => format!("{num}:{den}"),
    };
    let turned = match (frame.orientation.quarter_turns % 4, frame.orientation.mirrored) {
        (0, false) => "none".to_owned(),
        (turns, mirrored) => {
            let flip = if mirrored { "mirrored, then " } else { "" };
            format!("{flip}turned {}° clockwise", u32::from(turns) * 90)
        }
    };
    let depth = match (layout.depth, layout.bin_bits()) {
        (depth, bits) if u32::from(depth) == bits => format!("{depth} bits, {} bins", 1_u32 << bits),
        (depth, bits) => format!("{depth} bits, counted by the top {bits}"),
    };
    let conversion = source.converted_to.as_ref().map_or_else(
        || "none: counted and drawn from the decoder's own planes".to_owned(),
        |to| format!("{} to {to}, before counting", source.pixel_format),
    );
    let hdr = matches!(source.transfer, Some("smpte2084" | "arib-std-b67"));
    let shown = if hdr { ", shown as coded: not tone-mapped" } else { ", shown as coded" };
    vec![
        plain("pixel format", source.pixel_format.clone()),
        plain("depth", depth),
        plain("size", size),
        plain("pixel aspect", aspect),
        plain("rotation", turned),
        Fact { name: "matrix", value: color.matrix.value.to_string(), origin: Some(color.matrix.origin) },
        Fact { name: "range", value: color.range.value.to_string(), origin: Some(color.range.origin) },
        named("transfer", source.transfer, shown),
        named("primaries", source.primaries, ", not converted"),
        plain("conversion", conversion),
    ]
}

/// Something that has an effect on nothing here, and is named where the file names it.
fn named(name: &'static str, value: Option<&'static str>, effect: &str) -> Fact {
    match value {
        Some(value) => Fact { name, value: format!("{value}{effect}"), origin: Some(Origin::Tagged) },
        None => plain(name, format!("not stated{effect}")),
    }
}

fn decoder(info: &StreamInfo) -> String {
    let threads = if info.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", info.threads) };
    format!("{}, {threads}", info.decoder)
}

/// A number with as many places as it needs, three at most.
fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Shows the panel at the left of `room`; where it is.
pub fn show(ui: &Ui, room: Rect, facts: &[Fact]) -> Rect {
    let size = if room.height() < 200.0 { theme::TEXT - 2.0 } else { theme::TEXT };
    let area = egui::Area::new(egui::Id::unique("trust")).fade_in(false).fixed_pos(room.min);
    let shown = area.show(ui.ctx(), |ui| {
        theme::plate().show(ui, |ui| {
            ui.spacing_mut().interact_size.y = 0.0;
            ui.set_max_width((room.width() - 24.0).clamp(80.0, 460.0));
            egui::ScrollArea::vertical().max_height((room.height() - 20.0).max(40.0)).show(ui, |ui| {
                let grid = egui::Grid::new("trust").num_columns(2).spacing(vec2(12.0, 3.0)).min_row_height(0.0);
                grid.show(ui, |ui| {
                    for fact in facts {
                        show_fact(ui, fact, size);
                        ui.end_row();
                    }
                });
            });
        });
    });
    shown.response.rect
}

fn show_fact(ui: &mut Ui, fact: &Fact, size: f32) {
    ui.label(RichText::new(fact.name).size(size).color(theme::DIM));
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 7.0;
        ui.label(RichText::new(&fact.value).size(size).color(theme::LIGHT));
        if let Some(origin) = fact.origin {
            let color = match origin {
                Origin::Tagged => egui::Color32::from_rgb(124, 214, 140),
                Origin::Guessed => theme::ACCENT,
                Origin::Overridden => egui::Color32::from_rgb(140, 180, 255),
            };
            ui.label(RichText::new(origin.to_string()).size(size).color(color));
        }
    });
}

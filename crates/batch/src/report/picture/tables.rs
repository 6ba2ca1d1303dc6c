//! The tables at the bottom of the picture.

use crate::report::canvas::{Align, Area, Canvas, Style};
use crate::report::content::Report;
use crate::report::flaw_key::flaw_key;
use crate::report::times::{percent, time, whole};
use crate::report::tone::{AMBER, DIM, FAINT, INK};
use histoscope_core::strip::Flaw;
use histoscope_core::strip::channel_color;

/// Number of worst frames listed per flaw. The page lists all of them.
pub const WORST_LISTED: usize = 5;
/// Number of cuts that fit in the picture's table. The page lists more.
const CUTS_LISTED: usize = 10;

const ROW: i32 = 24;
const HEAD: i32 = 40;
const FACTS_X: i32 = 1000;
const GAP: i32 = 48;

/// Returns the height of all tables.
pub fn height(report: &Report) -> i32 {
    let figures = HEAD + ROW * (1 + report.clip.histogram.channels().len() as i32);
    let cuts = report.clip.cuts.len().min(CUTS_LISTED);
    let below = HEAD + ROW * (1 + cuts.max(WORST_LISTED)) as i32;
    let facts = HEAD + ROW * report.facts.len() as i32;
    (figures + GAP + below).max(facts)
}

/// Draws all tables downwards from the upper edge of `area`.
pub fn draw(canvas: &mut Canvas, report: &Report, area: Area) {
    let Area { x, y, .. } = area;
    canvas.fill(Area { y: y - 24, height: 1, ..area }, FAINT, 255);
    figures(canvas, report, (x, y));
    let below = y + HEAD + ROW * (1 + report.clip.histogram.channels().len() as i32) + GAP;
    cuts(canvas, report, x, below);
    for (index, flaw) in Flaw::ALL.into_iter().enumerate() {
        worst(canvas, report, flaw, 264 + 242 * index as i32, below);
    }
    facts(canvas, report, y, area.right());
}

fn figures(canvas: &mut Canvas, report: &Report, (x, y): (i32, i32)) {
    canvas.text((x, y), Align::Left, "Whole clip", Style::new(18.0, INK));
    let names = ["min", "1 %", "median", "99 %", "max", "mean", "lowest", "highest", "outside"];
    let rights = [190, 250, 326, 386, 446, 538, 644, 762, 872];
    for (name, right) in names.into_iter().zip(rights) {
        canvas.text((x + right, y + HEAD - 4), Align::Right, name, Style::new(14.0, DIM));
    }
    for ((index, (name, figures)), top) in
        report.clip.histogram.stats().enumerate().zip((y + HEAD + ROW..).step_by(ROW as usize))
    {
        let color = channel_color(report.clip.components, index);
        canvas.text((x, top), Align::Left, name, Style::new(15.0, color));
        let levels = [figures.min, figures.p1, figures.median, figures.p99, figures.max].map(|level| level.to_string());
        let shares = [figures.share_lowest, figures.share_highest].map(percent);
        let outside = figures.below_range.map_or_else(|| "–".to_owned(), |_| percent(figures.share_out_of_range));
        let values = levels.into_iter().chain([format!("{:.1}", figures.mean)]).chain(shares).chain([outside]);
        for (value, right) in values.zip(rights) {
            canvas.text((x + right, top), Align::Right, &value, Style::new(15.0, INK));
        }
    }
}

fn cuts(canvas: &mut Canvas, report: &Report, x: i32, y: i32) {
    let clip = &report.clip;
    canvas.text((x, y), Align::Left, "Cuts", Style::new(18.0, INK));
    if clip.cuts.is_empty() {
        canvas.text((x, y + HEAD), Align::Left, "none found", Style::new(15.0, DIM));
    }
    let top = y + HEAD - 6;
    if !clip.cuts.is_empty() {
        canvas.text((x, top), Align::Left, "time", Style::new(14.0, DIM));
        canvas.text((x + 148, top), Align::Right, "frame", Style::new(14.0, DIM));
    }
    let fits = clip.cuts_found <= CUTS_LISTED as u64;
    let listed = if fits { CUTS_LISTED } else { CUTS_LISTED - 1 };
    for (cut, top) in clip.cuts.iter().take(listed).zip((y + HEAD + ROW..).step_by(ROW as usize)) {
        canvas.text((x, top), Align::Left, &time(cut.time_secs), Style::new(15.0, INK));
        canvas.text((x + 148, top), Align::Right, &whole(cut.frame), Style::new(15.0, DIM));
    }
    if !fits {
        let more = format!("and {} more", whole(clip.cuts_found - listed as u64));
        canvas.text((x, y + HEAD + ROW * (1 + listed as i32)), Align::Left, &more, Style::new(15.0, DIM));
    }
}

fn worst(canvas: &mut Canvas, report: &Report, flaw: Flaw, x: i32, y: i32) {
    flaw_key(canvas, Area::new(x, y + 9, 12, 4), flaw);
    canvas.text((x + 20, y), Align::Left, flaw.title(), Style::new(18.0, INK));
    let frames = &report.clip.worst[flaw as usize];
    if frames.is_empty() {
        canvas.text((x, y + HEAD), Align::Left, "no frame", Style::new(15.0, DIM));
    }
    if !frames.is_empty() {
        for (name, right) in [("time", None), ("frame", Some(142)), ("share", Some(214))] {
            let align = if right.is_some() { Align::Right } else { Align::Left };
            canvas.text((x + right.unwrap_or(0), y + HEAD - 6), align, name, Style::new(14.0, DIM));
        }
    }
    for (worst, top) in frames.iter().take(WORST_LISTED).zip((y + HEAD + ROW..).step_by(ROW as usize)) {
        canvas.text((x, top), Align::Left, &time(worst.time_secs), Style::new(15.0, INK));
        canvas.text((x + 142, top), Align::Right, &whole(worst.frame), Style::new(15.0, DIM));
        let color = channel_color(report.clip.components, worst.share.channel);
        canvas.text((x + 214, top), Align::Right, &percent(worst.share.share), Style::new(15.0, color));
    }
}

fn facts(canvas: &mut Canvas, report: &Report, y: i32, right: i32) {
    canvas.text((FACTS_X, y), Align::Left, "The video and its interpretation", Style::new(18.0, INK));
    for (fact, top) in report.facts.iter().zip((y + HEAD..).step_by(ROW as usize)) {
        canvas.text((FACTS_X, top), Align::Left, fact.name, Style::new(15.0, DIM));
        let at = FACTS_X + 132;
        let width = canvas.text_within((at, top), Align::Left, &fact.value, Style::new(15.0, INK), right - 90 - at);
        if let Some(origin) = fact.origin {
            let color = if origin == histoscope_core::picture::color::Origin::Tagged { DIM } else { AMBER };
            canvas.text((at + width + 10, top), Align::Left, &origin.to_string(), Style::new(15.0, color));
        }
    }
}

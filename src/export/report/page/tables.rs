//! The tables of the page.

use crate::export::report::content::{Fact, Report};
use crate::export::report::times::{percent, time, whole};
use crate::export::report::tone::css_color;
use crate::histogram::ChannelStats;
use crate::picture::color::Origin;
use crate::strip::Cut;
use crate::strip::channel_color;
use crate::strip::{Flaw, WorstFrame};
use crate::text::plain;

/// The name of a channel and its colour.
pub struct ChannelName {
    pub name: &'static str,
    pub color: String,
}

/// A channel of the whole clip, and its cells.
pub struct ChannelRow {
    pub channel: ChannelName,
    pub cells: Vec<String>,
}

/// What is known about the video.
pub struct FactLine {
    pub name: &'static str,
    pub value: String,
    pub origin: Option<Origin>,
}

/// A frame in a table.
pub struct FrameLine {
    pub secs: f64,
    pub time: String,
    pub frame: String,
    pub share: String,
    pub channel: Option<ChannelName>,
}

/// The worst frames of one kind.
pub struct FlawList {
    pub name: &'static str,
    pub title: &'static str,
    pub rows: Vec<FrameLine>,
}

fn channel_name(report: &Report, channel: usize) -> ChannelName {
    let name = report.clip.components.channel_names().get(channel).copied().unwrap_or_default();
    ChannelName { name, color: css_color(channel_color(report.clip.components, channel)) }
}

/// The figures of the whole clip.
pub fn figures(report: &Report) -> Vec<ChannelRow> {
    let row = |(channel, (_, stats)): (usize, (&str, ChannelStats))| {
        let outside = stats.below_range.map_or_else(|| "–".to_owned(), |_| percent(stats.share_out_of_range));
        let levels = [stats.min, stats.p1, stats.median, stats.p99, stats.max].map(|level| level.to_string());
        let codes = [stats.mean, stats.std_dev].map(|code| format!("{code:.2}"));
        let shares = [stats.share_lowest, stats.share_highest].map(percent);
        let cells = levels.into_iter().chain(codes).chain(shares).chain([outside]).collect();
        ChannelRow { channel: channel_name(report, channel), cells }
    };
    report.clip.histogram.stats().enumerate().map(row).collect()
}

/// What is known about the video.
pub fn facts(report: &Report) -> Vec<FactLine> {
    let line = |fact: &Fact| FactLine { name: fact.name, value: plain(&fact.value), origin: fact.origin };
    report.facts.iter().map(line).collect()
}

/// The cuts that are listed.
pub fn cuts(report: &Report) -> Vec<FrameLine> {
    let line = |cut: &Cut| FrameLine {
        secs: cut.time_secs,
        time: time(cut.time_secs),
        frame: whole(cut.frame),
        share: percent(cut.distance),
        channel: None,
    };
    report.clip.listed_cuts().iter().map(line).collect()
}

/// The worst frames.
pub fn worst(report: &Report) -> Vec<FlawList> {
    let line = |worst: &WorstFrame| FrameLine {
        secs: worst.time_secs,
        time: time(worst.time_secs),
        frame: whole(worst.frame),
        share: percent(worst.share.share),
        channel: Some(channel_name(report, worst.share.channel)),
    };
    let lists = Flaw::ALL.into_iter().zip(&report.clip.worst);
    lists
        .map(|(flaw, worst)| FlawList {
            name: flaw.name(),
            title: flaw.title(),
            rows: worst.iter().map(line).collect(),
        })
        .collect()
}

//! One frame's record: the same fields under the same names in every format.

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use super::adjusting::Told;
use super::pipeline::Counted;
use crate::export::figures::SCHEMA;
use crate::histogram::{ChannelStats, Components};

/// Names of the columns before those of the channels, in their order. Before the last one stand "adjustments" where the
/// picture was adjusted, and "thresholds" where it was parted at Otsu's.
pub const COLUMNS: [&str; 20] = [
    "schema",
    "input",
    "frame",
    "pts_seconds",
    "pts_ticks",
    "time_seconds",
    "duration_seconds",
    "key_frame",
    "picture_type",
    "damaged",
    "width",
    "height",
    "depth",
    "matrix",
    "matrix_source",
    "range",
    "range_source",
    "pixel_format",
    "region",
    "count",
];
/// Names of a channel's columns, each after the channel's name and an underscore.
pub const CHANNEL_COLUMNS: [&str; 19] = [
    "min",
    "max",
    "mean",
    "std_dev",
    "median",
    "p1",
    "p5",
    "p10",
    "p25",
    "p75",
    "p90",
    "p95",
    "p99",
    "share_lowest",
    "share_highest",
    "below_range",
    "above_range",
    "share_out_of_range",
    "count",
];

/// A frame's record.
#[derive(Serialize)]
pub struct Record<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    input: &'a str,
    frame: u64,
    pts_seconds: f64,
    pts_ticks: i64,
    time_seconds: f64,
    duration_seconds: f64,
    key_frame: bool,
    picture_type: Option<char>,
    damaged: bool,
    width: u32,
    height: u32,
    depth: u8,
    matrix: &'static str,
    matrix_source: Source,
    range: &'static str,
    range_source: Source,
    pixel_format: &'a str,
    region: Option<[u32; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adjustments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thresholds: Option<&'a [u32]>,
    count: u64,
    channels: Channels<'a>,
}

/// Where a tag comes from, written without a string of its own.
struct Source(crate::picture::color::Origin);

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// The channels by their names, in the order in which they are counted.
struct Channels<'a> {
    channels: Vec<(&'static str, ChannelStats, Option<&'a [u32]>)>,
}

#[derive(Serialize)]
struct WithBins<'a> {
    #[serde(flatten)]
    figures: &'a ChannelStats,
    bins: &'a [u32],
}

impl Serialize for Channels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.channels.len()))?;
        for (name, figures, bins) in &self.channels {
            match bins {
                Some(bins) => map.serialize_entry(name, &WithBins { figures, bins })?,
                None => map.serialize_entry(name, figures)?,
            }
        }
        map.end()
    }
}

impl<'a> Record<'a> {
    /// The record of a frame of that input; with `bins`, every bin too.
    #[must_use]
    pub fn new(input: &'a str, told: &'a Told, counted: &'a Counted, bins: bool) -> Self {
        let facts = &counted.facts;
        let color = &facts.colorimetry;
        let mut channels = Vec::with_capacity(7);
        for histogram in [&counted.counts.rgbl, &counted.counts.coded].into_iter().flatten() {
            for (channel, name) in histogram.components.channel_names().iter().enumerate() {
                let figures = histogram.stats(channel, Some(color.range.value));
                channels.push((*name, figures, bins.then(|| histogram.bins(channel))));
            }
        }
        Self {
            schema: SCHEMA,
            kind: "frame",
            input,
            frame: facts.number,
            pts_seconds: facts.time_base.times(facts.pts_ticks),
            pts_ticks: facts.pts_ticks,
            time_seconds: facts.time_secs,
            duration_seconds: facts.duration_secs,
            key_frame: facts.key,
            picture_type: facts.picture_type,
            damaged: facts.damaged,
            width: facts.size.0,
            height: facts.size.1,
            depth: facts.depth,
            matrix: color.matrix.value.name(),
            matrix_source: Source(color.matrix.origin),
            range: color.range.value.name(),
            range_source: Source(color.range.origin),
            pixel_format: &facts.source.pixel_format,
            region: facts.region.map(|rect| [rect.x, rect.y, rect.width, rect.height]),
            adjustments: told.adjustments.as_deref(),
            thresholds: facts.thresholds.as_deref(),
            count: facts.region.map_or(u64::from(facts.size.0) * u64::from(facts.size.1), |rect| rect.pixel_count()),
            channels: Channels { channels },
        }
    }

    /// The record's cells in the order of [`columns`].
    pub fn write_cells(&self, row: &mut Row) {
        row.cell(self.schema);
        row.cell(self.input);
        row.cell(self.frame);
        row.cell(self.pts_seconds);
        row.cell(self.pts_ticks);
        row.cell(self.time_seconds);
        row.cell(self.duration_seconds);
        row.cell(self.key_frame);
        row.optional(self.picture_type);
        row.cell(self.damaged);
        row.cell(self.width);
        row.cell(self.height);
        row.cell(self.depth);
        row.cell(self.matrix);
        row.cell(self.matrix_source.0);
        row.cell(self.range);
        row.cell(self.range_source.0);
        row.cell(self.pixel_format);
        row.optional(self.region.map(|numbers| numbers.map(|number| number.to_string()).join(" ")));
        if let Some(adjustments) = self.adjustments {
            row.cell(adjustments);
        }
        if let Some(thresholds) = self.thresholds {
            row.numbers(thresholds);
        }
        row.cell(self.count);
        for (_, figures, bins) in &self.channels.channels {
            write_channel(row, figures);
            if let Some(bins) = bins {
                row.numbers(bins);
            }
        }
    }
}

fn write_channel(row: &mut Row, figures: &ChannelStats) {
    row.cell(figures.min);
    row.cell(figures.max);
    row.cell(figures.mean);
    row.cell(figures.std_dev);
    row.cell(figures.median);
    row.cell(figures.p1);
    row.cell(figures.p5);
    row.cell(figures.p10);
    row.cell(figures.p25);
    row.cell(figures.p75);
    row.cell(figures.p90);
    row.cell(figures.p95);
    row.cell(figures.p99);
    row.cell(figures.share_lowest);
    row.cell(figures.share_highest);
    row.optional(figures.below_range);
    row.optional(figures.above_range);
    row.cell(figures.share_out_of_range);
    row.cell(figures.count);
}

/// The names of all columns.
#[must_use]
pub fn columns(components: &[Components], told: &Told, bins: bool) -> Vec<String> {
    let (before, [count]) = (&COLUMNS[..COLUMNS.len() - 1], [COLUMNS[COLUMNS.len() - 1]]);
    let mut names: Vec<String> = before.iter().map(|name| (*name).to_owned()).collect();
    names.extend(told.adjustments.iter().map(|_| "adjustments".to_owned()));
    names.extend(told.has_thresholds.then(|| "thresholds".to_owned()));
    names.push(count.to_owned());
    for channel in components.iter().flat_map(|components| components.channel_names()) {
        names.extend(CHANNEL_COLUMNS.iter().map(|name| format!("{channel}_{name}")));
        if bins {
            names.push(format!("{channel}_bins"));
        }
    }
    names
}

/// A row of a table that is being filled; its memory is used again and again.
#[derive(Default)]
pub struct Row {
    text: String,
    record: csv::ByteRecord,
}

impl Row {
    /// Forgets all cells.
    pub fn clear(&mut self) {
        self.record.clear();
    }

    /// The cells.
    #[must_use]
    pub const fn record(&self) -> &csv::ByteRecord {
        &self.record
    }

    fn cell(&mut self, value: impl std::fmt::Display) {
        use std::fmt::Write as _;
        self.text.clear();
        // Writing to a string never fails.
        let _ = write!(self.text, "{value}");
        self.record.push_field(self.text.as_bytes());
    }

    fn optional(&mut self, value: Option<impl std::fmt::Display>) {
        match value {
            Some(value) => self.cell(value),
            None => self.record.push_field(b""),
        }
    }

    fn numbers(&mut self, numbers: &[u32]) {
        use std::fmt::Write as _;
        self.text.clear();
        for (index, number) in numbers.iter().enumerate() {
            let _ = write!(self.text, "{}{number}", if index == 0 { "" } else { " " });
        }
        self.record.push_field(self.text.as_bytes());
    }
}

/// What is read back of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct RecordNumber {
    /// The frame's number.
    #[serde(alias = "frame_number")]
    pub frame: u64,
}

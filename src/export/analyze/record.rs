//! One frame's record: the same fields under the same names in JSON and in tables, and as ffprobe has them.

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use super::pipeline::Counted;
use crate::export::figures::SCHEMA;
use crate::histogram::ChannelStats;
use crate::picture::color::Origin;
use crate::scopes::Saturation;

/// A frame's record.
#[derive(Serialize)]
pub struct FrameRecord<'a> {
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
    #[serde(serialize_with = "as_text")]
    matrix_source: Origin,
    range: &'static str,
    #[serde(serialize_with = "as_text")]
    range_source: Origin,
    pixel_format: &'a str,
    region: Option<[u32; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adjustments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thresholds: Option<&'a [u32]>,
    count: u64,
    channels: ChannelRecords<'a>,
    /// Only where vectorscopes are counted; null of a picture without colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    vectorscope: Option<Option<Saturation>>,
}

/// Writes where a tag comes from, without a string of its own.
fn as_text<S: Serializer>(origin: &Origin, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(origin)
}

/// The channels by their names, in the order in which they are counted.
struct ChannelRecords<'a>(Vec<(&'static str, ChannelStats, Option<&'a [u32]>)>);

#[derive(Serialize)]
struct WithBins<'a> {
    #[serde(flatten)]
    stats: &'a ChannelStats,
    bins: &'a [u32],
}

impl Serialize for ChannelRecords<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, stats, bins) in &self.0 {
            match bins {
                Some(bins) => map.serialize_entry(name, &WithBins { stats, bins })?,
                None => map.serialize_entry(name, stats)?,
            }
        }
        map.end()
    }
}

impl<'a> FrameRecord<'a> {
    /// The record of a frame of that input, with the adjustments in words, where there are any, and with the bins and the figures of
    /// the vectorscope where the shape has them.
    #[must_use]
    pub fn new(input: &'a str, adjustments: Option<&'a str>, counted: &'a Counted, shape: TableShape) -> Self {
        let facts = &counted.facts;
        let color = &facts.colorimetry;
        let mut channels = Vec::with_capacity(7);
        for histogram in [&counted.counts.rgbl, &counted.counts.coded].into_iter().flatten() {
            for (channel, name) in histogram.components.channel_names().iter().enumerate() {
                let stats = histogram.stats(channel, Some(color.range.value));
                channels.push((*name, stats, shape.has_bins.then(|| histogram.bins(channel))));
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
            matrix_source: color.matrix.origin,
            range: color.range.value.name(),
            range_source: color.range.origin,
            pixel_format: &facts.source.pixel_format,
            region: facts.region.map(|rect| [rect.x, rect.y, rect.width, rect.height]),
            adjustments,
            thresholds: counted.counts.thresholds.as_deref(),
            count: facts.region.map_or(u64::from(facts.size.0) * u64::from(facts.size.1), |rect| rect.pixel_count()),
            channels: ChannelRecords(channels),
            vectorscope: shape.has_vectorscope.then_some(counted.counts.saturation),
        }
    }
}

/// A column of a table: its name, and how its cell is filled.
type FrameColumn = (&'static str, fn(&FrameRecord<'_>, &mut RowCells));
/// The same of a channel.
type ChannelColumn = (&'static str, fn(&ChannelStats, &mut RowCells));
/// The same of the vectorscope.
type VectorscopeColumn = (&'static str, fn(&Saturation, &mut RowCells));

/// The columns before those of the channels, in their order. "adjustments" is there where the picture was adjusted, and
/// "thresholds" where it was parted at Otsu's.
const COLUMNS: [FrameColumn; 22] = [
    ("schema", |record, row| row.cell(record.schema)),
    ("input", |record, row| row.cell(record.input)),
    ("frame", |record, row| row.cell(record.frame)),
    ("pts_seconds", |record, row| row.cell(record.pts_seconds)),
    ("pts_ticks", |record, row| row.cell(record.pts_ticks)),
    ("time_seconds", |record, row| row.cell(record.time_seconds)),
    ("duration_seconds", |record, row| row.cell(record.duration_seconds)),
    ("key_frame", |record, row| row.cell(record.key_frame)),
    ("picture_type", |record, row| row.optional(record.picture_type)),
    ("damaged", |record, row| row.cell(record.damaged)),
    ("width", |record, row| row.cell(record.width)),
    ("height", |record, row| row.cell(record.height)),
    ("depth", |record, row| row.cell(record.depth)),
    ("matrix", |record, row| row.cell(record.matrix)),
    ("matrix_source", |record, row| row.cell(record.matrix_source)),
    ("range", |record, row| row.cell(record.range)),
    ("range_source", |record, row| row.cell(record.range_source)),
    ("pixel_format", |record, row| row.cell(record.pixel_format)),
    ("region", |record, row| {
        row.optional(record.region.map(|numbers| numbers.map(|number| number.to_string()).join(" ")))
    }),
    ("adjustments", |record, row| row.optional(record.adjustments)),
    ("thresholds", |record, row| row.numbers(record.thresholds.unwrap_or_default())),
    ("count", |record, row| row.cell(record.count)),
];

/// The columns of a channel, each named after the channel's name and an underscore.
const CHANNEL_COLUMNS: [ChannelColumn; 19] = [
    ("min", |stats, row| row.cell(stats.min)),
    ("max", |stats, row| row.cell(stats.max)),
    ("mean", |stats, row| row.cell(stats.mean)),
    ("std_dev", |stats, row| row.cell(stats.std_dev)),
    ("median", |stats, row| row.cell(stats.median)),
    ("p1", |stats, row| row.cell(stats.p1)),
    ("p5", |stats, row| row.cell(stats.p5)),
    ("p10", |stats, row| row.cell(stats.p10)),
    ("p25", |stats, row| row.cell(stats.p25)),
    ("p75", |stats, row| row.cell(stats.p75)),
    ("p90", |stats, row| row.cell(stats.p90)),
    ("p95", |stats, row| row.cell(stats.p95)),
    ("p99", |stats, row| row.cell(stats.p99)),
    ("share_lowest", |stats, row| row.cell(stats.share_lowest)),
    ("share_highest", |stats, row| row.cell(stats.share_highest)),
    ("below_range", |stats, row| row.optional(stats.below_range)),
    ("above_range", |stats, row| row.optional(stats.above_range)),
    ("share_out_of_range", |stats, row| row.cell(stats.share_out_of_range)),
    ("count", |stats, row| row.cell(stats.count)),
];

/// The columns of the vectorscope, behind those of the channels.
const VECTORSCOPE_COLUMNS: [VectorscopeColumn; 5] = [
    ("vectorscope_samples", |figures, row| row.cell(figures.samples)),
    ("vectorscope_saturation_mean", |figures, row| row.cell(figures.saturation_mean)),
    ("vectorscope_saturation_max", |figures, row| row.cell(figures.saturation_max)),
    ("vectorscope_outside_targets", |figures, row| row.optional(figures.outside_targets)),
    ("vectorscope_share_outside_targets", |figures, row| row.optional(figures.share_outside_targets)),
];

/// Which fields records have, as columns of a table or as the same in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableShape {
    /// Whether the adjustments are told.
    pub has_adjustments: bool,
    /// Whether thresholds are.
    pub has_thresholds: bool,
    /// Whether all bins are.
    pub has_bins: bool,
    /// Whether figures of the vectorscope are.
    pub has_vectorscope: bool,
}

impl TableShape {
    /// The columns before those of the channels.
    fn columns(self) -> impl Iterator<Item = &'static FrameColumn> {
        COLUMNS.iter().filter(move |(name, _)| match *name {
            "adjustments" => self.has_adjustments,
            "thresholds" => self.has_thresholds,
            _ => true,
        })
    }

    /// The names of all columns of a table of these channels.
    #[must_use]
    pub fn names<'a>(self, channels: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut names: Vec<String> = self.columns().map(|(name, _)| (*name).to_owned()).collect();
        for channel in channels {
            names.extend(CHANNEL_COLUMNS.iter().map(|(name, _)| format!("{channel}_{name}")));
            names.extend(self.has_bins.then(|| format!("{channel}_bins")));
        }
        if self.has_vectorscope {
            names.extend(VECTORSCOPE_COLUMNS.iter().map(|(name, _)| (*name).to_owned()));
        }
        names
    }

    /// Fills a row with a record's cells.
    pub fn fill(self, record: &FrameRecord<'_>, row: &mut RowCells) {
        row.record.clear();
        self.columns().for_each(|(_, write)| write(record, row));
        for (_, stats, bins) in &record.channels.0 {
            CHANNEL_COLUMNS.iter().for_each(|(_, write)| write(stats, row));
            bins.iter().for_each(|bins| row.numbers(bins));
        }
        for (_, write) in VECTORSCOPE_COLUMNS.iter().filter(|_| self.has_vectorscope) {
            match record.vectorscope.flatten() {
                Some(figures) => write(&figures, row),
                None => row.optional(None::<u8>),
            }
        }
    }
}

/// A row of a table that is being filled; its memory is used again and again.
#[derive(Default)]
pub struct RowCells {
    text: String,
    record: csv::ByteRecord,
}

impl RowCells {
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

/// A frame as `ffprobe -f lavfi -i movie=…,signalstats=stat=brng -show_frames -of json` writes it.
///
/// `pix_fmt` and `sample_aspect_ratio` are the file's, as `ffprobe` tells them of the file without the filter: the filter
/// makes all pixels square, and of some formats (`nv12`, `yuyv422`, `yuva420p`) it reads a copy in another format, with the same
/// samples. Where the file states no aspect, it is "1:1" as behind the filter; `ffprobe` without the filter leaves it out.
#[derive(Serialize)]
pub struct FfprobeRecord<'a> {
    media_type: &'static str,
    stream_index: u32,
    key_frame: u8,
    pts: i64,
    pts_time: String,
    best_effort_timestamp: i64,
    best_effort_timestamp_time: String,
    width: u32,
    height: u32,
    pix_fmt: &'a str,
    sample_aspect_ratio: String,
    pict_type: char,
    frame_number: u64,
    tags: serde_json::Map<String, serde_json::Value>,
}

impl<'a> FfprobeRecord<'a> {
    /// The frame's entry; without figures where none were asked for.
    #[must_use]
    pub fn new(counted: &'a Counted) -> Self {
        let facts = &counted.facts;
        let time = format!("{:.6}", facts.time_base.times(facts.pts_ticks));
        let mut tags = serde_json::Map::new();
        if let Some(signal) = &counted.counts.signal {
            let named = |(name, value): (String, String)| (format!("lavfi.signalstats.{name}"), value.into());
            tags.extend(signal.tags().into_iter().map(named));
        }
        Self {
            media_type: "video",
            stream_index: 0,
            key_frame: u8::from(facts.key),
            pts: facts.pts_ticks,
            pts_time: time.clone(),
            best_effort_timestamp: facts.pts_ticks,
            best_effort_timestamp_time: time,
            width: facts.region.map_or(facts.size.0, |rect| rect.width),
            height: facts.region.map_or(facts.size.1, |rect| rect.height),
            pix_fmt: &facts.source.pixel_format,
            sample_aspect_ratio: format!("{}:{}", facts.sample_aspect.num, facts.sample_aspect.den),
            pict_type: facts.picture_type.unwrap_or('?'),
            frame_number: facts.number,
            tags,
        }
    }
}

/// What is read back of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct RecordNumber {
    /// The frame's number.
    #[serde(alias = "frame_number")]
    pub frame: u64,
}

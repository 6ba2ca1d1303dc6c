//! One frame's record: the same fields under the same names in JSON and in tables.

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use super::cells::{Cell, CellKind, Column, Field, always, perhaps};
use super::comparison::Against;
use super::comparison::columns::{ComparisonColumns, ComparisonFields};
use super::counter::ScopeUse;
use super::pipeline::{CountedFrame, Request};
use super::summary::{adjustments_text, display};
use crate::figures::SCHEMA;
use histoscope_core::adjust::Reduction;
use histoscope_core::histogram::{ChannelStats, Components};
use histoscope_core::picture;
use histoscope_core::picture::Timecode;
use histoscope_core::picture::color::Origin;
use histoscope_core::picture::layout::ColorModel;
use histoscope_core::scopes::Saturation;
use histoscope_core::text::rfc3339;
use histoscope_media::StreamInfo;

/// How the name of a column ends that has a channel's bins.
pub const BINS_SUFFIX: &str = "_bins";

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
    timecode: Option<Timecode>,
    duration_seconds: f64,
    /// Only of live input.
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_time: Option<String>,
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
    scan: &'static str,
    field: Option<&'static str>,
    chroma_lines: Option<&'static str>,
    chroma_lines_source: Option<String>,
    pixel_format: &'a str,
    region: Option<[u32; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    adjustments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thresholds: Option<&'a [u32]>,
    count: u64,
    /// Only where frames are compared with those of another file.
    #[serde(flatten)]
    comparison: Option<ComparisonFields<'a>>,
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
    /// The record of a frame as a run has it.
    fn new(recorder: &'a Recorder, counted: &'a CountedFrame) -> Self {
        let Recorder { input, adjustments, comparison, shape, .. } = recorder;
        let facts = &counted.facts;
        let color = &facts.reading.colorimetry;
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
            timecode: facts.timecode,
            duration_seconds: facts.duration_secs,
            wall_time: facts.arrival.map(rfc3339),
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
            scan: facts.scan.name(),
            field: facts.reading.field.map(picture::Field::name),
            chroma_lines: facts.reading.chroma_lines.map(|lines| lines.value.name()),
            chroma_lines_source: facts.reading.chroma_lines.map(|lines| lines.origin.to_string()),
            pixel_format: &facts.source.pixel_format,
            region: facts.region.map(|rect| [rect.x, rect.y, rect.width, rect.height]),
            adjustments: adjustments.as_deref(),
            thresholds: counted.counts.thresholds.as_deref(),
            count: facts.region.map_or(u64::from(facts.size.0) * u64::from(facts.size.1), |rect| rect.pixel_count()),
            comparison: comparison
                .as_ref()
                .zip(counted.comparison.as_ref())
                .map(|(columns, comparison)| ComparisonFields { columns, comparison }),
            channels: ChannelRecords(channels),
            vectorscope: shape.has_vectorscope.then_some(counted.counts.saturation),
        }
    }
}

type FrameColumn = Column<for<'r> fn(&'r FrameRecord<'_>) -> Cell<'r>>;
type ChannelColumn = Column<fn(&ChannelStats) -> Cell<'static>>;
type VectorscopeColumn = Column<fn(&Saturation) -> Cell<'static>>;

/// The columns before those of the channels, in their order. "adjustments" is there where the picture was adjusted, and
/// "thresholds" where it was parted at Otsu's.
const COLUMNS: [FrameColumn; 28] = [
    always("schema", CellKind::Integer32, |record| Cell::whole(record.schema)),
    always("input", CellKind::Text, |record| Cell::text(record.input)),
    always("frame", CellKind::Integer64, |record| Cell::count(record.frame)),
    always("pts_seconds", CellKind::Real, |record| Cell::Real(record.pts_seconds)),
    always("pts_ticks", CellKind::Integer64, |record| Cell::whole(record.pts_ticks)),
    always("time_seconds", CellKind::Real, |record| Cell::Real(record.time_seconds)),
    perhaps("timecode", CellKind::Text, |record| {
        Cell::maybe(record.timecode, |timecode| Cell::text(timecode.to_string()))
    }),
    always("duration_seconds", CellKind::Real, |record| Cell::Real(record.duration_seconds)),
    perhaps("wall_time", CellKind::Text, |record| Cell::maybe(record.wall_time.as_deref(), Cell::text)),
    always("key_frame", CellKind::Boolean, |record| Cell::Boolean(record.key_frame)),
    perhaps("picture_type", CellKind::Text, |record| {
        Cell::maybe(record.picture_type, |letter| Cell::text(String::from(letter)))
    }),
    always("damaged", CellKind::Boolean, |record| Cell::Boolean(record.damaged)),
    always("width", CellKind::Integer32, |record| Cell::whole(record.width)),
    always("height", CellKind::Integer32, |record| Cell::whole(record.height)),
    always("depth", CellKind::Integer32, |record| Cell::whole(record.depth)),
    always("matrix", CellKind::Text, |record| Cell::text(record.matrix)),
    always("matrix_source", CellKind::Text, |record| Cell::text(record.matrix_source.to_string())),
    always("range", CellKind::Text, |record| Cell::text(record.range)),
    always("range_source", CellKind::Text, |record| Cell::text(record.range_source.to_string())),
    always("scan", CellKind::Text, |record| Cell::text(record.scan)),
    perhaps("field", CellKind::Text, |record| Cell::maybe(record.field, Cell::text)),
    perhaps("chroma_lines", CellKind::Text, |record| Cell::maybe(record.chroma_lines, Cell::text)),
    perhaps("chroma_lines_source", CellKind::Text, |record| {
        Cell::maybe(record.chroma_lines_source.as_deref(), Cell::text)
    }),
    always("pixel_format", CellKind::Text, |record| Cell::text(record.pixel_format)),
    perhaps("region", CellKind::Numbers, |record| Cell::maybe(record.region.as_ref(), |region| Cell::Numbers(region))),
    perhaps("adjustments", CellKind::Text, |record| Cell::maybe(record.adjustments, Cell::text)),
    always("thresholds", CellKind::Numbers, |record| Cell::Numbers(record.thresholds.unwrap_or_default())),
    always("count", CellKind::Integer64, |record| Cell::count(record.count)),
];

/// The columns of a channel, each named after the channel's name and an underscore.
const CHANNEL_COLUMNS: [ChannelColumn; 19] = [
    always("min", CellKind::Integer32, |stats| Cell::whole(stats.min)),
    always("max", CellKind::Integer32, |stats| Cell::whole(stats.max)),
    always("mean", CellKind::Real, |stats| Cell::Real(stats.mean)),
    always("std_dev", CellKind::Real, |stats| Cell::Real(stats.std_dev)),
    always("median", CellKind::Integer32, |stats| Cell::whole(stats.median)),
    always("p1", CellKind::Integer32, |stats| Cell::whole(stats.p1)),
    always("p5", CellKind::Integer32, |stats| Cell::whole(stats.p5)),
    always("p10", CellKind::Integer32, |stats| Cell::whole(stats.p10)),
    always("p25", CellKind::Integer32, |stats| Cell::whole(stats.p25)),
    always("p75", CellKind::Integer32, |stats| Cell::whole(stats.p75)),
    always("p90", CellKind::Integer32, |stats| Cell::whole(stats.p90)),
    always("p95", CellKind::Integer32, |stats| Cell::whole(stats.p95)),
    always("p99", CellKind::Integer32, |stats| Cell::whole(stats.p99)),
    always("share_lowest", CellKind::Real, |stats| Cell::Real(stats.share_lowest)),
    always("share_highest", CellKind::Real, |stats| Cell::Real(stats.share_highest)),
    perhaps("below_range", CellKind::Integer64, |stats| Cell::maybe(stats.below_range, Cell::count)),
    perhaps("above_range", CellKind::Integer64, |stats| Cell::maybe(stats.above_range, Cell::count)),
    always("share_out_of_range", CellKind::Real, |stats| Cell::Real(stats.share_out_of_range)),
    always("count", CellKind::Integer64, |stats| Cell::count(stats.count)),
];

/// The columns of the vectorscope, behind those of the channels; all are empty for a picture without colour.
const VECTORSCOPE_COLUMNS: [VectorscopeColumn; 5] = [
    perhaps("vectorscope_samples", CellKind::Integer64, |figures| Cell::count(figures.samples)),
    perhaps("vectorscope_saturation_mean", CellKind::Real, |figures| Cell::Real(figures.saturation_mean)),
    perhaps("vectorscope_saturation_max", CellKind::Real, |figures| Cell::Real(figures.saturation_max)),
    perhaps("vectorscope_outside_targets", CellKind::Integer64, |figures| {
        Cell::maybe(figures.outside_targets, Cell::count)
    }),
    perhaps("vectorscope_share_outside_targets", CellKind::Real, |figures| {
        Cell::maybe(figures.share_outside_targets, Cell::Real)
    }),
];

/// Which fields records have, as columns of a table or as the same in JSON.
#[derive(Clone, Copy)]
struct TableShape {
    /// Whether it is told when each frame came in.
    is_live: bool,
    /// Whether the adjustments are told.
    has_adjustments: bool,
    /// Whether thresholds are.
    has_thresholds: bool,
    /// Whether all bins are.
    has_bins: bool,
    /// Whether figures of the vectorscope are.
    has_vectorscope: bool,
}

impl TableShape {
    /// The columns before those of the channels.
    fn columns(self) -> impl Iterator<Item = &'static FrameColumn> {
        COLUMNS.iter().filter(move |column| match column.name {
            "wall_time" => self.is_live,
            "adjustments" => self.has_adjustments,
            "thresholds" => self.has_thresholds,
            _ => true,
        })
    }

    /// All columns of a table of these channels, and of a comparison where there is one.
    fn fields<'a>(
        self,
        comparison: Option<&ComparisonColumns>,
        channels: impl IntoIterator<Item = &'a str>,
    ) -> Vec<Field> {
        let mut fields: Vec<Field> = self.columns().map(|column| Field::of("", column)).collect();
        fields.extend(comparison.into_iter().flat_map(ComparisonColumns::fields));
        for channel in channels {
            fields.extend(CHANNEL_COLUMNS.iter().map(|column| Field::of(&format!("{channel}_"), column)));
            let bins =
                || Field { name: format!("{channel}{BINS_SUFFIX}"), kind: CellKind::Numbers, may_be_empty: false };
            fields.extend(self.has_bins.then(bins));
        }
        if self.has_vectorscope {
            fields.extend(VECTORSCOPE_COLUMNS.iter().map(|column| Field::of("", column)));
        }
        fields
    }

    /// Hands a record's cells out, in the order of the columns.
    fn cells(self, record: &FrameRecord<'_>, take: &mut dyn FnMut(Cell<'_>)) {
        self.columns().for_each(|column| take((column.cell)(record)));
        if let Some(ComparisonFields { columns, comparison }) = record.comparison {
            columns.cells(comparison, take);
        }
        for (_, stats, bins) in &record.channels.0 {
            CHANNEL_COLUMNS.iter().for_each(|column| take((column.cell)(stats)));
            bins.iter().for_each(|bins| take(Cell::Numbers(bins)));
        }
        for column in VECTORSCOPE_COLUMNS.iter().filter(|_| self.has_vectorscope) {
            take(Cell::maybe(record.vectorscope.flatten(), |figures| (column.cell)(&figures)));
        }
    }
}

/// What the records of a run have in common.
pub struct Recorder {
    input: String,
    adjustments: Option<String>,
    components: &'static [Components],
    comparison: Option<ComparisonColumns>,
    shape: TableShape,
}

impl Recorder {
    /// The records of a run on that video; with `bins`, every bin too.
    #[must_use]
    pub fn new(request: &Request, info: &StreamInfo, bins: bool) -> Self {
        let adjustments = &request.adjustments;
        let shape = TableShape {
            is_live: info.live,
            has_adjustments: !adjustments.is_off(),
            has_thresholds: matches!(adjustments.reduction, Some(Reduction::Otsu(_))),
            has_bins: bins,
            has_vectorscope: request.counting.scopes == ScopeUse::Saturation,
        };
        let components: &[_] = match (request.counting.rgbl, request.counting.coded) {
            (true, true) => &[Components::Rgbl, Components::YCbCr],
            (false, true) => &[Components::YCbCr],
            _ => &[Components::Rgbl],
        };
        // What cannot be read as a picture gives no record.
        let model = info.layout.map_or(ColorModel::YCbCr, |layout| layout.model);
        let columns = |against: &Against| ComparisonColumns::new(display(&against.input), model, components);
        Self {
            input: display(&request.input),
            adjustments: adjustments_text(adjustments),
            components,
            comparison: request.against.as_ref().map(columns),
            shape,
        }
    }

    /// The record of a frame.
    #[must_use]
    pub fn record<'a>(&'a self, counted: &'a CountedFrame) -> FrameRecord<'a> {
        FrameRecord::new(self, counted)
    }

    /// The columns of a table of these records.
    #[must_use]
    pub fn fields(&self) -> Vec<Field> {
        let channels = self.components.iter().flat_map(|components| components.channel_names());
        self.shape.fields(self.comparison.as_ref(), channels.copied())
    }

    /// Hands the cells of a frame's row out, in the order of the columns.
    pub fn cells(&self, counted: &CountedFrame, take: &mut dyn FnMut(Cell<'_>)) {
        self.shape.cells(&self.record(counted), take);
    }
}

/// What is read back of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct RecordNumber {
    /// The frame's number.
    #[serde(alias = "frame_number")]
    pub frame: u64,
}

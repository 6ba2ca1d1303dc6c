//! The fields of records. Each is one row of a table here, from which JSON, CSV, Parquet and the tables of the manual
//! are made.
//!
//! `snapshot --json` describes its frame with the same rows. The fields of a comparison are in
//! [`analyze::comparison`](crate::analyze::comparison).

use std::borrow::Cow;

use histoscope_core::histogram::ChannelStats;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{self, Frame, FrameFacts, FrameReading};
use histoscope_core::scopes::Saturation;
use histoscope_core::text::rfc3339;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Version of the records' shape, in JSON and in tables.
pub const SCHEMA: u32 = 1;

/// The type of a field. Integers are signed, so that differences of columns come out right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// True or false.
    Boolean,
    /// Integers that fit 32 bits: codes, sizes.
    Integer32,
    /// Integers of 64 bits: frame numbers, counts of samples.
    Integer64,
    /// 64-bit floating point.
    Real,
    /// Text.
    Text,
    /// A list of unsigned 32-bit integers.
    Numbers,
}

impl CellKind {
    /// The name that the manual uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer32 => "32-bit integer",
            Self::Integer64 => "64-bit integer",
            Self::Real => "float",
            Self::Text => "string",
            Self::Numbers => "list",
        }
    }
}

/// The value of a field in one record.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// No value: null in JSON and Parquet, empty in CSV.
    Empty,
    /// Of [`CellKind::Boolean`].
    Boolean(bool),
    /// Of either kind of integer.
    Integer(i64),
    /// Of [`CellKind::Real`].
    Real(f64),
    /// Of [`CellKind::Text`].
    Text(Cow<'a, str>),
    /// Of [`CellKind::Numbers`].
    Numbers(Cow<'a, [u32]>),
}

impl<'a> Cell<'a> {
    /// An integer.
    pub fn whole(number: impl Into<i64>) -> Self {
        Self::Integer(number.into())
    }

    /// A number of frames or samples, of which there are never 2^63.
    #[must_use]
    pub const fn count(count: u64) -> Self {
        Self::Integer(count.cast_signed())
    }

    /// A list.
    pub fn numbers(numbers: impl Into<Cow<'a, [u32]>>) -> Self {
        Self::Numbers(numbers.into())
    }

    /// Text.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// The cell of a value, or an empty one.
    pub fn maybe<T>(value: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Empty, cell)
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Empty => serializer.serialize_none(),
            Self::Boolean(value) => value.serialize(serializer),
            Self::Integer(value) => value.serialize(serializer),
            Self::Real(value) => value.serialize(serializer),
            Self::Text(value) => value.serialize(serializer),
            Self::Numbers(numbers) => numbers.serialize(serializer),
        }
    }
}

/// Says whether a field may lack a value, and what JSON has then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nullability {
    /// There always is a value.
    Never,
    /// JSON has null.
    Null,
    /// JSON leaves the field out.
    Absent,
}

/// The records that have a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// All records, and the figures of `snapshot --json`.
    Everywhere,
    /// All records.
    Records,
    /// All records in JSON; tables do without.
    Json,
    /// Records of live sources.
    Live,
    /// Records of adjusted pictures.
    Adjusted,
    /// Records of pictures that were divided by Otsu's thresholds.
    Thresholds,
    /// Records with bins.
    Bins,
}

/// A field of the records: a row of the tables below. `F` computes its value.
#[derive(Debug, Clone, Copy)]
pub struct Field<F> {
    /// Name in JSON; columns of channels and of the vectorscope have a prefix.
    pub name: &'static str,
    /// Type of the value.
    pub kind: CellKind,
    /// Says whether there may be no value.
    pub nullability: Nullability,
    /// The records that have the field.
    pub presence: Presence,
    /// Meaning, as the manual states it.
    pub meaning: &'static str,
    /// Returns the value.
    pub value: F,
}

/// A field that always has a value.
pub const fn always<F: Copy>(name: &'static str, kind: CellKind, meaning: &'static str, value: F) -> Field<F> {
    Field { name, kind, nullability: Nullability::Never, presence: Presence::Everywhere, meaning, value }
}

/// A field that may be null.
pub const fn nullable<F: Copy>(name: &'static str, kind: CellKind, meaning: &'static str, value: F) -> Field<F> {
    Field { nullability: Nullability::Null, ..always(name, kind, meaning, value) }
}

/// A field that JSON leaves out where there is no value.
const fn optional<F: Copy>(name: &'static str, kind: CellKind, meaning: &'static str, value: F) -> Field<F> {
    Field { nullability: Nullability::Absent, ..always(name, kind, meaning, value) }
}

/// The field, in those records.
const fn only<F: Copy>(presence: Presence, field: Field<F>) -> Field<F> {
    Field { presence, ..field }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its whole name.
    pub name: String,
    /// Type of its cells.
    pub kind: CellKind,
    /// True if cells may be empty.
    pub may_be_empty: bool,
}

impl<F> Field<F> {
    /// The column of that name with this field's values.
    #[must_use]
    pub fn column(&self, name: String) -> Column {
        Column { name, kind: self.kind, may_be_empty: self.nullability != Nullability::Never }
    }
}

/// Writes fields as entries of a JSON object; `value` calls the function of each.
///
/// # Errors
/// As for the serializer.
pub fn serialize_fields<'f, 'r, F: 'f, M: SerializeMap>(
    map: &mut M,
    fields: impl Iterator<Item = &'f Field<F>>,
    value: impl Fn(&F) -> Cell<'r>,
) -> Result<(), M::Error> {
    for field in fields {
        let cell = value(&field.value);
        if field.nullability != Nullability::Absent || cell != Cell::Empty {
            map.serialize_entry(field.name, &cell)?;
        }
    }
    Ok(())
}

/// A frame as records and figures describe it.
#[derive(Debug, Clone)]
pub struct FrameDescription {
    /// The facts of the frame.
    pub facts: FrameFacts,
    /// Width and height of the whole picture in pixels.
    pub size: (u32, u32),
    /// Bits a sample.
    pub depth: u8,
    /// The reading of the samples as colour.
    pub reading: FrameReading,
    /// The part that was counted, unless it is the whole picture.
    pub region: Option<Rect>,
}

impl FrameDescription {
    /// Describes a frame of which that region was counted alone, or all of it.
    #[must_use]
    pub fn of(frame: &Frame, region: Option<Rect>) -> Self {
        let picture = &frame.picture;
        Self {
            facts: frame.facts.clone(),
            size: (picture.width(), picture.height()),
            depth: picture.layout().depth,
            reading: frame.reading(),
            region,
        }
    }

    /// Returns the seconds from the first frame of the video to the end of this one.
    #[must_use]
    pub fn end_secs(&self) -> f64 {
        self.facts.time_secs + self.facts.duration_secs
    }

    /// Returns the number of pixels that were counted.
    #[must_use]
    pub fn pixel_count(&self) -> u64 {
        self.region.map_or(u64::from(self.size.0) * u64::from(self.size.1), |rect| rect.pixel_count())
    }
}

/// The data from which the fields of a frame are computed.
#[derive(Debug, Clone, Copy)]
pub struct FrameRow<'a> {
    /// The file as it was named.
    pub input: &'a str,
    /// The frame's number in the file, if known.
    pub number: Option<u64>,
    /// The frame.
    pub frame: &'a FrameDescription,
    /// The adjustments of its picture, in words.
    pub adjustments: Option<&'a str>,
    /// Luminance codes at which Otsu's second class and those after it begin.
    pub thresholds: &'a [u32],
}

use CellKind::{Boolean, Integer32, Integer64, Numbers, Real, Text};
use Presence::{Adjusted, Bins, Json, Live, Records, Thresholds};

/// Returns the cell of a frame's field.
pub type FrameCell = for<'r, 'a> fn(&'r FrameRow<'a>) -> Cell<'r>;
/// Returns the cell of a channel's field.
pub type ChannelCell = for<'r, 'a> fn(&'r ChannelRow<'a>) -> Cell<'r>;
/// Returns the cell of a field of the vectorscope.
pub type VectorscopeCell = for<'r> fn(&'r Saturation) -> Cell<'r>;

/// The fields of a frame, in their order. A comparison, the channels and the vectorscope follow.
pub const FRAME_FIELDS: [Field<FrameCell>; 29] = [
    always("schema", Integer32, "1, the version of this table", |_| Cell::whole(SCHEMA)),
    only(Json, always("type", Text, "`\"frame\"`; only in JSON", |_| Cell::text("frame"))),
    always("input", Text, "the file as it was named", |row| Cell::text(row.input)),
    // It is only missing in figures of a single frame.
    always("frame", Integer64, "number of the frame in the file, from 0, in presentation order", |row| {
        Cell::maybe(row.number, Cell::count)
    }),
    always("pts_seconds", Real, "presentation time as the file states it, in seconds", |row| {
        Cell::Real(row.frame.facts.time_base.times(row.frame.facts.pts_ticks))
    }),
    always("pts_ticks", Integer64, "the same in ticks of the file's time base", |row| {
        Cell::whole(row.frame.facts.pts_ticks)
    }),
    always("time_seconds", Real, "time from the first frame", |row| Cell::Real(row.frame.facts.time_secs)),
    nullable(
        "timecode",
        Text,
        "the frame's [timecode](timecode.md), `10:00:00:00`, or `10:00:00;00` in drop-frame; null if it has none",
        |row| Cell::maybe(row.frame.facts.timecode, |timecode| Cell::text(timecode.to_string())),
    ),
    only(
        Records,
        always(
            "duration_seconds",
            Real,
            "duration as the file states it, which with a variable rate need not reach to the next frame; without a statement, \
         the time to the next frame",
            |row| Cell::Real(row.frame.facts.duration_secs),
        ),
    ),
    only(
        Live,
        nullable(
            "wall_time",
            Text,
            "only of [live sources](live.md#analyze): when the frame's data arrived by this machine's clock, as RFC 3339 in UTC: \
             `2026-03-01T12:00:00.250Z`",
            |row| Cell::maybe(row.frame.facts.arrival, |arrival| Cell::text(rfc3339(arrival))),
        ),
    ),
    only(
        Records,
        always("key_frame", Boolean, "whether decoding can start here", |row| Cell::Boolean(row.frame.facts.key)),
    ),
    only(
        Records,
        nullable("picture_type", Text, "I, P, B, …; null if the codec has none", |row| {
            Cell::maybe(row.frame.facts.picture_type, |letter| Cell::text(String::from(letter)))
        }),
    ),
    always("damaged", Boolean, "whether FFmpeg reports the frame as corrupt or decoded with errors", |row| {
        Cell::Boolean(row.frame.facts.damaged)
    }),
    always("width", Integer32, "width of the whole coded picture in pixels", |row| Cell::whole(row.frame.size.0)),
    always("height", Integer32, "its height", |row| Cell::whole(row.frame.size.1)),
    always("depth", Integer32, "bits a sample", |row| Cell::whole(row.frame.depth)),
    always("matrix", Text, "the matrix by which the samples were read", |row| {
        Cell::text(row.frame.reading.colorimetry.matrix.value.name())
    }),
    always("matrix_source", Text, "`tagged`, `guessed` or `overridden`", |row| {
        Cell::text(row.frame.reading.colorimetry.matrix.origin.to_string())
    }),
    always("range", Text, "the range by which the samples were read, `limited` or `full`", |row| {
        Cell::text(row.frame.reading.colorimetry.range.value.name())
    }),
    always("range_source", Text, "`tagged`, `guessed` or `overridden`", |row| {
        Cell::text(row.frame.reading.colorimetry.range.origin.to_string())
    }),
    always(
        "scan",
        Text,
        "`progressive`, `top_first` or `bottom_first`, as the frame is flagged; `top_field` or `bottom_field` where each \
             picture is a single field, as HEVC allows",
        |row| Cell::text(row.frame.facts.scan.name()),
    ),
    nullable(
        "field",
        Text,
        "`top` or `bottom`, the [field](accuracy.md#from-a-sample-to-a-bin) that was counted alone; null for the whole frame",
        |row| Cell::maybe(row.frame.reading.field, |field| Cell::text(picture::Field::name(field))),
    ),
    nullable(
        "chroma_lines",
        Text,
        "`frame` or `field`: the lines that share a chroma row of 4:2:0; null where no lines do",
        |row| Cell::maybe(row.frame.reading.chroma_lines, |lines| Cell::text(lines.value.name())),
    ),
    nullable("chroma_lines_source", Text, "`tagged`, `guessed` or `overridden`; null like `chroma_lines`", |row| {
        Cell::maybe(row.frame.reading.chroma_lines, |lines| Cell::text(lines.origin.to_string()))
    }),
    only(
        Records,
        always("pixel_format", Text, "the decoder's pixel format, by FFmpeg's name", |row| {
            Cell::text(&*row.frame.facts.source.pixel_format)
        }),
    ),
    only(
        Records,
        nullable("region", Numbers, "x, y, width and height of the part that was counted; null for all", |row| {
            Cell::maybe(row.frame.region, |Rect { x, y, width, height }| Cell::numbers(vec![x, y, width, height]))
        }),
    ),
    only(
        Adjusted,
        nullable(
            "adjustments",
            Text,
            "only if the picture was adjusted: how, in words, such as `low-pass 5×5, 3 classes`",
            |row| Cell::maybe(row.adjustments, Cell::text),
        ),
    ),
    only(
        Thresholds,
        always(
            "thresholds",
            Numbers,
            "only with `--otsu`: the luminance codes at which the second class and those after it begin",
            |row| Cell::numbers(row.thresholds),
        ),
    ),
    only(Records, always("count", Integer64, "pixels counted", |row| Cell::count(row.frame.pixel_count()))),
];

/// The data from which the fields of a channel are computed.
#[derive(Debug, Clone, Copy)]
pub struct ChannelRow<'a> {
    /// Figures of the channel.
    pub stats: ChannelStats,
    /// Its bins, if they are wanted.
    pub bins: Option<&'a [u32]>,
}

/// The fields of a channel, in the order of the tables; columns have the channel's name and an underscore in front.
pub const CHANNEL_FIELDS: [Field<ChannelCell>; 20] = [
    always("min", Integer32, "lowest code that occurs", |row| Cell::whole(row.stats.min)),
    always("max", Integer32, "highest code that occurs", |row| Cell::whole(row.stats.max)),
    always("mean", Real, "mean of the codes", |row| Cell::Real(row.stats.mean)),
    always("std_dev", Real, "their standard deviation, of the whole population", |row| Cell::Real(row.stats.std_dev)),
    always("median", Integer32, "the smallest code that at least half of the samples do not exceed", |row| {
        Cell::whole(row.stats.median)
    }),
    always(
        "p1",
        Integer32,
        "1st percentile: the smallest code that at least 1 % of the samples do not exceed",
        |row| Cell::whole(row.stats.p1),
    ),
    always("p5", Integer32, "5th percentile", |row| Cell::whole(row.stats.p5)),
    always("p10", Integer32, "10th percentile", |row| Cell::whole(row.stats.p10)),
    always("p25", Integer32, "25th percentile", |row| Cell::whole(row.stats.p25)),
    always("p75", Integer32, "75th percentile", |row| Cell::whole(row.stats.p75)),
    always("p90", Integer32, "90th percentile", |row| Cell::whole(row.stats.p90)),
    always("p95", Integer32, "95th percentile", |row| Cell::whole(row.stats.p95)),
    always("p99", Integer32, "99th percentile", |row| Cell::whole(row.stats.p99)),
    always("share_lowest", Real, "share of samples at code 0", |row| Cell::Real(row.stats.share_lowest)),
    always("share_highest", Real, "share of samples at code 2^n − 1", |row| Cell::Real(row.stats.share_highest)),
    optional(
        "below_range",
        Integer64,
        "samples below the range before they were clamped to it; of coded components in limited range, samples below 16, \
         scaled to the depth; absent for luminance",
        |row| Cell::maybe(row.stats.below_range, Cell::count),
    ),
    optional(
        "above_range",
        Integer64,
        "samples above the range; of coded components in limited range, samples above 235 (luma) or 240 (chroma); absent for \
         luminance",
        |row| Cell::maybe(row.stats.above_range, Cell::count),
    ),
    always(
        "share_out_of_range",
        Real,
        "share of samples below or above the range; 0 for luminance, which is computed after the clamp",
        |row| Cell::Real(row.stats.share_out_of_range),
    ),
    always("count", Integer64, "samples counted; chroma has its own number", |row| Cell::count(row.stats.count)),
    only(
        Bins,
        always("bins", Numbers, "only with `--bins`: the 2^n bins", |row| Cell::numbers(row.bins.unwrap_or_default())),
    ),
];

impl Serialize for ChannelRow<'_> {
    /// Writes the channel's object. Tables have `count` behind the shares, and JSON has it first.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let fields = || CHANNEL_FIELDS.iter().filter(|field| field.presence != Bins || self.bins.is_some());
        serialize_fields(&mut map, fields().filter(|field| field.name == "count"), |value| value(self))?;
        serialize_fields(&mut map, fields().filter(|field| field.name != "count"), |value| value(self))?;
        map.end()
    }
}

/// The prefix of the vectorscope's columns.
pub const VECTORSCOPE_PREFIX: &str = "vectorscope_";

/// The fields of the vectorscope; columns have [`VECTORSCOPE_PREFIX`] in front. All are null for a picture without colour.
pub const VECTORSCOPE_FIELDS: [Field<VectorscopeCell>; 5] = [
    nullable("samples", Integer64, "samples counted", |figures| Cell::count(figures.samples)),
    nullable(
        "saturation_mean",
        Real,
        "mean saturation. The saturation of a sample is the distance of its Cb and Cr from the middle code, \
         √((Cb − 2^(n−1))² + (Cr − 2^(n−1))²), in codes, rounded to 1/256 of a code",
        |figures| Cell::Real(figures.saturation_mean),
    ),
    nullable("saturation_max", Real, "largest saturation", |figures| Cell::Real(figures.saturation_max)),
    nullable(
        "outside_targets",
        Integer64,
        "samples outside the hexagon of the 100 % targets, which holds everything that red, green and blue from 0 to 100 % can \
         make with the matrix and range in use; a sample is outside if none of the values that round to its codes is inside. \
         Null for YCgCo, which has no such targets",
        |figures| Cell::maybe(figures.outside_targets, Cell::count),
    ),
    nullable("share_outside_targets", Real, "their share of all samples", |figures| {
        Cell::maybe(figures.share_outside_targets, Cell::Real)
    }),
];

/// The vectorscope's object.
pub struct VectorscopeRow(pub Saturation);

impl Serialize for VectorscopeRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serialize_fields(&mut map, VECTORSCOPE_FIELDS.iter(), |value| value(&self.0))?;
        map.end()
    }
}

/// Returns the rows of the manual's table of these fields, one per line; `name` formats a field's name.
#[cfg(test)]
pub fn manual_rows<F>(fields: &[Field<F>], name: impl Fn(&Field<F>) -> String) -> String {
    let row = |field: &Field<F>| format!("| {} | {} | {} |\n", name(field), field.kind.name(), field.meaning);
    fields.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_has_every_field() {
        let manual = include_str!("../../../docs/analyze.md");
        let quoted = |name: &str| format!("`{name}`");
        for rows in [
            manual_rows(&FRAME_FIELDS, |field| quoted(field.name)),
            manual_rows(&CHANNEL_FIELDS, |field| quoted(field.name)),
            manual_rows(&VECTORSCOPE_FIELDS, |field| quoted(field.name)),
        ] {
            assert!(manual.contains(&rows), "docs/analyze.md lacks this table:\n{rows}");
        }
    }
}

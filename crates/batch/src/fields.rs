//! The fields of records. Each is a row in a table here. JSON, CSV, Parquet and the tables in the manual are generated
//! from these rows.
//!
//! `snapshot --json` describes its frame with the same rows. For the fields of a comparison, see
//! [`analyze::comparison`](crate::analyze::comparison).

use std::borrow::Cow;

use histoscope_core::histogram::{ChannelStats, LightFigures};
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{self, Frame, FrameFacts, Interpretation};
use histoscope_core::scopes::Saturation;
use histoscope_core::sound::{SoundFigures, decibels};
use histoscope_core::text::rfc3339;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Version of the record schema, in JSON and in tables.
pub const SCHEMA: u32 = 1;

/// The type of a field. Integers are signed so that differences between columns can be negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// `true` or `false`.
    Boolean,
    /// 32-bit integers: codes, sizes.
    Integer32,
    /// 64-bit integers: frame numbers, sample counts.
    Integer64,
    /// 64-bit floating point.
    Real,
    /// Text.
    Text,
    /// A list of unsigned 32-bit integers.
    Numbers,
}

impl CellKind {
    /// Returns the name used in the manual.
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
    /// No value: null in JSON and Parquet, an empty cell in CSV.
    Empty,
    /// A [`CellKind::Boolean`].
    Boolean(bool),
    /// A [`CellKind::Integer32`] or [`CellKind::Integer64`].
    Integer(i64),
    /// A [`CellKind::Real`].
    Real(f64),
    /// A [`CellKind::Text`].
    Text(Cow<'a, str>),
    /// A [`CellKind::Numbers`].
    Numbers(Cow<'a, [u32]>),
}

impl<'a> Cell<'a> {
    /// Creates an integer cell.
    pub fn whole(number: impl Into<i64>) -> Self {
        Self::Integer(number.into())
    }

    /// Creates a cell for a number of frames or samples, which never reaches 2^63.
    #[must_use]
    pub const fn count(count: u64) -> Self {
        Self::Integer(count.cast_signed())
    }

    /// Creates a list cell.
    pub fn numbers(numbers: impl Into<Cow<'a, [u32]>>) -> Self {
        Self::Numbers(numbers.into())
    }

    /// Creates a text cell.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// Returns `cell` of the value, or an empty cell for `None`.
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

/// The rule for missing values of a field, and their form in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nullability {
    /// The field always has a value.
    Never,
    /// JSON contains null.
    Null,
    /// JSON omits the field.
    Absent,
}

/// The records that contain a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// All records, and the figures printed by `snapshot --json`.
    Everywhere,
    /// All records.
    Records,
    /// All records in JSON, but no table.
    Json,
    /// Records of live sources.
    Live,
    /// Records of adjusted pictures.
    Adjusted,
    /// Records of pictures divided into classes by Otsu's method.
    Thresholds,
    /// Records with bins.
    Bins,
    /// Records of videos whose weights of luminance were chosen, and the figures of such a frame.
    Weights,
}

/// A field of the records: one row of the tables below. `F` is the type of the function that computes its value.
#[derive(Debug, Clone, Copy)]
pub struct Field<F> {
    /// Name in JSON. In tables, fields of channels and of the vectorscope get a prefix.
    pub name: &'static str,
    /// Type of the value.
    pub kind: CellKind,
    /// The rule for missing values.
    pub nullability: Nullability,
    /// The records that contain the field.
    pub presence: Presence,
    /// Meaning, as stated in the manual.
    pub meaning: &'static str,
    /// Function that computes the value.
    pub value: F,
}

/// Creates a field that always has a value.
pub const fn always<F: Copy>(name: &'static str, kind: CellKind, meaning: &'static str, value: F) -> Field<F> {
    Field { name, kind, nullability: Nullability::Never, presence: Presence::Everywhere, meaning, value }
}

/// Creates a field that may be null.
pub const fn nullable<F: Copy>(name: &'static str, kind: CellKind, meaning: &'static str, value: F) -> Field<F> {
    Field { nullability: Nullability::Null, ..always(name, kind, meaning, value) }
}

/// Creates a field that JSON omits if it has no value.
const fn optional<F: Copy>(name: &'static str, kind: CellKind, meaning: &'static str, value: F) -> Field<F> {
    Field { nullability: Nullability::Absent, ..always(name, kind, meaning, value) }
}

/// Restricts a field to records of one kind.
const fn only<F: Copy>(presence: Presence, field: Field<F>) -> Field<F> {
    Field { presence, ..field }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Full name, including any prefix.
    pub name: String,
    /// Type of its cells.
    pub kind: CellKind,
    /// `true` if cells may be empty.
    pub may_be_empty: bool,
}

impl<F> Field<F> {
    /// Returns the column for this field's values, with the given name.
    #[must_use]
    pub fn column(&self, name: String) -> Column {
        Column { name, kind: self.kind, may_be_empty: self.nullability != Nullability::Never }
    }
}

/// Writes fields as entries of a JSON object. `value` calls a field's function.
///
/// # Errors
/// Any error from the serializer.
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

/// A frame's properties, as described in records and figures.
#[derive(Debug, Clone)]
pub struct FrameDescription {
    /// Facts about the frame from the decoder and the file.
    pub facts: FrameFacts,
    /// Width and height of the whole picture in pixels.
    pub size: (u32, u32),
    /// Bits per sample.
    pub depth: u8,
    /// The interpretation of the samples as colour.
    pub interpretation: Interpretation,
    /// The region that was counted, if not the whole picture.
    pub region: Option<Rect>,
}

impl FrameDescription {
    /// Describes a frame that was counted in `region`, or completely if that is `None`.
    #[must_use]
    pub fn of(frame: &Frame, region: Option<Rect>) -> Self {
        let picture = &frame.picture;
        Self {
            facts: frame.facts.clone(),
            size: (picture.width(), picture.height()),
            depth: picture.layout().depth,
            interpretation: frame.interpretation(),
            region,
        }
    }

    /// Returns the end of this frame, in seconds from the first frame of the video.
    #[must_use]
    pub fn end_secs(&self) -> f64 {
        self.facts.time_secs + self.facts.duration_secs
    }

    /// Returns the number of counted pixels.
    #[must_use]
    pub fn pixel_count(&self) -> u64 {
        self.region.map_or(u64::from(self.size.0) * u64::from(self.size.1), |rect| rect.pixel_count())
    }
}

/// The inputs for computing a frame's fields.
#[derive(Debug, Clone, Copy)]
pub struct FrameRow<'a> {
    /// The file as named by the user.
    pub input: &'a str,
    /// The frame's number in the file, if known.
    pub number: Option<u64>,
    /// The frame.
    pub frame: &'a FrameDescription,
    /// A description of the adjustments of its picture.
    pub adjustments: Option<&'a str>,
    /// Luminance codes at which Otsu's classes begin, except the darkest class.
    pub thresholds: &'a [u32],
}

use CellKind::{Boolean, Integer32, Integer64, Numbers, Real, Text};
use Presence::{Adjusted, Bins, Json, Live, Records, Thresholds, Weights};

/// A function that computes the cell of a frame's field.
pub type FrameCell = for<'r, 'a> fn(&'r FrameRow<'a>) -> Cell<'r>;
/// A function that computes the cell of a channel's field.
pub type ChannelCell = for<'r, 'a> fn(&'r ChannelRow<'a>) -> Cell<'r>;
/// A function that computes the cell of a vectorscope field.
pub type VectorscopeCell = for<'r> fn(&'r Saturation) -> Cell<'r>;

/// The fields of a frame, in order. Those of a comparison, the channels and the vectorscope follow in a record.
pub const FRAME_FIELDS: [Field<FrameCell>; 30] = [
    always("schema", Integer32, "1, the version of this table", |_| Cell::whole(SCHEMA)),
    only(Json, always("type", Text, "`\"frame\"`; only in JSON", |_| Cell::text("frame"))),
    always("input", Text, "the name of the file as given", |row| Cell::text(row.input)),
    // The number is missing only from the figures of a single frame.
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
            "the duration that the file states, which at a variable rate may end before the next frame; if it states none, \
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
    always("depth", Integer32, "bits per sample", |row| Cell::whole(row.frame.depth)),
    always("matrix", Text, "the matrix used to interpret the samples", |row| {
        Cell::text(row.frame.interpretation.colorimetry.matrix.value.name())
    }),
    always("matrix_source", Text, "`tagged`, `guessed` or `overridden`", |row| {
        Cell::text(row.frame.interpretation.colorimetry.matrix.origin.to_string())
    }),
    always("range", Text, "the range used to interpret the samples, `limited` or `full`", |row| {
        Cell::text(row.frame.interpretation.colorimetry.range.value.name())
    }),
    always("range_source", Text, "`tagged`, `guessed` or `overridden`", |row| {
        Cell::text(row.frame.interpretation.colorimetry.range.origin.to_string())
    }),
    only(
        Weights,
        always(
            "luminance_weights",
            Text,
            "only with `--luminance-weights bt2020` or `auto`: the standard of the weights, `bt709` or `bt2020`",
            |row| Cell::text(row.frame.interpretation.colorimetry.luminance.name()),
        ),
    ),
    always(
        "scan",
        Text,
        "`progressive`, `top_first` or `bottom_first`, as the frame is flagged; `top_field` or `bottom_field` if each \
             picture is a single field, as HEVC allows",
        |row| Cell::text(row.frame.facts.scan.name()),
    ),
    nullable(
        "field",
        Text,
        "`top` or `bottom`, the only [field](accuracy.md#from-a-sample-to-a-bin) counted; null for the whole frame",
        |row| Cell::maybe(row.frame.interpretation.field, |field| Cell::text(picture::Field::name(field))),
    ),
    nullable(
        "chroma_lines",
        Text,
        "`frame` or `field`: whether a 4:2:0 chroma row is shared by neighbouring lines of the frame or of one field; null if \
         chroma rows are not shared",
        |row| Cell::maybe(row.frame.interpretation.chroma_lines, |lines| Cell::text(lines.value.name())),
    ),
    nullable("chroma_lines_source", Text, "`tagged`, `guessed` or `overridden`; null like `chroma_lines`", |row| {
        Cell::maybe(row.frame.interpretation.chroma_lines, |lines| Cell::text(lines.origin.to_string()))
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

/// The inputs for computing a channel's fields.
#[derive(Debug, Clone, Copy)]
pub struct ChannelRow<'a> {
    /// Figures of the channel.
    pub stats: ChannelStats,
    /// The channel's bins, if they are to be written.
    pub bins: Option<&'a [u32]>,
}

/// The fields of a channel, in table order. In tables, each name is prefixed with the channel's name and an underscore.
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
    /// Writes the channel as an object. Tables have `count` after the shares, but JSON puts it first.
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

/// The fields of the vectorscope; columns are prefixed with [`VECTORSCOPE_PREFIX`]. All are null for a picture without
/// colour.
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

/// The vectorscope as a JSON object.
pub struct VectorscopeRow(pub Saturation);

impl Serialize for VectorscopeRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serialize_fields(&mut map, VECTORSCOPE_FIELDS.iter(), |value| value(&self.0))?;
        map.end()
    }
}

/// A function that computes the cell of a field of the light.
pub type LightCell = for<'r> fn(&'r LightFigures) -> Cell<'r>;

/// The prefix of the columns for light.
pub const LIGHT_PREFIX: &str = "light_";

const fn share(count: u64, light: &LightFigures) -> Cell<'static> {
    Cell::Real(count as f64 / light.pixels as f64)
}

/// The fields of a frame's light; columns are prefixed with [`LIGHT_PREFIX`]. All are null if the light is unknown.
pub const LIGHT_FIELDS: [Field<LightCell>; 12] = [
    nullable("max_cd_m2", Real, "light of the brightest pixel in cd/m²", |light| Cell::Real(light.max)),
    nullable("average_cd_m2", Real, "average light of all counted pixels in cd/m²", |light| Cell::Real(light.average)),
    nullable("max_x", Integer32, "column of the brightest pixel in the whole coded picture, from 0", |light| {
        Cell::whole(light.brightest.0)
    }),
    nullable("max_y", Integer32, "its row; the first in reading order, if several are equally bright", |light| {
        Cell::whole(light.brightest.1)
    }),
    nullable("p9999_cd_m2", Real, "the light that 99.99 % of the pixels do not exceed", |light| {
        Cell::Real(light.max_9999)
    }),
    nullable("share_above_100", Real, "share of pixels brighter than 100 cd/m²", |light| share(light.above[0], light)),
    nullable(
        "share_above_203",
        Real,
        "share of pixels brighter than 203 cd/m², graphics white of HDR (BT.2408)",
        |light| share(light.above[1], light),
    ),
    nullable("share_above_1000", Real, "share of pixels brighter than 1000 cd/m²", |light| {
        share(light.above[2], light)
    }),
    nullable("share_above_4000", Real, "share of pixels brighter than 4000 cd/m²", |light| {
        share(light.above[3], light)
    }),
    nullable(
        "share_above_mastering",
        Real,
        "share of pixels brighter than the mastering display's peak; null if the file states none",
        |light| Cell::maybe(light.above_mastering, |count| share(count, light)),
    ),
    nullable(
        "share_outside_p3",
        Real,
        "share of pixels outside P3-D65; null without `--gamut`, or if the primaries are not those of BT.2020",
        |light| Cell::maybe(light.outside, |[p3, _]| share(p3, light)),
    ),
    nullable("share_outside_bt709", Real, "share of pixels outside BT.709, likewise", |light| {
        Cell::maybe(light.outside, |[_, bt709]| share(bt709, light))
    }),
];

/// Returns the light of a frame of this many pixels from the fields of its record; `None` if it is unknown. `value`
/// returns a field, or `None` if it is null.
pub fn recorded_light(pixels: u64, value: impl Fn(&str) -> Option<f64>) -> Option<LightFigures> {
    // A share is a quotient of integers that are far below 2^53, so the product is within half a pixel of the count.
    let pixels_of = |name: &str| value(name).map(|share| (share * pixels as f64).round() as u64);
    Some(LightFigures {
        max: value("max_cd_m2")?,
        average: value("average_cd_m2")?,
        brightest: (value("max_x")? as u32, value("max_y")? as u32),
        max_9999: value("p9999_cd_m2")?,
        pixels,
        above: [
            pixels_of("share_above_100")?,
            pixels_of("share_above_203")?,
            pixels_of("share_above_1000")?,
            pixels_of("share_above_4000")?,
        ],
        above_mastering: pixels_of("share_above_mastering"),
        outside: pixels_of("share_outside_p3").zip(pixels_of("share_outside_bt709")).map(|(p3, bt709)| [p3, bt709]),
    })
}

/// The light as a JSON object.
pub struct LightRow(pub LightFigures);

impl Serialize for LightRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serialize_fields(&mut map, LIGHT_FIELDS.iter(), |value| value(&self.0))?;
        map.end()
    }
}

/// A function that computes the cell of a field of the sound.
pub type AudioCell = for<'r> fn(&'r SoundFigures) -> Cell<'r>;

/// The prefix of the columns for sound.
pub const AUDIO_PREFIX: &str = "audio_";

/// The fields of a frame's sound; columns are prefixed with [`AUDIO_PREFIX`]. All are null if there is none.
pub const AUDIO_FIELDS: [Field<AudioCell>; 7] = [
    nullable("momentary_lufs", Real, "loudness of the 400 ms up to the frame's end, in LUFS", |audio| {
        Cell::maybe(audio.momentary, Cell::Real)
    }),
    nullable("short_term_lufs", Real, "loudness of the 3 s up to there, in LUFS", |audio| {
        Cell::maybe(audio.short_term, Cell::Real)
    }),
    nullable("true_peak_dbtp", Real, "true peak of the frame's sound, of all channels", |audio| {
        Cell::maybe(decibels(audio.true_peak), Cell::Real)
    }),
    nullable("sample_peak_dbfs", Real, "highest sample of the frame's sound", |audio| {
        Cell::maybe(decibels(audio.sample_peak), Cell::Real)
    }),
    nullable("rms_dbfs", Real, "root mean square of the frame's sound", |audio| {
        Cell::maybe(decibels(audio.rms), Cell::Real)
    }),
    nullable("correlation", Real, "correlation of the first two channels, from −1 to 1", |audio| {
        Cell::maybe(audio.correlation, Cell::Real)
    }),
    nullable("clipped", Integer64, "samples at the end of the scale of 16 bits, or beyond", |audio| {
        Cell::count(audio.clipped)
    }),
];

/// The sound as a JSON object.
pub struct AudioRow<'f>(pub &'f SoundFigures);

impl Serialize for AudioRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serialize_fields(&mut map, AUDIO_FIELDS.iter(), |value| value(self.0))?;
        map.end()
    }
}

/// Returns these fields as the rows of the manual's table, one per line. `name` formats a field's name.
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
            manual_rows(&LIGHT_FIELDS, |field| quoted(field.name)),
            manual_rows(&AUDIO_FIELDS, |field| quoted(field.name)),
        ] {
            assert!(manual.contains(&rows), "docs/analyze.md lacks this table:\n{rows}");
        }
    }
}

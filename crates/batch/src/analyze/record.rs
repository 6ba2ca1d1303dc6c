//! The records of a run: their fields and each frame's values, for JSON and for tables.

use histoscope_core::histogram::{Components, LightFigures};
use histoscope_core::picture::layout::ColorModel;
use histoscope_core::picture::luminance::WeightsChoice;
use histoscope_media::StreamInfo;
use serde::Deserialize;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::comparison::{Against, ComparisonColumns};
use super::counter::ScopeUse;
use super::pipeline::{AudioUse, CountedFrame, Request};
use super::summary::{adjustments_text, display};
use crate::fields::{
    AUDIO_FIELDS, AUDIO_PREFIX, AudioRow, CHANNEL_FIELDS, Cell, ChannelRow, Column, FRAME_FIELDS, Field, FrameRow,
    LIGHT_FIELDS, LIGHT_PREFIX, LightRow, Presence, VECTORSCOPE_FIELDS, VECTORSCOPE_PREFIX, VectorscopeRow,
    recorded_light, serialize_fields,
};

/// The suffix of column names for bins.
pub const BINS_SUFFIX: &str = "_bins";

/// Builds the records of a run. Holds the data that all records share.
pub struct Recorder {
    input: String,
    adjustments: Option<String>,
    components: &'static [Components],
    comparison: Option<ComparisonColumns>,
    is_live: bool,
    has_thresholds: bool,
    has_bins: bool,
    has_weights: bool,
    has_vectorscope: bool,
    has_light: bool,
    has_audio: bool,
}

impl Recorder {
    /// Creates a recorder for a run on this video. With `bins`, each record lists all bins.
    #[must_use]
    pub fn new(request: &Request, info: &StreamInfo, bins: bool) -> Self {
        let adjustments = &request.adjustments;
        let components: &[_] = match (request.counting.rgbl, request.counting.coded) {
            (true, true) => &[Components::Rgbl, Components::YCbCr],
            (false, true) => &[Components::YCbCr],
            _ => &[Components::Rgbl],
        };
        // If the layout is unknown, no picture can be decoded and there are no records.
        let model = info.layout.map_or(ColorModel::YCbCr, |layout| layout.model);
        let columns = |against: &Against| ComparisonColumns::new(display(&against.input), model, components);
        Self {
            input: display(&request.input),
            adjustments: adjustments_text(adjustments),
            components,
            comparison: request.against.as_ref().map(columns),
            is_live: info.live,
            has_thresholds: adjustments.have_thresholds(),
            has_bins: bins,
            has_weights: request.counting.rgbl && request.open.luminance_weights != WeightsChoice::default(),
            has_vectorscope: request.counting.scopes == ScopeUse::Saturation,
            has_light: request.counting.light.is_some(),
            has_audio: request.audio != AudioUse::No,
        }
    }

    fn has(&self, presence: Presence) -> bool {
        match presence {
            Presence::Everywhere | Presence::Records | Presence::Json => true,
            Presence::Live => self.is_live,
            Presence::Adjusted => self.adjustments.is_some(),
            Presence::Thresholds => self.has_thresholds,
            Presence::Bins => self.has_bins,
            Presence::Weights => self.has_weights,
        }
    }

    /// Selects the fields that the records of this run have.
    fn fields<'a, F>(&self, fields: &'a [Field<F>]) -> impl Iterator<Item = &'a Field<F>> {
        fields.iter().filter(|field| self.has(field.presence))
    }

    /// Selects the fields that tables of this run have, which excludes JSON-only fields.
    fn columns_of<'a, F>(&self, fields: &'a [Field<F>]) -> impl Iterator<Item = &'a Field<F>> {
        self.fields(fields).filter(|field| field.presence != Presence::Json)
    }

    /// Returns the columns of a table of these records.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        let mut columns: Vec<_> =
            self.columns_of(&FRAME_FIELDS).map(|field| field.column(field.name.to_owned())).collect();
        columns.extend(self.comparison.iter().flat_map(ComparisonColumns::columns));
        for channel in self.components.iter().flat_map(|components| components.channel_names()) {
            let of_channel = |field: &Field<_>| field.column(format!("{channel}_{}", field.name));
            columns.extend(self.columns_of(&CHANNEL_FIELDS).map(of_channel));
        }
        let of_vectorscope = |field: &Field<_>| field.column(format!("{VECTORSCOPE_PREFIX}{}", field.name));
        columns.extend(VECTORSCOPE_FIELDS.iter().filter(|_| self.has_vectorscope).map(of_vectorscope));
        let of_light = |field: &Field<_>| field.column(format!("{LIGHT_PREFIX}{}", field.name));
        columns.extend(LIGHT_FIELDS.iter().filter(|_| self.has_light).map(of_light));
        let of_audio = |field: &Field<_>| field.column(format!("{AUDIO_PREFIX}{}", field.name));
        columns.extend(AUDIO_FIELDS.iter().filter(|_| self.has_audio).map(of_audio));
        columns
    }

    /// Passes the cells of a frame's row to `take`, in column order.
    pub fn cells(&self, counted: &CountedFrame, take: &mut dyn FnMut(Cell<'_>)) {
        let row = self.frame_row(counted);
        self.columns_of(&FRAME_FIELDS).for_each(|field| take((field.value)(&row)));
        if let (Some(columns), Some(comparison)) = (&self.comparison, &counted.comparison) {
            columns.cells(comparison).for_each(|(_, cell)| take(cell));
        }
        for (_, channel) in self.channel_rows(counted) {
            self.columns_of(&CHANNEL_FIELDS).for_each(|field| take((field.value)(&channel)));
        }
        for field in VECTORSCOPE_FIELDS.iter().filter(|_| self.has_vectorscope) {
            take(Cell::maybe(counted.counts.saturation.as_ref(), |figures| (field.value)(figures)));
        }
        for field in LIGHT_FIELDS.iter().filter(|_| self.has_light) {
            take(Cell::maybe(counted.counts.light.as_ref(), |light| (field.value)(light)));
        }
        for field in AUDIO_FIELDS.iter().filter(|_| self.has_audio) {
            take(Cell::maybe(counted.audio.as_ref(), |audio| (field.value)(audio)));
        }
    }

    /// Returns the record of a frame, to be serialized as JSON.
    #[must_use]
    pub const fn record<'a>(&'a self, counted: &'a CountedFrame) -> Record<'a> {
        Record { recorder: self, counted }
    }

    fn frame_row<'a>(&'a self, counted: &'a CountedFrame) -> FrameRow<'a> {
        FrameRow {
            input: &self.input,
            number: Some(counted.number),
            frame: &counted.frame,
            adjustments: self.adjustments.as_deref(),
            thresholds: counted.counts.thresholds.as_deref().unwrap_or_default(),
        }
    }

    /// Returns the names and rows of the channels, in the order in which they are counted.
    fn channel_rows<'a>(&self, counted: &'a CountedFrame) -> impl Iterator<Item = (&'static str, ChannelRow<'a>)> {
        let range = Some(counted.frame.interpretation.colorimetry.range.value);
        let has_bins = self.has_bins;
        [&counted.counts.rgbl, &counted.counts.coded].into_iter().flatten().flat_map(move |histogram| {
            let names = histogram.components.channel_names().iter().enumerate();
            names.map(move |(channel, name)| {
                let bins = has_bins.then(|| histogram.bins(channel));
                (*name, ChannelRow { stats: histogram.stats(channel, range), bins })
            })
        })
    }
}

/// The record of a frame, to be serialized as JSON.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    recorder: &'a Recorder,
    counted: &'a CountedFrame,
}

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { recorder, counted } = *self;
        let mut map = serializer.serialize_map(None)?;
        let row = recorder.frame_row(counted);
        serialize_fields(&mut map, recorder.fields(&FRAME_FIELDS), |value| value(&row))?;
        if let (Some(columns), Some(comparison)) = (&recorder.comparison, &counted.comparison) {
            for (name, cell) in columns.cells(comparison) {
                map.serialize_entry(name, &cell)?;
            }
        }
        map.serialize_entry("channels", &Channels(*self))?;
        if recorder.has_vectorscope {
            map.serialize_entry("vectorscope", &counted.counts.saturation.map(VectorscopeRow))?;
        }
        if recorder.has_light {
            map.serialize_entry("light", &counted.counts.light.map(LightRow))?;
        }
        if recorder.has_audio {
            map.serialize_entry("audio", &counted.audio.as_ref().map(AudioRow))?;
        }
        map.end()
    }
}

/// The object with a record's channels.
struct Channels<'a>(Record<'a>);

impl Serialize for Channels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Record { recorder, counted } = self.0;
        serializer.collect_map(recorder.channel_rows(counted))
    }
}

/// The part of a record that is read back by `--resume`.
#[derive(Debug, Clone, Deserialize)]
pub struct RecordedFrame {
    /// The frame's number.
    #[serde(alias = "frame_number")]
    pub frame: u64,
    /// Number of pixels counted; in records of light.
    #[serde(default)]
    count: u64,
    /// The fields of its light, if they are known.
    #[serde(default)]
    light: Option<serde_json::Map<String, serde_json::Value>>,
}

impl RecordedFrame {
    /// Returns the frame's light, if it is known.
    #[must_use]
    pub fn light(&self) -> Option<LightFigures> {
        let fields = self.light.as_ref()?;
        recorded_light(self.count, |name| fields.get(name)?.as_f64())
    }
}

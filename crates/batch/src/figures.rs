//! The figures of one frame, as JSON and as a table for display.

use std::fmt;

use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{ChannelStats, Components, Histogram, Sums, Transfer, limits};
use histoscope_core::picture::color::Range;
use histoscope_core::picture::luminance::WeightsChoice;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Picture};
use histoscope_core::scopes::{Axis, Diagram, Scope, ScopeChoice, ScopeCounts, Vectorscope, Waveform};
use histoscope_render::cpu;
use histoscope_render::view::binning::Binning;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use crate::fields::{ChannelRow, FRAME_FIELDS, FrameDescription, FrameRow, Presence, serialize_fields};

/// The figures of one frame.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Figures {
    #[serde(flatten)]
    frame: DescribedFrame,
    engine: &'static str,
    /// The adapter's name; null if the CPU counted and no adapter was needed.
    adapter: Option<String>,
    /// The counted region: column and row of its first pixel, width and height. Absent for the whole picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<[u32; 4]>,
    /// Pixels of the source outside the limits of EBU R 103, within the counted region.
    r103: Option<R103>,
    /// Present only for adjusted pictures.
    #[serde(flatten)]
    adjusted: Option<AdjustedFields>,
    /// Bins per channel.
    bin_count: u32,
    /// The transfer function, if the luminance of linear light was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    transfer: Option<&'static str>,
    channels: Channels,
    /// The source's channels, if the picture was adjusted and both were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_channels: Option<Channels>,
    #[serde(flatten)]
    scopes: ScopeFigures,
    /// The source's scopes, if the picture was adjusted and both were counted.
    #[serde(flatten)]
    source_scopes: SourceScopeFigures,
    #[serde(skip)]
    bins: BinFigures,
}

/// The frame, serialized with the fields that figures share with records.
#[derive(Debug, Clone)]
struct DescribedFrame {
    input: String,
    frame: FrameDescription,
    /// `true` if luminance was counted, with weights that the user chose.
    has_weights: bool,
}

impl DescribedFrame {
    fn row(&self) -> FrameRow<'_> {
        let Self { input, frame, .. } = self;
        FrameRow { input, number: frame.facts.index, frame, adjustments: None, thresholds: &[] }
    }
}

impl Serialize for DescribedFrame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let fields = FRAME_FIELDS.iter().filter(|field| {
            field.presence == Presence::Everywhere || (field.presence == Presence::Weights && self.has_weights)
        });
        let row = self.row();
        serialize_fields(&mut map, fields, |value| value(&row))?;
        map.end()
    }
}

/// Options for the bins. All other figures are computed from codes, whatever the number of bins.
#[derive(Debug, Clone, Copy, Default)]
pub struct BinFigures {
    /// Bins per channel; `None` for one per code.
    pub count: Option<u32>,
    /// `true` to list all bins.
    pub listed: bool,
}

/// The pixels outside the limits of EBU R 103, behind its filter.
#[derive(Debug, Clone, Copy, serde::Serialize)]
struct R103 {
    /// Pixels whose red, green or blue is outside.
    outside: u64,
    /// Their share of all pixels.
    share: f64,
    /// `true` if R 103 tolerates this share.
    within: bool,
}

impl R103 {
    /// Counts on the CPU. All engines would produce the same integers.
    fn of(picture: &Picture, region: Option<Rect>, is_interlaced: bool) -> Self {
        let rect = region.unwrap_or(Rect::whole(picture.width(), picture.height()));
        let outside = u64::from(cpu::count_outside_r103(picture, rect, is_interlaced, 0));
        let pixels = rect.pixel_count();
        Self { outside, share: outside as f64 / pixels as f64, within: limits::is_within_r103(outside, pixels) }
    }
}

/// The JSON fields added for an adjusted picture.
#[derive(Debug, Clone, serde::Serialize)]
struct AdjustedFields {
    picture: &'static str,
    adjustments: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    thresholds: Option<Vec<u32>>,
}

/// Facts about an adjusted picture.
#[derive(Debug, Clone, Copy)]
pub struct AdjustedFigures<'a> {
    /// The adjustments.
    pub adjustments: &'a Adjustments,
    /// `true` if the figures describe the adjusted picture, `false` if they describe the source.
    pub is_result: bool,
    /// Luminance codes at which Otsu's classes begin, except the darkest; `u32::MAX` for classes that do not exist.
    pub thresholds: Option<[u32; 4]>,
    /// The counts of the source, if both were counted.
    pub source: Option<&'a Histogram>,
}

impl Figures {
    /// Collects the figures of a frame counted in `region`, or completely if that is `None`.
    #[must_use]
    pub fn new(
        input: &str,
        (frame, region): (&Frame, Option<Rect>),
        histogram: &Histogram,
        (engine, adapter): (&'static str, Option<&str>),
        bins: BinFigures,
    ) -> Self {
        let picture = &frame.picture;
        let color = picture.decoded().colorimetry();
        let is_chosen = frame.source.luminance_weights != WeightsChoice::default();
        Self {
            frame: DescribedFrame {
                input: input.to_owned(),
                frame: FrameDescription::of(frame, region),
                has_weights: is_chosen && histogram.components == Components::Rgbl,
            },
            engine,
            adapter: adapter.map(str::to_owned),
            region: region.map(|rect| [rect.x, rect.y, rect.width, rect.height]),
            r103: picture.as_rgb().map(|picture| R103::of(picture, region, frame.facts.scan.is_interlaced())),
            adjusted: None,
            bin_count: Binning::new(histogram.bits, bins.count).count(),
            transfer: None,
            channels: Channels::of(histogram, color.range.value, bins),
            source_channels: None,
            scopes: ScopeFigures::default(),
            source_scopes: SourceScopeFigures::default(),
            bins,
        }
    }

    /// Adds the figures of scopes.
    #[must_use]
    pub fn with_scopes(self, scopes: ScopeFigures) -> Self {
        Self { scopes, ..self }
    }

    /// Adds the figures of the source's scopes.
    #[must_use]
    pub fn with_source_scopes(self, scopes: ScopeFigures) -> Self {
        Self { source_scopes: scopes.into(), ..self }
    }

    /// Adds the linear-light luminance, if it was counted.
    #[must_use]
    pub fn with_linear(mut self, linear: Option<(Transfer, Vec<u32>)>) -> Self {
        if let Some((transfer, codes)) = linear {
            self.transfer = Some(transfer.name());
            self.channels.0.push(linear_channel(&codes, self.bins));
        }
        self
    }

    /// Adds the linear-light luminance of the source, if it was counted.
    #[must_use]
    pub fn with_source_linear(mut self, linear: Option<(Transfer, Vec<u32>)>) -> Self {
        if let (Some((_, codes)), Some(channels)) = (linear, &mut self.source_channels) {
            channels.0.push(linear_channel(&codes, self.bins));
        }
        self
    }

    /// Marks the figures as those of an adjusted picture or of its source.
    #[must_use]
    pub fn of_adjusted(self, adjusted: AdjustedFigures<'_>) -> Self {
        let fields = AdjustedFields {
            picture: if adjusted.is_result { "result" } else { "source" },
            adjustments: adjusted.adjustments.to_string(),
            thresholds: adjusted.thresholds.map(present),
        };
        // An adjusted picture is R'G'B', and so are its source's figures. They do not depend on the range.
        let source_channels = adjusted.source.map(|source| Channels::of(source, Range::Full, self.bins));
        Self { adjusted: Some(fields), source_channels, ..self }
    }
}

/// Returns the thresholds of classes that exist.
pub(super) fn present(thresholds: [u32; 4]) -> Vec<u32> {
    thresholds.into_iter().filter(|&threshold| threshold != u32::MAX).collect()
}

/// The figures of the counted channels.
#[derive(Debug, Clone)]
struct Channels(Vec<Channel>);

/// The figures of one channel.
#[derive(Debug, Clone)]
struct Channel {
    name: &'static str,
    stats: ChannelStats,
    /// The bins, if they are listed.
    bins: Option<Vec<u32>>,
}

impl Channel {
    fn new(name: &'static str, stats: ChannelStats, codes: &[u32], bins: BinFigures) -> Self {
        let regrouped = || Binning::new(codes.len().ilog2(), bins.count).regrouped(codes);
        Self { name, stats, bins: bins.listed.then(regrouped) }
    }
}

fn linear_channel(codes: &[u32], bins: BinFigures) -> Channel {
    Channel::new("linear_luminance", Sums::of(codes).stats(None), codes, bins)
}

impl Channels {
    fn of(histogram: &Histogram, range: Range, bins: BinFigures) -> Self {
        let names = histogram.components.channel_names().iter().enumerate();
        let figures = |(channel, name): (usize, &&'static str)| {
            Channel::new(name, histogram.stats(channel, Some(range)), histogram.bins(channel), bins)
        };
        Self(names.map(figures).collect())
    }
}

impl Serialize for Channels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = self
            .0
            .iter()
            .map(|Channel { name, stats, bins }| (*name, ChannelRow { stats: *stats, bins: bins.as_deref() }));
        serializer.collect_map(rows)
    }
}

impl fmt::Display for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let room = self.0.iter().map(|channel| channel.name.len()).fold(10, usize::max);
        write!(f, "{:<room$} {:>10} {:>6} {:>6} {:>9} {:>7}", "channel", "count", "min", "max", "mean", "median")?;
        for Channel { name, stats: ChannelStats { count, min, max, mean, median, .. }, .. } in &self.0 {
            write!(f, "\n{name:<room$} {count:>10} {min:>6} {max:>6} {mean:>9.2} {median:>7}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DescribedFrame { input, frame, has_weights } = &self.frame;
        let index = frame.facts.index.map_or_else(String::new, |index| format!("frame {index}, "));
        writeln!(f, "{input}: {index}pts {:.3} s", frame.facts.time_base.times(frame.facts.pts_ticks))?;
        let place = self.adapter.as_ref().filter(|_| self.engine == "gpu");
        let place = place.map_or_else(String::new, |adapter| format!(" on {adapter}"));
        let ((width, height), depth) = (frame.size, frame.depth);
        writeln!(f, "{width}×{height}, {depth} bits, {}, counted by {}{place}", frame.interpretation, self.engine)?;
        if *has_weights {
            writeln!(f, "luminance is {}", frame.interpretation.colorimetry.luminance)?;
        }
        if frame.facts.damaged {
            writeln!(f, "damaged: the decoder's substitute for missing parts is counted too")?;
        }
        if let Some([x, y, width, height]) = self.region {
            writeln!(f, "counted region: {width}×{height} pixels from {x},{y}")?;
        }
        if let Some(AdjustedFields { picture, adjustments, thresholds }) = &self.adjusted {
            write!(f, "counted picture: {picture}; adjustments: {adjustments}")?;
            if let Some(thresholds) = thresholds {
                let texts: Vec<_> = thresholds.iter().map(u32::to_string).collect();
                write!(f, "; thresholds {}", texts.join(" "))?;
            }
            writeln!(f)?;
        }
        write!(f, "{}", self.channels)?;
        if let Some(channels) = &self.source_channels {
            write!(f, "\ncounted picture: source\n{channels}")?;
        }
        Ok(())
    }
}

/// The requested scopes of one frame.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct ScopeFigures {
    #[serde(skip_serializing_if = "Option::is_none")]
    waveform: Option<Value>,
    /// Null if the picture has no colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    vectorscope: Option<Value>,
}

/// The scopes of the source, next to those of the adjusted picture.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct SourceScopeFigures {
    #[serde(rename = "source_waveform", skip_serializing_if = "Option::is_none")]
    waveform: Option<Value>,
    #[serde(rename = "source_vectorscope", skip_serializing_if = "Option::is_none")]
    vectorscope: Option<Value>,
}

impl From<ScopeFigures> for SourceScopeFigures {
    fn from(ScopeFigures { waveform, vectorscope }: ScopeFigures) -> Self {
        Self { waveform, vectorscope }
    }
}

impl ScopeFigures {
    /// Creates figures from these counts, the vectorscope's in this diagram.
    #[must_use]
    pub fn of(counts: &ScopeCounts, wanted: ScopeChoice, diagram: Diagram) -> Self {
        let vectorscope = |scope: &Vectorscope| vectorscope_value(scope, diagram);
        Self {
            waveform: counts.waveform.as_ref().map(waveform_value),
            vectorscope: wanted[Scope::Vectorscope]
                .then(|| counts.vectorscope.as_ref().map_or(Value::Null, vectorscope)),
        }
    }
}

fn waveform_value(waveform: &Waveform) -> Value {
    let columns_of = |channel: usize| {
        (0..waveform.columns[channel]).map(|column| waveform.column(channel, column).into()).collect::<Vec<Value>>()
    };
    let names = waveform.components.channel_names().iter().enumerate();
    let channels: Map<_, _> = names
        .filter(|(channel, _)| waveform.columns[*channel] > 0)
        .map(|(channel, name)| ((*name).to_owned(), columns_of(channel).into()))
        .collect();
    json!({ "columns": waveform.columns[0], "levels": waveform.levels(), "channels": channels })
}

fn vectorscope_value(scope: &Vectorscope, diagram: Diagram) -> Value {
    let rows: Vec<Value> = scope.counts.chunks_exact(scope.levels()).map(Value::from).collect();
    match diagram.axis(scope.level_bits) {
        None => json!({ "levels": scope.levels(), "counts": rows }),
        Some(Axis { step, .. }) => {
            json!({ "levels": scope.levels(), "coordinates": diagram.coordinates(), "step": step, "counts": rows })
        }
    }
}

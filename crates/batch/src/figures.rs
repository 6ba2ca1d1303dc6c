//! A frame's figures, as JSON and as a table for people.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::scopes::{ScopeFigures, SourceScopeFigures};
use histoscope_core::adjust::Adjustments;
use histoscope_core::histogram::{Histogram, Sums, Transfer, limits};
use histoscope_core::picture::color::Range;
use histoscope_core::picture::region::{self, Rect};
use histoscope_core::picture::{Field, Frame, FrameReading, Picture, Timecode};
use histoscope_render::cpu;
use histoscope_render::view::binning::Binning;

/// Version of the JSON's shape.
pub const SCHEMA: u32 = 1;

/// The figures of one frame.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    schema: u32,
    input: String,
    frame: Option<u64>,
    pts_seconds: f64,
    pts_ticks: i64,
    time_seconds: f64,
    timecode: Option<Timecode>,
    /// Whether the decoder reported damage, in whose place it has put something of its own.
    damaged: bool,
    width: u32,
    height: u32,
    depth: u8,
    #[serde(skip)]
    reading: FrameReading,
    matrix: &'static str,
    matrix_source: String,
    range: &'static str,
    range_source: String,
    scan: &'static str,
    field: Option<&'static str>,
    chroma_lines: Option<&'static str>,
    chroma_lines_source: Option<String>,
    engine: &'static str,
    /// Null where the CPU counted and no adapter was needed.
    adapter: Option<String>,
    /// The part of the picture that was counted alone: column and row of its first pixel, width and height.
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<[u32; 4]>,
    /// What of the source lies outside the limits of EBU R 103, in the region where one is counted.
    r103: Option<R103>,
    /// What is told of an adjusted picture; nothing where none is.
    #[serde(flatten)]
    adjusted: Option<AdjustedFields>,
    /// Bins of a channel.
    bin_count: u32,
    /// How codes became light, where the luminance of that was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    transfer: Option<&'static str>,
    channels: Map<String, Value>,
    /// The source's, where the picture was adjusted and both were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_channels: Option<Map<String, Value>>,
    #[serde(flatten)]
    scopes: ScopeFigures,
    /// The source's, where the picture was adjusted and both were counted.
    #[serde(flatten)]
    source_scopes: SourceScopeFigures,
    #[serde(skip)]
    bins: BinFigures,
}

/// What is told of the bins. All other figures are of the codes, however many bins there are.
#[derive(Debug, Clone, Copy, Default)]
pub struct BinFigures {
    /// How many a channel has; `None` for one for each code.
    pub count: Option<u32>,
    /// Whether all of them are listed.
    pub listed: bool,
}

/// What lies outside the limits of EBU R 103.
#[derive(Debug, Clone, Copy, Serialize)]
struct R103 {
    /// Pixels of which red, green or blue does.
    outside: u64,
    /// The same as a part of all.
    share: f64,
    /// Whether R 103 tolerates so many.
    within: bool,
}

impl R103 {
    /// Counted by the CPU, whose integers are those of every engine.
    fn of(picture: &Picture, region: Option<Rect>) -> Option<Self> {
        let all = Rect { x: 0, y: 0, width: picture.width(), height: picture.height() };
        let rect = region.unwrap_or(all);
        let parts = region::parts(picture, rect).ok()?;
        let outside: u64 = parts.iter().map(|part| u64::from(cpu::count_outside_r103(part))).sum();
        let pixels = rect.pixel_count();
        let within = limits::is_within_r103(outside, pixels);
        Some(Self { outside, share: outside as f64 / pixels as f64, within })
    }
}

/// Which picture was counted.
#[derive(Debug, Clone, Serialize)]
struct AdjustedFields {
    picture: &'static str,
    adjustments: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    thresholds: Option<Vec<u32>>,
}

/// What there is to tell of a picture that was adjusted.
#[derive(Debug, Clone, Copy)]
pub struct AdjustedFigures<'a> {
    /// How it was adjusted.
    pub adjustments: &'a Adjustments,
    /// Whether the figures are those of the adjusted picture, and not of the source.
    pub is_result: bool,
    /// Luminance codes at which Otsu's second class and those after it begin, `u32::MAX` where there is none.
    pub thresholds: Option<[u32; 4]>,
    /// What was counted of the source besides.
    pub source: Option<&'a Histogram>,
}

impl Figures {
    /// Gathers the figures of a frame, of which that region was counted alone.
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
        Self {
            schema: SCHEMA,
            input: input.to_owned(),
            frame: frame.index,
            pts_seconds: frame.time_base.times(frame.pts_ticks),
            pts_ticks: frame.pts_ticks,
            time_seconds: frame.time_secs,
            timecode: frame.timecode,
            damaged: frame.damaged,
            width: picture.width(),
            height: picture.height(),
            depth: picture.layout().depth,
            reading: frame.reading(),
            matrix: color.matrix.value.name(),
            matrix_source: color.matrix.origin.to_string(),
            range: color.range.value.name(),
            range_source: color.range.origin.to_string(),
            scan: frame.scan.name(),
            field: frame.field.map(Field::name),
            chroma_lines: picture.chroma_lines().map(|lines| lines.value.name()),
            chroma_lines_source: picture.chroma_lines().map(|lines| lines.origin.to_string()),
            engine,
            adapter: adapter.map(str::to_owned),
            region: region.map(|rect| [rect.x, rect.y, rect.width, rect.height]),
            r103: picture.as_rgb().and_then(|picture| R103::of(picture, region)),
            adjusted: None,
            bin_count: Binning::new(histogram.bits, bins.count).count(),
            transfer: None,
            channels: channel_values(histogram, color.range.value, bins),
            source_channels: None,
            scopes: ScopeFigures::default(),
            source_scopes: SourceScopeFigures::default(),
            bins,
        }
    }

    /// The same with the counts of scopes.
    #[must_use]
    pub fn with_scopes(self, scopes: ScopeFigures) -> Self {
        Self { scopes, ..self }
    }

    /// The same with those of the source, where both pictures were counted.
    #[must_use]
    pub fn with_source_scopes(self, scopes: ScopeFigures) -> Self {
        Self { source_scopes: scopes.into(), ..self }
    }

    /// The same with the luminance of linear light, where that was counted.
    #[must_use]
    pub fn with_linear(mut self, linear: Option<(Transfer, Vec<u32>)>) -> Self {
        if let Some((transfer, codes)) = linear {
            self.transfer = Some(transfer.name());
            self.channels.insert(LINEAR.to_owned(), linear_value(&codes, self.bins));
        }
        self
    }

    /// The same with that of the source, where both pictures were counted.
    #[must_use]
    pub fn with_source_linear(mut self, linear: Option<(Transfer, Vec<u32>)>) -> Self {
        if let (Some((_, codes)), Some(channels)) = (linear, &mut self.source_channels) {
            channels.insert(LINEAR.to_owned(), linear_value(&codes, self.bins));
        }
        self
    }

    /// The same, saying of which picture they are.
    #[must_use]
    pub fn of_adjusted(self, adjusted: AdjustedFigures<'_>) -> Self {
        let fields = AdjustedFields {
            picture: if adjusted.is_result { "result" } else { "source" },
            adjustments: adjusted.adjustments.to_string(),
            thresholds: adjusted.thresholds.map(present),
        };
        // An adjusted picture is R'G'B', and so are the figures beside it: they do not depend on the range.
        let source_channels = adjusted.source.map(|source| channel_values(source, Range::Full, self.bins));
        Self { adjusted: Some(fields), source_channels, ..self }
    }
}

/// Those thresholds that there are.
pub(super) fn present(thresholds: [u32; 4]) -> Vec<u32> {
    thresholds.into_iter().filter(|&threshold| threshold != u32::MAX).collect()
}

/// The name of the luminance of linear light among the channels.
const LINEAR: &str = "linear_luminance";

fn linear_value(codes: &[u32], bins: BinFigures) -> Value {
    let mut value = serde_json::to_value(Sums::of(codes).stats(None)).unwrap_or_default();
    if bins.listed {
        value["bins"] = Binning::new(codes.len().ilog2(), bins.count).regrouped(codes).into();
    }
    value
}

fn channel_values(histogram: &Histogram, range: Range, bins: BinFigures) -> Map<String, Value> {
    let names = histogram.components.channel_names().iter().enumerate();
    names.map(|(channel, name)| ((*name).to_owned(), channel_value(histogram, channel, range, bins))).collect()
}

fn channel_value(histogram: &Histogram, channel: usize, range: Range, bins: BinFigures) -> Value {
    // A structure of numbers always becomes a value.
    let mut value = serde_json::to_value(histogram.stats(channel, Some(range))).unwrap_or_default();
    if bins.listed {
        value["bins"] = Binning::new(histogram.bits, bins.count).regrouped(histogram.bins(channel)).into();
    }
    value
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = self.frame.map_or_else(String::new, |index| format!("frame {index}, "));
        writeln!(f, "{}: {index}pts {:.3} s", self.input, self.pts_seconds)?;
        let place = self.adapter.as_ref().filter(|_| self.engine == "gpu");
        let place = place.map_or_else(String::new, |adapter| format!(" on {adapter}"));
        writeln!(
            f,
            "{}×{}, {} bits, {}, counted by {}{place}",
            self.width, self.height, self.depth, self.reading, self.engine,
        )?;
        if self.damaged {
            writeln!(f, "damaged: what the decoder has put in the place of missing parts is counted too")?;
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
        write_table(f, &self.channels)?;
        if let Some(channels) = &self.source_channels {
            writeln!(f, "\ncounted picture: source")?;
            write_table(f, channels)?;
        }
        Ok(())
    }
}

fn write_table(f: &mut fmt::Formatter<'_>, channels: &Map<String, Value>) -> fmt::Result {
    let room = channels.keys().map(String::len).fold(10, usize::max);
    write!(f, "{:<room$} {:>10} {:>6} {:>6} {:>9} {:>7}", "channel", "count", "min", "max", "mean", "median")?;
    for (name, channel) in channels {
        let whole = |key: &str| channel[key].as_u64().unwrap_or_default();
        write!(
            f,
            "\n{name:<room$} {:>10} {:>6} {:>6} {:>9.2} {:>7}",
            whole("count"),
            whole("min"),
            whole("max"),
            channel["mean"].as_f64().unwrap_or_default(),
            whole("median")
        )?;
    }
    Ok(())
}

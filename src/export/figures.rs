//! A frame's figures, as JSON and as a table for people.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use super::channel::ChannelFigures;
use crate::color::Range;
use crate::frame::Frame;
use crate::histogram::Histogram;

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
    width: u32,
    height: u32,
    depth: u8,
    matrix: &'static str,
    matrix_source: String,
    range: &'static str,
    range_source: String,
    engine: &'static str,
    /// Null where the CPU counted and no adapter was needed.
    adapter: Option<String>,
    channels: Map<String, Value>,
}

impl Figures {
    /// Gathers the figures; with `bins`, every bin of every channel too.
    #[must_use]
    pub fn new(
        input: &str,
        frame: &Frame,
        histogram: &Histogram,
        (engine, adapter): (&'static str, Option<&str>),
        bins: bool,
    ) -> Self {
        let picture = &frame.picture;
        let color = picture.colorimetry();
        let names = histogram.components.channel_names();
        let channels = names
            .iter()
            .enumerate()
            .map(|(channel, name)| ((*name).to_owned(), channel_value(histogram, channel, color.range.value, bins)));
        Self {
            schema: SCHEMA,
            input: input.to_owned(),
            frame: frame.index,
            pts_seconds: frame.pts_ticks as f64 * frame.time_base.value(),
            pts_ticks: frame.pts_ticks,
            time_seconds: frame.time_secs,
            width: picture.width(),
            height: picture.height(),
            depth: picture.layout().depth,
            matrix: color.matrix.value.name(),
            matrix_source: color.matrix.origin.to_string(),
            range: color.range.value.name(),
            range_source: color.range.origin.to_string(),
            engine,
            adapter: adapter.map(str::to_owned),
            channels: channels.collect(),
        }
    }
}

fn channel_value(histogram: &Histogram, channel: usize, range: Range, bins: bool) -> Value {
    // A structure of numbers always becomes a value.
    let mut value = serde_json::to_value(ChannelFigures::new(histogram, channel, range)).unwrap_or_default();
    if bins {
        value["bins"] = histogram.bins(channel).into();
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
            "{}×{}, {} bits, matrix {} ({}), range {} ({}), counted by {}{place}",
            self.width,
            self.height,
            self.depth,
            self.matrix,
            self.matrix_source,
            self.range,
            self.range_source,
            self.engine,
        )?;
        write!(f, "{:<10} {:>10} {:>6} {:>6} {:>9} {:>7}", "channel", "count", "min", "max", "mean", "median")?;
        for (name, channel) in &self.channels {
            let whole = |key: &str| channel[key].as_u64().unwrap_or_default();
            write!(
                f,
                "\n{name:<10} {:>10} {:>6} {:>6} {:>9.2} {:>7}",
                whole("count"),
                whole("min"),
                whole("max"),
                channel["mean"].as_f64().unwrap_or_default(),
                whole("median")
            )?;
        }
        Ok(())
    }
}

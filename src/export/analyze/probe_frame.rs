//! One frame's record as ffprobe writes it.

use serde::Serialize;

use super::pipeline::Counted;
use super::signal::{PlaneSignal, format_g};

/// A frame as `ffprobe -show_frames -of json` writes one that went through signalstats.
#[derive(Serialize)]
pub struct ProbeFrame<'a> {
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

impl<'a> ProbeFrame<'a> {
    /// The frame's entry; without figures where none were asked for.
    #[must_use]
    pub fn new(counted: &'a Counted) -> Self {
        let facts = &counted.facts;
        let time = format!("{:.6}", facts.time_base.times(facts.pts_ticks));
        let mut tags = serde_json::Map::new();
        if let Some(signal) = &counted.counts.signal {
            let mut tag = |name: String, value: String| tags.insert(format!("lavfi.signalstats.{name}"), value.into());
            for (letter, plane) in ['Y', 'U', 'V'].into_iter().zip(&signal.planes) {
                let PlaneSignal { min, low, average, high, max, .. } = plane;
                tag(format!("{letter}MIN"), min.to_string());
                tag(format!("{letter}LOW"), low.to_string());
                tag(format!("{letter}AVG"), format_g(*average));
                tag(format!("{letter}HIGH"), high.to_string());
                tag(format!("{letter}MAX"), max.to_string());
            }
            for (letter, plane) in ['Y', 'U', 'V'].into_iter().zip(&signal.planes) {
                tag(format!("{letter}BITDEPTH"), plane.bit_depth.to_string());
            }
            tag("BRNG".to_owned(), format_g(signal.out_of_broadcast));
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

//! One frame as ffprobe has it.

use serde::Serialize;

use super::pipeline::CountedFrame;

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
    pub fn new(counted: &'a CountedFrame) -> Self {
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

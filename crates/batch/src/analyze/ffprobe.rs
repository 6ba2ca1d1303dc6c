//! Records in the formats of FFmpeg's tools: the JSON of `ffprobe` with the signalstats filter, and the report read by
//! QCTools.
//!
//! The report is gzip-compressed XML as written by older `ffprobe` versions, with their attribute names. QCTools reads
//! it in pieces that end with a `</frame>`, so every frame has its own closing tag. After the frames, it looks for the
//! streams and the file itself. It would read more elements than are written here, and treats missing ones as unknown.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use histoscope_core::picture::Ratio;
use histoscope_core::text::public;
use histoscope_media::StreamInfo;
use serde::Serialize;

use super::filters::{Combing, FieldOrder};
use super::pipeline::CountedFrame;
use super::signal::Signal;
use crate::fields::FrameDescription;
use crate::xml::escaped;

/// A frame in the output of `ffprobe -f lavfi -i movie=…,signalstats=stat=brng -show_frames -of json`.
///
/// `pix_fmt` and `sample_aspect_ratio` are the file's, as `ffprobe` shows them without the filter. The filter makes all
/// pixels square, and for some formats (`nv12`, `yuyv422`, `yuva420p`) it reads a copy in a different format with the
/// same samples. If the file states no aspect ratio, it is "1:1" as with the filter; `ffprobe` without the filter omits
/// it.
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
    /// Creates the entry of a frame. It has no tags if the signalstats figures were not requested.
    #[must_use]
    pub fn new(counted: &'a CountedFrame) -> Self {
        let (frame, facts) = (&counted.frame, &counted.frame.facts);
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
            width: frame.region.map_or(frame.size.0, |rect| rect.width),
            height: frame.region.map_or(frame.size.1, |rect| rect.height),
            pix_fmt: &facts.source.pixel_format,
            sample_aspect_ratio: format!("{}:{}", facts.sample_aspect.num, facts.sample_aspect.den),
            pict_type: facts.picture_type.unwrap_or('?'),
            frame_number: counted.number,
            tags,
        }
    }
}

/// Writes a report for QCTools piece by piece.
pub struct QctoolsWriter {
    packed: GzEncoder<Vec<u8>>,
    info: StreamInfo,
    /// Bits per sample of the first frame.
    depth: Option<u8>,
    field_order: FieldOrder,
    /// The last frame, which is written when the next one is known.
    open: Option<(String, Combing)>,
}

impl QctoolsWriter {
    /// Starts a report on this video.
    #[must_use]
    pub fn new(info: &StreamInfo) -> Self {
        let packed = GzEncoder::new(Vec::new(), Compression::default());
        Self { packed, info: info.clone(), depth: None, field_order: FieldOrder::default(), open: None }
    }

    /// Returns the start of the report.
    ///
    /// # Errors
    /// Returns an error if compression fails, which no input causes.
    pub fn head(&mut self) -> io::Result<Vec<u8>> {
        self.pack(&format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Created by Histoscope {} -->\n\
             <ffprobe:ffprobe xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' \
             xmlns:ffprobe='http://www.ffmpeg.org/schema/ffprobe' \
             xsi:schemaLocation='http://www.ffmpeg.org/schema/ffprobe ffprobe.xsd'>\n    <frames>\n",
            env!("CARGO_PKG_VERSION")
        ))
    }

    /// Takes a frame and returns what is ready of the elements before it.
    ///
    /// # Errors
    /// Returns an error if compression fails, which no input causes.
    pub fn frame(&mut self, counted: &CountedFrame) -> io::Result<Vec<u8>> {
        let frame = &counted.frame;
        self.depth.get_or_insert(frame.depth);
        let signal = counted.counts.signal.as_ref();
        let texture = signal.and_then(|signal| signal.texture.as_ref());
        let combing = texture.map(|texture| texture.combing).unwrap_or_default();
        let before = self.ended(Some(&combing));
        let mut text = frame_start(frame, self.info.stream);
        let tags =
            signal.into_iter().flat_map(Signal::tags).map(|(name, value)| (format!("signalstats.{name}"), value));
        let others = texture.iter().flat_map(|texture| texture.others.iter().cloned());
        tags.chain(others).for_each(|tag| add_tag(&mut text, &tag));
        self.open = Some((text, combing));
        self.pack(&before)
    }

    /// Returns the frame that is not written yet, for the field order depends on the one after it.
    fn ended(&mut self, next: Option<&Combing>) -> String {
        let Some((mut text, combing)) = self.open.take() else { return String::new() };
        self.field_order.push(&combing, next).iter().for_each(|tag| add_tag(&mut text, tag));
        text + "        </frame>\n"
    }

    /// Returns the end of the report: the stream, the file with its size, and the summary of the run as a comment.
    ///
    /// # Errors
    /// Returns an error if compression fails, which no input causes.
    pub fn tail(&mut self, bytes: Option<u64>, told: &str) -> io::Result<Vec<u8>> {
        let last = self.ended(None);
        let text = format!(
            "{last}    </frames>\n\n    <streams>\n{}    </streams>\n\n{}\n    <!-- {} -->\n</ffprobe:ffprobe>\n",
            stream(&self.info, self.depth),
            file(&self.info, bytes),
            // Two hyphens would end the XML comment.
            told.replace("--", "-\u{2010}")
        );
        self.packed.write_all(text.as_bytes())?;
        let last = std::mem::replace(&mut self.packed, GzEncoder::new(Vec::new(), Compression::default()));
        last.finish()
    }

    /// Compresses a piece and returns the bytes that are ready.
    fn pack(&mut self, text: &str) -> io::Result<Vec<u8>> {
        self.packed.write_all(text.as_bytes())?;
        Ok(std::mem::take(self.packed.get_mut()))
    }
}

/// Adds the element of a value.
fn add_tag(text: &mut String, (name, value): &(String, String)) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "            <tag key=\"lavfi.{name}\" value=\"{value}\"/>");
}

fn frame_start(frame: &FrameDescription, stream: usize) -> String {
    let facts = &frame.facts;
    let time = facts.time_base.times(facts.pts_ticks);
    let mut text = "        <frame".to_owned();
    for (name, value) in [
        ("media_type", "video".to_owned()),
        ("stream_index", stream.to_string()),
        ("key_frame", u8::from(facts.key).to_string()),
        ("pkt_pts", facts.pts_ticks.to_string()),
        ("pkt_pts_time", format!("{time:.6}")),
        ("pkt_duration_time", format!("{:.6}", facts.duration_secs)),
        ("width", frame.size.0.to_string()),
        ("height", frame.size.1.to_string()),
        ("pix_fmt", facts.source.pixel_format.clone()),
        ("pict_type", facts.picture_type.unwrap_or('?').to_string()),
    ] {
        attribute(&mut text, name, &value);
    }
    text + ">\n"
}

fn stream(info: &StreamInfo, depth: Option<u8>) -> String {
    let (width, height) = info.coded_size;
    let aspect = info.sample_aspect.value;
    let rate = |rate: Option<Ratio>| rate.map(|rate| format!("{}/{}", rate.num, rate.den));
    let mut text = "        <stream".to_owned();
    for (name, value) in [
        ("index", Some(info.stream.to_string())),
        ("codec_name", Some(info.codec.clone())),
        ("codec_type", Some("video".to_owned())),
        // QCTools parses this attribute without checking that it exists.
        (
            "codec_time_base",
            info.average_rate.map(|rate| format!("{}/{}", rate.den, rate.num)).or(Some("0/1".to_owned())),
        ),
        ("bits_per_raw_sample", depth.map(|depth| depth.to_string())),
        ("width", Some(width.to_string())),
        ("height", Some(height.to_string())),
        ("sample_aspect_ratio", Some(format!("{}:{}", aspect.num, aspect.den))),
        ("pix_fmt", Some(info.pixel_format.clone())),
        ("r_frame_rate", rate(info.nominal_rate)),
        ("avg_frame_rate", rate(info.average_rate)),
        ("time_base", Some(format!("{}/{}", info.time_base.num, info.time_base.den))),
        ("start_pts", Some(info.start_ticks.to_string())),
        ("start_time", Some(format!("{:.6}", info.time_base.times(info.start_ticks)))),
    ] {
        value.into_iter().for_each(|value| attribute(&mut text, name, &value));
    }
    text + "/>\n"
}

fn file(info: &StreamInfo, bytes: Option<u64>) -> String {
    // QCTools parses the size as a 32-bit integer and fails if it does not fit.
    let size = bytes.and_then(|bytes| i32::try_from(bytes).ok());
    let mut text = "    <format".to_owned();
    for (name, value) in [
        ("filename", Some(public(&info.path).display().to_string())),
        ("format_name", Some(info.container.clone())),
        ("start_time", Some(format!("{:.6}", info.time_base.times(info.start_ticks)))),
        ("duration", info.duration_secs.map(|secs| format!("{secs:.6}"))),
        ("size", size.map(|bytes| bytes.to_string())),
    ] {
        value.into_iter().for_each(|value| attribute(&mut text, name, &value));
    }
    text + "/>\n"
}

/// Adds an attribute.
fn attribute(text: &mut String, name: &str, value: &str) {
    // Writing to a string cannot fail.
    let _ = write!(text, " {name}=\"{}\"", escaped(value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribute_values_are_escaped() {
        let mut text = String::new();
        attribute(&mut text, "filename", "a & \"b\" <c>\u{7}é");
        assert_eq!(text, " filename=\"a &amp; &quot;b&quot; &lt;c&gt;\u{fffd}é\"");
    }
}

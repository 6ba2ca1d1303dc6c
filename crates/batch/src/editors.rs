//! Findings and shots for editing programs: an edit decision list, FCPXML and OpenTimelineIO.
//!
//! Places on a timeline are counted from its start at the clip's average rate, so that those of a variable rate keep
//! their times.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use histoscope_core::picture::{Ratio, Timecode, TimecodeRate, Timecodes};
use histoscope_media::StreamInfo;
use serde_json::{Value, json};

use crate::xml::escaped;

/// A format for editing programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditorFormat {
    /// An edit decision list (CMX 3600), whose markers are those of DaVinci Resolve.
    Edl,
    /// FCPXML 1.10, of Final Cut Pro.
    Fcpxml,
    /// OpenTimelineIO as JSON.
    Otio,
}

impl EditorFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Edl, Self::Fcpxml, Self::Otio];

    /// Returns the extension of its files.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Edl => "edl",
            Self::Fcpxml => "fcpxml",
            Self::Otio => "otio",
        }
    }

    /// Returns the format that matches a path's extension, if any.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(ending))
    }
}

/// A clip as editing programs see it.
#[derive(Debug, Clone)]
pub struct SourceClip {
    /// The file.
    pub path: PathBuf,
    /// Its name for people.
    pub name: String,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Average frames per second, if known.
    pub rate: Option<Ratio>,
    /// Timecode of the first frame and the rate of the timecodes: the file's own, or counted from one hour.
    pub labels: Option<(Timecode, TimecodeRate)>,
    /// Its length in seconds.
    pub secs: f64,
}

/// The colour of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerColor {
    /// For errors.
    Red,
    /// For warnings.
    Yellow,
    /// For facts.
    Blue,
    /// For what has been waived.
    Green,
}

impl MarkerColor {
    const fn name(self) -> &'static str {
        match self {
            Self::Red => "Red",
            Self::Yellow => "Yellow",
            Self::Blue => "Blue",
            Self::Green => "Green",
        }
    }
}

/// A marker.
#[derive(Debug, Clone)]
pub struct Marker {
    /// Time at which it begins and ends, in seconds.
    pub secs: [f64; 2],
    /// The timecode of its first frame, if the frame has its own.
    pub timecode: Option<Timecode>,
    /// What is marked.
    pub text: String,
    /// Its colour.
    pub color: MarkerColor,
}

impl SourceClip {
    /// Returns the clip of a file with pictures of this size that lasts this long.
    #[must_use]
    pub fn of(info: &StreamInfo, name: &str, size: (u32, u32), secs: f64) -> Self {
        let hour = Timecode { hours: 1, minutes: 0, seconds: 0, frames: 0, drop: false };
        let labels = match (info.timecodes, info.average_rate) {
            (Some(Timecodes { first, rate, .. }), _) => Some((first, rate)),
            (None, Some(Ratio { num, den })) => TimecodeRate::of(num, den).map(|rate| (hour, rate)),
            (None, None) => None,
        };
        let (path, rate) = (info.path.clone(), info.average_rate);
        Self { path, name: name.to_owned(), size, rate, labels, secs }
    }

    /// Returns the markers in a format.
    #[must_use]
    pub fn with_markers(&self, format: EditorFormat, markers: &[Marker]) -> String {
        match format {
            EditorFormat::Edl => self.edl(&[], markers),
            EditorFormat::Fcpxml => self.fcpxml(&[[0.0, self.secs]], markers),
            EditorFormat::Otio => self.otio(&[[0.0, self.secs]], markers),
        }
    }

    /// Returns the clip divided into shots, each from its start to its end in seconds.
    #[must_use]
    pub fn with_shots(&self, format: EditorFormat, shots: &[[f64; 2]]) -> String {
        match format {
            EditorFormat::Edl => self.edl(shots, &[]),
            EditorFormat::Fcpxml => self.fcpxml(shots, &[]),
            EditorFormat::Otio => self.otio(shots, &[]),
        }
    }

    /// Returns the rate; a thousand per second if none is known.
    fn rate(&self) -> Ratio {
        self.rate.filter(|rate| rate.num > 0 && rate.den > 0).unwrap_or(Ratio { num: 1000, den: 1 })
    }

    /// Returns the number of the frame at a time, from the start of the clip.
    fn frame(&self, secs: f64) -> u64 {
        (secs * self.rate().value()).round().max(0.0) as u64
    }

    /// Returns the frames of a span, at least one.
    fn frames(&self, [start, end]: [f64; 2]) -> (u64, u64) {
        let first = self.frame(start);
        (first, self.frame(end).saturating_sub(first).max(1))
    }

    /// Returns the number of the first frame on the timeline.
    fn start(&self) -> u64 {
        self.labels.and_then(|(first, rate)| rate.number(first)).unwrap_or(0).into()
    }

    /// Returns an edit decision list, with markers in the form in which DaVinci Resolve exports and imports those of a
    /// timeline.
    fn edl(&self, shots: &[[f64; 2]], markers: &[Marker]) -> String {
        let mode = if self.labels.is_some_and(|(first, _)| first.drop) { "DROP FRAME" } else { "NON-DROP FRAME" };
        let mut text = format!("TITLE: {}\nFCM: {mode}\n", self.name);
        // Without a frame rate, there are no timecodes.
        let Some((first, rate)) = self.labels else { return text };
        let at = |frame| rate.after(first, frame).unwrap_or(first);
        for (shot, number) in shots.iter().zip(1..) {
            let (begin, frames) = self.frames(*shot);
            let (begin, end) = (at(begin), at(begin + frames));
            let _ = write!(text, "\n{number:03}  AX       V     C        {begin} {end} {begin} {end}  \n");
            let _ = writeln!(text, "* FROM CLIP NAME: {}", self.name);
        }
        for (marker, number) in markers.iter().zip(1..) {
            let (begin, frames) = self.frames(marker.secs);
            let begin = marker.timecode.unwrap_or_else(|| at(begin));
            let end = rate.after(begin, 1).unwrap_or(begin);
            // A bar ends the name of a marker.
            let words = marker.text.replace('|', "/");
            let _ = write!(text, "\n{number:03}  001      V     C        {begin} {end} {begin} {end}  \n");
            let _ = writeln!(text, " |C:ResolveColor{} |M:{words} |D:{frames}", marker.color.name());
        }
        text
    }

    /// Returns a timeline of OpenTimelineIO. Its times are those of the clip's timecodes.
    fn otio(&self, pieces: &[[f64; 2]], markers: &[Marker]) -> String {
        let rate = self.rate().value();
        let time = |value: u64| json!({ "OTIO_SCHEMA": "RationalTime.1", "rate": rate, "value": value as f64 });
        let range = |first: u64, frames: u64| json!({ "OTIO_SCHEMA": "TimeRange.1", "start_time": time(first), "duration": time(frames) });
        let start = self.start();
        let whole = range(start, self.frame(self.secs).max(1));
        let media = json!({
            "OTIO_SCHEMA": "ExternalReference.1", "metadata": {}, "name": self.name,
            "available_range": whole, "target_url": self.url(),
        });
        let marker = |marker: &Marker| {
            let (first, frames) = self.frames(marker.secs);
            json!({
                "OTIO_SCHEMA": "Marker.2", "metadata": {}, "name": marker.text, "comment": "",
                "color": marker.color.name().to_uppercase(), "marked_range": range(start + first, frames),
            })
        };
        let clip = |(piece, number): (&[f64; 2], usize)| {
            let (first, frames) = self.frames(*piece);
            let name = if pieces.len() > 1 { format!("{} {number}", self.name) } else { self.name.clone() };
            json!({
                "OTIO_SCHEMA": "Clip.1", "metadata": {}, "name": name, "effects": [],
                "source_range": range(start + first, frames), "media_reference": media,
                "markers": markers.iter().map(marker).collect::<Vec<Value>>(),
            })
        };
        let plain = |schema: &str, name: &str, children: Value| {
            json!({
                "OTIO_SCHEMA": schema, "metadata": {}, "name": name, "source_range": null, "effects": [],
                "markers": [], "children": children,
            })
        };
        let clips = pieces.iter().zip(1..).map(clip).collect::<Vec<Value>>();
        let mut track = plain("Track.1", "Video 1", clips.into());
        track["kind"] = "Video".into();
        let timeline = json!({
            "OTIO_SCHEMA": "Timeline.1", "metadata": {}, "name": self.name, "global_start_time": time(start),
            "tracks": plain("Stack.1", "tracks", json!([track])),
        });
        format!("{timeline:#}\n")
    }

    /// Returns a project of Final Cut Pro. Its markers have no colours of their own: errors are to-do items, and what
    /// is waived is a to-do item that is done.
    fn fcpxml(&self, pieces: &[[f64; 2]], markers: &[Marker]) -> String {
        let Ratio { num, den } = self.rate();
        let time = |frames: u64| match frames * u64::from(den) {
            0 => "0s".to_owned(),
            parts => format!("{parts}/{num}s"),
        };
        let (name, url) = (escaped(&self.name), escaped(&self.url()));
        let (start, length) = (self.start(), self.frame(self.secs).max(1));
        let (width, height) = self.size;
        let mode = if self.labels.is_some_and(|(first, _)| first.drop) { "DF" } else { "NDF" };
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE fcpxml>\n<fcpxml version=\"1.10\">\n  <resources>\n    \
             <format id=\"r1\" frameDuration=\"{den}/{num}s\" width=\"{width}\" height=\"{height}\"/>\n    \
             <asset id=\"r2\" name=\"{name}\" start=\"{0}\" duration=\"{1}\" hasVideo=\"1\" format=\"r1\">\n      \
             <media-rep kind=\"original-media\" src=\"{url}\"/>\n    </asset>\n  </resources>\n  <library>\n    \
             <event name=\"{name}\">\n      <project name=\"{name}\">\n        <sequence format=\"r1\" \
             tcStart=\"{0}\" tcFormat=\"{mode}\" duration=\"{1}\">\n          <spine>\n",
            time(start),
            time(length),
        );
        for piece in pieces {
            let (first, frames) = self.frames(*piece);
            let at = time(start + first);
            let _ = writeln!(
                text,
                "            <asset-clip ref=\"r2\" name=\"{name}\" offset=\"{at}\" start=\"{at}\" duration=\"{}\" \
                 format=\"r1\" tcFormat=\"{mode}\">",
                time(frames),
            );
            for marker in markers {
                let (first, frames) = self.frames(marker.secs);
                let kind = match marker.color {
                    MarkerColor::Red => " completed=\"0\"",
                    MarkerColor::Yellow | MarkerColor::Blue => "",
                    MarkerColor::Green => " completed=\"1\"",
                };
                let (at, length, words) = (time(start + first), time(frames), escaped(&marker.text));
                let _ = writeln!(
                    text,
                    "              <marker start=\"{at}\" duration=\"{length}\" value=\"{words}\"{kind}/>"
                );
            }
            text.push_str("            </asset-clip>\n");
        }
        text + "          </spine>\n        </sequence>\n      </project>\n    </event>\n  </library>\n</fcpxml>\n"
    }

    /// Returns the file's place as an address.
    fn url(&self) -> String {
        let path = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let path = path.to_string_lossy().replace('\\', "/");
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte);
        let mut url = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
        for byte in path.bytes() {
            if is_plain(byte) {
                url.push(char::from(byte));
            } else {
                let _ = write!(url, "%{byte:02X}");
            }
        }
        url
    }
}

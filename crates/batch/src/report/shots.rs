//! The shots of a clip as a table, in the format that `PySceneDetect` writes and reads.
//!
//! The first row lists the times of the cuts, the second one the column names, and each further row describes a shot.
//! Frames are numbered from 1. A shot's end frame is its own last frame, but its end time is the start of the next
//! shot. The columns that `PySceneDetect` calls timecodes contain times. The video's own timecodes, if it has any, are
//! in additional columns for a shot's first and last frame. Measured light is in further columns.
//!
//! As JSON, shots have the numbers of their first and last frames, counted from 0.

use std::path::Path;

use super::clip::Clip;
use crate::editors::{EditorFormat, SourceClip};
use histoscope_core::histogram::LightFigures;
use histoscope_core::strip::TimecodeRuns;
use serde::Serialize;

/// Column names, as in `PySceneDetect`.
const COLUMNS: [&str; 10] = [
    "Scene Number",
    "Start Frame",
    "Start Timecode",
    "Start Time (seconds)",
    "End Frame",
    "End Timecode",
    "End Time (seconds)",
    "Length (frames)",
    "Length (timecode)",
    "Length (seconds)",
];

/// Names of the additional columns for a video with timecodes.
const TIMECODE_COLUMNS: [&str; 2] = ["Start SMPTE Timecode", "End SMPTE Timecode"];

/// Names of the additional columns for measured light.
const LIGHT_COLUMNS: [&str; 4] =
    ["Light Max (cd/m2)", "Light Max 99.99% (cd/m2)", "Light Max Average (cd/m2)", "Light Average (cd/m2)"];

/// The light of frames in cd/m²: number, brightest pixel, light of 99.99 % of the pixels, and average.
#[derive(Debug, Clone, Default)]
pub struct ShotLights(Vec<(u64, [f64; 3])>);

/// The light of a shot in cd/m².
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ShotLight {
    /// Light of the brightest pixel.
    pub max_cd_m2: f64,
    /// Largest light that 99.99 % of a frame's pixels do not exceed.
    pub max_9999_cd_m2: f64,
    /// Largest average of a frame.
    pub max_average_cd_m2: f64,
    /// Mean of the frames' averages.
    pub average_cd_m2: f64,
}

impl ShotLights {
    /// Adds the next frame.
    pub fn add(&mut self, number: u64, light: &LightFigures) {
        self.0.push((number, [light.max, light.max_9999, light.average]));
    }

    /// Returns the light of a shot; `None` if it is unknown in all of its frames.
    fn of(&self, (begin, end): &(Edge, Edge)) -> Option<ShotLight> {
        let [from, to] = [begin, end].map(|edge| self.0.partition_point(|&(number, _)| number < edge.frame));
        let frames = self.0.get(from..to).filter(|frames| !frames.is_empty())?;
        let most = |at: usize| frames.iter().map(|(_, light)| light[at]).fold(0.0, f64::max);
        let average = frames.iter().map(|(_, light)| light[2]).sum::<f64>() / frames.len() as f64;
        Some(ShotLight {
            max_cd_m2: most(0),
            max_9999_cd_m2: most(1),
            max_average_cd_m2: most(2),
            average_cd_m2: average,
        })
    }
}

/// The format of a list of shots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShotFormat {
    /// A table of comma-separated values.
    Csv,
    /// JSON.
    Json,
    /// A list for an editing program.
    Editor(EditorFormat),
}

impl ShotFormat {
    /// Returns the format that matches a path's extension, if any.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            _ => EditorFormat::of(path).map(Self::Editor),
        }
    }
}

/// Returns the shots of a clip in a format. Light is that of its frames, if it was measured.
#[must_use]
pub fn written(clip: &Clip, lights: Option<&ShotLights>, source: &SourceClip, format: ShotFormat) -> String {
    let shots = shots(clip);
    match format {
        ShotFormat::Csv => table(&shots, &clip.timecodes, lights),
        ShotFormat::Json => json(&shots, &clip.timecodes, lights, &source.name),
        ShotFormat::Editor(format) => {
            let secs = |edge: Edge| edge.millis as f64 / 1000.0;
            source.with_shots(format, &shots.iter().map(|&(begin, end)| [secs(begin), secs(end)]).collect::<Vec<_>>())
        }
    }
}

/// The shots of a video as JSON.
#[derive(Serialize)]
struct ShotList<'a> {
    schema: u32,
    input: &'a str,
    shots: Vec<JsonShot>,
}

/// A shot as JSON.
#[derive(Serialize)]
struct JsonShot {
    first_frame: u64,
    last_frame: u64,
    start_seconds: f64,
    end_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_timecode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_timecode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    light: Option<Option<ShotLight>>,
}

fn json(shots: &[(Edge, Edge)], timecodes: &TimecodeRuns, lights: Option<&ShotLights>, name: &str) -> String {
    let secs = |edge: &Edge| edge.millis as f64 / 1000.0;
    let timecode = |frame| timecodes.timecode_of(frame).map(|timecode| timecode.to_string());
    let shot = |shot: &(Edge, Edge)| JsonShot {
        first_frame: shot.0.frame,
        last_frame: shot.1.frame.saturating_sub(1),
        start_seconds: secs(&shot.0),
        end_seconds: secs(&shot.1),
        start_timecode: timecode(shot.0.frame),
        end_timecode: timecode(shot.1.frame.saturating_sub(1)),
        light: lights.map(|lights| lights.of(shot)),
    };
    let list = ShotList { schema: 1, input: name, shots: shots.iter().map(shot).collect() };
    serde_json::to_string_pretty(&list).map_or_else(|_| String::new(), |text| text + "\n")
}

/// A boundary between two frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Number of the frame after the boundary, from 0.
    pub frame: u64,
    /// Start of that frame, in milliseconds from the first frame of the video.
    pub millis: u64,
}

impl Edge {
    fn new(frame: u64, secs: f64) -> Self {
        Self { frame, millis: (secs.max(0.0) * 1000.0).round() as u64 }
    }
}

/// Returns the shots of a clip, each as its start and end. For a part of a video, they lie within that part.
#[must_use]
pub fn shots(clip: &Clip) -> Vec<(Edge, Edge)> {
    let columns = clip.columns.as_slice();
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else { return Vec::new() };
    let cuts = clip.cuts.iter().map(|cut| Edge::new(cut.frame, cut.time_secs));
    let begin = std::iter::once(Edge::new(first.first_frame, clip.begin_secs));
    let end = Edge::new(last.last_frame + 1, clip.end_secs);
    begin.chain(cuts.clone()).zip(cuts.chain([end])).collect()
}

/// Formats these shots as a table. `timecodes` and `lights` belong to the clip's frames.
fn table(shots: &[(Edge, Edge)], timecodes: &TimecodeRuns, lights: Option<&ShotLights>) -> String {
    let mut text = "Timecode List:".to_owned();
    for (begin, _) in shots.iter().skip(1) {
        text.push(',');
        text.push_str(&clock(begin.millis));
    }
    text.push('\n');
    let has_timecodes = !timecodes.listed().is_empty();
    let names = COLUMNS.into_iter().chain(TIMECODE_COLUMNS.into_iter().filter(|_| has_timecodes));
    let names = names.chain(LIGHT_COLUMNS.into_iter().filter(|_| lights.is_some()));
    text.push_str(&names.collect::<Vec<_>>().join(","));
    text.push('\n');
    for (shot, number) in shots.iter().zip(1..) {
        let (begin, end) = shot;
        let length = Edge { frame: end.frame - begin.frame, millis: end.millis.saturating_sub(begin.millis) };
        let mut cells = vec![
            format!("{number}"),
            format!("{},{}", begin.frame + 1, times(begin.millis)),
            format!("{},{}", end.frame, times(end.millis)),
            format!("{},{}", length.frame, times(length.millis)),
        ];
        if has_timecodes {
            let label = |frame| timecodes.timecode_of(frame).map_or_else(String::new, |timecode| timecode.to_string());
            cells.extend([label(begin.frame), label(end.frame.saturating_sub(1))]);
        }
        if let Some(lights) = lights {
            cells.extend(lights.of(shot).map_or_else(Default::default, |light| {
                let ShotLight { max_cd_m2, max_9999_cd_m2, max_average_cd_m2, average_cd_m2 } = light;
                [max_cd_m2, max_9999_cd_m2, max_average_cd_m2, average_cd_m2].map(|light| light.to_string())
            }));
        }
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

/// Formats a time both as hours, minutes and seconds, and in seconds.
fn times(millis: u64) -> String {
    format!("{},{}.{:03}", clock(millis), millis / 1000, millis % 1000)
}

fn clock(millis: u64) -> String {
    let secs = millis / 1000;
    format!("{:02}:{:02}:{:02}.{:03}", secs / 3600, secs / 60 % 60, secs % 60, millis % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::picture::{Timecode, TimecodeRate};

    #[test]
    fn every_shot_has_a_row() {
        let edges = [Edge::new(0, 0.0), Edge::new(25, 1.0), Edge::new(92_345, 3693.8)];
        let text = table(&[(edges[0], edges[1]), (edges[1], edges[2])], &TimecodeRuns::default(), None);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "Timecode List:,00:00:01.000");
        assert_eq!(lines[1], COLUMNS.join(","));
        assert_eq!(lines[2], "1,1,00:00:00.000,0.000,25,00:00:01.000,1.000,25,00:00:01.000,1.000");
        assert_eq!(lines[3], "2,26,00:00:01.000,1.000,92345,01:01:33.800,3693.800,92320,01:01:32.800,3692.800");
        assert_eq!((lines.len(), text.ends_with('\n')), (4, true));
    }

    #[test]
    fn timecodes_are_in_the_last_columns() {
        let rate = TimecodeRate::of(25, 1).unwrap();
        let mut timecodes = TimecodeRuns::default();
        for (frame, text) in [(0, "10:00:00:00"), (30, "11:00:00:00")] {
            timecodes.push((frame, 0.0, 0.0), Timecode::parse(text).map(|timecode| (timecode, rate)));
        }
        let text = table(
            &[(Edge::new(0, 0.0), Edge::new(25, 1.0)), (Edge::new(25, 1.0), Edge::new(50, 2.0))],
            &timecodes,
            None,
        );
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[1].ends_with("Length (seconds),Start SMPTE Timecode,End SMPTE Timecode"), "{text}");
        assert!(lines[2].ends_with(",1.000,10:00:00:00,10:00:00:24"), "{text}");
        assert!(lines[3].ends_with(",1.000,10:00:01:00,11:00:00:19"), "{text}");
    }

    #[test]
    fn times_are_rounded_and_never_negative() {
        assert_eq!(Edge::new(1, 0.04167).millis, 42);
        assert_eq!(Edge::new(1, -0.02).millis, 0);
        assert_eq!(clock(86_400_000 + 59_999), "24:00:59.999");
    }
}

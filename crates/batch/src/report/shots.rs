//! The shots of a clip as a table, in the format that `PySceneDetect` writes and reads.
//!
//! The first row lists the times of the cuts, the second one the column names, and each further row describes a shot.
//! Frames are numbered from 1. A shot's end frame is its own last frame, but its end time is the start of the next
//! shot. The columns that `PySceneDetect` calls timecodes contain times. The video's own timecodes, if it has any, are
//! in additional columns for a shot's first and last frame.

use super::clip::Clip;
use histoscope_core::strip::TimecodeRuns;

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

/// Formats these shots as a table. `timecodes` are those of the clip's frames.
#[must_use]
pub fn table(shots: &[(Edge, Edge)], timecodes: &TimecodeRuns) -> String {
    let mut text = "Timecode List:".to_owned();
    for (begin, _) in shots.iter().skip(1) {
        text.push(',');
        text.push_str(&clock(begin.millis));
    }
    text.push('\n');
    let has_timecodes = !timecodes.listed().is_empty();
    let names = COLUMNS.into_iter().chain(TIMECODE_COLUMNS.into_iter().filter(|_| has_timecodes));
    text.push_str(&names.collect::<Vec<_>>().join(","));
    text.push('\n');
    for ((begin, end), number) in shots.iter().zip(1..) {
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
        let text = table(&[(edges[0], edges[1]), (edges[1], edges[2])], &TimecodeRuns::default());
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
            timecodes.push((frame, 0.0), Timecode::parse(text).map(|timecode| (timecode, rate)));
        }
        let text =
            table(&[(Edge::new(0, 0.0), Edge::new(25, 1.0)), (Edge::new(25, 1.0), Edge::new(50, 2.0))], &timecodes);
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

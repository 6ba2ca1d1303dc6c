//! The tables of the page.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::analyze::thumbnails::Jpeg;
use crate::report::content::{CheckList, CheckRow, Fact, Report};
use crate::report::shots::{self, Edge};
use crate::report::times::{percent, time, whole};
use crate::report::tone::css_color;
use histoscope_core::histogram::ChannelStats;
use histoscope_core::picture::color::Origin;
use histoscope_core::sound::{ChannelSound, SoundSummary};
use histoscope_core::strip::channel_color;
use histoscope_core::strip::{Finding, Flaw, TimecodeBreak, TimecodeRun, WorstFrame};
use histoscope_core::text::{counted, sanitized};

/// A channel's name and colour.
pub struct ChannelName {
    pub name: &'static str,
    pub color: String,
}

/// A channel's row in the table for the whole clip.
pub struct ChannelRow {
    pub channel: ChannelName,
    pub cells: Vec<String>,
}

/// The figures of the sound, as text.
pub struct SoundTable {
    /// The figures of all channels, with their names.
    pub whole: Vec<(&'static str, String)>,
    /// The number of each channel, and its figures.
    pub channels: Vec<(usize, [String; 5])>,
}

impl SoundTable {
    pub fn of(sound: &SoundSummary) -> Self {
        let number = |value: Option<f64>, unit: &str| {
            value.map_or_else(|| "none".to_owned(), |value| format!("{value:.1} {unit}"))
        };
        let mut figures = vec![
            ("integrated loudness", number(sound.integrated_lufs, "LUFS")),
            ("loudness range", number(sound.range_lu, "LU")),
            ("highest short-term loudness", number(sound.max_short_term_lufs, "LUFS")),
            ("highest momentary loudness", number(sound.max_momentary_lufs, "LUFS")),
            ("true peak", number(sound.true_peak_dbtp, "dBTP")),
        ];
        figures.extend(
            sound
                .correlation
                .map(|correlation| ("correlation of channels 1 and 2", format!("{:.2}", correlation + 0.0))),
        );
        figures.push((
            "track",
            format!(
                "{}, {} Hz, from {} to {}",
                sound.track,
                whole(sound.rate.into()),
                time(sound.begin_secs),
                time(sound.end_secs)
            ),
        ));
        let level = |value: Option<f64>| value.map_or_else(|| "silent".to_owned(), |value| format!("{value:.1}"));
        let channel = |channel: &ChannelSound| {
            [
                level(channel.sample_peak_dbfs),
                level(channel.true_peak_dbtp),
                level(channel.rms_dbfs),
                format!("{:.5}", channel.dc),
                whole(channel.clipped),
            ]
        };
        Self {
            whole: figures,
            channels: sound.channels.iter().map(channel).enumerate().map(|(index, cells)| (index + 1, cells)).collect(),
        }
    }
}

/// A fact about the video.
pub struct FactLine {
    pub name: &'static str,
    pub value: String,
    pub origin: Option<Origin>,
}

/// A thumbnail embedded in the page.
pub struct PictureParts {
    pub width: u32,
    pub height: u32,
    pub jpeg: String,
}

impl PictureParts {
    fn of(picture: &Jpeg) -> Self {
        Self { width: picture.width, height: picture.height, jpeg: BASE64.encode(&picture.bytes) }
    }
}

/// The card of a shot.
pub struct ShotCard {
    pub number: String,
    pub secs: f64,
    /// Start of the shot.
    pub time: String,
    /// The first frame of the shot, as a number for scripts and as text for display.
    pub frame: u64,
    pub frame_text: String,
    /// The first frame's timecode.
    pub timecode: Option<String>,
    pub length: String,
    pub frames: String,
    /// The change at the cut before the shot, if there is one.
    pub change: Option<String>,
    pub picture: Option<PictureParts>,
}

/// A frame in the table of worst frames.
pub struct FrameLine {
    pub secs: f64,
    pub time: String,
    pub frame: String,
    pub share: String,
    pub channel: ChannelName,
    pub picture: Option<PictureParts>,
}

/// A break in the timecodes.
pub struct BreakLine {
    pub secs: f64,
    pub time: String,
    pub frame: String,
    /// The timecode found, and the one that was expected.
    pub found: String,
    pub expected: String,
}

/// The result of a check.
pub struct CheckTable {
    pub verdict: String,
    pub has_passed: bool,
    pub rows: Vec<CheckLine>,
}

/// A finding of a check.
pub struct CheckLine {
    pub secs: Option<f64>,
    pub frame: String,
    /// Start and end: time, and frame with timecode.
    pub ends: [(String, String); 2],
    pub text: String,
    pub value: String,
    pub severity: &'static str,
    /// The class of the severity in the page's style.
    pub class: &'static str,
    /// By whom and why it was waived, if it was.
    pub waived: Option<String>,
    pub picture: Option<PictureParts>,
}

/// A segment of frames with a finding.
pub struct FindingLine {
    pub picture: Option<PictureParts>,
    pub secs: f64,
    pub name: &'static str,
    pub begin: String,
    pub end: String,
    pub first: String,
    pub frames: String,
    /// The largest share, if the finding has one, and its channel.
    pub share: Option<(String, ChannelName)>,
}

/// The worst frames of one kind of flaw.
pub struct FlawList {
    pub name: &'static str,
    pub title: &'static str,
    pub rows: Vec<FrameLine>,
}

fn channel_name(report: &Report, channel: usize) -> ChannelName {
    let name = report.clip.components.channel_names().get(channel).copied().unwrap_or_default();
    ChannelName { name, color: css_color(channel_color(report.clip.components, channel)) }
}

/// Returns the rows of figures for the whole clip.
pub fn figures(report: &Report) -> Vec<ChannelRow> {
    let row = |(channel, (_, stats)): (usize, (&str, ChannelStats))| {
        let outside = stats.below_range.map_or_else(|| "–".to_owned(), |_| percent(stats.share_out_of_range));
        let levels = [stats.min, stats.p1, stats.median, stats.p99, stats.max].map(|level| level.to_string());
        let codes = [stats.mean, stats.std_dev].map(|code| format!("{code:.2}"));
        let shares = [stats.share_lowest, stats.share_highest].map(percent);
        let cells = levels.into_iter().chain(codes).chain(shares).chain([outside]).collect();
        ChannelRow { channel: channel_name(report, channel), cells }
    };
    report.clip.histogram.stats().enumerate().map(row).collect()
}

/// Returns the facts about the video.
pub fn facts(report: &Report) -> Vec<FactLine> {
    let line = |fact: &Fact| FactLine { name: fact.name, value: sanitized(&fact.value), origin: fact.origin };
    report.facts.iter().map(line).collect()
}

/// Returns the shots that end at a listed cut, or all shots if every cut is listed.
pub fn shots(report: &Report) -> Vec<ShotCard> {
    let clip = &report.clip;
    let listed = clip.listed_cuts().len() as u64;
    let most = if listed == clip.cuts_found { usize::MAX } else { listed as usize };
    let card = |(at, (begin, end)): (usize, (Edge, Edge))| {
        let cut = at.checked_sub(1).and_then(|before| clip.cuts.get(before));
        let secs = cut.map_or(clip.begin_secs, |cut| cut.time_secs);
        ShotCard {
            number: whole(at as u64 + 1),
            secs,
            time: time(secs),
            frame: begin.frame,
            frame_text: whole(begin.frame),
            timecode: clip.timecodes.timecode_of(begin.frame).map(|timecode| timecode.to_string()),
            length: time(end.millis.saturating_sub(begin.millis) as f64 / 1000.0),
            frames: counted(end.frame - begin.frame, "frame"),
            change: cut.map(|cut| percent(cut.distance)),
            picture: report.thumbnails.shot(begin.frame).map(PictureParts::of),
        }
    };
    shots::shots(clip).into_iter().take(most).enumerate().map(card).collect()
}

/// Returns the worst frames.
pub fn worst(report: &Report) -> Vec<FlawList> {
    let line = |worst: &WorstFrame| FrameLine {
        secs: worst.time_secs,
        time: time(worst.time_secs),
        frame: whole(worst.frame),
        share: percent(worst.share.share),
        channel: channel_name(report, worst.share.channel),
        picture: report.thumbnails.worst(worst.frame).map(PictureParts::of),
    };
    let lists = Flaw::ALL.into_iter().zip(&report.clip.worst);
    lists
        .map(|(flaw, worst)| FlawList {
            name: flaw.name(),
            title: flaw.title(),
            rows: worst.iter().map(line).collect(),
        })
        .collect()
}

/// Returns the result of a check, if there was one.
pub fn check(report: &Report) -> Option<CheckTable> {
    let line = |row: &CheckRow| CheckLine {
        secs: row.begin.map(|(_, secs)| secs),
        frame: row.begin.map_or_else(String::new, |(frame, _)| whole(frame)),
        ends: row.ends.clone(),
        text: row.text.clone(),
        value: row.value.clone(),
        severity: row.severity,
        class: if row.waived.is_some() { "waived" } else { row.severity },
        waived: row.waived.clone(),
        picture: row.begin.and_then(|(frame, _)| report.thumbnails.begun(frame)).map(PictureParts::of),
    };
    let CheckList { verdict, has_passed, rows } = report.check.as_ref()?;
    Some(CheckTable { verdict: verdict.clone(), has_passed: *has_passed, rows: rows.iter().map(line).collect() })
}

/// Maximum number of segments listed.
pub const MAX_SEGMENTS: usize = 500;

/// Returns the first black, frozen and clipped segments and flashes of the clip.
pub fn segments(report: &Report) -> Vec<FindingLine> {
    let line = |finding: &Finding| FindingLine {
        picture: report.thumbnails.begun(finding.frame).map(PictureParts::of),
        secs: finding.start_secs,
        name: finding.kind.name(),
        begin: time(finding.start_secs),
        end: time(finding.end_secs),
        first: whole(finding.frame),
        frames: counted(finding.frames(), "frame"),
        share: finding.worst.map(|worst| (percent(worst.share.share), channel_name(report, worst.share.channel))),
    };
    report.clip.segments.iter().map(line).take(MAX_SEGMENTS).collect()
}

/// Maximum number of timecode breaks listed.
const MAX_BREAKS: usize = 100;

/// Returns the first timecode breaks in the clip.
pub fn breaks(report: &Report) -> Vec<BreakLine> {
    let line = |run: &TimecodeRun| {
        let TimecodeBreak { expected, found } = run.broken?;
        Some(BreakLine {
            secs: run.time_secs,
            time: time(run.time_secs),
            frame: whole(run.frame),
            found: found.to_string(),
            expected: expected.to_string(),
        })
    };
    report.clip.timecodes.listed().iter().filter_map(line).take(MAX_BREAKS).collect()
}

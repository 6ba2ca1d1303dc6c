//! The content of a report: the clip, and facts about the video and its counts like those
//! in the window's info panel.

use super::clip::Clip;
use super::thumbnails::Thumbnails;
use super::times;
use crate::analyze::light::LightSummary;
use crate::analyze::stated_light::StatedLightSummary;
use crate::fields::FrameDescription;
use histoscope_core::histogram::{Components, LightScale};
use histoscope_core::picture::color::Origin;
use histoscope_core::picture::{Scan, Timecodes};
use histoscope_core::scopes::ScopeSums;
use histoscope_core::scopes::graticule::Scale;
use histoscope_core::sound::SoundSummary;
use histoscope_core::text::standard;
use histoscope_media::StreamInfo;

/// The content of a report.
#[derive(Debug)]
pub struct Report {
    /// File name of the video, without its folder.
    pub name: String,
    /// Facts about the video.
    pub facts: Vec<Fact>,
    /// Notes required to interpret the counts: damage, missing frames, other bit depths. One sentence each.
    pub notes: Vec<String>,
    /// The clip.
    pub clip: Clip,
    /// The relation between codes and light in the clip's first frame, if it is known.
    pub light: Option<LightScale>,
    /// Thumbnails of some of the clip's frames.
    pub thumbnails: Thumbnails,
    /// The clip's summed scopes, if requested.
    pub scopes: ScopeSums,
    /// The figures of its sound, if it was measured.
    pub sound: Option<SoundSummary>,
    /// The result of a check, if the page is one of a check.
    pub check: Option<CheckList>,
}

/// The result of a check, as text for the page.
#[derive(Debug, Clone, Default)]
pub struct CheckList {
    /// Whether the file has passed, and by which profile.
    pub verdict: String,
    /// `true` if it has.
    pub has_passed: bool,
    /// The findings, the most severe first.
    pub rows: Vec<CheckRow>,
}

/// A finding of a check.
#[derive(Debug, Clone, Default)]
pub struct CheckRow {
    /// Number of the first frame, and the time at which it begins in seconds; `None` if it is about the whole file.
    pub begin: Option<(u64, f64)>,
    /// Start and end: time, and frame with timecode.
    pub ends: [(String, String); 2],
    /// Severity.
    pub severity: &'static str,
    /// By whom and why it was waived, if it was.
    pub waived: Option<String>,
    /// The finding in words.
    pub text: String,
    /// The value against the threshold; empty if there is none.
    pub value: String,
}

impl Report {
    /// Returns the scale of a channel: in cd/m² if its light is known, otherwise in percent.
    pub(super) fn scale(&self, channel: usize) -> Scale {
        Scale::new(self.clip.components, channel, self.clip.range, self.clip.bits).with_light(self.light)
    }

    /// Returns the line below the title, which describes the video.
    pub(super) fn subtitle(&self) -> String {
        let fact = |name: &str| self.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.as_str());
        let parts = ["codec", "size", "pixel format", "frame rate"].into_iter().filter_map(fact);
        let clip = &self.clip;
        let frames =
            if clip.frames == 1 { "1 frame".to_owned() } else { format!("{} frames", times::whole(clip.frames)) };
        let span = match clip.begin_secs {
            begin if begin > 0.0005 => format!("{} to {}", times::time(begin), times::time(clip.end_secs)),
            _ => times::time(clip.end_secs),
        };
        parts.map(str::to_owned).chain([frames, span]).collect::<Vec<_>>().join("  ·  ")
    }

    /// Returns the number of cuts and the threshold used to find them.
    pub(super) fn cuts_text(&self) -> String {
        let number = match self.clip.cuts_found {
            0 => "no cuts".to_owned(),
            1 => "1 cut".to_owned(),
            many => format!("{} cuts", times::whole(many)),
        };
        format!("{number}, at changes of {:.1} % or more", self.clip.threshold * 100.0)
    }
}

/// A fact about the video.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Name of the fact.
    pub name: &'static str,
    /// Value of the fact.
    pub value: String,
    /// Origin of the value, if relevant.
    pub origin: Option<Origin>,
}

const fn plain(name: &'static str, value: String) -> Fact {
    Fact { name, value, origin: None }
}

/// Returns the facts about a video whose first frame is `frame`.
#[must_use]
pub fn facts(info: &StreamInfo, frame: &FrameDescription, components: Components, counted_by: &str) -> Vec<Fact> {
    let codec =
        info.profile.as_ref().map_or_else(|| info.codec.clone(), |profile| format!("{}, {profile}", info.codec));
    let (facts_of_frame, source) = (&frame.facts, &frame.facts.source);
    let color = &frame.interpretation.colorimetry;
    let mut facts = vec![
        plain("container", info.container_name().to_owned()),
        plain("codec", codec),
        plain("decoder", info.decoder.clone()),
        plain("pixel format", source.pixel_format.clone()),
    ];
    facts.extend(source.converted_to.as_ref().map(|to| plain("converted to", format!("{to}, before counting"))));
    let depth = match frame.depth {
        depth if depth > 12 => format!("{depth} bits, binned by the top 12"),
        depth => format!("{depth} bits"),
    };
    facts.push(plain("depth", depth));
    facts.push(plain("size", format!("{}×{}", frame.size.0, frame.size.1)));
    let cropping = source.cropping.stated();
    facts.extend(cropping.map(|(by, stated)| plain("cropping", format!("{stated} ({by})"))));
    if info.stated_size != info.coded_size {
        let stated = info.stated_size;
        facts.push(plain("size in header", format!("{}×{}, not used", stated.0, stated.1)));
    }
    if facts_of_frame.sample_aspect.num != facts_of_frame.sample_aspect.den {
        facts.push(plain(
            "pixel aspect",
            format!("{}:{}", facts_of_frame.sample_aspect.num, facts_of_frame.sample_aspect.den),
        ));
    }
    facts.push(plain("frame rate", info.rate_text()));
    facts.extend(info.timecodes.map(|Timecodes { first, source, .. }| {
        plain("timecode", format!("{first} at the video's first frame, {source}"))
    }));
    facts.push(Fact { name: "matrix", value: color.matrix.value.to_string(), origin: Some(color.matrix.origin) });
    facts.push(Fact { name: "range", value: color.range.value.to_string(), origin: Some(color.range.origin) });
    if facts_of_frame.scan != Scan::Progressive {
        facts.push(Fact { name: "scan", value: facts_of_frame.scan.to_string(), origin: Some(Origin::Tagged) });
    }
    facts.extend(frame.interpretation.chroma_lines.map(|lines| Fact {
        name: "4:2:0 chroma",
        value: format!("by {}", lines.value),
        origin: Some(lines.origin),
    }));
    facts.extend(frame.interpretation.field.map(|field| plain("field", format!("only the {field} field was counted"))));
    facts.push(named("transfer", source.transfer));
    facts.push(named("primaries", source.primaries));
    if let Some(region) = frame.region {
        let (x, y) = (region.x, region.y);
        facts.push(plain("region", format!("only {}×{} pixels at {x}, {y} were counted", region.width, region.height)));
    }
    if components == Components::Rgbl {
        facts.push(plain("luminance", color.luminance.to_string()));
    }
    facts.push(plain("counted by", counted_by.to_owned()));
    facts
}

/// Returns the measured light of a clip as facts, next to what the file states.
#[must_use]
pub fn light_facts(light: &LightSummary, stated: &StatedLightSummary) -> Vec<Fact> {
    if light.frames == 0 {
        return vec![plain("light", "unknown in every frame, because of the transfer function".to_owned())];
    }
    let (x, y) = (light.max_cll_x, light.max_cll_y);
    let mut facts = vec![
        plain("MaxCLL", format!("{:.1} cd/m² in frame {} at {x}, {y}", light.max_cll, light.max_cll_frame)),
        plain("MaxCLL of 99.99 %", format!("{:.1} cd/m² in frame {}", light.max_cll_9999, light.max_cll_9999_frame)),
        plain("MaxFALL", format!("{:.1} cd/m² in frame {}", light.max_fall, light.max_fall_frame)),
    ];
    facts.extend(stated.in_words(light).into_iter().map(|line| {
        let text = line.strip_prefix("the file states: ").map_or(line.clone(), str::to_owned);
        plain("stated light", text)
    }));
    facts
}

fn named(name: &'static str, value: Option<&'static str>) -> Fact {
    match value {
        Some(value) => Fact { name, value: standard(value).to_owned(), origin: Some(Origin::Tagged) },
        None => plain(name, "not stated".to_owned()),
    }
}

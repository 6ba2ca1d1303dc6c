//! A whole clip as one picture and one page: time across, level up, brightness the count; cuts, worst frames, facts.
//!
//! [`digest`] gathers what frames give, in memory of a fixed size: [`folding`] adds them up in columns, [`cuts`] finds
//! cuts, [`worst`] keeps the worst frames. [`picture`] draws a [`Report`] as a PNG, [`page`] writes it as an HTML file
//! that needs nothing else; [`run`] does all of it for a file.

pub mod canvas;
pub mod chart;
pub mod cuts;
pub mod digest;
pub mod facts;
pub mod folding;
pub mod heat;
pub mod page;
pub mod picture;
pub mod run;
pub mod times;
pub mod tone;
pub mod worst;

use digest::Gathered;
use facts::Fact;

/// Everything that a report shows.
#[derive(Debug)]
pub struct Report {
    /// The video's name without its folder.
    pub name: String,
    /// What is known about the video.
    pub facts: Vec<Fact>,
    /// What a reader must know about the counts: damage, frames that are missing, other depths. One sentence each.
    pub notes: Vec<String>,
    /// What was gathered from its frames.
    pub clip: Gathered,
}

impl Report {
    /// The line under the title: what the video is.
    fn subtitle(&self) -> String {
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

    /// How many cuts there are, and how they were found.
    fn cuts_text(&self) -> String {
        let number = match self.clip.cuts_found {
            0 => "no cuts".to_owned(),
            1 => "1 cut".to_owned(),
            many => format!("{} cuts", times::whole(many)),
        };
        format!("{number}, at changes of {:.1} % or more", self.clip.threshold * 100.0)
    }
}

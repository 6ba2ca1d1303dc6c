//! What the lab's panel is told, and what is asked of it in return.

use std::time::Duration;

use egui::Pos2;

use super::diagram::Sample;
pub use crate::app::hud::entry::Asked;
use histoscope_core::histogram::CHANNELS;
use histoscope_lab::GROUPS;
use histoscope_lab::{BlurSetup, Blurred, Method, SumSetup, Summed, Topic};

/// The bins of red, green, blue and luminance.
pub type ChannelBins = [Vec<u32>; CHANNELS];

/// Time between two moments of the diagram.
pub const MOMENT: Duration = Duration::from_millis(900);

/// The contents of the panel.
#[derive(Debug, Clone)]
pub struct LabView<'a> {
    /// Of what it is about.
    pub topic: TopicView<'a>,
    /// True if heights are logarithmic.
    pub logarithmic: bool,
    /// Which moment of the diagram is shown.
    pub moment: u64,
    /// True if it tells what matters most alone, so that a video plays on.
    pub is_brief: bool,
}

/// The contents of the panel for each topic.
#[derive(Debug, Clone)]
pub enum TopicView<'a> {
    /// Of a way of counting.
    Counting(CountingView<'a>),
    /// Of a way of summing up.
    Sums(SumView<'a>),
    /// Of a way of blurring.
    Blur(BlurView<'a>),
}

/// The contents of the panel for a way of summing up.
#[derive(Debug, Clone)]
pub struct SumView<'a> {
    /// The setup of sums.
    pub setup: SumSetup,
    /// The outcome of the choice.
    pub outcome: ChoiceOutcome<'a, Summed>,
    /// The luminance of the frame in groups of bins, once it is known.
    pub groups: Option<&'a [u32; GROUPS]>,
}

/// The contents of the panel for a way of blurring.
#[derive(Debug, Clone)]
pub struct BlurView<'a> {
    /// The setup of blurs.
    pub setup: BlurSetup,
    /// The outcome of the choice.
    pub outcome: ChoiceOutcome<'a, Blurred>,
    /// The picture that is shown, which may be of what was chosen before, and its number.
    pub newest: Option<(&'a Blurred, u64)>,
    /// Where the picture's corners lie, in points: the upper two and then the lower two, as it was coded.
    pub corners: Option<[Pos2; 4]>,
    /// Some pixels of the frame, row by row.
    pub block: &'a [Vec<Sample>],
    /// Column and row of the first of them.
    pub block_at: (u32, u32),
}

/// The contents of the panel for a way of counting.
#[derive(Debug, Clone)]
pub struct CountingView<'a> {
    /// The method that counts.
    pub method: Method,
    /// Pixels of a chunk, or of a workgroup.
    pub chunk: (u32, u32),
    /// True if that is the method's own, because none is chosen.
    pub is_usual: bool,
    /// Bins of a channel.
    pub bins: u32,
    /// The bins whose bars are drawn, which may be those of what was chosen before.
    pub bars: Option<&'a Figures>,
    /// The outcome of the choice.
    pub outcome: ChoiceOutcome<'a, Figures>,
    /// Some pixels of the frame, side by side.
    pub samples: &'a [Sample],
    /// Column and row of the first of them.
    pub samples_at: (u32, u32),
}

/// The outcome of a choice.
#[derive(Debug, Clone, Copy)]
pub enum ChoiceOutcome<'a, T> {
    /// Nothing yet.
    UnderWay,
    /// In words why the adapter cannot do it.
    Impossible(&'a str),
    /// Figures.
    Came(&'a T),
}

/// The newest bins of a method, and what they took.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The bins that it counted.
    pub counted: ChannelBins,
    /// The correct bins.
    pub right: ChannelBins,
    /// Counts that it should have made, in all channels.
    pub wanted: u64,
    /// True if every bin is correct.
    pub is_exact: bool,
    /// Counts that are missing; negative where there are too many.
    pub lost: i64,
    /// That only a part of the pixels was counted, in words, if it was.
    pub reduction: Option<String>,
    /// The share of the pixels that was counted.
    pub part: f64,
    /// Its passes.
    pub passes: Vec<PassFigures>,
    /// All of them together, in microseconds; `None` where the adapter does not tell.
    pub total_us: Option<f64>,
    /// The time of reading only.
    pub floor_us: Option<f64>,
    /// The memory accesses, each with its number a pixel.
    pub costs: Vec<(&'static str, f64)>,
}

/// A pass of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct PassFigures {
    /// The name of the pass.
    pub name: &'static str,
    /// Its time in microseconds; `None` where the adapter does not measure it.
    pub micros: Option<f64>,
    /// The constants that its shader is compiled with.
    pub constants: Vec<(&'static str, u32)>,
    /// How its work is cut up; not at all on the CPU.
    pub cut: Option<Cut>,
}

/// How a pass's work is cut up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Invocations of a workgroup, across and down.
    pub workgroup: (u32, u32),
    /// Workgroups of a dispatch, across and down.
    pub workgroups: (u32, u32),
    /// Dispatches, one waiting for the other.
    pub dispatches: u32,
}

/// A request to the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabCommand {
    /// Be about this.
    Topic(Topic),
    /// Count by this method.
    Method(Method),
    /// Count in these chunks; without, in the method's own.
    Chunk(Option<(u32, u32)>),
    /// Count so many bins a channel.
    Bins(u32),
    /// Sum this up.
    Sums(SumSetup),
    /// Sum so many words up.
    Length(u32),
    /// Blur like this.
    Blur(BlurSetup),
    /// Blur so many pixels across and down.
    Width(u32),
    /// Ask for a value that is typed.
    Type(Asked),
}

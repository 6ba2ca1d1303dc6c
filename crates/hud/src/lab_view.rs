//! The input of the lab's panel, and the commands it returns.

use std::collections::BTreeMap;
use std::time::Duration;

use egui::Pos2;

use histoscope_core::histogram::CHANNELS;
use histoscope_lab::GROUPS;
use histoscope_lab::bench::BenchContent;
use histoscope_lab::{BlurSetup, Blurred, ChannelSet, DrawMethod, Drawn, Method, SumSetup, Summed, Topic};
use histoscope_render::view::overlay::BarScale;

/// A pixel of the frame, and the bin that its luminance goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Red, green and blue, 8 bits each.
    pub rgb: [u8; 3],
    /// The bin.
    pub bin: u32,
}

/// The bins of red, green, blue and luminance.
pub type ChannelBins = [Vec<u32>; CHANNELS];

/// What the lab has measured, by the method and its parameters: "atomics 16×16 3" or "tiled 63".
pub type Measured = BTreeMap<String, f64>;

/// What the race's share of lost counts in an even picture is called there.
pub const LOST: &str = "race on a picture of one colour";

/// Length of a moment. A diagram shows each of its steps for one moment.
pub const TICK: Duration = Duration::from_millis(1500);

/// The contents of the panel.
#[derive(Debug, Clone)]
pub struct LabView<'a> {
    /// The topic, with its contents.
    pub topic: TopicView<'a>,
    /// The scale of the bars' heights.
    pub scale: BarScale,
    /// The moment of the diagram: their number since the topic was opened, except for pauses and steps. Negative after
    /// steps back from the first one.
    pub tick: i64,
    /// `true` if the diagram stands at its step.
    pub is_paused: bool,
    /// `true` if the panel shows only the essentials, so that a video can play on.
    pub is_brief: bool,
    /// What the lab has measured.
    pub measured: &'a Measured,
    /// The picture in place of the video's, if there is one.
    pub input: Option<BenchContent>,
    /// `true` if the panel takes the whole window, in large letters.
    pub is_large: bool,
    /// `true` if the code stands beside the diagram then.
    pub has_code: bool,
}

/// The contents of the panel, by topic.
#[derive(Debug, Clone)]
pub enum TopicView<'a> {
    /// A page before the methods.
    Basics(BasicsView<'a>),
    /// A method of counting.
    Counting(CountingView<'a>),
    /// A method of prefix sums.
    Sums(SumView<'a>),
    /// A method of blurring.
    Blur(BlurView<'a>),
    /// A method of drawing bars.
    Drawing(DrawView<'a>),
}

/// A page before the methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabPage {
    /// The lesson's picture, counted by hand.
    ByHand,
    /// The ids of invocations.
    Ids,
    /// A barrier.
    Barrier,
    /// The colours of the diagrams.
    Colours,
    /// Predictions.
    Predict,
}

impl LabPage {
    /// All pages, in their order.
    pub const ALL: [Self; 5] = [Self::ByHand, Self::Ids, Self::Barrier, Self::Colours, Self::Predict];

    /// Returns the name on the page's button.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ByHand => "by hand",
            Self::Ids => "ids",
            Self::Barrier => "barrier",
            Self::Colours => "colours",
            Self::Predict => "predict",
        }
    }

    /// Returns the page's title.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::ByHand => "a histogram by hand",
            Self::Ids => "where an invocation is",
            Self::Barrier => "what waits at a barrier",
            Self::Colours => "the colours of the diagrams",
            Self::Predict => "predict, run, see",
        }
    }
}

/// The contents of the panel for a page before the methods.
#[derive(Debug, Clone, Copy)]
pub struct BasicsView<'a> {
    /// The page.
    pub page: LabPage,
    /// Pixels of the frame, as many as the lesson's picture has, row by row; none before there is a frame.
    pub pixels: &'a [[u8; 3]],
    /// What the lab has measured.
    pub measured: &'a Measured,
}

/// The contents of the panel for a method of prefix sums.
#[derive(Debug, Clone)]
pub struct SumView<'a> {
    /// The setup of the sums.
    pub setup: SumSetup,
    /// The outcome of the current choice.
    pub outcome: ChoiceOutcome<'a, Summed>,
    /// The luminance of the frame in groups of bins, if known.
    pub groups: Option<&'a [u32; GROUPS]>,
}

/// The contents of the panel for a method of blurring.
#[derive(Debug, Clone)]
pub struct BlurView<'a> {
    /// The setup of the blur.
    pub setup: BlurSetup,
    /// The outcome of the current choice.
    pub outcome: ChoiceOutcome<'a, Blurred>,
    /// The picture on screen, which may be of an earlier choice, and its number.
    pub newest: Option<(&'a Blurred, u64)>,
    /// Positions of the picture's corners, in points: the upper two and then the lower two, as coded.
    pub corners: Option<[Pos2; 4]>,
    /// Some pixels of the frame, row by row.
    pub block: &'a [Vec<Sample>],
    /// Column and row of the first of them.
    pub block_at: (u32, u32),
}

/// The contents of the panel for a method of drawing bars.
#[derive(Debug, Clone)]
pub struct DrawView<'a> {
    /// The method.
    pub method: DrawMethod,
    /// Number of bins per channel.
    pub bins: u32,
    /// The outcome of the current choice.
    pub outcome: ChoiceOutcome<'a, Drawn>,
    /// The drawing on screen, which may be of an earlier choice, and its number.
    pub newest: Option<(&'a Drawn, u64)>,
}

/// A shader of the user's own.
#[derive(Debug, Clone)]
pub struct OwnView<'a> {
    /// The name of its file.
    pub name: String,
    /// The text in the file.
    pub text: &'a str,
    /// The line with a fault, from 1.
    pub fault: Option<u32>,
}

impl CountingView<'_> {
    /// Returns what counts: the method, or the user's own shader.
    #[must_use]
    pub fn title(&self) -> &str {
        self.own.as_ref().map_or(self.method.title(), |own| &own.name)
    }
}

/// The contents of the panel for a method of counting.
#[derive(Debug, Clone)]
pub struct CountingView<'a> {
    /// The method that counts.
    pub method: Method,
    /// The shader that counts in place of the method's, if there is one.
    pub own: Option<OwnView<'a>>,
    /// What the lab has measured.
    pub measured: &'a Measured,
    /// Size of a chunk or a workgroup, in pixels.
    pub chunk: (u32, u32),
    /// `true` if this is the method's default, because no size is chosen.
    pub is_usual: bool,
    /// The counted channels.
    pub channels: ChannelSet,
    /// Number of bins per channel.
    pub bins: u32,
    /// The bins drawn as bars, which may be of an earlier choice.
    pub bars: Option<&'a Figures>,
    /// The outcome of the current choice.
    pub outcome: ChoiceOutcome<'a, Figures>,
    /// Some pixels of the frame, side by side.
    pub samples: &'a [Sample],
    /// Column and row of the first of them.
    pub samples_at: (u32, u32),
}

/// The outcome of a choice.
#[derive(Debug, Clone, Copy)]
pub enum ChoiceOutcome<'a, T> {
    /// Still pending.
    Pending,
    /// The reason why the adapter cannot do it.
    Impossible(&'a str),
    /// The result.
    Done(&'a T),
}

/// The latest bins of a method, and their cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The bins counted by the method. If only luminance is counted, the other channels have none.
    pub counted: ChannelBins,
    /// The correct bins.
    pub right: ChannelBins,
    /// Number of counts that it should have made, in all channels.
    pub wanted: u64,
    /// `true` if every bin is correct.
    pub is_exact: bool,
    /// Number of missing counts; negative if there are too many.
    pub lost: i64,
    /// A note if only a part of the pixels was counted.
    pub reduction: Option<String>,
    /// The fraction of the pixels that was counted.
    pub part: f64,
    /// Its passes.
    pub passes: Vec<PassFigures>,
    /// Duration of all passes together, in microseconds; `None` if the adapter does not measure it.
    pub total_us: Option<f64>,
    /// Duration of only reading the pixels, in microseconds, if known.
    pub floor_us: Option<f64>,
    /// The kinds of memory accesses, each with its number per pixel.
    pub costs: Vec<(&'static str, f64)>,
}

/// A pass of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct PassFigures {
    /// The name of the pass.
    pub name: &'static str,
    /// Its duration in microseconds; `None` if the adapter does not measure it.
    pub micros: Option<f64>,
    /// The constants of its shader.
    pub constants: Vec<(&'static str, u32)>,
    /// How its work is divided; `None` on the CPU.
    pub cut: Option<Cut>,
}

/// How the work of a pass is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Size of a workgroup in invocations: width and height.
    pub workgroup: (u32, u32),
    /// Size of a dispatch in workgroups: width and height.
    pub workgroups: (u32, u32),
    /// Number of dispatches, each waiting for the previous one.
    pub dispatches: u32,
}

/// A request to the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabCommand {
    /// Work on this picture; `None` for the video's.
    Input(Option<BenchContent>),
    /// Switch to this topic.
    Topic(Topic),
    /// Show this page.
    Page(LabPage),
    /// Count by this method.
    Method(Method),
    /// Count in chunks of this size; `None` for the method's default.
    Chunk(Option<(u32, u32)>),
    /// Count these channels.
    Channels(ChannelSet),
    /// Count this many bins per channel.
    Bins(u32),
    /// Compute these prefix sums.
    Sums(SumSetup),
    /// Sum this many words.
    Length(u32),
    /// Blur with this setup.
    Blur(BlurSetup),
    /// Draw by this method.
    Drawing(DrawMethod),
    /// Blur with this width and height, in pixels.
    Width(u32),
    /// Pause the diagram, or let it run again.
    PauseSteps,
    /// Go to the next step of the diagram, or to the previous one if `false`, and pause there.
    Step(bool),
}

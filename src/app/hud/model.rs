//! What the display over the picture is told for one drawing, and what its user asks for in return.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use egui::{Color32, CursorIcon, Pos2, Rect};

use super::info::InfoLine;
use super::lab::{LabCommand, LabView};
use super::probe::ProbeText;
use super::readout::Readout;
use super::region::RegionView;
use super::stats::StatsTable;
use super::timing::TimingTable;
use crate::app::recent::RecentFile;
use crate::app::signal::lost_text;
use crate::app::strip::{Preview, StripSize};
use crate::keys::Action;
use histoscope_batch::analyze::selection::Point;
use histoscope_batch::graticule::ScopeSubject;
use histoscope_core::adjust::{Adjustment, Choices};
use histoscope_core::histogram::Components;
use histoscope_core::picture::Timecode;
use histoscope_core::strip::{Sought, Strip};
use histoscope_core::text::time_text;
use histoscope_media::VideoTrack;
use histoscope_media::playback::SeekGoal;
use histoscope_render::gpu::draw::Channels;
use histoscope_render::view::exposure::Tint;
use histoscope_render::view::marked::Marked;
use histoscope_render::view::scene::{Look, Other, Pair, Seam};
use histoscope_render::view::scopes::ScopeKind;

/// A request of the display over the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Command {
    /// The same as a key.
    Do(Action),
    /// Show a picture near this time, in seconds, quickly.
    ScrubTo(f64),
    /// Show the exact frame of where scrubbing has led.
    Settle,
    /// Find the key frame at this time, in seconds, or before it, to be shown beside the timeline.
    Preview(f64),
    /// Switch an adjustment on with other parameters.
    Choose(Adjustment, Choices),
    /// Show these findings of the clip, and go to them.
    LookFor(Sought),
    /// Give the picture another look; the panel that asks for it shows what has changed.
    Show(Look),
    /// Have brushes select in this channel alone, or in all again.
    BrushOnly(usize),
    /// Copy the values of what lies at this point of the view, in points.
    CopyAt(Pos2),
    /// Go where a typed text leads.
    GoTo(Point),
    /// Compare with the held frame of this place in the list that was told.
    CompareWith(usize),
    /// Release the frame that is compared with.
    Release,
    /// Show the video track of this number, from 1 on.
    Track(u32),
    /// Open the recent file of this place in the list that was told.
    OpenRecent(usize),
    /// Have something else counted in the lab.
    Lab(LabCommand),
}

/// The adjustments and what is shown of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AdjustmentView {
    /// The parameters of all.
    pub choices: Choices,
    /// How another picture is shown with the live one, if one is.
    pub pair: Option<Pair>,
    /// Where they meet on the view, and the view's width in pixels.
    pub seam: Option<(Seam, u32)>,
    /// True if the pointer is where it takes hold of the divider.
    pub is_at_divider: bool,
    /// The newest luminance codes at which the second class and those after it begin.
    pub thresholds: Option<[u32; 4]>,
}

impl AdjustmentView {
    /// The picture that is shown with the live one, if one is.
    #[must_use]
    pub fn other(&self) -> Option<Other> {
        self.pair.map(|pair| pair.other)
    }
}

/// Where playback is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlayState {
    /// Time of the frame on screen, in seconds from the start.
    pub position_secs: f64,
    /// Where the last seek leads, in seconds.
    pub destination_secs: f64,
    /// Length in seconds, where it is known.
    pub duration_secs: Option<f64>,
    /// Number of the frame on screen, where it is known.
    pub frame_index: Option<u64>,
    /// Its timecode, where it has one.
    pub timecode: Option<Timecode>,
    /// The number by the stated frame rate, which may be wrong.
    pub estimated_index: Option<u64>,
    /// Frames a second, where they are known.
    pub frame_rate: Option<f64>,
    /// True if the user has paused.
    pub paused: bool,
    /// True if the end has been reached.
    pub ended: bool,
    /// Media seconds a second.
    pub speed: f64,
    /// True if it starts again at the end.
    pub looped: bool,
    /// The marks A and B in seconds.
    pub marks: [Option<f64>; 2],
    /// True if the input can be positioned.
    pub seekable: bool,
    /// The state of a source whose sender gives the pace; `None` for others.
    pub live: Option<LiveState>,
    /// The thing that playback waits for.
    pub waiting: Waiting,
    /// True if it is a single picture, which nothing can be played of.
    pub still: bool,
}

/// The state of a live source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LiveState {
    /// When the oldest and the newest picture that is kept begin, in seconds, where one is kept.
    pub kept: Option<(f64, f64)>,
    /// How long pictures take from their last packet to the screen, where it is known.
    pub delay: Option<Duration>,
    /// When the data of the picture on screen came in.
    pub arrival: Option<SystemTime>,
}

/// The thing that playback waits for, once that takes long.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Waiting {
    /// Nothing.
    #[default]
    Nothing,
    /// The next frame, which is due.
    Data,
    /// The picture of a seek.
    Seeking(SeekGoal),
    /// The sender of a live source, which has given nothing since then.
    Signal(SystemTime),
}

impl Waiting {
    /// Returns the words on the picture during the wait: where a seek that takes long leads, or that there is no signal.
    #[must_use]
    pub fn lasting_text(self) -> Option<String> {
        let goal = match self {
            Self::Seeking(goal) => goal,
            Self::Signal(since) => return Some(lost_text(since)),
            Self::Nothing | Self::Data => return None,
        };
        Some(match goal {
            SeekGoal::Time(secs) => format!("seeking to {} …", time_text(secs)),
            SeekGoal::Frame(number) => format!("seeking to frame {number} …"),
            SeekGoal::LastFrame => "seeking to the last frame …".to_owned(),
            SeekGoal::FrameBefore => "seeking to the frame before …".to_owned(),
        })
    }
}

/// One histogram on the view.
#[derive(Debug, Clone, PartialEq)]
pub struct HistogramArea {
    /// Where it lies, in points.
    pub rect: Rect,
    /// The channels that belong there, whether they are on or not.
    pub channels: Channels,
}

/// Which file is on screen, and which is to come.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FileView<'a> {
    /// Its name; `None` where nothing is open.
    pub name: Option<&'a str>,
    /// The file that is being opened, in words.
    pub opening: Option<&'a str>,
    /// Its place in the list of files and their number.
    pub place: (usize, usize),
    /// True if anything is wrong with it, which its panel tells.
    pub faulty: bool,
    /// Other files that were opened before, the last one first.
    pub recent: &'a [RecentFile],
    /// The video tracks of the one on screen.
    pub tracks: &'a [VideoTrack],
    /// The number of the one that is shown, from 1 on, where there are several.
    pub track: Option<u32>,
    /// Where the one on screen was left the last time, in seconds.
    pub left_at: Option<f64>,
    /// The key frame that was found last for the timeline, and whether it is the one that was asked for last.
    pub preview: Option<(&'a Arc<Preview>, bool)>,
    /// The clip as a strip, as far as it is known, where it is shown.
    pub strip: Option<&'a Strip>,
    /// How much of it is shown.
    pub strip_size: StripSize,
    /// Which findings are shown in it.
    pub sought: Sought,
    /// From when to when nothing came of a live source, as far as it is kept, in seconds.
    pub gaps: &'a [(f64, f64)],
}

/// The comparison of the frame on screen: with frames that are held, or with a clip that plays in step.
#[derive(Debug, Clone, Copy, Default)]
pub struct ComparisonView<'a> {
    /// The names of the frames that are held, the oldest first.
    pub names: &'a [&'a str],
    /// Which of them is compared with.
    pub place: usize,
    /// True if that one is on screen, in the place of the video.
    pub is_shown: bool,
    /// Its file and its time.
    pub title: Option<&'a str>,
    /// True if a second clip plays in step.
    pub has_clip: bool,
}

/// How the picture is seen.
#[derive(Debug, Clone, Copy, Default)]
pub struct PictureView<'a> {
    /// True if the window fills the screen.
    pub is_full: bool,
    /// How much of what is counted is in view, in words, where that is not all.
    pub seen: Option<&'a str>,
}

/// The components that are counted, and the histograms.
#[derive(Debug, Clone, Copy)]
pub struct ScopesView<'a> {
    /// The components that are counted.
    pub components: Components,
    /// Bits of a code.
    pub bits: u32,
    /// The histograms that are shown.
    pub histograms: &'a [HistogramArea],
    /// Which picture they are of, and in how many bins, in words, where that is to be said.
    pub counted: Option<&'a str>,
    /// The channel that a brush selects in alone, if one was clicked.
    pub brushed_only: Option<usize>,
}

/// A scope beside the histograms on the view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScopeArea {
    /// Which one.
    pub kind: ScopeKind,
    /// Where it lies, in points.
    pub frame: Rect,
    /// Where its trace lies in that.
    pub rect: Rect,
}

/// The scopes beside the histograms.
#[derive(Debug, Clone, Copy, Default)]
pub struct BesideView<'a> {
    /// Those that are shown.
    pub areas: &'a [ScopeArea],
    /// The subject of the scopes.
    pub subject: Option<ScopeSubject>,
    /// The part of the view that they leave to what is written over the picture, in points.
    pub free: Option<Rect>,
    /// Where the pixel under the pointer lies in them, in points, and in which light that is marked.
    pub marks: &'a [(Pos2, Color32)],
    /// The brushes in them, and in words.
    pub brushed: &'a [BrushedArea],
    /// The value under the pointer in one of them, and its place.
    pub told: Option<(Pos2, &'a str)>,
    /// The cursor, where the pointer is at a border of them.
    pub cursor: Option<CursorIcon>,
}

/// A brush in a scope.
#[derive(Debug, Clone, PartialEq)]
pub struct BrushedArea {
    /// The scope's place, in points.
    pub panel: Rect,
    /// The outline, in points.
    pub outline: Outline,
    /// The selection in words.
    pub text: String,
}

/// An outline of what is brushed, in points.
#[derive(Debug, Clone, PartialEq)]
pub enum Outline {
    /// A rectangle.
    Rectangle(Rect),
    /// A circle: its middle and radius.
    Circle(Pos2, f32),
    /// A polygon.
    Polygon(Vec<Pos2>),
}

/// The marked pixels, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkedView<'a> {
    /// Nothing: the picture does not stand, or is about to be made.
    #[default]
    Untold,
    /// Nothing: the picture is an adjusted one that only the adapter has.
    OnAdapter,
    /// They are being counted.
    UnderWay,
    /// These are marked.
    Found(&'a Marked),
}

/// Zebras, marks and false colour.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExposureView<'a> {
    /// The false colours of the picture on screen, if it is shown in such.
    pub tint: Option<Tint>,
    /// True if their panel is there, as the controls are.
    pub is_adjustable: bool,
    /// The marked pixels of a picture that stands.
    pub marked: MarkedView<'a>,
    /// Where pixels lie that are marked, in points, where they are few.
    pub rings: &'a [Pos2],
}

/// The steps that can be undone and redone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Steps {
    /// To undo.
    pub back: bool,
    /// To make again.
    pub forward: bool,
}

/// The panels that are open, with what they tell.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tables<'a> {
    /// The times of the passes.
    pub timing: Option<&'a TimingTable>,
    /// Facts about the video.
    pub info: Option<&'a [InfoLine]>,
    /// The frame's numbers.
    pub stats: Option<&'a StatsTable>,
}

/// The pointer, and what is read off where it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct PointerView<'a> {
    /// Its place, in points, while it is over the window.
    pub at: Option<Pos2>,
    /// The values of the pixel under it.
    pub probe: Option<&'a ProbeText>,
    /// The values of the bin under it, or of the brush.
    pub readouts: &'a [Readout],
}

/// All that is told.
#[derive(Debug)]
pub struct Model<'a> {
    /// Which file is on screen.
    pub file: FileView<'a>,
    /// The look of the picture.
    pub look: Look,
    /// How the picture is seen.
    pub picture: PictureView<'a>,
    /// Where playback is.
    pub play: PlayState,
    /// The components that are counted.
    pub scopes: ScopesView<'a>,
    /// The scopes beside the histograms.
    pub beside: BesideView<'a>,
    /// The panels that are open.
    pub tables: Tables<'a>,
    /// The adjustments.
    pub adjusting: AdjustmentView,
    /// The part of the picture that is counted alone, or proposed to be.
    pub region: Option<&'a RegionView>,
    /// The lab, while it is open.
    pub lab: Option<&'a LabView<'a>>,
    /// Zebras, marks and false colour.
    pub exposure: ExposureView<'a>,
    /// The comparison.
    pub comparison: ComparisonView<'a>,
    /// The steps to undo and redo.
    pub steps: Steps,
    /// The pointer, and the values under it.
    pub pointer: PointerView<'a>,
}

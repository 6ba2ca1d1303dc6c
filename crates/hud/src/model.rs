//! The input of the HUD for one draw, and the commands it returns.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use egui::{CursorIcon, Pos2, Rect};
use serde::{Deserialize, Serialize};

use super::entry::EntryKind;
use super::findings::{FindingsCommand, FindingsView};
use super::info::InfoLine;
use super::lab_view::{LabCommand, LabView};
use super::probe::ProbeText;
use super::readout::Readout;
use super::region::RegionView;
use super::sound_meters::SoundTable;
use super::stats::StatsTable;
use super::timing::TimingTable;
use histoscope_core::adjust::{Adjustment, Choices, StopScale};
use histoscope_core::histogram::{Components, Cumulative, Histogram, LightScale};
use histoscope_core::picture::color::Range;
use histoscope_core::picture::{Point, Timecode};
use histoscope_core::sound::SoundTrace;
use histoscope_core::strip::{FindingFilter, Strip};
use histoscope_core::text::{clock_time, file_name, time_text};
use histoscope_keys::{Action, State};
use histoscope_render::cpu::thumbnail::Thumbnail;
use histoscope_render::gpu::draw::Channels;
use histoscope_render::labels::graticule::ScopeSubject;
use histoscope_render::labels::rings::Ring;
use histoscope_render::view::exposure::Tint;
use histoscope_render::view::guides::{MaskAspect, PlacedGuides};
use histoscope_render::view::marked::Marked;
use histoscope_render::view::probe_table::ProbeTable;
use histoscope_render::view::scene::{Look, Other, Pair, Seam};
use histoscope_render::view::scopes::ScopeKind;

/// A request that the user makes through the HUD.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Do what a key does.
    Do(Action),
    /// Quickly show a picture near this time, in seconds.
    ScrubTo(f64),
    /// Show the exact frame that scrubbing has reached.
    Settle,
    /// Find the key frame at or before this time, in seconds, for the preview at the timeline.
    Preview(f64),
    /// Set the parameters of an adjustment and switch it on.
    Choose(Adjustment, Choices),
    /// Look for these kinds of findings in the clip.
    LookFor(FindingFilter),
    /// Change the appearance. No note is shown: the panel that sends this shows the change.
    Show(Box<Look>),
    /// Restrict brushes to this channel or, if they already are, lift the restriction.
    BrushOnly(usize),
    /// Ask for a value in the text field.
    Type(EntryKind),
    /// Keep layout and settings under this name.
    SavePreset(String),
    /// Take layout and settings from this preset.
    ChoosePreset(String),
    /// Show a mask with an aspect of the user's own.
    OwnMask(MaskAspect),
    /// Copy the values at this point of the view, in points.
    CopyAt(Pos2),
    /// Pin a probe at this point of the view, in points, or remove the one that is there.
    PinAt(Pos2),
    /// Go to a typed position.
    GoTo(Point),
    /// Use the panel of findings.
    Findings(FindingsCommand),
    /// Compare with the held frame at this index of [`ComparisonView::names`].
    CompareWith(usize),
    /// Compare with the clip at this index of [`ComparisonView::clips`].
    CompareWithClip(usize),
    /// Release the held frame that is being compared.
    Release,
    /// Show the video track with this number, from 1.
    Track(u32),
    /// Play the sound track with this number, from 1.
    SoundTrack(u32),
    /// Open the recent file at this index of [`FileView::recent`].
    OpenRecent(usize),
    /// Change the choices of the lab.
    Lab(LabCommand),
}

/// The adjustments and how they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AdjustmentView {
    /// The parameters of all adjustments.
    pub choices: Choices,
    /// How two pictures share the view, if there are two.
    pub pair: Option<Pair>,
    /// Where the two pictures meet, and the view's width in pixels.
    pub seam: Option<(Seam, u32)>,
    /// `true` if the pointer can grab the divider.
    pub is_at_divider: bool,
    /// The newest luminance codes at which each class after the first begins.
    pub thresholds: Option<[u32; 4]>,
}

impl AdjustmentView {
    /// Returns the picture shown along with the live one, if any.
    #[must_use]
    pub fn other(&self) -> Option<Other> {
        self.pair.map(|pair| pair.other)
    }
}

/// The state of playback.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlayState {
    /// Time of the frame on screen, in seconds from the start.
    pub position_secs: f64,
    /// The target of the last seek, in seconds.
    pub destination_secs: f64,
    /// Length in seconds, if known.
    pub duration_secs: Option<f64>,
    /// Number of the frame on screen, if known.
    pub frame_index: Option<u64>,
    /// Its timecode, if it has one.
    pub timecode: Option<Timecode>,
    /// Frame number estimated from the stated frame rate, which may be wrong.
    pub estimated_index: Option<u64>,
    /// Frames per second, if known.
    pub frame_rate: Option<f64>,
    /// `true` if the user has paused.
    pub paused: bool,
    /// `true` if the end has been reached.
    pub ended: bool,
    /// Seconds of media per second.
    pub speed: f64,
    /// `true` if playback starts over at the end.
    pub looped: bool,
    /// The marks A and B, in seconds.
    pub marks: [Option<f64>; 2],
    /// `true` if the input is seekable.
    pub seekable: bool,
    /// The state of a source that plays at its sender's pace; `None` for other sources.
    pub live: Option<LiveState>,
    /// What playback is waiting for.
    pub waiting: Waiting,
    /// `true` if the input is a single picture, which cannot be played.
    pub still: bool,
}

/// The state of a live source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LiveState {
    /// Start times of the oldest and newest stored pictures, in seconds, if any are stored.
    pub kept: Option<(f64, f64)>,
    /// Time from a picture's last packet to the screen, if known.
    pub delay: Option<Duration>,
    /// When the data of the picture on screen arrived.
    pub arrival: Option<SystemTime>,
}

/// What playback is waiting for, if the wait is long.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Waiting {
    /// Nothing.
    #[default]
    Nothing,
    /// The next frame, which is overdue.
    Data,
    /// The picture at the target of a seek, with the text that names it.
    Seeking(String),
    /// The sender of a live source, silent since this time.
    Signal(SystemTime),
}

impl Waiting {
    /// Returns the text shown on the picture during the wait: the target of a long seek, or that there is no signal.
    #[must_use]
    pub fn lasting_text(&self) -> Option<String> {
        match self {
            Self::Seeking(text) => Some(text.clone()),
            Self::Signal(since) => Some(lost_text(*since)),
            Self::Nothing | Self::Data => None,
        }
    }
}

/// Returns the text shown over the picture while a live source sends nothing.
#[must_use]
pub fn lost_text(since: SystemTime) -> String {
    format!("no signal since {}: waiting for the sender …", clock_time(since))
}

/// The light of the frame on screen, as marked on the histograms' axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LightMarks {
    /// The light of the brightest pixel.
    pub peak: LightMark,
    /// The average light.
    pub average: LightMark,
}

/// A light that is marked on an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LightMark {
    /// The light in cd/m².
    pub light: f64,
    /// `true` if it is beyond what the file states.
    pub is_beyond: bool,
}

/// One histogram on the view.
#[derive(Debug, Clone, PartialEq)]
pub struct HistogramArea {
    /// Its rectangle, in points.
    pub rect: Rect,
    /// The channels that belong in it, shown or hidden.
    pub channels: Channels,
}

/// The sound of the file on screen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SoundView<'a> {
    /// Its tracks, in words.
    pub tracks: &'a [String],
    /// Number of the track that is played, from 1; `None` for none.
    pub track: Option<u32>,
    /// `true` if nothing is heard.
    pub is_muted: bool,
    /// Its figures, as far as it has been measured.
    pub measured: Option<&'a SoundTrace>,
}

/// The file on screen and the one being opened.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FileView<'a> {
    /// Its name; `None` if no file is open.
    pub name: Option<&'a str>,
    /// A note on the file being opened.
    pub opening: Option<&'a str>,
    /// Its position in the list of files, from 1, and the number of files.
    pub place: (usize, usize),
    /// `true` if the file has faults, which its panel lists.
    pub faulty: bool,
    /// Other recently opened files, the latest first.
    pub recent: &'a [RecentFile],
    /// Its sound.
    pub sound: SoundView<'a>,
    /// The video tracks of the file on screen, in words.
    pub tracks: &'a [String],
    /// Number of the track on screen, from 1, if there are several.
    pub track: Option<u32>,
    /// Position at which the file on screen was last left, in seconds.
    pub left_at: Option<f64>,
    /// The newest key frame found for the timeline, and whether it answers the latest request.
    pub preview: Option<(&'a Arc<Preview>, bool)>,
    /// The strip of the clip, as far as known, if it is shown.
    pub strip: Option<&'a Strip>,
    /// The height of the strip.
    pub strip_size: StripSize,
    /// The kinds of findings marked in the strip.
    pub sought: FindingFilter,
    /// Gaps in a live source, as far as stored: start and end in seconds.
    pub gaps: &'a [(f64, f64)],
}

/// A file or an address that was opened.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecentFile {
    /// Its absolute path, or the address.
    pub path: PathBuf,
    /// Position where it was left, in seconds from the start; `None` if that was near its beginning or end.
    pub left_at_secs: Option<f64>,
}

impl RecentFile {
    /// Returns the name without folders.
    #[must_use]
    pub fn name(&self) -> String {
        file_name(&self.path)
    }
}

/// Formats a position in a video to the second: `12:34`.
#[must_use]
pub fn place_text(secs: f64) -> String {
    let text = time_text(secs.floor());
    text.split('.').next().unwrap_or_default().to_owned()
}

/// The size of the strip behind the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StripSize {
    /// A strip as high as the timeline.
    #[default]
    Small,
    /// A tall strip.
    Tall,
    /// No strip, and nothing is counted for it.
    Off,
}

impl StripSize {
    /// Returns the size that the key switches to next.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Small => Self::Tall,
            Self::Tall => Self::Off,
            Self::Off => Self::Small,
        }
    }

    /// Returns the name used in the menu and in notes.
    #[must_use]
    pub fn state(self) -> State {
        State::Is(
            match self {
                Self::Small => "small",
                Self::Tall => "tall",
                Self::Off => "off",
            }
            .to_owned(),
        )
    }
}

/// A key frame as shown beside the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// Presentation time in seconds from the start.
    pub time_secs: f64,
    /// The picture.
    pub thumbnail: Thumbnail,
    /// The histogram of all its pixels, counted like the video.
    pub histogram: Histogram,
}

/// The comparison of the frame on screen: with held frames, or with a clip that plays in sync.
#[derive(Debug, Clone, Copy, Default)]
pub struct ComparisonView<'a> {
    /// The names of the held frames, the oldest first.
    pub names: &'a [&'a str],
    /// Index of the held frame being compared.
    pub place: usize,
    /// `true` if that frame is on screen instead of the video.
    pub is_shown: bool,
    /// Its file and time.
    pub title: Option<&'a str>,
    /// The clips that can play in sync, each with what is known of it, and whether it is the one that does.
    pub clips: &'a [(String, bool)],
}

/// How the picture is shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct PictureView<'a> {
    /// `true` if the window fills the screen.
    pub is_full: bool,
    /// The tone mapping, and how much of the counted part is in view, in words, unless codes are shown as they are, and
    /// all.
    pub seen: Option<&'a str>,
    /// The rectangles of two pictures side by side, in points.
    pub beside: Option<[Rect; 2]>,
    /// The guides on each picture of the view.
    pub guides: &'a [PlacedGuides],
    /// The rings of the probes, on the picture and in the scopes.
    pub rings: &'a [Ring],
}

/// The counted components and the histograms.
#[derive(Debug, Clone, Copy)]
pub struct ScopesView<'a> {
    /// The counted components.
    pub components: Components,
    /// Bits per code.
    pub bits: u32,
    /// The range of the codes.
    pub range: Range,
    /// The light of grays, if it is known.
    pub light: Option<LightScale>,
    /// Exposure in stops around middle gray, if a camera's log is on.
    pub stops: Option<StopScale>,
    /// The measured light of the frame on screen, if it is known and its picture is counted.
    pub light_marks: Option<LightMarks>,
    /// The sums of the bins that are shown, if they are known.
    pub sums: Option<&'a Cumulative>,
    /// The histograms on the view.
    pub histograms: &'a [HistogramArea],
    /// Which picture is counted and into how many bins, in words, unless that is obvious.
    pub counted: Option<&'a str>,
    /// The only channel that brushes select in, if one was clicked.
    pub brush_channel: Option<usize>,
}

/// A scope other than the histograms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScopeArea {
    /// Its kind.
    pub kind: ScopeKind,
    /// Its rectangle, in points.
    pub frame: Rect,
    /// Rectangle of its trace, inside `frame`.
    pub rect: Rect,
}

/// The scopes other than the histograms.
#[derive(Debug, Clone, Copy, Default)]
pub struct OtherScopesView<'a> {
    /// The scopes on the view.
    pub areas: &'a [ScopeArea],
    /// The subject of the scopes.
    pub subject: Option<ScopeSubject>,
    /// The part of the view that the scopes leave free, in points.
    pub free: Option<Rect>,
    /// The rings of the pixel under the pointer in the scopes.
    pub marks: &'a [Ring],
    /// The brushes in the scopes.
    pub brushed: &'a [BrushedArea],
    /// The value under the pointer in a scope, and its position.
    pub hint: Option<(Pos2, &'a str)>,
    /// The cursor, if the pointer is at a scope's border.
    pub cursor: Option<CursorIcon>,
}

/// A brush in a scope.
#[derive(Debug, Clone, PartialEq)]
pub struct BrushedArea {
    /// Rectangle of the scope, in points.
    pub panel: Rect,
    /// The outline, in points.
    pub outline: Outline,
    /// The selection in words.
    pub text: String,
}

/// The outline of a brush, in points.
#[derive(Debug, Clone, PartialEq)]
pub enum Outline {
    /// A rectangle.
    Rectangle(Rect),
    /// A circle: its centre and radius.
    Circle(Pos2, f32),
    /// A polygon.
    Polygon(Vec<Pos2>),
}

/// The marked pixels, if known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkedView<'a> {
    /// Not counted, for example while the video plays.
    #[default]
    NotCounted,
    /// Not counted: only the adapter has the adjusted picture.
    OnAdapter,
    /// Being counted.
    Pending,
    /// These pixels are marked.
    Found(&'a Marked),
}

/// Zebras, marks and false colour.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExposureView<'a> {
    /// The false colours of the picture on screen, if it is shown in false colour.
    pub tint: Option<Tint>,
    /// `true` if the exposure panel may be shown, which is while the controls are visible.
    pub is_adjustable: bool,
    /// The marked pixels of a picture that is not playing.
    pub marked: MarkedView<'a>,
    /// Positions of the marked pixels, in points, if there are only a few.
    pub rings: &'a [Pos2],
}

/// Whether there are steps to undo and redo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Steps {
    /// `true` if a step can be undone.
    pub back: bool,
    /// `true` if a step can be redone.
    pub forward: bool,
}

/// The open panels with tables.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tables<'a> {
    /// The durations of the passes.
    pub timing: Option<&'a TimingTable>,
    /// The sound meters.
    pub sound: Option<&'a SoundTable>,
    /// Facts about the video.
    pub info: Option<&'a [InfoLine]>,
    /// The frame's statistics.
    pub stats: Option<&'a StatsTable>,
    /// The findings of a check.
    pub findings: Option<&'a FindingsView<'a>>,
    /// The probes, if any lies in the picture.
    pub probes: Option<&'a ProbeTable>,
}

/// The pointer, and the values read at its position.
#[derive(Debug, Clone, Copy, Default)]
pub struct PointerView<'a> {
    /// Its position, in points, while it is over the window.
    pub at: Option<Pos2>,
    /// The values of the pixel under it.
    pub probe: Option<&'a ProbeText>,
    /// The values of the bin under it, or of the brush.
    pub readouts: &'a [Readout],
}

/// The input for one layout of the HUD.
#[derive(Debug)]
pub struct Model<'a> {
    /// The file on screen.
    pub file: FileView<'a>,
    /// The appearance of the view.
    pub look: Look,
    /// How the picture is shown.
    pub picture: PictureView<'a>,
    /// The state of playback.
    pub play: PlayState,
    /// The counted components and the histograms.
    pub scopes: ScopesView<'a>,
    /// The scopes other than the histograms.
    pub other_scopes: OtherScopesView<'a>,
    /// The panels that are open.
    pub tables: Tables<'a>,
    /// The adjustments.
    pub adjusting: AdjustmentView,
    /// The region of the picture being counted, or proposed for counting.
    pub region: Option<&'a RegionView>,
    /// The lab, while it is open.
    pub lab: Option<&'a LabView<'a>>,
    /// Zebras, marks and false colour.
    pub exposure: ExposureView<'a>,
    /// The comparison with held frames or a second clip.
    pub comparison: ComparisonView<'a>,
    /// The names of the presets.
    pub presets: &'a [String],
    /// Whether there are steps to undo and redo.
    pub steps: Steps,
    /// The pointer and the values under it.
    pub pointer: PointerView<'a>,
}

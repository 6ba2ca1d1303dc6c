//! The options that the window starts with, and the errors that it may end with.

use std::path::PathBuf;
use std::time::Instant;

use crate::app::kept::presets::PresetError;
use crate::app::lab::LabChoice;
use crate::app::remote::error::EndpointError;
use crate::app::sound::SoundOptions;
use histoscope_batch::check::profile::ProfileError;
use histoscope_core::adjust::{Adjustments, Gain};
use histoscope_core::histogram::Components;
use histoscope_core::picture::Point;
use histoscope_core::tone_map::{Stops, ToneMapping};
use histoscope_media::{DeviceMemory, MediaError, OpenOptions};
use histoscope_render::engine::EngineChoice;
use histoscope_render::gpu::output::HdrChoice;
use histoscope_render::gpu::{AdapterChoice, GpuError};
use histoscope_render::view::exposure::ExposureChoice;
use histoscope_render::view::guides::Guides;
use histoscope_render::view::overlay::Overlaps;
use histoscope_render::view::scene::{Counted, Sharing};
use histoscope_render::view::scopes::ScopeStyle;

/// Default size of the frame cache, in bytes.
const USUAL_CACHE_BYTES: usize = 512 << 20;

/// How the frames of two clips are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompareBy {
    /// Frames that are on screen at the same time.
    #[default]
    Time,
    /// Frames with the same number.
    Frame,
}

/// How two clips are shown initially.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompareAs {
    /// The first clip left of a divider, the second right of it.
    #[default]
    Divider,
    /// Each clip in its own half of the window.
    SideBySide,
    /// Their difference.
    Difference,
}

/// Options for clips that play in step with the first one.
#[derive(Debug, Clone)]
pub struct Comparing {
    /// The clips, at least one.
    pub inputs: Vec<PathBuf>,
    /// How frames are paired.
    pub by: CompareBy,
    /// By how many of its frames the second clip is ahead.
    pub offset: i64,
    /// How both clips are shown initially.
    pub shown: CompareAs,
    /// The factor by which differences are amplified.
    pub gain: Gain,
}

impl Comparing {
    /// Returns how both clips share the view initially, and the gain at which their difference is shown.
    #[must_use]
    pub(super) const fn shown(&self) -> (Sharing, Gain) {
        let sharing = match self.shown {
            CompareAs::Divider => Sharing::Divider(0.5),
            CompareAs::SideBySide => Sharing::SideBySide,
            CompareAs::Difference => Sharing::Difference,
        };
        (sharing, self.gain)
    }
}

/// The options of the window.
#[derive(Debug, Clone)]
pub struct PlayOptions {
    /// Videos, or folders of videos. If there are none, the window invites the user to open one.
    pub inputs: Vec<PathBuf>,
    /// How the first video starts.
    pub begin: PlayStart,
    /// How the first video is shown initially.
    pub view: FirstView,
    /// Size in bytes of the cache of frames for steps back and loops.
    pub cache_bytes: usize,
    /// `true` if settings persist between runs.
    pub keeps_settings: bool,
    /// The clips that play in step with the first one, one at a time, if any.
    pub compare: Option<Comparing>,
    /// The profile to check by: the name of a built-in one, or a file. `None` takes the one of the last run.
    pub profile: Option<String>,
    /// The preset to start with: the name of one that is kept, or a file.
    pub preset: Option<String>,
    /// Where to listen for other programs, if anywhere.
    pub ipc: Option<PathBuf>,
    /// What is heard.
    pub sound: SoundOptions,
    /// The adapter.
    pub adapter: AdapterChoice,
    /// The engine.
    pub engine: EngineChoice,
    /// Whether light above SDR's white goes out to the display.
    pub hdr: HdrChoice,
    /// How to open and read the video.
    pub open: OpenOptions,
    /// The memory of the window's graphics device, which hardware may decode into once the window is open.
    pub memory: DeviceMemory,
    /// When the program started, for the log.
    pub started: Instant,
}

/// How playback starts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PlayStart {
    /// `true` to start again at the end.
    pub looped: bool,
    /// `true` to open paused.
    pub paused: bool,
    /// `true` to open in full screen.
    pub fullscreen: bool,
    /// Where to start the first video, if not at its beginning.
    pub at: Option<Point>,
}

impl PlayOptions {
    /// Returns options that play a file once, unchanged, regardless of the settings.
    #[must_use]
    pub fn plain(input: PathBuf, adapter: AdapterChoice, open: OpenOptions) -> Self {
        Self {
            inputs: vec![input],
            begin: PlayStart::default(),
            view: FirstView::default(),
            cache_bytes: USUAL_CACHE_BYTES,
            keeps_settings: false,
            compare: None,
            profile: None,
            preset: None,
            ipc: None,
            sound: SoundOptions { is_possible: false, ..SoundOptions::default() },
            adapter,
            engine: EngineChoice::default(),
            hdr: HdrChoice::default(),
            open,
            memory: DeviceMemory::default(),
            started: Instant::now(),
        }
    }
}

/// How a window shows the video initially. Options that are not given are taken from the settings of the last run.
#[derive(Debug, Clone, Default)]
pub struct FirstView {
    /// Number of bins drawn per channel.
    pub bin_count: Option<u32>,
    /// `true` to show the luminance of linear light.
    pub linear_luminance: Option<bool>,
    /// The source of the colours of overlaps.
    pub overlaps: Option<Overlaps>,
    /// The components to count.
    pub components: Components,
    /// The adjustments of the picture.
    pub adjustments: Adjustments,
    /// Which picture is counted, if there are two.
    pub counted: Counted,
    /// Settings for zebra, marks and false colour.
    pub exposure: ExposureChoice,
    /// Guides over the picture.
    pub guides: Option<Guides>,
    /// The scopes besides the histograms.
    pub scopes: Option<ScopeStyle>,
    /// `true` to show the histograms.
    pub histograms: Option<bool>,
    /// How PQ and HLG are shown.
    pub tone_mapping: Option<ToneMapping>,
    /// The exposure of the picture's own colours.
    pub stops: Stops,
    /// The choices that the lab opens with; `None` if it starts closed.
    pub lab: Option<LabChoice>,
    /// The file with a shader that counts in place of the chosen method's.
    pub lab_shader: Option<PathBuf>,
}

/// Why the window closed or did not open.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The video could not be opened.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// The profile to check by cannot be used.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// None of several videos could be opened.
    #[error("none of the {} files can be opened: {}", .0.len(), joined(.0))]
    NoneOpens(Vec<AppError>),
    /// The adapter failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The device was lost again after everything had been recreated.
    #[error(
        "{0}: the graphics device was lost again after it had been recreated; update its driver, or try another with \
         --adapter (see 'histoscope adapters')"
    )]
    LostAgain(GpuError),
    /// The folder contains no videos.
    #[error("{}: no videos or numbered pictures in this folder; choose another folder, or a file (subfolders are not searched)", .0.display())]
    NoVideos(PathBuf),
    /// The folder cannot be read.
    #[error("{}: the folder cannot be read: {}", .0.display(), .1)]
    Folder(PathBuf, std::io::Error),
    /// There is no display, or it refused a window.
    #[error("no window could be opened: {0}; without a display, use 'histoscope snapshot FILE -o OUT.png'")]
    Display(String),
    /// The source cannot be compared, because it is not seekable.
    #[error(
        "{}: --compare needs seekable files, but this one is live or a pipe; save it to a file first", .0.display()
    )]
    NotComparable(PathBuf),
    /// The offset in frames has no equivalent in time.
    #[error("{}: its frames are not evenly spaced, so --offset cannot be converted to a time; add --compare-by frame", .0.display())]
    NoOffset(PathBuf),
    /// No decoding thread could be spawned.
    #[error("no decoding thread could be started: {0}")]
    Thread(std::io::Error),
    /// The preset to start with cannot be used.
    #[error(transparent)]
    Preset(#[from] PresetError),
    /// Other programs cannot be listened to.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The decoder never reported whether it could open the video.
    #[error("{}: the video could not be opened; try again with -vv to see why", .0.display())]
    NoAnswer(PathBuf),
}

/// Joins several reasons in one line.
fn joined(reasons: &[AppError]) -> String {
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

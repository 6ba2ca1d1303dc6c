//! What the window is started with, and why it may end.

use std::path::PathBuf;
use std::time::Instant;

use super::lab::LabChoice;
use histoscope_batch::analyze::selection::Point;
use histoscope_core::adjust::{Adjustments, Gain};
use histoscope_core::histogram::Components;
use histoscope_media::{MediaError, OpenOptions};
use histoscope_render::engine::EngineChoice;
use histoscope_render::gpu::{AdapterChoice, GpuError};
use histoscope_render::view::exposure::ExposureChoice;
use histoscope_render::view::overlay::Overlaps;
use histoscope_render::view::scene::{Counted, Sharing};

/// Bytes of frames that are kept unless something else is asked for.
const USUAL_CACHE_BYTES: usize = 512 << 20;

/// Which frames of two clips are partners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompareBy {
    /// Those that are on screen at the same time.
    #[default]
    Time,
    /// Those of the same number.
    Frame,
}

/// How two clips are shown at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CompareAs {
    /// The first left of a divider, the second right of it.
    #[default]
    Divider,
    /// Each in its half of the window.
    SideBySide,
    /// Their difference.
    Difference,
}

/// The options of a second clip.
#[derive(Debug, Clone)]
pub struct Comparing {
    /// The clip.
    pub input: PathBuf,
    /// Which frames are partners.
    pub by: CompareBy,
    /// By how many of its frames it is ahead.
    pub offset: i64,
    /// How both are shown at first.
    pub shown: CompareAs,
    /// How many times larger differences are shown than they are.
    pub gain: Gain,
}

impl Comparing {
    /// How both share the view at first, and at which gain their difference is shown.
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
    /// The videos, or folders of videos; none opens a window that invites to open one.
    pub inputs: Vec<PathBuf>,
    /// How the first of them is played at first.
    pub begin: PlayStart,
    /// The first view of it.
    pub view: FirstView,
    /// Bytes of frames to keep for steps back and loops.
    pub cache_bytes: usize,
    /// True if choices last from one run to the next.
    pub keeps_settings: bool,
    /// The clip that plays in step with the first one, if there is one.
    pub compare: Option<Comparing>,
    /// The adapter.
    pub adapter: AdapterChoice,
    /// The engine.
    pub engine: EngineChoice,
    /// How to read the video.
    pub open: OpenOptions,
    /// When the program started, for the log.
    pub started: Instant,
}

/// How a window begins to play.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PlayStart {
    /// True if to start again at the end.
    pub looped: bool,
    /// True if to open paused.
    pub paused: bool,
    /// True if the window opens on the full screen.
    pub fullscreen: bool,
    /// Where the first video is to begin, if not at its beginning.
    pub at: Option<Point>,
}

impl PlayOptions {
    /// Plays a file once as it is, whatever the settings say.
    #[must_use]
    pub fn plain(input: PathBuf, adapter: AdapterChoice, open: OpenOptions) -> Self {
        Self {
            inputs: vec![input],
            begin: PlayStart::default(),
            view: FirstView::default(),
            cache_bytes: USUAL_CACHE_BYTES,
            keeps_settings: false,
            compare: None,
            adapter,
            engine: EngineChoice::default(),
            open,
            started: Instant::now(),
        }
    }
}

/// The first view of a window; options that are not given are as in the settings of the last run.
#[derive(Debug, Clone, Default)]
pub struct FirstView {
    /// Bins of a channel that are drawn.
    pub bin_count: Option<u32>,
    /// True if the luminance of linear light is shown.
    pub linear_luminance: Option<bool>,
    /// Where the colours of overlaps come from.
    pub overlaps: Option<Overlaps>,
    /// The components that are counted.
    pub components: Components,
    /// The adjustments of the picture.
    pub adjustments: Adjustments,
    /// Which picture is counted, where there are two.
    pub counted: Counted,
    /// The choice of zebra, marks and false colour.
    pub exposure: ExposureChoice,
    /// With which choice the lab is open, if it is.
    pub lab: Option<LabChoice>,
}

/// Why the window was closed, or did not open.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The video could not be opened.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// None of several videos could be opened.
    #[error("none of the {} files can be opened: {}", .0.len(), joined(.0))]
    NoneOpens(Vec<AppError>),
    /// The adapter could not do its part.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The device was lost, and once more after everything was made again.
    #[error(
        "{0}: the graphics device was lost again after it had been made anew; update its driver, or try another with --adapter (see 'histoscope adapters')"
    )]
    LostAgain(GpuError),
    /// A folder without videos.
    #[error("{}: no videos or numbered pictures in this folder; choose another folder, or a file (subfolders are not searched)", .0.display())]
    NoVideos(PathBuf),
    /// A folder that cannot be read.
    #[error("{}: the folder cannot be read: {}", .0.display(), .1)]
    Folder(PathBuf, std::io::Error),
    /// There is no display, or it refused a window.
    #[error("no window could be opened: {0}; without a display, use 'histoscope snapshot FILE -o OUT.png'")]
    Display(String),
    /// A source that cannot be compared, because it cannot be positioned.
    #[error(
        "{}: --compare needs two files in which one can go anywhere, and this is live or a pipe; save it to a file first", .0.display()
    )]
    NotComparable(PathBuf),
    /// An offset in frames that has no meaning in time.
    #[error("{}: its frames are not evenly spaced, so that --offset tells no time; add --compare-by frame", .0.display())]
    NoOffset(PathBuf),
    /// The system gave no thread to decode on.
    #[error("no decoding thread could be started: {0}")]
    Thread(std::io::Error),
    /// The decoder never said whether it could open the video.
    #[error("{}: the video could not be opened; try again with -vv to see why", .0.display())]
    NoAnswer(PathBuf),
}

/// Several reasons in one line.
fn joined(reasons: &[AppError]) -> String {
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

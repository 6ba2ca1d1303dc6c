//! A clip as a strip, with time from left to right and levels from bottom to top, in memory that does not grow with the
//! clip's length. Decoders fill it first with individual frames in any order, and then with every frame in order. This
//! module defines its content and its appearance.
//!
//! `cells` reduces frames of any depth to 256 levels, and `columns` is the strip itself. `sweep` fills it with every
//! frame and finds `cuts` and `findings` along the way, including breaks of the `timecodes`. `light` and `raster`
//! render it as a picture, over which a `line` may show a figure. Reports use the same cells, cuts, breaks, worst frames and brightness.

mod cells;
mod columns;
mod cuts;
mod findings;
mod frozen;
mod light;
mod line;
mod raster;
mod sweep;
mod timecodes;
mod watched;
mod worst;

pub use cells::{BLANK_SHARE, ROWS, fold, is_black};
pub use columns::{CELLS, COLUMNS, Cells, Strip, StripColumn};
pub use cuts::{CUT_DELAY, Cut, CutFinder, CutGuess, DEFAULT_THRESHOLD, FLASH_FRAMES, MAX_LISTED};
pub use findings::{ExaminedClip, ExaminedFrame, Examiner, Finding, FindingFilter, FindingKind, FindingLimits};
pub use frozen::{Differences, RENEWAL};
pub use light::{Rgb, brightness, channel_color, mixed, ramp};
pub use line::{FIGURES, FigureSpan, Figures, FrameFigures, LineScale, StripLine};
pub use raster::{Raster, ShownChannels};
pub use sweep::Sweep;
pub use timecodes::{TimecodeBreak, TimecodeRun, TimecodeRuns};
pub use watched::{Watch, Watched};
pub use worst::{ChannelShare, Flaw, WorstFrame, WorstOfClip, shares};

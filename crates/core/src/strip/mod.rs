//! A clip as a strip: time across, level up, in memory that does not grow with the clip's length. It is filled with frames in any
//! order first and with every frame in order then, by whoever decodes; here is what it holds and what it looks like.
//!
//! `cells` brings frames of every depth to 256 levels, `columns` is the strip, `sweep` fills it with every frame and finds on the way
//! the cuts, as `cuts` has them, and the `findings` of what somebody who checks it looks for, `timecodes` among them where timecodes break; `light` and `raster` make a picture of it.
//! A report shows clips by the same cells, cuts, breaks, worst frames and lights.

mod cells;
mod columns;
mod cuts;
mod findings;
mod light;
mod raster;
mod sweep;
mod timecodes;
mod watched;
mod worst;

pub use cells::{ROWS, fold};
pub use columns::{CELLS, COLUMNS, Cells, Strip, StripColumn};
pub use cuts::{Cut, CutFinder, CutGuess, DEFAULT_THRESHOLD, FLASH_FRAMES, MAX_LISTED};
pub use findings::{Finding, FindingKind, Seen, Sought};
pub use light::{Rgb, brightness, channel_color, mixed, ramp};
pub use raster::{Raster, ShownChannels};
pub use sweep::Sweep;
pub use timecodes::{TimecodeBreak, TimecodeRun, TimecodeRuns};
pub use watched::{Watch, Watched};
pub use worst::{ChannelShare, Flaw, WorstFrame, WorstFrames, shares};

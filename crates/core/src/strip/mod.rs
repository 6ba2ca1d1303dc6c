//! A clip as a strip: time from left to right, level from bottom to top, in memory that does not grow with the clip's
//! length. Decoders fill it with single frames in any order first, and then with every frame in order. This module
//! defines its content and its look.
//!
//! `cells` brings frames of any depth to 256 levels, and `columns` is the strip. `sweep` fills it with every frame and
//! finds the cuts (`cuts`) and `findings` on the way, including breaks of the `timecodes`. `light` and `raster` turn
//! it into a picture. Reports use the same cells, cuts, breaks, worst frames and lights.

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

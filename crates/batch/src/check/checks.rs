//! The checks. Each is a row with its name, what a profile may say of it, and the finder that looks for it. A new check
//! is a row, in a file of its own or beside its like, listed in [`ALL`]; the profiles in `profiles` state it.

pub mod bars;
pub mod cadence;
pub mod clip;
mod damage;
pub mod exposure;
pub mod flash;
mod gaps;
pub mod hdr;
mod levels;
pub mod range;
pub mod sound;
mod stretches;
mod tags;
pub mod tape;

use super::row::Check;

/// All checks, in the order in which they are listed.
pub static ALL: [&Check; 34] = [
    &clip::BLACK,
    &clip::FROZEN,
    &clip::FLASH,
    &flash::FLASH_SAFETY,
    &exposure::EXPOSURE,
    &clip::CLIPPED,
    &range::RANGE,
    &levels::PEAK,
    &levels::BLACK_LEVEL,
    &bars::BARS,
    &cadence::CADENCE,
    &damage::DAMAGED,
    &gaps::GAPS,
    &clip::TIMECODE,
    &tags::TAGS,
    &hdr::DYNAMIC_RANGE,
    &hdr::LIGHT,
    &hdr::MASTERING,
    &hdr::GAMUT,
    &sound::LOUDNESS,
    &sound::TRUE_PEAK,
    &sound::SOUND_CLIPPED,
    &sound::SILENCE,
    &sound::PHASE,
    &sound::SILENT_CHANNEL,
    &sound::SOUND_START,
    &sound::SOUND_LENGTH,
    &tape::OUTLIERS,
    &tape::REPEATED_LINES,
    &tape::FIELDS,
    &tape::FIELD_ORDER,
    &tape::HEAD_SWITCHING,
    &tape::STUCK_PIXELS,
    &tape::DROPOUTS,
];

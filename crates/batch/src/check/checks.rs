//! The checks. Each is a row with its name, what a profile may say of it, and the finder that looks for it. A new check
//! is a row, in a file of its own or beside its like, listed in [`ALL`]; the profiles in `profiles` state it.

mod bars;
mod cadence;
pub mod clip;
mod damage;
mod exposure;
pub mod flash;
mod gaps;
pub mod hdr;
mod levels;
pub mod range;
mod stretches;
mod tags;

use super::row::Check;

/// All checks, in the order in which they are listed.
pub static ALL: [&Check; 19] = [
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
];

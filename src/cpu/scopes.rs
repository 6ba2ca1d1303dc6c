//! Those scopes of a picture that are wanted, counted on the CPU.

use super::{count_vectorscope, count_waveform};
use crate::histogram::Components;
use crate::picture::Picture;
use crate::picture::region::Rect;
use crate::scopes::{Choice, Chroma, ScopeCounts};

/// Counts them in a rectangle of a picture, in which it must lie. Without `chroma`, of a picture without colour, there is no
/// vectorscope.
#[must_use]
pub fn count_scopes(
    picture: &Picture,
    (pixels, components): (Rect, Components),
    chroma: Option<Chroma>,
    wanted: Choice,
) -> ScopeCounts {
    let chroma = chroma.filter(|_| wanted.vectorscope);
    ScopeCounts {
        waveform: wanted.waveform.then(|| count_waveform(picture, pixels, components)),
        vectorscope: chroma.map(|chroma| count_vectorscope(picture, pixels, chroma)),
    }
}

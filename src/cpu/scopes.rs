//! Those scopes of a picture that are wanted, counted on the CPU, or of picture after picture, added up.

use super::vectorscope::add_vectorscope;
use super::waveform::add_waveform;
use super::{count_vectorscope, count_waveform};
use crate::histogram::Components;
use crate::picture::Picture;
use crate::picture::layout::PixelLayout;
use crate::picture::region::Rect;
use crate::scopes::{Choice, Chroma, Run, ScopeCounts, ScopeSums, Vectorscope, Waveform};

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

/// What pictures are counted by that are added up in 32 bits: the rectangle, the components and the chroma are the same.
type Alike = (PixelLayout, Rect, Components, Option<Chroma>);

/// Adds the scopes of pictures up, in the memory of one: only where they change, or might overflow, are they added to the sums.
#[derive(Debug, Default)]
pub struct Summing {
    run: Option<(Run<Alike>, ScopeCounts)>,
    sums: ScopeSums,
}

impl Summing {
    /// Adds those scopes of a rectangle of a picture, as [`count_scopes`] counts them.
    pub fn add(
        &mut self,
        picture: &Picture,
        (pixels, components): (Rect, Components),
        chroma: Option<Chroma>,
        wanted: Choice,
    ) {
        let layout = *picture.layout();
        let of = (layout, pixels, components, chroma);
        let chroma = chroma.filter(|_| wanted.vectorscope);
        if self.run.as_ref().is_none_or(|(run, _)| !run.takes(&of, pixels.pixel_count())) {
            self.end_run();
        }
        let (run, counts) = self.run.get_or_insert_with(|| {
            let waveform = wanted.waveform.then(|| Waveform::empty(&layout, pixels, components));
            let vectorscope = chroma.map(|_| Vectorscope::empty(layout.bin_bits()));
            (Run::new(of), ScopeCounts { waveform, vectorscope })
        });
        run.add(pixels.pixel_count());
        if let Some(waveform) = &mut counts.waveform {
            add_waveform(waveform, picture, pixels);
        }
        if let (Some(scope), Some(chroma)) = (&mut counts.vectorscope, chroma) {
            add_vectorscope(scope, picture, pixels, chroma);
        }
    }

    /// The sums of all pictures so far; those that follow begin others.
    pub fn take(&mut self) -> ScopeSums {
        self.end_run();
        std::mem::take(&mut self.sums)
    }

    fn end_run(&mut self) {
        if let Some((run, counts)) = self.run.take() {
            self.sums.add(&counts, run.of.3, run.pictures);
        }
    }
}

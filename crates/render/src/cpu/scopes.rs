//! Those scopes of a picture that are wanted, counted on the CPU, or of picture after picture, added up.

use rayon::prelude::*;

use super::vectorscope::add_vectorscope;
use super::waveform::add_waveform;
use histoscope_core::histogram::Components;
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Chroma, Run, ScopeChoice, ScopeCounts, ScopeSums, Vectorscope, Waveform};

/// Counts them in a rectangle of a picture, in which it must lie. Without `chroma`, of a picture without colour, there is no
/// vectorscope.
#[must_use]
pub fn count_scopes(
    picture: &Picture,
    (pixels, components): (Rect, Components),
    chroma: Option<Chroma>,
    wanted: ScopeChoice,
) -> ScopeCounts {
    recount_scopes(ScopeCounts::default(), picture, (pixels, components), chroma, wanted)
}

/// The same in the memory of counts that are of no use any more.
#[must_use]
pub fn recount_scopes(
    old: ScopeCounts,
    picture: &Picture,
    (pixels, components): (Rect, Components),
    chroma: Option<Chroma>,
    wanted: ScopeChoice,
) -> ScopeCounts {
    let layout = picture.layout();
    let waveform = wanted.waveform.then(|| {
        let old = old.waveform.map_or_else(Vec::new, |old| old.counts);
        let mut waveform = Waveform::shape(layout, pixels, components);
        waveform.counts = zeros(old, waveform.count_words());
        add_waveform(&mut waveform, picture, pixels);
        waveform
    });
    let vectorscope = chroma.filter(|_| wanted.vectorscope).map(|chroma| {
        let level_bits = Vectorscope::level_bits_of(layout.bin_bits());
        let old = old.vectorscope.map_or_else(Vec::new, |old| old.counts);
        let mut scope = Vectorscope { level_bits, counts: zeros(old, 1 << (2 * level_bits)) };
        add_vectorscope(&mut scope, picture, pixels, chroma);
        scope
    });
    ScopeCounts { waveform, vectorscope }
}

/// So many zeros, where possible in memory that is there.
fn zeros(mut old: Vec<u32>, count: usize) -> Vec<u32> {
    if old.len() != count {
        drop(old);
        return vec![0; count];
    }
    old.par_chunks_mut(1 << 16).for_each(|counts| counts.fill(0));
    old
}

/// The properties that pictures share whose counts are added up in 32 bits: layout, rectangle, components and chroma.
type Alike = (PixelLayout, Rect, Components, Option<Chroma>);

/// Adds the scopes of pictures up, in the memory of one: only where they change, or might overflow, are they added to the sums.
#[derive(Debug, Default)]
pub struct CpuScopeSum {
    run: Option<(Run<Alike>, ScopeCounts)>,
    sums: ScopeSums,
}

impl CpuScopeSum {
    /// Adds those scopes of a rectangle of a picture, as [`count_scopes`] counts them.
    pub fn add(
        &mut self,
        picture: &Picture,
        (pixels, components): (Rect, Components),
        chroma: Option<Chroma>,
        wanted: ScopeChoice,
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

//! Counts the requested scopes of a picture on the CPU, or sums them over many pictures.

use rayon::prelude::*;

use super::vectorscope::add_vectorscope;
use super::waveform::add_waveform;
use histoscope_core::histogram::Components;
use histoscope_core::picture::Picture;
use histoscope_core::picture::layout::PixelLayout;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{
    Chroma, MOST_PER_PIXEL, Run, Scope, ScopeChoice, ScopeCounts, ScopeSums, Vectorscope, Waveform,
};

/// Counts the wanted scopes in a rectangle, which must lie in the picture. Without `chroma`, which pictures without
/// colour lack, there is no vectorscope.
#[must_use]
pub fn count_scopes(
    picture: &Picture,
    (pixels, components): (Rect, Components),
    chroma: Option<Chroma>,
    wanted: ScopeChoice,
) -> ScopeCounts {
    recount_scopes(ScopeCounts::default(), picture, (pixels, components), chroma, wanted)
}

/// Counts like [`count_scopes`], reusing the memory of `old` counts that are no longer needed.
#[must_use]
pub fn recount_scopes(
    old: ScopeCounts,
    picture: &Picture,
    (pixels, components): (Rect, Components),
    chroma: Option<Chroma>,
    wanted: ScopeChoice,
) -> ScopeCounts {
    let layout = picture.layout();
    let waveform = wanted[Scope::Waveform].then(|| {
        let old = old.waveform.map_or_else(Vec::new, |old| old.counts);
        let mut waveform = Waveform::shape(layout, pixels, components);
        waveform.counts = zeros(old, waveform.count_words());
        add_waveform(&mut waveform, picture, pixels);
        waveform
    });
    let vectorscope = chroma.filter(|_| wanted[Scope::Vectorscope]).map(|chroma| {
        let level_bits = chroma.level_bits();
        let old = old.vectorscope.map_or_else(Vec::new, |old| old.counts);
        let mut scope = Vectorscope { level_bits, counts: zeros(old, 1 << (2 * level_bits)) };
        add_vectorscope(&mut scope, picture, pixels, chroma);
        scope
    });
    ScopeCounts { waveform, vectorscope }
}

/// Returns `count` zeros, in the memory of `old` if its length fits.
fn zeros(mut old: Vec<u32>, count: usize) -> Vec<u32> {
    if old.len() != count {
        drop(old);
        return vec![0; count];
    }
    old.par_chunks_mut(1 << 16).for_each(|counts| counts.fill(0));
    old
}

/// The properties that must be equal in pictures whose counts are summed in 32 bits: layout, rectangle, components and
/// chroma.
type SumKey = (PixelLayout, Rect, Components, Option<Chroma>);

/// Sums the scopes of pictures. Counts in the memory of a single picture, which it adds to the sums only when the
/// pictures' properties change or a count could overflow.
#[derive(Debug, Default)]
pub struct CpuScopeSum {
    run: Option<(Run<SumKey>, ScopeCounts)>,
    sums: ScopeSums,
}

impl CpuScopeSum {
    /// Adds the wanted scopes of a rectangle of a picture, counted as by [`count_scopes`].
    pub fn add(
        &mut self,
        picture: &Picture,
        (pixels, components): (Rect, Components),
        chroma: Option<Chroma>,
        wanted: ScopeChoice,
    ) {
        let layout = *picture.layout();
        let of = (layout, pixels, components, chroma);
        let chroma = chroma.filter(|_| wanted[Scope::Vectorscope]);
        if self.run.as_ref().is_none_or(|(run, _)| !run.takes(&of, MOST_PER_PIXEL * pixels.pixel_count())) {
            self.end_run();
        }
        let (run, counts) = self.run.get_or_insert_with(|| {
            let waveform = wanted[Scope::Waveform].then(|| Waveform::empty(&layout, pixels, components));
            let vectorscope = chroma.map(|chroma| Vectorscope::empty(chroma.level_bits()));
            (Run::new(of), ScopeCounts { waveform, vectorscope })
        });
        run.add(MOST_PER_PIXEL * pixels.pixel_count());
        if let Some(waveform) = &mut counts.waveform {
            add_waveform(waveform, picture, pixels);
        }
        if let (Some(scope), Some(chroma)) = (&mut counts.vectorscope, chroma) {
            add_vectorscope(scope, picture, pixels, chroma);
        }
    }

    /// Returns the sums of all pictures so far and starts new ones.
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

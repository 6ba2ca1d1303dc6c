//! The scopes of a reference, whose traces are drawn in gray behind those of the loaded picture.

use histoscope_core::histogram::Components;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Frame, Interpretation, Picture};
use histoscope_core::scopes::{Chroma, Diagram, PerScope, ScopeChoice, ScopeCounts};
use histoscope_core::tone_map::SourceLight;

use super::BackendKind;
use crate::cpu::count_scopes;
use crate::gpu::draw::scopes::{CountSource, HeldKey, ScopeBuffers};
use crate::gpu::resources::storage;
use crate::gpu::{Buffer, FrameTag, Gpu};

/// The scopes of a reference.
#[derive(Debug, Default)]
pub struct ReferenceScopes {
    reference: Option<Reference>,
    counted: Option<Counted>,
    /// Number of counts made so far.
    made: u64,
}

/// A frame, and the rectangle of it that is counted.
#[derive(Debug)]
struct Reference {
    of: (FrameTag, Interpretation, Rect),
    picture: Picture,
    light: SourceLight,
}

/// The counts of a reference.
#[derive(Debug)]
struct Counted {
    of: (ScopeChoice, Diagram, Components, BackendKind),
    chroma: Option<Chroma>,
    counts: Counts,
}

/// Counts, in the memory that the backend draws from.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "only one exists")]
enum Counts {
    Cpu(HeldKey, ScopeCounts),
    Gpu(PerScope<Option<Buffer>>),
}

impl ReferenceScopes {
    /// Sets the frame, and the rectangle of it that is counted; `None` removes it. Setting the same frame again does
    /// not count it again.
    pub fn set(&mut self, reference: Option<(&Frame, Rect)>) {
        let key = reference.map(|(frame, rect)| (FrameTag::of(frame), frame.interpretation(), rect));
        if self.reference.as_ref().map(|held| held.of) == key {
            return;
        }
        self.counted = None;
        self.reference = reference.zip(key).map(|((frame, _), of)| Reference {
            of,
            picture: frame.picture.clone(),
            light: SourceLight::of(&frame.source),
        });
    }

    /// Returns the counts of these scopes and components, for this backend to draw. The CPU counts them first, unless
    /// already done. A picture without such components has none.
    pub fn buffers(
        &mut self,
        gpu: &Gpu,
        kind: BackendKind,
        (wanted, diagram, components): (ScopeChoice, Diagram, Components),
    ) -> ScopeBuffers<'_> {
        let Self { reference, counted, made } = self;
        let Some((rect, picture, light)) = reference
            .as_ref()
            .and_then(|reference| Some((reference.of.2, components.of(&reference.picture)?, reference.light)))
        else {
            return ScopeBuffers::default();
        };
        let of = (wanted, diagram, components, kind);
        let kept = counted.take().filter(|kept| kept.of == of);
        let Counted { chroma, counts, .. } = counted.insert(kept.unwrap_or_else(|| {
            let chroma = Chroma::of(picture).map(|chroma| chroma.in_diagram(diagram, light.colors()));
            let counts = count_scopes(picture, (rect, components), chroma, wanted);
            *made += 1;
            let counts = match kind {
                BackendKind::Cpu => Counts::Cpu(HeldKey::Reference(*made), counts),
                BackendKind::Adapter => Counts::Gpu(counts.words().map(|words| Some(upload(gpu, words?)))),
            };
            Counted { of, chroma, counts }
        }));
        let sources = match counts {
            Counts::Cpu(key, counts) => counts.words().map(|words| Some(CountSource::Cpu(*key, words?))),
            Counts::Gpu(buffers) => buffers.as_ref().map(|buffer| buffer.as_ref().map(CountSource::Gpu)),
        };
        ScopeBuffers::new(picture.layout(), (rect, components), *chroma, sources)
    }
}

fn upload(gpu: &Gpu, words: &[u32]) -> Buffer {
    let buffer = storage(&gpu.device, "reference scope", words.len());
    gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
    buffer
}

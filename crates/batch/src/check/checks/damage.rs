//! Damaged frames, and what the decoder could not read.

use super::stretches::Stretches;
use crate::analyze::pipeline::CountedFrame;
use crate::check::finding::Span;
use crate::check::row::{Check, CountedFile, Finder, Found, no_limit};

/// Damaged frames.
pub static DAMAGED: Check = Check {
    name: "damaged",
    place: 7,
    threshold: None,
    has_length: false,
    limit: no_limit,
    start: |_| Box::new(Damage::default()),
};

#[derive(Default)]
struct Damage(Stretches);

impl Finder for Damage {
    fn add(&mut self, here: Span, frame: &CountedFrame) {
        self.0.push(here, frame.frame.facts.damaged.then_some(0.0));
    }

    fn finish(self: Box<Self>, file: &CountedFile<'_>) -> Vec<Found> {
        let outcome = &file.counted.outcome;
        let decoder = &outcome.decoder;
        let missing = [
            (decoder.refused_packets, "packets refused by the decoder"),
            (decoder.unusable, "frames that cannot be read"),
        ];
        let missing =
            missing.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let unheard = outcome.unheard.iter().map(|fault| format!("sound that cannot be read: {fault}"));
        let refused = outcome.audio.as_ref().map(|sound| sound.refused_packets).filter(|count| *count > 0);
        let refused = refused.map(|count| format!("{count} packets of sound refused by the decoder"));
        let in_file = missing.chain(unheard).chain(refused).chain(outcome.ended_early.clone()).map(Found::in_file);
        let stretches = self.0.finish();
        let damaged = stretches.iter().map(|stretch| {
            let Found { span, text, .. } = stretch.found("damaged");
            Found { span, text, ..Found::default() }
        });
        in_file.chain(damaged).collect()
    }
}

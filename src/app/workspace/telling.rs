//! What is seen and counted of the picture, in words.

use super::Workspace;
use crate::app::{regions, seen};
use histoscope_core::histogram::Transfer;
use histoscope_render::view::overlay::linear_text;

impl Workspace {
    /// How much of what is counted is in view, in words; nothing where that is all.
    pub fn seen_text(&self) -> Option<String> {
        let part = self.bins.region.counted();
        let share = self.geometry().placement()?.seen(part);
        seen::text(share, part.is_some(), &self.scene.look.view)
    }

    /// Which picture and which part of it the histograms are of, in how many bins, and what the line is, in words; nothing where that is simply the
    /// picture, with a bin for each code.
    pub fn counted_text(&self) -> Option<String> {
        let frame = self.session.as_ref()?.frame.as_ref()?;
        let region = self.bins.region.counted().map(|rect| regions::words_in(rect, frame));
        let bins = self.scene.look.histograms.binning(frame.picture.layout().bin_bits()).text();
        let linear = self.scene.look.shows_linear(self.bins.components);
        let linear = linear.then(|| linear_text(Transfer::of_tag(frame.source.transfer)));
        let counted = self.counted_pictures();
        let texts: Vec<_> = region.into_iter().chain(counted).chain(bins).chain(linear).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }
}

//! What Ctrl+C copies, as text whose columns are parted by tabs: the values under the pointer, or the frame's numbers.

use glam::DVec2;

use super::geometry::{Geometry, Pixel};
use super::hud::{Card, ProbeText, Readout, StatsTable};
use super::session::Session;
use histoscope_core::histogram::Cumulative;
use histoscope_core::picture::Frame;
use histoscope_core::text::time_text;
use histoscope_render::gpu::FrameTag;
use histoscope_render::view::probe::probe;

/// What is to be copied, and what it is in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The text.
    pub text: String,
    /// Its name.
    pub name: String,
}

/// Gathers the values of the bin or the pixel at a point of the view, or where there is neither, all numbers of the frame, whose
/// bins are given. Nothing while there is no frame.
#[must_use]
pub fn values(
    geometry: &Geometry<'_>,
    session: &Session,
    (tag, sums): (&FrameTag, &Cumulative),
    at: Option<DVec2>,
) -> Option<Copied> {
    let frame = session.read(session.frame.as_ref()?);
    let number = tag.index.map_or_else(String::new, |index| format!("\tframe {index}"));
    let heading = format!("{}{number}\t{}", session.name, time_text(tag.time_secs));
    let numbers = StatsTable::new(tag, sums, &geometry.scene.look.adjustments);
    let of_card = |card: Card, picture: Option<&str>| {
        let counted = picture.map_or_else(String::new, |picture| format!("\n{picture}"));
        Copied { text: format!("{heading}{counted}\n{}", card.as_table()), name: card.title }
    };
    if let Some(hit) = at.and_then(|at| geometry.hit(at)) {
        return Some(of_card(
            Readout::of_bin(sums, hit.channels, (hit.bin, geometry.scene.look.histograms.binning(sums.bits))),
            Some(&numbers.picture),
        ));
    }
    let card = |frame: &Frame, (x, y)| {
        ProbeText::card(&probe(&frame.picture, x, y, geometry.components), &frame.picture, frame.orientation)
    };
    match at.and_then(|at| geometry.pixel_at(at)) {
        Some(Pixel::Live(place)) => return Some(of_card(card(&frame, place), None)),
        // It is named by its own file and time.
        Some(Pixel::Other(held, place)) => {
            let card = card(&held.frame, place);
            return Some(Copied { text: format!("{}\n{}", held.title, card.as_table()), name: card.title });
        }
        None => {}
    }
    Some(Copied { text: format!("{heading}\n{}", numbers.as_table()), name: "the frame's numbers".to_owned() })
}

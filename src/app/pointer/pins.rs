//! Probes, pinned and removed by a key or the menu, and dragged.

use glam::DVec2;

use super::geometry::{Geometry, Pixel};
use histoscope_keys::{self as keys, Action};
use histoscope_render::view::probes::{Probes, name};

/// Removes the probe at a point of the view or, if there is none, pins one to the pixel there. Returns the probes and
/// the note to show.
#[must_use]
pub fn pin(geometry: &Geometry<'_>, at: Option<DVec2>) -> (Probes, String) {
    let probes = geometry.scene.look.probes;
    let key = keys::label_of(Action::PinProbe).unwrap_or_default();
    let at = at.filter(|&at| geometry.is_on_picture(at));
    match at.map(|at| (geometry.pin_at(at), geometry.pixel_at(at))) {
        Some((Some(probe), _)) => (probes.without(probe), format!("probe {} removed", name(probe))),
        Some((None, Some(Pixel::Live(place @ (x, y))))) => match probes.with(place) {
            Some((with, probe)) => {
                (with, format!("probe {} at x {x}  y {y}: drag it; {key} on it removes it", name(probe)))
            }
            None => (probes, format!("there are eight probes already: {key} on one removes it")),
        },
        _ => (probes, format!("point at the picture: {key} pins a probe there")),
    }
}

/// Returns the probes when one is dragged to a point of the view; `None` beside the live picture.
#[must_use]
pub fn dragged(geometry: &Geometry<'_>, probe: usize, to: DVec2) -> Option<Probes> {
    match geometry.pixel_at(to)? {
        Pixel::Live(place) => Some(geometry.scene.look.probes.moved(probe, place)),
        Pixel::Other(..) => None,
    }
}

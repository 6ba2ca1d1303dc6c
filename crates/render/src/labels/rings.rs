//! Rings around pixels: on the picture, in the scopes and in the histograms, shared by the window and saved pictures.

use glam::DVec2;

use egui::{Align, Align2, Color32, Painter, Pos2, Rect, Stroke, pos2, vec2};

use super::graticule::{LINE, REFERENCE, ScopeSubject, color_of, place_of, write, y_of_level};
use crate::view::panel::{PanelRect, panels};
use crate::view::placement::Shape;
use crate::view::probe::Probe;
use crate::view::probe_table::ProbeTable;
use crate::view::probes::name;
use crate::view::scene::{Counted, NO_BIN, Scene};
use crate::view::scopes::{Lens, ScopeKind};
use histoscope_core::histogram::Components;
use histoscope_core::picture::region;
use histoscope_core::picture::{Frame, Picture};
use histoscope_core::scopes::level_bits;

/// Radius of a ring, and the most width of its name, in points.
const RING: f32 = 4.5;
const NAME: f32 = 24.0;

/// Returns the horizontal position of a pixel in the counted area, from 0 to 1. Returns `None` if it is not counted: it
/// is outside, or only the result of adjustments is counted, which has other codes.
#[must_use]
pub fn share_across(
    scene: &Scene,
    (picture, components, region): (&Picture, Components, Option<region::Rect>),
    (x, y): (u32, u32),
) -> Option<f64> {
    let counted = region.unwrap_or(region::Rect::whole(picture.width(), picture.height()));
    let is_counted = counted.contains(x, y) && scene.look.counted_in(components) != Counted::Result;
    is_counted.then(|| (f64::from(x - counted.x) + 0.5) / f64::from(counted.width))
}

/// Returns the marks of a pixel in a scope; `share` is its horizontal position in the counted area, from 0 to 1.
#[must_use]
pub fn marks(rect: Rect, kind: ScopeKind, subject: &ScopeSubject, probe: &Probe, share: f64) -> Vec<(Pos2, Color32)> {
    let level_bits = level_bits(subject.bits);
    let shown: Vec<_> = subject.shown().collect();
    let at = |part: Rect, channel: usize| {
        let level = f64::from(probe.bins[channel] >> (subject.bits - level_bits));
        let place = pos2(part.min.x + share as f32 * part.width(), y_of_level(part, level, level_bits));
        (place, color_of(subject.components, channel))
    };
    match kind {
        ScopeKind::Histogram => Vec::new(),
        ScopeKind::Waveform => shown.iter().map(|&channel| at(rect, channel)).collect(),
        ScopeKind::Parade => {
            let parts = shown.len() as f32;
            let left = |place: usize| rect.min.x + rect.width() * place as f32 / parts;
            let part = |place| Rect::from_x_y_ranges(left(place)..=left(place + 1), rect.y_range());
            shown.iter().enumerate().map(|(place, &channel)| at(part(place), channel)).collect()
        }
        ScopeKind::Vectorscope => {
            let Some(chroma) = subject.chroma else { return Vec::new() };
            let mut pairs = Vec::new();
            match (chroma.computation(), probe.coded) {
                (Some(computation), _) => {
                    computation.each_of(probe.rgb, (1 << subject.bits) - 1, |pair| pairs.push(pair));
                }
                (None, [_, Some(cb), Some(cr)]) => pairs.push([cb, cr]),
                (None, _) => {}
            }
            let lens = Lens::new(Some(&chroma), chroma.pair_bits(), subject.style.zoom);
            let places = pairs.into_iter().map(|pair| place_of(rect, &lens, pair.map(f64::from)));
            places.filter(|&at| rect.contains(at)).map(|at| (at, Color32::WHITE)).collect()
        }
    }
}

/// A ring around a point of the view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ring {
    /// Its middle, in points.
    pub at: Pos2,
    /// Its colour.
    pub light: Color32,
    /// The probe that it belongs to, whose name is written beside it; `None` for the pixel under the pointer.
    pub probe: Option<usize>,
}

/// Returns the rings of the probes on a view of `size` pixels, `points` of them to a point: on the picture, except
/// beneath histograms and scopes, and in each of those.
#[must_use]
pub fn of_probes(
    table: &ProbeTable,
    scene: &Scene,
    (frame, components, region): (&Frame, Components, Option<region::Rect>),
    (size, points): ((u32, u32), f32),
) -> Vec<Ring> {
    let arranged = scene.arranged(size).panels;
    let histograms: Vec<_> = panels(scene, components, size).collect();
    let is_free = |at: DVec2| {
        let is_beneath = histograms.iter().any(|(_, rect, _)| rect.contains(at));
        !is_beneath && !arranged.iter().any(|panel| panel.frame.contains(at))
    };
    let pins = scene.pins(&Shape::of(frame), size).into_iter().filter(|(_, at)| is_free(*at));
    let pin = |(probe, at): (usize, DVec2)| Ring {
        at: pos2(at.x as f32, at.y as f32) / points,
        light: REFERENCE,
        probe: Some(probe),
    };
    let mut rings: Vec<_> = pins.map(pin).collect();
    let subject = ScopeSubject::shown_by(scene, frame, components);
    let binning = scene.look.histograms.binning(subject.bits);
    for (row, &(index, probe)) in table.probes.iter().enumerate() {
        let place = share_across(scene, (&frame.picture, components, region), probe.position);
        let Some(share) = place else { continue };
        let in_scopes =
            arranged.iter().map(|panel| marks(in_points(&panel.rect, points), panel.kind, &subject, &probe, share));
        let in_histograms = histograms.iter().map(|(_, rect, channels)| {
            // Each probe has a row of its own, from the lower edge up.
            let rect = in_points(rect, points);
            let y = (rect.max.y - (2 * row + 1) as f32 * (RING + 1.0)).max(rect.min.y);
            let bins = channels.iter().filter(|&channel| probe.bins[channel] != NO_BIN);
            let x = |channel: usize| (binning.bin_of(probe.bins[channel]) as f32 + 0.5) / binning.count() as f32;
            bins.map(|channel| (pos2(rect.min.x + rect.width() * x(channel), y), color_of(components, channel)))
                .collect()
        });
        let places = in_scopes.chain(in_histograms).flatten();
        rings.extend(places.map(|(at, light)| Ring { at, light, probe: Some(index) }));
    }
    rings
}

/// Returns a rectangle of the view in points.
pub(super) fn in_points(rect: &PanelRect, points: f32) -> Rect {
    let corner = |x: u32, y: u32| pos2(x as f32, y as f32) / points;
    Rect::from_min_max(corner(rect.left, rect.top), corner(rect.left + rect.width, rect.top + rect.height))
}

/// Draws rings, visible on any trace and picture, with the names of their probes.
pub fn draw(painter: &Painter, rings: &[Ring]) {
    let clip = painter.clip_rect();
    for &Ring { at, light, probe } in rings {
        painter.circle_stroke(at, RING, Stroke::new(3.5, Color32::from_black_alpha(200)));
        painter.circle_stroke(at, RING, Stroke::new(1.6, light));
        let Some(probe) = probe else { continue };
        let (align, x) = if at.x + NAME > clip.max.x { (Align::Max, -1.0) } else { (Align::Min, 1.0) };
        let (valign, y) = if at.y - LINE < clip.min.y { (Align::Min, 1.0) } else { (Align::Max, -1.0) };
        write(painter, at + vec2(x * (RING + 2.0), y * 2.0), Align2([align, valign]), &name(probe), light);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::look::Look;
    use crate::view::probes::Probes;
    use histoscope_core::adjust::{Adjustments, Blur};

    const SIZE: (u32, u32) = (1280, 720);

    fn rings(look: Look, region: Option<region::Rect>) -> Vec<Ring> {
        let frame = histoscope_core::test_data::gray((16, 9), |_, _| 128);
        let mut look = Look { scopes: parade().scopes, ..look };
        look.probes = Probes::from(vec![[3, 4, 2]]);
        let table = ProbeTable::of(&look.probes, &frame, Components::Rgbl).unwrap();
        of_probes(&table, &Scene::from(look), (&frame, Components::Rgbl, region), (SIZE, 1.0))
    }

    #[test]
    fn probes_are_ringed_where_their_pixels_are_counted() {
        let found = rings(Look::default(), None);
        assert!(found.iter().all(|ring| ring.probe == Some(2)), "{found:?}");
        // Its pixel's middle on the picture; then four channels of the parade, and four of the histograms.
        assert_eq!((found.len(), found[0].at), (9, pos2(360.0, 200.0)));
        let panel = in_points(&Scene::from(parade()).arranged(SIZE).panels[0].rect, 1.0);
        for (channel, ring) in found[1..5].iter().enumerate() {
            let x = panel.min.x + panel.width() / 4.0 * (channel as f32 + 4.5 / 16.0);
            assert!((ring.at.x - x).abs() < 0.01 && ring.at.y == y_of_level(panel, 128.0, 8), "{channel}: {ring:?}");
        }
        let elsewhere = region::Rect { x: 5, y: 0, width: 4, height: 4 };
        assert_eq!(rings(Look::default(), Some(elsewhere)).len(), 1, "it is not counted");
        let part = rings(Look::default(), Some(region::Rect { x: 4, ..elsewhere }));
        assert!((part[1].at.x - panel.min.x - panel.width() / 4.0 * 0.125).abs() < 0.01, "{part:?}");
        let blur = Some(Blur { size: 9, runs: 1 });
        let adjusted = Look { adjustments: Adjustments { blur, ..Adjustments::default() }, ..Look::default() };
        assert_eq!(rings(adjusted, None).len(), 1, "the result has other codes");
    }

    fn parade() -> Look {
        let mut look = Look::default();
        look.scopes.parade = true;
        look
    }
}

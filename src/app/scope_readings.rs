//! What is told of the scopes beside the histograms for a drawing: where they lie, what is written on them, and where the pixel
//! under the pointer lies in them.

use egui::{Color32, CursorIcon, Pos2, Rect, pos2, vec2};
use glam::DVec2;

use super::geometry::Geometry;
use super::hud::{BesideView, ScopeArea, border_cursor};
use crate::export::graticule::{self, Subject, color_of};
use crate::picture::{Frame, region};
use crate::scopes::level_bits;
use crate::view::probe::Probe;
use crate::view::scene::Counted;
use crate::view::scopes::{Kind, ScopePanel, ScopeStyle};

/// The scopes, as they are told.
#[derive(Debug, Default)]
pub struct ScopeReadings {
    areas: Vec<ScopeArea>,
    subject: Option<Subject>,
    free: Option<Rect>,
    marks: Vec<(Pos2, Color32)>,
    told: Option<(Pos2, String)>,
    cursor: Option<CursorIcon>,
}

impl ScopeReadings {
    /// What the display is told.
    #[must_use]
    pub fn view(&self, style: ScopeStyle) -> BesideView<'_> {
        BesideView {
            style,
            areas: &self.areas,
            subject: self.subject,
            free: self.free,
            marks: &self.marks,
            told: self.told.as_ref().map(|(at, text)| (*at, text.as_str())),
            cursor: self.cursor,
        }
    }
}

impl ScopeReadings {
    /// What is to be told of the scopes that are shown of a frame, as it is read, while the pointer is `at` a point of the view.
    #[must_use]
    pub fn of(geometry: &Geometry<'_>, frame: Option<Frame>, at: Option<DVec2>) -> Self {
        let Geometry { scene, components, size, points, .. } = *geometry;
        let arranged = geometry.arranged();
        let Some(frame) = frame.filter(|_| arranged.is_wall || !arranged.panels.is_empty()) else {
            return Self::default();
        };
        let area = |panel: &ScopePanel| ScopeArea { kind: panel.kind, rect: geometry.rect_in_points(&panel.rect) };
        let areas: Vec<_> = arranged.panels.iter().map(area).collect();
        let is_result = scene.counted_in(components) != Counted::Source;
        let free = if arranged.is_wall {
            geometry.rect_in_points(&arranged.picture)
        } else {
            let view = Rect::from_min_size(Pos2::ZERO, vec2(size.0 as f32, size.1 as f32) / points);
            let above = areas.iter().map(|area| area.rect.min.y).fold(view.max.y, f32::min);
            Rect { max: pos2(view.max.x, above), ..view }
        };
        let subject = Subject::of(&frame.picture, is_result, (components, scene.channels), scene.scopes);
        let border = at.and_then(|at| geometry.border_at(at));
        Self {
            areas,
            subject: Some(subject),
            free: Some(free),
            cursor: border.map(|border| border_cursor(border.is_upright())),
            ..Self::default()
        }
    }

    /// Tells of what the pointer is at in a scope, in points.
    pub fn tell(&mut self, at: Pos2, text: String) {
        log::trace!("scope: {text}");
        self.told = Some((at, text));
    }

    /// Marks a pixel of the picture in every scope.
    pub fn mark(&mut self, geometry: &Geometry<'_>, probe: &Probe) {
        let Geometry { scene, components, .. } = *geometry;
        let (Some(subject), Some(frame)) = (self.subject, geometry.frame) else { return };
        // The pixel's own codes have their place in the scopes of the source only.
        if scene.counted_in(components) == Counted::Result {
            return;
        }
        let whole = region::Rect::whole(frame.picture.width(), frame.picture.height());
        let counted = geometry.region.counted().unwrap_or(whole);
        let (x, y) = probe.position;
        if !counted.contains(x, y) {
            return;
        }
        let share = (f64::from(x - counted.x) + 0.5) / f64::from(counted.width);
        for &ScopeArea { kind, rect } in &self.areas {
            self.marks.extend(marks(rect, kind, &subject, probe, share));
        }
        log::trace!("marked in scopes: {:?}", self.marks);
    }
}

/// Where a pixel lies in a scope, `share` of the counted width from its left edge.
fn marks(rect: Rect, kind: Kind, subject: &Subject, probe: &Probe, share: f64) -> Vec<(Pos2, Color32)> {
    let level_bits = level_bits(subject.bits);
    let shown: Vec<_> = subject.shown().collect();
    let at = |part: Rect, channel: usize| {
        let level = f64::from(probe.bins[channel] >> (subject.bits - level_bits));
        let place = pos2(part.min.x + share as f32 * part.width(), graticule::y_of_level(part, level, level_bits));
        (place, color_of(subject.components, channel))
    };
    match kind {
        Kind::Histogram => Vec::new(),
        Kind::Waveform => shown.iter().map(|&channel| at(rect, channel)).collect(),
        Kind::Parade => {
            let parts = shown.len() as f32;
            let left = |place: usize| rect.min.x + rect.width() * place as f32 / parts;
            let part = |place| Rect::from_x_y_ranges(left(place)..=left(place + 1), rect.y_range());
            shown.iter().enumerate().map(|(place, &channel)| at(part(place), channel)).collect()
        }
        Kind::Vectorscope => {
            let differences = subject.chroma.and_then(|chroma| match (chroma.differences(), probe.coded) {
                (Some(differences), _) => Some(differences.of_codes(probe.codes.map(|code| code as i32))),
                (None, [_, cb, cr]) => Some([cb?, cr?]),
            });
            let place =
                |codes: [u32; 2]| graticule::place_of(rect, codes.map(f64::from), subject.bits, subject.style.zoom);
            let place = differences.map(place).filter(|&at| rect.contains(at));
            place.map(|at| (at, Color32::WHITE)).into_iter().collect()
        }
    }
}

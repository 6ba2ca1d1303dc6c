//! The data that the HUD shows on the scopes other than the histograms: where they lie, what is written on them, and
//! where the pixel under the pointer lies in them.

use glam::DVec2;
use histoscope_hud::{CursorIcon, Pos2, Rect, pos2, vec2};

use crate::app::pointer::geometry::Geometry;
use crate::app::pointer::line_drag::LinePanel;
use histoscope_core::picture::region;
use histoscope_core::scopes::level_bits;
use histoscope_hud::{BrushedArea, OtherScopesView, Outline, ScopeArea, border_cursor, share_text};
use histoscope_render::labels::graticule::{self, ScopeSubject};
use histoscope_render::labels::rings::{self, Ring};
use histoscope_render::view::brushes::{Brushes, PairBrush, PairShape, WaveformBrush};
use histoscope_render::view::probe::Probe;
use histoscope_render::view::scopes::{Lens, ScopeKind, ScopePanel};

/// The data on the scopes for one draw.
#[derive(Debug, Default)]
pub struct ScopeReadings {
    areas: Vec<ScopeArea>,
    subject: Option<ScopeSubject>,
    free: Option<Rect>,
    marks: Vec<Ring>,
    brushed: Vec<BrushedArea>,
    hint: Option<(Pos2, String)>,
    cursor: Option<CursorIcon>,
}

impl ScopeReadings {
    /// Returns the data in the form that the HUD takes.
    #[must_use]
    pub fn view(&self) -> OtherScopesView<'_> {
        OtherScopesView {
            areas: &self.areas,
            subject: self.subject,
            free: self.free,
            marks: &self.marks,
            brushed: &self.brushed,
            hint: self.hint.as_ref().map(|(at, text)| (*at, text.as_str())),
            cursor: self.cursor,
        }
    }
}

impl ScopeReadings {
    /// Reads the visible scopes, with the pointer `at` a point of the view.
    #[must_use]
    pub fn of(geometry: &Geometry<'_>, at: Option<DVec2>) -> Self {
        let Geometry { size, points, .. } = *geometry;
        let arranged = geometry.arranged();
        let border = at.and_then(|at| geometry.border_at(at)).map(|border| border_cursor(border.is_upright()));
        let axis = at.and_then(|at| LinePanel::at(geometry, at)).map(|panel| border_cursor(!panel.is_upright));
        let cursor = border.or(axis);
        let Some(frame) = geometry.frame.filter(|_| arranged.is_split || !arranged.panels.is_empty()) else {
            return Self { cursor, ..Self::default() };
        };
        let area = |panel: &ScopePanel| {
            let [frame, rect] = [panel.frame, panel.rect].map(|rect| geometry.rect_in_points(&rect));
            ScopeArea { kind: panel.kind, frame, rect }
        };
        let areas: Vec<_> = arranged.panels.iter().map(area).collect();
        let free = if arranged.is_split {
            geometry.rect_in_points(&arranged.picture)
        } else {
            let view = Rect::from_min_size(Pos2::ZERO, vec2(size.0 as f32, size.1 as f32) / points);
            let above = areas.iter().map(|area| area.frame.min.y).fold(view.max.y, f32::min);
            Rect { max: pos2(view.max.x, above), ..view }
        };
        let subject = geometry.scope_subject(frame);
        Self { areas, subject: Some(subject), free: Some(free), cursor, ..Self::default() }
    }

    /// Sets the description of the scope under the pointer; `at` is the position of the pointer, in points.
    pub fn set_hint(&mut self, at: Pos2, text: String) {
        log::trace!("scope: {text}");
        self.hint = Some((at, text));
    }

    /// Adds outlines and descriptions of the brushes in the scopes. `selected` is the number of pixels selected by all
    /// brushes and the number counted, once known.
    pub fn tell_brushed(&mut self, geometry: &Geometry<'_>, selected: Option<(u32, u64)>) {
        let Some(subject) = self.subject else { return };
        let Some(frame) = geometry.frame else { return };
        let whole = region::Rect::whole(frame.picture.width(), frame.picture.height());
        let counted = geometry.region.counted().unwrap_or(whole);
        let Brushes { waveform, vectorscope, .. } = geometry.scene.brushes;
        let counts = match selected {
            Some((count, of)) => {
                let share = share_text(f64::from(count) / of.max(1) as f64);
                format!("{count} {}  {share}", if count == 1 { "pixel" } else { "pixels" })
            }
            None => "\u{2026}".to_owned(),
        };
        for &ScopeArea { kind, rect, .. } in &self.areas {
            let brushed = match kind {
                ScopeKind::Histogram => None,
                ScopeKind::Waveform | ScopeKind::Parade => waveform.and_then(|brush| {
                    let outline = rectangle(rect, kind, &subject, &brush)?;
                    Some((Outline::Rectangle(outline), words_of_rectangle(&subject, &brush, counted)))
                }),
                ScopeKind::Vectorscope => {
                    vectorscope.map(|brush| (outline(rect, &subject, &brush), words_of_pairs(&subject, &brush)))
                }
            };
            let Some((outline, place)) = brushed else { continue };
            // In a narrow panel, the counts matter more than the position.
            let is_roomy = rect.width() > 330.0;
            let text = if is_roomy { format!("{place}  {counts}") } else { counts.clone() };
            log::trace!("brushed in the {}: {place}  {counts}", kind.name());
            self.brushed.push(BrushedArea { panel: rect, outline, text });
        }
    }

    /// Marks a pixel of the picture in every scope.
    pub fn mark(&mut self, geometry: &Geometry<'_>, probe: &Probe) {
        let Geometry { scene, components, .. } = *geometry;
        let (Some(subject), Some(frame)) = (self.subject, geometry.frame) else { return };
        let counted = (&frame.picture, components, geometry.region.counted());
        let Some(share) = rings::share_across(scene, counted, probe.position) else { return };
        for &ScopeArea { kind, rect, .. } in &self.areas {
            let marks = rings::marks(rect, kind, &subject, probe, share);
            self.marks.extend(marks.into_iter().map(|(at, light)| Ring { at, light, probe: None }));
        }
        log::trace!("marked in scopes: {:?}", self.marks);
    }
}

/// Describes a waveform's brush: columns of the picture, and codes.
fn words_of_rectangle(subject: &ScopeSubject, brush: &WaveformBrush, counted: region::Rect) -> String {
    let signs = brush.range.channels.iter().map(|channel| subject.components.short_name(channel));
    let [first, end] = brush.pixels(counted);
    let range = |low: u32, high: u32| if low == high { low.to_string() } else { format!("{low}\u{2013}{high}") };
    let columns = range(first, end.saturating_sub(1).max(first));
    format!("x {columns}  {} {}", signs.collect::<Vec<_>>().join(" "), range(brush.range.low, brush.range.high))
}

/// Describes a vectorscope's brush: the centre and radius of a circle in codes or coordinates, or the number of corners
/// of a polygon.
fn words_of_pairs(subject: &ScopeSubject, brush: &PairBrush) -> String {
    let codes = |levels: u16| u32::from(levels) << (subject.bits - brush.level_bits.min(subject.bits));
    let diagram = subject.chroma.map_or(brush.diagram, |chroma| chroma.diagram());
    match &brush.shape {
        PairShape::Circle { middle, radius } => {
            let bits = brush.level_bits;
            let distance = diagram.distance_words((*radius).into(), bits);
            match diagram.words(middle.map(u32::from), bits).zip(distance) {
                None => format!("Cb {}  Cr {}  \u{b1}{}", codes(middle[0]), codes(middle[1]), codes(*radius)),
                Some((words, distance)) => format!("{words}  \u{b1}{distance}"),
            }
        }
        PairShape::Polygon(lasso) => format!("{} corners", lasso.corners().len()),
    }
}

/// Returns the outline of a waveform's brush, or `None` in a parade that shows none of its channels.
fn rectangle(rect: Rect, kind: ScopeKind, subject: &ScopeSubject, brush: &WaveformBrush) -> Option<Rect> {
    let shown: Vec<_> = subject.shown().collect();
    let part = match kind {
        ScopeKind::Parade => {
            let places = brush.range.channels.iter().filter_map(|channel| shown.iter().position(|&c| c == channel));
            let width = rect.width() / shown.len() as f32;
            // With several channels, the outline surrounds the parts of all of them.
            let (first, last) = places.fold(None, |ends: Option<(usize, usize)>, place| {
                Some(ends.map_or((place, place), |(first, last)| (first.min(place), last.max(place))))
            })?;
            let left = rect.min.x + width * first as f32;
            if first < last {
                Rect::from_x_y_ranges(left..=left + width * (last - first + 1) as f32, rect.y_range())
            } else {
                let across = |column: u32| left + width * column as f32 / brush.column_count as f32;
                Rect::from_x_y_ranges(across(brush.columns[0])..=across(brush.columns[1] + 1), rect.y_range())
            }
        }
        _ => {
            let across = |column: u32| rect.min.x + rect.width() * column as f32 / brush.column_count as f32;
            Rect::from_x_y_ranges(across(brush.columns[0])..=across(brush.columns[1] + 1), rect.y_range())
        }
    };
    let bits = level_bits(subject.bits);
    let edge = |level: f64| graticule::y_of_level(rect, level, bits);
    let (low, high) = (brush.range.low >> (subject.bits - bits), brush.range.high >> (subject.bits - bits));
    Some(Rect::from_x_y_ranges(part.x_range(), edge(f64::from(high) + 0.5)..=edge(f64::from(low) - 0.5)))
}

/// Returns the outline of a vectorscope's brush.
fn outline(rect: Rect, subject: &ScopeSubject, brush: &PairBrush) -> Outline {
    let bits = brush.level_bits;
    let lens = Lens::new(subject.chroma.as_ref(), bits, subject.style.zoom);
    let place = |pair: [u16; 2]| graticule::place_of(rect, &lens, pair.map(f64::from));
    match &brush.shape {
        PairShape::Circle { middle, radius } => {
            // The outermost levels lie entirely inside.
            let side = rect.width().min(rect.height()) * subject.style.zoom as f32;
            let radius = (f32::from(*radius) + 0.5) * side / ((1_u32 << bits) + 1) as f32;
            Outline::Circle(place(*middle), radius)
        }
        PairShape::Polygon(lasso) => Outline::Polygon(lasso.corners().iter().map(|&corner| place(corner)).collect()),
    }
}

//! Draws the guides, in the window and in saved pictures: lines with their names, and a shade outside a mask.

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, StrokeKind, pos2, vec2};
use glam::DVec2;

use crate::view::guides::{GuideKind, PlacedGuides};

const LIGHT: Color32 = Color32::from_gray(240);
/// Background behind the names, and their font size in points.
const GROUND: Color32 = Color32::from_black_alpha(190);
const LETTERS: f32 = 10.0;
/// Height above histograms and scopes in which no name is written, for their own labels.
const ABOVE: f32 = 34.0;
/// The shade outside a mask.
const OUTSIDE: Color32 = Color32::from_black_alpha(150);
/// The line under each line, so that it is seen on any picture.
const DARK: Stroke = Stroke { width: 3.0, color: Color32::from_black_alpha(150) };
const THIN: Stroke = Stroke { width: 1.0, color: LIGHT };
/// Half the length of the cross's lines, as a share of the picture's lower side.
const CROSS: f32 = 0.04;

/// Draws the guides of one picture, except over the histograms and scopes on it.
pub fn draw(painter: &Painter, guides: &PlacedGuides, covered: &[Rect]) {
    let points = painter.pixels_per_point();
    let on_view = |corners: [DVec2; 2]| {
        let [low, high] = corners.map(|at| pos2(at.x as f32, at.y as f32) / points);
        Rect::from_min_max(low, high)
    };
    let (area, picture) = (on_view(guides.area), on_view(guides.picture));
    for guide in &guides.areas {
        let rect = on_view(guides.corners(guide));
        for part in beside(area, covered) {
            let painter = painter.with_clip_rect(part.intersect(painter.clip_rect()));
            if guide.kind == GuideKind::Cross {
                cross(&painter, rect.center(), CROSS * picture.width().min(picture.height()));
                continue;
            }
            if matches!(guide.kind, GuideKind::Mask(_)) {
                beside(picture, &[rect]).into_iter().for_each(|part| {
                    painter.rect_filled(part, 0, OUTSIDE);
                });
            }
            painter.rect_stroke(rect, 0, DARK, StrokeKind::Middle);
            painter.rect_stroke(rect, 0, THIN, StrokeKind::Middle);
        }
    }
    // No line may cross a name.
    let mut names: Vec<Rect> = Vec::new();
    let labelled: Vec<_> = covered.iter().map(|rect| Rect { min: rect.min - vec2(0.0, ABOVE), ..*rect }).collect();
    for guide in &guides.areas {
        let rect = on_view(guides.corners(guide)).intersect(area);
        names.extend(name(painter, (rect, guide.kind.name()), (&labelled, &names)));
    }
}

fn cross(painter: &Painter, at: Pos2, reach: f32) {
    for stroke in [DARK, THIN] {
        painter.line_segment([at - vec2(reach, 0.0), at + vec2(reach, 0.0)], stroke);
        painter.line_segment([at - vec2(0.0, reach), at + vec2(0.0, reach)], stroke);
    }
}

/// Writes a guide's name inside its lower left corner, or else a line higher, clear of histograms and other names.
/// Returns its place, or `None` if there is no room.
fn name(painter: &Painter, (rect, name): (Rect, &str), (covered, names): (&[Rect], &[Rect])) -> Option<Rect> {
    let galley = painter.layout_no_wrap(name.to_owned(), FontId::proportional(LETTERS), LIGHT);
    let size = galley.size() + vec2(6.0, 2.0);
    let bottom = covered.iter().filter(|other| other.intersects(rect)).map(|other| other.min.y);
    let bottom = bottom.fold(rect.max.y, f32::min) - 3.0;
    let places = [0.0, 1.0, 2.0].map(|line| pos2(rect.min.x + 3.0, bottom - line * (size.y + 1.0)));
    let mut places = places.map(|at| Align2::LEFT_BOTTOM.anchor_size(at, size)).into_iter();
    let place = places.find(|place| {
        !name.is_empty() && rect.contains_rect(*place) && !names.iter().any(|other| other.intersects(*place))
    })?;
    painter.rect_filled(place, 2, GROUND);
    painter.galley(place.min + vec2(3.0, 1.0), galley, LIGHT);
    Some(place)
}

/// Returns the parts of a rectangle outside all the others.
#[must_use]
pub fn beside(all: Rect, others: &[Rect]) -> Vec<Rect> {
    others.iter().fold(vec![all], |parts, other| {
        let cut = |part: Rect| {
            let inner = part.intersect(*other);
            if !inner.is_positive() {
                return vec![part];
            }
            let above = Rect::from_min_max(part.min, pos2(part.max.x, inner.min.y));
            let below = Rect::from_min_max(pos2(part.min.x, inner.max.y), part.max);
            let left = Rect::from_min_max(pos2(part.min.x, inner.min.y), pos2(inner.min.x, inner.max.y));
            let right = Rect::from_min_max(pos2(inner.max.x, inner.min.y), pos2(part.max.x, inner.max.y));
            [above, below, left, right].into_iter().filter(|rect| rect.is_positive()).collect()
        };
        parts.into_iter().flat_map(cut).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_beside_rectangles_cover_the_rest_once() {
        let rect = |x: f32, y: f32, width: f32, height: f32| Rect::from_min_size(pos2(x, y), vec2(width, height));
        let all = rect(0.0, 0.0, 100.0, 60.0);
        for others in [
            vec![],
            vec![rect(10.0, 10.0, 20.0, 20.0)],
            vec![rect(5.0, 40.0, 40.0, 20.0), rect(55.0, 40.0, 40.0, 20.0)],
            vec![rect(-10.0, -10.0, 300.0, 30.0), rect(50.0, 10.0, 60.0, 100.0)],
            vec![rect(-1.0, -1.0, 200.0, 200.0)],
        ] {
            let parts = beside(all, &others);
            for (x, y) in (0..60).flat_map(|y| (0..100).map(move |x| (x, y))) {
                let point = pos2(x as f32 + 0.5, y as f32 + 0.5);
                let covered = others.iter().any(|other| other.contains(point));
                let found = parts.iter().filter(|part| part.contains(point)).count();
                assert_eq!(found, usize::from(!covered), "{point:?} of {others:?}");
            }
        }
    }
}

//! Free room on the view: outside the histograms, and between the panels.

use egui::{Pos2, Rangef, Rect};

use super::OpenPanels;
use super::model::HistogramArea;
use histoscope_render::view::scene::MOST_COVERED;

/// The rectangles of the panels.
pub struct Placed {
    /// The room between all panels.
    pub open: Rect,
    /// All panels.
    pub panels: Vec<Rect>,
    /// The panels with sliders: lab, exposure and adjustments.
    pub sliders: Rect,
}

impl Placed {
    /// Creates a layout without panels in `room`.
    #[must_use]
    pub const fn nothing(room: Rect) -> Self {
        Self { open: room, panels: Vec::new(), sliders: Rect::NOTHING }
    }
}

/// The horizontal range between the panels. It is known only after layout, but the elements above and below the panels
/// are placed before that. So it is carried over from one layout to the next, and a layout that finds a different range
/// is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PanelGap(Option<Rangef>);

impl PanelGap {
    /// Takes the range between these panels.
    pub fn of(placed: &Placed) -> Self {
        Self((!placed.panels.is_empty()).then(|| placed.open.x_range()))
    }

    /// Returns `true` if the range is at least this wide. Without panels there is no other room, so any width will do.
    pub fn has(self, least: f32) -> bool {
        self.0.is_none_or(|between| between.span() >= least)
    }

    /// Returns the part of `room` within the range if that is at least `least` wide, otherwise all of `room`.
    pub fn part_of(self, room: Rect, least: f32) -> Rect {
        let part = self.0.filter(|between| between.span() >= least);
        part.map_or(room, |part| Rect::from_x_y_ranges(part, room.y_range()))
    }
}

/// The width of the panels over each of two pictures side by side. Like [`PanelGap`], it is carried over from one layout
/// to the next. It only grows while the same panels are open, so that it settles.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CoveredWidths {
    open: OpenPanels,
    widths: [f32; 2],
}

impl CoveredWidths {
    /// Returns how far down panels may reach, in points, so that they and the histograms cover no more than a quarter of
    /// either picture.
    #[must_use]
    pub fn limit(self, pictures: [Rect; 2], histograms: &[HistogramArea]) -> f32 {
        let limit = |(picture, width): (Rect, f32)| {
            let bars = histograms.iter().map(|panel| panel.rect.intersect(picture)).filter(Rect::is_positive);
            let left = MOST_COVERED * picture.area() - bars.map(|bars| bars.area()).sum::<f32>();
            if width > 0.0 { picture.min.y + left.max(0.0) / width } else { f32::INFINITY }
        };
        pictures.into_iter().zip(self.widths).map(limit).fold(f32::INFINITY, f32::min)
    }

    /// Takes the widths of these panels.
    #[must_use]
    pub fn after(self, open: OpenPanels, placed: &Placed, pictures: [Rect; 2]) -> Self {
        let before = if self.open == open { self.widths } else { [0.0; 2] };
        let width = |picture: Rect| {
            let mut spans: Vec<_> = placed.panels.iter().map(|panel| panel.intersect(picture).x_range()).collect();
            spans.retain(|span| span.span() > 0.0);
            spans.sort_by(|a, b| a.min.total_cmp(&b.min));
            let mut end = picture.min.x;
            let mut sum = 0.0;
            for span in spans {
                sum += (span.max - span.min.max(end)).max(0.0);
                end = end.max(span.max);
            }
            sum
        };
        Self { open, widths: std::array::from_fn(|side| before[side].max(width(pictures[side]))) }
    }
}

/// Returns the largest part of `room` to one side of `taken`.
#[must_use]
pub fn beside(room: Rect, taken: Rect) -> Rect {
    let left = Rect { max: Pos2::new(room.max.x.min(taken.min.x), room.max.y), ..room };
    let right = Rect { min: Pos2::new(room.min.x.max(taken.max.x), room.min.y), ..room };
    let above = Rect { max: Pos2::new(room.max.x, room.max.y.min(taken.min.y)), ..room };
    let below = Rect { min: Pos2::new(room.min.x, room.min.y.max(taken.max.y)), ..room };
    let area = |part: &Rect| if part.is_positive() { part.area() } else { 0.0 };
    [left, right, above, below].into_iter().max_by(|a, b| area(a).total_cmp(&area(b))).unwrap_or(room)
}

/// Returns the largest part of the view that starts at its top left corner and contains no histogram: above all of
/// them, or to the left of all of them.
#[must_use]
pub fn free_area(view: Rect, panels: &[HistogramArea]) -> Rect {
    let above = panels
        .iter()
        .fold(view, |free, panel| Rect { max: Pos2::new(free.max.x, free.max.y.min(panel.rect.min.y)), ..free });
    let beside = panels
        .iter()
        .fold(view, |free, panel| Rect { max: Pos2::new(free.max.x.min(panel.rect.min.x), free.max.y), ..free });
    if above.area() >= beside.area() { above } else { beside }
}

#[cfg(test)]
mod tests {
    use egui::{Vec2, pos2};

    use super::super::tests::pair;
    use super::*;
    use histoscope_render::gpu::draw::Channels;

    #[test]
    fn panels_side_by_side_may_cover_a_quarter() {
        let pictures = [0.0, 640.0].map(|x| Rect::from_min_size(pos2(x, 180.0), Vec2::new(640.0, 360.0)));
        let rect = |left: f32, right: f32| Rect::from_min_max(pos2(left, 60.0), pos2(right, 700.0));
        let room = rect(0.0, 1280.0);
        let open = OpenPanels { info: true, numbers: true, ..OpenPanels::default() };
        let placed = |panels| Placed { panels, ..Placed::nothing(room) };
        let first = CoveredWidths::default();
        assert!(first.limit(pictures, &[]).is_infinite(), "nothing is known yet");
        // 320 of 640 points may cover half of the height.
        let one = first.after(open, &placed(vec![rect(960.0, 1280.0)]), pictures);
        assert_eq!(one.limit(pictures, &[]), 360.0);
        let two = one.after(open, &placed(vec![rect(0.0, 400.0), rect(300.0, 640.0), rect(960.0, 1280.0)]), pictures);
        assert_eq!(two.limit(pictures, &[]), 270.0);
        assert_eq!(two.after(open, &placed(Vec::new()), pictures), two, "it does not swing");
        assert!(two.after(OpenPanels::default(), &placed(Vec::new()), pictures).limit(pictures, &[]).is_infinite());
        let bars =
            HistogramArea { rect: Rect::from_min_max(pos2(0.0, 450.0), pos2(640.0, 720.0)), channels: Channels::ALL };
        assert_eq!(two.limit(pictures, &[bars]), 180.0, "the histogram takes all of it");
    }

    #[test]
    fn the_larger_free_part_is_chosen() {
        let view = Rect::from_min_size(pos2(0.0, 0.0), Vec2::new(1280.0, 720.0));
        assert_eq!(free_area(view, &[]), view);
        assert_eq!(free_area(view, &pair(1280.0, 720.0)).max, pos2(1280.0, 540.0));
        let column = |top: f32| HistogramArea {
            rect: Rect::from_min_max(pos2(1000.0, top), pos2(1280.0, top + 200.0)),
            channels: Channels::ALL,
        };
        assert_eq!(free_area(view, &[column(20.0), column(240.0), column(460.0)]).max, pos2(1000.0, 720.0));
    }
}

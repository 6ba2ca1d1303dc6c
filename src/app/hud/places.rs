//! Where there is room on the view: beside the histograms, and between the panels.

use egui::{Pos2, Rect};

use super::model::HistogramArea;

/// Where the panels are, or are not.
pub struct Placed {
    /// What is left between all of them.
    pub open: Rect,
    /// All of them.
    pub panels: Vec<Rect>,
    /// The adjustments.
    pub sliders: Rect,
}

impl Placed {
    /// No panel in `room`.
    #[must_use]
    pub const fn nothing(room: Rect) -> Self {
        Self { open: room, panels: Vec::new(), sliders: Rect::NOTHING }
    }
}

/// What is left between the panels where that is so wide, else all of the room.
#[must_use]
pub fn wide_enough(open: Rect, room: Rect, least: f32) -> Rect {
    if open.width() >= least { open } else { room }
}

/// The largest part of the view, from its top left corner, that no histogram lies in: above them all, or left of those
/// that reach up.
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
    use crate::gpu::draw::Channels;

    #[test]
    fn the_free_part_is_the_larger_one() {
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

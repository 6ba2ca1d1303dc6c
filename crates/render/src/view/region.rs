//! The region of the picture that is counted: how the pointer draws, grabs, moves and resizes it. Its coordinates are
//! pixels of the coded picture, however that is turned for display.

use std::fmt::{self, Display, Formatter};

use glam::DVec2;

use super::placement::Placement;
use histoscope_core::picture::region::Rect;

/// Distance that the pointer must be dragged, in points, before a rectangle is drawn, so that an unsteady click draws
/// none.
const MIN_DRAG: f64 = 4.0;
/// Distance from a handle within which the pointer can grab it, in points.
const REACH: f64 = 7.0;
/// Distance from the border between two handles within which the pointer can grab it, in points.
const BORDER_REACH: f64 = 4.0;
/// Minimum length of a side, in points, for a handle in its middle.
const MIN_SIDE: f64 = 36.0;
/// Minimum length of both sides, in points, for a handle in the centre.
const MIN_MIDDLE: f64 = 56.0;

/// The counted region, as chosen in pictures of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Region {
    choice: RegionChoice,
    /// Size of the pictures in which it was chosen.
    picture: (u32, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum RegionChoice {
    /// The whole picture.
    #[default]
    Whole,
    /// A rectangle.
    Part(Rect),
    /// A proposed rectangle; until it is accepted, the previous choice is counted.
    Proposed { rect: Rect, before: Option<Rect> },
}

/// A rectangle shown on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionFrame {
    /// A counted rectangle.
    Counted(Rect),
    /// A proposed rectangle.
    Proposed(Rect),
}

impl Region {
    /// Creates a region from a rectangle, which must lie in a picture of this size. The whole picture counts as no
    /// choice.
    #[must_use]
    pub fn part(rect: Rect, picture: (u32, u32)) -> Self {
        let choice = rect.proper(picture.0, picture.1).map_or(RegionChoice::Whole, RegionChoice::Part);
        Self { choice, picture }
    }

    /// Proposes a rectangle in addition to the current choice.
    #[must_use]
    pub const fn proposing(self, rect: Rect, picture: (u32, u32)) -> Self {
        Self { choice: RegionChoice::Proposed { rect, before: self.counted() }, picture }
    }

    /// Accepts the proposal. Returns `None` if there is none.
    #[must_use]
    pub fn taken(self) -> Option<Self> {
        match self.choice {
            RegionChoice::Proposed { rect, .. } => Some(Self::part(rect, self.picture)),
            RegionChoice::Whole | RegionChoice::Part(_) => None,
        }
    }

    /// Drops the proposal or, without one, the choice. Returns `None` if there is neither.
    #[must_use]
    pub const fn dropped(self) -> Option<Self> {
        let choice = match self.choice {
            RegionChoice::Proposed { before: Some(rect), .. } => RegionChoice::Part(rect),
            RegionChoice::Proposed { before: None, .. } | RegionChoice::Part(_) => RegionChoice::Whole,
            RegionChoice::Whole => return None,
        };
        Some(Self { choice, ..self })
    }

    /// Returns the counted rectangle, or `None` for the whole picture.
    #[must_use]
    pub const fn counted(&self) -> Option<Rect> {
        match self.choice {
            RegionChoice::Whole => None,
            RegionChoice::Part(rect) => Some(rect),
            RegionChoice::Proposed { before, .. } => before,
        }
    }

    /// Returns the line that is counted, if it is a single one.
    #[must_use]
    pub fn line(&self) -> Option<Line> {
        self.counted().and_then(|rect| Line::of(rect, self.picture))
    }

    /// Returns the region of the next or previous line. Returns `None` if no single line is counted.
    #[must_use]
    pub fn with_next_line(&self, forward: bool) -> Option<Self> {
        let line = self.line()?.moved(forward, self.picture);
        Some(Self::part(line.rect(self.picture), self.picture))
    }

    /// Returns the rectangle to show.
    #[must_use]
    pub const fn shown(&self) -> Option<RegionFrame> {
        match self.choice {
            RegionChoice::Whole => None,
            RegionChoice::Part(rect) => Some(RegionFrame::Counted(rect)),
            RegionChoice::Proposed { rect, .. } => Some(RegionFrame::Proposed(rect)),
        }
    }

    /// Returns the choice for pictures of that size: unchanged for the size in which it was made, otherwise none, since
    /// their pixels are different.
    #[must_use]
    pub fn in_pictures_of(self, size: (u32, u32)) -> Self {
        if self.picture == size { self } else { Self::default() }
    }
}

/// A row or a column of the picture, the only one that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// The row with this number.
    Row(u32),
    /// The column with this number.
    Column(u32),
}

impl Line {
    /// Returns the line that a rectangle of a picture consists of, if it is a single one.
    #[must_use]
    pub fn of(rect: Rect, picture: (u32, u32)) -> Option<Self> {
        let whole = Rect::whole(picture.0, picture.1);
        [Self::Row(rect.y), Self::Column(rect.x)].into_iter().find(|line| rect != whole && line.rect(picture) == rect)
    }

    /// Returns the rectangle of the line in a picture.
    #[must_use]
    pub const fn rect(self, (width, height): (u32, u32)) -> Rect {
        match self {
            Self::Row(y) => Rect { x: 0, y, width, height: 1 },
            Self::Column(x) => Rect { x, y: 0, width: 1, height },
        }
    }

    /// Returns the next or previous line of a picture; the last one is followed by none.
    #[must_use]
    pub fn moved(self, forward: bool, (width, height): (u32, u32)) -> Self {
        let by = |at: u32, count: u32| if forward { (at + 1).min(count - 1) } else { at.saturating_sub(1) };
        match self {
            Self::Row(y) => Self::Row(by(y, height)),
            Self::Column(x) => Self::Column(by(x, width)),
        }
    }
}

impl Display for Line {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(y) => write!(f, "row {y}"),
            Self::Column(x) => write!(f, "column {x}"),
        }
    }
}

impl RegionFrame {
    /// The rectangle.
    #[must_use]
    pub const fn rect(self) -> Rect {
        match self {
            Self::Counted(rect) | Self::Proposed(rect) => rect,
        }
    }
}

/// Describes a rectangle by its size and upper left corner.
#[must_use]
pub fn text(rect: Rect) -> String {
    let Rect { x, y, width, height } = rect;
    format!("{width}×{height} at {x},{y}")
}

/// The effect of dragging a part of the border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grip {
    /// Moves edges of the rectangle, in columns and rows of the coded picture: the first (-1), the last (1) or none
    /// (0).
    Edges {
        /// The left or right edge.
        x: i8,
        /// The upper or lower edge.
        y: i8,
    },
    /// Moves the whole rectangle.
    Move,
}

/// A position at which a rectangle can be grabbed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Handle {
    /// The effect of dragging it.
    pub grip: Grip,
    /// Its position on the view, in pixels.
    pub at: DVec2,
}

/// Returns the upper left and lower right corner of a rectangle of the picture on the view, in pixels, however the
/// picture is turned.
#[must_use]
pub fn on_view(rect: Rect, placement: &Placement) -> (DVec2, DVec2) {
    let (low, high) = rect.corners();
    let [a, b] = [low, high].map(|[x, y]| placement.point_of(DVec2::new(x.into(), y.into())));
    (a.min(b), a.max(b))
}

/// Returns the handles of a rectangle, on a view with `points` pixels per point: its corners and, if there is room, the
/// middles of its sides and its centre.
#[must_use]
pub fn handles(rect: Rect, placement: &Placement, points: f64) -> Vec<Handle> {
    let (low, high) = rect.corners();
    let [low, high] = [low, high].map(|[x, y]| DVec2::new(x.into(), y.into()));
    let (upper, lower) = on_view(rect, placement);
    let seen = (lower - upper) / points;
    // Displayed lengths of the sides along the picture's rows, and along its columns.
    let sides = if placement.sampling.is_turned() { DVec2::new(seen.y, seen.x) } else { seen };
    let mut handles = Vec::new();
    for (x, y) in [-1_i8, 0, 1].into_iter().flat_map(|y| [-1_i8, 0, 1].map(|x| (x, y))) {
        let (grip, has_room) = match (x, y) {
            (0, 0) => (Grip::Move, seen.min_element() >= MIN_MIDDLE),
            (0, _) => (Grip::Edges { x, y }, sides.x >= MIN_SIDE),
            (_, 0) => (Grip::Edges { x, y }, sides.y >= MIN_SIDE),
            _ => (Grip::Edges { x, y }, true),
        };
        let share = (DVec2::new(x.into(), y.into()) + 1.0) * 0.5;
        let at = placement.point_of(low + (high - low) * share);
        handles.extend(has_room.then_some(Handle { grip, at }));
    }
    handles
}

/// Returns the part of a rectangle under a point of the view: the nearest handle, or else the border, which moves the
/// rectangle.
#[must_use]
pub fn grip_at(rect: Rect, placement: &Placement, points: f64, at: DVec2) -> Option<Grip> {
    let distance = |handle: &Handle| (handle.at - at).length() / points;
    let handles = handles(rect, placement, points);
    let nearest = handles.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    if distance(nearest) <= REACH {
        return Some(nearest.grip);
    }
    let (low, high) = on_view(rect, placement);
    let reach = BORDER_REACH * points;
    let is_near = at.cmpge(low - reach).all() && at.cmple(high + reach).all();
    let is_inside = at.cmpgt(low + reach).all() && at.cmplt(high - reach).all();
    (is_near && !is_inside).then_some(Grip::Move)
}

/// A drag that draws or changes the rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RegionDrag {
    /// Draws a new one, starting at this position in the picture.
    New(DVec2),
    /// Changes an existing one.
    Change {
        /// The dragged handle.
        grip: Grip,
        /// The position in the picture where the drag began.
        from: DVec2,
        /// The rectangle before the drag.
        rect: Rect,
    },
}

impl RegionDrag {
    /// Starts drawing a rectangle at a point of the view.
    #[must_use]
    pub fn new(at: DVec2, placement: &Placement) -> Self {
        Self::New(place_in_pixel(at, placement))
    }

    /// Starts changing a rectangle at a point of the view.
    #[must_use]
    pub fn change(grip: Grip, rect: Rect, at: DVec2, placement: &Placement) -> Self {
        Self::Change { grip, from: placement.place_of(at), rect }
    }

    /// Returns the rectangle when the pointer is at another point, or `None` if the drag is still too short or misses
    /// the picture.
    ///
    /// A new rectangle extends from the picture's pixel under the pointer at the beginning of the drag to the current
    /// one, limited to the picture.
    #[must_use]
    pub fn to(&self, at: DVec2, placement: &Placement, points: f64) -> Option<Rect> {
        let size = placement.picture;
        match *self {
            Self::New(from) => {
                let begin = placement.point_of(from);
                if (at.floor() + 0.5 - begin).abs().max_element() < MIN_DRAG * points - 1e-6 {
                    return None;
                }
                let to = place_in_pixel(at, placement);
                let (low, high) = (from.min(to), from.max(to));
                let (x, width) = covered(low.x, high.x, size.0)?;
                let (y, height) = covered(low.y, high.y, size.1)?;
                Some(Rect { x, y, width, height })
            }
            Self::Change { grip, from, rect } => {
                let way = (placement.place_of(at) - from).round();
                let (x, width) = changed((rect.x, rect.width), side(grip, true), way.x, size.0);
                let (y, height) = changed((rect.y, rect.height), side(grip, false), way.y, size.1);
                Some(Rect { x, y, width, height })
            }
        }
    }
}

/// Returns the position in the picture of the centre of a pixel of the view, which determines the picture's pixel it
/// shows.
fn place_in_pixel(at: DVec2, placement: &Placement) -> DVec2 {
    placement.place_of(at.floor() + 0.5)
}

/// Returns the first pixel and the number of pixels of a side covered by a range of positions, limited to the picture.
fn covered(low: f64, high: f64, size: u32) -> Option<(u32, u32)> {
    // In the same manner as the pixel under the pointer.
    let [low, high] = [low, high].map(|place| (place + 1e-6).floor());
    let most = f64::from(size) - 1.0;
    if high < 0.0 || low > most || !(low.is_finite() && high.is_finite()) {
        return None;
    }
    let (first, last) = (low.max(0.0) as u32, high.min(most) as u32);
    Some((first, last - first + 1))
}

/// Returns which edge a grip moves along the columns or the rows, or `None` if it moves both.
const fn side(grip: Grip, columns: bool) -> Option<i8> {
    match grip {
        Grip::Edges { x, .. } if columns => Some(x),
        Grip::Edges { y, .. } => Some(y),
        Grip::Move => None,
    }
}

/// Moves an edge of a run of pixels (start and length), or all of it, by `way`. The run stays inside `size` and keeps
/// at least one pixel. An edge moved past the opposite one swaps roles with it.
fn changed((begin, length): (u32, u32), edge: Option<i8>, way: f64, size: u32) -> (u32, u32) {
    let way = if way.is_finite() { way as i64 } else { 0 };
    let (first, end, size) = (i64::from(begin), i64::from(begin) + i64::from(length), i64::from(size));
    let (a, b) = match edge {
        None => {
            let first = first.saturating_add(way).clamp(0, size - i64::from(length));
            return (first as u32, length);
        }
        Some(-1) => (first.saturating_add(way).clamp(0, size), end),
        Some(1) => (first, end.saturating_add(way).clamp(0, size)),
        Some(_) => return (begin, length),
    };
    let (low, high) = (a.min(b), a.max(b));
    let low = if low == high { low.min(size - 1) } else { low };
    (low as u32, (high - low).max(1) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::placement::{Shape, ViewSettings};
    use histoscope_core::picture::{Orientation, Ratio};

    const SIZE: (u32, u32) = (1280, 720);

    fn placement(quarter_turns: u8, mirrored: bool, zoom: f64) -> Placement {
        let orientation = Orientation { quarter_turns, mirrored };
        let shape = Shape { width: SIZE.0, height: SIZE.1, sample_aspect: Ratio::ONE, orientation };
        let view = if quarter_turns % 2 == 1 { (720, 1280) } else { SIZE };
        Placement::new(&shape, &ViewSettings { zoom, ..ViewSettings::default() }, view)
    }

    const fn rect(x: u32, y: u32, width: u32, height: u32) -> Rect {
        Rect { x, y, width, height }
    }

    fn drawn(from: (f64, f64), to: (f64, f64), placement: &Placement) -> Option<Rect> {
        let [from, to] = [from, to].map(|(x, y)| DVec2::new(x, y));
        RegionDrag::new(from, placement).to(to, placement, 1.0)
    }

    #[test]
    fn a_drag_covers_the_pixels_at_both_its_ends() {
        let plain = placement(0, false, 1.0);
        assert_eq!(drawn((100.0, 50.0), (199.0, 80.0), &plain), Some(rect(100, 50, 100, 31)));
        assert_eq!(drawn((199.0, 80.0), (100.0, 50.0), &plain), Some(rect(100, 50, 100, 31)), "backward");
        assert_eq!(drawn((100.0, 50.0), (103.0, 53.0), &plain), None, "a click that trembles");
        assert_eq!(drawn((100.0, 50.0), (104.0, 50.0), &plain), Some(rect(100, 50, 5, 1)));
        // Enlarged sixteen times, a single pixel of the picture is enough.
        let near = placement(0, false, 16.0);
        let one = drawn((641.0, 361.0), (647.0, 367.0), &near).expect("a pixel");
        assert_eq!((one.width, one.height), (1, 1));
        assert_eq!(near.pixel_at(DVec2::new(644.0, 364.0)), Some((one.x, one.y)));
    }

    #[test]
    fn areas_outside_the_picture_are_left_out() {
        let small = placement(0, false, 0.5);
        let view = |x: f64, y: f64| (x, y);
        assert_eq!(drawn(view(0.0, 0.0), view(1279.0, 719.0), &small), Some(Rect::whole(1280, 720)));
        assert_eq!(drawn(view(0.0, 0.0), view(300.0, 719.0), &small), None, "wholly beside it");
        let left = drawn(view(0.0, 0.0), view(320.0, 180.0), &small).expect("its corner");
        assert_eq!((left.x, left.y), (0, 0));
        assert!(left.width <= 3 && left.height <= 3, "{left:?}");
    }

    #[test]
    fn turned_pictures_are_drawn_in_coded_pixels() {
        for (turns, mirrored) in (0..4).flat_map(|turns| [(turns, false), (turns, true)]) {
            let placement = placement(turns, mirrored, 1.0);
            let rect = drawn((10.0, 20.0), (109.0, 39.0), &placement).expect("a rectangle");
            let expected = if turns % 2 == 1 { (20, 100) } else { (100, 20) };
            assert_eq!((rect.width, rect.height), expected, "{turns} {mirrored}");
            // The pixels under both ends are its corners.
            for point in [(10.0, 20.0), (109.0, 39.0)] {
                let (x, y) = placement.pixel_at(DVec2::new(point.0, point.1)).expect("a pixel");
                assert!(rect.contains(x, y), "{turns} {mirrored}");
            }
            let (low, high) = on_view(rect, &placement);
            assert!((low - DVec2::new(10.0, 20.0)).length() < 1e-6 && (high - DVec2::new(110.0, 40.0)).length() < 1e-6);
            // Whichever handle is dragged to the right by ten, an edge that appears there moves with it.
            let right =
                handles(rect, &placement, 1.0).into_iter().find(|h| (h.at - DVec2::new(110.0, 30.0)).length() < 1.0);
            if let Some(Handle { grip, at }) = right {
                let drag = RegionDrag::change(grip, rect, at, &placement);
                let wider = drag.to(at + DVec2::new(10.0, 0.0), &placement, 1.0).expect("a rectangle");
                let (low, high) = on_view(wider, &placement);
                assert!((low.x - 10.0).abs() < 1e-6 && (high.x - 120.0).abs() < 1e-6, "{turns} {mirrored}: {wider:?}");
            }
        }
    }

    #[test]
    fn handles_move_edges_and_never_lose_the_last_pixel() {
        let plain = placement(0, false, 1.0);
        let before = rect(100, 100, 200, 100);
        let change = |grip, way: (f64, f64)| {
            let from = DVec2::new(300.0, 150.0);
            let drag = RegionDrag::change(grip, before, from, &plain);
            drag.to(from + DVec2::new(way.0, way.1), &plain, 1.0).expect("a rectangle")
        };
        assert_eq!(change(Grip::Edges { x: 1, y: 0 }, (50.0, 70.0)), rect(100, 100, 250, 100));
        assert_eq!(change(Grip::Edges { x: -1, y: -1 }, (-30.0, 10.0)), rect(70, 110, 230, 90));
        assert_eq!(change(Grip::Edges { x: 1, y: 1 }, (-250.0, -100.0)), rect(50, 100, 50, 1), "past the other edge");
        assert_eq!(change(Grip::Edges { x: 1, y: 1 }, (9e9, 9e9)), rect(100, 100, 1180, 620), "to the picture's edge");
        assert_eq!(change(Grip::Edges { x: -1, y: 0 }, (1e9, 0.0)), rect(300, 100, 980, 100));
        assert_eq!(change(Grip::Move, (-150.0, 7.0)), rect(0, 107, 200, 100), "it stays inside");
        assert_eq!(change(Grip::Move, (9e9, 9e9)), rect(1080, 620, 200, 100));
    }

    #[test]
    fn a_line_is_a_row_or_a_column_and_moves_to_the_edges() {
        let at = |line: Line| Region::part(line.rect(SIZE), SIZE);
        assert_eq!((at(Line::Row(7)).line(), at(Line::Column(9)).line()), (Some(Line::Row(7)), Some(Line::Column(9))));
        assert_eq!(Region::part(rect(0, 7, 1279, 1), SIZE).line(), None, "not to the edge");
        assert_eq!(Region::default().line(), None);
        let moved = |line, forward| at(line).with_next_line(forward).and_then(|region| region.line());
        assert_eq!(moved(Line::Row(7), true), Some(Line::Row(8)));
        assert_eq!(moved(Line::Column(9), false), Some(Line::Column(8)));
        assert_eq!(moved(Line::Row(719), true), Some(Line::Row(719)), "the last one");
        assert_eq!(moved(Line::Column(0), false), Some(Line::Column(0)));
        assert_eq!(Region::default().with_next_line(true), None);
        let row = (3, 1);
        assert_eq!((Line::of(Rect::whole(3, 1), row), Line::of(rect(1, 0, 1, 1), row)), (None, Some(Line::Column(1))));
    }

    #[test]
    fn a_border_can_be_grabbed_within_its_reach() {
        let plain = placement(0, false, 1.0);
        let rect = rect(100, 100, 200, 100);
        let grip = |x: f64, y: f64| grip_at(rect, &plain, 1.0, DVec2::new(x, y));
        assert_eq!(grip(101.0, 98.0), Some(Grip::Edges { x: -1, y: -1 }));
        assert_eq!(grip(299.0, 150.0), Some(Grip::Edges { x: 1, y: 0 }));
        assert_eq!(grip(200.0, 203.0), Some(Grip::Edges { x: 0, y: 1 }));
        assert_eq!(grip(200.0, 150.0), Some(Grip::Move), "the middle");
        assert_eq!(grip(150.0, 101.0), Some(Grip::Move), "the border");
        assert_eq!((grip(150.0, 130.0), grip(90.0, 90.0)), (None, None), "inside and beside it");
        // A small one has only its corners and a border.
        let small = handles(Rect { width: 12, height: 9, ..rect }, &plain, 1.0);
        assert_eq!(small.len(), 4);
    }

    #[test]
    fn a_proposal_is_accepted_or_dropped_and_not_counted_until_then() {
        let (first, bars) = (rect(0, 0, 9, 9), rect(0, 90, 1280, 540));
        let chosen = Region::part(first, SIZE);
        let proposed = chosen.proposing(bars, SIZE);
        assert_eq!((proposed.counted(), proposed.shown()), (Some(first), Some(RegionFrame::Proposed(bars))));
        assert_eq!(proposed.dropped(), Some(chosen));
        assert_eq!(proposed.taken(), Some(Region::part(bars, SIZE)));
        assert_eq!(chosen.taken(), None);
        let whole = chosen.dropped().expect("a region to drop");
        assert_eq!((whole.counted(), whole.shown(), whole.dropped()), (None, None, None));
        assert_eq!(chosen.in_pictures_of(SIZE), chosen);
        assert_eq!(chosen.in_pictures_of((1920, 1080)), Region::default(), "other pixels");
        assert_eq!(Region::default().proposing(bars, SIZE).dropped().and_then(|left| left.counted()), None);
    }
}

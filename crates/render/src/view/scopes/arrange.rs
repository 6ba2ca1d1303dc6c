//! The arrangement of picture and scopes on the view.

use glam::DVec2;

use super::{Layout, ScopeKind, ScopeStyle};
use crate::view::overlay::{MARGIN, margin_below};
use crate::view::rect::PanelRect;

/// A rectangle in fractions of the view, from its top left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ArrangedPart {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

/// A scope on the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScopePanel {
    /// The scope.
    pub kind: ScopeKind,
    /// The whole panel, in whole pixels.
    pub frame: PanelRect,
    /// The part of the panel with the trace.
    pub rect: PanelRect,
}

impl ScopePanel {
    fn new(kind: ScopeKind, frame: PanelRect) -> Self {
        let margin = (f64::from(frame.height) * kind.row().margin).round() as u32;
        let rect = PanelRect { top: frame.top + margin, height: frame.height - 2 * margin, ..frame };
        Self { kind, frame, rect }
    }

    /// Returns the margins above and below the trace.
    pub fn margins(&self) -> impl Iterator<Item = PanelRect> + use<> {
        let Self { frame, rect, .. } = *self;
        let above = PanelRect { height: rect.top - frame.top, ..frame };
        let end = rect.top + rect.height;
        let below = PanelRect { top: end, height: frame.top + frame.height - end, ..frame };
        [above, below].into_iter().filter(|margin| margin.height > 0)
    }
}

/// The edge that a border moves when it is dragged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The right edge of the picture in a split layout.
    PictureRight,
    /// The lower edge of the picture in a split layout.
    PictureBottom,
    /// The edge between two scopes that are side by side.
    Between(ScopeKind, ScopeKind),
}

/// A draggable border between parts of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Border {
    /// The edge.
    pub edge: Edge,
    /// The gap along which the border runs.
    pub rect: PanelRect,
    /// Start and end of the adjacent parts in the direction of the drag, in pixels of the view.
    pub span: (u32, u32),
}

impl Border {
    /// Returns `true` if the border is vertical, and is dragged left and right.
    #[must_use]
    pub const fn is_upright(&self) -> bool {
        !matches!(self.edge, Edge::PictureBottom)
    }

    /// Returns the style after the border was dragged to a point of the view.
    #[must_use]
    pub fn dragged(&self, style: &ScopeStyle, to: DVec2) -> ScopeStyle {
        let mut style = style.clamped();
        let at = if self.is_upright() { to.x } else { to.y };
        let (begin, end) = (f64::from(self.span.0), f64::from(self.span.1));
        let share = ((at - begin) / (end - begin).max(1.0)).clamp(0.0, 1.0) as f32;
        match self.edge {
            Edge::PictureRight => style.picture[0] = share,
            Edge::PictureBottom => style.picture[1] = share,
            Edge::Between(left, right) => {
                let share = share.clamp(0.1, 0.9);
                let both = style.widths[left as usize] + style.widths[right as usize];
                style.widths[left as usize] = both * share;
                style.widths[right as usize] = both * (1.0 - share);
            }
        }
        style.clamped()
    }
}

/// The arrangement of picture and scopes on a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arranged {
    /// The part of the view in which the picture is placed.
    pub picture: PanelRect,
    /// `true` if the rest of the view is reserved for the scopes.
    pub is_split: bool,
    /// The part that the histograms share, unless they use the whole lower edge.
    pub histograms: Option<PanelRect>,
    /// The other scopes.
    pub panels: Vec<ScopePanel>,
    /// The borders that can be dragged.
    pub borders: Vec<Border>,
}

/// Gap between two panels, as a fraction of the view's width.
const GAP: f64 = 0.008;

/// Arranges the scopes of a style on a view of `view` pixels. In a strip, they have `height` of the view's height.
/// `lift` of the view's height stays free below them, in a split layout as well. `histograms` is `true` if the
/// histograms are shown.
#[must_use]
pub fn arrange(style: &ScopeStyle, histograms: bool, (height, lift): (f32, f32), view: (u32, u32)) -> Arranged {
    let style = style.clamped();
    let whole = PanelRect { left: 0, top: 0, width: view.0.max(1), height: view.1.max(1) };
    let shown: Vec<_> = ScopeKind::ALL.into_iter().filter(|&kind| style.shows(kind, histograms)).collect();
    let mut arranged =
        Arranged { picture: whole, is_split: false, histograms: None, panels: Vec::new(), borders: Vec::new() };
    if shown.is_empty() || (style.layout == Layout::Strip && !style.any()) {
        return arranged;
    }
    let aspect = f64::from(whole.width) / f64::from(whole.height);
    let (lift, height) = (f64::from(lift), f64::from(height));
    match style.layout {
        Layout::Strip => {
            let (left, below) = (f64::from(MARGIN), lift + f64::from(margin_below(view)));
            let height = height.min(1.0 - below);
            let row = ArrangedPart { left, top: 1.0 - below - height, width: 1.0 - 2.0 * left, height };
            arranged.row(&style, &shown, row, aspect, view);
        }
        Layout::Split => arranged.split(&style, &shown, lift, aspect, view),
    }
    arranged
}

impl Arranged {
    /// Returns the scope under a point of the view.
    #[must_use]
    pub fn panel_at(&self, at: DVec2) -> Option<&ScopePanel> {
        self.panels.iter().find(|panel| panel.frame.contains(at))
    }

    /// Returns the background areas of a split layout on a view of `view` pixels: everything but the picture.
    #[must_use]
    pub fn grounds(&self, view: (u32, u32)) -> Vec<PanelRect> {
        if !self.is_split {
            return Vec::new();
        }
        let PanelRect { width, height, .. } = self.picture;
        let beside = PanelRect { left: width, top: 0, width: view.0.saturating_sub(width), height };
        let below = PanelRect { left: 0, top: height, width: view.0, height: view.1.saturating_sub(height) };
        [beside, below].into_iter().filter(|rect| rect.width > 0 && rect.height > 0).collect()
    }

    /// Returns the border within `reach` pixels of a point of the view.
    #[must_use]
    pub fn border_at(&self, at: DVec2, reach: f64) -> Option<&Border> {
        let is_near = |border: &&Border| {
            let PanelRect { left, top, width, height } = border.rect;
            let near = |at: f64, begin: u32, length: u32, reach: f64| {
                at >= f64::from(begin) - reach && at < f64::from(begin + length) + reach
            };
            let (across, down) = if border.is_upright() { (reach, 0.0) } else { (0.0, reach) };
            near(at.x, left, width, across) && near(at.y, top, height, down)
        };
        self.borders.iter().find(is_near)
    }

    /// Places a scope in a part of the view. A square one takes the square in the middle.
    fn put(&mut self, kind: ScopeKind, rect: PanelRect) {
        match kind {
            ScopeKind::Histogram => self.histograms = Some(rect),
            _ if kind.row().is_square => {
                let side = rect.width.min(rect.height);
                let (left, top) = (rect.left + (rect.width - side) / 2, rect.top + (rect.height - side) / 2);
                self.panels.push(ScopePanel::new(kind, PanelRect { left, top, width: side, height: side }));
            }
            _ => self.panels.push(ScopePanel::new(kind, rect)),
        }
    }

    /// Places scopes side by side in a part of the view. A square scope stands at the right end, unless it would leave
    /// its neighbours too little room.
    fn row(&mut self, style: &ScopeStyle, shown: &[ScopeKind], row: ArrangedPart, aspect: f64, view: (u32, u32)) {
        let weight = |kind: ScopeKind| f64::from(style.widths[kind as usize]);
        let room = row.width - GAP * (shown.len() - 1) as f64;
        let square = row.height / aspect;
        let most = if shown.len() > 1 { 0.6 } else { 1.0 };
        let has_square = shown.iter().any(|kind| kind.row().is_square) && square < room * most;
        let shared = if has_square { room - square } else { room };
        let is_square = |kind: ScopeKind| has_square && kind.row().is_square;
        let total: f64 = shown.iter().filter(|&&kind| !is_square(kind)).map(|&kind| weight(kind)).sum();
        // Alone, it leaves the rest to the picture.
        let mut left = if total == 0.0 { row.left + shared } else { row.left };
        let mut before: Option<(ScopeKind, f64)> = None;
        for &kind in shown {
            let width = if is_square(kind) { square } else { shared * weight(kind) / total };
            if let Some((other, from)) = before.filter(|_| !is_square(kind)) {
                let span = (from, left + width);
                self.bound(
                    Edge::Between(other, kind),
                    ArrangedPart { left: left - GAP, width: GAP, ..row },
                    span,
                    view,
                );
            }
            self.put(kind, pixels(ArrangedPart { left, width, ..row }, view));
            before = Some((kind, left));
            left += width + GAP;
        }
    }

    /// Places the picture in the upper left corner and the scopes around it: one on its right, the others below. A
    /// single scope stands below, or on the right if it is square.
    fn split(&mut self, style: &ScopeStyle, shown: &[ScopeKind], lift: f64, aspect: f64, view: (u32, u32)) {
        let [across, down] = style.picture.map(f64::from);
        let gap_down = GAP * aspect;
        let beside = [ScopeKind::Vectorscope, ScopeKind::Histogram, ScopeKind::Waveform];
        let is_beside = |kind: &ScopeKind| shown.contains(kind) && (shown.len() > 1 || kind.row().is_square);
        let beside = beside.into_iter().find(is_beside);
        let below: Vec<_> = shown.iter().copied().filter(|&kind| Some(kind) != beside).collect();
        let across = if beside.is_some() { across } else { 1.0 };
        let down = if below.is_empty() { 1.0 - lift } else { down };
        self.is_split = true;
        self.picture = pixels(ArrangedPart { left: 0.0, top: 0.0, width: across, height: down }, view);
        if let Some(kind) = beside {
            let left = across + GAP;
            let rest = 1.0 - left - GAP;
            let height = if below.is_empty() { down - 2.0 * gap_down } else { down - gap_down };
            self.put(kind, pixels(ArrangedPart { left, top: gap_down, width: rest, height }, view));
            let gap = ArrangedPart { left: across, top: 0.0, width: GAP, height: down };
            self.bound(Edge::PictureRight, gap, (0.0, 1.0), view);
        }
        if below.is_empty() {
            return;
        }
        let top = down + gap_down;
        let height = (1.0 - lift - gap_down - top).max(0.02);
        self.row(style, &below, ArrangedPart { left: GAP, top, width: 1.0 - 2.0 * GAP, height }, aspect, view);
        let gap = ArrangedPart { left: 0.0, top: down, width: 1.0, height: gap_down };
        self.bound(Edge::PictureBottom, gap, (0.0, 1.0), view);
    }

    fn bound(&mut self, edge: Edge, gap: ArrangedPart, (begin, end): (f64, f64), view: (u32, u32)) {
        let length = f64::from(if edge == Edge::PictureBottom { view.1 } else { view.0 });
        let span = ((begin * length).round() as u32, (end * length).round() as u32);
        self.borders.push(Border { edge, rect: pixels(gap, view), span });
    }
}

/// Returns a part of the view in whole pixels: at least one, and inside the view.
fn pixels(part: ArrangedPart, view: (u32, u32)) -> PanelRect {
    let side = |begin: f64, end: f64, view: u32| {
        let view = view.max(1);
        let at = |part: f64| ((part * f64::from(view)).round() as u32).min(view);
        let begin = at(begin).min(view - 1);
        (begin, at(end).max(begin + 1) - begin)
    };
    let (left, width) = side(part.left, part.left + part.width, view.0);
    let (top, height) = side(part.top, part.top + part.height, view.1);
    PanelRect { left, top, width, height }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waveform_keeps_away_from_the_edges_of_its_frame() {
        for (height, margin) in [(1, 0), (16, 0), (40, 1), (200, 6), (500, 15)] {
            let frame = PanelRect { left: 3, top: 5, width: 100, height };
            let panel = ScopePanel::new(ScopeKind::Parade, frame);
            let expected = PanelRect { top: 5 + margin, height: height - 2 * margin, ..frame };
            assert_eq!((panel.frame, panel.rect), (frame, expected));
            let margins: Vec<_> = panel.margins().collect();
            assert_eq!(margins.iter().map(|margin| margin.height).sum::<u32>(), 2 * margin);
            assert!(margins.iter().all(|margin| margin.left == 3 && margin.width == 100));
            let scope = ScopePanel::new(ScopeKind::Vectorscope, frame);
            assert_eq!((scope.rect, scope.margins().count()), (frame, 0));
        }
    }

    const VIEWS: [(u32, u32); 6] = [(480, 270), (960, 540), (1600, 900), (2560, 1440), (64, 64), (1, 1)];

    /// Returns every combination of scopes and layouts, with and without histograms.
    fn sets() -> impl Iterator<Item = (ScopeStyle, bool)> {
        (0..32).map(|bits| {
            let layout = if bits & 16 == 0 { Layout::Strip } else { Layout::Split };
            let [waveform, parade, vectorscope] = [1, 2, 4].map(|bit| bits & bit != 0);
            (ScopeStyle { waveform, parade, vectorscope, layout, ..ScopeStyle::default() }, bits & 8 != 0)
        })
    }

    #[test]
    fn scopes_lie_inside_the_view_and_overlap_neither_each_other_nor_a_split_picture() {
        for ((style, histograms), view) in sets().flat_map(|set| VIEWS.map(|view| (set, view))) {
            let arranged = arrange(&style, histograms, (0.25, 0.05), view);
            let wanted = ScopeKind::ALL.iter().filter(|&&kind| style.shows(kind, histograms)).count();
            let mut rects: Vec<_> = arranged.panels.iter().map(|panel| panel.frame).collect();
            rects.extend(arranged.histograms);
            let is_plain = style.layout == Layout::Strip && !style.any();
            assert_eq!(rects.len(), if is_plain { 0 } else { wanted }, "{style:?}");
            assert_eq!(arranged.is_split, style.layout == Layout::Split && wanted > 0);
            for rect in &rects {
                assert!(rect.width > 0 && rect.left + rect.width <= view.0, "{style:?} {view:?}: {rect:?}");
                assert!(rect.height > 0 && rect.top + rect.height <= view.1, "{style:?} {view:?}: {rect:?}");
            }
            if arranged.is_split {
                rects.push(arranged.picture);
            }
            for (index, one) in rects.iter().enumerate().filter(|_| view.0 > 100) {
                for other in &rects[..index] {
                    let beside = one.left + one.width <= other.left || other.left + other.width <= one.left;
                    let below = one.top + one.height <= other.top || other.top + other.height <= one.top;
                    assert!(beside || below, "{style:?} {view:?}: {one:?} on {other:?}");
                }
            }
        }
    }

    #[test]
    fn the_vectorscope_of_a_strip_is_square_and_stands_at_its_end() {
        let style = ScopeStyle { waveform: true, vectorscope: true, ..ScopeStyle::default() };
        let arranged = arrange(&style, true, (0.25, 0.0), (1600, 900));
        let [waveform, vectorscope] = arranged.panels[..] else { panic!("{arranged:?}") };
        assert_eq!((vectorscope.rect.width, vectorscope.rect.height), (225, 225));
        assert_eq!(vectorscope.rect.left + vectorscope.rect.width, 1560);
        assert!(waveform.rect.left > arranged.histograms.unwrap().left);
        assert_eq!(arranged.borders.len(), 1, "the square one has no border: {:?}", arranged.borders);
    }

    #[test]
    fn a_vectorscope_alone_takes_no_more_room_than_its_square() {
        let style = ScopeStyle { vectorscope: true, ..ScopeStyle::default() };
        let strip = arrange(&style, false, (0.25, 0.0), (1600, 900));
        assert_eq!(strip.panels[0].frame, PanelRect { left: 1335, top: 635, width: 225, height: 225 });
        let split = arrange(&ScopeStyle { layout: Layout::Split, ..style }, false, (0.25, 0.0), (1600, 900));
        let (picture, frame) = (split.picture, split.panels[0].frame);
        assert_eq!((picture.height, split.borders.len()), (900, 1), "beside the picture: {split:?}");
        assert!(frame.left > picture.width && frame.width == frame.height && frame.width > 570, "{split:?}");
    }

    #[test]
    fn borders_follow_the_pointer_and_stop_before_a_panel_disappears() {
        let style = ScopeStyle { waveform: true, parade: true, layout: Layout::Split, ..ScopeStyle::default() };
        let view = (1600, 900);
        let edges = |style: &ScopeStyle| arrange(style, true, (0.25, 0.0), view);
        for (to, edge) in [(DVec2::new(800.0, 100.0), 0), (DVec2::new(700.0, 300.0), 2), (DVec2::new(500.0, 700.0), 1)]
        {
            let before = edges(&style);
            let after = edges(&before.borders[edge].dragged(&style, to));
            let moved = after.borders[edge].rect;
            let (at, expected) = if before.borders[edge].is_upright() { (moved.left, to.x) } else { (moved.top, to.y) };
            assert!((f64::from(at) - expected).abs() <= 14.0, "{:?}: {moved:?}", before.borders[edge].edge);
            let far = edges(&before.borders[edge].dragged(&style, DVec2::new(1e9, 1e9)));
            assert!(far.panels.iter().all(|panel| panel.rect.width > 40 && panel.rect.height > 40), "{far:?}");
        }
        let found = edges(&style).border_at(DVec2::new(1600.0 * 0.62 + 2.0, 100.0), 4.0).map(|border| border.edge);
        assert_eq!(found, Some(Edge::PictureRight));
    }
}

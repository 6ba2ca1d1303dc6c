//! Brushes drawn by the pointer in the scopes other than the histograms: a rectangle in a waveform or a parade; in the
//! vectorscope a circle or, with Shift, a freehand polygon. A click clears the brush of that scope.

use glam::DVec2;

use super::geometry::Geometry;
use super::scope_point::{PanelPart, level_of, levels_of_pair};
use crate::app::input::clicks::REACH;
use histoscope_core::picture::Frame;
use histoscope_core::picture::region::Rect;
use histoscope_core::scopes::{Waveform, level_bits};
use histoscope_render::labels::graticule::ScopeSubject;
use histoscope_render::view::brush::Brush;
use histoscope_render::view::brushes::{Brushes, Lasso, PairBrush, PairShape, WaveformBrush};
use histoscope_render::view::overlay::Channels;
use histoscope_render::view::scopes::{ScopeKind, ScopePanel};

/// A brush being drawn, or a press that may become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScopeDrag {
    panel: ScopePanel,
    /// Where the button was pressed.
    from: DVec2,
    /// The only channel to select in, if the brush is limited to one.
    only: Option<usize>,
    /// The polygon, if one is being drawn.
    lasso: Option<Lasso>,
    /// `true` if the pointer has moved farther than in a click.
    has_moved: bool,
}

impl ScopeDrag {
    /// Begins a drag at a point of the view, if a brush can be drawn there. `by_hand` draws a polygon; `only` limits
    /// the brush to one channel.
    #[must_use]
    pub fn begin(geometry: &Geometry<'_>, at: DVec2, by_hand: bool, only: Option<usize>) -> Option<Self> {
        let panel = *geometry.arranged().panel_at(at)?;
        let (_, subject) = subject(geometry)?;
        let lasso = match panel.kind {
            ScopeKind::Histogram => return None,
            ScopeKind::Waveform | ScopeKind::Parade => None,
            ScopeKind::Vectorscope => {
                subject.chroma?;
                by_hand.then(|| Lasso::starting_at(pair_at(&subject, &panel, at)))
            }
        };
        Some(Self { panel, from: at, only, lasso, has_moved: false })
    }

    /// Moves the drag to a point of the view. Returns the new brushes, or `None` while it may still be a click.
    pub fn to(&mut self, geometry: &Geometry<'_>, at: DVec2) -> Option<Brushes> {
        self.has_moved |= at.distance(self.from) > REACH * f64::from(geometry.points);
        if !self.has_moved {
            return None;
        }
        let (frame, subject) = subject(geometry)?;
        let brushes = geometry.scene.brushes;
        if self.panel.kind != ScopeKind::Vectorscope {
            let waveform = Some(self.rectangle(geometry, (frame, &subject), at)?);
            return Some(Brushes { waveform, ..brushes });
        }
        let shape = match &mut self.lasso {
            Some(lasso) => {
                *lasso = lasso.with_corner(pair_at(&subject, &self.panel, at));
                PairShape::Polygon(*lasso)
            }
            None => {
                let [middle, edge] = [self.from, at].map(|at| pair_at(&subject, &self.panel, at));
                let way = DVec2::from(middle.map(f64::from)).distance(edge.map(f64::from).into());
                PairShape::Circle { middle, radius: way.round() as u16 }
            }
        };
        Some(Brushes {
            vectorscope: Some(PairBrush {
                shape,
                level_bits: subject.pair_level_bits(),
                diagram: subject.style.diagram,
            }),
            ..brushes
        })
    }

    /// Returns the brushes without the one of this scope, if the button was released after a click.
    #[must_use]
    pub fn released(&self, geometry: &Geometry<'_>) -> Option<Brushes> {
        let brushes = geometry.scene.brushes;
        let left = match self.panel.kind {
            ScopeKind::Vectorscope => Brushes { vectorscope: None, ..brushes },
            _ => Brushes { waveform: None, ..brushes },
        };
        (!self.has_moved && left != brushes).then_some(left)
    }

    /// Returns the rectangle from the press to a point of the view. In a parade, it stays in the part where it began.
    fn rectangle(
        &self,
        geometry: &Geometry<'_>,
        (frame, subject): (&Frame, &ScopeSubject),
        at: DVec2,
    ) -> Option<WaveformBrush> {
        let rect = self.panel.rect;
        let corner = DVec2::new(rect.left.into(), rect.top.into());
        let [from, to] = [self.from, at].map(|at| at - corner);
        let part = PanelPart::at(subject, rect, from.x, self.panel.kind == ScopeKind::Parade)?;
        let counted = geometry.region.counted().unwrap_or(Rect::whole(frame.picture.width(), frame.picture.height()));
        let of = Waveform::shape(frame.picture.layout(), counted, subject.components).columns[0];
        let column = |x: f64| (part.share_of(x) * f64::from(of)) as u32;
        let channels = match part.channel.or(self.only) {
            Some(channel) => Channels::one(channel),
            None => subject.shown().map(Channels::one).fold(Channels::NONE, Channels::union),
        };
        let surplus = subject.bits - level_bits(subject.bits);
        let [one, other] = [from, to].map(|at| level_of(rect, at.y, subject.bits));
        let range = Brush { channels, low: one.min(other) << surplus, high: ((one.max(other) + 1) << surplus) - 1 };
        let [one, other] = [from, to].map(|at| column(at.x));
        (!channels.is_empty()).then_some(WaveformBrush {
            range,
            columns: [one.min(other), one.max(other)],
            column_count: of,
        })
    }
}

/// Returns the frame on screen, and the subject of its scopes.
fn subject<'a>(geometry: &Geometry<'a>) -> Option<(&'a Frame, ScopeSubject)> {
    let frame = geometry.frame?;
    Some((frame, geometry.scope_subject(frame)))
}

/// Returns the pair of levels nearest to a point of the view.
fn pair_at(subject: &ScopeSubject, panel: &ScopePanel, at: DVec2) -> [u16; 2] {
    let corner = DVec2::new(panel.rect.left.into(), panel.rect.top.into());
    let top = f64::from((1_u32 << subject.pair_level_bits()) - 1);
    levels_of_pair(subject, panel.rect, at - corner).map(|level| level.clamp(0.0, top) as u16)
}

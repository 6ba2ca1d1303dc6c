//! The point of a scope under the pointer: a column and a level of a waveform, or a pair of Cb and Cr levels, and its
//! description.

use glam::DVec2;

use super::geometry::Geometry;
use histoscope_core::histogram::CHANNELS;
use histoscope_core::histogram::pixel_light::light_text;
use histoscope_core::picture::region::Rect;
use histoscope_core::picture::{Orientation, layout::PixelLayout};
use histoscope_core::scopes::graticule::Unit;
use histoscope_core::scopes::{Diagram, Waveform, level_bits};
use histoscope_render::engine::{CountQuestion, ScopeAnswer};
use histoscope_render::labels::graticule::ScopeSubject;
use histoscope_render::view::rect::PanelRect;
use histoscope_render::view::scopes::{Lens, ScopeKind};

/// A point of a scope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScopePoint {
    /// The counts needed to describe it.
    pub question: CountQuestion,
    spot: Spot,
    subject: ScopeSubject,
    /// `true` if the picture is turned for display, so that its columns differ from those on screen.
    is_turned: bool,
}

/// The position in the scope.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Spot {
    /// First and last column in pixels of the coded picture, the level, and the channel in a parade.
    Level { samples: (u32, u32), level: u32, channel: Option<usize> },
    /// Levels of Cb and Cr, or of the coordinates of a chromaticity.
    Pair { cb: u32, cr: u32 },
}

/// The part of a waveform's panel in which channels overlap: the whole panel, or the part of one channel in a parade.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PanelPart {
    /// Its left edge and width, in pixels of the panel.
    pub across: [f64; 2],
    /// Its channel, in a parade.
    pub channel: Option<usize>,
}

impl PanelPart {
    /// Returns the part at column `x` of a panel, in pixels.
    #[must_use]
    pub fn at(subject: &ScopeSubject, rect: PanelRect, x: f64, is_parade: bool) -> Option<Self> {
        let width = f64::from(rect.width);
        if !is_parade {
            return Some(Self { across: [0.0, width], channel: None });
        }
        let shown: Vec<_> = subject.shown().collect();
        let own = width / shown.len() as f64;
        let place = (x / own) as usize;
        Some(Self { across: [place as f64 * own, own], channel: Some(*shown.get(place)?) })
    }

    /// Returns the relative position of column `x` in the part, from 0 to less than 1.
    #[must_use]
    pub fn share_of(&self, x: f64) -> f64 {
        ((x - self.across[0]) / self.across[1]).clamp(0.0, 1.0 - 1e-9)
    }
}

/// Returns the level at row `y` of a waveform's panel, in pixels.
#[must_use]
pub fn level_of(rect: PanelRect, y: f64, bits: u32) -> u32 {
    let (height, levels) = (f64::from(rect.height), f64::from(1_u32 << level_bits(bits)));
    ((height - y) / height * levels).clamp(0.0, levels - 1.0) as u32
}

/// Returns the pair of levels at a point of a vectorscope's panel, with fractions. Points outside its square may have
/// levels out of range.
#[must_use]
pub fn levels_of_pair(subject: &ScopeSubject, rect: PanelRect, within: DVec2) -> [f64; 2] {
    let size = DVec2::new(rect.width.into(), rect.height.into());
    let from_middle = (within - size * 0.5) / size.min_element();
    let lens = Lens::new(subject.chroma.as_ref(), subject.pair_level_bits(), subject.style.zoom);
    lens.pair_at([from_middle.x, -from_middle.y])
}

impl ScopePoint {
    /// Returns the scope point at a position on the view.
    #[must_use]
    pub fn at(geometry: &Geometry<'_>, at: DVec2) -> Option<Self> {
        let panel = geometry.arranged().panel_at(at).copied().filter(|panel| panel.rect.contains(at))?;
        let frame = geometry.frame?;
        let picture = &frame.picture;
        let subject = geometry.scope_subject(frame);
        let whole = Rect::whole(picture.width(), picture.height());
        let counted = geometry.region.counted().unwrap_or(whole);
        let within = at - DVec2::new(panel.rect.left.into(), panel.rect.top.into());
        let spot = match panel.kind {
            ScopeKind::Histogram => None,
            ScopeKind::Waveform | ScopeKind::Parade => Self::in_waveform(
                &subject,
                (picture.layout(), counted),
                panel.rect,
                within,
                panel.kind == ScopeKind::Parade,
            ),
            ScopeKind::Vectorscope => Self::in_vectorscope(&subject, panel.rect, within),
        }?;
        Some(Self { is_turned: frame.orientation != Orientation::default(), ..spot })
    }

    fn in_waveform(
        subject: &ScopeSubject,
        (layout, counted): (&PixelLayout, Rect),
        rect: PanelRect,
        within: DVec2,
        is_parade: bool,
    ) -> Option<Self> {
        let shape = Waveform::shape(layout, counted, subject.components);
        let part = PanelPart::at(subject, rect, within.x, is_parade)?;
        let (share, channel) = (part.share_of(within.x), part.channel);
        let columns: [u32; CHANNELS] = std::array::from_fn(|c| (share * f64::from(shape.columns[c])) as u32);
        let level = level_of(rect, within.y, subject.bits);
        // Columns in pixels of the whole picture, whatever the resolution of a channel.
        let (column, count) = (u64::from(columns[0]), u64::from(shape.columns[0]));
        let begin = |column: u64| ((column * u64::from(counted.width)).div_ceil(count)) as u32 + counted.x;
        let samples = (begin(column), begin(column + 1) - 1);
        let spot = Spot::Level { samples, level, channel };
        Some(Self { question: CountQuestion::Column(columns), spot, subject: *subject, is_turned: false })
    }

    fn in_vectorscope(subject: &ScopeSubject, rect: PanelRect, within: DVec2) -> Option<Self> {
        subject.chroma?;
        let levels = f64::from(1_u32 << subject.pair_level_bits());
        let [cb, cr] = levels_of_pair(subject, rect, within);
        let level = |at: f64| (0.0..levels).contains(&at).then_some(at as u32);
        let (cb, cr) = (level(cb)?, level(cr)?);
        Some(Self { question: CountQuestion::Cb(cb), spot: Spot::Pair { cb, cr }, subject: *subject, is_turned: false })
    }

    /// Describes the point, with counts if `answer` is for its question.
    #[must_use]
    pub fn text(&self, answer: Option<&ScopeAnswer>) -> String {
        let ScopeSubject { bits, components, style, .. } = self.subject;
        let answer = answer.filter(|answer| answer.question == self.question);
        let count = |channel: usize, level: u32| answer.and_then(|answer| answer.count(channel, level));
        let surplus = bits - level_bits(bits);
        let codes = |level: u32| {
            let [low, high] = self.subject.scale_of(0).codes_of(level);
            if low == high { low.to_string() } else { format!("{low}\u{2013}{high}") }
        };
        match self.spot {
            Spot::Level { samples: (first, last), level, channel } => {
                let scale = self.subject.scale_of(channel.unwrap_or(0));
                let unit = if style.unit == Unit::Codes { Unit::Percent } else { style.unit };
                let code = f64::from(level << surplus);
                let light = scale.light_of(code).filter(|_| unit == Unit::Percent);
                let value =
                    light.map_or_else(|| format!("{:.1} {}", scale.value_of(code, unit), unit.suffix()), light_text);
                let place = if first == last { format!("x {first}") } else { format!("x {first}\u{2013}{last}") };
                let coded = if self.is_turned { " coded" } else { "" };
                let mut text = format!("{place}{coded}  {value}  code {}", codes(level));
                let shown = self.subject.shown().filter(|&c| channel.is_none_or(|only| only == c));
                for (shown, count) in shown.filter_map(|shown| Some((shown, count(shown, level)?))) {
                    text += &format!("  {} {count}", components.short_name(shown));
                }
                text
            }
            Spot::Pair { cb, cr } => {
                let middle = f64::from(1_u32 << (level_bits(bits) - 1));
                let (x, y) = (f64::from(cb) - middle, f64::from(cr) - middle);
                let angle = y.atan2(x).to_degrees().rem_euclid(360.0);
                let diagram = self.subject.chroma.map_or(Diagram::CbCr, |chroma| chroma.diagram());
                let mut text = match diagram.words([cb, cr], self.subject.pair_level_bits()) {
                    Some(words) => words,
                    None if x != 0.0 || y != 0.0 => format!("Cb {}  Cr {}  {angle:.0}°", codes(cb), codes(cr)),
                    None => format!("Cb {}  Cr {}", codes(cb), codes(cr)),
                };
                if let Some(count) = count(0, cr) {
                    text += &format!("  {count} {}", if count == 1 { "sample" } else { "samples" });
                }
                text
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use histoscope_core::adjust::Adjustments;
    use histoscope_core::histogram::Components;
    use histoscope_core::test_data;
    use histoscope_core::tone_map::SourceLight;
    use histoscope_render::view::scene::Scene;

    #[test]
    fn a_column_of_a_turned_picture_is_labelled_coded() {
        let scene = Scene::default();
        let subject = ScopeSubject::of(
            &test_data::gray((8, 8), |_, _| 0).picture,
            (Adjustments::default(), SourceLight::default()),
            (Components::Rgbl, scene.look.channels),
            scene.look.scopes,
        );
        let spot = Spot::Level { samples: (8, 9), level: 128, channel: None };
        let point = ScopePoint { question: CountQuestion::Column([4; CHANNELS]), spot, subject, is_turned: false };
        assert!(point.text(None).starts_with("x 8\u{2013}9  50."), "{}", point.text(None));
        let turned = ScopePoint { is_turned: true, ..point }.text(None);
        assert!(turned.starts_with("x 8\u{2013}9 coded  50."), "{turned}");
    }

    #[test]
    fn counts_with_fewer_levels_than_the_picture_are_ignored() {
        let scene = Scene::default();
        let picture = test_data::gray((8, 8), |_, _| 0).picture;
        let subject = ScopeSubject::of(
            &picture,
            (Adjustments::default(), SourceLight::default()),
            (Components::Rgbl, scene.look.channels),
            scene.look.scopes,
        );
        let subject = ScopeSubject { bits: 10, ..subject };
        let question = CountQuestion::Column([4; CHANNELS]);
        let spot = Spot::Level { samples: (4, 4), level: 1000, channel: None };
        let point = ScopePoint { question, spot, subject, is_turned: false };
        let answer = ScopeAnswer { question, counts: vec![7; CHANNELS * 256] };
        assert_eq!(point.text(Some(&answer)), point.text(None));
        let answer = ScopeAnswer { question, counts: vec![7; CHANNELS * 1024] };
        assert!(point.text(Some(&answer)).contains(" 7"), "{}", point.text(Some(&answer)));
    }
}

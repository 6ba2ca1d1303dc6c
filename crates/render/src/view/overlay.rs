//! The histogram overlays as shapes and colours: which panels there are, where they lie, what each shows. Pure functions,
//! for the pass that draws them and for the pointer alike.

mod colors;
mod table;

use glam::Vec2;
use serde::{Deserialize, Serialize};

use super::binning::Binning;
use super::rect::PanelRect;
pub use colors::{
    BAR_OPACITY, LINEAR_LIGHT, OUTLINED_LIGHT, SCRIM_OPACITY, WHITENING, colors, graticule, guides, lights,
    line_pixels, linear_text,
};
use histoscope_core::histogram::{BIN_COUNTS, Components};

pub use table::{OverlapTable, Overlaps};

/// A set of the four channels, written as their letters: `rgbl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Channels(u32);

/// Letters of the channels as they are written.
const LETTERS: [char; 4] = ['r', 'g', 'b', 'l'];

impl From<Channels> for String {
    fn from(channels: Channels) -> Self {
        channels.iter().map(|channel| LETTERS[channel]).collect()
    }
}

/// Letters that name no channel are ignored.
impl From<String> for Channels {
    fn from(letters: String) -> Self {
        let on = (0..LETTERS.len()).filter(|&channel| letters.contains(LETTERS[channel]));
        on.map(Self::one).fold(Self::NONE, Self::union)
    }
}

impl Channels {
    /// No channel.
    pub const NONE: Self = Self(0);
    /// Red, green, blue and luminance; or Y', Cb and Cr.
    pub const ALL: Self = Self(0b1111);

    /// The set of one channel.
    #[must_use]
    pub const fn one(channel: usize) -> Self {
        Self(1 << channel)
    }

    /// Returns `true` if the channel is in the set.
    #[must_use]
    pub const fn contains(self, channel: usize) -> bool {
        self.0 & (1 << channel) != 0
    }

    /// Returns `true` if the set has no channel.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The channels of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The channels that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Puts a channel in, or takes it out.
    pub const fn toggle(&mut self, channel: usize) {
        self.0 ^= 1 << channel;
    }

    /// The channels of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..4).filter(move |&channel| self.contains(channel))
    }

    /// Bit c is channel c.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }
}

/// How the overlays share the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrangement {
    /// Colour at the left, lightness at the right, along the lower edge.
    #[default]
    Pair,
    /// One overlay with all channels along the lower edge.
    Combined,
    /// One overlay a channel, side by side along the lower edge.
    Parade,
    /// One overlay a channel, one above the other at the right edge.
    Column,
}

impl Arrangement {
    /// Every arrangement, in the order in which the user cycles through them.
    pub const ALL: [Self; 4] = [Self::Pair, Self::Combined, Self::Parade, Self::Column];

    /// The name that the configuration and the notes on screen use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pair => "pair",
            Self::Combined => "combined",
            Self::Parade => "parade",
            Self::Column => "column",
        }
    }
}

/// How the overlays look.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OverlayStyle {
    /// How they share the view.
    pub arrangement: Arrangement,
    /// Height of an overlay, as part of the view; kept within [`Self::HEIGHTS`].
    pub height: f32,
    /// How much they hide of the picture, 1 being as designed; kept within [`Self::OPACITIES`].
    pub opacity: f32,
    /// `true` if a bar's height follows the logarithm of its count: log(1 + count) / log(1 + tallest), so that the tallest
    /// bin touches the top, an empty one has no height and nothing is clipped.
    pub logarithmic: bool,
    /// `true` if the picture behind the overlays is blurred, so that the bars are legible on any picture.
    pub backdrop: bool,
    /// Bins of a channel; `None` for one for each code. Kept within [`BIN_COUNTS`].
    pub bins: Option<u32>,
    /// `true` if the luminance of linear light is drawn beside that of the codes.
    pub linear_luminance: bool,
    /// Where the colours of overlaps come from.
    pub overlaps: Overlaps,
    /// The colours that they have there.
    pub overlap_table: OverlapTable,
    /// Part of the view that is left free below the overlays, for controls.
    #[serde(skip)]
    pub lift: f32,
}

impl Default for OverlayStyle {
    fn default() -> Self {
        Self {
            arrangement: Arrangement::Pair,
            height: 0.25,
            opacity: 1.0,
            logarithmic: false,
            backdrop: false,
            bins: None,
            linear_luminance: false,
            overlaps: Overlaps::Light,
            overlap_table: OverlapTable::default(),
            lift: 0.0,
        }
    }
}

impl OverlayStyle {
    /// Heights that are drawn, as parts of the view.
    pub const HEIGHTS: std::ops::RangeInclusive<f32> = 0.05..=1.0;
    /// Opacities that are drawn.
    pub const OPACITIES: std::ops::RangeInclusive<f32> = 0.1..=1.0;

    /// The style with every figure inside its limits; what is no number becomes the default.
    #[must_use]
    pub fn clamped(self) -> Self {
        let standard = Self::default();
        let within = |value: f32, range: std::ops::RangeInclusive<f32>, otherwise: f32| {
            if value.is_nan() { otherwise } else { value.clamp(*range.start(), *range.end()) }
        };
        Self {
            height: within(self.height, Self::HEIGHTS, standard.height),
            opacity: within(self.opacity, Self::OPACITIES, standard.opacity),
            lift: within(self.lift, 0.0..=0.5, 0.0),
            bins: self.bins.map(|count| count.clamp(*BIN_COUNTS.start(), *BIN_COUNTS.end())),
            ..self
        }
    }

    /// The bins in which codes of `bits` bits are drawn.
    #[must_use]
    pub fn binning(&self, bits: u32) -> Binning {
        Binning::new(bits, self.clamped().bins)
    }
}

/// Where an overlay lies, as parts of the view from its bottom left corner, and what it shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// Bottom left corner.
    pub origin: Vec2,
    /// Width and height.
    pub size: Vec2,
    /// Channels that belong here, whether they are toggled on or not.
    pub channels: Channels,
}

/// From the view's left and right edge to the overlays, as part of the view.
const MARGIN: f32 = 0.025;
/// Between two overlays of a parade or a column.
const GAP: f32 = 0.015;
/// Width of a column.
const COLUMN_WIDTH: f32 = 0.25;

/// The overlays, in reading order.
///
/// A pair's are each 0.9 of half the view's width; a combined one and a parade take the same 0.95 of the width together.
/// They stand on the lower edge, or `lift` above it. A column stands at the right edge; its overlays are as high as
/// `height` says, or less where they would not all fit.
#[must_use]
pub fn placed(components: Components, style: &OverlayStyle) -> Vec<Placed> {
    let OverlayStyle { arrangement, height, lift, .. } = style.clamped();
    let height = height.min(1.0 - lift);
    let (colour, lightness, all): (_, _, &[usize]) = match components {
        Components::Rgbl => (Channels(0b0111), Channels(0b1000), &[0, 1, 2, 3]),
        Components::YCbCr => (Channels(0b0110), Channels(0b0001), &[0, 1, 2]),
    };
    let count = all.len() as f32;
    let full = 1.0 - 2.0 * MARGIN;
    let panel =
        |x, y, width, height, channels| Placed { origin: Vec2::new(x, y), size: Vec2::new(width, height), channels };
    match arrangement {
        Arrangement::Pair => {
            vec![panel(MARGIN, lift, 0.45, height, colour), panel(0.525, lift, 0.45, height, lightness)]
        }
        Arrangement::Combined => vec![panel(MARGIN, lift, full, height, colour.union(lightness))],
        Arrangement::Parade => {
            let width = (full - GAP * (count - 1.0)) / count;
            let left = |index: usize| MARGIN + index as f32 * (width + GAP);
            all.iter().zip(0..).map(|(&c, index)| panel(left(index), lift, width, height, Channels::one(c))).collect()
        }
        Arrangement::Column => {
            let room = 1.0 - lift - 2.0 * MARGIN;
            let height = height.min((room - GAP * (count - 1.0)) / count).max(0.01);
            let bottom = |from_top: usize| lift + MARGIN + (all.len() - 1 - from_top) as f32 * (height + GAP);
            let left = 1.0 - MARGIN - COLUMN_WIDTH;
            let at = |(&c, index)| panel(left, bottom(index), COLUMN_WIDTH, height, Channels::one(c));
            all.iter().zip(0..).map(at).collect()
        }
    }
}

/// The overlays in a part of a view of `view` pixels, which other scopes leave them: arranged as on a view of their own that is
/// as high as they are.
#[must_use]
pub fn placed_in(components: Components, style: &OverlayStyle, area: PanelRect, view: (u32, u32)) -> Vec<Placed> {
    let alone = OverlayStyle { height: 1.0, lift: 0.0, ..*style };
    let extent = Vec2::new(view.0.max(1) as f32, view.1.max(1) as f32);
    let part = Vec2::new(area.width as f32, area.height as f32) / extent;
    let corner = Vec2::new(area.left as f32, extent.y - (area.top + area.height) as f32) / extent;
    let mut placed = placed(components, &alone);
    // What is beside the outermost ones is left to the other scopes' arrangement.
    let low = placed.iter().map(|panel| panel.origin).fold(Vec2::ONE, Vec2::min);
    let high = placed.iter().map(|panel| panel.origin + panel.size).fold(Vec2::ZERO, Vec2::max);
    let span = if style.arrangement == Arrangement::Column { COLUMN_WIDTH } else { high.x - low.x };
    let stretch = Vec2::new(1.0 / span, 1.0 / (high.y - low.y).max(0.01)) * part;
    for panel in &mut placed {
        panel.origin = corner + (panel.origin - low) * stretch;
        panel.size *= stretch;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Components; 2] = [Components::Rgbl, Components::YCbCr];

    fn style(arrangement: Arrangement) -> OverlayStyle {
        OverlayStyle { arrangement, ..OverlayStyle::default() }
    }

    #[test]
    fn the_pair_is_as_wide_and_high_as_said_and_does_not_touch() {
        let [left, right] = placed(Components::Rgbl, &OverlayStyle::default())[..] else { panic!("a pair is two") };
        for placed in [left, right] {
            assert!((placed.size - Vec2::new(0.9 * 0.5, 0.25)).length() < 1e-6);
        }
        assert!(left.origin.x + left.size.x < 0.5 && right.origin.x > 0.5);
    }

    #[test]
    fn every_arrangement_shows_every_channel_once_inside_the_view_without_overlaps() {
        for (components, arrangement) in BOTH.into_iter().flat_map(|c| Arrangement::ALL.map(|a| (c, a))) {
            for (height, lift) in [(0.25, 0.0), (0.05, 0.1), (1.0, 0.0), (0.9, 0.3)] {
                let panels = placed(components, &OverlayStyle { height, lift, ..style(arrangement) });
                let mut seen = Channels::NONE;
                for (index, panel) in panels.iter().enumerate() {
                    assert_eq!(seen.intersection(panel.channels), Channels::NONE, "{arrangement:?}");
                    seen = seen.union(panel.channels);
                    let (low, high) = (panel.origin, panel.origin + panel.size);
                    assert!(low.x > 0.0 && low.y >= lift && high.max_element() < 1.0001, "{arrangement:?} {panel:?}");
                    for other in &panels[..index] {
                        let apart = other.origin.x + other.size.x < low.x || high.x < other.origin.x;
                        let apart = apart || other.origin.y + other.size.y < low.y || high.y < other.origin.y;
                        assert!(apart, "{arrangement:?}: {panel:?} and {other:?}");
                    }
                }
                assert_eq!(seen.bits().count_ones() as usize, components.channel_names().len(), "{arrangement:?}");
            }
        }
    }

    #[test]
    fn a_parade_goes_from_left_to_right_and_a_column_from_top_to_bottom() {
        let parade = placed(Components::Rgbl, &style(Arrangement::Parade));
        assert!(parade.windows(2).all(|two| two[0].origin.x < two[1].origin.x));
        assert!(parade.iter().zip(0..).all(|(panel, channel)| panel.channels == Channels::one(channel)));
        let column = placed(Components::YCbCr, &style(Arrangement::Column));
        assert!(column.windows(2).all(|two| two[0].origin.y > two[1].origin.y));
        assert!(column.iter().all(|panel| panel.origin.x + panel.size.x > 0.95), "at the right edge");
    }

    #[test]
    fn a_part_of_the_view_is_filled_by_every_arrangement() {
        let (area, view) = (PanelRect { left: 100, top: 600, width: 400, height: 200 }, (1600, 900));
        for (components, arrangement) in BOTH.into_iter().flat_map(|c| Arrangement::ALL.map(|a| (c, a))) {
            let rects: Vec<_> = placed_in(components, &style(arrangement), area, view)
                .iter()
                .map(|placed| placed.pixels(view))
                .collect();
            let ends = |rect: &PanelRect| [rect.left, rect.left + rect.width, rect.top, rect.top + rect.height];
            let ends: Vec<_> = rects.iter().map(ends).collect();
            let least = |side: usize| ends.iter().map(|ends| ends[side]).min().unwrap();
            let most = |side: usize| ends.iter().map(|ends| ends[side]).max().unwrap();
            assert_eq!([least(0), most(1), least(2), most(3)], [100, 500, 600, 800], "{components:?} {arrangement:?}");
        }
    }

    #[test]
    fn figures_outside_their_limits_are_brought_inside() {
        let wild = OverlayStyle { height: f32::NAN, opacity: -3.0, lift: 7.0, ..OverlayStyle::default() };
        let tame = wild.clamped();
        assert_eq!((tame.height, tame.opacity, tame.lift), (0.25, 0.1, 0.5));
        let counts =
            [0, 2, 3, 100, 4096, 5000].map(|count| OverlayStyle { bins: Some(count), ..wild }.binning(8).count());
        assert_eq!(counts, [3, 3, 3, 100, 4096, 4096]);
        assert_eq!(OverlayStyle::default().clamped(), OverlayStyle::default());
    }

    #[test]
    fn a_style_survives_being_written_down() {
        let style = OverlayStyle { logarithmic: true, height: 0.5, bins: Some(100), ..style(Arrangement::Column) };
        let text = serde_json::to_string(&style).unwrap();
        assert!(text.contains("\"column\""), "{text}");
        assert_eq!(serde_json::from_str::<OverlayStyle>(&text).unwrap(), style);
        assert_eq!(serde_json::from_str::<OverlayStyle>("{}").unwrap(), OverlayStyle::default());
    }
}

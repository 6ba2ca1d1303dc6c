//! The shapes and colours of the histogram overlays: which panels exist, their positions, and what each shows. Pure
//! functions, for both the render pass and the pointer.

mod colors;
mod table;

use glam::Vec2;
use serde::{Deserialize, Serialize};

use super::binning::Binning;
use super::rect::PanelRect;
pub use colors::{
    BAR_OPACITY, LINEAR_LIGHT, OUTLINED_LIGHT, SCRIM_OPACITY, colors, graticule, guides, lights, line_pixels,
    linear_text,
};
use histoscope_core::histogram::{BIN_COUNTS, Components};

pub use table::{OverlapTable, Overlaps};

/// A set of the four channels, serialized as their letters: `rgbl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Channels(u32);

/// The letters of the channels in serialized form.
const LETTERS: [char; 4] = ['r', 'g', 'b', 'l'];

impl From<Channels> for String {
    fn from(channels: Channels) -> Self {
        channels.iter().map(|channel| LETTERS[channel]).collect()
    }
}

/// Ignores letters that name no channel.
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

    /// Returns the set of one channel.
    #[must_use]
    pub const fn one(channel: usize) -> Self {
        Self(1 << channel)
    }

    /// Returns `true` if the channel is in the set.
    #[must_use]
    pub const fn contains(self, channel: usize) -> bool {
        self.0 & (1 << channel) != 0
    }

    /// Returns `true` if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the channels in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the channels in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Adds a channel, or removes it if it is in the set.
    pub const fn toggle(&mut self, channel: usize) {
        self.0 ^= 1 << channel;
    }

    /// Returns the channels of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..4).filter(move |&channel| self.contains(channel))
    }

    /// Returns the set as bits: bit c is channel c.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }
}

/// The arrangement of the overlays on the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrangement {
    /// Colour on the left, lightness on the right, along the lower edge.
    #[default]
    Pair,
    /// One overlay with all channels along the lower edge.
    Combined,
    /// One overlay per channel, side by side along the lower edge.
    Parade,
    /// One overlay per channel, one above the other at the right edge.
    Column,
}

impl Arrangement {
    /// Every arrangement, in the order in which the user cycles through them.
    pub const ALL: [Self; 4] = [Self::Pair, Self::Combined, Self::Parade, Self::Column];

    /// Returns the name used in the configuration and in on-screen notes.
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

/// The scale of the bars' heights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", from = "KeptBarScale")]
pub enum BarScale {
    /// The tutorial's: the tallest bin touches the top, but bars taller than five times the mean bin are cut off.
    #[default]
    Tutorial = 0,
    /// The tallest bin touches the top.
    Peak = 1,
    /// log(1 + count) / log(1 + tallest): the tallest bin touches the top, and an empty one has no height.
    Logarithmic = 2,
}

impl BarScale {
    /// Every scale, in the order in which the user cycles through them.
    pub const ALL: [Self; 3] = [Self::Tutorial, Self::Peak, Self::Logarithmic];

    /// Returns the name used in on-screen notes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tutorial => "cut off at five times the mean",
            Self::Peak => "to the peak",
            Self::Logarithmic => "logarithmic",
        }
    }

    /// Returns the scale in words, for captions.
    #[must_use]
    pub fn text(self) -> String {
        format!("bar heights {}", self.name())
    }

    /// Returns the height of a bar for a number of samples, where 1 is the overlay's height. Larger values are cut off.
    /// `factor` is the tutorial's scale, and `tallest` the count of the tallest bin.
    #[must_use]
    pub fn part(self, count: u32, factor: f32, tallest: u32) -> f32 {
        let tallest = tallest.max(1) as f32;
        match self {
            Self::Tutorial => count as f32 * factor,
            Self::Peak => count as f32 / tallest,
            Self::Logarithmic => (1.0 + count as f32).ln() / (1.0 + tallest).ln(),
        }
    }
}

/// A scale as it is kept between runs.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum KeptBarScale {
    Tutorial,
    Peak,
    Logarithmic,
    /// As version 0.2 wrote it.
    #[serde(untagged)]
    IsLogarithmic(bool),
}

impl From<KeptBarScale> for BarScale {
    fn from(kept: KeptBarScale) -> Self {
        match kept {
            KeptBarScale::Tutorial | KeptBarScale::IsLogarithmic(false) => Self::Tutorial,
            KeptBarScale::Peak => Self::Peak,
            KeptBarScale::Logarithmic | KeptBarScale::IsLogarithmic(true) => Self::Logarithmic,
        }
    }
}

/// The appearance of the overlays.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OverlayStyle {
    /// The arrangement on the view.
    pub arrangement: Arrangement,
    /// Height of an overlay, as a fraction of the view; kept within [`Self::HEIGHTS`].
    pub height: f32,
    /// Opacity, where 1 is the designed opacity; kept within [`Self::OPACITIES`].
    pub opacity: f32,
    /// The scale of the bars' heights.
    #[serde(alias = "logarithmic")]
    pub scale: BarScale,
    /// `true` if the picture behind the overlays is blurred, so that the bars are legible on any picture.
    pub backdrop: bool,
    /// Bins per channel, or `None` for one per code. Kept within [`BIN_COUNTS`].
    pub bins: Option<u32>,
    /// `true` if the luminance of linear light is drawn in addition to that of the codes.
    pub linear_luminance: bool,
    /// The source of the colours of overlaps.
    pub overlaps: Overlaps,
    /// The colours for [`Overlaps::Table`].
    pub overlap_table: OverlapTable,
    /// Fraction of the view left free below the overlays, for controls.
    #[serde(skip)]
    pub lift: f32,
}

impl Default for OverlayStyle {
    fn default() -> Self {
        Self {
            arrangement: Arrangement::Pair,
            height: 0.25,
            opacity: 1.0,
            scale: BarScale::Tutorial,
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
    /// Valid heights, as fractions of the view.
    pub const HEIGHTS: std::ops::RangeInclusive<f32> = 0.05..=1.0;
    /// Valid opacities.
    pub const OPACITIES: std::ops::RangeInclusive<f32> = 0.1..=1.0;

    /// Returns the style with every value clamped to its limits; NaN becomes the default.
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

    /// Returns the binning in which codes of `bits` bits are drawn.
    #[must_use]
    pub fn binning(&self, bits: u32) -> Binning {
        Binning::new(bits, self.clamped().bins)
    }
}

/// The position of an overlay, in fractions of the view from its bottom left corner, and its channels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// Bottom left corner.
    pub origin: Vec2,
    /// Width and height.
    pub size: Vec2,
    /// The overlay's channels, whether switched on or off.
    pub channels: Channels,
}

/// Distance of the overlays from the view's edges, as a fraction of its width.
pub const MARGIN: f32 = 0.025;
/// The most that this distance takes of the height of a very wide view.
const MOST_MARGIN: f32 = 0.1;
/// Views lower than this many pixels have no margin below the overlays.
const LOW_VIEW: u32 = 360;
/// Gap between two overlays of a parade or a column.
const GAP: f32 = 0.015;
/// Width of both overlays of a pair.
pub const PAIR_WIDTH: f32 = 0.9;
/// Width of a column.
pub const COLUMN_WIDTH: f32 = 0.25;

/// Returns the distance of the overlays from the lower edge of a view of `view` pixels, as a fraction of its height. In
/// pixels, it is the same as their distance from the other edges; low views have no room for it.
#[must_use]
pub fn margin_below(view: (u32, u32)) -> f32 {
    if view.1 < LOW_VIEW {
        return 0.0;
    }
    (MARGIN * view.0.max(1) as f32 / view.1.max(1) as f32).min(MOST_MARGIN)
}

/// Returns the positions of the overlays on a view of `view` pixels, in reading order.
///
/// Each overlay of a pair is 0.9 of half the view's width; a combined one, or all of a parade, take 0.95 of the width.
/// They are as far from the lower edge as from the others, or `lift` higher. A column stands at the right edge; its
/// overlays have the given `height`, or less if they would not fit.
#[must_use]
pub fn placed(components: Components, style: &OverlayStyle, view: (u32, u32)) -> Vec<Placed> {
    let OverlayStyle { arrangement, height, lift, .. } = style.clamped();
    let below = lift + margin_below(view);
    let height = height.min(1.0 - below);
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
            let width = 0.5 * PAIR_WIDTH;
            vec![panel(MARGIN, below, width, height, colour), panel(0.525, below, width, height, lightness)]
        }
        Arrangement::Combined => vec![panel(MARGIN, below, full, height, colour.union(lightness))],
        Arrangement::Parade => {
            let width = (full - GAP * (count - 1.0)) / count;
            let left = |index: usize| MARGIN + index as f32 * (width + GAP);
            all.iter().zip(0..).map(|(&c, index)| panel(left(index), below, width, height, Channels::one(c))).collect()
        }
        Arrangement::Column => {
            let room = 1.0 - below - margin_below(view);
            let height = height.min((room - GAP * (count - 1.0)) / count).max(0.01);
            let bottom = |from_top: usize| below + (all.len() - 1 - from_top) as f32 * (height + GAP);
            let left = 1.0 - MARGIN - COLUMN_WIDTH;
            let at = |(&c, index)| panel(left, bottom(index), COLUMN_WIDTH, height, Channels::one(c));
            all.iter().zip(0..).map(at).collect()
        }
    }
}

/// Returns the positions of the overlays in the area of a view of `view` pixels that the other scopes leave them. They
/// are arranged as on a separate view as high as the area.
#[must_use]
pub fn placed_in(components: Components, style: &OverlayStyle, area: PanelRect, view: (u32, u32)) -> Vec<Placed> {
    let alone = OverlayStyle { height: 1.0, lift: 0.0, ..*style };
    let extent = Vec2::new(view.0.max(1) as f32, view.1.max(1) as f32);
    let part = Vec2::new(area.width as f32, area.height as f32) / extent;
    let corner = Vec2::new(area.left as f32, extent.y - (area.top + area.height) as f32) / extent;
    let mut placed = placed(components, &alone, view);
    // The margins outside the outermost overlays are left to the arrangement of the other scopes.
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
    fn the_pair_has_the_documented_size_and_a_gap() {
        let [left, right] = placed(Components::Rgbl, &OverlayStyle::default(), (640, 360))[..] else {
            panic!("a pair is two")
        };
        for placed in [left, right] {
            assert!((placed.size - Vec2::new(0.9 * 0.5, 0.25)).length() < 1e-6);
        }
        assert!(left.origin.x + left.size.x < 0.5 && right.origin.x > 0.5);
    }

    #[test]
    fn every_arrangement_shows_every_channel_once_inside_the_view_without_overlaps() {
        for (components, arrangement) in BOTH.into_iter().flat_map(|c| Arrangement::ALL.map(|a| (c, a))) {
            for (height, lift) in [(0.25, 0.0), (0.05, 0.1), (1.0, 0.0), (0.9, 0.3)] {
                let panels = placed(components, &OverlayStyle { height, lift, ..style(arrangement) }, (1280, 720));
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
        let parade = placed(Components::Rgbl, &style(Arrangement::Parade), (1280, 720));
        assert!(parade.windows(2).all(|two| two[0].origin.x < two[1].origin.x));
        assert!(parade.iter().zip(0..).all(|(panel, channel)| panel.channels == Channels::one(channel)));
        let column = placed(Components::YCbCr, &style(Arrangement::Column), (1280, 720));
        assert!(column.windows(2).all(|two| two[0].origin.y > two[1].origin.y));
        assert!(column.iter().all(|panel| panel.origin.x + panel.size.x > 0.95), "at the right edge");
    }

    #[test]
    fn every_arrangement_fills_its_area() {
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
    fn values_outside_their_limits_are_clamped() {
        let wild = OverlayStyle { height: f32::NAN, opacity: -3.0, lift: 7.0, ..OverlayStyle::default() };
        let tame = wild.clamped();
        assert_eq!((tame.height, tame.opacity, tame.lift), (0.25, 0.1, 0.5));
        let counts =
            [0, 2, 3, 100, 4096, 5000].map(|count| OverlayStyle { bins: Some(count), ..wild }.binning(8).count());
        assert_eq!(counts, [3, 3, 3, 100, 4096, 4096]);
        assert_eq!(OverlayStyle::default().clamped(), OverlayStyle::default());
    }

    #[test]
    fn a_style_round_trips_through_serialization() {
        let style = OverlayStyle { scale: BarScale::Peak, height: 0.5, bins: Some(100), ..style(Arrangement::Column) };
        let text = serde_json::to_string(&style).unwrap();
        assert!(text.contains("\"column\""), "{text}");
        assert_eq!(serde_json::from_str::<OverlayStyle>(&text).unwrap(), style);
        assert_eq!(serde_json::from_str::<OverlayStyle>("{}").unwrap(), OverlayStyle::default());
    }
}

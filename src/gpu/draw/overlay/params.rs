//! What the overlays' shaders are told.

use crate::gpu::params::PanelParams;
use crate::histogram::Components;
use crate::picture::color::Range;
use crate::view::lamps;
use crate::view::overlay::{
    BAR_OPACITY, Channels, OUTLINED_LIGHT, SCRIM_OPACITY, WHITENING, graticule, guides, lights, line_pixels,
};
use crate::view::panel::PanelRect;
use crate::view::scene::{NO_BIN, Scene};

/// A column that does not exist: the place of a line that is not drawn.
const NOWHERE: u32 = u32::MAX;

/// What the overlays are to show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverlayContent {
    /// n: a channel has 2^n bins.
    pub bits: u32,
    /// What was counted.
    pub components: Components,
    /// The range that the codes are in.
    pub range: Range,
    /// Whether another picture's bins are drawn as outlines.
    pub outlined: bool,
    /// Columns and rows of the blurred picture that lies behind, if one does.
    pub backdrop: Option<(u32, u32)>,
}

/// What the shaders are told of one overlay.
pub(super) fn panel_params(
    rect: PanelRect,
    channels: Channels,
    shown: &OverlayContent,
    scene: &Scene,
    view: (u32, u32),
    first_column: u32,
) -> PanelParams {
    let OverlayContent { bits, components, range, outlined, backdrop } = *shown;
    let style = scene.style.clamped();
    let line = line_pixels(view);
    // A line of that thickness stands on the middle of its bin's columns, and inside the overlay.
    let begin = |code: u32, thickness: u32| {
        let (first, last) = rect.columns_of_bin(code, bits);
        (first + last).div_ceil(2).saturating_sub(thickness / 2).min(rect.width.saturating_sub(thickness))
    };
    let limits = guides(components, range, channels, bits);
    let brush = scene.brush.filter(|brush| !channels.intersection(brush.channels).is_empty());
    let mark = |channel: usize| match scene.marks.map_or(NO_BIN, |marks| marks[channel]) {
        bin if bin >> bits == 0 && channels.contains(channel) => begin(bin, line + 1),
        _ => NOWHERE,
    };
    let eighths = graticule(bits).map(|code| begin(code, line));
    PanelParams {
        view: [view.0, view.1],
        origin: [rect.left, rect.top],
        size: [rect.width, rect.height],
        first_column,
        channels: channels.bits(),
        logarithmic: style.logarithmic.into(),
        line,
        notch: rect.notch(),
        opacity: style.opacity,
        lights: lights(components).map(|[r, g, b]| [r, g, b, 1.0]),
        bars: BAR_OPACITY,
        scrim: SCRIM_OPACITY,
        whiten: if components == Components::Rgbl { WHITENING } else { 0.0 },
        brushed: brush.map_or(0, |brush| channels.intersection(brush.channels).bits()),
        brush: brush.map_or([0, NOWHERE], |brush| {
            [rect.columns_of_bin(brush.low, bits).0, rect.columns_of_bin(brush.high, bits).1]
        }),
        guides: std::array::from_fn(|i| limits.get(i).map_or(NOWHERE, |&code| begin(code, line))),
        marks: std::array::from_fn(mark),
        graticule: std::array::from_fn(|i| eighths.get(i).copied().unwrap_or(NOWHERE)),
        outlined: outlined.into(),
        curved: scene.curves.into(),
        light: if outlined { OUTLINED_LIGHT } else { 1.0 },
        stroke: stroke_pixels(view),
        backdrop: backdrop.map_or([0; 2], Into::into),
        cap: rect.notch() / 3,
        lamp: lamps::side(&rect),
    }
}

/// Half the thickness of outlines and curves: a pixel where a line has one.
fn stroke_pixels(view: (u32, u32)) -> f32 {
    (view.1 as f32 / 1080.0).clamp(0.75, 16.0)
}

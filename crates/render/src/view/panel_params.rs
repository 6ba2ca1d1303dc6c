//! The parameters for drawing an overlay, for both the adapter's shaders and the CPU.

use bytemuck::{Pod, Zeroable};

use super::clip_indicators;
use super::overlay::{
    BAR_OPACITY, Channels, LINEAR_LIGHT, OUTLINED_LIGHT, Overlaps, OverlayStyle, SCRIM_OPACITY, graticule, guides,
    lights, line_pixels,
};
use super::panel::{PanelRect, panels};
use super::scene::{NO_BIN, Scene};
use histoscope_core::histogram::Components;
use histoscope_core::picture::color::Range;

/// A column that does not exist: the position of a line that is not drawn.
const NOWHERE: u32 = u32::MAX;

/// `Panel` of shaders/panel.wgsl: one overlay. Columns are counted from its left edge.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct PanelParams {
    /// Size of the view in pixels.
    pub view: [u32; 2],
    /// The overlay's top left pixel.
    pub origin: [u32; 2],
    /// Number of columns and rows.
    pub size: [u32; 2],
    /// Index of its first column among the columns of all overlays.
    pub first_column: u32,
    /// Shown channels: bit c is channel c.
    pub channels: u32,
    /// The scale of the bars' heights: a [`BarScale`](super::overlay::BarScale).
    pub scale: u32,
    /// Thickness of lines in pixels.
    pub line: u32,
    /// Rows of the mark at the top of a clipped bar.
    pub notch: u32,
    /// Opacity of the whole overlay.
    pub opacity: f32,
    /// Colours of the bars.
    pub lights: [[f32; 4]; 4],
    /// Opacity of the bars.
    pub bars: f32,
    /// Opacity of the area that no bar reaches.
    pub scrim: f32,
    /// `true` if the last channel is drawn as a line over the bars of the others.
    pub traced: u32,
    /// Bit mask of the channels with a brushed range.
    pub brushed: u32,
    /// First and last column of the brushed range.
    pub brush: [u32; 2],
    /// Columns of the legal levels; `u32::MAX` for none.
    pub guides: [u32; 2],
    /// Columns of a probed pixel's bins, channel by channel; `u32::MAX` for none.
    pub marks: [u32; 4],
    /// Columns of the eighths of the codes; `u32::MAX` for none.
    pub graticule: [u32; 8],
    /// The bins drawn as outlines: 0 none, 1 those of another picture, on the same scale as the bars, 2 those of the
    /// whole of which the bars are a part, on their own scale.
    pub outlined: u32,
    /// `true` if the cumulative histograms are drawn as curves.
    pub curved: u32,
    /// Brightness factor of the bars if there are outlines.
    pub light: f32,
    /// Half the thickness of outlines and curves in pixels.
    pub stroke: f32,
    /// Columns and rows of the blurred backdrop; 0 if there is none.
    pub backdrop: [u32; 2],
    /// Rows of the cap on a clipped bar, and columns that it extends to either side.
    pub cap: u32,
    /// Side of a clip indicator in pixels; 0 if there are none.
    pub indicator: u32,
    /// Colours of points by the set of bars that reach them; the last part is 0 if bars mix like light.
    pub overlaps: [[f32; 4]; 16],
    /// Colour of the line for the luminance of linear light; its last part is 0 if there is none.
    pub linear: [f32; 4],
}

const _: () = assert!(size_of::<PanelParams>() == 496);

/// The bins drawn as outlines in addition to the bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outlined {
    /// None.
    None,
    /// Those of another picture. Both have the same scale, so that they can be compared.
    Other,
    /// Those of the whole of which the bars are a part. Each has its own scale, so that the shape of a small part is
    /// visible.
    Whole,
}

/// The content of the overlays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverlayContent {
    /// n: a channel has 2^n bins.
    pub bits: u32,
    /// The counted components.
    pub components: Components,
    /// The range of the codes.
    pub range: Range,
    /// The bins drawn as outlines.
    pub outlined: Outlined,
    /// `true` if the luminance of linear light is available.
    pub linear: bool,
    /// Columns and rows of the blurred backdrop, if there is one.
    pub backdrop: Option<(u32, u32)>,
}

/// Returns the rectangle and the parameters of each overlay shown on a view of `view` pixels. Columns are numbered
/// consecutively across the overlays.
#[must_use]
pub fn shown_panels(shown: &OverlayContent, scene: &Scene, view: (u32, u32)) -> Vec<(PanelRect, PanelParams)> {
    let mut first_column = 0;
    let panel = |(_, rect, channels): (usize, PanelRect, Channels)| {
        let params = panel_params(rect, channels, shown, scene, view, first_column);
        first_column += rect.width;
        (rect, params)
    };
    panels(scene, shown.components, view).map(panel).collect()
}

fn panel_params(
    rect: PanelRect,
    channels: Channels,
    shown: &OverlayContent,
    scene: &Scene,
    view: (u32, u32),
    first_column: u32,
) -> PanelParams {
    let OverlayContent { bits, components, range, outlined, linear, backdrop } = *shown;
    let style = scene.look.histograms.clamped();
    let (line, binning) = (line_pixels(view), scene.look.histograms.binning(bits));
    // Centres a line of that thickness on these columns, within the overlay.
    let on = |(first, last): (u32, u32), thickness: u32| {
        (first + last).div_ceil(2).saturating_sub(thickness / 2).min(rect.width.saturating_sub(thickness))
    };
    // The axis is that of the codes, regardless of the number of bins.
    let begin = |code: u32, thickness: u32| on(rect.columns_of_bin(code, 1 << bits), thickness);
    let [r, g, b] = LINEAR_LIGHT;
    let limits = guides(components, range, channels, bits);
    let brush = scene.brushes.histogram.filter(|brush| !channels.intersection(brush.channels).is_empty());
    let mark = |channel: usize| match scene.marks.map_or(NO_BIN, |marks| marks[channel]) {
        // If there are more bins than codes, a code's bin is narrower than its position on the axis; mark the bar
        // itself.
        code if code >> bits == 0 && channels.contains(channel) && binning.count() > 1 << bits => {
            on(rect.columns_of_bin(binning.bin_of(code), binning.count()), line + 1)
        }
        code if code >> bits == 0 && channels.contains(channel) => begin(code, line + 1),
        _ => NOWHERE,
    };
    let eighths = graticule(bits).map(|code| begin(code, line));
    PanelParams {
        view: [view.0, view.1],
        origin: [rect.left, rect.top],
        size: [rect.width, rect.height],
        first_column,
        channels: channels.bits(),
        scale: style.scale as u32,
        line,
        notch: rect.notch(),
        opacity: style.opacity,
        lights: lights(components).map(|[r, g, b]| [r, g, b, 1.0]),
        bars: BAR_OPACITY,
        scrim: SCRIM_OPACITY,
        traced: is_traced(components, &style, channels).into(),
        brushed: brush.map_or(0, |brush| channels.intersection(brush.channels).bits()),
        brush: brush.map_or([0, NOWHERE], |brush| {
            let (first, last) = rect.columns_of_codes((brush.low, brush.high), binning);
            [first, last]
        }),
        guides: std::array::from_fn(|i| limits.get(i).map_or(NOWHERE, |&code| begin(code, line))),
        marks: std::array::from_fn(mark),
        graticule: std::array::from_fn(|i| eighths.get(i).copied().unwrap_or(NOWHERE)),
        outlined: outlined as u32,
        curved: scene.look.curves.into(),
        light: if outlined == Outlined::Other { OUTLINED_LIGHT } else { 1.0 },
        stroke: stroke_pixels(view),
        backdrop: backdrop.map_or([0; 2], Into::into),
        cap: rect.notch() / 3,
        indicator: clip_indicators::side(&rect),
        overlaps: overlap_colors(&style),
        linear: if linear && channels.contains(3) { [r, g, b, 1.0] } else { [0.0; 4] },
    }
}

/// Returns `true` if luminance is drawn as a line: together with colours, its bars would hide theirs. With the table,
/// each set of bars has a colour, as in the tutorial.
fn is_traced(components: Components, style: &OverlayStyle, channels: Channels) -> bool {
    let is_with_colors = channels.contains(3) && (0..3).any(|channel| channels.contains(channel));
    components == Components::Rgbl && style.overlaps == Overlaps::Light && is_with_colors
}

/// Returns `true` if an overlay shown on a view of `view` pixels draws luminance as a line.
#[must_use]
pub fn has_trace(scene: &Scene, components: Components, view: (u32, u32)) -> bool {
    panels(scene, components, view).any(|(_, _, shown)| is_traced(components, &scene.look.histograms, shown))
}

/// Returns the colours of the table, or zeros if bars mix like light.
fn overlap_colors(style: &OverlayStyle) -> [[f32; 4]; 16] {
    if style.overlaps == Overlaps::Light {
        return [[0.0; 4]; 16];
    }
    style.overlap_table.0.map(|[r, g, b]| {
        let [r, g, b] = [r, g, b].map(|part| f32::from(part) / 255.0);
        [r, g, b, 1.0]
    })
}

/// Returns half the thickness of outlines and curves: a pixel if lines are one pixel thick.
fn stroke_pixels(view: (u32, u32)) -> f32 {
    (view.1 as f32 / 1080.0).clamp(0.75, 16.0)
}

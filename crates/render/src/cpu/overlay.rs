//! Paints the histogram overlays over the rows of a view, on the CPU. Bars, lines, caps, clip indicators and frames
//! look as in shaders/columns.wgsl and shaders/overlay.wgsl. Only the shaders draw lines and the blurred backdrop.

use crate::view::binning::Binning;
use crate::view::overlay::BarScale;
use crate::view::panel::PanelRect;
use crate::view::panel_params::PanelParams;
use histoscope_core::histogram::{CHANNELS, Histogram, vertical_scale};

/// Bands per column.
const BANDS: usize = CHANNELS + 1;
/// Same values as in the shaders: opacity of the gap in a clipped bar, brightness factor of unselected bars, opacity of
/// the frame, and strength of the graticule's lines at the odd and at the even eighths.
const GAP: f32 = 0.85;
const UNSELECTED: f32 = 0.22;
const FRAME: f32 = 0.8;
const MINOR_LINE: f32 = 0.10;
const MAJOR_LINE: f32 = 0.18;

/// A colour in the byte order of a pixel, premultiplied by its opacity, which comes last.
type Color = [f32; 4];

/// An overlay, ready to be painted.
#[derive(Debug)]
pub struct Overlay {
    panel: PanelParams,
    /// Heights in pixels at which the bands of each column end, in ascending order; the last band has no end.
    ends: [Vec<u32>; CHANNELS],
    /// Colours of the bands.
    colors: [Vec<u32>; BANDS],
    /// `true` for the columns in which a cap lies on a clipped bar.
    capped: Vec<bool>,
    /// Bit masks of the channels whose clip indicators are lit, at the lowest and at the highest code.
    lit: [u32; 2],
}

/// The input for the bars of an overlay.
struct BarSource<'a> {
    panel: &'a PanelParams,
    histogram: &'a Histogram,
    /// The bins to draw, channel by channel.
    bins: [Vec<u32>; CHANNELS],
    rect: PanelRect,
    /// Height of a bar per count, as a fraction of the overlay's height, and the count of the tallest bin.
    scales: [(f32, u32); CHANNELS],
}

impl Overlay {
    /// Creates the overlay of a histogram, drawn with that binning. `swaps_red_and_blue` is `true` if a pixel's first
    /// byte is blue.
    #[must_use]
    pub fn new(mut panel: PanelParams, histogram: &Histogram, binning: Binning, swaps_red_and_blue: bool) -> Self {
        if swaps_red_and_blue {
            panel.lights.iter_mut().chain(&mut panel.overlaps).for_each(|light| light.swap(0, 2));
        }
        let [width, height] = panel.size;
        let bins: [_; CHANNELS] = std::array::from_fn(|channel| binning.regrouped(histogram.bins(channel)));
        let bars = BarSource {
            panel: &panel,
            histogram,
            rect: PanelRect { left: panel.origin[0], top: panel.origin[1], width, height },
            scales: bins.each_ref().map(|bins| (vertical_scale(bins), bins.iter().copied().max().unwrap_or(0))),
            bins,
        };
        let mut ends: [Vec<u32>; CHANNELS] = Default::default();
        let mut colors: [Vec<u32>; BANDS] = Default::default();
        let mut clipped = Vec::new();
        for column in 0..width {
            let column = bars.column(column);
            ends.iter_mut().zip(column.ends).for_each(|(ends, end)| ends.push(end));
            colors.iter_mut().zip(column.colors).for_each(|(colors, color)| colors.push(packed(color)));
            clipped.push(column.is_clipped);
        }
        // A cap extends as far to either side as it is high.
        let reach = panel.cap as usize;
        let around = |at: usize| clipped[at.saturating_sub(reach)..].iter().take(at.min(reach) + 1 + reach);
        let capped = (0..clipped.len()).map(|at| around(at).any(|&is| is)).collect();
        let lit = bars.indicators();
        Self { panel, ends, colors, capped, lit }
    }

    /// Paints the part of the overlay that lies in row `y` of the view over that row.
    #[inline(always)]
    pub fn paint(&self, y: usize, pixels: &mut [u32]) {
        let PanelParams { origin: [left, top], size: [width, height], line, opacity, .. } = self.panel;
        let y = y as u32;
        if y + line < top || y >= top + height + line {
            return;
        }
        let frame = packed([0.0, 0.0, 0.0, FRAME * opacity]);
        // A view may be smaller than the minimum size of an overlay.
        let column = |at: u32| (at as usize).min(pixels.len());
        let outer = column(left.saturating_sub(line))..column(left + width + line);
        let (left, right) = (column(left), column(left + width));
        if y < top || y >= top + height {
            return pixels[outer].iter_mut().for_each(|pixel| *pixel = blended(frame, *pixel));
        }
        pixels[outer.start..left].iter_mut().for_each(|pixel| *pixel = blended(frame, *pixel));
        pixels[right..outer.end].iter_mut().for_each(|pixel| *pixel = blended(frame, *pixel));
        self.paint_row(y - top, &mut pixels[left..right]);
    }

    /// Paints the visible part of a row of the overlay, counted from its top.
    #[inline(always)]
    fn paint_row(&self, from_top: u32, pixels: &mut [u32]) {
        let PanelParams { size: [width, height], line, notch, cap, indicator, .. } = self.panel;
        let row = height - 1 - from_top;
        let strength = (1..4).rev().find(|quarter| row.wrapping_sub(height * quarter / 4) < line);
        let strength = strength.map_or(0.0, |quarter| if quarter == 2 { MAJOR_LINE } else { MINOR_LINE });
        let indicators_end = notch + CHANNELS as u32 * (indicator + line) + 2 * line;
        let apart = if from_top < cap || strength > 0.0 {
            width
        } else if self.lit != [0; 2] && from_top < indicators_end {
            (indicator + 2 * line + 1).min(width)
        } else {
            0
        };
        // Pixels at the ends, or in a row with a cap or line, are composed one by one.
        let begin = (apart as usize).min(pixels.len());
        let end = ((width - apart) as usize).clamp(begin, pixels.len());
        for at in (0..begin).chain(end..pixels.len()) {
            let shown = self.shown(at, row, strength);
            pixels[at] = blended(packed(shown), pixels[at]);
        }
        let [a, b, c, d] = self.ends.each_ref().map(|ends| &ends[begin..end]);
        let [color_a, color_b, color_c, color_d, color_e] = self.colors.each_ref().map(|colors| &colors[begin..end]);
        let pixels = &mut pixels[begin..end];
        for at in 0..pixels.len() {
            let color = if row >= a[at] { color_b[at] } else { color_a[at] };
            let color = if row >= b[at] { color_c[at] } else { color };
            let color = if row >= c[at] { color_d[at] } else { color };
            let color = if row >= d[at] { color_e[at] } else { color };
            pixels[at] = blended(color, pixels[at]);
        }
    }

    /// Returns the colour of the overlay at a column in a row counted from the bottom. `strength` is that of the
    /// horizontal line there.
    fn shown(&self, column: usize, row: u32, strength: f32) -> Color {
        let panel = &self.panel;
        let band = self.ends.iter().filter(|ends| row >= ends[column]).count();
        let color = unpacked(self.colors[band][column]);
        let line = graticule(strength, band + 1 < BANDS);
        let mut shown: Color = std::array::from_fn(|i| line[i] * panel.opacity + color[i] * (1.0 - strength));
        let from_top = panel.size[1] - 1 - row;
        if self.capped[column] && from_top < panel.cap {
            shown = [panel.opacity; 4];
        }
        let column = column as u32;
        let is_right = 2 * column >= panel.size[0];
        let from_end = if is_right { panel.size[0] - 1 - column } else { column };
        self.indicators_over(self.lit[usize::from(is_right)], from_end, from_top, shown)
    }

    /// Draws the lit clip indicators of one end over the colour `below`. `column` counts from that end, `row` from the
    /// top.
    fn indicators_over(&self, lit: u32, column: u32, row: u32, below: Color) -> Color {
        let PanelParams { channels, line, indicator, notch, opacity, lights, .. } = self.panel;
        let mut color = below;
        let shown = (0..CHANNELS).filter(|channel| channels & (1 << channel) != 0);
        for (place, channel) in (0..).zip(shown).filter(|(_, channel)| lit & (1 << channel) != 0) {
            let top = notch + line + place * (indicator + line);
            let is_inside = (line..line + indicator).contains(&column) && (top..top + indicator).contains(&row);
            if is_inside {
                let [r, g, b, _] = lights[channel];
                return [r, g, b, 1.0].map(|part| part * opacity);
            }
            if column < 2 * line + indicator && row + line >= top && row < top + indicator + line {
                color = [0.0, 0.0, 0.0, opacity];
            }
        }
        color
    }
}

/// The bands of one column.
struct OverlayColumn {
    ends: [u32; CHANNELS],
    colors: [Color; BANDS],
    is_clipped: bool,
}

impl BarSource<'_> {
    fn column(&self, column: u32) -> OverlayColumn {
        let PanelParams { size: [_, height], notch, opacity, .. } = *self.panel;
        let mut heights = [0; CHANNELS];
        for (channel, bar) in heights.iter_mut().enumerate().filter(|(channel, _)| self.is_shown(*channel)) {
            *bar = self.bar(channel, column);
        }
        // A bar that extends beyond the top is cut off: the bars end below a dark gap with a light cap above it.
        let is_clipped = heights.iter().any(|&bar| bar > height);
        let heights = heights.map(|bar| bar.min(if is_clipped { height - notch } else { height }));
        let mut ends = heights;
        ends.sort_unstable();
        let colors = std::array::from_fn(|band| {
            let color = if band + 1 < BANDS || !is_clipped {
                let begin = if band == 0 { 0 } else { ends[band - 1] };
                self.marked(column, self.colored(column, heights.map(|bar| begin < bar)))
            } else {
                [0.0, 0.0, 0.0, GAP]
            };
            color.map(|part| part * opacity)
        });
        OverlayColumn { ends, colors, is_clipped }
    }

    fn is_shown(&self, channel: usize) -> bool {
        self.panel.channels & (1 << channel) != 0
    }

    /// Returns the height in pixels of the tallest of a channel's bars in a column, or more than the overlay's height
    /// if it is clipped.
    fn bar(&self, channel: usize, column: u32) -> u32 {
        let height = self.panel.size[1];
        let bins = &self.bins[channel];
        let (first, last) = self.rect.bins_of_column(column, bins.len() as u32);
        let count = bins[first as usize..=last as usize].iter().copied().max().unwrap_or(0);
        if count == 0 {
            return 0;
        }
        let (scale, tallest) = self.scales[channel];
        let bar_scale = BarScale::ALL.get(self.panel.scale as usize).copied().unwrap_or_default();
        let part = bar_scale.part(count, scale, tallest);
        // The scale is rounded, so a bar that just touches the top may come out slightly above it.
        if part > 1.0001 {
            return height + 1;
        }
        // A single pixel of the picture still shows: a bar that is not empty is at least one pixel high.
        ((part * height as f32 + 0.5) as u32).clamp(1, height.max(1))
    }

    /// Returns the colour at a point reached by the bars of these channels.
    fn mixed(&self, reached: [bool; CHANNELS]) -> [f32; 3] {
        if self.panel.overlaps[0][3] > 0.0 {
            let set = (0..CHANNELS).filter(|&channel| reached[channel]).map(|channel| 1 << channel).sum::<usize>();
            let [r, g, b, _] = self.panel.overlaps[set];
            return [r, g, b];
        }
        let mut light = [0.0_f32; 3];
        for (of, _) in self.panel.lights.iter().zip(reached).filter(|(_, is_reached)| *is_reached) {
            light = std::array::from_fn(|i| light[i].max(of[i]));
        }
        light
    }

    /// Returns the colour of a band with the vertical lines of its column.
    fn colored(&self, column: u32, reached: [bool; CHANNELS]) -> Color {
        let panel = self.panel;
        let on_bar = reached.contains(&true);
        // Grays are opaque, since the picture would tint them.
        let barred = |light: [f32; 3]| {
            let is_gray = light == [light[0]; 3];
            let [r, g, b] = light.map(|part| part * panel.bars * panel.light);
            [r, g, b, if is_gray { 1.0 } else { panel.bars }]
        };
        let [r, g, b, _] = panel.overlaps[0].map(|part| part * panel.scrim);
        let mut color = if on_bar { barred(self.mixed(reached)) } else { [r, g, b, panel.scrim] };
        if panel.brushed != 0 {
            if !(panel.brush[0]..=panel.brush[1]).contains(&column) {
                color[..3].iter_mut().for_each(|part| *part *= UNSELECTED);
            } else if on_bar {
                // Bars of unbrushed channels stay dim next to the brushed ones.
                let chosen = std::array::from_fn(|c| reached[c] && panel.brushed & (1 << c) != 0);
                let (bright, dim) = (self.mixed(chosen), self.mixed(reached));
                color = barred(std::array::from_fn(|i| bright[i].max(dim[i] * UNSELECTED)));
            } else {
                color = over([0.16; 4], color);
            }
        }
        for (number, &begin) in panel.graticule[..7].iter().enumerate() {
            if self.is_on_line(column, begin) {
                color = over(graticule(if number % 2 == 1 { MAJOR_LINE } else { MINOR_LINE }, on_bar), color);
            }
        }
        if panel.guides.iter().any(|&begin| self.is_on_line(column, begin)) {
            let level = if on_bar { 0.1 } else { 0.75 };
            color = [level, level, level, 1.0];
        }
        color
    }

    /// Returns `true` if a line that begins at column `begin` covers `column`.
    fn is_on_line(&self, column: u32, begin: u32) -> bool {
        column >= begin && column - begin < self.panel.line
    }

    /// Draws the marks of a probed pixel: bright, a pixel thicker than other lines, between dark edges for contrast.
    fn marked(&self, column: u32, bare: Color) -> Color {
        let PanelParams { size: [width, _], line, marks, .. } = *self.panel;
        let exists = |begin: u32| begin < width;
        let here = marks.map(|begin| exists(begin) && (begin..begin + line + 1).contains(&column));
        if here.contains(&true) {
            let [r, g, b] = self.mixed(here).map(|part| mix(part, 1.0, 0.55));
            return [r, g, b, 1.0];
        }
        if marks.iter().any(|&begin| exists(begin) && column + line >= begin && column < begin + 2 * line + 1) {
            return over([0.0, 0.0, 0.0, 0.7], bare);
        }
        bare
    }

    /// Returns the lit clip indicators: those of channels with more than a thousandth of their samples in the outermost
    /// code.
    fn indicators(&self) -> [u32; 2] {
        let mut lit = [0; 2];
        for channel in (0..CHANNELS).filter(|&channel| self.is_shown(channel)) {
            let bins = self.histogram.bins(channel);
            let tolerated = bins.iter().map(|&count| u64::from(count)).sum::<u64>() / 1000;
            for (lit, bin) in lit.iter_mut().zip([bins.first(), bins.last()]) {
                *lit |= u32::from(bin.is_some_and(|&count| u64::from(count) > tolerated)) << channel;
            }
        }
        lit
    }
}

fn mix(a: f32, b: f32, part: f32) -> f32 {
    a * (1.0 - part) + b * part
}

/// Composites one colour over another.
fn over(top: Color, below: Color) -> Color {
    std::array::from_fn(|i| top[i] + below[i] * (1.0 - top[3]))
}

/// Returns a line of the graticule: light on the dark scrim, dark on light bars, so that it is visible on both.
fn graticule(strength: f32, on_bar: bool) -> Color {
    let light = if on_bar { 0.0 } else { strength };
    [light, light, light, strength]
}

/// Packs a colour into 8 bits per part.
fn packed(color: Color) -> u32 {
    u32::from_ne_bytes(color.map(|part| (part.clamp(0.0, 1.0) * 255.0 + 0.5) as u8))
}

fn unpacked(color: u32) -> Color {
    color.to_ne_bytes().map(|part| f32::from(part) / 255.0)
}

/// Blends a colour over an opaque pixel, two parts at a time. Products of bytes are divided by 255 and rounded, as
/// adapters do for views with 8 bits per part.
#[inline(always)]
fn blended(color: u32, pixel: u32) -> u32 {
    const EVEN: u32 = 0x00ff_00ff;
    let clear = 255 - (color.to_le() >> 24);
    let divided = |parts: u32| {
        let parts = parts * clear + 0x0080_0080;
        (parts + ((parts >> 8) & EVEN)) >> 8 & EVEN
    };
    color + (divided(pixel & EVEN) | divided(pixel >> 8 & EVEN) << 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blending_divides_by_255_and_rounds() {
        for (alpha, part) in (0..=255_u32).flat_map(|alpha| (0..=255_u32).map(move |part| (alpha, part))) {
            let color = u32::from_ne_bytes([0, 0, 0, alpha as u8]);
            let shown = blended(color, u32::from_ne_bytes([part as u8, 0, part as u8, 255])).to_ne_bytes();
            let expected = ((part * (255 - alpha)) as f64 / 255.0).round() as u8;
            assert_eq!(shown, [expected, 0, expected, 255], "{part} under {alpha}");
        }
    }
}

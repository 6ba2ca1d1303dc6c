//! The histogram overlays, painted by the CPU over the rows of a view: the same as shaders/columns.wgsl and shaders/overlay.wgsl
//! draw of bars, lines, caps, clip indicators and frames. Outlines, curves and the blurred backdrop are the shaders' alone.

use crate::view::binning::Binning;
use crate::view::panel::PanelRect;
use crate::view::panel_params::PanelParams;
use histoscope_core::histogram::{CHANNELS, Histogram, vertical_scale};

/// Bands of a column.
const BANDS: usize = CHANNELS + 1;
/// As in the shaders: how dark the gap in a bar that is cut off is, what is left of the light of bars that are not selected,
/// how dark the frame is, and the strength of the graticule's lines at the odd and at the even eighths.
const GAP: f32 = 0.85;
const UNSELECTED: f32 = 0.22;
const FRAME: f32 = 0.8;
const MINOR_LINE: f32 = 0.10;
const MAJOR_LINE: f32 = 0.18;

/// A colour in the order of a pixel's bytes, premultiplied by its opacity, which comes last.
type Color = [f32; 4];

/// One overlay, ready to be painted.
#[derive(Debug)]
pub struct Overlay {
    panel: PanelParams,
    /// Heights in pixels at which the bands of each column end, the lowest first; the last band has no end.
    ends: [Vec<u32>; CHANNELS],
    /// The bands' colours.
    colors: [Vec<u32>; BANDS],
    /// The columns in which a cap lies on a bar that is cut off.
    capped: Vec<bool>,
    /// The channels whose clip indicators are lit, a bit each, at the lowest and at the highest code.
    lit: [u32; 2],
}

/// The data from which the bars of an overlay are found.
struct BarSource<'a> {
    panel: &'a PanelParams,
    histogram: &'a Histogram,
    /// The bins that are drawn, channel by channel.
    bins: [Vec<u32>; CHANNELS],
    rect: PanelRect,
    /// Height of a bar per count, 1 being the overlay's height, and the count of the tallest bin.
    scales: [(f32, u32); CHANNELS],
}

impl Overlay {
    /// The overlay of that histogram, drawn in those bins. `swaps_red_and_blue` tells whether a pixel's first byte is blue.
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
        // A cap reaches as far aside as it is high.
        let reach = panel.cap as usize;
        let around = |at: usize| clipped[at.saturating_sub(reach)..].iter().take(at.min(reach) + 1 + reach);
        let capped = (0..clipped.len()).map(|at| around(at).any(|&is| is)).collect();
        let lit = bars.indicators();
        Self { panel, ends, colors, capped, lit }
    }

    /// Paints what of it lies in row `y` of the view over that row.
    #[inline(always)]
    pub fn paint(&self, y: usize, pixels: &mut [u32]) {
        let PanelParams { origin: [left, top], size: [width, height], line, opacity, .. } = self.panel;
        let y = y as u32;
        if y + line < top || y >= top + height + line {
            return;
        }
        let frame = packed([0.0, 0.0, 0.0, FRAME * opacity]);
        // A view may be smaller than an overlay's least size.
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

    /// Paints what the view has room for of a row of the overlay itself, counted from its top.
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
        // What lies at the ends or in such a row is put together pixel by pixel.
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

    /// Returns the colour of the overlay at a column in a row that is counted from below, `strength` being that of a line across.
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

    /// The lit clip indicators of one end over what is below: a pixel's column from that end, and its row from the top.
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
        // A bar that goes on beyond the top is torn off: the bars end below a dark gap, on which lies a light cap.
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

    /// Height in pixels of the tallest of a channel's bars in a column; above the overlay's height if it is clipped.
    fn bar(&self, channel: usize, column: u32) -> u32 {
        let height = self.panel.size[1];
        let bins = &self.bins[channel];
        let (first, last) = self.rect.bins_of_column(column, bins.len() as u32);
        let count = bins[first as usize..=last as usize].iter().copied().max().unwrap_or(0);
        if count == 0 {
            return 0;
        }
        let (scale, tallest) = self.scales[channel];
        let part = match self.panel.logarithmic {
            0 => count as f32 * scale,
            _ => (1.0 + count as f32).ln() / (1.0 + tallest.max(1) as f32).ln(),
        };
        // The scale rounds, so that a bar which just touches the top may come out a hair above it.
        if part > 1.0001 {
            return height + 1;
        }
        // One pixel in a whole picture still shows: a bar that is not empty is at least a pixel high.
        ((part * height as f32 + 0.5) as u32).clamp(1, height.max(1))
    }

    /// The light of a point that these channels' bars reach.
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
        // Luminance has no colour of its own to add; it whitens what it overlaps.
        let whiten = if reached[3] { self.panel.whiten } else { 0.0 };
        light.map(|part| mix(part, self.panel.lights[3][1], whiten))
    }

    /// A band's colour with the lines that stand in its column.
    fn colored(&self, column: u32, reached: [bool; CHANNELS]) -> Color {
        let panel = self.panel;
        let on_bar = reached.contains(&true);
        let barred = |light: [f32; 3]| {
            let [r, g, b] = light.map(|part| part * panel.bars * panel.light);
            [r, g, b, panel.bars]
        };
        let [r, g, b, _] = panel.overlaps[0].map(|part| part * panel.scrim);
        let mut color = if on_bar { barred(self.mixed(reached)) } else { [r, g, b, panel.scrim] };
        if panel.brushed != 0 {
            if !(panel.brush[0]..=panel.brush[1]).contains(&column) {
                color[..3].iter_mut().for_each(|part| *part *= UNSELECTED);
            } else if on_bar {
                // Bars of channels that are not brushed stay dim beside those that are.
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

    /// Returns `true` if a line that begins at a column covers this one.
    fn is_on_line(&self, column: u32, begin: u32) -> bool {
        column >= begin && column - begin < self.panel.line
    }

    /// The marks of a probed pixel: bright, a pixel thicker than other lines, between dark edges that set them off.
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

    /// The clip indicators that are lit: those of channels that have more than a thousandth of their samples in the outermost code.
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

/// A colour over another.
fn over(top: Color, below: Color) -> Color {
    std::array::from_fn(|i| top[i] + below[i] * (1.0 - top[3]))
}

/// A line of the graticule: light on the dark scrim, dark on light bars, so that it is seen on both.
fn graticule(strength: f32, on_bar: bool) -> Color {
    let light = if on_bar { 0.0 } else { strength };
    [light, light, light, strength]
}

/// A colour of 8 bits a part.
fn packed(color: Color) -> u32 {
    u32::from_ne_bytes(color.map(|part| (part.clamp(0.0, 1.0) * 255.0 + 0.5) as u8))
}

fn unpacked(color: u32) -> Color {
    color.to_ne_bytes().map(|part| f32::from(part) / 255.0)
}

/// A colour over an opaque pixel, two parts at a time, a product of bytes being divided by 255 and rounded: as adapters blend in
/// views of 8 bits a part.
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

//! Paints the traces of scopes from counts held by the CPU, like shaders/trace.wgsl: a software adapter would take
//! several times as long. Works column by column, since the counts of a column are contiguous.

use rayon::prelude::*;

use crate::view::scopes::{PanelDrawing, TraceParams};

/// Same values as in shaders/trace.wgsl.
const WAVEFORM: (f32, f32) = (0.09, 1.7);
const VECTORSCOPE: (f32, f32) = (0.16, 20.0);
const SPOT: f32 = 0.016;
const SMALL_SIDE: f32 = 200.0;
const MAX_SPOT: f32 = 6.0;
const BACKGROUND: f32 = 0.035;

/// Paints a panel and returns its pixels: column by column from the left, each from the top, in premultiplied RGBA with
/// 8 bits per part.
#[must_use]
pub fn paint(drawing: PanelDrawing, params: &TraceParams, counts: &[u32]) -> Vec<u32> {
    let [width, height] = params.size.map(|side| side as usize);
    let mut pixels = vec![over_background([0.0; 3], params.ground); width * height];
    let columns = pixels.par_chunks_exact_mut(height).enumerate();
    match drawing {
        PanelDrawing::Plate => {}
        PanelDrawing::Waveform => columns.for_each_init(Vec::new, |sums, (x, column)| {
            waveform_column(params, counts, x as u32, (sums, column));
        }),
        PanelDrawing::Vectorscope => {
            let spots = spots(params, counts);
            columns.for_each_init(Vec::new, |sums, (x, column)| {
                vectorscope_column(params, (counts, &spots), x as u32, (sums, column));
            });
        }
    }
    pixels
}

/// Sums columns of counts level by level.
fn add_columns<'a>(sums: &mut Vec<u32>, levels: usize, columns: impl Iterator<Item = &'a [u32]>) {
    sums.clear();
    sums.resize(levels, 0);
    for column in columns {
        sums.iter_mut().zip(column).for_each(|(sum, count)| *sum += count);
    }
}

fn waveform_column(params: &TraceParams, counts: &[u32], x: u32, (sums, column): (&mut Vec<u32>, &mut [u32])) {
    let levels = 1_usize << params.level_bits;
    let height = column.len() as u32;
    let shown: Vec<usize> = (0..4).filter(|channel| params.channels & (1 << channel) != 0).collect();
    let (x, width, shown) = if params.parade == 0 {
        (x, params.size[0], shown)
    } else {
        let parts = (shown.len() as u32).max(1);
        let part = x * parts / params.size[0];
        let begin = |part: u32| (part * params.size[0]).div_ceil(parts);
        (x - begin(part), begin(part + 1) - begin(part), shown.get(part as usize).copied().into_iter().collect())
    };
    let mut lights = vec![[0.0_f32; 3]; column.len()];
    for channel in shown.into_iter().filter(|&channel| params.columns[channel] > 0) {
        let (first, last) = pieces(x, width, params.columns[channel]);
        let at = |column: u32| channel * params.stride as usize + column as usize * levels;
        add_columns(sums, levels, (first..=last).map(|column| &counts[at(column)..at(column) + levels]));
        let begin = |column: u32| {
            (u64::from(column) * u64::from(params.widths[channel])).div_ceil(u64::from(params.columns[channel]))
        };
        let held = (begin(last + 1) - begin(first)) as f32 * params.heights[channel] as f32;
        let finer = levels as f32 / 256.0;
        let [red, green, blue, _] = params.lights[channel];
        for (up, light) in (0..height).zip(lights.iter_mut().rev()) {
            let (low, high) = pieces(up, height, levels as u32);
            let sum: u32 = sums[low as usize..=high as usize].iter().sum();
            if sum > 0 {
                let density = sum as f32 / held * finer / (high + 1 - low) as f32;
                let strength = WAVEFORM.0 + WAVEFORM.1 * density.sqrt() * params.gain;
                light[0] += red * strength;
                light[1] += green * strength;
                light[2] += blue * strength;
            }
        }
    }
    for (pixel, light) in column.iter_mut().zip(lights).filter(|(_, light)| *light != [0.0; 3]) {
        *pixel = over_background(light, params.ground);
    }
}

/// Returns the brightness of a vectorscope's spots, column by column of its square, each from the bottom. Spots are
/// drawn around pairs of levels whose count is so high that they could not get any brighter. Returns an empty vector if
/// a level is as large as a spot.
fn spots(params: &TraceParams, counts: &[u32]) -> Vec<f32> {
    let levels = 1_usize << params.level_bits;
    let (count, finer) = (levels as f32, levels as f32 / 256.0);
    let pixels = params.size[0].min(params.size[1]) as usize;
    let side = pixels as f32;
    let step = (count + 1.0) / (params.zoom * side);
    let radius = 0.5 * (SPOT * (side - SMALL_SIDE)).min(MAX_SPOT);
    if radius < 0.75 || radius * step <= 0.5 {
        return Vec::new();
    }
    let light_of = |held: u32| {
        let share = held as f32 / params.samples;
        VECTORSCOPE.0 + VECTORSCOPE.1 * share.sqrt() * finer * params.gain
    };
    let bright = |(at, &held): (usize, &u32)| {
        let excess = ((light_of(held) - 1.0) * 0.5).clamp(0.0, 1.0);
        (held > 0 && excess > 0.0).then_some((at, excess))
    };
    let found: Vec<_> = counts[..levels * levels].par_iter().enumerate().filter_map(bright).collect();
    // `place` gives the level below a pixel's centre, `near` the pixels near a level.
    let place = |pixel: usize, part: usize| params.centre[part] + (pixel as f32 + 0.5 - 0.5 * side) * step;
    let near = |level: usize, part: usize| {
        let middle = (level as f32 - params.centre[part]) / step + 0.5 * side;
        let [first, end] = [middle - radius - 1.0, middle + radius + 1.0].map(|at| at.clamp(0.0, side) as usize);
        first..(end + 1).min(pixels)
    };
    let mut lights = vec![0.0_f32; pixels * pixels];
    for (at, excess) in found {
        let (cb, cr) = (at / levels, at % levels);
        for x in near(cb, 0) {
            let across = (cb as f32 - place(x, 0)) / step;
            for y in near(cr, 1) {
                let up = (cr as f32 - place(y, 1)) / step;
                let covered = (radius + 0.5 - across.hypot(up)).clamp(0.0, 1.0);
                let light = &mut lights[x * pixels + y];
                *light = light.max(excess * covered);
            }
        }
    }
    lights
}

fn vectorscope_column(
    params: &TraceParams,
    (counts, spots): (&[u32], &[f32]),
    x: u32,
    (sums, column): (&mut Vec<u32>, &mut [u32]),
) {
    let levels = 1_usize << params.level_bits;
    let [width, height] = params.size.map(|side| side as f32);
    let side = width.min(height);
    let (left, top) = (((width - side) * 0.5).floor(), ((height - side) * 0.5).floor());
    let across = x as f32 - left;
    if across < 0.0 || across >= side {
        return;
    }
    let spots = spots.chunks_exact(side as usize).nth(across as usize);
    let across = levels_at(params, across, side, params.centre[0]);
    let inside = |(low, high): (i32, i32)| low.max(0)..=high.min(levels as i32 - 1);
    let row = |cb: i32| &counts[cb as usize * levels..(cb as usize + 1) * levels];
    add_columns(sums, levels, inside(across).map(row));
    for (y, pixel) in column.iter_mut().enumerate() {
        let down = y as f32 - top;
        if down < 0.0 || down >= side {
            continue;
        }
        let up = levels_at(params, side - 1.0 - down, side, params.centre[1]);
        let sum: u32 = inside(up).map(|cr| sums[cr as usize]).sum();
        let spot = spots.map_or(0.0, |column| column[(side - 1.0 - down) as usize]);
        if sum == 0 && spot == 0.0 {
            continue;
        }
        let cells = ((across.1 + 1 - across.0) * (up.1 + 1 - up.0)) as f32;
        let finer = levels as f32 / 256.0;
        let density = sum as f32 / params.samples * finer * finer / cells;
        let own = if sum > 0 { VECTORSCOPE.0 + VECTORSCOPE.1 * density.sqrt() * params.gain } else { 0.0 };
        let light = own.max(spot).min(1.0);
        let (pair, middle) = ([across.0, up.0].map(|level| level as f32), (levels / 2) as f32);
        let hue = if params.white == 1 {
            [0.8, 1.0, 0.85]
        } else if params.is_chromaticity == 1 {
            color_of(params, pair.map(|level| (level + 0.5) / levels as f32))
        } else {
            hue_of(params, pair.map(|level| (level - middle) / middle))
        };
        *pixel = over_background(hue.map(|part| part * light * params.strength), params.ground);
    }
}

/// Returns the first and last of `count` items shown by pixel `at` of `pixels`.
fn pieces(at: u32, pixels: u32, count: u32) -> (u32, u32) {
    let first = at * count / pixels;
    (first, if count >= pixels { (at + 1) * count / pixels - 1 } else { first })
}

/// Returns the first and last of the levels whose centres lie on a pixel of `side`, or the one below the pixel's centre
/// if there are none.
fn levels_at(params: &TraceParams, at: f32, side: f32, centre: f32) -> (i32, i32) {
    let count = (1_u32 << params.level_bits) as f32;
    let step = (count + 1.0) / (params.zoom * side);
    let begin = centre + 0.5 + (at - 0.5 * side) * step;
    let first = (begin - 0.5).ceil() as i32;
    let last = (begin + step - 0.5).ceil() as i32 - 1;
    let under = (begin + 0.5 * step).floor() as i32;
    if last < first { (under, under) } else { (first.max(0), last.min(count as i32 - 1)) }
}

fn hue_of(params: &TraceParams, [cb, cr]: [f32; 2]) -> [f32; 3] {
    let [red, green_of_cb, green_of_cr, blue] = params.hue;
    let color = [red * cr, green_of_cb * cb + green_of_cr * cr, blue * cb];
    let low = color.into_iter().fold(f32::MAX, f32::min);
    let high = color.into_iter().fold(f32::MIN, f32::max);
    let pure = color.map(|part| (part - low) / (high - low).max(1e-6) * 0.75 + 0.25);
    let strength = (cb.hypot(cr) * 5.0).clamp(0.0, 1.0);
    pure.map(|part| 1.0 + (part - 1.0) * strength)
}

fn color_of(params: &TraceParams, [x, y]: [f32; 2]) -> [f32; 3] {
    let light = params.colors.map(|[of_x, of_y, one, _]| (of_x * x + of_y * y + one).max(0.0));
    let high = light.into_iter().fold(1e-6, f32::max);
    light.map(|part| (part / high).sqrt() * 0.75 + 0.25)
}

/// Returns a light on the background. The grayer the light, the more opaque, since the picture would tint it.
fn over_background(light: [f32; 3], ground: f32) -> u32 {
    let lit = light.map(|part| (part + BACKGROUND * ground).min(1.0));
    let opacity = lit.into_iter().fold(ground, f32::max);
    let (low, high) = light.into_iter().fold((f32::MAX, 1e-6), |(low, high), part| (part.min(low), part.max(high)));
    let gray = if ground > 0.0 { low / high } else { 0.0 };
    let opacity = opacity + (1.0 - opacity) * gray;
    let byte = |part: f32| (part * 255.0 + 0.5) as u8;
    u32::from_le_bytes([byte(lit[0]), byte(lit[1]), byte(lit[2]), byte(opacity)])
}

// Computes the content of each column of pixels of an overlay, once for all of its rows: the heights of its bars, and
// the colours between their ends.
//
// Bars mix as light does, unless a table defines the colours: at each point, each primary is the brightest among the
// channels whose bars reach the point. The bar of a hidden channel has no height, so the other overlaps need no special
// case.

override BITS: u32 = 8u;    // 2^BITS codes are counted
override BINS: u32 = 256u;  // drawn bins per channel; regrouped by shaders/regroup.wgsl unless one per code

// Darkness of the gap in a bar that is cut off.
const GAP: f32 = 0.85;

struct Scale {
    height: f32,   // height of a bar per count, where 1 is the overlay height
    tallest: u32,
    samples: u32,
    padding: u32,
}

@group(0) @binding(1) var<storage, read> bins: array<u32>;
@group(0) @binding(2) var<storage, read> scales: array<Scale, 4>;
@group(0) @binding(3) var<storage, read_write> columns: array<u32>;
// The bins drawn as outlines. The bars of two pictures share a scale, so that they can be compared: the scale of the
// picture with the taller bin. A part and its whole have separate scales.
@group(0) @binding(4) var<storage, read> outline_bins: array<u32>;
@group(0) @binding(5) var<storage, read> outline_scales: array<Scale, 4>;
// Exclusive prefix sum of all channels' bins, one channel after another.
@group(0) @binding(6) var<storage, read> cumulative: array<u32>;
@group(0) @binding(7) var<storage, read_write> strokes: array<vec2<f32>>;
// Luminance in linear light, whereas `bins` has the luminance of the codes. It is drawn with the scale of the latter,
// for comparison.
@group(0) @binding(8) var<storage, read> linear_bins: array<u32>;

// First and last bin of a column, as in PanelRect::bins_of_column. If there are more bins than columns: the bins whose
// middle is in this column. Otherwise: the bin that contains the middle of this column.
fn bins_of(column: u32) -> vec2<u32> {
    let width = panel.size.x;
    let count = BINS;
    if width >= count {
        return vec2<u32>((2u * column + 1u) * count / (2u * width));
    }
    let first = (2u * column * count + width - 1u) / (2u * width);
    return vec2<u32>(first, (2u * (column + 1u) * count + width - 1u) / (2u * width) - 1u);
}

// Height of a channel's bar for this many samples, where 1 is the overlay's height. Larger values are clipped. `whole`
// selects the outline of the whole, if the bars are a part of it.
fn part_of(channel: u32, count: u32, whole: bool) -> f32 {
    var scale = select(scales[channel].height, outline_scales[channel].height, whole);
    var tallest = select(scales[channel].tallest, outline_scales[channel].tallest, whole);
    if panel.outlined == 1u {
        // Both have equally many samples, so the smaller scale belongs to the taller bin.
        scale = min(scale, outline_scales[channel].height);
        tallest = max(tallest, outline_scales[channel].tallest);
    }
    switch panel.scale {
        case 0u: {
            return f32(count) * scale;
        }
        case 1u: {
            return f32(count) / f32(max(tallest, 1u));
        }
        default: {
            return log(1.0 + f32(count)) / log(1.0 + f32(max(tallest, 1u)));
        }
    }
}

// Height in pixels of the tallest bar of a channel in a column; greater than the overlay's height if it is clipped.
fn bar(channel: u32, bins_here: vec2<u32>) -> u32 {
    var most = 0u;
    for (var bin = bins_here.x; bin <= bins_here.y; bin += 1u) {
        most = max(most, bins[channel * BINS + bin]);
    }
    if most == 0u {
        return 0u;
    }
    let part = part_of(channel, most, false);
    // The scale is rounded, so a bar that just touches the top may come out slightly above it.
    if part > 1.0001 {
        return panel.size.y + 1u;
    }
    // A bar that is not empty is at least one pixel high, so that even a single sample is visible.
    return clamp(u32(part * f32(panel.size.y) + 0.5), 1u, panel.size.y);
}

// True if a channel is drawn as bars.
fn is_bar(channel: u32) -> bool {
    return (panel.channels & (1u << channel)) != 0u && !(panel.traced == 1u && channel == 3u);
}

// The height in pixels at which the whole pen is inside the overlay.
fn inside(height: f32) -> f32 {
    let top = f32(panel.size.y);
    return clamp(height, min(panel.stroke, top * 0.5), max(top - panel.stroke, top * 0.5));
}

// True if a bar of a column is cut off.
fn is_cut_off(column: u32) -> bool {
    let bins_here = bins_of(column);
    for (var channel = 0u; channel < 4u; channel += 1u) {
        if is_bar(channel) && bar(channel, bins_here) > panel.size.y {
            return true;
        }
    }
    return false;
}

// The lit clip indicators: of channels with more than a thousandth of their samples in the outermost code. If the bars
// are a part of the picture, the indicators still cover the whole.
fn indicators() -> u32 {
    let of_whole = panel.outlined == 2u;
    var lit = 0u;
    for (var channel = 0u; channel < 4u; channel += 1u) {
        if (panel.channels & (1u << channel)) != 0u {
            let tolerated = select(scales[channel].samples, outline_scales[channel].samples, of_whole) / 1000u;
            var outermost = vec2<u32>(channel << BITS, ((channel + 1u) << BITS) - 1u);
            if BINS != (1u << BITS) {
                outermost = vec2<u32>(4u * BINS + 2u * channel) + vec2<u32>(0u, 1u);
            }
            let lowest = select(bins[outermost.x], outline_bins[outermost.x], of_whole);
            let highest = select(bins[outermost.y], outline_bins[outermost.y], of_whole);
            lit |= select(0u, 1u << channel, lowest > tolerated);
            lit |= select(0u, 16u << channel, highest > tolerated);
        }
    }
    return lit;
}

// Samples in a bin of a line.
fn outline_bin(kind: u32, index: u32) -> u32 {
    if kind == LINEAR {
        return linear_bins[index];
    }
    if kind == TRACED {
        return bins[index];
    }
    return outline_bins[index];
}

// Samples in a bin of a line, or in the fullest bin of a column if there are more bins than columns.
fn outlined_count(kind: u32, channel: u32, place: u32) -> u32 {
    if panel.size.x >= BINS {
        return outline_bin(kind, channel * BINS + place);
    }
    let bins_here = bins_of(place);
    var most = 0u;
    for (var bin = bins_here.x; bin <= bins_here.y; bin += 1u) {
        most = max(most, outline_bin(kind, channel * BINS + bin));
    }
    return most;
}

// Height in pixels of a channel's outline, at a position in columns from the overlay's left edge. The outline connects
// the middles of the tops of bins, or of columns. Below 0 if both are empty.
fn outlined(kind: u32, channel: u32, place: f32) -> f32 {
    let places = min(panel.size.x, BINS);
    let at = clamp(place * f32(places) / f32(panel.size.x) - 0.5, 0.0, f32(places - 1u));
    let low = u32(at);
    let high = min(low + 1u, places - 1u);
    let counts = vec2<u32>(outlined_count(kind, channel, low), outlined_count(kind, channel, high));
    if all(counts == vec2<u32>(0u)) {
        return -1.0;
    }
    let whole = panel.outlined == 2u && kind == OUTLINES;
    let parts = min(vec2<f32>(part_of(channel, counts.x, whole), part_of(channel, counts.y, whole)), vec2<f32>(1.0));
    return mix(parts.x, parts.y, at - f32(low)) * f32(panel.size.y);
}

// Height in pixels of a channel's cumulative histogram, at a position in columns from the overlay's left edge. It is
// linear within a code, however many bins are drawn. All samples reach the overlay's full height.
fn cumulated(channel: u32, place: f32) -> f32 {
    let count = 1u << BITS;
    let at = clamp(place / f32(panel.size.x), 0.0, 1.0) * f32(count);
    let code = min(u32(at), count - 1u);
    let index = (channel << BITS) + code;
    let below = f32(cumulative[index] - cumulative[channel << BITS]);
    let here = f32(cumulative[index + 1u] - cumulative[index]);
    let share = (below + here * (at - f32(code))) / f32(max(scales[channel].samples, 1u));
    return share * f32(panel.size.y);
}

// Height in pixels of one of a channel's lines, at a position in columns from the overlay's left edge. Below 0 if there
// is no line.
fn line_at(kind: u32, channel: u32, place: f32) -> f32 {
    if kind == CURVES {
        return cumulated(channel, place);
    }
    return outlined(kind, channel, place);
}

// The rows of a column covered by a round pen along one of a channel's lines. The line is evaluated in the middle of
// the column, at the pen's reach on both sides, and at its bend: in the middle of the nearest bin.
fn pen(kind: u32, channel: u32, column: u32) -> vec2<f32> {
    let middle = f32(column) + 0.5;
    // A curve bends at codes, an outline in the middle of bins.
    let places = f32(min(panel.size.x, select(BINS, 1u << BITS, kind == CURVES))) / f32(panel.size.x);
    let bend = (floor(middle * places) + 0.5) / places - middle;
    var rows = vec2<f32>(f32(panel.size.y), 0.0);
    var exists = false;
    for (var step = -2i; step <= 3i; step += 1i) {
        let aside = select(f32(step) * 0.5 * panel.stroke, bend, step == 3i);
        if abs(aside) > panel.stroke {
            continue;
        }
        let reach = sqrt(max(panel.stroke * panel.stroke - aside * aside, 0.0));
        let height = line_at(kind, channel, middle + aside);
        exists = exists || height >= 0.0;
        let drawn = inside(height);
        rows = vec2<f32>(min(rows.x, drawn - reach), max(rows.y, drawn + reach));
    }
    return select(vec2<f32>(0.0), rows, exists);
}

// True if a line that begins at a column covers this one.
fn on_line(column: u32, begin: u32) -> bool {
    return column >= begin && column - begin < panel.line;
}

// Brightness of bars that are not selected while others are.
const UNSELECTED: f32 = 0.22;

// The colour of a point reached by these channels' bars.
fn mixed(reached: vec4<bool>) -> vec3<f32> {
    if panel.overlaps[0].a != 0.0 {
        let parts = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), reached);
        return panel.overlaps[parts.x + parts.y + parts.z + parts.w].rgb;
    }
    var light = vec3<f32>(0.0);
    for (var channel = 0u; channel < 4u; channel += 1u) {
        light = max(light, select(vec3<f32>(0.0), panel.lights[channel].rgb, reached[channel]));
    }
    return light;
}

// Bars of this light, premultiplied by their opacity. Grays are opaque, since the picture would tint them.
fn barred(light: vec3<f32>) -> vec4<f32> {
    let is_gray = light.r == light.g && light.g == light.b;
    return vec4<f32>(light * panel.bars * panel.light, select(panel.bars, 1.0, is_gray));
}

// A band's colour, including the lines in its column.
fn colored(column: u32, reached: vec4<bool>) -> vec4<f32> {
    let on_bar = any(reached);
    let scrim = vec4<f32>(panel.overlaps[0].rgb * panel.scrim, panel.scrim);
    var color = select(scrim, barred(mixed(reached)), on_bar);
    if panel.brushed != 0u {
        let lit = column >= panel.brush.x && column <= panel.brush.y;
        if !lit {
            color = vec4<f32>(color.rgb * UNSELECTED, color.a);
        } else if on_bar {
            // Bars of channels that are not brushed stay dim next to the brushed ones.
            let chosen = (vec4<u32>(panel.brushed) & vec4<u32>(1u, 2u, 4u, 8u)) != vec4<u32>(0u);
            color = barred(max(mixed(reached & chosen), mixed(reached) * UNSELECTED));
        } else if !on_bar {
            color = over(vec4<f32>(0.16), color);
        }
    }
    for (var i = 0u; i < 7u; i += 1u) {
        if on_line(column, panel.graticule[i / 4u][i % 4u]) {
            color = over(graticule(select(MINOR_LINE, MAJOR_LINE, (i & 1u) == 1u), on_bar), color);
        }
    }
    if on_line(column, panel.guides.x) || on_line(column, panel.guides.y) {
        color = vec4<f32>(vec3<f32>(select(0.75, 0.1, on_bar)), 1.0);
    }
    return color;
}

// The marks of a probed pixel: bright, one pixel thicker than other lines, and with dark edges.
fn marked(column: u32, bare: vec4<f32>) -> vec4<f32> {
    let begin = panel.marks;
    let exists = begin < vec4<u32>(panel.size.x);
    let edge = panel.line;
    let end = begin + panel.line + 1u;
    let here = vec4<u32>(column);
    let marks = exists & (here >= begin) & (here < end);
    if any(marks) {
        return vec4<f32>(mix(mixed(marks), vec3<f32>(1.0), 0.55), 1.0);
    }
    if any(exists & (here + edge >= begin) & (here < end + edge)) {
        return over(vec4<f32>(0.0, 0.0, 0.0, 0.7), bare);
    }
    return bare;
}

@compute @workgroup_size(64)
fn find(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = id.x;
    let size = panel.size;
    if column >= size.x {
        return;
    }
    let bins_here = bins_of(column);
    let first_stroke = (panel.first_column + column) * COLUMN_STROKES;
    var heights = vec4<u32>(0u);
    for (var channel = 0u; channel < 4u; channel += 1u) {
        if (panel.channels & (1u << channel)) != 0u {
            if is_bar(channel) {
                heights[channel] = bar(channel, bins_here);
            } else {
                strokes[first_stroke + TRACED] = pen(TRACED, channel, column);
            }
            if panel.outlined != 0u {
                strokes[first_stroke + OUTLINES + channel] = pen(OUTLINES, channel, column);
            }
            if panel.curved != 0u {
                strokes[first_stroke + CURVES + channel] = pen(CURVES, channel, column);
            }
            if channel == 3u && panel.linear.a != 0.0 {
                strokes[first_stroke + LINEAR] = pen(LINEAR, channel, column);
            }
        }
    }
    // A bar that continues beyond the top ends below a dark gap with a light cap above it.
    let clipped = any(heights > vec4<u32>(size.y));
    heights = min(heights, vec4<u32>(select(size.y, size.y - panel.notch, clipped)));

    var ends = heights;
    ends = vec4<u32>(min(ends.xz, ends.yw), max(ends.xz, ends.yw));
    ends = vec4<u32>(min(ends.x, ends.y), max(ends.x, ends.y), min(ends.z, ends.w), max(ends.z, ends.w));
    ends = vec4<u32>(ends.x, min(ends.y, ends.z), max(ends.y, ends.z), ends.w);

    let base = (panel.first_column + column) * COLUMN_WORDS;
    columns[base] = ends.x | (ends.y << 16u);
    columns[base + 1u] = ends.z | (ends.w << 16u);
    var is_capped = clipped;
    for (var aside = 1u; aside <= panel.cap; aside += 1u) {
        is_capped = is_capped || (column >= aside && is_cut_off(column - aside));
        is_capped = is_capped || (column + aside < size.x && is_cut_off(column + aside));
    }
    let is_at_an_end = min(column, size.x - 1u - column) <= panel.indicator + 2u * panel.line;
    columns[base + FLAGS] = select(0u, indicators(), is_at_an_end) | select(0u, CAPPED, is_capped);
    for (var band = 0u; band < BANDS; band += 1u) {
        var color = vec4<f32>(0.0, 0.0, 0.0, GAP);
        if band + 1u < BANDS || !clipped {
            // A band begins at the end of the band below.
            var begin = 0u;
            if band > 0u {
                begin = ends[band - 1u];
            }
            color = marked(column, colored(column, vec4<u32>(begin) < heights));
        }
        columns[base + 2u + band] = pack4x8unorm(color * panel.opacity);
    }
}

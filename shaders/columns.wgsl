// What each column of pixels of an overlay shows, found once for all of its rows: how high its bars are and which colours
// lie between their ends.
//
// Bars mix as light does: the colour of a point is the brightest of each primary among the channels whose bars reach it.
// A hidden channel reaches nothing, so the remaining overlaps follow by themselves.

override BITS: u32 = 8u;

struct Scale {
    height: f32,   // height of a bar per count, 1 being the overlay's height
    tallest: u32,
    samples: u32,
    padding: u32,
}

@group(0) @binding(1) var<storage, read> bins: array<u32>;
@group(0) @binding(2) var<storage, read> scales: array<Scale, 4>;
@group(0) @binding(3) var<storage, read_write> columns: array<u32>;
// Of the picture that is drawn as outlines. Both pictures' bars are drawn by one scale, so that they can be compared: that
// of the one with the taller bin.
@group(0) @binding(4) var<storage, read> outline_bins: array<u32>;
@group(0) @binding(5) var<storage, read> outline_scales: array<Scale, 4>;
// Exclusive prefix sum of all channels' bins, one after the other.
@group(0) @binding(6) var<storage, read> cumulative: array<u32>;
@group(0) @binding(7) var<storage, read_write> strokes: array<vec2<f32>>;

// First and last bin of a column, as PanelRect::bins_of_column has them: where bins outnumber columns, those whose middle
// lies in this one; else the one that the middle of this column lies in.
fn bins_of(column: u32) -> vec2<u32> {
    let width = panel.size.x;
    let count = 1u << BITS;
    if width >= count {
        return vec2<u32>((2u * column + 1u) * count / (2u * width));
    }
    let first = (2u * column * count + width - 1u) / (2u * width);
    return vec2<u32>(first, (2u * (column + 1u) * count + width - 1u) / (2u * width) - 1u);
}

// Height in pixels of a channel's bar of so many samples; above the overlay's height if it is clipped.
fn height_of(channel: u32, count: u32) -> u32 {
    if count == 0u {
        return 0u;
    }
    var scale = scales[channel].height;
    var tallest = scales[channel].tallest;
    if panel.outlined != 0u {
        // Both have as many samples, so that the smaller scale is that of the taller bin.
        scale = select(min(scale, outline_scales[channel].height), outline_scales[channel].height, scale == 0.0);
        tallest = max(tallest, outline_scales[channel].tallest);
    }
    var height = f32(count) * scale;
    if panel.logarithmic != 0u {
        height = log(1.0 + f32(count)) / log(1.0 + f32(tallest));
    }
    // The scale rounds, so that a bar which just touches the top may come out a hair above it.
    if height > 1.0001 {
        return panel.size.y + 1u;
    }
    // One pixel in a whole picture still shows: a bar that is not empty is at least a pixel high.
    return clamp(u32(height * f32(panel.size.y) + 0.5), 1u, panel.size.y);
}

// Height in pixels of the tallest of a channel's bars in a column.
fn bar(channel: u32, bins_here: vec2<u32>) -> u32 {
    var most = 0u;
    for (var bin = bins_here.x; bin <= bins_here.y; bin += 1u) {
        most = max(most, bins[(channel << BITS) + bin]);
    }
    return height_of(channel, most);
}

// The same of the picture that is drawn as outlines, within the overlay; 0 beside it.
fn outline_bar(channel: u32, column: i32) -> u32 {
    if column < 0i || column >= i32(panel.size.x) {
        return 0u;
    }
    let bins_here = bins_of(u32(column));
    var most = 0u;
    for (var bin = bins_here.x; bin <= bins_here.y; bin += 1u) {
        most = max(most, outline_bins[(channel << BITS) + bin]);
    }
    return min(height_of(channel, most), panel.size.y);
}

// The outline of a channel's bars in a column: the top of its bar, and its side where a bar beside it is lower.
fn outline(channel: u32, column: u32) -> vec2<f32> {
    let top = outline_bar(channel, i32(column));
    var bottom = top - min(top, panel.outline);
    for (var reach = 1i; reach <= i32(panel.outline); reach += 1i) {
        let beside = min(outline_bar(channel, i32(column) - reach), outline_bar(channel, i32(column) + reach));
        bottom = min(bottom, beside);
    }
    return vec2<f32>(f32(bottom), f32(top));
}

// Height in pixels of a channel's cumulative histogram at a place in columns from the overlay's left edge: linear within
// a bin, all samples being the overlay's height. Its line stays inside the overlay.
fn cumulated(channel: u32, place: f32) -> f32 {
    let count = 1u << BITS;
    let at = clamp(place / f32(panel.size.x), 0.0, 1.0) * f32(count);
    let bin = min(u32(at), count - 1u);
    let index = (channel << BITS) + bin;
    let below = f32(cumulative[index] - cumulative[channel << BITS]);
    let share = (below + f32(bins[index]) * (at - f32(bin))) / f32(max(scales[channel].samples, 1u));
    let height = f32(panel.size.y);
    return clamp(share * height, min(panel.stroke, height * 0.5), max(height - panel.stroke, height * 0.5));
}

// The rows of a column that a round pen covers which is drawn along a channel's cumulative histogram. The curve only rises.
fn curve(channel: u32, column: u32) -> vec2<f32> {
    let middle = f32(column) + 0.5;
    var rows = vec2<f32>(f32(panel.size.y), 0.0);
    for (var step = -2i; step <= 2i; step += 1i) {
        let aside = f32(step) * 0.5 * panel.stroke;
        let pen = sqrt(max(panel.stroke * panel.stroke - aside * aside, 0.0));
        let height = cumulated(channel, middle + aside);
        rows = vec2<f32>(min(rows.x, height - pen), max(rows.y, height + pen));
    }
    return rows;
}

// Whether a line that begins at a column covers this one.
fn on_line(column: u32, begin: u32) -> bool {
    return column >= begin && column - begin < panel.line;
}

// The light of a point that these channels' bars reach.
fn mixed(reached: vec4<bool>) -> vec3<f32> {
    var light = vec3<f32>(0.0);
    for (var channel = 0u; channel < 4u; channel += 1u) {
        light = max(light, select(vec3<f32>(0.0), panel.lights[channel].rgb, reached[channel]));
    }
    // Luminance has no colour of its own to add; it whitens what it overlaps.
    return mix(light, vec3<f32>(panel.lights[3].r), select(0.0, panel.whiten, reached.w));
}

// A band's colour with the lines that stand in its column.
fn colored(column: u32, reached: vec4<bool>) -> vec4<f32> {
    let on_bar = any(reached);
    var color = select(vec4<f32>(0.0, 0.0, 0.0, panel.veil), vec4<f32>(mixed(reached) * panel.bars, panel.bars), on_bar);
    if panel.brushed != 0u {
        let lit = column >= panel.brush.x && column <= panel.brush.y;
        if !lit {
            color = vec4<f32>(color.rgb * 0.22, color.a);
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

// The marks of a probed pixel: bright, a pixel thicker than other lines, between dark edges that set them off.
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
            heights[channel] = bar(channel, bins_here);
            if panel.outlined != 0u {
                strokes[first_stroke + OUTLINES + channel] = outline(channel, column);
            }
            if panel.curved != 0u {
                strokes[first_stroke + CURVES + channel] = curve(channel, column);
            }
        }
    }
    // A bar that goes on beyond the top ends in a light notch: the bars end below it, and it is what lies above them.
    let clipped = any(heights > vec4<u32>(size.y));
    heights = min(heights, vec4<u32>(select(size.y, size.y - panel.notch, clipped)));

    var ends = heights;
    ends = vec4<u32>(min(ends.xz, ends.yw), max(ends.xz, ends.yw));
    ends = vec4<u32>(min(ends.x, ends.y), max(ends.x, ends.y), min(ends.z, ends.w), max(ends.z, ends.w));
    ends = vec4<u32>(ends.x, min(ends.y, ends.z), max(ends.y, ends.z), ends.w);

    let base = (panel.first_column + column) * COLUMN_WORDS;
    columns[base] = ends.x | (ends.y << 16u);
    columns[base + 1u] = ends.z | (ends.w << 16u);
    for (var band = 0u; band < BANDS; band += 1u) {
        var color = vec4<f32>(1.0);
        if band + 1u < BANDS || !clipped {
            // A band begins at the end of the one below.
            var begin = 0u;
            if band > 0u {
                begin = ends[band - 1u];
            }
            color = marked(column, colored(column, vec4<u32>(begin) < heights));
        }
        columns[base + 2u + band] = pack4x8unorm(color * panel.opacity);
    }
}

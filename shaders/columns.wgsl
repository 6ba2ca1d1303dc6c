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

// Height in pixels of the tallest of the bars first..=last of a channel; above the overlay's height if it is clipped.
fn bar(channel: u32, first: u32, last: u32) -> u32 {
    var most = 0u;
    for (var bin = first; bin <= last; bin += 1u) {
        most = max(most, bins[(channel << BITS) + bin]);
    }
    if most == 0u {
        return 0u;
    }
    var height = f32(most) * scales[channel].height;
    if panel.logarithmic != 0u {
        height = log(1.0 + f32(most)) / log(1.0 + f32(scales[channel].tallest));
    }
    // The scale rounds, so that a bar which just touches the top may come out a hair above it.
    if height > 1.0001 {
        return panel.size.y + 1u;
    }
    // One pixel in a whole picture still shows: a bar that is not empty is at least a pixel high.
    return clamp(u32(height * f32(panel.size.y) + 0.5), 1u, panel.size.y);
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
    // As PanelRect::bins_of_column has it: where bins outnumber columns, those whose middle lies in this one; else the
    // one that the middle of this column lies in.
    let count = 1u << BITS;
    var first = (2u * column + 1u) * count / (2u * size.x);
    var last = first;
    if size.x < count {
        first = (2u * column * count + size.x - 1u) / (2u * size.x);
        last = (2u * (column + 1u) * count + size.x - 1u) / (2u * size.x) - 1u;
    }
    var heights = vec4<u32>(0u);
    for (var channel = 0u; channel < 4u; channel += 1u) {
        if (panel.channels & (1u << channel)) != 0u {
            heights[channel] = bar(channel, first, last);
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

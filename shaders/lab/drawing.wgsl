// Draws two graphs side by side: the bars of red, green and blue over each other, and those of luminance. Either as in
// the second lesson, in which every pixel asks its bin, or as in Histoscope, where every column asks once for all its
// pixels.
//
// `scale` runs first for both: a bar's height depends on the tallest bin, which no pixel knows. Then `asks` draws, or
// `find` prepares the columns and `reads` draws. Heights are whole pixels in integers, so that both draw the same.

override BINS: u32 = 256u;    // per channel
override WIDTH: u32 = 576u;   // of a graph, in pixels
override HEIGHT: u32 = 180u;

// Words of a column: the ends of its four bars in ascending order, and the colours between them.
const COLUMN_WORDS: u32 = 9u;
const COLORS: u32 = 4u;

@group(0) @binding(0) var<storage, read> bins: array<vec4<u32>>;
// The count of each channel at which a bar touches the top.
@group(0) @binding(1) var<storage, read> full: array<vec4<u32>, 1>;
// A colour for each set of bars that reach a point: red is 1, green 2, blue 4, luminance 8.
@group(0) @binding(2) var<storage, read> colors: array<u32, 16>;
@group(0) @binding(3) var<storage, read> columns: array<u32>;
@group(0) @binding(1) var<storage, read_write> found_full: array<vec4<u32>, 1>;
@group(0) @binding(3) var<storage, read_write> found_columns: array<u32>;

// One invocation, as in the lesson. A bar is cut off at five times the mean, if that is below the tallest.
@compute @workgroup_size(1)
fn scale() {
    var tallest = vec4<u32>(0u);
    var samples = 0u;
    for (var bin = 0u; bin < BINS; bin += 1u) {
        tallest = max(tallest, bins[bin]);
        samples += bins[bin].w;
    }
    found_full[0] = max(min(tallest, vec4<u32>(5u * samples / BINS)), vec4<u32>(1u));
}

// First and last bin of a column, as in PanelRect::bins_of_column.
fn bins_of(column: u32) -> vec2<u32> {
    if WIDTH >= BINS {
        return vec2<u32>((2u * column + 1u) * BINS / (2u * WIDTH));
    }
    let first = (2u * column * BINS + WIDTH - 1u) / (2u * WIDTH);
    return vec2<u32>(first, (2u * (column + 1u) * BINS + WIDTH - 1u) / (2u * WIDTH) - 1u);
}

// Heights in pixels of a column's bars, 0 for channels of the other graph: those of its tallest bins, if there are more
// bins than columns.
fn heights_of(column: u32) -> vec4<u32> {
    let range = bins_of(column % WIDTH);
    var most = vec4<u32>(0u);
    for (var bin = range.x; bin <= range.y; bin += 1u) {
        most = max(most, bins[bin]);
    }
    let shown = select(vec4<u32>(1u, 1u, 1u, 0u), vec4<u32>(0u, 0u, 0u, 1u), column >= WIDTH);
    return shown * min(most * HEIGHT / full[0], vec4<u32>(HEIGHT));
}

// The colour of a point that these bars reach.
fn color_of(reached: vec4<bool>) -> u32 {
    let parts = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), reached);
    return colors[parts.x + parts.y + parts.z + parts.w];
}

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let side = vec2<f32>(vec2<u32>(index & 1u, index >> 1u));
    return vec4<f32>(side.x * 2.0 - 1.0, 1.0 - side.y * 2.0, 0.0, 1.0);
}

@fragment
fn asks(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let row = HEIGHT - 1u - u32(at.y);
    return unpack4x8unorm(color_of(vec4<u32>(row) < heights_of(u32(at.x))));
}

@compute @workgroup_size(64)
fn find(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = id.x;
    if column >= 2u * WIDTH {
        return;
    }
    let heights = heights_of(column);
    var ends = vec4<u32>(min(heights.xz, heights.yw), max(heights.xz, heights.yw));
    ends = vec4<u32>(min(ends.x, ends.y), max(ends.x, ends.y), min(ends.z, ends.w), max(ends.z, ends.w));
    ends = vec4<u32>(ends.x, min(ends.y, ends.z), max(ends.y, ends.z), ends.w);
    let first = column * COLUMN_WORDS;
    found_columns[first + COLORS] = color_of(vec4<u32>(0u) < heights);
    for (var i = 0u; i < 4u; i += 1u) {
        found_columns[first + i] = ends[i];
        found_columns[first + COLORS + i + 1u] = color_of(vec4<u32>(ends[i]) < heights);
    }
}

@fragment
fn reads(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let row = HEIGHT - 1u - u32(at.y);
    let first = u32(at.x) * COLUMN_WORDS;
    let ends = vec4<u32>(columns[first], columns[first + 1u], columns[first + 2u], columns[first + 3u]);
    let passed = select(vec4<u32>(0u), vec4<u32>(1u), ends <= vec4<u32>(row));
    return unpack4x8unorm(columns[first + COLORS + passed.x + passed.y + passed.z + passed.w]);
}

// Draws one histogram overlay from the bands of its columns.

@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> strokes: array<vec2<f32>>;
// The blurred picture of the whole view, one word per pixel: red in the lowest byte, then green, then blue.
@group(0) @binding(3) var<storage, read> backdrop: array<u32>;

// True if the drawn pixels may contain caps, clip indicators or the frame, which are only near the top and the edges. A
// software adapter executes both sides of every branch, so testing for them at each pixel would take much of the
// drawing time.
override EDGES: bool = true;

// How much lines are whitened, and how dark their edges are, so that a line is visible on a bar of its own colour.
const LINE_WHITENING: f32 = 0.45;
// Opacity of the outline of the whole, if the bars are a part of it.
const WHOLE_OUTLINE: f32 = 0.55;
const CASING: f32 = 0.75;
// Darkness of the frame around an overlay. It separates the outermost bars from a picture of the same colour.
const FRAME: f32 = 0.8;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // The frame is outside, so it hides no column of a bin.
    let frame = f32(panel.line);
    let side = vec2<f32>(vec2<u32>(index & 1u, index >> 1u));
    let at = vec2<f32>(panel.origin) - frame + (vec2<f32>(panel.size) + 2.0 * frame) * side;
    let unit = at / vec2<f32>(panel.view);
    return vec4<f32>(unit.x * 2.0 - 1.0, 1.0 - unit.y * 2.0, 0.0, 1.0);
}

// The covered fraction of a row of pixels between two heights.
fn covered(rows: vec2<f32>, row: f32) -> f32 {
    return clamp(min(row + 1.0, rows.y) - max(row, rows.x), 0.0, 1.0);
}

// Draws the strokes of one kind. All dark edges come first, so that none covers another stroke's colour.
fn stroked(first: u32, row: f32, below: vec4<f32>) -> vec4<f32> {
    let edge = f32(panel.line);
    var dark = 0.0;
    for (var channel = 0u; channel < 4u; channel += 1u) {
        let rows = strokes[first + channel];
        if (panel.channels & (1u << channel)) != 0u && rows.y > rows.x {
            dark = max(dark, covered(vec2<f32>(rows.x - edge, rows.y + edge), row));
        }
    }
    let color = over(vec4<f32>(0.0, 0.0, 0.0, dark * CASING * panel.opacity), below);
    // Where lines meet, they mix as light does, like the bars.
    var light = vec3<f32>(0.0);
    var cover = 0.0;
    for (var channel = 0u; channel < 4u; channel += 1u) {
        if (panel.channels & (1u << channel)) != 0u {
            let here = covered(strokes[first + channel], row);
            light = max(light, mix(panel.lights[channel].rgb, vec3<f32>(1.0), LINE_WHITENING) * here);
            cover = max(cover, here);
        }
    }
    // The outline of the whole is fainter than its part.
    let strength = select(1.0, WHOLE_OUTLINE, panel.outlined == 2u && first % COLUMN_STROKES == OUTLINES);
    return over(vec4<f32>(light, cover) * (panel.opacity * strength), color);
}

// Draws one stroke of its own colour, with its dark edge.
fn lined(rows: vec2<f32>, row: f32, color: vec3<f32>, below: vec4<f32>) -> vec4<f32> {
    if rows.y <= rows.x {
        return below;
    }
    let edge = f32(panel.line);
    let dark = covered(vec2<f32>(rows.x - edge, rows.y + edge), row);
    let cased = over(vec4<f32>(0.0, 0.0, 0.0, dark * CASING * panel.opacity), below);
    return over(vec4<f32>(color, 1.0) * covered(rows, row) * panel.opacity, cased);
}

// Draws the lit clip indicators of one end, given a pixel's column from that end and its row from the top. Each has a
// dark edge.
fn indicators_over(lit: u32, column: u32, row: u32, below: vec4<f32>) -> vec4<f32> {
    var place = 0u;
    var color = below;
    let left = panel.line;
    for (var channel = 0u; channel < 4u; channel += 1u) {
        if (panel.channels & (1u << channel)) == 0u {
            continue;
        }
        let top = panel.notch + panel.line + place * (panel.indicator + panel.line);
        place += 1u;
        if (lit & (1u << channel)) == 0u {
            continue;
        }
        let is_inside = column >= left && column < left + panel.indicator && row >= top && row < top + panel.indicator;
        if is_inside {
            return vec4<f32>(panel.lights[channel].rgb, 1.0) * panel.opacity;
        }
        if column < left + panel.indicator + panel.line && row + panel.line >= top && row < top + panel.indicator + panel.line {
            color = vec4<f32>(0.0, 0.0, 0.0, panel.opacity);
        }
    }
    return color;
}

fn backdrop_pixel(at: vec2<u32>) -> vec3<f32> {
    return unpack4x8unorm(backdrop[at.y * panel.backdrop.x + at.x]).rgb;
}

// The blurred picture behind a pixel of the view, linear between four of its pixels.
fn behind(pixel: vec2<f32>) -> vec3<f32> {
    let last = vec2<f32>(panel.backdrop - vec2<u32>(1u));
    let at = clamp(pixel / vec2<f32>(panel.view) * vec2<f32>(panel.backdrop) - 0.5, vec2<f32>(0.0), last);
    let low = vec2<u32>(at);
    let high = min(low + vec2<u32>(1u), panel.backdrop - vec2<u32>(1u));
    let part = at - floor(at);
    let upper = mix(backdrop_pixel(low), backdrop_pixel(vec2<u32>(high.x, low.y)), part.x);
    let lower = mix(backdrop_pixel(vec2<u32>(low.x, high.y)), backdrop_pixel(high), part.x);
    return mix(upper, lower, part.y);
}

@fragment
fn histogram(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    if EDGES && (any(vec2<u32>(pixel.xy) < panel.origin) || any(vec2<u32>(pixel.xy) >= panel.origin + panel.size)) {
        return vec4<f32>(0.0, 0.0, 0.0, FRAME * panel.opacity);
    }
    let at = vec2<u32>(pixel.xy) - panel.origin;
    let row = panel.size.y - 1u - at.y;
    let base = (panel.first_column + at.x) * COLUMN_WORDS;
    let low = columns[base];
    let high = columns[base + 1u];
    // The index of the band is the number of heights at or below the point.
    var band = select(0u, 1u, row >= (low & 0xffffu)) + select(0u, 1u, row >= (low >> 16u));
    band += select(0u, 1u, row >= (high & 0xffffu)) + select(0u, 1u, row >= (high >> 16u));
    let color = unpack4x8unorm(columns[base + 2u + band]);
    // Horizontal lines, at the quarters of the height.
    let quarters = vec3<u32>(panel.size.y) * vec3<u32>(1u, 2u, 3u) / 4u;
    let on_line = vec3<u32>(row) - quarters < vec3<u32>(panel.line);
    let strength = select(0.0, select(MINOR_LINE, MAJOR_LINE, on_line.y), any(on_line));
    // The colours of bands already include the overlay's opacity.
    var shown = graticule(strength, band + 1u < BANDS) * panel.opacity + color * (1.0 - strength);
    let first_stroke = (panel.first_column + at.x) * COLUMN_STROKES;
    if panel.traced == 1u {
        let light = mix(panel.lights[3].rgb, vec3<f32>(1.0), LINE_WHITENING);
        shown = lined(strokes[first_stroke + TRACED], f32(row), light, shown);
    }
    if panel.outlined != 0u {
        shown = stroked(first_stroke + OUTLINES, f32(row), shown);
    }
    if panel.curved != 0u {
        shown = stroked(first_stroke + CURVES, f32(row), shown);
    }
    if panel.linear.a != 0.0 {
        shown = lined(strokes[first_stroke + LINEAR], f32(row), panel.linear.rgb, shown);
    }
    if EDGES {
        let flags = columns[base + FLAGS];
        if (flags & CAPPED) != 0u && at.y < panel.cap {
            shown = vec4<f32>(panel.opacity);
        }
        let is_right = 2u * at.x >= panel.size.x;
        let from_end = select(at.x, panel.size.x - 1u - at.x, is_right);
        shown = indicators_over(select(flags & 15u, (flags >> 4u) & 15u, is_right), from_end, at.y, shown);
    }
    if panel.backdrop.x != 0u {
        shown += vec4<f32>(behind(pixel.xy), 1.0) * max(panel.opacity - shown.a, 0.0);
    }
    return shown;
}

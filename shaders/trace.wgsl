// Draws waveforms and vectorscopes from their counts, which stay on the GPU, and the background of the split layout.
//
// The brightness of a point depends on the density of samples, not on their number. So columns with more samples are no
// brighter, nor are traces of deeper codes or in larger panels. A single sample is still visible.

struct Trace {
    view: vec2<u32>,     // pixels
    origin: vec2<u32>,   // the panel's upper left corner, and its size
    size: vec2<u32>,
    level_bits: u32,
    stride: u32,         // a waveform's counts per channel
    columns: vec4<u32>,  // a waveform's columns, channel by channel, and the counted samples, across and down
    widths: vec4<u32>,
    heights: vec4<u32>,
    channels: u32,       // bit c: channel c is drawn
    parade: u32,         // 1: channels side by side
    gain: f32,
    ground: f32,         // opacity of the background
    lights: array<vec4<f32>, 4>,
    hue: vec4<f32>,      // red of Cr, green of Cb and of Cr, blue of Cb
    zoom: f32,           // zoom of a vectorscope, around its centre
    white: u32,          // 1: a vectorscope's trace is white
    samples: f32,        // samples that a vectorscope has counted
    strength: f32,       // brightness of the trace
    centre: vec2<f32>,   // the levels in the middle of a vectorscope
    is_chromaticity: u32,
    padding: u32,
    // Red, green and blue of a chromaticity's coordinates, as fractions of the highest level, and of 1.
    colors: array<vec4<f32>, 3>,
}

@group(0) @binding(0) var<uniform> trace: Trace;
@group(0) @binding(1) var<storage, read> counts: array<u32>;

// Brightness of a single sample, and the factor for its share, for a point that represents one level of 8 bits.
const WAVEFORM_FLOOR: f32 = 0.09;
const WAVEFORM_LIGHT: f32 = 1.7;
const VECTORSCOPE_FLOOR: f32 = 0.16;
const VECTORSCOPE_LIGHT: f32 = 20.0;
// Diameter of the spot of a strong point in a vectorscope: a fraction of the panel's side beyond that of a small panel,
// up to this many pixels.
const SPOT: f32 = 0.016;
const SMALL_SIDE: f32 = 200.0;
const MOST_SPOT: f32 = 6.0;
// Brightness of the background.
const GROUND: f32 = 0.035;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let at = trace.origin + trace.size * vec2<u32>(index & 1u, index >> 1u);
    let place = vec2<f32>(at) / vec2<f32>(trace.view) * 2.0 - 1.0;
    return vec4<f32>(place.x, -place.y, 0.0, 1.0);
}

// Light on the background. The grayer the light, the more opaque, since the picture would tint it.
fn over_ground(light: vec3<f32>) -> vec4<f32> {
    let lit = min(light + vec3<f32>(GROUND * trace.ground), vec3<f32>(1.0));
    let opacity = max(trace.ground, max(lit.r, max(lit.g, lit.b)));
    let high = max(light.r, max(light.g, light.b));
    let gray = select(0.0, min(light.r, min(light.g, light.b)) / max(high, 1e-6), trace.ground > 0.0);
    return vec4<f32>(lit, mix(opacity, 1.0, gray));
}

// The trace painted by the CPU, column by column.
@fragment
fn painted(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let at = vec2<u32>(pixel.xy) - trace.origin;
    return unpack4x8unorm(counts[at.x * trace.size.y + at.y]);
}

@fragment
fn plate() -> @location(0) vec4<f32> {
    return over_ground(vec3<f32>(0.0));
}

// First and last of `count` items shown by pixel `at` of `pixels`. If there are more items than pixels, each belongs to
// one pixel. Otherwise all items have the same number of pixels, within one.
fn shown(at: u32, pixels: u32, count: u32) -> vec2<u32> {
    let first = at * count / pixels;
    return vec2<u32>(first, select(first, (at + 1u) * count / pixels - 1u, count >= pixels));
}

// Levels per level of 8 bits.
fn finer() -> f32 {
    return f32(1u << trace.level_bits) / 256.0;
}

// The first sample of a column.
fn begin_of(column: u32, columns: u32, samples: u32) -> u32 {
    return (column * samples + columns - 1u) / columns;
}

// Brightness of a channel's point: column `x` of `width`, these levels. Loops have the same length for every pixel, and
// iterations beyond a pixel's own part add nothing. A software adapter was seen to lose counts when neighbours left a
// loop earlier.
fn level_light(channel: u32, x: u32, width: u32, levels: vec2<u32>) -> f32 {
    let columns = trace.columns[channel];
    let across = shown(x, width, max(columns, 1u));
    let narrowest = max(trace.size.x / select(1u, max(countOneBits(trace.channels), 1u), trace.parade == 1u), 1u);
    let most_columns = columns / narrowest + 1u;
    let most_levels = (1u << trace.level_bits) / trace.size.y + 1u;
    var sum = 0u;
    for (var i = 0u; i < most_columns; i += 1u) {
        let column = min(across.x + i, across.y);
        let base = channel * trace.stride + (column << trace.level_bits);
        for (var k = 0u; k < most_levels; k += 1u) {
            let level = min(levels.x + k, levels.y);
            let is_own = across.x + i <= across.y && levels.x + k <= levels.y;
            sum += select(0u, counts[base + level], is_own);
        }
    }
    let samples = trace.widths[channel];
    let held = begin_of(across.y + 1u, max(columns, 1u), samples) - begin_of(across.x, max(columns, 1u), samples);
    let share = f32(sum) / max(f32(held) * f32(trace.heights[channel]), 1.0);
    let density = share * finer() / f32(levels.y + 1u - levels.x);
    let light = WAVEFORM_FLOOR + WAVEFORM_LIGHT * sqrt(density) * trace.gain;
    return select(0.0, light, sum > 0u && columns > 0u);
}

@fragment
fn waveform(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let at = vec2<u32>(pixel.xy) - trace.origin;
    let levels = shown(trace.size.y - 1u - at.y, trace.size.y, 1u << trace.level_bits);
    var light = vec3<f32>(0.0);
    if trace.parade == 0u {
        for (var channel = 0u; channel < 4u; channel += 1u) {
            if (trace.channels & (1u << channel)) != 0u {
                light += trace.lights[channel].rgb * level_light(channel, at.x, trace.size.x, levels);
            }
        }
        return over_ground(light);
    }
    // The part that contains this pixel. Its index is the number of drawn channels before its own.
    let parts = max(countOneBits(trace.channels), 1u);
    let part = at.x * parts / trace.size.x;
    let begin = (part * trace.size.x + parts - 1u) / parts;
    let end = ((part + 1u) * trace.size.x + parts - 1u) / parts;
    var before = 0u;
    for (var channel = 0u; channel < 4u; channel += 1u) {
        if (trace.channels & (1u << channel)) != 0u {
            if before == part {
                light = trace.lights[channel].rgb * level_light(channel, at.x - begin, end - begin, levels);
            }
            before += 1u;
        }
    }
    return over_ground(light);
}

// First and last of the levels whose middle is on a pixel of `side`, counted from the low end. If there are none, both
// are the level under the pixel's middle. The middle code is in the middle of the panel. Beyond the outermost levels,
// the range contains no level.
fn levels_at(at: f32, side: f32, centre: f32) -> vec2<i32> {
    let count = f32(1u << trace.level_bits);
    let step = (count + 1.0) / (trace.zoom * side);
    let begin = centre + 0.5 + (at - 0.5 * side) * step;
    let first = i32(ceil(begin - 0.5));
    let last = i32(ceil(begin + step - 0.5)) - 1;
    let under = i32(floor(begin + 0.5 * step));
    return select(vec2<i32>(max(first, 0), min(last, i32(count) - 1)), vec2<i32>(under), last < first);
}

// The hue of a pair of differences, each from -1 to 1: pure if they are large, white in the middle.
fn hue_of(differences: vec2<f32>) -> vec3<f32> {
    let cb = differences.x;
    let cr = differences.y;
    let color = vec3<f32>(trace.hue.x * cr, trace.hue.y * cb + trace.hue.z * cr, trace.hue.w * cb);
    let low = min(color.r, min(color.g, color.b));
    let high = max(color.r, max(color.g, color.b));
    let pure = (color - low) / max(high - low, 1e-6);
    // Pure blue would be hard to see on a dark background.
    return mix(vec3<f32>(1.0), pure * 0.75 + 0.25, clamp(length(differences) * 5.0, 0.0, 1.0));
}

// The colour of a chromaticity, by its coordinates as fractions of the highest level: clipped to BT.709, and lighter,
// since pure blue would be hard to see on a dark background.
fn color_of(coordinates: vec2<f32>) -> vec3<f32> {
    let place = vec3<f32>(coordinates, 1.0);
    let light = max(
        vec3<f32>(dot(trace.colors[0].xyz, place), dot(trace.colors[1].xyz, place), dot(trace.colors[2].xyz, place)),
        vec3<f32>(0.0),
    );
    let high = max(light.r, max(light.g, light.b));
    return sqrt(light / max(high, 1e-6)) * 0.75 + 0.25;
}

// Brightness of the spots around the middle of a pixel. A pair of levels at full brightness makes a round spot, which
// is visible if a level has few pixels. Loops have the same length for every pixel.
fn spots(at: vec2<f32>, side: f32) -> f32 {
    let count = f32(1u << trace.level_bits);
    let step = (count + 1.0) / (trace.zoom * side);
    let radius = 0.5 * min(SPOT * (side - SMALL_SIDE), MOST_SPOT);
    // A pixel or a level covers this much by itself.
    if radius < 0.75 || radius * step <= 0.5 {
        return 0.0;
    }
    let middle = vec2<f32>(at.x + 0.5, side - 0.5 - at.y);
    let place = trace.centre + (middle - 0.5 * side) * step;
    let reach = (radius + 0.5) * step;
    let first = vec2<i32>(ceil(place - reach));
    let levels = i32(2.0 * reach) + 1;
    var most = 0.0;
    for (var i = 0; i < levels; i += 1) {
        for (var k = 0; k < levels; k += 1) {
            let pair = first + vec2<i32>(i, k);
            let is_pair = all(pair >= vec2<i32>(0)) && all(pair < vec2<i32>(i32(count)));
            let inside = vec2<u32>(clamp(pair, vec2<i32>(0), vec2<i32>(i32(count) - 1)));
            let held = select(0u, counts[(inside.x << trace.level_bits) | inside.y], is_pair);
            let share = f32(held) / trace.samples;
            let light = VECTORSCOPE_FLOOR + VECTORSCOPE_LIGHT * sqrt(share) * finer() * trace.gain;
            let away = length((vec2<f32>(pair) - place) / step);
            let covered = clamp(radius + 0.5 - away, 0.0, 1.0);
            most = max(most, clamp((light - 1.0) * 0.5, 0.0, 1.0) * covered);
        }
    }
    return most;
}

@fragment
fn vectorscope(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let size = vec2<f32>(trace.size);
    let side = min(size.x, size.y);
    let at = floor(pixel.xy) - vec2<f32>(trace.origin) - floor((size - side) * 0.5);
    if any(at < vec2<f32>(0.0)) || any(at >= vec2<f32>(side)) {
        return over_ground(vec3<f32>(0.0));
    }
    let across = levels_at(at.x, side, trace.centre.x);
    let up = levels_at(side - 1.0 - at.y, side, trace.centre.y);
    let count = i32(1u << trace.level_bits);
    var sum = 0u;
    for (var cb = max(across.x, 0); cb <= min(across.y, count - 1); cb += 1) {
        for (var cr = max(up.x, 0); cr <= min(up.y, count - 1); cr += 1) {
            sum += counts[(u32(cb) << trace.level_bits) | u32(cr)];
        }
    }
    let cells = f32((across.y + 1 - across.x) * (up.y + 1 - up.x));
    let density = f32(sum) / trace.samples * finer() * finer() / cells;
    let own = select(0.0, VECTORSCOPE_FLOOR + VECTORSCOPE_LIGHT * sqrt(density) * trace.gain, sum > 0u);
    let light = max(own, spots(at, side));
    if light == 0.0 {
        return over_ground(vec3<f32>(0.0));
    }
    let pair = vec2<f32>(f32(across.x), f32(up.x));
    var hue = vec3<f32>(0.8, 1.0, 0.85);
    if trace.white == 0u && trace.is_chromaticity == 1u {
        hue = color_of((pair + 0.5) / f32(count));
    } else if trace.white == 0u {
        let middle = vec2<f32>(f32(count / 2));
        hue = hue_of((pair - middle) / middle);
    }
    return over_ground(min(light, 1.0) * trace.strength * hue);
}

// Draws the picture: converts samples to R'G'B' as coded, interpolates chroma, and scales to the view.
//
// The codes go unchanged to a view that is not sRGB, or become light. Nothing is counted here, so real numbers suffice.

struct Placement {
    transform: mat4x4<f32>, // picture, 0..1 from its top left corner, to clip space
    // The position of a pixel of the view in the picture, in luma samples. It is exact at 1:1, where coordinates
    // interpolated from the rectangle's corners would not be.
    across: vec2<f32>,      // from a pixel to the next one on its right
    down: vec2<f32>,        // from a pixel to the next one below
    origin: vec2<f32>,      // of the view's top left corner
    taps: u32,              // per side, averaged for each pixel of a reduced picture
    hard: u32,              // true if every pixel of the view shows a single sample
    view_width: u32,        // columns of the view
    turned: u32,            // true if columns of the view are rows of the picture
    // Pixels with a bin of these channels in low..=high keep their brightness, and the rest is dimmed. Bit c is channel
    // c. See crates/render/src/view/brush.rs.
    channels: u32,
    low: u32,
    high: u32,
    strength: u32,          // strength of dimming, in 256ths; 0 without a brush
    coded: u32,             // true if the channels are Y', Cb and Cr as coded
    // Words per row of `lit`, which then decides instead of this picture's own codes; 0 to use the codes.
    lit_words: u32,
    // The part of the picture that may be lit: column and row of the first pixel, then one past the last.
    first: vec2<u32>,
    end: vec2<u32>,
    // Zebra and marks; see crates/render/src/view/exposure.rs.
    zebra: u32,             // the lowest striped tone; the highest number if none
    stripe: u32,            // width of a stripe along a row
    tone_coded: u32,        // true if a pixel's tone is its Y' as coded instead of its luminance
    marks: u32,             // 0 if nothing is marked, 1 to mark red, green and blue, 2 to mark code values
    // Words per row of a plane in `lit` with one bit per pixel of the picture, which then decides; 0 if there is none.
    // The other words are unused.
    selected: vec4<u32>,
    lowest: vec4<i32>,      // the lowest unmarked value of each channel
    highest: vec4<i32>,     // the lowest marked value above
    mark_colors: array<vec4<u32>, 3>,
    // False colour; see crates/render/src/view/exposure/false_color.rs.
    // 0 if off, 1 by Y' as coded, 2 by luminance, 3 by the largest code, 4 by the light of HLG; then the codes of black
    // and of white.
    tint: vec4<i32>,
    bands: array<vec4<i32>, 10>, // the lowest value of each band and its colour, whose red is -1 if pixels keep their gray
    // The codes written in each pixel of the picture; see crates/render/src/view/datascope.rs.
    text: vec4<u32>,        // lines, 0 if none; pixels of the view per dot; digits; their base
    letters: vec4<u32>,     // dots across and down; true for Y', Cb and Cr as coded; start of cells in `nearest`
    glyphs: array<vec4<u32>, 16>, // dots of each character, four rows per number
    // Tone mapping; see crates/core/src/tone_map.rs.
    gamut: array<vec4<f32>, 3>, // rows that give red, green and blue of BT.709
    // 0 if codes are shown as they are, 1 if they are mapped, 2 with the system gamma of HLG; then true if all light is
    // shown, as on a display for HDR; then the lowest contrast that focus peaking marks, 0 if none: see
    // crates/render/src/view/exposure/peaking.rs.
    tone: vec4<u32>,
}

// True if the view takes light by BT.1886 in place of codes.
override LIGHT: bool = false;

const NO_ZEBRA: u32 = 0xffffffffu;
// Brightness of marks, dimming of other pixels, and stripes, as in crates/render/src/view/exposure.rs.
const MARK_LIGHTS: vec3<u32> = vec3<u32>(256u, 186u, 96u);
const MARK_DIMMING: u32 = 192u;
const PEAKING: vec3<f32> = vec3<f32>(255.0, 32.0, 32.0);
const STRIPE: vec2<u32> = vec2<u32>(64u, 191u);
// As in crates/render/src/view/datascope.rs.
const LINE_GAP: u32 = 2u;
const LIGHT_GROUND: u32 = 3500000u;
// Weights of luminance, and the tables of tone mapping, as in crates/core/src/tone_map.rs.
const HLG_WEIGHTS: vec3<f32> = vec3<f32>(0.2627, 0.678, 0.0593);
const LAST_SIGNAL: f32 = 4095.0;
const LIGHTS: u32 = 6145u;
const SYSTEM_AT: u32 = 4096u;
const GAINS_AT: u32 = SYSTEM_AT + LIGHTS;
const CODES_AT: u32 = GAINS_AT + LIGHTS;
const STEP_BITS: u32 = 8u;
const LOWEST: u32 = 103u << STEP_BITS;

@group(1) @binding(0) var<uniform> placement: Placement;
// For each column of the view, then for each row, the column or row of the picture whose sample covers it. The CPU
// computes them, so that the pixel under the pointer, the lit pixel and the shown pixel are always the same. If codes
// are written, this is followed by the position of the column or row in the cell that shows the sample, with the cell's
// size in the upper half.
@group(1) @binding(1) var<storage, read> nearest: array<u32>;
// The pixels of the view lit by another picture's codes: one bit each, the first pixel of a row in the first word's
// lowest bit. Or the pixels of the picture selected by brushes of several scopes: see shaders/brush.wgsl.
@group(1) @binding(2) var<storage, read> lit: array<u32>;
// For false colour by the light of HLG, `LightMeter::table`. Otherwise the tables of tone mapping, as real numbers: the
// light of each signal, HLG's gain by luminance, the gain by largest light, codes by light.
@group(1) @binding(3) var<storage, read> table: array<u32>;
// The same buffer as `lit`, as written by `light`.
@group(2) @binding(0) var<storage, read_write> found: array<u32>;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let uv = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    return placement.transform * vec4<f32>(uv, 0.0, 1.0);
}

// A component at a position in its own grid, linear between four samples. 0 is the middle of the first sample.
fn interpolated(component: u32, position: vec2<f32>, size: vec2<u32>) -> f32 {
    let last = vec2<f32>(size - vec2<u32>(1u));
    let inside = clamp(position, vec2<f32>(0.0), last);
    let low = vec2<u32>(inside);
    let high = min(low + vec2<u32>(1u), size - vec2<u32>(1u));
    let part = inside - floor(inside);
    let upper = mix(f32(code_at(component, low.x, low.y)), f32(code_at(component, high.x, low.y)), part.x);
    let lower = mix(f32(code_at(component, low.x, high.y)), f32(code_at(component, high.x, high.y)), part.x);
    return mix(upper, lower, part.y);
}

// Chroma shared within fields, at a position of the luma grid. Between two luma rows, their chroma is blended like the
// rows.
fn of_fields(component: u32, position: vec2<f32>) -> f32 {
    let across = clamp(position.x / f32(1u << CHROMA_X), 0.0, f32(picture.chroma_size.x - 1u));
    let left = u32(across);
    let right = min(left + 1u, picture.chroma_size.x - 1u);
    let down = clamp(position.y, 0.0, f32(picture.size.y - 1u));
    let upper = chroma_row(u32(down));
    let lower = chroma_row(min(u32(down) + 1u, picture.size.y - 1u));
    let part = vec2<f32>(across, down) - floor(vec2<f32>(across, down));
    return mix(
        mix(f32(code_at(component, left, upper)), f32(code_at(component, right, upper)), part.x),
        mix(f32(code_at(component, left, lower)), f32(code_at(component, right, lower)), part.x),
        part.y,
    );
}

// Component codes at a position of the luma grid.
fn components_at(position: vec2<f32>) -> vec3<f32> {
    let first = interpolated(0u, position, picture.size);
    if MODEL == 0u {
        return vec3<f32>(first, 0.0, 0.0);
    }
    if CHROMA_FIELDS {
        return vec3<f32>(first, of_fields(1u, position), of_fields(2u, position));
    }
    // Chroma samples are at the left of the luma samples that they cover, and centred vertically.
    let share = vec2<f32>(f32(1u << CHROMA_X), f32(1u << CHROMA_Y));
    let chroma = (position - vec2<f32>(0.0, (share.y - 1.0) * 0.5)) / share;
    return vec3<f32>(
        first,
        interpolated(1u, chroma, picture.chroma_size),
        interpolated(2u, chroma, picture.chroma_size),
    );
}

// The picture's pixel that covers a pixel of the view.
fn covering(pixel: vec2<u32>) -> vec2<u32> {
    let along = vec2<u32>(nearest[pixel.x], nearest[placement.view_width + pixel.y]);
    return select(along, along.yx, placement.turned != 0u);
}

// True if the brush lights a pixel with these codes.
fn is_lit(codes: vec3<u32>) -> bool {
    return (channels_in(codes, placement.coded != 0u, placement.low, placement.high) & placement.channels) != 0u;
}

// True if the brush lights this pixel of the picture.
fn is_lit_in_picture(at: vec2<u32>) -> bool {
    return all(at >= placement.first) && all(at < placement.end) && is_lit(codes_at(at));
}

// True if a pixel of the view is lit.
fn is_lit_at(pixel: vec2<u32>) -> bool {
    if placement.selected.x != 0u {
        // The first of four planes; the others are for the scopes.
        let at = covering(pixel);
        return ((lit[at.y * 4u * placement.selected.x + (at.x >> 5u)] >> (at.x & 31u)) & 1u) != 0u;
    }
    if placement.lit_words != 0u {
        return ((lit[pixel.y * placement.lit_words + (pixel.x >> 5u)] >> (pixel.x & 31u)) & 1u) != 0u;
    }
    return is_lit_in_picture(covering(pixel));
}

// Finds the pixels of the view that this picture lights in another one. One workgroup per row, one invocation per word.
@compute @workgroup_size(64)
fn light(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let row_words = (placement.view_width + 31u) >> 5u;
    for (var word = local; word < row_words; word += 64u) {
        var bits = 0u;
        let end = min(32u, placement.view_width - (word << 5u));
        for (var at = 0u; at < end; at += 1u) {
            let pixel = vec2<u32>((word << 5u) + at, group.x);
            bits |= select(0u, 1u << at, is_lit_in_picture(covering(pixel)));
        }
        found[group.x * row_words + word] = bits;
    }
}

// Dims a colour of 8-bit codes towards dark gray.
fn dimmed(rgb: vec3<u32>, strength: u32) -> vec3<u32> {
    let gray = (54u * rgb.r + 183u * rgb.g + 19u * rgb.b) >> 8u;
    let dark = 18u + ((gray * 56u) >> 8u);
    return (rgb * (256u - strength) + dark * strength + 128u) >> vec3<u32>(8u);
}

// The integer of a pixel with these codes that decides its false colour.
fn tint_value(codes: vec3<u32>) -> i32 {
    let bins = bins_of(codes);
    switch placement.tint.x {
        case 1i: { return i32(codes.x); }
        case 2i: { return i32(bins.w); }
        case 3i: { return i32(max(max(bins.r, bins.g), bins.b)); }
        default: { return i32(light_on_display(vec3<u32>(table[bins.r], table[bins.g], table[bins.b])) >> 1u); }
    }
}

// The false colour of a pixel with these codes.
fn tinted(codes: vec3<u32>) -> vec3<u32> {
    let value = tint_value(codes);
    let span = placement.tint.z - placement.tint.y;
    let gray = vec3<i32>((clamp(value - placement.tint.y, 0i, span) * 510i + span) / (2i * span));
    var color = gray;
    for (var band = 0u; band < 10u; band += 1u) {
        let from_here = placement.bands[band];
        if value >= from_here.x {
            color = select(from_here.yzw, gray, from_here.y < 0i);
        }
    }
    return vec3<u32>(color);
}

// The contrast at a pixel of the picture, for focus peaking.
fn contrast_at(at: vec2<u32>) -> u32 {
    let component = select(0u, 1u, MODEL == 2u);
    let low = max(at, vec2<u32>(1u)) - 1u;
    let high = min(at + 1u, picture.size - 1u);
    let across = abs(i32(code_at(component, high.x, at.y)) - i32(code_at(component, low.x, at.y)));
    let down = abs(i32(code_at(component, at.x, high.y)) - i32(code_at(component, at.x, low.y)));
    return u32(max(across, down));
}

// The colour of a pixel of the view, with its zebra and its marks.
fn inspected(shown: vec3<f32>, pixel: vec2<u32>) -> vec3<f32> {
    let codes = codes_at(covering(pixel));
    var color = shown;
    if placement.marks != 0u {
        let values = select(sums_of(codes), vec3<i32>(codes), placement.marks == 2u);
        let below = values < placement.lowest.xyz;
        let above = values >= placement.highest.xyz;
        if any(below) || any(above) {
            let cell = pixel / max(placement.stripe / 2u, 1u);
            let low = select(MARK_LIGHTS.y, MARK_LIGHTS.z, ((cell.x + cell.y) & 1u) != 0u);
            let level = select(select(vec3<u32>(0u), vec3<u32>(low), below), vec3<u32>(MARK_LIGHTS.x), above);
            var mark = (placement.mark_colors[0].rgb * level.x + 128u) >> vec3<u32>(8u);
            mark = max(mark, (placement.mark_colors[1].rgb * level.y + 128u) >> vec3<u32>(8u));
            return vec3<f32>(max(mark, (placement.mark_colors[2].rgb * level.z + 128u) >> vec3<u32>(8u)));
        }
        // Dimmed false colours would not match their legend.
        if placement.tint.x == 0i {
            color = vec3<f32>(dimmed(vec3<u32>(color), MARK_DIMMING));
        }
    }
    if placement.tone.z != 0u && contrast_at(covering(pixel)) >= placement.tone.z {
        return PEAKING;
    }
    let luminance = bins_of(codes).w;
    let tone = select(luminance, codes.x, placement.tone_coded != 0u);
    if tone >= placement.zebra && (((pixel.x + pixel.y) / placement.stripe) & 1u) == 0u {
        let light = select(STRIPE.y, 0u, (luminance >> (BITS - 1u)) != 0u);
        color = vec3<f32>((vec3<u32>(color) * STRIPE.x + light * (256u - STRIPE.x) + 128u) >> vec3<u32>(8u));
    }
    return color;
}

// The codes of the lines written in a pixel of the picture.
fn written(codes: vec3<u32>) -> vec3<u32> {
    if placement.letters.z != 0u {
        return codes;
    }
    let bins = bins_of(codes);
    return select(bins.www, bins.rgb, placement.text.x > 1u);
}

// True if a pixel of the view is part of a written character.
fn is_ink(pixel: vec2<u32>) -> bool {
    let cells = placement.letters.w;
    let packed = vec2<u32>(nearest[cells + pixel.x], nearest[cells + placement.view_width + pixel.y]);
    let scale = placement.text.y;
    let digits = placement.text.z;
    let base = placement.text.w;
    let pitch = (placement.letters.xy + vec2<u32>(1u, LINE_GAP)) * scale;
    let size = vec2<u32>(digits, placement.text.x) * pitch - vec2<u32>(1u, LINE_GAP) * scale;
    let cell = packed >> vec2<u32>(16u);
    // Before the first line or character, this wraps around to a value that is too large.
    let at = (packed & vec2<u32>(0xffffu)) - (max(cell, size) - size) / 2u;
    if any(at >= size) {
        return false;
    }
    let dot = at % pitch / scale;
    if any(dot >= placement.letters.xy) {
        return false;
    }
    let values = written(codes_at(covering(pixel)));
    let line = at.y / pitch.y;
    var value = select(select(values.z, values.y, line == 1u), values.x, line == 0u);
    let leading = digits - 1u - at.x / pitch.x;
    for (var digit = 0u; digit < leading; digit += 1u) {
        value /= base;
    }
    if value == 0u && leading > 0u && base == 10u {
        return false;
    }
    let rows = placement.glyphs[value % base];
    return ((select(rows.y, rows.x, dot.y < 4u) >> ((dot.y & 3u) * placement.letters.x + dot.x)) & 1u) != 0u;
}

// Component codes at a pixel of the view, averaged over the part of the picture that it covers.
fn averaged(pixel: vec2<f32>) -> vec3<f32> {
    // The middle of the first sample is position 0, while the view's corner is the corner of its first pixel.
    let position = placement.across * pixel.x + placement.down * pixel.y + placement.origin - 0.5;
    let taps = placement.taps;
    var sum = vec3<f32>(0.0);
    for (var y = 0u; y < taps; y += 1u) {
        for (var x = 0u; x < taps; x += 1u) {
            let at = (vec2<f32>(f32(x), f32(y)) + 0.5) / f32(taps) - 0.5;
            sum += components_at(position + placement.across * at.x + placement.down * at.y);
        }
    }
    return sum / f32(taps * taps);
}

// The position of a light in a table.
fn light_entry(light: f32) -> u32 {
    return min(max(bitcast<u32>(max(light, 0.0)) >> (23u - STEP_BITS), LOWEST) - LOWEST, LIGHTS - 1u);
}

// An entry of the tables of tone mapping.
fn tone_at(index: u32) -> f32 {
    return bitcast<f32>(table[index]);
}

// The light of a signal from 0 to 1.
fn light_of(signal: f32) -> f32 {
    let at = clamp(signal, 0.0, 1.0) * LAST_SIGNAL;
    let below = min(u32(at), u32(LAST_SIGNAL) - 1u);
    return mix(tone_at(below), tone_at(below + 1u), at - f32(below));
}

// The colour that a display shows for signals from 0 to 1: 0 to 255, or beyond if all light is shown.
fn tone_mapped(rgb: vec3<f32>) -> vec3<f32> {
    var color = vec3<f32>(light_of(rgb.r), light_of(rgb.g), light_of(rgb.b));
    if placement.tone.x == 2u {
        color *= tone_at(SYSTEM_AT + light_entry(dot(HLG_WEIGHTS, color)));
    }
    color *= tone_at(GAINS_AT + light_entry(max(color.r, max(color.g, color.b))));
    color = vec3<f32>(
        dot(placement.gamut[0].xyz, color),
        dot(placement.gamut[1].xyz, color),
        dot(placement.gamut[2].xyz, color),
    );
    if placement.tone.y != 0u {
        return sign(color) * pow(abs(color), vec3<f32>(1.0 / 2.4)) * 255.0;
    }
    return vec3<f32>(
        tone_at(CODES_AT + light_entry(color.r)),
        tone_at(CODES_AT + light_entry(color.g)),
        tone_at(CODES_AT + light_entry(color.b)),
    );
}

// The picture's own colour on a pixel of the view, 0 to 255, or beyond if all light is shown.
fn pictured(pixel: vec2<f32>) -> vec3<f32> {
    var codes: vec4<f32>;
    if placement.hard != 0u {
        codes = vec4<f32>(vec3<f32>(codes_at(covering(vec2<u32>(pixel)))), 1.0);
    } else {
        codes = vec4<f32>(averaged(pixel), 1.0);
    }
    let rgb = vec3<f32>(
        dot(picture.real_red, codes),
        dot(picture.real_green, codes),
        dot(picture.real_blue, codes),
    );
    if placement.tone.x != 0u {
        return tone_mapped(rgb);
    }
    // Rounds here, so that the view's own rounding, which differs between formats, has no effect.
    return floor(clamp(rgb, vec3<f32>(0.0), vec3<f32>(1.0)) * 255.0 + 0.5);
}

@fragment
fn video(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    var shown: vec3<f32>;
    if placement.tint.x != 0i {
        shown = vec3<f32>(tinted(codes_at(covering(vec2<u32>(pixel.xy)))));
    } else {
        shown = pictured(pixel.xy);
    }
    if placement.strength != 0u && !is_lit_at(vec2<u32>(pixel.xy)) {
        shown = vec3<f32>(dimmed(vec3<u32>(shown), placement.strength));
    }
    if placement.marks != 0u || placement.zebra != NO_ZEBRA || placement.tone.z != 0u {
        shown = inspected(shown, vec2<u32>(pixel.xy));
    }
    if placement.text.x != 0u && is_ink(vec2<u32>(pixel.xy)) {
        let limited = vec3<u32>(min(shown, vec3<f32>(255.0)));
        let ground = limited * limited;
        let light = 54u * ground.r + 183u * ground.g + 19u * ground.b;
        shown = vec3<f32>(select(255.0, 0.0, light >= LIGHT_GROUND));
    }
    let codes = shown / 255.0;
    if LIGHT {
        return vec4<f32>(sign(codes) * pow(abs(codes), vec3<f32>(2.4)), 1.0);
    }
    return vec4<f32>(codes, 1.0);
}

// Draws the picture: samples to R'G'B' as coded, chroma interpolated, scaled to the view.
//
// The codes go unchanged to a view that is not sRGB. Nothing is counted here, so real numbers will do.

struct Placement {
    transform: mat4x4<f32>, // picture, 0..1 from its top left corner, to clip space
    // Where in the picture a pixel of the view lies, in luma samples: exact at 1:1, where interpolated coordinates of
    // the rectangle's corners would not be.
    across: vec2<f32>,      // from a pixel to the next one at its right
    down: vec2<f32>,        // from a pixel to the next one below
    origin: vec2<f32>,      // of the view's top left corner
    taps: u32,              // a side, from which a picture drawn smaller than itself is averaged
    padding: u32,
}

@group(1) @binding(0) var<uniform> placement: Placement;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let uv = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    return placement.transform * vec4<f32>(uv, 0.0, 1.0);
}

// A component at a position in its own grid, 0 being the middle of the first sample; linear between four samples.
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

// Component codes at a position of the luma grid.
fn components_at(position: vec2<f32>) -> vec3<f32> {
    let first = interpolated(0u, position, picture.size);
    if MODEL == 0u {
        return vec3<f32>(first, 0.0, 0.0);
    }
    // Chroma samples lie at the left of the luma samples that they cover, and vertically in their middle.
    let share = vec2<f32>(f32(1u << CHROMA_X), f32(1u << CHROMA_Y));
    let chroma = (position - vec2<f32>(0.0, (share.y - 1.0) * 0.5)) / share;
    return vec3<f32>(
        first,
        interpolated(1u, chroma, picture.chroma_size),
        interpolated(2u, chroma, picture.chroma_size),
    );
}

@fragment
fn video(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
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
    let codes = vec4<f32>(sum / f32(taps * taps), 1.0);
    let rgb = vec3<f32>(
        dot(picture.real_red, codes),
        dot(picture.real_green, codes),
        dot(picture.real_blue, codes),
    );
    // Rounded here, so that a view's own rounding, which differs between formats, has nothing left to decide.
    let shown = floor(clamp(rgb, vec3<f32>(0.0), vec3<f32>(1.0)) * 255.0 + 0.5) / 255.0;
    return vec4<f32>(shown, 1.0);
}

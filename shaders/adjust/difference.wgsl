// Computes the difference of two pictures, pixel by pixel, exactly as defined in crates/core/src/adjust/difference.rs.
// Follows picture.wgsl.
//
// `unpack` writes a picture's codes in the packed format. `subtract`, whose constants describe the first picture's
// layout, can then read the second one whatever its layout was.

struct Difference {
    other_size: vec2<u32>, // pixels
    other_bits: u32,
    turned: u32,           // true if a column of the picture is a row of the second one
    gain: u32,
    padding_0: u32,
    padding_1: u32,
    padding_2: u32,
}

@group(1) @binding(0) var<uniform> asked: Difference;
@group(1) @binding(1) var<storage, read> other: array<u32>;  // its codes, as `put` writes them
@group(1) @binding(2) var<storage, read> places: array<u32>; // for each column, then for each row, in steps of a sample
@group(1) @binding(3) var<storage, read_write> result: array<u32>;

override TOP: u32 = (1u << BITS) - 1u;
const STEPS: u32 = 64u;

// Row stride in pixels: whole strips.
fn stride_of(width: u32) -> u32 {
    return (width + 3u) & 0xfffffffcu;
}

fn put(at: vec2<u32>, rgb: vec3<u32>) {
    let pixel = at.y * stride_of(picture.size.x) + at.x;
    if BITS == 8u {
        result[pixel] = rgb.r | (rgb.g << 8u) | (rgb.b << 16u) | 0xff000000u;
        return;
    }
    result[2u * pixel] = rgb.r | (rgb.g << 16u);
    result[2u * pixel + 1u] = rgb.b | (TOP << 16u);
}

fn other_at(x: u32, y: u32) -> vec3<u32> {
    let last = asked.other_size - vec2<u32>(1u);
    let pixel = min(y, last.y) * stride_of(asked.other_size.x) + min(x, last.x);
    if asked.other_bits == 8u {
        return (vec3<u32>(other[pixel]) >> vec3<u32>(0u, 8u, 16u)) & vec3<u32>(255u);
    }
    let first = other[2u * pixel];
    return vec3<u32>(first & 0xffffu, first >> 16u, other[2u * pixel + 1u] & 0xffffu);
}

// The second picture's codes at a position between four of its pixels.
fn sample(at: vec2<u32>) -> vec3<u32> {
    let pixel = at / STEPS;
    let part = at % STEPS;
    if all(part == vec2<u32>(0u)) {
        return other_at(pixel.x, pixel.y);
    }
    let above = other_at(pixel.x, pixel.y) * (STEPS - part.x) + other_at(pixel.x + 1u, pixel.y) * part.x;
    let below = other_at(pixel.x, pixel.y + 1u) * (STEPS - part.x) + other_at(pixel.x + 1u, pixel.y + 1u) * part.x;
    return (above * (STEPS - part.y) + below * part.y + STEPS * STEPS / 2u) / (STEPS * STEPS);
}

@compute @workgroup_size(64)
fn unpack(@builtin(global_invocation_id) at: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    if at.x >= picture.size.x {
        return;
    }
    for (var row = at.y; row < picture.size.y; row += groups.y) {
        let pixel = vec2<u32>(at.x, row);
        put(pixel, bins_of(codes_at(pixel)).rgb);
    }
}

@compute @workgroup_size(64)
fn subtract(@builtin(global_invocation_id) at: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    if at.x >= picture.size.x {
        return;
    }
    let other_top = (1u << asked.other_bits) - 1u;
    for (var row = at.y; row < picture.size.y; row += groups.y) {
        let pixel = vec2<u32>(at.x, row);
        let place = vec2<u32>(places[at.x], places[picture.size.x + row]);
        var there = sample(select(place, place.yx, asked.turned != 0u));
        if asked.other_bits != BITS {
            there = (there * TOP + other_top / 2u) / other_top;
        }
        let here = bins_of(codes_at(pixel)).rgb;
        let apart = max(here, there) - min(here, there);
        put(pixel, min(apart * asked.gain, vec3<u32>(TOP)));
    }
}

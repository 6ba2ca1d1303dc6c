// Shared by every pass that reads a picture: the decoded planes, and how to read a sample from them. This text precedes
// the pass's own; together they are one module.
//
// Planes are in storage buffers, four bytes per word, little-endian, with rows padded to whole words. Reading words
// instead of texels serves every layout with the same few lines: one load brings up to four samples, pixels of three
// bytes need no repacking, and no limit on texture size applies.

// The memory layout, fixed for a pipeline. The names follow crates/core/src/picture/layout.rs.
override MODEL: u32;         // 0 gray, 1 Y'CbCr, 2 R'G'B'
override BITS: u32;          // n: a code has n bits
override FRACTION: u32;      // fractional bits of the integer conversion's weights
override SHIFT_0: u32;       // right shift from a component's stored word to its code
override SHIFT_1: u32;
override SHIFT_2: u32;
override SAMPLE_BYTES: u32;  // 1 or 2
override CHROMA_X: u32;      // log2 of the luma samples per chroma sample, horizontally
override CHROMA_Y: u32;      // and vertically
override CHROMA_FIELDS: bool = false; // true if chroma rows belong to fields, for chroma with half as many rows as luma
override PLANE_0: u32;
override PLANE_1: u32;
override PLANE_2: u32;
override OFFSET_0: u32;      // bytes from the row's start to the first sample
override OFFSET_1: u32;
override OFFSET_2: u32;
override STEP_0: u32;        // distance between samples in bytes
override STEP_1: u32;
override STEP_2: u32;

// Weights of luminance in ten-thousandths, as in crates/core/src/picture/luminance.rs. They add up to 10000.
override LUMINANCE_RED: u32;
override LUMINANCE_GREEN: u32;
override LUMINANCE_BLUE: u32;

struct Picture {
    size: vec2<u32>,         // pixels
    chroma_size: vec2<u32>,  // samples
    strides: vec4<u32>,      // words per row of each plane
    // The integer conversion of crates/core/src/picture/color.rs: three weights and the bias, for red, green and blue.
    red: vec4<i32>,
    green: vec4<i32>,
    blue: vec4<i32>,
    // The same conversion in real numbers, for display: codes to 0..1.
    real_red: vec4<f32>,
    real_green: vec4<f32>,
    real_blue: vec4<f32>,
}

@group(0) @binding(0) var<uniform> picture: Picture;
@group(0) @binding(1) var<storage, read> plane_0: array<u32>;
@group(0) @binding(2) var<storage, read> plane_1: array<u32>;
@group(0) @binding(3) var<storage, read> plane_2: array<u32>;

fn component_plane(component: u32) -> u32 {
    return select(select(PLANE_2, PLANE_1, component == 1u), PLANE_0, component == 0u);
}

fn component_offset(component: u32) -> u32 {
    return select(select(OFFSET_2, OFFSET_1, component == 1u), OFFSET_0, component == 0u);
}

fn component_step(component: u32) -> u32 {
    return select(select(STEP_2, STEP_1, component == 1u), STEP_0, component == 0u);
}

fn component_shift(component: u32) -> u32 {
    return select(select(SHIFT_2, SHIFT_1, component == 1u), SHIFT_0, component == 0u);
}

// A word of a plane. `plane` is a constant wherever this is called, so only one of the loads remains.
fn plane_word(plane: u32, row: u32, word: u32) -> u32 {
    if plane == 0u {
        return plane_0[row * picture.strides.x + word];
    }
    if plane == 1u {
        return plane_1[row * picture.strides.y + word];
    }
    return plane_2[row * picture.strides.z + word];
}

// The code of a component at (x, y) of that component's own grid.
fn code_at(component: u32, x: u32, y: u32) -> u32 {
    let byte = component_offset(component) + x * component_step(component);
    let word = plane_word(component_plane(component), y, byte >> 2u);
    return (word >> ((byte & 3u) * 8u + component_shift(component))) & ((1u << BITS) - 1u);
}

// The chroma row that covers a luma row. As `ChromaRows` of crates/core/src/picture/layout.rs.
fn chroma_row(y: u32) -> u32 {
    if !CHROMA_FIELDS {
        return y >> CHROMA_Y;
    }
    let row = (y >> 2u) * 2u + (y & 1u);
    return select(row, max(row, 2u) - 2u, row >= picture.chroma_size.y);
}

// A pixel's component codes, as they are counted.
fn codes_at(at: vec2<u32>) -> vec3<u32> {
    let first = code_at(0u, at.x, at.y);
    if MODEL == 0u {
        return vec3<u32>(first, 0u, 0u);
    }
    let chroma = vec2<u32>(at.x >> CHROMA_X, chroma_row(at.y));
    return vec3<u32>(first, code_at(1u, chroma.x, chroma.y), code_at(2u, chroma.x, chroma.y));
}

// Red, green and blue of component codes in fixed point, before the shift that rounds them to codes.
fn sums_of(codes: vec3<u32>) -> vec3<i32> {
    let c = vec3<i32>(codes);
    return vec3<i32>(
        picture.red.x * c.x + picture.red.y * c.y + picture.red.z * c.z + picture.red.w,
        picture.green.x * c.x + picture.green.y * c.y + picture.green.z * c.z + picture.green.w,
        picture.blue.x * c.x + picture.blue.y * c.y + picture.blue.z * c.z + picture.blue.w,
    );
}

// R'G'B' codes as converted, which may be below zero or above the top.
fn unclamped_of(codes: vec3<u32>) -> vec3<i32> {
    return sums_of(codes) >> vec3<u32>(FRACTION);
}

// R'G'B' codes, followed by the luminance bin. The arithmetic is the same as for counting:
// crates/core/src/histogram/reference.rs.
fn bins_of(codes: vec3<u32>) -> vec4<u32> {
    let rgb = vec3<u32>(clamp(unclamped_of(codes), vec3<i32>(0i), vec3<i32>((1i << BITS) - 1i)));
    let top = (1u << BITS) - 1u;
    let sum = LUMINANCE_RED * rgb.r + LUMINANCE_GREEN * rgb.g + LUMINANCE_BLUE * rgb.b;
    let carry = select(0u, 1u, (sum % 10000u) * top + sum >= 10000u * top);
    return vec4<u32>(rgb, min(sum / 10000u + carry, top));
}

// The channels in which the bin of a pixel with these codes is in a range, where bit c is channel c: Y', Cb and Cr if
// `coded`, else red, green, blue and luminance. As in crates/render/src/view/brush.rs.
fn channels_in(codes: vec3<u32>, coded: bool, low: u32, high: u32) -> u32 {
    var bins = vec4<u32>(codes, 0u);
    var there = select(7u, 1u, MODEL == 0u);
    if !coded {
        bins = bins_of(codes);
        there = 15u;
    }
    let inside = (bins >= vec4<u32>(low)) & (bins <= vec4<u32>(high));
    let found = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), inside);
    return (found.x | found.y | found.z | found.w) & there;
}

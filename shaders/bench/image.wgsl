// What the article's methods share that read an image: an 8-bit RGBA texture. This text stands before the pass's own.

@group(0) @binding(0) var image: texture_2d<u32>;

// Red, green, blue and the luminance bin of a pixel. The luminance bin is that of src/picture/color.rs, in integers, so that
// every method must come to the same counts: floor(256 · (2126 r + 7152 g + 722 b) / (10000 · 255)), at most 255.
fn codes_at(position: vec2<u32>) -> vec4<u32> {
    let pixel = textureLoad(image, position, 0);
    let sum = pixel.r * 2126u + pixel.g * 7152u + pixel.b * 722u;
    return vec4<u32>(pixel.rgb, min(sum * 16u / 159375u, 255u));
}

// Shared by the tutorial's methods that count an 8-bit RGBA texture. This text precedes the method's own.

override BINS: u32 = 256u;    // per channel
override CHANNELS: u32 = 4u;  // 4: red, green, blue and luminance; 1: only luminance

@group(0) @binding(0) var image: texture_2d<u32>;

// Red, green, blue and luminance codes of a pixel. Luminance is computed in integers as in
// crates/core/src/picture/luminance.rs, so that every method gives the same counts: floor(256 · (2126 r + 7152 g + 722
// b) / (10000 · 255)), at most 255.
fn codes_at(position: vec2<u32>) -> vec4<u32> {
    let pixel = textureLoad(image, position, 0);
    let sum = pixel.r * 2126u + pixel.g * 7152u + pixel.b * 722u;
    return vec4<u32>(pixel.rgb, min(sum * 16u / 159375u, 255u));
}

// The bins of a pixel. The 256 codes are divided evenly among the bins.
fn bins_at(position: vec2<u32>) -> vec4<u32> {
    return (codes_at(position) * BINS) >> vec4<u32>(8u);
}

// The first of the counted channels; the others follow it.
fn first_channel() -> u32 {
    return 4u - CHANNELS;
}

// The index of a bin's count. Bins of several channels are interleaved: red, green, blue and luminance of bin 0, then
// of bin 1, and so on.
fn word_of(bin: u32, channel: u32) -> u32 {
    return bin * CHANNELS + channel - first_channel();
}

// The light of pixels of HLG in integers: see crates/core/src/histogram/pixel_light.rs. Passes that use it declare
// `table`, an array of the words of `LightMeter::table`: the light of each code, then Y^(γ-1) by octaves, then by
// mantissas.

const OCTAVES_AT: u32 = 4096u;
const MANTISSAS_AT: u32 = 4128u;

// The upper 32 of the 64 bits of a product.
fn high_product(a: u32, b: u32) -> u32 {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let left = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let right = (a & 0xffffu) * (b >> 16u) + (left & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (left >> 16u) + (right >> 16u);
}

// The luminance of scene light: a sum of 46 bits, in two parts, divided by the sum of the weights.
fn luminance_of(light: vec3<u32>) -> u32 {
    let weights = vec3<u32>(2627u, 6780u, 593u);
    let low = dot(light & vec3<u32>(0xffffu), weights);
    let high = dot(light >> vec3<u32>(16u), weights) + (low >> 16u);
    let rest = ((high % 10000u) << 16u) | (low & 0xffffu);
    return ((high / 10000u) << 16u) + rest / 10000u;
}

// Y^(γ-1).
fn gain_of(luminance: u32) -> u32 {
    if luminance == 0u {
        return 0u;
    }
    let octave = countLeadingZeros(luminance);
    let mantissa = luminance << octave;
    let at = MANTISSAS_AT + ((mantissa >> 23u) & 255u);
    let low = table[at];
    let between = high_product((table[at + 1u] - low) << 8u, mantissa << 9u) >> 8u;
    return high_product(low + between, table[OCTAVES_AT + octave]);
}

// The light of a pixel on the display as a fraction of its peak, by the scene light of red, green and blue; both in
// units of 2^-32.
fn light_on_display(light: vec3<u32>) -> u32 {
    // Light rises with the code.
    return high_product(max(max(light.r, light.g), light.b), gain_of(luminance_of(light)));
}

// Pairs that a vectorscope counts, computed from red, green and blue: colour differences, or what chromaticity.rs and
// diamond.rs of crates/core/src/scopes/ define.

// The sources of pairs: Cb and Cr as coded, colour differences of R'G'B' codes, chromaticities, or the double diamond,
// which has two pairs per pixel.
const CODED_PAIRS: u32 = 1u;
const DIFFERENCES: u32 = 2u;
const CHROMATICITIES: u32 = 3u;
const DIAMONDS: u32 = 4u;

// Weights of red, green and blue, and what is added to their products: in Cb and in Cr, with the bias; or in both
// coordinates and in the sum that divides them, with half the sum of the weights; or in `first`, the levels per code
// and the bias.
struct PairWeights {
    first: vec4<i32>,
    second: vec4<i32>,
    whole: vec4<i32>,
}

// A colour difference of R'G'B' codes, by its weights and their bias.
fn difference(weights: vec4<i32>, rgb: vec3<i32>) -> u32 {
    return u32((weights.x * rgb.r + weights.y * rgb.g + weights.z * rgb.b + weights.w) >> FRACTION);
}

fn differences_of(weights: PairWeights, codes: vec3<u32>) -> vec2<u32> {
    let rgb = vec3<i32>(codes);
    return vec2<u32>(difference(weights.first, rgb), difference(weights.second, rgb));
}

const EXPONENT: u32 = 0x7f800000u;
const EXPONENTS: u32 = 0x86800000u; // 127 + 127 + 15, as an exponent

fn weighted(weights: vec4<i32>, light: vec3<u32>) -> u32 {
    let factors = vec4<u32>(weights);
    return factors.x * light.r + factors.y * light.g + factors.z * light.b + factors.w;
}

// The quotient of `part` and `unit`, at most `top`. `inverse` is below 1 / unit, by at most 2 millionths of it. A
// quotient is below 2^13, so that the estimate is the quotient or one less.
fn quotient(part: u32, unit: u32, inverse: f32, top: u32) -> u32 {
    let estimate = u32(f32(part) * inverse);
    return min(estimate + select(0u, 1u, part - estimate * unit >= unit), top);
}

// The levels of the chromaticity of red, green and blue light. All that is computed in floating point is exact, except
// for the quotients' estimates.
fn chromaticity_of(weights: PairWeights, light: vec3<f32>, level_bits: u32) -> vec2<u32> {
    let most = max(max(light.r, light.g), light.b);
    // The largest gets 16 bits. For black, the factor is any power of two.
    let scaled = vec3<u32>(light * bitcast<f32>(EXPONENTS - (bitcast<u32>(most) & EXPONENT)));
    let unit = weighted(weights.whole, scaled) >> level_bits;
    // Less by more than the 5.5 units in the last place by which conversions, division and product may be off.
    let inverse = 0.99999905 / f32(unit);
    let top = select(0u, (1u << level_bits) - 1u, most > 0.0);
    return vec2<u32>(
        quotient(weighted(weights.first, scaled), unit, inverse, top),
        quotient(weighted(weights.second, scaled), unit, inverse, top),
    );
}

const DIAMOND_FRACTION: u32 = 20u;

// The levels of sums of red, green and blue codes in the double diamond.
fn diamond_levels(weights: PairWeights, sums: vec4<i32>, level_bits: u32) -> vec4<u32> {
    let levels = (sums * weights.first.x + weights.first.w) >> vec4<u32>(DIAMOND_FRACTION);
    return vec4<u32>(clamp(levels, vec4<i32>(0), vec4<i32>((1i << level_bits) - 1i)));
}

// The levels of both pairs of a pixel's red, green and blue as converted, from a source other than coded pairs. Where a
// pixel has one pair, both are the same. `light` is the linear light of each code, which the shader that uses this
// binds if chromaticities are counted.
fn levels_of(source: u32, weights: PairWeights, rgb: vec3<i32>, level_bits: u32) -> vec4<u32> {
    if source == DIAMONDS {
        let sums = vec4<i32>(rgb.b - rgb.g, rgb.b + rgb.g, rgb.r - rgb.g, -(rgb.r + rgb.g));
        return diamond_levels(weights, sums, level_bits);
    }
    let codes = vec3<u32>(clamp(rgb, vec3<i32>(0i), vec3<i32>((1i << BITS) - 1i)));
    if source == CHROMATICITIES {
        let lights = vec3<f32>(light[codes.r], light[codes.g], light[codes.b]);
        return chromaticity_of(weights, lights, level_bits).xyxy;
    }
    return differences_of(weights, codes).xyxy >> vec4<u32>(BITS - level_bits);
}

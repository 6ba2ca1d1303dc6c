// Pairs that a vectorscope counts, computed from red, green and blue: colour differences, or chromaticities as
// crates/core/src/scopes/chromaticity.rs defines them.

// The sources of pairs: Cb and Cr as coded, colour differences of R'G'B' codes, or chromaticities.
const CODED_PAIRS: u32 = 1u;
const DIFFERENCES: u32 = 2u;
const CHROMATICITIES: u32 = 3u;

// Weights of red, green and blue: in Cb and in Cr, with the bias; or in both coordinates and in the sum that divides them.
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

// The quotient of `part` and `unit`, at most the highest code. `inverse` is about 1 / unit. Codes have at most 12 bits, so
// that the estimate is off by less than one.
fn quotient(part: u32, unit: u32, inverse: f32) -> u32 {
    let estimate = u32(f32(part) * inverse);
    let rest = i32(part - estimate * unit);
    let code = estimate + select(0u, 1u, rest >= i32(unit)) - select(0u, 1u, rest < 0i);
    return min(code, (1u << BITS) - 1u);
}

// The chromaticity of red, green and blue light, each an exponent above a mantissa of 26 bits.
fn chromaticity_of(weights: PairWeights, light: vec3<u32>) -> vec2<u32> {
    let exponents = light >> vec3<u32>(26u);
    let most = max(exponents.r, max(exponents.g, exponents.b));
    let mantissas = light & vec3<u32>(0x3ffffffu);
    // The largest gets 16 bits; all are rounded.
    let shifts = min(vec3<u32>(10u + most) - exponents, vec3<u32>(31u));
    let scaled = (mantissas >> shifts) + ((mantissas >> (shifts - vec3<u32>(1u))) & vec3<u32>(1u));
    let first = dot(vec3<u32>(weights.first.xyz), scaled);
    let second = dot(vec3<u32>(weights.second.xyz), scaled);
    let unit = max(dot(vec3<u32>(weights.whole.xyz), scaled) >> BITS, 1u);
    let inverse = 1.0 / f32(unit);
    return vec2<u32>(quotient(first, unit, inverse), quotient(second, unit, inverse));
}

// Turns a drawn view into what a display for HDR takes. The picture is light of BT.709, in which 1 is SDR's white; it
// is above for brighter light, and negative for other colours. The controls are codes, whose light follows from
// BT.1886.

struct Output {
    scale: f32,  // of light relative to white: to the display's unit, or to 10,000 cd/m² for PQ
    is_pq: u32,
    unused: vec2<u32>,
}

@group(0) @binding(0) var<uniform> output: Output;
@group(0) @binding(1) var picture: texture_2d<f32>;
// Premultiplied by their opacity.
@group(0) @binding(2) var controls: texture_2d<f32>;

// Linear light of BT.709 to BT.2020 (BT.2087), as rows.
const TO_BT2020: mat3x3<f32> = mat3x3<f32>(
    vec3<f32>(0.627403896, 0.329283038, 0.043313066),
    vec3<f32>(0.069097289, 0.919540395, 0.011362316),
    vec3<f32>(0.016391439, 0.088013308, 0.895595253),
);

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(index & 1u) * 2.0 - 1.0, 1.0 - f32(index >> 1u) * 2.0, 0.0, 1.0);
}

// The nearest numbers of 16 bits that are not infinite.
fn finite(numbers: vec3<f32>) -> vec3<f32> {
    return clamp(numbers, vec3<f32>(-65504.0), vec3<f32>(65504.0));
}

// Powers of numbers of either sign.
fn powers(numbers: vec3<f32>, exponent: f32) -> vec3<f32> {
    return sign(numbers) * pow(abs(numbers), vec3<f32>(exponent));
}

// The signal of PQ for light from 0 to 1, which is 10,000 cd/m² (ST 2084).
fn pq(light: vec3<f32>) -> vec3<f32> {
    let m = pow(clamp(light, vec3<f32>(0.0), vec3<f32>(1.0)), vec3<f32>(2610.0 / 16384.0));
    return pow((0.8359375 + 18.8515625 * m) / (1.0 + 18.6875 * m), vec3<f32>(78.84375));
}

@fragment
fn emit(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let at = vec2<u32>(pixel.xy);
    var light = finite(textureLoad(picture, at, 0).rgb);
    let over = textureLoad(controls, at, 0);
    if over.a != 0.0 {
        // Light above white would shine through what is nearly opaque, and make it illegible; negative light would take
        // its colour away.
        let clear = 1.0 - over.a;
        let fourth = clear * clear * clear * clear;
        let below = powers(light, 1.0 / 2.4);
        let usual = clamp(below, vec3<f32>(0.0), vec3<f32>(1.0));
        light = powers(over.rgb + clear * mix(usual, below, fourth * fourth), 2.4);
    }
    light *= output.scale;
    if output.is_pq != 0u {
        return vec4<f32>(pq(light * TO_BT2020), 1.0);
    }
    return vec4<f32>(finite(light), 1.0);
}

// Counts the luminance in linear light: see crates/core/src/histogram/light.rs. A workgroup takes rows in turn, counts
// in workgroup memory, and finally adds its counts to the common bins.

override CODES: u32 = 256u; // 2^BITS

struct Region {
    low: vec2<u32>,  // column and row of the first counted pixel
    high: vec2<u32>, // and one past the last
}

@group(1) @binding(0) var<uniform> region: Region;
// The linear light of each code.
@group(1) @binding(1) var<storage, read> light: array<u32>;
// The position of luminance in a set of bins: after three channels.
@group(1) @binding(2) var<storage, read_write> bins: array<atomic<u32>>;

const WORKGROUP: u32 = 256u;
var<workgroup> found: array<atomic<u32>, CODES>;

// The weighted sum of a pixel's light, with 32 bits per colour, divided by the sum of the weights. It is a sum of 46
// bits, in two parts.
fn weighed(rgb: vec3<u32>) -> u32 {
    let weights = vec3<u32>(LUMINANCE_RED, LUMINANCE_GREEN, LUMINANCE_BLUE);
    let lights = vec3<u32>(light[rgb.r], light[rgb.g], light[rgb.b]);
    let low = dot(lights & vec3<u32>(0xffffu), weights);
    let high = dot(lights >> vec3<u32>(16u), weights) + (low >> 16u);
    let rest = ((high % 10000u) << 16u) | (low & 0xffffu);
    return ((high / 10000u) << 16u) + rest / 10000u;
}

// The highest code whose gray has no more light than this.
fn gray_of(own: u32) -> u32 {
    var code = 0u;
    for (var step = CODES / 2u; step > 0u; step /= 2u) {
        if light[code + step] <= own {
            code += step;
        }
    }
    return code;
}

@compute @workgroup_size(WORKGROUP)
fn count_linear(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    for (var y = region.low.y + group.x; y < region.high.y; y += groups.x) {
        for (var x = region.low.x + local; x < region.high.x; x += WORKGROUP) {
            let codes = bins_of(codes_at(vec2<u32>(x, y)));
            atomicAdd(&found[gray_of(weighed(codes.rgb))], 1u);
        }
    }
    workgroupBarrier();
    for (var code = local; code < CODES; code += WORKGROUP) {
        let count = atomicLoad(&found[code]);
        if count > 0u {
            atomicAdd(&bins[3u * CODES + code], count);
        }
    }
}

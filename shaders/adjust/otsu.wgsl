// Otsu's thresholds for two to five classes from the luminance bins, as defined in crates/core/src/adjust/otsu.rs.
// There are three dispatches: the number of samples below each level, and the sum of their levels; the score of every
// run of levels as one class; the best cut.

override BITS: u32 = 8u;
override CLASSES: u32 = 2u;

const LEVELS: u32 = 256u;
const STRIDE: u32 = LEVELS + 1u;

@group(0) @binding(0) var<storage, read> bins: array<u32>;
@group(0) @binding(1) var<storage, read> cumulative: array<u32>; // the bins' exclusive prefix sum
@group(0) @binding(2) var<storage, read_write> moments: array<vec4<u32>, STRIDE>; // samples, sum of levels (64 bits)
@group(0) @binding(3) var<storage, read_write> scores: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> thresholds: array<u32, 4>;

override TOGETHER: u32 = 1u << (BITS - 8u); // bins of a level
override FIRST: u32 = 3u << BITS;           // the first bin of luminance

var<workgroup> sums: array<vec2<u32>, LEVELS>;

@compute @workgroup_size(LEVELS)
fn add_levels(@builtin(local_invocation_index) level: u32) {
    let first = FIRST + level * TOGETHER;
    let last = first + TOGETHER - 1u;
    let samples = cumulative[last] + bins[last] - cumulative[first];
    // The sum of levels needs more than 32 bits. Its lower and upper parts are summed separately; each sum fits.
    sums[level] = level * vec2<u32>(samples & 0xffffu, samples >> 16u);
    for (var offset = 1u; offset < LEVELS; offset *= 2u) {
        workgroupBarrier();
        var before = vec2<u32>(0u);
        if level >= offset {
            before = sums[level - offset];
        }
        workgroupBarrier();
        sums[level] += before;
    }
    let sum = add_64(vec2<u32>(sums[level].x, 0u), vec2<u32>(sums[level].y << 16u, sums[level].y >> 16u));
    moments[level + 1u] = vec4<u32>(cumulative[last] + bins[last] - cumulative[FIRST], sum, 0u);
    if level == 0u {
        moments[0] = vec4<u32>(0u);
    }
}

// ⌊S² / P⌋, from the mean Q and the remainder R: S = Q · P + R, hence S² / P = Q² · P + 2 · Q · R + R² / P.
fn score(samples: u32, sum: vec2<u32>) -> vec2<u32> {
    if samples == 0u {
        return vec2<u32>(0u);
    }
    let mean = divide_64(sum, samples);
    let q = mean.quotient;
    let r = mean.remainder;
    let rest = divide_64(multiply_64(r, r), samples).quotient;
    return add_64(add_64(multiply_64(q * q, samples), multiply_64(2u * q, r)), vec2<u32>(rest, 0u));
}

@compute @workgroup_size(LEVELS)
fn score_runs(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let start = group.x;
    let end = local + 1u;
    var value = vec2<u32>(0u);
    if start < end {
        let before = moments[start];
        let up_to = moments[end];
        value = score(up_to.x - before.x, subtract_64(up_to.yz, before.yz));
    }
    scores[start * STRIDE + end] = value;
}

var<workgroup> best: array<vec2<u32>, STRIDE>;
var<workgroup> starts: array<array<u32, STRIDE>, 4>;

// The best cut of the levels below `end`, for every end simultaneously, class by class.
@compute @workgroup_size(LEVELS)
fn cut(@builtin(local_invocation_index) local: u32) {
    let end = local + 1u;
    best[end] = scores[end];
    for (var class_index = 1u; class_index < CLASSES; class_index += 1u) {
        workgroupBarrier();
        var most = vec2<u32>(0u);
        var found = class_index;
        for (var start = class_index; start < end; start += 1u) {
            let value = add_64(best[start], scores[start * STRIDE + end]);
            if start == class_index || is_greater_64(value, most) {
                most = value;
                found = start;
            }
        }
        workgroupBarrier();
        best[end] = most;
        starts[class_index - 1u][end] = found;
    }
    workgroupBarrier();
    if local == 0u {
        var level = LEVELS;
        for (var i = 4u; i > 0u; i -= 1u) {
            if i >= CLASSES {
                thresholds[i - 1u] = 0xffffffffu;
            } else {
                level = starts[i - 1u][level];
                thresholds[i - 1u] = level * TOGETHER;
            }
        }
    }
}

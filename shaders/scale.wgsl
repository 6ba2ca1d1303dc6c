// Third pass: the height at which each channel's bars are drawn. One workgroup per channel.
//
// The height of a bar is its count times max(1 / tallest bin, 0.2 · BINS / samples). The tallest bin touches the top,
// unless it is so tall that it would flatten the rest. In that case bars clip at five times the mean bin
// (crates/core/src/histogram/mod.rs).

override BINS: u32 = 256u;  // per channel, one channel after another

struct Scale {
    height: f32,   // height of a bar per count, where 1 is the overlay height; 0 if nothing was counted
    tallest: u32,  // count of the tallest bin
    samples: u32,  // samples counted
    padding: u32,
}

@group(0) @binding(0) var<storage, read> bins: array<u32>;
@group(0) @binding(1) var<storage, read_write> scales: array<Scale, 4>;

const WORKGROUP: u32 = 256u;
var<workgroup> tallest: array<u32, WORKGROUP>;
var<workgroup> samples: array<u32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn scale(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let channel = group.x;
    var most = 0u;
    var sum = 0u;
    for (var bin = local; bin < BINS; bin += WORKGROUP) {
        let count = bins[channel * BINS + bin];
        most = max(most, count);
        sum += count;
    }
    tallest[local] = most;
    samples[local] = sum;
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            tallest[local] = max(tallest[local], tallest[local + half]);
            samples[local] += samples[local + half];
        }
    }
    if local == 0u {
        var height = 0.0;
        if tallest[0] > 0u {
            height = max(1.0 / f32(tallest[0]), 0.2 * f32(BINS) / f32(samples[0]));
        }
        scales[channel] = Scale(height, tallest[0], samples[0], 0u);
    }
}

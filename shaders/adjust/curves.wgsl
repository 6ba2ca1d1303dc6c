// From a histogram to a curve that maps codes to codes, by way of the prefix sum (scan_block.wgsl). One workgroup a channel.
//
// `equalize` and `populate` compute what src/adjust/equalize.rs and src/adjust/posterize.rs define, to the last bit.

override BITS: u32 = 8u;
// Whether a channel's bins are one block, which is scanned here; else `cumulative` holds their prefix sum already.
override SCANNING: bool = false;

struct Curve {
    weight: u32,        // how much of the way to its target a smoothed curve goes, of 2^16
    first_channel: u32, // channel of the first curve
    levels: u32,        // 2 to 16, of equal population
    padding: u32,
}

@group(0) @binding(0) var<uniform> curve: Curve;
@group(0) @binding(1) var<storage, read> bins: array<u32>;
@group(0) @binding(2) var<storage, read> cumulative: array<u32>;   // the bins' exclusive prefix sum, over all channels
@group(0) @binding(3) var<storage, read_write> smoothed: array<u32>; // curves in 2^-16 codes, from frame to frame
@group(0) @binding(4) var<storage, read_write> mapped: array<u32>;   // curves in codes

var<workgroup> least: atomic<u32>;
var<workgroup> tones: array<u32, 16>;

// Samples of a code, and of all codes below it.
struct Count {
    own: u32,
    below: u32,
}

// Finds the prefix sum of a channel's bins, where it is to be found here.
fn scan_channel(local: u32, channel: u32) {
    if SCANNING {
        for (var code = local; code < (1u << BITS); code += WORKGROUP) {
            words[padded(code)] = bins[(channel << BITS) + code];
        }
        scan_block(local);
    }
}

fn count_of(channel: u32, code: u32) -> Count {
    let at = (channel << BITS) + code;
    if SCANNING {
        return Count(bins[at], words[padded(code)]);
    }
    return Count(bins[at], cumulative[at] - cumulative[channel << BITS]);
}

fn samples_of(channel: u32) -> u32 {
    let last = count_of(channel, (1u << BITS) - 1u);
    return last.below + last.own;
}

// ⌊value · weight / 2^16⌋ for a value below 2^28 and a weight up to 2^16.
fn part_of(value: u32) -> u32 {
    return (value >> 16u) * curve.weight + (((value & 0xffffu) * curve.weight) >> 16u);
}

@compute @workgroup_size(WORKGROUP)
fn equalize(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let channel = curve.first_channel + group.x;
    let codes = 1u << BITS;
    if local == 0u {
        atomicStore(&least, 0xffffffffu);
    }
    workgroupBarrier();
    scan_channel(local, channel);
    // Samples up to the lowest code that occurs: of all codes that occur, that has the fewest up to itself.
    for (var code = local; code < codes; code += WORKGROUP) {
        let count = count_of(channel, code);
        if count.own > 0u {
            atomicMin(&least, count.below + count.own);
        }
    }
    workgroupBarrier();
    let lowest = atomicLoad(&least);
    let samples = samples_of(channel);
    for (var code = local; code < codes; code += WORKGROUP) {
        var goal = code;
        if samples > lowest {
            let count = count_of(channel, code);
            let up_to = count.below + count.own;
            goal = mul_div_rounded(max(up_to, lowest) - lowest, codes - 1u, samples - lowest);
        }
        goal <<= 16u;
        let at = (group.x << BITS) + code;
        var now = smoothed[at];
        if goal >= now {
            now += part_of(goal - now);
        } else {
            now -= part_of(now - goal);
        }
        smoothed[at] = now;
        mapped[at] = (now + 0x8000u) >> 16u;
    }
}

@compute @workgroup_size(WORKGROUP)
fn populate(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let channel = curve.first_channel + group.x;
    let codes = 1u << BITS;
    scan_channel(local, channel);
    let samples = samples_of(channel);
    let each = samples / (2u * curve.levels);
    let rest = samples % (2u * curve.levels);
    // A level's tone is the code of the sample in its middle, which exactly one code holds.
    for (var code = local; code < codes; code += WORKGROUP) {
        let count = count_of(channel, code);
        for (var level = 0u; level < curve.levels; level += 1u) {
            let odd = 2u * level + 1u;
            let rank = each * odd + rest * odd / (2u * curve.levels);
            if count.below <= rank && rank < count.below + count.own {
                tones[level] = code;
            }
        }
    }
    workgroupBarrier();
    for (var code = local; code < codes; code += WORKGROUP) {
        var tone = code;
        if samples > 0u {
            let count = count_of(channel, code);
            let level = mul_div(count.below + count.own / 2u, curve.levels, samples).quotient;
            tone = tones[min(level, curve.levels - 1u)];
        }
        mapped[(group.x << BITS) + code] = tone;
    }
}

// Turns a histogram into a curve from codes to codes, using its prefix sum (scan_block.wgsl). One workgroup per
// channel.
//
// `equalize` and `populate` compute exactly what crates/core/src/adjust/equalize.rs and
// crates/core/src/adjust/posterize.rs define.

override BITS: u32 = 8u;
// True if a channel's bins are a single block, which is scanned here. Otherwise `cumulative` already holds their prefix
// sum.
override SCANNING: bool = false;

struct Curve {
    weight: u32,        // step of a smoothed curve towards its target, in 2^-16
    first_channel: u32, // channel of the first curve
    levels: u32,        // 2 to 16, of equal population
    padding: u32,
}

@group(0) @binding(0) var<uniform> curve: Curve;
@group(0) @binding(1) var<storage, read> bins: array<u32>;
@group(0) @binding(2) var<storage, read> cumulative: array<u32>;   // the bins' exclusive prefix sum, over all channels
@group(0) @binding(3) var<storage, read_write> smoothed: array<u32>; // curves in 2^-16 codes, from frame to frame
@group(0) @binding(4) var<storage, read_write> mapped: array<u32>;   // curves in codes

var<workgroup> samples: u32;
var<workgroup> lowest: u32; // samples with the lowest occurring code
var<workgroup> tones: array<u32, 16>;

// For two codes WORKGROUP apart: the samples with each code, and the samples with lower codes.
struct Counts {
    own: vec2<u32>,
    below: vec2<u32>,
}

fn pair_of_codes(first: u32) -> vec2<u32> {
    return vec2<u32>(first, first + WORKGROUP);
}

// The samples of two codes of a channel.
fn own_of(channel: u32, first: u32) -> vec2<u32> {
    let at = pair_of_codes((channel << BITS) + first);
    return vec2<u32>(bins[at.x], bins[at.y]);
}

fn counts_of(channel: u32, first: u32) -> Counts {
    var below: vec2<u32>;
    if SCANNING {
        below = vec2<u32>(words[padded(first)], words[padded(first + WORKGROUP)]);
    } else {
        let at = pair_of_codes((channel << BITS) + first);
        below = vec2<u32>(cumulative[at.x], cumulative[at.y]) - cumulative[channel << BITS];
    }
    return Counts(own_of(channel, first), below);
}

// Finds the prefix sum of a channel's bins, if it is computed here, the number of samples, and the number with the
// lowest code.
fn scan_channel(local: u32, channel: u32) {
    if local == 0u {
        lowest = 0u;
    }
    if SCANNING {
        // A channel has as many codes as a block has words.
        let own = own_of(channel, local);
        words[padded(local)] = own.x;
        words[padded(local + WORKGROUP)] = own.y;
        scan_block(local);
    } else {
        workgroupBarrier();
    }
    for (var first = local; first < (1u << BITS); first += 2u * WORKGROUP) {
        let counts = counts_of(channel, first);
        // At most one occurring code has nothing below it.
        if counts.own.x > 0u && counts.below.x == 0u {
            lowest = counts.own.x;
        }
        if counts.own.y > 0u && counts.below.y == 0u {
            lowest = counts.own.y;
        }
        if first + WORKGROUP == (1u << BITS) - 1u {
            samples = counts.below.y + counts.own.y;
        }
    }
    workgroupBarrier();
}

// ⌊value · weight / 2^16⌋ for a value below 2^28 and a weight up to 2^16.
fn part_of(value: u32) -> u32 {
    return (value >> 16u) * curve.weight + (((value & 0xffffu) * curve.weight) >> 16u);
}

fn equalized(code: u32, up_to: u32) -> u32 {
    if samples == lowest {
        return code;
    }
    return mul_div_rounded(max(up_to, lowest) - lowest, (1u << BITS) - 1u, samples - lowest);
}

// Moves a smoothed curve's value from `now` towards `code`, and derives the output from it.
fn smooth_to(code: u32, now: u32, at: u32) {
    let goal = code << 16u;
    var next = now;
    if goal >= now {
        next += part_of(goal - now);
    } else {
        next -= part_of(now - goal);
    }
    smoothed[at] = next;
    mapped[at] = (next + 0x8000u) >> 16u;
}

@compute @workgroup_size(WORKGROUP)
fn equalize(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let channel = curve.first_channel + group.x;
    let curve_start = group.x << BITS;
    // Loaded while the bins are scanned.
    let now = vec2<u32>(smoothed[curve_start + local], smoothed[curve_start + local + WORKGROUP]);
    scan_channel(local, channel);
    for (var first = local; first < (1u << BITS); first += 2u * WORKGROUP) {
        let counts = counts_of(channel, first);
        let up_to = counts.below + counts.own;
        let at = pair_of_codes(curve_start + first);
        var before = now;
        if first != local {
            before = vec2<u32>(smoothed[at.x], smoothed[at.y]);
        }
        smooth_to(equalized(first, up_to.x), before.x, at.x);
        smooth_to(equalized(first + WORKGROUP, up_to.y), before.y, at.y);
    }
}

// Stores a code as the tone of each level whose middle sample has this code.
fn keep_tones(code: u32, own: u32, below: u32) {
    let each = samples / (2u * curve.levels);
    let rest = samples % (2u * curve.levels);
    for (var level = 0u; level < curve.levels; level += 1u) {
        let odd = 2u * level + 1u;
        let rank = each * odd + rest * odd / (2u * curve.levels);
        if below <= rank && rank < below + own {
            tones[level] = code;
        }
    }
}

fn tone_of(code: u32, own: u32, below: u32) -> u32 {
    if samples == 0u {
        return code;
    }
    let level = mul_div(below + own / 2u, curve.levels, samples).quotient;
    return tones[min(level, curve.levels - 1u)];
}

@compute @workgroup_size(WORKGROUP)
fn populate(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let channel = curve.first_channel + group.x;
    scan_channel(local, channel);
    // A level's tone is the code of its middle sample. Exactly one code contains that sample.
    for (var first = local; first < (1u << BITS); first += 2u * WORKGROUP) {
        let counts = counts_of(channel, first);
        keep_tones(first, counts.own.x, counts.below.x);
        keep_tones(first + WORKGROUP, counts.own.y, counts.below.y);
    }
    workgroupBarrier();
    for (var first = local; first < (1u << BITS); first += 2u * WORKGROUP) {
        let counts = counts_of(channel, first);
        let at = pair_of_codes((group.x << BITS) + first);
        mapped[at.x] = tone_of(first, counts.own.x, counts.below.x);
        mapped[at.y] = tone_of(first + WORKGROUP, counts.own.y, counts.below.y);
    }
}

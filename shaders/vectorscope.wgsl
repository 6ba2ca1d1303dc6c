// Counts a vectorscope: pairs of Cb and Cr, of chromaticities, or of the double diamond.
// crates/core/src/scopes/reference.rs defines the exact counts.
//
// A picture has few different colours side by side, perhaps only one, and additions to the same word of memory wait for
// each other. So every workgroup keeps a table in workgroup memory. A pair of levels has one slot there, selected by
// the lower bits of both, so that similar colours never share a slot. The first pair keeps the slot; other pairs with
// the same slot are added directly to memory. At the end, the workgroup adds the counts of its slots.

override WORKGROUP: u32 = 256u;
// The source of the pairs.
override PAIRS: u32 = CODED_PAIRS;
// Bits of a level. For deeper codes, the upper bits.
override LEVEL_BITS: u32 = 8u;
// Bits of the first and of the second level that select a slot.
override FIRST_SLOT_BITS: u32 = 6u;
override SECOND_SLOT_BITS: u32 = 6u;
// 2^(FIRST_SLOT_BITS + SECOND_SLOT_BITS)
override SLOTS: u32 = 4096u;
// 31 - 2 · LEVEL_BITS + FIRST_SLOT_BITS + SECOND_SLOT_BITS
override COUNT_BITS: u32 = 27u;

struct Vectorscope {
    // The counted part of the grid of samples: column and row of the first, then one past the last.
    low: vec2<u32>,
    high: vec2<u32>,
    weights: PairWeights,
}

@group(1) @binding(0) var<uniform> scope: Vectorscope;
@group(1) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
// The linear light of each code, if chromaticities are counted.
@group(1) @binding(2) var<storage, read> light: array<f32>;

// The upper bits hold the pair's other bits and one more, so that an empty slot is zero. The lower COUNT_BITS hold its
// count. A workgroup has fewer than 2^COUNT_BITS samples.
var<workgroup> slots: array<atomic<u32>, SLOTS>;

// Adds to the count of a pair, whose first level is above the second.
fn tally(pair: u32, count: u32) {
    let first = pair >> LEVEL_BITS;
    let second = pair & ((1u << LEVEL_BITS) - 1u);
    let low = vec2<u32>(first & ((1u << FIRST_SLOT_BITS) - 1u), second & ((1u << SECOND_SLOT_BITS) - 1u));
    let slot = (low.x << SECOND_SLOT_BITS) | low.y;
    let high = vec2<u32>(first >> FIRST_SLOT_BITS, second >> SECOND_SLOT_BITS);
    let owner = ((high.x << (LEVEL_BITS - SECOND_SLOT_BITS)) | high.y) + 1u;
    var there = atomicLoad(&slots[slot]);
    if there == 0u {
        let claim = atomicCompareExchangeWeak(&slots[slot], 0u, (owner << COUNT_BITS) | count);
        if claim.exchanged {
            return;
        }
        there = claim.old_value;
    }
    if there >> COUNT_BITS == owner {
        atomicAdd(&slots[slot], count);
    } else {
        atomicAdd(&counts[pair], count);
    }
}

// Counts those of four neighbouring samples that are in the counted part, merging equal ones.
fn tally_strip(strip: u32, pairs: vec4<u32>) {
    let first = strip * 4u;
    if first >= scope.low.x && first + 4u <= scope.high.x {
        // Unrolled by hand, since a loop over the lanes of a vector is not reliably unrolled.
        var count = 1u;
        if pairs.x != pairs.y {
            tally(pairs.x, count);
            count = 0u;
        }
        count += 1u;
        if pairs.y != pairs.z {
            tally(pairs.y, count);
            count = 0u;
        }
        count += 1u;
        if pairs.z != pairs.w {
            tally(pairs.z, count);
            count = 0u;
        }
        tally(pairs.w, count + 1u);
        return;
    }
    for (var lane = max(scope.low.x, first) - first; lane < min(scope.high.x - first, 4u); lane += 1u) {
        tally(pairs[lane], 1u);
    }
}

// The pairs of levels of codes of Cb and Cr.
fn pairs_of_codes(cb: vec4<u32>, cr: vec4<u32>) -> vec4<u32> {
    // A level of the diamond may have more bits than a code.
    let surplus = vec4<u32>(max(BITS, LEVEL_BITS) - LEVEL_BITS);
    return ((cb >> surplus) << vec4<u32>(LEVEL_BITS)) | (cr >> surplus);
}

fn level_pair(red: i32, green: i32, blue: i32) -> u32 {
    let levels = levels_of(PAIRS, scope.weights, vec3<i32>(red, green, blue), LEVEL_BITS);
    return (levels.x << LEVEL_BITS) | levels.y;
}

fn differences(weights: vec4<i32>, colors: Colors) -> vec4<u32> {
    let red = vec4<i32>(colors.red);
    let green = vec4<i32>(colors.green);
    let blue = vec4<i32>(colors.blue);
    let sum = weights.x * red + weights.y * green + weights.z * blue + vec4<i32>(weights.w);
    return vec4<u32>(sum >> vec4<u32>(FRACTION));
}

fn diamond_pairs(across: vec4<i32>, up: vec4<i32>) -> vec4<u32> {
    let first = diamond_levels(scope.weights, across, LEVEL_BITS);
    return (first << vec4<u32>(LEVEL_BITS)) | diamond_levels(scope.weights, up, LEVEL_BITS);
}

fn count_strip(strip: u32, row: u32) {
    if PAIRS == CODED_PAIRS {
        tally_strip(strip, pairs_of_codes(samples_of_strip(1u, strip, row), samples_of_strip(2u, strip, row)));
        return;
    }
    let first = samples_of_strip(0u, strip, row);
    let chroma = chroma_terms(strip, chroma_row(row));
    if PAIRS == DIFFERENCES {
        let colors = colors_of(first, chroma);
        let cb = differences(scope.weights.first, colors);
        tally_strip(strip, pairs_of_codes(cb, differences(scope.weights.second, colors)));
        return;
    }
    let colors = converted(first, chroma);
    if PAIRS == DIAMONDS {
        tally_strip(strip, diamond_pairs(colors.blue - colors.green, colors.blue + colors.green));
        tally_strip(strip, diamond_pairs(colors.red - colors.green, -(colors.red + colors.green)));
        return;
    }
    tally_strip(strip, vec4<u32>(
        level_pair(colors.red.x, colors.green.x, colors.blue.x),
        level_pair(colors.red.y, colors.green.y, colors.blue.y),
        level_pair(colors.red.z, colors.green.z, colors.blue.z),
        level_pair(colors.red.w, colors.green.w, colors.blue.w),
    ));
}

@compute @workgroup_size(WORKGROUP)
fn count_pairs(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    for (var slot = local; slot < SLOTS; slot += WORKGROUP) {
        atomicStore(&slots[slot], 0u);
    }
    workgroupBarrier();

    let first_strip = scope.low.x / 4u;
    let strips = (scope.high.x + 3u) / 4u - first_strip;
    // Strips are numbered along the rows, and the invocations of all workgroups take them in turn.
    let step = groups.x * WORKGROUP;
    let step_rows = step / strips;
    let step_strips = step % strips;
    let begin = group.x * WORKGROUP + local;
    var strip = begin % strips;
    for (var row = scope.low.y + begin / strips; row < scope.high.y; row += step_rows) {
        count_strip(first_strip + strip, row);
        strip += step_strips;
        if strip >= strips {
            strip -= strips;
            row += 1u;
        }
    }
    workgroupBarrier();

    for (var slot = local; slot < SLOTS; slot += WORKGROUP) {
        let word = atomicLoad(&slots[slot]);
        if word != 0u {
            let owner = (word >> COUNT_BITS) - 1u;
            let high = vec2<u32>(
                owner >> (LEVEL_BITS - SECOND_SLOT_BITS),
                owner & ((1u << (LEVEL_BITS - SECOND_SLOT_BITS)) - 1u),
            );
            let first = (high.x << FIRST_SLOT_BITS) | (slot >> SECOND_SLOT_BITS);
            let second = (high.y << SECOND_SLOT_BITS) | (slot & ((1u << SECOND_SLOT_BITS) - 1u));
            atomicAdd(&counts[(first << LEVEL_BITS) | second], word & ((1u << COUNT_BITS) - 1u));
        }
    }
}

// Counts a vectorscope: pairs of Cb and Cr, or of chromaticities. crates/core/src/scopes/reference.rs defines the exact counts.
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
// Bits of each level that select a slot.
override SLOT_BITS: u32 = 6u;
// 2^(2 · SLOT_BITS)
override SLOTS: u32 = 4096u;
// 31 - 2 · (LEVEL_BITS - SLOT_BITS)
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
@group(1) @binding(2) var<storage, read> light: array<u32>;

// The upper bits hold the pair's other bits and one more, so that an empty slot is zero. The lower COUNT_BITS hold its
// count. A workgroup has fewer than 2^COUNT_BITS samples.
var<workgroup> slots: array<atomic<u32>, SLOTS>;

fn tally(cb: u32, cr: u32, count: u32) {
    let low = (1u << SLOT_BITS) - 1u;
    let slot = ((cb & low) << SLOT_BITS) | (cr & low);
    let owner = (((cb >> SLOT_BITS) << (LEVEL_BITS - SLOT_BITS)) | (cr >> SLOT_BITS)) + 1u;
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
        atomicAdd(&counts[(cb << LEVEL_BITS) | cr], count);
    }
}

// Counts those of four neighbouring samples that are in the counted part, merging equal ones.
fn tally_strip(strip: u32, cb_codes: vec4<u32>, cr_codes: vec4<u32>) {
    let surplus = vec4<u32>(BITS - LEVEL_BITS);
    let cb = cb_codes >> surplus;
    let cr = cr_codes >> surplus;
    let first = strip * 4u;
    let begin = max(scope.low.x, first) - first;
    let end = min(scope.high.x - first, 4u);
    var count = 1u;
    for (var lane = begin; lane < end; lane += 1u) {
        let next = min(lane + 1u, end - 1u);
        if next > lane && cb[next] == cb[lane] && cr[next] == cr[lane] {
            count += 1u;
        } else {
            tally(cb[lane], cr[lane], count);
            count = 1u;
        }
    }
}

fn differences(weights: vec4<i32>, colors: Colors) -> vec4<u32> {
    let red = vec4<i32>(colors.red);
    let green = vec4<i32>(colors.green);
    let blue = vec4<i32>(colors.blue);
    let sum = weights.x * red + weights.y * green + weights.z * blue + vec4<i32>(weights.w);
    return vec4<u32>(sum >> vec4<u32>(FRACTION));
}

fn count_strip(strip: u32, row: u32) {
    if PAIRS == CODED_PAIRS {
        tally_strip(strip, samples_of_strip(1u, strip, row), samples_of_strip(2u, strip, row));
        return;
    }
    let colors = colors_of(samples_of_strip(0u, strip, row), chroma_terms(strip, chroma_row(row)));
    if PAIRS == DIFFERENCES {
        tally_strip(strip, differences(scope.weights.first, colors), differences(scope.weights.second, colors));
        return;
    }
    var first: vec4<u32>;
    var second: vec4<u32>;
    for (var lane = 0u; lane < 4u; lane += 1u) {
        let codes = vec3<u32>(colors.red[lane], colors.green[lane], colors.blue[lane]);
        let pair = chromaticity_of(scope.weights, vec3<u32>(light[codes.r], light[codes.g], light[codes.b]));
        first[lane] = pair.x;
        second[lane] = pair.y;
    }
    tally_strip(strip, first, second);
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
            let low = (1u << SLOT_BITS) - 1u;
            let owner = (word >> COUNT_BITS) - 1u;
            let cb = ((owner >> (LEVEL_BITS - SLOT_BITS)) << SLOT_BITS) | (slot >> SLOT_BITS);
            let cr = ((owner & ((1u << (LEVEL_BITS - SLOT_BITS)) - 1u)) << SLOT_BITS) | (slot & low);
            atomicAdd(&counts[(cb << LEVEL_BITS) | cr], word & ((1u << COUNT_BITS) - 1u));
        }
    }
}

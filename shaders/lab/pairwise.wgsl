// Sums the chunks of chunks.wgsl pair by pair, in as many dispatches as needed until one chunk is left.
//
// Each dispatch adds pairs of remaining chunks that are `stride` apart, which halves their number. The next dispatch
// doubles the stride. At first, all processors work. But 15,000 chunks take 14 dispatches, and the last ones do little
// except wait for the one before. All chunks are read twice, and half as many are written.

override BINS: u32 = 256u;
override INVOCATIONS: u32 = 256u;  // of a workgroup; it loops if there are more bins
override CHUNKS: u32;

struct Pairing {
    stride: u32, // distance of a pair, in chunks
}

@group(0) @binding(0) var<storage, read_write> chunks_of_one: array<u32>;
@group(0) @binding(0) var<storage, read_write> chunks_of_four: array<vec4<u32>>;
@group(0) @binding(1) var<uniform> pairing: Pairing;

// The first chunk of the pair. Pairs are numbered over rows of workgroups, since a row has at most 65,535.
fn first_chunk(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return (group.y * groups.x + group.x) * pairing.stride * 2u;
}

@compute @workgroup_size(INVOCATIONS)
fn one(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let first = first_chunk(group, groups);
    let second = first + pairing.stride;
    // The last chunk may have no partner.
    if second >= CHUNKS {
        return;
    }
    for (var bin = local; bin < BINS; bin += INVOCATIONS) {
        chunks_of_one[first * BINS + bin] += chunks_of_one[second * BINS + bin];
    }
}

@compute @workgroup_size(INVOCATIONS)
fn four(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let first = first_chunk(group, groups);
    let second = first + pairing.stride;
    if second >= CHUNKS {
        return;
    }
    for (var bin = local; bin < BINS; bin += INVOCATIONS) {
        chunks_of_four[first * BINS + bin] += chunks_of_four[second * BINS + bin];
    }
}

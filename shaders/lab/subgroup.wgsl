// One invocation per pixel. Invocations of a subgroup with the same bin add to it once, together.
//
// A subgroup is a set of invocations, about 32, that the hardware executes in one step. They can see each other's
// values without memory. In each turn, the first remaining invocation names its bin, a ballot finds all invocations
// with this bin, the first of them adds their number, and they are done. A flat area needs one turn and one addition
// for 32 pixels. Noise needs nearly as many turns as pixels, which costs more than it saves.
//
// Each invocation leaves the loop in exactly one turn, and is counted by the ballot of that turn. So the sums are
// exact, whichever invocations the hardware groups together.

override CHUNK_WIDTH: u32 = 16u;
override CHUNK_HEIGHT: u32 = 16u;
// CHUNK_WIDTH · CHUNK_HEIGHT, rounded up to whole subgroups, since some drivers treat missing invocations of a subgroup
// as present. They form a row, since only there does each know its index in its subgroup.
override INVOCATIONS: u32 = 256u;

@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;

// Adds one to a bin for each invocation that calls it.
fn add_together(word: u32, place: u32) {
    loop {
        let wanted = subgroupBroadcastFirst(word);
        let same = subgroupBallot(word == wanted);
        if word == wanted {
            if place == first_of(same) {
                let count = countOneBits(same);
                atomicAdd(&bins[word], count.x + count.y + count.z + count.w);
            }
            break;
        }
    }
}

// The index of the first invocation of a ballot.
fn first_of(ballot: vec4<u32>) -> u32 {
    for (var part = 0u; part < 3u; part += 1u) {
        if ballot[part] != 0u {
            return 32u * part + firstTrailingBit(ballot[part]);
        }
    }
    return 96u + firstTrailingBit(ballot.w);
}

@compute @workgroup_size(INVOCATIONS)
fn count(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_invocation_id) place: u32,
) {
    let position = group.xy * vec2<u32>(CHUNK_WIDTH, CHUNK_HEIGHT) + vec2<u32>(local % CHUNK_WIDTH, local / CHUNK_WIDTH);
    if local >= CHUNK_WIDTH * CHUNK_HEIGHT || any(position >= textureDimensions(image)) {
        return;
    }
    let own = bins_at(position);
    for (var channel = first_channel(); channel < 4u; channel += 1u) {
        add_together(word_of(own[channel], channel), place);
    }
}

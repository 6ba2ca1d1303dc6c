// One invocation for every pixel; those of a subgroup that want the same bin add to it once, together.
//
// A subgroup is what the hardware carries out in one step, 32 invocations or so, which can see each other's values without
// any memory. In turns, the first one that is not done yet names its bin, all that want the same one are found with a ballot,
// the first of them adds their number, and these are done. An even area takes one turn and one addition for 32 pixels; noise
// takes nearly as many turns as there are pixels, which costs more than it saves.
//
// Each invocation is counted in the one turn in which it leaves the loop, and by the ballot of that turn: whichever invocations
// the hardware keeps together, the sums are exact.

override CHUNK_WIDTH: u32 = 16u;
override CHUNK_HEIGHT: u32 = 16u;
// CHUNK_WIDTH · CHUNK_HEIGHT, made up to whole subgroups: there are drivers that take the missing ones of a part for present.
// They stand in a row, since only there each knows its place in its subgroup.
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

// The place of the first invocation of a ballot.
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

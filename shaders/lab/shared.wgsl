// A workgroup for every chunk of pixels counts them in workgroup memory and adds what it counted to the bins by atomics.
//
// There are no chunks to keep and none to sum: the bins in the GPU's memory are added to at once. Most of a chunk's bins are
// empty, and those are passed over; so an even area costs one atomic addition a chunk where atomics.wgsl has one a pixel, and
// the larger the chunk, the fewer there are.

@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;

@compute @workgroup_size(CHUNK_WIDTH, CHUNK_HEIGHT)
fn count(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    count_own(id.xy);
    workgroupBarrier();
    for (var word = local; word < WORDS; word += CHUNK_WIDTH * CHUNK_HEIGHT) {
        let counted = atomicLoad(&own_bins[word]);
        if counted > 0u {
            atomicAdd(&bins[place_of(word)], counted);
        }
    }
}

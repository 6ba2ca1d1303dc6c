// One workgroup per chunk of pixels. It counts them in workgroup memory and adds its counts to the bins with atomics.
//
// No chunks are stored or summed, since the bins in GPU memory are updated directly. Most of a chunk's bins are empty
// and are skipped. So a flat area costs one atomic addition per chunk, where atomics.wgsl has one per pixel. Larger
// chunks need fewer additions.

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

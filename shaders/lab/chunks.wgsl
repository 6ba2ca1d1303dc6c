// One workgroup per chunk of pixels. It counts them in workgroup memory and writes its bins out.
//
// The price comes later: for every chunk, a whole set of bins is cleared, written, and read again by the pass that sums
// the chunks (sum.wgsl or pairwise.wgsl). With chunks of 256 pixels, 256 bins and four channels, that is 4 KiB for 1
// KiB of pixels, or 530 MB at 8K. Our own pass (shaders/chunk.wgsl) keeps the idea without the price. Its workgroups
// cover many pixels each, so there are hundreds of chunks instead of a hundred thousand.

@group(0) @binding(1) var<storage, read_write> chunks: array<u32>;

@compute @workgroup_size(CHUNK_WIDTH, CHUNK_HEIGHT)
fn count(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    count_own(id.xy);
    workgroupBarrier();
    let chunk = group.y * groups.x + group.x;
    for (var word = local; word < WORDS; word += CHUNK_WIDTH * CHUNK_HEIGHT) {
        chunks[chunk * BINS * CHANNELS + place_of(word)] = atomicLoad(&own_bins[word]);
    }
}

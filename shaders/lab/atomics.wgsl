// One invocation per pixel, with atomic additions to one set of bins in GPU memory.
//
// An atomic addition cannot be interrupted, so no pixel is lost. But additions to the same bin happen one after
// another, in the part of the shared cache that holds the bin, for all processors of the GPU. So the time depends on
// the content: noise spreads over all bins, while in a flat area all pixels wait for one.

override CHUNK_WIDTH: u32 = 16u;
override CHUNK_HEIGHT: u32 = 16u;

@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;

@compute @workgroup_size(CHUNK_WIDTH, CHUNK_HEIGHT)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= textureDimensions(image)) {
        return;
    }
    let own = bins_at(id.xy);
    for (var channel = first_channel(); channel < 4u; channel += 1u) {
        atomicAdd(&bins[word_of(own[channel], channel)], 1u);
    }
}

// One invocation for every pixel, and nothing that keeps them apart: a data race.
//
// `bins[i] += 1` is three steps: load the count, add one, store it. When two invocations load the same count before either
// has stored, both store the same number, and one pixel is lost. Thousands run at once, and in an image of large even areas
// most of them want the same few bins: nearly all pixels are lost. It is here to show that, and because its time is that of
// the bare loads and stores.
//
// The tutorial dispatches a workgroup for each pixel, which leaves all but one lane of the hardware's vectors idle. That is a
// workgroup of 1 × 1; where none is asked for, one takes 16 × 16 pixels, so that what is measured is the race and not the
// idling.

override CHUNK_WIDTH: u32 = 16u;
override CHUNK_HEIGHT: u32 = 16u;

@group(0) @binding(1) var<storage, read_write> bins: array<u32>;

@compute @workgroup_size(CHUNK_WIDTH, CHUNK_HEIGHT)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= textureDimensions(image)) {
        return;
    }
    let own = bins_at(id.xy);
    for (var channel = first_channel(); channel < 4u; channel += 1u) {
        bins[word_of(own[channel], channel)] += 1u;
    }
}

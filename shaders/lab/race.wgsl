// One invocation per pixel, without any synchronization: a data race.
//
// `bins[i] += 1` has three steps: load the count, add one, store it. If two invocations load the same count before
// either has stored, both store the same number, and one pixel is lost. Thousands run simultaneously, and in an image
// with large flat areas most of them need the same few bins, so nearly all pixels are lost. The method demonstrates
// this, and it shows the time of the bare loads and stores.
//
// The tutorial dispatches one workgroup per pixel, which leaves all but one lane of the hardware's vectors idle. That
// is a workgroup of 1 × 1. The default here is 16 × 16 pixels, so that the race is measured and not the idle lanes.

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

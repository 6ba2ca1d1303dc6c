// What the methods share that count a chunk of pixels in workgroup memory, an invocation a pixel. This text stands between
// image.wgsl and the method's own.
//
// Workgroup memory lies beside the processor that runs the workgroup, so that additions to it are fast and only the
// invocations of one workgroup stand in a queue for a bin. It is small: where the bins of all channels do not fit in it, a
// dispatch counts some of the channels, and the next one the next.

override CHUNK_WIDTH: u32 = 256u;
override CHUNK_HEIGHT: u32 = 1u;
override FIRST: u32 = 0u;      // the first of the channels that this dispatch counts
override TOGETHER: u32 = 4u;   // how many these are
override WORDS: u32 = 1024u;   // BINS · TOGETHER

// wgpu clears it before the workgroup begins.
var<workgroup> own_bins: array<atomic<u32>, WORDS>;

// Counts the invocation's pixel.
fn count_own(position: vec2<u32>) {
    if all(position < textureDimensions(image)) {
        let own = bins_at(position);
        for (var channel = FIRST; channel < FIRST + TOGETHER; channel += 1u) {
            atomicAdd(&own_bins[own[channel] * TOGETHER + channel - FIRST], 1u);
        }
    }
}

// Where a word of the workgroup's bins lies among those of all channels.
fn place_of(word: u32) -> u32 {
    return word_of(word / TOGETHER, FIRST + word % TOGETHER);
}

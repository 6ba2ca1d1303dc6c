// Shared by the methods that count a chunk of pixels in workgroup memory with one invocation per pixel. This text goes
// between image.wgsl and the method's own.
//
// Workgroup memory is next to the processor that runs the workgroup. So additions to it are fast, and only the
// invocations of one workgroup wait for the same bin. It is small: if the bins of all channels do not fit, each
// dispatch counts some of the channels.

override CHUNK_WIDTH: u32 = 256u;
override CHUNK_HEIGHT: u32 = 1u;
override FIRST: u32 = 0u;      // the first channel counted by this dispatch
override TOGETHER: u32 = 4u;   // the number of channels
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

// The index of a word of the workgroup's bins among the bins of all channels.
fn place_of(word: u32) -> u32 {
    return word_of(word / TOGETHER, FIRST + word % TOGETHER);
}

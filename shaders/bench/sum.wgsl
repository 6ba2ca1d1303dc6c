// Sums the chunks of chunks.wgsl into the first of them: an invocation for each bin walks over all chunks.
//
// One workgroup does it all, so that one processor of the GPU works and the others wait: slow, and the slower the larger the
// image is. pairwise.wgsl spreads the same sum over all of them.

@group(0) @binding(0) var<storage, read_write> chunks_of_one: array<u32>;
@group(0) @binding(0) var<storage, read_write> chunks_of_four: array<vec4<u32>>;

const BINS: u32 = 256u;

@compute @workgroup_size(BINS)
fn one(@builtin(local_invocation_index) bin: u32) {
    var sum = 0u;
    for (var at = bin; at < arrayLength(&chunks_of_one); at += BINS) {
        sum += chunks_of_one[at];
    }
    chunks_of_one[bin] = sum;
}

@compute @workgroup_size(BINS)
fn four(@builtin(local_invocation_index) bin: u32) {
    var sum = vec4<u32>(0u);
    for (var at = bin; at < arrayLength(&chunks_of_four); at += BINS) {
        sum += chunks_of_four[at];
    }
    chunks_of_four[bin] = sum;
}

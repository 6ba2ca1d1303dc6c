// Sums the chunks of chunks.wgsl into the first one: one invocation per bin loops over all chunks.
//
// With up to 256 bins, one workgroup does it all, so one processor of the GPU works and the others wait. That is slow,
// and slower for larger images. pairwise.wgsl spreads the same sum over all processors.

override BINS: u32 = 256u;
override INVOCATIONS: u32 = 256u;  // of a workgroup; the bins determine the number of workgroups
override CHUNKS: u32;

@group(0) @binding(0) var<storage, read_write> chunks_of_one: array<u32>;
@group(0) @binding(0) var<storage, read_write> chunks_of_four: array<vec4<u32>>;

@compute @workgroup_size(INVOCATIONS)
fn one(@builtin(global_invocation_id) id: vec3<u32>) {
    let bin = id.x;
    if bin >= BINS {
        return;
    }
    var sum = 0u;
    for (var chunk = 0u; chunk < CHUNKS; chunk += 1u) {
        sum += chunks_of_one[chunk * BINS + bin];
    }
    chunks_of_one[bin] = sum;
}

@compute @workgroup_size(INVOCATIONS)
fn four(@builtin(global_invocation_id) id: vec3<u32>) {
    let bin = id.x;
    if bin >= BINS {
        return;
    }
    var sum = vec4<u32>(0u);
    for (var chunk = 0u; chunk < CHUNKS; chunk += 1u) {
        sum += chunks_of_four[chunk * BINS + bin];
    }
    chunks_of_four[bin] = sum;
}

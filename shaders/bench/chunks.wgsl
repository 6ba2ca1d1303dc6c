// A workgroup for every 256 × 1 pixels counts them in workgroup memory and writes its bins out, a chunk.
//
// Workgroup memory lies beside the processor that runs the workgroup, so that additions to it are fast and only 256
// invocations stand in a queue for a bin. The price is paid afterwards: for every 256 pixels a whole set of bins is cleared,
// written out and read again by the pass that sums the chunks (sum.wgsl or pairwise.wgsl). With four channels that is 4 KiB
// for 1 KiB of pixels, 530 MB at 8K. Our own pass (shaders/chunk.wgsl) keeps the idea and drops the price: its workgroups
// walk over many pixels each, so that there are hundreds of chunks and not a hundred thousand.

@group(0) @binding(1) var<storage, read_write> chunks_of_one: array<u32>;
@group(0) @binding(1) var<storage, read_write> chunks_of_four: array<vec4<u32>>;

const CHUNK: u32 = 256u; // pixels of a chunk and bins of a channel, which is why an invocation clears and writes one bin

var<workgroup> bins_of_one: array<atomic<u32>, CHUNK>;
var<workgroup> bins_of_four: array<array<atomic<u32>, 4>, CHUNK>;

// The bin in `chunks` that this invocation writes.
fn own_bin(group: vec3<u32>, local: u32) -> u32 {
    let across = (textureDimensions(image).x + CHUNK - 1u) / CHUNK;
    return (group.y * across + group.x) * CHUNK + local;
}

@compute @workgroup_size(CHUNK)
fn one(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if all(id.xy < textureDimensions(image)) {
        let luminance = codes_at(id.xy).a;
        atomicAdd(&bins_of_one[luminance], 1u);
    }
    workgroupBarrier();
    chunks_of_one[own_bin(group, local)] = atomicLoad(&bins_of_one[local]);
}

@compute @workgroup_size(CHUNK)
fn four(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if all(id.xy < textureDimensions(image)) {
        let codes = codes_at(id.xy);
        for (var channel = 0u; channel < 4u; channel += 1u) {
            atomicAdd(&bins_of_four[codes[channel]][channel], 1u);
        }
    }
    workgroupBarrier();
    chunks_of_four[own_bin(group, local)] = vec4<u32>(
        atomicLoad(&bins_of_four[local][0]),
        atomicLoad(&bins_of_four[local][1]),
        atomicLoad(&bins_of_four[local][2]),
        atomicLoad(&bins_of_four[local][3]),
    );
}

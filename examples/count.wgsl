// Counts a picture in chunks of three pixels, and adds the chunks pair by pair. docs/learn/machine.md explains it.

const BINS: u32 = 3u;
const CHUNK: u32 = 3u;

struct Pairing {
    stride: u32, // distance of a pair, in chunks
}

@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> chunks: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> pairing: Pairing;

@compute @workgroup_size(CHUNK)
fn count(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if id.x < arrayLength(&pixels) {
        let bin = pixels[id.x] * BINS / 256u;
        atomicAdd(&chunks[group.x * BINS + bin], 1u);
    }
}

@compute @workgroup_size(BINS)
fn add(@builtin(local_invocation_index) bin: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = group.x * 2u * pairing.stride;
    let second = first + pairing.stride;
    if second < arrayLength(&chunks) / BINS {
        atomicAdd(&chunks[first * BINS + bin], atomicLoad(&chunks[second * BINS + bin]));
    }
}

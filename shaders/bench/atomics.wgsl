// One invocation for every pixel, with atomic additions to one set of bins in the GPU's memory.
//
// An atomic addition cannot be torn apart: no pixel is lost. But additions to the same bin are carried out one after the
// other, by the part of the shared cache where that bin lies, for all processors of the GPU. So the time depends on the
// content: noise spreads over all bins, an even area stands in a queue for one of them.
//
// A workgroup takes 16 × 16 pixels; see race.wgsl.

@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;

@compute @workgroup_size(16, 16)
fn one(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= textureDimensions(image)) {
        return;
    }
    let luminance = codes_at(id.xy).a;
    atomicAdd(&bins[luminance], 1u);
}

@compute @workgroup_size(16, 16)
fn four(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= textureDimensions(image)) {
        return;
    }
    let codes = codes_at(id.xy);
    for (var channel = 0u; channel < 4u; channel += 1u) {
        atomicAdd(&bins[codes[channel] * 4u + channel], 1u);
    }
}

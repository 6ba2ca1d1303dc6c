// The correct counts, for comparison with a method's counts. They are computed with atomics directly from the planes,
// so no error of a method can affect them.

override BINS: u32 = 256u;
override CHANNELS: u32 = 4u;  // 4: red, green, blue and luminance; 1: only luminance

@group(1) @binding(0) var<storage, read_write> bins: array<atomic<u32>>;

@compute @workgroup_size(16, 16)
fn expect(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= counted_size()) {
        return;
    }
    let codes = counted_codes(id.xy);
    for (var channel = 4u - CHANNELS; channel < 4u; channel += 1u) {
        let bin = (codes[channel] * BINS) >> DEPTH;
        atomicAdd(&bins[bin * CHANNELS + channel + CHANNELS - 4u], 1u);
    }
}

// Regroups the counted bins into fewer or more bins. The 2^BITS codes are divided evenly: bin b gets the codes c with
// floor(c · BINS / 2^BITS) = b. One invocation per bin.

override BITS: u32 = 8u;      // counted bins: 2^BITS per channel
override BINS: u32 = 256u;    // resulting bins per channel
override CHANNELS: u32 = 4u;  // 4: red, green, blue and luminance; 1: only luminance
override FOLLOWING: bool = false;  // true for one channel after another, followed by the outermost codes

// The counted bins: one channel after another.
@group(0) @binding(0) var<storage, read> counted: array<u32>;
// The bins in the order of the tutorial's methods: the channels of bin 0, then the channels of bin 1, and so on. With
// FOLLOWING: one channel after another, then for each channel the samples of the lowest and of the highest code,
// which the bins no longer show.
@group(0) @binding(1) var<storage, read_write> bins: array<u32>;

fn first_code(bin: u32) -> u32 {
    return ((bin << BITS) + BINS - 1u) / BINS;
}

@compute @workgroup_size(64)
fn regroup(@builtin(global_invocation_id) id: vec3<u32>) {
    let bin = id.x;
    if bin >= BINS {
        return;
    }
    for (var channel = 4u - CHANNELS; channel < 4u; channel += 1u) {
        let first = channel << BITS;
        var sum = 0u;
        for (var code = first_code(bin); code < first_code(bin + 1u); code += 1u) {
            sum += counted[first + code];
        }
        let place = channel + CHANNELS - 4u;
        bins[select(bin * CHANNELS + place, place * BINS + bin, FOLLOWING)] = sum;
        if FOLLOWING && bin == 0u {
            bins[CHANNELS * BINS + 2u * place] = counted[first];
            bins[CHANNELS * BINS + 2u * place + 1u] = counted[first + (1u << BITS) - 1u];
        }
    }
}

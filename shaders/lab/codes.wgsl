// Shared by the lab's passes that read a video's planes: the codes of a pixel as the methods count them. This text goes
// between picture.wgsl and the pass's own.

override DEPTH: u32 = 8u;  // counted bits of a code, at most all
override STEP: u32 = 1u;   // step between counted pixels, across and down

// The counted pixels, across and down.
fn counted_size() -> vec2<u32> {
    return (picture.size + STEP - 1u) / STEP;
}

// Red, green, blue and luminance of the counted pixel at this place. For deeper codes, the upper bits are used, and the
// luminance is computed from them.
fn counted_codes(at: vec2<u32>) -> vec4<u32> {
    let codes = bins_of(codes_at(at * STEP));
    if DEPTH == BITS {
        return codes;
    }
    let rgb = codes.rgb >> vec3<u32>(BITS - DEPTH);
    let top = (1u << DEPTH) - 1u;
    let sum = 2126u * rgb.r + 7152u * rgb.g + 722u * rgb.b;
    let carry = select(0u, 1u, (sum % 10000u) * top + sum >= 10000u * top);
    return vec4<u32>(rgb, min(sum / 10000u + carry, top));
}

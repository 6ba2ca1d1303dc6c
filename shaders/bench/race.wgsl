// One invocation for every pixel, and nothing that keeps them apart: a data race.
//
// `bins[i] += 1` is three steps: load the count, add one, store it. When two invocations load the same count before either
// has stored, both store the same number, and one pixel is lost. Thousands run at once, and in an image of large even areas
// most of them want the same few bins: nearly all pixels are lost. It is here to show that, and because its time is that of
// the bare loads and stores.
//
// The article dispatches a workgroup for each pixel, which leaves all but one lane of the hardware's vectors idle. Here a
// workgroup takes 16 × 16 pixels, so that what is measured is the race and not the idling.

@group(0) @binding(1) var<storage, read_write> bins: array<u32>;

@compute @workgroup_size(16, 16)
fn one(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= textureDimensions(image)) {
        return;
    }
    let luminance = codes_at(id.xy).a;
    bins[luminance] += 1u;
}

@compute @workgroup_size(16, 16)
fn four(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= textureDimensions(image)) {
        return;
    }
    let codes = codes_at(id.xy);
    for (var channel = 0u; channel < 4u; channel += 1u) {
        bins[codes[channel] * 4u + channel] += 1u;
    }
}

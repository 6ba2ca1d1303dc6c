// One invocation counts all pixels, one after another, like a program on a CPU.
//
// The result is correct, but the method is hopeless. A GPU has thousands of lanes, each much slower than a CPU core,
// and this uses one of them. Every increment waits for memory before the next pixel is read. A large image would take
// seconds, and the system treats a GPU that does not respond for seconds as hung. So this method is measured on a small
// image.

@group(0) @binding(1) var<storage, read_write> bins: array<u32>;

@compute @workgroup_size(1)
fn count() {
    let size = textureDimensions(image);
    for (var y = 0u; y < size.y; y += 1u) {
        for (var x = 0u; x < size.x; x += 1u) {
            let own = bins_at(vec2<u32>(x, y));
            for (var channel = first_channel(); channel < 4u; channel += 1u) {
                bins[word_of(own[channel], channel)] += 1u;
            }
        }
    }
}

// Makes the 8-bit RGBA image for the tutorial's methods from a video's planes, with the conversion of our own counting.

@group(1) @binding(0) var image: texture_storage_2d<rgba8uint, write>;

@compute @workgroup_size(16, 16)
fn convert(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= counted_size()) {
        return;
    }
    textureStore(image, id.xy, vec4<u32>(counted_codes(id.xy).rgb, 255u));
}

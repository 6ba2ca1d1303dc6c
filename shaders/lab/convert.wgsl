// Makes the image of 8-bit RGBA that the tutorial's methods count of a video's planes, with the conversion by which ours count.

@group(1) @binding(0) var image: texture_storage_2d<rgba8uint, write>;

@compute @workgroup_size(16, 16)
fn convert(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= counted_size()) {
        return;
    }
    textureStore(image, id.xy, vec4<u32>(counted_codes(id.xy).rgb, 255u));
}

// Draws a picture that was made for the view pixel by pixel: what the CPU draws where the only adapter is software.

@group(0) @binding(0) var pixels: texture_2d<f32>;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let uv = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    return vec4<f32>(uv * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn blit(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    return textureLoad(pixels, vec2<i32>(pixel.xy), 0);
}

// The line between two pictures: a light line with two dark edges, so that it is visible on any picture.

struct Divider {
    view: vec2<u32>, // pixels
    column: u32,     // the first column of the picture on the right
    line: u32,       // light columns on either side of it, and columns of each dark edge
}

@group(0) @binding(0) var<uniform> divider: Divider;

const LIGHT: vec4<f32> = vec4<f32>(1.0);
const EDGE: vec4<f32> = vec4<f32>(0.0, 0.0, 0.0, 0.65);

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let reach = 2.0 * f32(divider.line);
    let x = f32(divider.column) + select(-reach, reach, (index & 1u) == 1u);
    return vec4<f32>(x / f32(divider.view.x) * 2.0 - 1.0, select(1.0, -1.0, (index >> 1u) == 1u), 0.0, 1.0);
}

@fragment
fn divide(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    return select(EDGE, LIGHT, abs(pixel.x - f32(divider.column)) < f32(divider.line));
}

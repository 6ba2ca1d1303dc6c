// Draws one histogram overlay from the bands of its columns.

@group(0) @binding(1) var<storage, read> columns: array<u32>;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let at = panel.origin + panel.size * vec2<u32>(index & 1u, index >> 1u);
    let unit = vec2<f32>(at) / vec2<f32>(panel.view);
    return vec4<f32>(unit.x * 2.0 - 1.0, 1.0 - unit.y * 2.0, 0.0, 1.0);
}

@fragment
fn histogram(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let at = vec2<u32>(pixel.xy) - panel.origin;
    let row = panel.size.y - 1u - at.y;
    let base = (panel.first_column + at.x) * COLUMN_WORDS;
    let low = columns[base];
    let high = columns[base + 1u];
    // The band is the number of heights at or below the point.
    var band = select(0u, 1u, row >= (low & 0xffffu)) + select(0u, 1u, row >= (low >> 16u));
    band += select(0u, 1u, row >= (high & 0xffffu)) + select(0u, 1u, row >= (high >> 16u));
    let color = unpack4x8unorm(columns[base + 2u + band]);
    // Lines across, at the quarters of the height.
    let quarters = vec3<u32>(panel.size.y) * vec3<u32>(1u, 2u, 3u) / 4u;
    let on_line = vec3<u32>(row) - quarters < vec3<u32>(panel.line);
    let strength = select(0.0, select(MINOR_LINE, MAJOR_LINE, on_line.y), any(on_line));
    // The bands' colours are as opaque as the overlay is already.
    return graticule(strength, band + 1u < BANDS) * panel.opacity + color * (1.0 - strength);
}

// Draws one histogram overlay from the bin buffer and the scale buffer; no byte of either leaves the GPU.
//
// The colour of a point is looked up by which of the four channels' bars reach its height: sixteen colours, the
// overlaps mixed as light mixes. A hidden channel reaches nothing, so the remaining overlaps follow by themselves.

override BITS: u32 = 8u;

struct Scale {
    height: f32,   // height of a bar per count, 1 being the overlay's height
    tallest: u32,
    samples: u32,
    padding: u32,
}

struct Overlay {
    transform: mat4x4<f32>,         // the overlay, 0..1 from its bottom left corner, to clip space
    colors: array<vec4<f32>, 16>,   // premultiplied; bit c of the index: channel c's bar reaches the point
    pixels: vec2<f32>,              // size on the view
    channels: u32,                  // bit c: channel c is shown here
    guide_count: u32,
    guides: vec4<f32>,              // codes at which a line marks a legal level
}

@group(0) @binding(0) var<uniform> overlay: Overlay;
@group(0) @binding(1) var<storage, read> bins: array<u32>;
@group(0) @binding(2) var<storage, read> scales: array<Scale, 4>;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn corner(@builtin(vertex_index) index: u32) -> Corner {
    let uv = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    return Corner(overlay.transform * vec4<f32>(uv, 0.0, 1.0), uv);
}

// Height of the tallest of the bars first..=last of a channel.
fn bar(channel: u32, first: u32, last: u32) -> f32 {
    var most = 0u;
    for (var bin = first; bin <= last; bin += 1u) {
        most = max(most, bins[(channel << BITS) + bin]);
    }
    if most == 0u {
        return 0.0;
    }
    // One pixel in a whole picture still shows: a bar that is not empty is at least a pixel high.
    return max(f32(most) * scales[channel].height, 1.0 / overlay.pixels.y);
}

// Whether this column of pixels is the one that shows the middle of a guide's bin.
fn on_guide(column: f32, bins_per_pixel: f32) -> bool {
    for (var i = 0u; i < overlay.guide_count; i += 1u) {
        if floor((overlay.guides[i] + 0.5) / bins_per_pixel) == column {
            return true;
        }
    }
    return false;
}

@fragment
fn histogram(in: Corner) -> @location(0) vec4<f32> {
    // The bins that this column of pixels shows. Where bins outnumber pixels none is left out.
    let count = f32(1u << BITS);
    let column = floor(in.uv.x * overlay.pixels.x);
    let bins_per_pixel = count / overlay.pixels.x;
    let top = (1u << BITS) - 1u;
    let first = min(u32(column * bins_per_pixel), top);
    let last = clamp(u32(ceil((column + 1.0) * bins_per_pixel)), first + 1u, top + 1u) - 1u;

    var reached = 0u;
    var clipped = false;
    for (var channel = 0u; channel < 4u; channel += 1u) {
        if (overlay.channels & (1u << channel)) != 0u {
            let height = bar(channel, first, last);
            reached |= select(0u, 1u << channel, in.uv.y <= height);
            // The scale rounds, so that a bar which just touches the top may come out a hair above it.
            clipped |= height > 1.0001;
        }
    }
    // A bar that goes on beyond the top ends in a light notch.
    if clipped && (1.0 - in.uv.y) * overlay.pixels.y < 3.0 {
        return vec4<f32>(1.0, 1.0, 1.0, 1.0);
    }
    let color = overlay.colors[reached];
    if on_guide(column, bins_per_pixel) {
        // Light on the dark veil, dark on light bars, so that the line is seen on both.
        let light = select(0.75, 0.1, reached != 0u);
        return vec4<f32>(vec3<f32>(light), 1.0);
    }
    return color;
}

// Copies a rectangle of an adjusted picture into its own picture, word by word.

struct Crop {
    first: u32, // the rectangle's first word in the source
    source_stride: u32, // words per row
    result_stride: u32,
    row_words: u32,
    rows: u32,
}

@group(0) @binding(0) var<uniform> rectangle: Crop;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn crop(@builtin(global_invocation_id) at: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    if at.x >= rectangle.row_words {
        return;
    }
    for (var row = at.y; row < rectangle.rows; row += groups.y) {
        result[row * rectangle.result_stride + at.x] =
            source[rectangle.first + row * rectangle.source_stride + at.x];
    }
}

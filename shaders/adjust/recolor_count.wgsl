// Does the work of recolor.wgsl and also counts the result: red, green, blue and luminance, in chunks as chunk.wgsl
// writes them. Counting in a separate pass would have to read all of it again.
//
// As in chunk.wgsl, a few hundred workgroups cover the whole picture together.

@group(2) @binding(0) var<storage, read_write> chunks: array<u32>;
@group(2) @binding(1) var<storage, read_write> scales: array<Scale, 4>;

fn tally_colors(colors: Colors, valid: u32, copy: u32) {
    let luminance = luminance_bins(colors.red, colors.green, colors.blue);
    tally_strip(colors.red, colors.green, colors.blue, luminance, valid, copy);
}

// Changes, writes and counts the block of 4 × 2 pixels whose corner is (4 · strip, row).
//
// All lookups in curves come before all counting. After it, they would have to wait.
fn count_block(strip: u32, row: u32, loads: Loads, copy: u32) {
    // Below the picture, its last row repeats. It is then written twice with the same values, and counted once.
    let below = min(row + 1u, picture.size.y - 1u);
    let pair = pair_of(strip, loads);
    let upper = changed(colors_of(pair.upper, pair.upper_chroma), strip, row);
    let lower = changed(colors_of(pair.lower, pair.lower_chroma), strip, below);
    write(upper, strip, row);
    write(lower, strip, below);
    let valid = min(4u, picture.size.x - strip * 4u);
    tally_colors(upper, valid, copy);
    tally_colors(lower, select(0u, valid, below > row), copy);
}

@compute @workgroup_size(WORKGROUP)
fn change_and_count(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    // All results are in range, so the tail stays empty.
    clear_bins(local);
    stage_curves(local);
    if group.x == 0u && local < 4u {
        scales[local] = unknown_scale(picture.size.x * picture.size.y);
    }
    workgroupBarrier();

    count_blocks(local, group.x, groups.x);
    workgroupBarrier();
    write_chunk(local, group.x);
}

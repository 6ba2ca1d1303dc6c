// First pass: every workgroup counts its share of the picture, a chunk, in workgroup memory and writes it out.
//
// A chunk is not a tile of 256 pixels: some hundreds of workgroups walk over the whole picture together, each
// invocation taking a block of 4 × 2 pixels at a time, so that the bins are cleared and written out a few hundred times
// a frame and not once per 256 pixels. All arithmetic from sample to bin is integer: see src/picture/color.rs and
// src/histogram/reference.rs, which this must equal to the last count.

override WORKGROUP: u32 = 256u;
// Whether Y', Cb and Cr are counted as coded instead of red, green, blue and luminance.
override CODED: bool = false;

@group(1) @binding(0) var<storage, read_write> chunks: array<u32>;
@group(1) @binding(1) var<storage, read_write> scales: array<Scale, 4>;

// Pixels below and above the range, of red, green and blue, that this invocation met.
var<private> outside: array<u32, 6>;

fn note_outside(slot: u32, codes: vec4<i32>, valid: u32) {
    let top = vec4<i32>((1i << BITS) - 1i);
    let counted = vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(valid);
    let below = select(vec4<u32>(0u), vec4<u32>(1u), counted & (codes < vec4<i32>(0i)));
    let above = select(vec4<u32>(0u), vec4<u32>(1u), counted & (codes > top));
    outside[slot] += below.x + below.y + below.z + below.w;
    outside[slot + 1u] += above.x + above.y + above.z + above.w;
}

// Counts the first `valid` of four pixels, given their first components and what chroma adds to them.
fn count_strip(first_codes: vec4<u32>, valid: u32, chroma: ChromaTerms, copy: u32) {
    var codes = converted(first_codes, chroma);
    if is_outside(codes.red | codes.green | codes.blue) {
        if FIRST_CHANNEL == 0u {
            note_outside(0u, codes.red, valid);
            note_outside(2u, codes.green, valid);
            note_outside(4u, codes.blue, valid);
        }
        codes = clamped(codes);
    }
    let red = vec4<u32>(codes.red);
    let green = vec4<u32>(codes.green);
    let blue = vec4<u32>(codes.blue);
    var luminance = vec4<u32>(0u);
    if counts(3u) {
        luminance = luminance_bins(red, green, blue);
    }
    tally_strip(red, green, blue, luminance, valid, copy);
}

// Counts the block of 4 × 2 pixels whose corner is (4 · strip, row), given what was loaded of it.
fn count_block(strip: u32, row: u32, loads: Loads, copy: u32) {
    let pair = pair_of(strip, loads);
    let valid = min(4u, picture.size.x - strip * 4u);
    count_strip(pair.upper, valid, pair.upper_chroma, copy);
    // Below the picture its last row comes again, which is then not counted.
    count_strip(pair.lower, select(0u, valid, row + 1u < picture.size.y), pair.lower_chroma, copy);
}

// Counts up to 4 × 2 samples of one component as coded, from sample (4 · strip, row) of its own grid on.
fn count_coded(component: u32, strip: u32, row: u32, copy: u32) {
    var size = picture.size;
    if component > 0u {
        size = picture.chroma_size;
    }
    if strip * 4u >= size.x {
        return;
    }
    let valid = min(4u, size.x - strip * 4u);
    for (var y = row; y < min(row + 2u, size.y); y += 1u) {
        let codes = samples_of_strip(component, strip, y);
        tally(component, codes.x, copy);
        if valid > 1u {
            tally(component, codes.y, copy);
        }
        if valid > 2u {
            tally(component, codes.z, copy);
        }
        if valid > 3u {
            tally(component, codes.w, copy);
        }
    }
}

// Samples that a channel counts.
fn samples_of(channel: u32) -> u32 {
    if !CODED || channel == 0u {
        return picture.size.x * picture.size.y;
    }
    if MODEL == 0u || channel == 3u {
        return 0u;
    }
    return picture.chroma_size.x * picture.chroma_size.y;
}

@compute @workgroup_size(WORKGROUP)
fn chunk(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    clear_bins(local);
    if FIRST_CHANNEL == 0u && group.x == 0u && local < 4u {
        scales[local] = unknown_scale(samples_of(local));
    }
    workgroupBarrier();

    if CODED {
        let copy = local % COPIES;
        let strips = (picture.size.x + 3u) / 4u;
        let step = block_of(groups.x * WORKGROUP, strips);
        var block = block_of(group.x * WORKGROUP + local, strips);
        while block.y < picture.size.y {
            count_coded(0u, block.x, block.y, copy);
            if MODEL != 0u {
                // The same walk covers the chroma planes: they are never larger than the luma plane.
                count_coded(1u, block.x, block.y, copy);
                count_coded(2u, block.x, block.y, copy);
            }
            block = block_after(block, step, strips);
        }
    } else {
        count_blocks(local, group.x, groups.x);
    }
    for (var slot = 0u; slot < 6u; slot += 1u) {
        if outside[slot] != 0u {
            atomicAdd(&tail[slot], outside[slot]);
        }
    }
    workgroupBarrier();
    write_chunk(local, group.x);
}

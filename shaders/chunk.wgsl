// First pass: every workgroup counts its share of the picture, a chunk, in workgroup memory and writes out the bins.
//
// A chunk is not a tile of 256 pixels. A few hundred workgroups cover the whole picture together, and each invocation
// takes a block of 4 × 2 pixels at a time. So the bins are cleared and written a few hundred times per frame, not once
// per 256 pixels. All arithmetic from sample to bin uses integers. It must be identical to
// crates/core/src/picture/color.rs and crates/core/src/histogram/reference.rs.

override WORKGROUP: u32 = 256u;
// True if Y', Cb and Cr are counted as coded instead of red, green, blue and luminance.
override CODED: bool = false;
// True if only a rectangle of the picture is counted. Otherwise the code for it below is not compiled in.
override REGIONAL: bool = false;

struct Region {
    low: vec2<u32>,   // column and row of the first pixel
    high: vec2<u32>,  // column and row, one past the last
}

@group(1) @binding(0) var<storage, read_write> chunks: array<u32>;
@group(1) @binding(1) var<storage, read_write> scales: array<Scale, 4>;
@group(2) @binding(0) var<uniform> region: Region;

// Pixels below and above the range, for red, green and blue, found by this invocation.
var<private> outside: array<u32, 6>;

// The counted part of a component's grid: column and row of the first sample, then one past the last. A chroma sample
// counts if it covers a counted pixel.
fn counted_low(component: u32) -> vec2<u32> {
    if !REGIONAL {
        return vec2<u32>(0u);
    }
    return select(region.low >> vec2<u32>(CHROMA_X, CHROMA_Y), region.low, component == 0u);
}

fn counted_high(component: u32) -> vec2<u32> {
    if !REGIONAL {
        return select(picture.chroma_size, picture.size, component == 0u);
    }
    let last = (region.high - vec2<u32>(1u)) >> vec2<u32>(CHROMA_X, CHROMA_Y);
    return select(last + vec2<u32>(1u), region.high, component == 0u);
}

// The counted samples among the four of a strip, for columns from low up to high: the first, and one past the last.
fn counted_of_strip(strip: u32, low: u32, high: u32) -> vec2<u32> {
    let begin = strip * 4u;
    let end = min(4u, max(high, begin) - begin);
    if !REGIONAL {
        return vec2<u32>(0u, end);
    }
    return vec2<u32>(min(max(low, begin) - begin, end), end);
}

fn note_outside(slot: u32, codes: vec4<i32>, part: vec2<u32>) {
    let top = vec4<i32>((1i << BITS) - 1i);
    let lane = vec4<u32>(0u, 1u, 2u, 3u);
    let counted = (lane >= vec4<u32>(part.x)) & (lane < vec4<u32>(part.y));
    let below = select(vec4<u32>(0u), vec4<u32>(1u), counted & (codes < vec4<i32>(0i)));
    let above = select(vec4<u32>(0u), vec4<u32>(1u), counted & (codes > top));
    outside[slot] += below.x + below.y + below.z + below.w;
    outside[slot + 1u] += above.x + above.y + above.z + above.w;
}

// Counts the pixels from part.x up to part.y among four, given their first components and the contribution of chroma.
fn count_strip(first_codes: vec4<u32>, part: vec2<u32>, chroma: ChromaTerms, copy: u32) {
    var codes = converted(first_codes, chroma);
    if is_outside(codes.red | codes.green | codes.blue) {
        if FIRST_CHANNEL == 0u {
            note_outside(0u, codes.red, part);
            note_outside(2u, codes.green, part);
            note_outside(4u, codes.blue, part);
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
    if REGIONAL {
        for (var lane = part.x; lane < part.y; lane += 1u) {
            tally_pixel(red[lane], green[lane], blue[lane], luminance[lane], copy);
        }
        return;
    }
    tally_strip(red, green, blue, luminance, part.y, copy);
}

// Returns `part` if the row is counted, otherwise an empty part.
fn part_in_row(part: vec2<u32>, row: u32) -> vec2<u32> {
    let is_counted = row < counted_high(0u).y && (!REGIONAL || row >= region.low.y);
    return select(vec2<u32>(0u), part, is_counted);
}

// Counts the block of 4 × 2 pixels whose corner is (4 · strip, row), given its loaded words.
fn count_block(strip: u32, row: u32, loads: Loads, copy: u32) {
    let pair = pair_of(strip, loads);
    let part = counted_of_strip(strip, counted_low(0u).x, counted_high(0u).x);
    // True if the row belongs to the picture.
    let upper = select(part, part_in_row(part, row), REGIONAL);
    count_strip(pair.upper, upper, pair.upper_chroma, copy);
    // Below the picture, its last row repeats; it is not counted again.
    count_strip(pair.lower, part_in_row(part, row + 1u), pair.lower_chroma, copy);
}

// Counts up to 4 × 2 samples of one component as coded, starting at sample (4 · strip, row) of its own grid.
fn count_coded(component: u32, strip: u32, row: u32, copy: u32) {
    let low = counted_low(component);
    let high = counted_high(component);
    let part = counted_of_strip(strip, low.x, high.x);
    if part.x >= part.y {
        return;
    }
    for (var y = max(row, low.y); y < min(row + 2u, high.y); y += 1u) {
        let codes = samples_of_strip(component, strip, y);
        if REGIONAL {
            for (var lane = part.x; lane < part.y; lane += 1u) {
                tally(component, codes[lane], copy);
            }
            continue;
        }
        tally(component, codes.x, copy);
        if part.y > 1u {
            tally(component, codes.y, copy);
        }
        if part.y > 2u {
            tally(component, codes.z, copy);
        }
        if part.y > 3u {
            tally(component, codes.w, copy);
        }
    }
}

// The number of samples that a channel counts.
fn samples_of(channel: u32) -> u32 {
    let component = select(0u, channel, CODED);
    if (MODEL == 0u && component > 0u) || component == 3u {
        return 0u;
    }
    let size = counted_high(component) - counted_low(component);
    return size.x * size.y;
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
                // The same loop covers the chroma planes, which are never larger than the luma plane.
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

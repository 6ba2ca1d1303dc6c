// First pass: every workgroup counts its share of the picture, a chunk, in workgroup memory and writes it out.
//
// A chunk is not a tile of 256 pixels: some hundreds of workgroups walk over the whole picture together, each
// invocation taking a block of 4 × 2 or 8 × 2 pixels at a time, so that the bins are cleared and written out a few hundred times
// a frame and not once per 256 pixels. All arithmetic from sample to bin is integer: see src/color.rs and
// src/reference.rs, which this must equal to the last count.

override WORKGROUP: u32 = 256u;
// The channels this pipeline counts, from FIRST_CHANNEL on. All four where their bins fit in workgroup memory.
override FIRST_CHANNEL: u32 = 0u;
override CHANNEL_COUNT: u32 = 4u;
// Whether red takes part of the second component, or blue of the third: not so for Y'CbCr by luma weights, which saves
// two of six products.
override CROSSED: bool = true;
// Whether Y', Cb and Cr are counted as coded instead of red, green, blue and luminance.
override CODED: bool = false;
// Workgroup memory holds COPIES interleaved copies of each bin: neighbouring invocations then hit different banks when
// all pixels are alike.
override COPIES: u32 = 1u;
// Whether a block is 8 pixels wide and not 4. That asks less often where a block lies and loads every word of chroma once,
// but leaves a small picture too few blocks to keep every processor busy.
override WIDE: bool = false;
override BIN_WORDS: u32 = 1024u; // CHANNEL_COUNT · 2^BITS · COPIES

const TAIL_WORDS: u32 = 8u;
// Words from one chunk's bins to the next one's: four channels and the tail.
override CHUNK_WORDS: u32 = 1032u;

// As in scale.wgsl; the reduce pass folds the bins in.
struct Scale {
    height: f32,
    tallest: u32,
    samples: u32,
    padding: u32,
}

@group(1) @binding(0) var<storage, read_write> chunks: array<u32>;
@group(1) @binding(1) var<storage, read_write> scales: array<Scale, 4>;

// A bin of a workgroup cannot overflow: a picture has at most 2^30 pixels (src/frame.rs).
var<workgroup> bins: array<atomic<u32>, BIN_WORDS>;
var<workgroup> tail: array<atomic<u32>, TAIL_WORDS>;

fn counts(channel: u32) -> bool {
    return channel >= FIRST_CHANNEL && channel < FIRST_CHANNEL + CHANNEL_COUNT;
}

fn tally(channel: u32, code: u32, copy: u32) {
    if counts(channel) {
        atomicAdd(&bins[(((channel - FIRST_CHANNEL) << BITS) + code) * COPIES + copy], 1u);
    }
}

// Codes of four neighbouring samples of a component, from sample 4 · quad of a row on.
fn quad_of_samples(component: u32, quad: u32, row: u32) -> vec4<u32> {
    let plane = component_plane(component);
    let offset = component_offset(component);
    let step = component_step(component);
    let mask = vec4<u32>((1u << BITS) - 1u);
    let base = quad * step; // 4 · step bytes are `step` words
    if step == 1u {
        let word = plane_word(plane, row, base);
        return vec4<u32>(word, word >> 8u, word >> 16u, word >> 24u) & mask;
    }
    if step == 2u {
        let shift = offset * 8u + component_shift(component);
        let low = plane_word(plane, row, base);
        let high = plane_word(plane, row, base + 1u);
        return (vec4<u32>(low, low >> 16u, high, high >> 16u) >> vec4<u32>(shift)) & mask;
    }
    let bytes = vec4<u32>(offset, offset + step, offset + 2u * step, offset + 3u * step);
    let words = vec4<u32>(
        plane_word(plane, row, base + (bytes.x >> 2u)),
        plane_word(plane, row, base + (bytes.y >> 2u)),
        plane_word(plane, row, base + (bytes.z >> 2u)),
        plane_word(plane, row, base + (bytes.w >> 2u)),
    );
    return (words >> ((bytes & vec4<u32>(3u)) * 8u + component_shift(component))) & mask;
}

// Codes of the chroma samples that cover the four pixels of a quad.
fn quad_of_chroma(component: u32, quad: u32, row: u32) -> vec4<u32> {
    if CHROMA_X == 0u {
        return quad_of_samples(component, quad, row);
    }
    if CHROMA_X == 1u {
        let plane = component_plane(component);
        let step = component_step(component);
        let mask = (1u << BITS) - 1u;
        let byte = component_offset(component) + quad * 2u * step;
        let word = plane_word(plane, row, byte >> 2u);
        let first = (word >> ((byte & 3u) * 8u + component_shift(component))) & mask;
        var second: u32;
        if step <= 2u {
            // Both samples lie in one word: its two halves, or two neighbouring bytes from an even one on.
            second = (word >> (((byte + step) & 3u) * 8u + component_shift(component))) & mask;
        } else {
            second = code_at(component, quad * 2u + 1u, row);
        }
        return vec4<u32>(first, first, second, second);
    }
    return vec4<u32>(code_at(component, quad, row));
}

// What the chroma of four pixels adds to their red, green and blue, with the bias.
struct ChromaTerms {
    red: vec4<i32>,
    green: vec4<i32>,
    blue: vec4<i32>,
}

fn chroma_terms(quad: u32, row: u32) -> ChromaTerms {
    let red_bias = vec4<i32>(picture.red.w);
    let green_bias = vec4<i32>(picture.green.w);
    let blue_bias = vec4<i32>(picture.blue.w);
    if MODEL == 0u {
        return ChromaTerms(red_bias, green_bias, blue_bias);
    }
    let second = vec4<i32>(quad_of_chroma(1u, quad, row));
    let third = vec4<i32>(quad_of_chroma(2u, quad, row));
    let green = picture.green.y * second + picture.green.z * third + green_bias;
    if !CROSSED {
        return ChromaTerms(picture.red.z * third + red_bias, green, picture.blue.y * second + blue_bias);
    }
    return ChromaTerms(
        picture.red.y * second + picture.red.z * third + red_bias,
        green,
        picture.blue.y * second + picture.blue.z * third + blue_bias,
    );
}

// Exactly floor(N · (0.2126 r + 0.7152 g + 0.0722 b)), r, g, b = code / (N-1), at most N-1; see src/color.rs.
fn luminance_bins(red: vec4<u32>, green: vec4<u32>, blue: vec4<u32>) -> vec4<u32> {
    if BITS == 8u {
        // 256 / (10000 · 255) = 16 / 159375, the 16 drawn into the weights.
        let sum = red * (16u * 2126u) + green * (16u * 7152u) + blue * (16u * 722u);
        return min(sum / vec4<u32>(159375u), vec4<u32>(255u));
    }
    if BITS == 10u {
        // 1024 / (10000 · 1023) = 64 / 639375, likewise.
        let sum = red * (64u * 2126u) + green * (64u * 7152u) + blue * (64u * 722u);
        return min(sum / vec4<u32>(639375u), vec4<u32>(1023u));
    }
    let sum = red * 2126u + green * 7152u + blue * 722u;
    // 4096 · sum would not fit in 32 bits, so the quotient and the remainder are taken apart.
    let quotient = sum / vec4<u32>(10000u);
    let remainder = sum - quotient * 10000u;
    let carry = select(vec4<u32>(0u), vec4<u32>(1u), remainder * 4095u + sum >= vec4<u32>(40950000u));
    return min(quotient + carry, vec4<u32>(4095u));
}

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

fn tally_pixel(red: u32, green: u32, blue: u32, luminance: u32, copy: u32) {
    tally(0u, red, copy);
    tally(1u, green, copy);
    tally(2u, blue, copy);
    tally(3u, luminance, copy);
}

// Counts the first `valid` of four pixels, given their first components and what chroma adds to them.
fn count_quad(first_codes: vec4<u32>, valid: u32, chroma: ChromaTerms, copy: u32) {
    let first = vec4<i32>(first_codes);
    let shift = vec4<u32>(FRACTION);
    var red = (picture.red.x * first + chroma.red) >> shift;
    var green = (picture.green.x * first + chroma.green) >> shift;
    var blue = (picture.blue.x * first + chroma.blue) >> shift;
    // A code below zero or above the top has a bit set above the code's own. That is rare enough in real pictures for
    // the clamp to stand in a branch.
    let any = red | green | blue;
    if ((any.x | any.y | any.z | any.w) >> BITS) != 0i {
        if FIRST_CHANNEL == 0u {
            note_outside(0u, red, valid);
            note_outside(2u, green, valid);
            note_outside(4u, blue, valid);
        }
        let top = vec4<i32>((1i << BITS) - 1i);
        red = clamp(red, vec4<i32>(0i), top);
        green = clamp(green, vec4<i32>(0i), top);
        blue = clamp(blue, vec4<i32>(0i), top);
    }
    let red_codes = vec4<u32>(red);
    let green_codes = vec4<u32>(green);
    let blue_codes = vec4<u32>(blue);
    var luminance = vec4<u32>(0u);
    if counts(3u) {
        luminance = luminance_bins(red_codes, green_codes, blue_codes);
    }
    // Written out four times: a loop over the lanes of a vector is not reliably unrolled. All four pixels are there
    // except at the right edge, so that one question serves for all.
    if valid == 4u {
        tally_pixel(red_codes.x, green_codes.x, blue_codes.x, luminance.x, copy);
        tally_pixel(red_codes.y, green_codes.y, blue_codes.y, luminance.y, copy);
        tally_pixel(red_codes.z, green_codes.z, blue_codes.z, luminance.z, copy);
        tally_pixel(red_codes.w, green_codes.w, blue_codes.w, luminance.w, copy);
        return;
    }
    if valid > 0u {
        tally_pixel(red_codes.x, green_codes.x, blue_codes.x, luminance.x, copy);
    }
    if valid > 1u {
        tally_pixel(red_codes.y, green_codes.y, blue_codes.y, luminance.y, copy);
    }
    if valid > 2u {
        tally_pixel(red_codes.z, green_codes.z, blue_codes.z, luminance.z, copy);
    }
}

// Four pixels of two rows, loaded and not yet counted.
struct Pair {
    upper: vec4<u32>,
    lower: vec4<u32>,
    upper_chroma: ChromaTerms,
    lower_chroma: ChromaTerms,
}

fn load_pair(quad: u32, row: u32) -> Pair {
    // Below the picture is its last row again, which is then loaded but not counted.
    let below = min(row + 1u, picture.size.y - 1u);
    let upper = quad_of_samples(0u, quad, row);
    let lower = quad_of_samples(0u, quad, below);
    let upper_chroma = chroma_terms(quad, row >> CHROMA_Y);
    // Rows are taken in pairs from an even one: where chroma is subsampled vertically both have the same.
    var lower_chroma = upper_chroma;
    if CHROMA_Y == 0u {
        lower_chroma = chroma_terms(quad, below);
    }
    return Pair(upper, lower, upper_chroma, lower_chroma);
}

fn count_pair(pair: Pair, quad: u32, row: u32, copy: u32) {
    let valid = min(4u, picture.size.x - min(quad * 4u, picture.size.x));
    count_quad(pair.upper, valid, pair.upper_chroma, copy);
    count_quad(pair.lower, select(0u, valid, row + 1u < picture.size.y), pair.lower_chroma, copy);
}

// Counts the block whose corner is at pixel (4 · quad, row).
//
// All loads stand before all counting: they are under way together, while a load behind a count would wait for it.
fn count_block(quad: u32, row: u32, copy: u32) {
    let first = load_pair(quad, row);
    if WIDE {
        let second = load_pair(quad + 1u, row);
        count_pair(first, quad, row, copy);
        count_pair(second, quad + 1u, row, copy);
    } else {
        count_pair(first, quad, row, copy);
    }
}

// Counts up to 4 × 2 samples of one component as coded, from sample (4 · quad, row) of its own grid on.
fn count_coded(component: u32, quad: u32, row: u32, copy: u32) {
    var size = picture.size;
    if component > 0u {
        size = picture.chroma_size;
    }
    if quad * 4u >= size.x {
        return;
    }
    let valid = min(4u, size.x - quad * 4u);
    for (var y = row; y < min(row + 2u, size.y); y += 1u) {
        let codes = quad_of_samples(component, quad, y);
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

// The scale of a channel of which no bin is known yet. Its height is above any that a bin can give, but nothing where
// nothing is counted.
fn unknown_scale(channel: u32) -> Scale {
    let samples = samples_of(channel);
    return Scale(select(0.0, 3e38, samples > 0u), 0u, samples, 0u);
}

@compute @workgroup_size(WORKGROUP)
fn chunk(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    for (var word = local; word < BIN_WORDS; word += WORKGROUP) {
        atomicStore(&bins[word], 0u);
    }
    if local < TAIL_WORDS {
        atomicStore(&tail[local], 0u);
    }
    if FIRST_CHANNEL == 0u && group.x == 0u && local < 4u {
        scales[local] = unknown_scale(local);
    }
    workgroupBarrier();

    // Blocks are numbered along the rows, and the invocations of all workgroups take them in turn, so that loads are
    // adjacent and every workgroup sees a like share of the picture's content.
    let copy = local % COPIES;
    let quads_of_block = select(1u, 2u, WIDE);
    let blocks = (picture.size.x + 4u * quads_of_block - 1u) / (4u * quads_of_block);
    let stride = groups.x * WORKGROUP;
    let stride_rows = stride / blocks * 2u;
    let stride_blocks = stride % blocks;
    let start = group.x * WORKGROUP + local;
    var block = start % blocks;
    var row = start / blocks * 2u;
    while row < picture.size.y {
        let quad = block * quads_of_block;
        if CODED {
            for (var i = 0u; i < quads_of_block; i += 1u) {
                count_coded(0u, quad + i, row, copy);
                if MODEL != 0u {
                    // The same walk covers the chroma planes: they are never larger than the luma plane.
                    count_coded(1u, quad + i, row, copy);
                    count_coded(2u, quad + i, row, copy);
                }
            }
        } else {
            count_block(quad, row, copy);
        }
        block += stride_blocks;
        row += stride_rows;
        if block >= blocks {
            block -= blocks;
            row += 2u;
        }
    }
    for (var slot = 0u; slot < 6u; slot += 1u) {
        if outside[slot] != 0u {
            atomicAdd(&tail[slot], outside[slot]);
        }
    }
    workgroupBarrier();

    let base = group.x * CHUNK_WORDS;
    let own = CHANNEL_COUNT << BITS;
    for (var bin = local; bin < own; bin += WORKGROUP) {
        var sum = 0u;
        for (var i = 0u; i < COPIES; i += 1u) {
            sum += atomicLoad(&bins[bin * COPIES + i]);
        }
        chunks[base + (FIRST_CHANNEL << BITS) + bin] = sum;
    }
    if FIRST_CHANNEL == 0u && local < TAIL_WORDS {
        chunks[base + (4u << BITS) + local] = atomicLoad(&tail[local]);
    }
}

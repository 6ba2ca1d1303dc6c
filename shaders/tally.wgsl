// Shared by passes that count pixels: bins in workgroup memory, the loop of all workgroups over the picture, and the
// chunk that a workgroup writes at the end. This text goes between strips.wgsl and the pass's own. The pass declares
// WORKGROUP, the buffers `chunks` (of words) and `scales` (of Scale, one per channel), and the function `count_block`.

// The channels that a pipeline counts, beginning with FIRST_CHANNEL: all four if their bins fit in workgroup memory.
override FIRST_CHANNEL: u32 = 0u;
override CHANNEL_COUNT: u32 = 4u;
// Workgroup memory holds COPIES interleaved copies of each bin. Neighbouring invocations then use different banks even
// if all pixels are equal.
override COPIES: u32 = 1u;
override BIN_WORDS: u32 = 1024u; // CHANNEL_COUNT · 2^BITS · COPIES

const TAIL_WORDS: u32 = 8u;
// Words per chunk: four channels and the tail.
override CHUNK_WORDS: u32 = 1032u;

// As in scale.wgsl. The reduce pass updates it.
struct Scale {
    height: f32,
    tallest: u32,
    samples: u32,
    padding: u32,
}

// A bin of a workgroup cannot overflow: a picture has at most 2^30 pixels (crates/core/src/picture/frame.rs).
var<workgroup> bins: array<atomic<u32>, BIN_WORDS>;
// Pixels below and above the range, for red, green and blue.
var<workgroup> tail: array<atomic<u32>, TAIL_WORDS>;

fn counts(channel: u32) -> bool {
    return channel >= FIRST_CHANNEL && channel < FIRST_CHANNEL + CHANNEL_COUNT;
}

fn tally(channel: u32, code: u32, copy: u32) {
    if counts(channel) {
        atomicAdd(&bins[(((channel - FIRST_CHANNEL) << BITS) + code) * COPIES + copy], 1u);
    }
}

fn tally_pixel(red: u32, green: u32, blue: u32, luminance: u32, copy: u32) {
    tally(0u, red, copy);
    tally(1u, green, copy);
    tally(2u, blue, copy);
    tally(3u, luminance, copy);
}

// Counts the first `valid` of four pixels.
fn tally_strip(red: vec4<u32>, green: vec4<u32>, blue: vec4<u32>, luminance: vec4<u32>, valid: u32, copy: u32) {
    // Unrolled by hand, since a loop over the lanes of a vector is not reliably unrolled. All four pixels exist except
    // at the right edge, so a single test covers all of them.
    if valid == 4u {
        tally_pixel(red.x, green.x, blue.x, luminance.x, copy);
        tally_pixel(red.y, green.y, blue.y, luminance.y, copy);
        tally_pixel(red.z, green.z, blue.z, luminance.z, copy);
        tally_pixel(red.w, green.w, blue.w, luminance.w, copy);
        return;
    }
    if valid > 0u {
        tally_pixel(red.x, green.x, blue.x, luminance.x, copy);
    }
    if valid > 1u {
        tally_pixel(red.y, green.y, blue.y, luminance.y, copy);
    }
    if valid > 2u {
        tally_pixel(red.z, green.z, blue.z, luminance.z, copy);
    }
}

// The scale of a channel before any bin is known. Its height is greater than any that a bin can give, but zero if
// nothing is counted.
fn unknown_scale(samples: u32) -> Scale {
    return Scale(select(0.0, 3e38, samples > 0u), 0u, samples, 0u);
}

// Clears the bins. A barrier must follow before anything is counted.
fn clear_bins(local: u32) {
    for (var word = local; word < BIN_WORDS; word += WORKGROUP) {
        atomicStore(&bins[word], 0u);
    }
    if local < TAIL_WORDS {
        atomicStore(&tail[local], 0u);
    }
}

// Writes the counts as this chunk. A barrier must come before.
fn write_chunk(local: u32, chunk: u32) {
    let base = chunk * CHUNK_WORDS;
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

// Loads the words of the next block. They load while the current block is counted, which would otherwise finish before
// memory responds. After the last block, the last row's words are loaded again.
fn load_words_ahead(block: vec2<u32>) -> Loads {
    return load_words(block.x, min(block.y, picture.size.y - 1u));
}

// Calls the pass's own `count_block` for every block of this invocation, with the loaded words.
fn count_blocks(local: u32, group: u32, groups: u32) {
    let copy = local % COPIES;
    let strips = (picture.size.x + 3u) / 4u;
    let step = block_of(groups * WORKGROUP, strips);
    var block = block_of(group * WORKGROUP + local, strips);
    var loads = load_words_ahead(block);
    while block.y < picture.size.y {
        let current = loads;
        let next = block_after(block, step, strips);
        loads = load_words_ahead(next);
        count_block(block.x, block.y, current, copy);
        block = next;
    }
}

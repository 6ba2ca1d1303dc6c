// Second pass: sums the chunks into the bin buffer and, if requested, does the third pass's work too.
//
// A workgroup sums 32 neighbouring words over all chunks. Its invocations form PARTS rows of 32. Each row adds up every
// PARTS-th chunk with adjacent loads; then the rows are added pair by pair in workgroup memory.
//
// The scale pass (scale.wgsl) computes very little, but as a separate dispatch it waits until this one has finished.
// Here every workgroup already holds 32 bins of one channel. It folds them into the channel's tallest bin and height
// with two atomics. Their result does not depend on the order of the workgroups.

override PARTS: u32 = 8u;        // a power of two
override PART_WORDS: u32 = 256u; // 32 · PARTS
override SCALING: bool = false;  // true if the scales are computed here; the chunk pass has then prepared them

struct Reduction {
    chunk_count: u32,
    chunk_words: u32,  // words per chunk, all of which are summed
    bits: u32,         // a channel has 2^bits bins, at least 32
    padding: u32,
}

// As in scale.wgsl, but written by several workgroups. The bits of non-negative floats have the same order as their
// values.
struct Scale {
    height: atomic<u32>,
    tallest: atomic<u32>,
    samples: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> reduction: Reduction;
@group(0) @binding(1) var<storage, read> chunks: array<u32>;
@group(0) @binding(2) var<storage, read_write> bins: array<u32>;
@group(0) @binding(3) var<storage, read_write> scales: array<Scale, 4>;

var<workgroup> partial: array<u32, PART_WORDS>;
var<workgroup> tallest: atomic<u32>;

fn word_of_chunk(chunk: u32, word: u32) -> u32 {
    if chunk < reduction.chunk_count {
        return chunks[chunk * reduction.chunk_words + word];
    }
    return 0u;
}

@compute @workgroup_size(32, PARTS)
fn reduce(@builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let word = group.x * 32u + local.x;
    let own = local.y * 32u + local.x;
    if own == 0u {
        atomicStore(&tallest, 0u);
    }
    var sum = 0u;
    if word < reduction.chunk_words {
        // Eight loads at a time are in flight together. One after another, each would wait for the one before.
        for (var chunk = local.y; chunk < reduction.chunk_count; chunk += 8u * PARTS) {
            let a = word_of_chunk(chunk, word);
            let b = word_of_chunk(chunk + PARTS, word);
            let c = word_of_chunk(chunk + 2u * PARTS, word);
            let d = word_of_chunk(chunk + 3u * PARTS, word);
            let e = word_of_chunk(chunk + 4u * PARTS, word);
            let f = word_of_chunk(chunk + 5u * PARTS, word);
            let g = word_of_chunk(chunk + 6u * PARTS, word);
            let h = word_of_chunk(chunk + 7u * PARTS, word);
            sum += ((a + b) + (c + d)) + ((e + f) + (g + h));
        }
    }
    partial[own] = sum;
    for (var half = PARTS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local.y < half {
            partial[own] += partial[own + half * 32u];
        }
    }
    let is_last_row = local.y == 0u && word < reduction.chunk_words;
    if is_last_row {
        bins[word] = partial[own];
    }
    if SCALING {
        workgroupBarrier();
        if is_last_row {
            atomicMax(&tallest, partial[own]);
        }
        workgroupBarrier();
        // The four channels' bins are followed by the tail, which has no scale.
        let channel = word >> reduction.bits;
        if own == 0u && channel < 4u {
            fold(channel, atomicLoad(&tallest));
        }
    }
}

// Updates the scale of a channel with these bins, given the tallest of them. The height is defined in scale.wgsl. It
// falls as the tallest bin rises, so the lowest height of all workgroups is the channel's.
fn fold(channel: u32, most: u32) {
    if most == 0u {
        return;
    }
    let height = max(1.0 / f32(most), 0.2 * f32(1u << reduction.bits) / f32(scales[channel].samples));
    atomicMax(&scales[channel].tallest, most);
    atomicMin(&scales[channel].height, bitcast<u32>(height));
}

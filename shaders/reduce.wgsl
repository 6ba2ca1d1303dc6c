// Second pass: sums the chunks into the bin buffer.
//
// A workgroup sums 32 neighbouring words over all chunks. Its invocations stand in PARTS rows of 32: each row adds up
// every PARTS-th chunk with adjacent loads, then the rows are added pair by pair in workgroup memory.

override PARTS: u32 = 8u;        // a power of two
override PART_WORDS: u32 = 256u; // 32 · PARTS

struct Reduction {
    chunk_count: u32,
    chunk_words: u32,  // words from one chunk to the next
    first_word: u32,   // words outside first_word..end_word stay as they are
    end_word: u32,
}

@group(0) @binding(0) var<uniform> reduction: Reduction;
@group(0) @binding(1) var<storage, read> chunks: array<u32>;
@group(0) @binding(2) var<storage, read_write> bins: array<u32>;

var<workgroup> partial: array<u32, PART_WORDS>;

fn word_of_chunk(chunk: u32, word: u32) -> u32 {
    if chunk < reduction.chunk_count {
        return chunks[chunk * reduction.chunk_words + word];
    }
    return 0u;
}

@compute @workgroup_size(32, PARTS)
fn reduce(@builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let word = reduction.first_word + group.x * 32u + local.x;
    var sum = 0u;
    if word < reduction.end_word {
        // Eight loads at a time are under way together; one after the other, each would wait for the one before.
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
    let own = local.y * 32u + local.x;
    partial[own] = sum;
    for (var half = PARTS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local.y < half {
            partial[own] += partial[own + half * 32u];
        }
    }
    if local.y == 0u && word < reduction.end_word {
        bins[word] = partial[own];
    }
}

// Second pass: sums the chunks into the bin buffer.
//
// A workgroup sums 32 neighbouring words over all chunks. Its invocations stand in PARTS rows of 32: each row adds up
// every PARTS-th chunk with adjacent loads, then the rows are added in workgroup memory.

override PARTS: u32 = 8u;
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

@compute @workgroup_size(32, PARTS)
fn reduce(@builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let word = reduction.first_word + group.x * 32u + local.x;
    var sum = 0u;
    if word < reduction.end_word {
        for (var chunk = local.y; chunk < reduction.chunk_count; chunk += PARTS) {
            sum += chunks[chunk * reduction.chunk_words + word];
        }
    }
    partial[local.y * 32u + local.x] = sum;
    workgroupBarrier();
    if local.y == 0u && word < reduction.end_word {
        for (var part = 1u; part < PARTS; part += 1u) {
            sum += partial[part * 32u + local.x];
        }
        bins[word] = sum;
    }
}

// Prefix sums as in the tutorials: word i of the target is the sum of the source's words before it (exclusive), or
// including its own (inclusive), modulo 2^32.
//
// A workgroup scans a block by one of three methods and stores the block's sum. The blocks' sums are scanned in the
// same way, level by level, until one block holds them all. Then `add` adds to each block the sum of all blocks before
// it, from the highest level down. scan_block.wgsl has the work-efficient method.

override INCLUSIVE: bool = false;

struct Level {
    length: u32,  // words to scan
    blocks: u32,  // blocks of words; if more than one, their sums are stored
    block: u32,   // words of a block
    padding: u32,
}

@group(0) @binding(0) var<uniform> level: Level;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read_write> prefix: array<u32>;
// For the scans: the blocks' sums. For `add`: the sum before each block.
@group(0) @binding(3) var<storage, read_write> block_sums: array<u32>;

fn block_of(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}

fn word_at(index: u32) -> u32 {
    if index < level.length {
        return source[index];
    }
    return 0u;
}

fn note(block: u32, sum: u32) {
    if block < level.blocks && level.blocks > 1u {
        block_sums[block] = sum;
    }
}

fn store(index: u32, before: u32, own: u32) {
    if index < level.length {
        prefix[index] = select(before, before + own, INCLUSIVE);
    }
}

// Every invocation sums the words before its own in the block.
@compute @workgroup_size(WORKGROUP)
fn naive(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = block_of(group, groups);
    let first = block * WORKGROUP;
    var before = 0u;
    for (var i = 0u; i < local; i += 1u) {
        before += word_at(first + i);
    }
    let own = word_at(first + local);
    store(first + local, before, own);
    if local == WORKGROUP - 1u {
        note(block, before + own);
    }
}

// Hillis and Steele: every word adds the word 1, 2, 4, … before it, alternating between the two halves of the memory.
@compute @workgroup_size(WORKGROUP)
fn hillis_steele(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = block_of(group, groups);
    let index = block * WORKGROUP + local;
    let own = word_at(index);
    var half = 0u;
    words[local] = own;
    for (var offset = 1u; offset < WORKGROUP; offset <<= 1u) {
        workgroupBarrier();
        var sum = words[half + local];
        if local >= offset {
            sum += words[half + local - offset];
        }
        half = WORKGROUP - half;
        words[half + local] = sum;
    }
    workgroupBarrier();
    let sum = words[half + local];
    store(index, sum - own, own);
    if local == WORKGROUP - 1u {
        note(block, sum);
    }
}

// Blelloch: up a tree of sums and down again, with two words per invocation.
@compute @workgroup_size(WORKGROUP)
fn blelloch(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = block_of(group, groups);
    let first = block * 2u * WORKGROUP + local;
    let second = first + WORKGROUP;
    let own = vec2<u32>(word_at(first), word_at(second));
    words[padded(local)] = own.x;
    words[padded(local + WORKGROUP)] = own.y;
    let sum = scan_block(local);
    if local == 0u {
        note(block, sum);
    }
    store(first, words[padded(local)], own.x);
    store(second, words[padded(local + WORKGROUP)], own.y);
}

// Adds to each word the sum before its block.
@compute @workgroup_size(WORKGROUP)
fn add(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = block_of(group, groups) * WORKGROUP + local;
    if index < level.length {
        prefix[index] += block_sums[index / level.block];
    }
}

// Exclusive prefix sum: target[i] = source[0] + … + source[i - 1], modulo 2^32.
//
// There are three dispatches. `blocks` scans blocks of 2 · WORKGROUP words each and stores each block's sum, `sums`
// scans those sums, and `add` adds to each block the sum of all blocks before it. A single block needs only the first.
// scan_block.wgsl has the scan of a block.

struct Job {
    source: u32, // first word of the source
    target_at: u32,
    length: u32,
    blocks: u32, // ⌈length / (2 · WORKGROUP)⌉, at most 2 · WORKGROUP
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read_write> prefix: array<u32>;
@group(0) @binding(3) var<storage, read_write> block_sums: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn blocks(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = group.x * 2u * WORKGROUP + local;
    let second = first + WORKGROUP;
    words[padded(local)] = 0u;
    words[padded(local + WORKGROUP)] = 0u;
    if first < job.length {
        words[padded(local)] = source[job.source + first];
    }
    if second < job.length {
        words[padded(local + WORKGROUP)] = source[job.source + second];
    }
    let sum = scan_block(local);
    if local == 0u && job.blocks > 1u {
        block_sums[group.x] = sum;
    }
    if first < job.length {
        prefix[job.target_at + first] = words[padded(local)];
    }
    if second < job.length {
        prefix[job.target_at + second] = words[padded(local + WORKGROUP)];
    }
}

@compute @workgroup_size(WORKGROUP)
fn sums(@builtin(local_invocation_index) local: u32) {
    let second = local + WORKGROUP;
    words[padded(local)] = 0u;
    words[padded(second)] = 0u;
    if local < job.blocks {
        words[padded(local)] = block_sums[local];
    }
    if second < job.blocks {
        words[padded(second)] = block_sums[second];
    }
    scan_block(local);
    if local < job.blocks {
        block_sums[local] = words[padded(local)];
    }
    if second < job.blocks {
        block_sums[second] = words[padded(second)];
    }
}

@compute @workgroup_size(WORKGROUP)
fn add(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let before = block_sums[group.x];
    let first = group.x * 2u * WORKGROUP + local;
    let second = first + WORKGROUP;
    if first < job.length {
        prefix[job.target_at + first] += before;
    }
    if second < job.length {
        prefix[job.target_at + second] += before;
    }
}

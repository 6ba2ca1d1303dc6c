// Exclusive prefix sum: target[i] = source[0] + … + source[i - 1], modulo 2^32.
//
// Three dispatches: `blocks` scans blocks of 2 · WORKGROUP words each and notes each block's sum, `sums` scans those sums, and
// `add` adds to each block what stands before it. One block needs the first only. Within a block the scan is
// work-efficient (Blelloch): up a tree of pair sums, which leaves the total at its top, then down again, handing to each
// left child what its parent was given and to each right child that plus the left child's sum.
//
// On the tree's way up, neighbouring invocations touch words 2, 4, 8, … apart: in memory of 32 banks they soon all hit the
// same bank and wait for each other. A word of padding after every 32 puts words that are 32 apart in different banks.

override WORKGROUP: u32 = 256u;   // a power of two
override BLOCK_WORDS: u32 = 528u; // 2 · WORKGROUP, and the padding
override CONFLICT_FREE: bool = true;

const BANKS_LOG2: u32 = 5u;

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

var<workgroup> words: array<u32, BLOCK_WORDS>;

fn padded(index: u32) -> u32 {
    return select(index, index + (index >> BANKS_LOG2), CONFLICT_FREE);
}

// Scans the words of the block and returns their sum, to invocation 0 only.
fn scan_block(local: u32) -> u32 {
    var offset = 1u;
    for (var pairs = WORKGROUP; pairs > 0u; pairs >>= 1u) {
        workgroupBarrier();
        if local < pairs {
            let left = padded(offset * (2u * local + 1u) - 1u);
            let right = padded(offset * (2u * local + 2u) - 1u);
            words[right] += words[left];
        }
        offset <<= 1u;
    }
    var sum = 0u;
    if local == 0u {
        // The last pair was this invocation's own.
        let top = padded(2u * WORKGROUP - 1u);
        sum = words[top];
        words[top] = 0u;
    }
    for (var pairs = 1u; pairs <= WORKGROUP; pairs <<= 1u) {
        offset >>= 1u;
        workgroupBarrier();
        if local < pairs {
            let left = padded(offset * (2u * local + 1u) - 1u);
            let right = padded(offset * (2u * local + 2u) - 1u);
            let below = words[left];
            words[left] = words[right];
            words[right] += below;
        }
    }
    workgroupBarrier();
    return sum;
}

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

// The exclusive prefix sum of a block of 2 · WORKGROUP words in workgroup memory. This text precedes the pass's own.
//
// The scan is work-efficient (Blelloch). It goes up a tree of pair sums, which leaves the total at the top, then down
// again. Each left child gets its parent's value, and each right child gets that value plus the left child's sum.
//
// On the way up the tree, neighbouring invocations access words 2, 4, 8, … apart. In memory with 32 banks they would
// soon all use the same bank and wait for each other. A word of padding after every 32 puts words that are 32 apart
// into different banks.

override WORKGROUP: u32 = 256u;   // a power of two
override BLOCK_WORDS: u32 = 528u; // 2 · WORKGROUP, and the padding
override CONFLICT_FREE: bool = true;

const BANKS_LOG2: u32 = 5u;

var<workgroup> words: array<u32, BLOCK_WORDS>;

fn padded(index: u32) -> u32 {
    return select(index, index + (index >> BANKS_LOG2), CONFLICT_FREE);
}

// Scans the words of the block. Returns their sum to invocation 0 only.
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
        // The last pair belonged to this invocation.
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

// The exclusive prefix sum of a block of 2 · WORKGROUP words in workgroup memory. This text stands before the pass's own.
//
// The scan is work-efficient (Blelloch): up a tree of pair sums, which leaves the total at its top, then down again, handing to
// each left child what its parent was given and to each right child that plus the left child's sum.
//
// On the tree's way up, neighbouring invocations touch words 2, 4, 8, … apart: in memory of 32 banks they soon all hit the
// same bank and wait for each other. A word of padding after every 32 puts words that are 32 apart in different banks.

override WORKGROUP: u32 = 256u;   // a power of two
override BLOCK_WORDS: u32 = 528u; // 2 · WORKGROUP, and the padding
override CONFLICT_FREE: bool = true;

const BANKS_LOG2: u32 = 5u;

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

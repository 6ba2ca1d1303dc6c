// Counts the pixels whose red, green or blue, filtered as EBU R 103 says, is outside limits, before the clamp: see
// crates/core/src/histogram/limits.rs.
//
// The filter weighs 1 2 3 4 3 2 1 across and 1 2 1 down. Its sums are wider than 32 bits, so they are kept as two words:
// a sum is 256 times the first plus the second.

struct Limits {
    // The counted part of the picture: column and row of the first pixel, then one past the last.
    first: vec2<u32>,
    end: vec2<u32>,
    low: i32,        // the lowest fixed-point value inside the limits
    width_high: i32, // 64 times the distance from there to the lowest value above them: its 256ths
    width_low: i32,  // and what remains
    step: u32,       // distance of the lines of a field
}

@group(1) @binding(0) var<uniform> limits: Limits;
@group(1) @binding(1) var<storage, read_write> total: atomic<u32>;

const WORKGROUP: u32 = 256u;
const HALO: u32 = 3u;
// Pixels that a workgroup counts at a time; the others are their neighbours.
const COUNTED: u32 = WORKGROUP - 2u * HALO;

var<workgroup> found: atomic<u32>;
// The filtered columns: three lines, weighed.
var<workgroup> high_words: array<vec3<i32>, WORKGROUP>;
var<workgroup> low_words: array<vec3<i32>, WORKGROUP>;

// Each workgroup takes stretches of rows in turn, and each invocation a column of them.
@compute @workgroup_size(WORKGROUP)
fn count_outside(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = limits.end - limits.first;
    let stretches = (size.x + COUNTED - 1u) / COUNTED;
    var own = 0u;
    for (var index = group.x; index < stretches * size.y; index += groups.x) {
        let y = limits.first.y + index / stretches;
        // The column of this invocation; at the edges, the first or last one is repeated.
        let at = (index % stretches) * COUNTED + local;
        let x = limits.first.x + min(max(at, HALO) - HALO, size.x - 1u);
        let above = select(y, y - limits.step, y >= limits.first.y + limits.step);
        let below = select(y, y + limits.step, y + limits.step < limits.end.y);
        let values = array<vec3<i32>, 3>(
            sums_of(codes_at(vec2<u32>(x, above))) - limits.low,
            sums_of(codes_at(vec2<u32>(x, y))) - limits.low,
            sums_of(codes_at(vec2<u32>(x, below))) - limits.low,
        );
        high_words[local] = (values[0] >> vec3(8u)) + 2 * (values[1] >> vec3(8u)) + (values[2] >> vec3(8u));
        low_words[local] = (values[0] & vec3(255)) + 2 * (values[1] & vec3(255)) + (values[2] & vec3(255));
        workgroupBarrier();
        if local >= HALO && local < HALO + COUNTED && at - HALO < size.x {
            var high = 4 * high_words[local];
            var low = 4 * low_words[local];
            for (var by = 1u; by <= HALO; by++) {
                let weight = i32(HALO + 1u - by);
                high += weight * (high_words[local - by] + high_words[local + by]);
                low += weight * (low_words[local - by] + low_words[local + by]);
            }
            high += low >> vec3(8u);
            low &= vec3(255);
            let is_above = (high > vec3(limits.width_high)) | ((high == vec3(limits.width_high)) & (low >= vec3(limits.width_low)));
            own += select(0u, 1u, any((high < vec3(0)) | is_above));
        }
        workgroupBarrier();
    }
    atomicAdd(&found, own);
    workgroupBarrier();
    if local == 0u {
        atomicAdd(&total, atomicLoad(&found));
    }
}

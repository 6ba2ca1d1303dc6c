// Counts the pixels whose red, green or blue is outside limits, before the clamp: see
// crates/core/src/histogram/limits.rs.

struct Limits {
    low: i32,  // the lowest fixed-point value inside the limits
    high: i32, // the lowest value above the limits
    // The counted part of the picture: column and row of the first pixel, then one past the last.
    first: vec2<u32>,
    end: vec2<u32>,
}

@group(1) @binding(0) var<uniform> limits: Limits;
@group(1) @binding(1) var<storage, read_write> total: atomic<u32>;

const WORKGROUP: u32 = 256u;
var<workgroup> found: atomic<u32>;

// Each workgroup takes rows in turn, and each invocation takes pixels of them in turn.
@compute @workgroup_size(WORKGROUP)
fn count_outside(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var own = 0u;
    for (var y = limits.first.y + group.x; y < limits.end.y; y += groups.x) {
        for (var x = limits.first.x + local; x < limits.end.x; x += WORKGROUP) {
            let sums = sums_of(codes_at(vec2<u32>(x, y)));
            let is_outside = any(sums < vec3<i32>(limits.low)) || any(sums >= vec3<i32>(limits.high));
            own += select(0u, 1u, is_outside);
        }
    }
    atomicAdd(&found, own);
    workgroupBarrier();
    if local == 0u {
        atomicAdd(&total, atomicLoad(&found));
    }
}

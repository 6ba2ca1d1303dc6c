// Counts the pixels for which any, and all, of a brush's channels have a bin in its range: see
// crates/render/src/view/brush.rs.

struct Selection {
    // The counted part of the picture: column and row of the first pixel, then one past the last.
    first: vec2<u32>,
    end: vec2<u32>,
    channels: u32, // bit c: channel c
    low: u32,
    high: u32,
    coded: u32,    // true if the channels are Y', Cb and Cr as coded
}

@group(1) @binding(0) var<uniform> selection: Selection;
// The number of pixels with any channel in the range, and with all channels.
@group(1) @binding(1) var<storage, read_write> totals: array<atomic<u32>, 2>;

const WORKGROUP: u32 = 256u;
var<workgroup> found: array<atomic<u32>, 2>;

// Each workgroup takes rows in turn, and each invocation takes pixels of them in turn.
@compute @workgroup_size(WORKGROUP)
fn count_selected(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    var some = 0u;
    var every = 0u;
    for (var y = selection.first.y + group.x; y < selection.end.y; y += groups.x) {
        for (var x = selection.first.x + local; x < selection.end.x; x += WORKGROUP) {
            let codes = codes_at(vec2<u32>(x, y));
            let reached = channels_in(codes, selection.coded != 0u, selection.low, selection.high) & selection.channels;
            some += select(0u, 1u, reached != 0u);
            every += select(0u, 1u, reached == selection.channels);
        }
    }
    atomicAdd(&found[0], some);
    atomicAdd(&found[1], every);
    workgroupBarrier();
    if local < 2u {
        atomicAdd(&totals[local], atomicLoad(&found[local]));
    }
}

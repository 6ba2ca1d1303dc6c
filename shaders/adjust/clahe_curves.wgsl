// Computes the curves of a picture's tiles from their histograms, as defined in crates/core/src/adjust/clahe.rs, and
// packs them for recolor.wgsl.

override BITS: u32 = 8u;
override BINS: u32 = 256u; // 2^BITS
override OWN: u32 = 1u;    // bins of an invocation: BINS / 256

// As in clahe_tiles.wgsl.
struct Tiles {
    tiles: vec2<u32>,
    tile: vec2<u32>,
    most: u32,
    slices: u32,
    padding: vec2<u32>,
}

@group(0) @binding(0) var<uniform> tiles: Tiles;
@group(0) @binding(1) var<storage, read> slices: array<u32>;
@group(0) @binding(2) var<storage, read_write> curves: array<u32>;
@group(0) @binding(3) var<storage, read_write> packed: array<u32>;

const WORKGROUP: u32 = 256u;
var<workgroup> partial: array<u32, WORKGROUP>;
var<private> own: array<u32, 16>;

// Prefix sums of the invocations' values, including each one's own.
fn sum_up_to(local: u32, value: u32) -> u32 {
    workgroupBarrier();
    partial[local] = value;
    for (var offset = 1u; offset < WORKGROUP; offset *= 2u) {
        workgroupBarrier();
        var before = 0u;
        if local >= offset {
            before = partial[local - offset];
        }
        workgroupBarrier();
        partial[local] += before;
    }
    workgroupBarrier();
    return partial[local];
}

@compute @workgroup_size(WORKGROUP)
fn curve_of_tile(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    var excess = 0u;
    for (var i = 0u; i < OWN; i += 1u) {
        var samples = 0u;
        for (var slice = 0u; slice < tiles.slices; slice += 1u) {
            samples += slices[(group.x * tiles.slices + slice) * BINS + local * OWN + i];
        }
        own[i] = min(samples, tiles.most);
        excess += samples - own[i];
    }
    sum_up_to(local, excess);
    let all_excess = partial[WORKGROUP - 1u];
    let each = all_excess / BINS;
    let rest = all_excess % BINS;
    let step = max(BINS / max(rest, 1u), 1u);
    var sum = 0u;
    for (var i = 0u; i < OWN; i += 1u) {
        let bin = local * OWN + i;
        own[i] += each + select(0u, 1u, bin % step == 0u && bin / step < rest);
        sum += own[i];
    }
    var up_to = sum_up_to(local, sum) - sum;
    for (var i = 0u; i < OWN; i += 1u) {
        up_to += own[i];
        let bin = local * OWN + i;
        curves[group.x * BINS + bin] = mul_div_rounded(up_to, BINS - 1u, tiles.tile.x * tiles.tile.y);
    }
}

// The centres of four tiles span a cell. For each code in it, recolor.wgsl needs four values, left to right and top to
// bottom. Stored side by side, they need only one load, or two.
@compute @workgroup_size(WORKGROUP)
fn pack_cells(@builtin(global_invocation_id) id: vec3<u32>) {
    let cell = id.x / BINS;
    let code = id.x % BINS;
    let across = tiles.tiles.x + 1u;
    if cell >= across * (tiles.tiles.y + 1u) {
        return;
    }
    let after = vec2<u32>(cell % across, cell / across);
    let low = max(after, vec2<u32>(1u)) - vec2<u32>(1u);
    let high = min(after, tiles.tiles - vec2<u32>(1u));
    let upper_left = curves[(low.y * tiles.tiles.x + low.x) * BINS + code];
    let upper_right = curves[(low.y * tiles.tiles.x + high.x) * BINS + code];
    let lower_left = curves[(high.y * tiles.tiles.x + low.x) * BINS + code];
    let lower_right = curves[(high.y * tiles.tiles.x + high.x) * BINS + code];
    if BITS == 8u {
        packed[id.x] = upper_left | (upper_right << 8u) | (lower_left << 16u) | (lower_right << 24u);
    } else {
        packed[2u * id.x] = upper_left | (upper_right << 16u);
        packed[2u * id.x + 1u] = lower_left | (lower_right << 16u);
    }
}

// Computes the luminance histograms of a picture's tiles. Several workgroups share a tile. Each counts a slice of its
// rows in workgroup memory; clahe_curves.wgsl adds up the slices.
//
// Tiles may extend beyond the picture. There the picture is mirrored, as defined in crates/core/src/adjust/clahe.rs.

override WORKGROUP: u32 = 512u;
override BINS: u32 = 256u; // 2^BITS

struct Tiles {
    tiles: vec2<u32>, // across and down
    tile: vec2<u32>,  // pixels
    most: u32,        // samples that a bin keeps
    slices: u32,      // workgroups that share a tile's rows
    padding: vec2<u32>,
}

@group(1) @binding(0) var<uniform> tiles: Tiles;
@group(1) @binding(1) var<storage, read_write> slices: array<u32>;

var<workgroup> bins: array<atomic<u32>, BINS>;

fn mirrored(at: u32, count: u32) -> u32 {
    if count == 1u {
        return 0u;
    }
    let place = at % (2u * (count - 1u));
    return select(2u * (count - 1u) - place, place, place < count);
}

fn luminance_of_strip(strip: u32, row: u32) -> vec4<u32> {
    let colors = colors_of(samples_of_strip(0u, strip, row), chroma_terms(strip, chroma_row(row)));
    return luminance_bins(colors.red, colors.green, colors.blue);
}

fn tally(bin: u32, is_inside: bool) {
    if is_inside {
        atomicAdd(&bins[bin], 1u);
    }
}

@compute @workgroup_size(WORKGROUP)
fn count_tiles(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    for (var bin = local; bin < BINS; bin += WORKGROUP) {
        atomicStore(&bins[bin], 0u);
    }
    workgroupBarrier();

    let tile = group.x / tiles.slices;
    let slice = group.x % tiles.slices;
    let corner = vec2<u32>(tile % tiles.tiles.x, tile / tiles.tiles.x) * tiles.tile;
    let left = corner.x;
    let right = min(left + tiles.tile.x, picture.size.x);
    // A row of the tile: the strips that contain its pixels, then the columns beyond the picture one by one.
    var strips = 0u;
    if left < right {
        strips = (right + 3u) / 4u - left / 4u;
    }
    let beyond = max(left, picture.size.x);
    let items = strips + left + tiles.tile.x - min(beyond, left + tiles.tile.x);
    let each = (tiles.tile.y + tiles.slices - 1u) / tiles.slices;
    let skipped = min(slice * each, tiles.tile.y);
    let top = corner.y + skipped;
    let rows = min(each, tiles.tile.y - skipped);
    for (var i = local; i < rows * items; i += WORKGROUP) {
        let row = mirrored(top + i / items, picture.size.y);
        let item = i % items;
        if item < strips {
            let strip = left / 4u + item;
            let luminance = luminance_of_strip(strip, row);
            let x = strip * 4u;
            tally(luminance.x, x >= left && x < right);
            tally(luminance.y, x + 1u >= left && x + 1u < right);
            tally(luminance.z, x + 2u >= left && x + 2u < right);
            tally(luminance.w, x + 3u >= left && x + 3u < right);
        } else {
            let x = mirrored(beyond + item - strips, picture.size.x);
            tally(luminance_of_strip(x / 4u, row)[x & 3u], true);
        }
    }
    workgroupBarrier();
    for (var bin = local; bin < BINS; bin += WORKGROUP) {
        slices[group.x * BINS + bin] = atomicLoad(&bins[bin]);
    }
}

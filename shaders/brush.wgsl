// Finds the pixels selected by the brushes of the scopes: of all scopes, and of all but one. See
// crates/render/src/view/brushes.rs.

struct Brushes {
    // The counted part of the picture: column and row of the first pixel, then one past the last.
    first: vec2<u32>,
    end: vec2<u32>,
    // The channels of the histograms' brush, where bit c is channel c and 0 means that there is no brush; its lowest
    // and highest bin.
    histogram: vec4<u32>,
    // The same for the waveform's brush; then the first pixel of a row that it may select, and one past the last.
    waveform: vec4<u32>,
    columns: vec2<u32>,
    coded: u32,       // true if the channels are Y', Cb and Cr as coded
    row_words: u32,   // of a row of a plane
    weights: PairWeights,
    pairs: u32,       // the source of pairs, or 0 if the vectorscope has no brush
    level_bits: u32,  // of a level of a pair
    padding: vec2<u32>,
}

@group(1) @binding(0) var<uniform> brushes: Brushes;
// One bit for each selected pair of levels. Pairs with the same Cb are adjacent.
@group(1) @binding(1) var<storage, read> pairs: array<u32>;
// Four planes of one bit per pixel, row by row: pixels selected by all brushes, and by all except the histograms',
// except the waveform's, and except the vectorscope's brush.
@group(1) @binding(2) var<storage, read_write> planes: array<u32>;
// The number of pixels selected by all brushes.
@group(1) @binding(3) var<storage, read_write> total: atomic<u32>;
// The linear light of each code, if the vectorscope counts chromaticities.
@group(1) @binding(4) var<storage, read> light: array<f32>;

fn has_pair(codes: vec3<u32>) -> bool {
    var level: vec2<u32>;
    if brushes.pairs == CODED_PAIRS {
        level = codes.yz >> vec2<u32>(BITS - brushes.level_bits);
    } else {
        level = levels_of(brushes.pairs, brushes.weights, unclamped_of(codes), brushes.level_bits);
    }
    let at = (level.x << brushes.level_bits) | level.y;
    return ((pairs[at >> 5u] >> (at & 31u)) & 1u) != 0u;
}

fn is_in(brush: vec4<u32>, codes: vec3<u32>) -> bool {
    return (channels_in(codes, brushes.coded != 0u, brush.y, brush.z) & brush.x) != 0u;
}

// One bit for each brush that the pixel passes. A missing brush counts as passed.
fn passed(at: vec2<u32>) -> u32 {
    let codes = codes_at(at);
    var bits = 7u;
    if brushes.histogram.x != 0u && !is_in(brushes.histogram, codes) {
        bits &= 6u;
    }
    if brushes.waveform.x != 0u {
        let in_columns = brushes.columns.x <= at.x && at.x < brushes.columns.y;
        if !in_columns || !is_in(brushes.waveform, codes) {
            bits &= 5u;
        }
    }
    if brushes.pairs != 0u && !has_pair(codes) {
        bits &= 3u;
    }
    return bits;
}

var<workgroup> found: atomic<u32>;

// One invocation per word.
@compute @workgroup_size(64)
fn select_pixels(@builtin(local_invocation_index) local: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    let word = id.x;
    let row = id.y;
    var selected = vec4<u32>(0u);
    if row >= brushes.first.y && row < brushes.end.y {
        for (var at = 0u; at < 32u; at += 1u) {
            let column = (word << 5u) + at;
            if column >= brushes.first.x && column < brushes.end.x {
                let enough = (vec4<u32>(passed(vec2<u32>(column, row))) | vec4<u32>(0u, 1u, 2u, 4u)) == vec4<u32>(7u);
                selected |= select(vec4<u32>(0u), vec4<u32>(1u << at), enough);
            }
        }
    }
    if word < brushes.row_words {
        let first = row * 4u * brushes.row_words + word;
        planes[first] = selected.x;
        planes[first + brushes.row_words] = selected.y;
        planes[first + 2u * brushes.row_words] = selected.z;
        planes[first + 3u * brushes.row_words] = selected.w;
    }
    atomicAdd(&found, countOneBits(selected.x));
    workgroupBarrier();
    if local == 0u {
        atomicAdd(&total, atomicLoad(&found));
    }
}
